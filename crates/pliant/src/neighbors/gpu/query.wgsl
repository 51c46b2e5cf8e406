// What is asked, and the test that decides.

struct Ask {
    particles: u32,
    // Entries that the lists have room for.
    capacity: u32,
    // Where radii and phases begin in their buffers [words].
    radii_at: u32,
    phases_at: u32,
    // [m]
    margin: f32,
    // 1 if of a pair only the smaller number lists the other.
    once: u32,
    // 0 if everybody has phase 0.
    phased: u32,
    // Places that the table of the grid has room for.
    places: u32,
    // 0, which no compiler knows.
    zero: u32,
    // What searches: 1 the grid, 2 the tree.
    used: u32,
    // Where particles begin among the rows.
    rows_at: u32,
}

@group(0) @binding(0) var<uniform> ask: Ask;

// As pliant::space::OUTWARD: how much bounds are widened so that the rounding of their own arithmetic leaves out
// nobody. A driver may fuse the product into a sum; then it is rounded once instead of twice, never the other way.
const OUTWARD: f32 = 1.00000095367431640625;

const HUGE: f32 = 0x1.fffffep+127f;

// A number as it would be written to memory: a driver may fuse a product with the sum that follows, and would
// round once where the CPU rounds twice.
fn rounded(v: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(v) ^ ask.zero);
}

// Whether two particles (position, radius) are near: the twin of pliant::space::near, to the bit, wherever additions
// and products are rounded to the nearest, as Vulkan has them. Only squares below 2⁻¹²⁶ m² may be taken for 0.
fn near(a: vec4<f32>, b: vec4<f32>) -> bool {
    let d = a.xyz - b.xyz;
    let reach = rounded(a.w + b.w) + ask.margin;
    let square = rounded(rounded(d.x * d.x) + rounded(d.y * d.y)) + rounded(d.z * d.z);
    return square < rounded(reach * reach);
}

// Phase of particles that are nobody's neighbors.
const ASLEEP: u32 = 0xffffffffu;

// Whether it is for a particle (number, phase) to list another.
fn lists(own: vec2<u32>, other: vec2<u32>) -> bool {
    let meet = (own.y == 0u || own.y != other.y) && own.y != ASLEEP && other.y != ASLEEP;
    return meet && select(own.x != other.x, other.x > own.x, ask.once == 1u);
}

// Bits, because compilers may assume that there are no infinities and no NaN.
fn finite(v: f32) -> bool {
    return (bitcast<u32>(v) & 0x7f800000u) != 0x7f800000u;
}
