// WGSL version of density.rs: the multiplier after one projection.
fn density_multiplier(omega: f32, compliance: f32, lambda: f32, c: f32, stiffness: f32, epsilon: f32) -> f32 {
    let under = stiffness + compliance + epsilon;
    if under > 1e-30 {
        return min(lambda - omega * (c + compliance * lambda) / under, 0.0);
    }
    return min(lambda, 0.0);
}

// Artificial pressure of a pair, −s·(W/W(0.2·H))⁴.
fn density_artificial_pressure(strength: f32, scale: f32, value: f32) -> f32 {
    let near = value * scale;
    return -strength * near * near * near * near;
}
