// Scenes without liquids: no pressure on rigid bodies. reactions_of_liquids.wgsl replaces it where there are some.

fn pressure_on(i: u32, row: vec4<f32>, o: MovingCollider) -> Reaction {
    return Reaction(vec3<f32>(0.0), vec3<f32>(0.0));
}

fn presses_by_projection(i: u32) -> bool {
    return false;
}
