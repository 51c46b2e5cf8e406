// WGSL version of bdf.rs: BDF1 and BDF2.

fn free_velocity_bdf1(v: vec3<f32>, a: vec3<f32>, h: f32) -> vec3<f32> {
    return v + a * h;
}

fn predict_bdf1(x: vec3<f32>, free: vec3<f32>, h: f32) -> vec3<f32> {
    return x + free * h;
}

fn velocity_bdf1(after: vec3<f32>, x: vec3<f32>, free: vec3<f32>, h: f32, inv_h: f32) -> vec3<f32> {
    return free + (after - predict_bdf1(x, free, h)) * inv_h;
}

fn free_velocity_bdf2(v: vec3<f32>, before: vec3<f32>, a: vec3<f32>, h: f32) -> vec3<f32> {
    return v + (v - before) * (1.0 / 3.0) + a * ((2.0 / 3.0) * h);
}

fn predict_bdf2(x: vec3<f32>, before: vec3<f32>, free: vec3<f32>, h: f32) -> vec3<f32> {
    return x + ((x - before) * (1.0 / 3.0) + free * ((2.0 / 3.0) * h));
}

fn velocity_bdf2(
    after: vec3<f32>,
    x: vec3<f32>,
    before: vec3<f32>,
    free: vec3<f32>,
    h: f32,
    inv_h: f32,
) -> vec3<f32> {
    return free + (after - predict_bdf2(x, before, free, h)) * (1.5 * inv_h);
}
