// Row numbers and parameters of a patch's constraints in the workgroup's own memory. Threads without a constraint
// ask for more than there is.

fn index_word(at: u32) -> u32 {
    return store[min(at, STORE - 1u)];
}

fn parameter(at: u32) -> f32 {
    return bitcast<f32>(store[min(at, STORE - 1u)]);
}
