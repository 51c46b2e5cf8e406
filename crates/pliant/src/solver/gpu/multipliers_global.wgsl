// Multipliers of a patch in their place.

fn keep_lambda(it: Patch, t: u32, fresh: bool) {}

fn return_lambda(it: Patch, t: u32) {}

fn lambda_get(at: u32, fresh: bool) -> f32 {
    return select(lambda[at], 0.0, fresh);
}

fn lambda_set(at: u32, value: f32) {
    lambda[at] = value;
}
