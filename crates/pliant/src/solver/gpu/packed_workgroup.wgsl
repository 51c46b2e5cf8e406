// Packed constraints of a patch in workgroup memory. Indices are clamped: threads without a
// constraint exceed them.

var<workgroup> packed: array<vec4<u32>, PACKED>;

fn load_packed(it: Patch, t: u32) {
    // Four at a time, so that their latencies overlap.
    var i = t;
    for (; i + 3u * THREADS < it.packed; i += 4u * THREADS) {
        let a = constants[it.packed_at + i];
        let b = constants[it.packed_at + i + THREADS];
        let c = constants[it.packed_at + i + 2u * THREADS];
        let d = constants[it.packed_at + i + 3u * THREADS];
        packed[i] = a;
        packed[i + THREADS] = b;
        packed[i + 2u * THREADS] = c;
        packed[i + 3u * THREADS] = d;
    }
    for (; i < it.packed; i += THREADS) {
        packed[i] = constants[it.packed_at + i];
    }
}

fn entry(at: u32) -> vec4<u32> {
    return packed[min(at, PACKED - 1u)];
}
