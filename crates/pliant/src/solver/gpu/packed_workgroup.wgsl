// Cards of a patch in the workgroup's own memory. Threads without a constraint ask for more than there is.

var<workgroup> packed: array<vec4<u32>, PACKED>;

fn keep_cards(it: Patch, t: u32) {
    // Four at a time, so that their latencies overlap.
    var i = t;
    for (; i + 3u * THREADS < it.packed; i += 4u * THREADS) {
        let a = constants[it.cards_at + i];
        let b = constants[it.cards_at + i + THREADS];
        let c = constants[it.cards_at + i + 2u * THREADS];
        let d = constants[it.cards_at + i + 3u * THREADS];
        packed[i] = a;
        packed[i + THREADS] = b;
        packed[i + 2u * THREADS] = c;
        packed[i + 3u * THREADS] = d;
    }
    for (; i < it.packed; i += THREADS) {
        packed[i] = constants[it.cards_at + i];
    }
}

fn entry(at: u32) -> vec4<u32> {
    return packed[min(at, PACKED - 1u)];
}
