// WGSL version of lane.rs: functions that WGSL lacks.

// 1/v, or 0 where v is too small to divide by. Also 0 for NaN, whatever `max` returns for it.
fn safe_recip(v: f32) -> f32 {
    return select(0.0, 1.0 / max(v, 1e-30), v > 1e-30);
}

// 1/√v, or 0 where v, a squared length, is too small to give a direction. One hardware instruction, where
// a root and a division are a dozen in sequence.
fn safe_inverse_sqrt(v: f32) -> f32 {
    return select(0.0, inverseSqrt(max(v, 1e-36)), v > 1e-36);
}

// WGSL version of `lane::atan2`, under another name because the result of the built-in may differ between devices.
fn arctangent(y: f32, x: f32) -> f32 {
    let ax = abs(x);
    let ay = abs(y);
    let t = min(ax, ay) * safe_recip(max(ax, ay));
    let t2 = t * t;
    var p = -0.004054565;
    p = p * t2 + 0.021862952;
    p = p * t2 - 0.055912323;
    p = p * t2 + 0.09642197;
    p = p * t2 - 0.13908629;
    p = p * t2 + 0.19946566;
    p = p * t2 - 0.3332986;
    p = p * t2 + 0.99999934;
    var angle = p * t;
    angle = select(angle, 1.5707964 - angle, ay > ax);
    angle = select(angle, 3.1415927 - angle, 0.0 > x);
    return select(angle, -angle, 0.0 > y);
}
