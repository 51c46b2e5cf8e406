// WGSL version of boundary.rs.

// ∫ W·t^k dt from `delta` to the reach, k = 1, 2, 3.
fn boundary_moments(spline: bool, reach: f32, delta: f32) -> vec3<f32> {
    if spline {
        let h = 0.5 * reach;
        let q = delta / h;
        let a = 2.0 - q;
        let b = max(1.0 - q, 0.0);
        let a4 = a * a * a * a;
        let b4 = b * b * b * b;
        let outer = a4 * vec3<f32>(
            0.5 - a * 0.2,
            1.0 - a * (0.8 - a / 6.0),
            2.0 - a * (2.4 - a * (1.0 - a / 7.0)),
        );
        let inner = b4 * vec3<f32>(
            0.25 - b * 0.2,
            0.25 - b * (0.4 - b / 6.0),
            0.25 - b * (0.6 - b * (0.5 - b / 7.0)),
        );
        return (0.25 * outer - inner) / SMOOTH_PI * vec3<f32>(1.0 / h, 1.0, h);
    }
    let q = delta / reach;
    let q2 = q * q;
    let s = 1.0 - q2;
    let s4 = s * s * s * s;
    let m2 = 16.0 / 315.0 - q2 * q * (1.0 / 3.0 - q2 * (0.6 - q2 * (3.0 / 7.0 - q2 / 9.0)));
    return vec3<f32>(s4 * 0.125 / reach, m2, s4 * (0.125 - s * 0.1) * reach) * (315.0 / (64.0 * SMOOTH_PI));
}

// Share of the kernel inside a solid at distance `delta` [m], and its derivative by distance [1/m]. `bend` is 1/R of a
// sphere, otherwise 0.
fn boundary_share(spline: bool, reach: f32, distance: f32, bend: f32) -> vec2<f32> {
    if distance >= reach {
        return vec2<f32>(0.0);
    }
    let delta = max(distance, 0.0);
    return boundary_share_from_moments(boundary_moments(spline, reach, delta), delta, bend);
}

// Share and derivative at a non-negative distance, from moments.
fn boundary_share_from_moments(m: vec3<f32>, delta: f32, bend: f32) -> vec2<f32> {
    var inverse = 0.0;
    var across = 2.0 * delta;
    if bend > 0.0 {
        let s = 1.0 / bend + delta;
        inverse = 1.0 / s;
        across = delta * (2.0 * s - delta) / s;
    }
    let part = across * m.x + m.z * inverse;
    return vec2<f32>(2.0 * SMOOTH_PI * m.y - SMOOTH_PI * part, SMOOTH_PI * inverse * part - 2.0 * SMOOTH_PI * m.x);
}

// Share of the kernel inside a solid particle of a radius, and (1/r)·d/dr of that, at a squared center distance.
fn boundary_large_particle(spline: bool, reach: f32, radius: f32, scale: f32, square: f32) -> vec2<f32> {
    let distance = sqrt(square);
    let delta = max(distance - radius, 0.0);
    var share = boundary_share(spline, reach, delta, 1.0 / radius);
    if delta + 2.0 * radius < reach {
        share -= boundary_share_from_moments(boundary_moments(spline, reach, delta + 2.0 * radius), delta, 1.0 / radius);
    }
    return share * scale / vec2<f32>(1.0, max(distance, 1e-6 * radius));
}
