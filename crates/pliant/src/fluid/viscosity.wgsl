// WGSL version of viscosity.rs.

// Viscosity of a pair: solids have a negative one, and use that of the fluid.
fn viscosity_pair(own: f32, other: f32) -> f32 {
    if own < 0.0 {
        return other;
    }
    return select(0.5 * (own + other), own, other < 0.0);
}

fn viscosity_pair_resistance(
    kernel: vec2<f32>, apart: vec3<f32>, square: f32, against: vec3<f32>, small: f32, mu: f32, drag: f32,
) -> vec3<f32> {
    let along = dot(apart, against) / (square + small);
    return apart * (-kernel.y * mu * along) + against * (kernel.x * drag);
}

fn viscosity_bound(kernel: vec2<f32>, square: f32, small: f32, mu: f32, drag: f32) -> f32 {
    return kernel.x * drag - kernel.y * mu * (square / (square + small));
}

// Plan::factors of a sweep: of the previous direction, and of the residual.
fn viscosity_factors(width: f32, sweep: u32) -> vec2<f32> {
    let half = 0.5 * width;
    let middle = 1.0 + half;
    if sweep == 0u {
        return vec2<f32>(0.0, 1.0 / middle);
    }
    let sigma = middle / half;
    var before = 1.0 / sigma;
    var rho = 1.0 / (2.0 * sigma - before);
    for (var k = 1u; k < sweep; k++) {
        before = rho;
        rho = 1.0 / (2.0 * sigma - before);
    }
    return vec2<f32>(rho * before, 2.0 * rho / half);
}

fn viscosity_boundary(spline: bool, reach: f32, delta: f32) -> f32 {
    let q = clamp(delta / reach, 0.0, 1.0);
    let s = 1.0 - q;
    let s4 = s * s * s * s;
    let area = reach * reach;
    if spline {
        return s4 * s * (1.8511 + q * (2.3463 + q * (-6.9692 + q * (4.9078 + q * 0.1341)))) / area;
    }
    return s4 * s * s * (2.178 + q * (2.7165 + q * (-8.1603 + q * (24.6386 - q * 15.949)))) / area;
}
