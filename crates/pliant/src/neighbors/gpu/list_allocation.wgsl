// List allocation: the header, and how entries are reserved.

struct Header {
    // Entries of all lists: low word, high word.
    wanted: atomic<u32>,
    wanted_high: atomic<u32>,
    capacity: u32,
    // 1 if they do not fit: lists are then invalid, but within bounds.
    overflow: atomic<u32>,
    used: u32,
    places: u32,
    most: u32,
    missed: u32,
    // Number of particles whose lists are incomplete.
    queued: atomic<u32>,
}

// Maximum length of a list found by one thread: as many as a workgroup sorts in its memory.
const LONG: u32 = 2048u;
// Marks a queued particle that needs a search, not only a sort.
const NEEDS_SEARCH: u32 = 0x80000000u;
const NO_SPACE: u32 = 0xffffffffu;

// By particle: first entry, number of entries.
@group(0) @binding(3) var<storage, read_write> ranges: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> indices: array<u32>;
@group(0) @binding(5) var<storage, read_write> header: Header;

// Reserves entries, fewer than 2²⁸; returns their start, or NO_SPACE if they do not fit.
fn reserve(entries: u32) -> u32 {
    let at = atomicAdd(&header.wanted, entries);
    let wrapped = at + entries < at;
    if wrapped {
        atomicAdd(&header.wanted_high, 1u);
    }
    // After the low word has wrapped, a thread may get entries that others also use. This is harmless: the overflow has
    // already been reported.
    let fits = !wrapped && at + entries <= query.capacity;
    if !fits {
        atomicStore(&header.overflow, 1u);
    }
    return select(NO_SPACE, at, fits);
}
