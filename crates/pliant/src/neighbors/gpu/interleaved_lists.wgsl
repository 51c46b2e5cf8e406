// Lists that are woven together, as in finder.rs.
const WEAVE: u32 = 32u;
// Marks the length of a list whose entries are so far apart.
const WOVEN: u32 = 0x80000000u;
