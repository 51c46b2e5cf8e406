// Numbers of a patch's constraints in the workgroup's own memory, as far as there is room.

var<workgroup> store: array<u32, STORE>;

fn kept(source: u32, at: u32, fresh: bool) -> u32 {
    if source == FROM_TOPOLOGY {
        return topology[at];
    }
    if source == FROM_PARAMS {
        return bitcast<u32>(params[at]);
    }
    return select(bitcast<u32>(lambda[at]), 0u, fresh);
}

fn keep_numbers(it: Patch, t: u32, fresh: bool) {
    for (var s = 0u; s < it.segments; s++) {
        let at = it.segments_at + 4u * s;
        let source = topology[at];
        let begin = topology[at + 1u];
        let count = topology[at + 2u];
        let to = topology[at + 3u];
        // Four at a time, so that their latencies overlap.
        var i = t;
        for (; i + 3u * THREADS < count; i += 4u * THREADS) {
            let a = kept(source, begin + i, fresh);
            let b = kept(source, begin + i + THREADS, fresh);
            let c = kept(source, begin + i + 2u * THREADS, fresh);
            let d = kept(source, begin + i + 3u * THREADS, fresh);
            store[to + i] = a;
            store[to + i + THREADS] = b;
            store[to + i + 2u * THREADS] = c;
            store[to + i + 3u * THREADS] = d;
        }
        for (; i < count; i += THREADS) {
            store[to + i] = kept(source, begin + i, fresh);
        }
    }
}

fn return_numbers(it: Patch, t: u32) {
    for (var s = 0u; s < it.segments; s++) {
        let at = it.segments_at + 4u * s;
        if topology[at] == FROM_LAMBDA {
            for (var i = t; i < topology[at + 2u]; i += THREADS) {
                lambda[topology[at + 1u] + i] = bitcast<f32>(store[topology[at + 3u] + i]);
            }
        }
    }
}

fn lambda_get(at: u32, fresh: bool) -> f32 {
    return bitcast<f32>(store[min(at, STORE - 1u)]);
}

fn lambda_set(at: u32, value: f32) {
    store[at] = bitcast<u32>(value);
}
