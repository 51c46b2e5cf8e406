// Twin of density.rs: the multiplier after one projection.
fn density_multiplier(omega: f32, compliance: f32, lambda: f32, c: f32, stiffness: f32, epsilon: f32) -> f32 {
    let under = stiffness + compliance + epsilon;
    if under > 1e-30 {
        return min(lambda - omega * (c + compliance * lambda) / under, 0.0);
    }
    return min(lambda, 0.0);
}
