// Uniform record of all passes of restitution.

struct RestitutionUniforms {
    // BETWEEN: contacts between particles have left new velocities; AGAINST: colliders have restitution or rolling
    // resistance.
    mode: u32,
    // First vectors in `work`, one for each particle: its velocity before the substep, the contacts that it shares its mass
    // among, its velocity after contacts between particles.
    velocities_before: u32,
    shares: u32,
    velocities_after: u32,
    // First vector in `constants` of the laws of the colliders.
    collider_laws: u32,
    // The law between particles.
    restitution: f32,
    rest_speed: f32,
    rolling_damping: f32,
}

@group(0) @binding(9) var<uniform> args: RestitutionUniforms;
