// Multipliers of a patch in the workgroup's own memory.

var<workgroup> kept: array<f32, LAMBDA>;

fn keep_lambda(it: Patch, t: u32, fresh: bool) {
    if fresh {
        for (var i = t; i < LAMBDA; i += THREADS) {
            kept[i] = 0.0;
        }
        return;
    }
    for (var s = 0u; s < it.segments; s++) {
        let at = it.segments_at + 4u * s;
        for (var i = t; i < topology[at + 1u]; i += THREADS) {
            kept[topology[at + 2u] + i] = lambda[topology[at] + i];
        }
    }
}

fn return_lambda(it: Patch, t: u32) {
    for (var s = 0u; s < it.segments; s++) {
        let at = it.segments_at + 4u * s;
        for (var i = t; i < topology[at + 1u]; i += THREADS) {
            lambda[topology[at] + i] = kept[topology[at + 2u] + i];
        }
    }
}

fn lambda_get(at: u32, fresh: bool) -> f32 {
    return kept[min(at, LAMBDA - 1u)];
}

fn lambda_set(at: u32, value: f32) {
    kept[at] = value;
}
