// WGSL version of sph_kernels.rs: W [1/m³] and (1/r)·dW/dr [1/m⁵] at a squared distance [m²].

const SMOOTH_PI: f32 = 3.14159265;

fn smooth_cubic(reach: f32, square: f32) -> vec2<f32> {
    let h = 0.5 * reach;
    let scale = 1.0 / (SMOOTH_PI * h * h * h);
    // One square root for q and 1/q; at the center slope·distance is 0, whatever the slope.
    let inverse = inverseSqrt(max(square, 1e-12 * h * h));
    let q = square * inverse / h;
    let outer = max(2.0 - q, 0.0);
    let inner = max(1.0 - q, 0.0);
    let a = outer * outer;
    let b = inner * inner;
    return vec2<f32>((0.25 * a * outer - b * inner) * scale, (3.0 * b - 0.75 * a) * (inverse * scale / h));
}

fn smooth_poly6(reach: f32, square: f32) -> vec2<f32> {
    let volume = reach * reach * reach;
    let inside = max(1.0 - square / (reach * reach), 0.0);
    let r = sqrt(square);
    let near = max(1.0 - r / reach, 0.0);
    let slope = -45.0 / (SMOOTH_PI * volume * reach) / max(r, 1e-6 * reach);
    return vec2<f32>(inside * inside * inside * (315.0 / (64.0 * SMOOTH_PI * volume)), near * near * slope);
}
