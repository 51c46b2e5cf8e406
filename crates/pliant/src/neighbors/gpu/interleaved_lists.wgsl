// Lists interleaved together, as in finder.rs.
const INTERLEAVE: u32 = 32u;
// Flag in the length of an interleaved list.
const INTERLEAVED: u32 = 0x80000000u;
