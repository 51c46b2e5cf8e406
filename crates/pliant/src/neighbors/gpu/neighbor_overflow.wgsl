// Freezes the state if neighbor lists overflow: word 3 of the header is the flag, and word 3 of the marks is FROZEN,
// where 2 is LISTS_FULL (bindings.wgsl).

@group(0) @binding(0) var<storage, read> header: array<u32>;
@group(0) @binding(1) var<storage, read_write> marks: array<atomic<u32>>;

@compute @workgroup_size(1)
fn search() {
    if header[3] != 0u {
        atomicMax(&marks[3], 2u);
    }
}
