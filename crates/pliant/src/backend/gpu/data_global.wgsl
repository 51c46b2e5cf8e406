// Row numbers and parameters of a patch's constraints in their place.

fn index_word(at: u32) -> u32 {
    return topology[at];
}

fn parameter(at: u32) -> f32 {
    return params[at];
}
