// Neighbors of particles and what contacts with them have done, for all passes of contacts.

// Where the list of each particle begins, and how long it is: see `list_of`.
@group(1) @binding(0) var<storage, read_write> ranges: array<vec2<u32>>;
@group(1) @binding(1) var<storage, read_write> near: array<u32>;
// By entry of the lists: friction and push of this substep [kg·m]. Of the first 32 of a list only those whose bit is set
// in `order` mean anything: most of a list is near, but does not touch, and is neither read nor written.
@group(1) @binding(2) var<storage, read_write> pushes: array<vec4<f32>>;
// Number of particles in the order of the search: who follow each other are near each other, so that threads side by
// side find their neighbors, and their lists, side by side. After the first pass of contacts, whose pushes are kept.
@group(1) @binding(3) var<storage, read_write> order: array<vec2<u32>>;

// First entry, number of entries, and how far they are apart.
struct List { first: u32, count: u32, step: u32 }

fn list_of(i: u32) -> List {
    let range = ranges[i];
    return List(range.x, range.y & ~WOVEN, select(1u, WEAVE, (range.y & WOVEN) != 0u));
}
