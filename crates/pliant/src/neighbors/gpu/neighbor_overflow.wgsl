// Freezes the state if neighbor lists overflowed (word 3 of the header): FROZEN stays LISTS_FULL until the host has
// reallocated the lists.

@group(0) @binding(0) var<storage, read> header: array<u32>;
@group(0) @binding(1) var<storage, read_write> flags: array<atomic<u32>>;

@compute @workgroup_size(1)
fn search() {
    if header[3] != 0u {
        atomicMax(&flags[FROZEN], LISTS_FULL);
    }
}
