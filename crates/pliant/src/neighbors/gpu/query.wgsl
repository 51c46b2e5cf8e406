// Query uniforms, and the pair test.

struct QueryUniforms {
    particles: u32,
    // Capacity of the lists [entries].
    capacity: u32,
    // Offsets of radii and phases in their buffers [words].
    radii_at: u32,
    phases_at: u32,
    // [m]
    margin: f32,
    // 1 if only the smaller index of a pair lists the other.
    once: u32,
    // 0 if all particles have phase 0.
    phased: u32,
    // Number of buckets allocated for the grid's table.
    places: u32,
    // 0, not known at compile time.
    zero: u32,
    // Search structure: 1 the grid, 2 the tree.
    used: u32,
    // Offset of the first particle among the rows.
    rows_at: u32,
    // Number of environments, at least 1. Particles of different ones are not neighbors.
    environments: u32,
}

@group(0) @binding(0) var<uniform> query: QueryUniforms;

// Factors OUTWARD: a driver may fuse the product into a sum; then it is rounded once instead of twice, never the other way.

const HUGE: f32 = 0x1.fffffep+127f;

// Prevents fusing: a driver may fuse a product with the sum that follows, and would round once where the CPU rounds
// twice.
fn rounded(v: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(v) ^ query.zero);
}

// Whether two particles (position, radius) are near: bitwise equal to pliant::neighbors::near where additions and
// products are rounded to nearest, as Vulkan requires. Only squares below 2⁻¹²⁶ m² may be flushed to 0.
fn near(a: vec4<f32>, b: vec4<f32>) -> bool {
    let d = a.xyz - b.xyz;
    let reach = rounded(a.w + b.w) + query.margin;
    let square = rounded(rounded(d.x * d.x) + rounded(d.y * d.y)) + rounded(d.z * d.z);
    return square < rounded(reach * reach);
}

// Whether a particle (index, phase) lists another.
fn lists(own: vec2<u32>, other: vec2<u32>) -> bool {
    let phases_collide = (own.y == 0u || own.y != other.y) && own.y != INACTIVE && other.y != INACTIVE;
    return phases_collide && select(own.x != other.x, other.x > own.x, query.once == 1u);
}

// Tests bits, because compilers may assume that there are no infinities and no NaN.
fn finite(v: f32) -> bool {
    return (bitcast<u32>(v) & 0x7f800000u) != 0x7f800000u;
}
