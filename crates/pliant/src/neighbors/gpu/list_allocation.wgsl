// Room for lists: the header, and how it is reserved.

struct Header {
    // Entries of all lists: low word, high word.
    wanted: atomic<u32>,
    wanted_high: atomic<u32>,
    capacity: u32,
    // 1 if they do not fit: then lists mean nothing, but stay within bounds.
    overflow: atomic<u32>,
    used: u32,
    places: u32,
    most: u32,
    missed: u32,
    // Particles whose lists are not done yet.
    queued: atomic<u32>,
}

// Entries of a list that one thread finds, at most: as many as a workgroup sorts in its memory.
const LONG: u32 = 2048u;
// Marks a particle in the queue that is to be searched for, not only sorted.
const HEAVY: u32 = 0x80000000u;
const NOWHERE: u32 = 0xffffffffu;

// By particle: first entry, number of entries.
@group(0) @binding(3) var<storage, read_write> ranges: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> indices: array<u32>;
@group(0) @binding(5) var<storage, read_write> header: Header;

// Where to write so many entries, fewer than 2²⁸, or nowhere if there is no room.
fn reserve(entries: u32) -> u32 {
    let at = atomicAdd(&header.wanted, entries);
    let wrapped = at + entries < at;
    if wrapped {
        atomicAdd(&header.wanted_high, 1u);
    }
    // Somebody who comes after the low word has wrapped may find room that others use too. That harms nobody: whoever
    // filled it up has reported the overflow.
    let fits = !wrapped && at + entries <= ask.capacity;
    if !fits {
        atomicStore(&header.overflow, 1u);
    }
    return select(NOWHERE, at, fits);
}
