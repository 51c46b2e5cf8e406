// Neighbor lists and accumulated contact impulses, for all particle contact passes.

// Start and length of each particle's list: see `list_of`.
@group(1) @binding(0) var<storage, read_write> ranges: array<vec2<u32>>;
@group(1) @binding(1) var<storage, read_write> near: array<u32>;
// Per list entry: friction and normal impulse of this substep [kg·m]. Of the first 32 entries of a list only those
// whose bit in `order` is set are valid: most entries are near but not in contact, and are neither read nor written.
@group(1) @binding(2) var<storage, read_write> impulses: array<vec4<f32>>;
// Particle indices in the order of the search: consecutive ones are close in space, so that adjacent threads access
// adjacent neighbors and lists. After the first contact pass, also the bits of the valid impulses.
@group(1) @binding(3) var<storage, read_write> order: array<vec2<u32>>;

// First entry, number of entries, and stride.
struct List { first: u32, count: u32, step: u32 }

fn list_of(i: u32) -> List {
    let range = ranges[i];
    return List(range.x, range.y & ~INTERLEAVED, select(1u, INTERLEAVE, (range.y & INTERLEAVED) != 0u));
}
