// Liquids whose velocities are projected: pressure acts in the steps of the bodies, and contacts of particles that have some do
// not act beside it.

fn pressure_on(i: u32, row: vec4<f32>, o: MovingCollider) -> Reaction {
    return Reaction(vec3<f32>(0.0), vec3<f32>(0.0));
}

fn presses_by_projection(i: u32) -> bool {
    return i >= sub.wet && work[sub.carried + i].w < 0.0;
}
