// WGSL version of aerodynamics.rs. The host layout of `Air` is in aero/gpu.rs.

struct Air { half_density: f32, drag: f32, lift: f32, spare: f32 }

fn triangle_force(air: Air, a: vec3<f32>, b: vec3<f32>, c: vec3<f32>, u: vec3<f32>) -> vec3<f32> {
    let normal = cross(b - a, c - a);
    let doubled = sqrt(dot(normal, normal));
    let either = normal * safe_recip(doubled);
    let side = select(1.0, -1.0, 0.0 > dot(u, either));
    let n = either * side;
    let along = dot(u, n);
    let speed = sqrt(dot(u, u));
    let lift = (n * speed - u * (along * safe_recip(speed))) * air.lift;
    return (u * air.drag + lift) * (air.half_density * doubled * 0.5 * along);
}

fn wind_at(mean: vec3<f32>, gust: f32, period: f32, at: vec3<f32>, time: f32) -> vec3<f32> {
    if gust == 0.0 {
        return mean;
    }
    // Phase in gusts: the pattern is advected at the mean speed.
    let phase = (time - dot(at, mean) * safe_recip(dot(mean, mean))) / period;
    let swell = 0.65 * wind_wave(phase) + 0.35 * wind_wave(phase * 2.31 + 0.37);
    let sway = 0.6 * wind_wave(phase * 1.37 + 0.21) + 0.4 * wind_wave(phase * 3.13 + 0.71);
    return mean * (1.0 + gust * swell) + vec3<f32>(mean.z, 0.0, -mean.x) * (0.5 * gust * sway);
}

fn wind_wave(phase: f32) -> f32 {
    let sawtooth = phase - floor(phase);
    let ramp = abs(2.0 * sawtooth - 1.0);
    return 2.0 * ramp * ramp * (3.0 - 2.0 * ramp) - 1.0;
}
