// Lists interleaved together, as in finder.rs.
const WEAVE: u32 = 32u;
// Flag in the length of an interleaved list.
const WOVEN: u32 = 0x80000000u;
