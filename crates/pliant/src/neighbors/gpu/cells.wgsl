// Mapping of positions to cells of a table: pliant::neighbors::Cells, chosen on the device.

struct Cells {
    // 1/edge of a cell [1/m], and the largest radius [m].
    inverse: vec3<f32>,
    largest: f32,
    // Cell of the minimum coordinates; number of buckets of one environment's table.
    base: vec3<i32>,
    places: u32,
    // Cells that the bounds cover, minus one.
    last: vec3<i32>,
    unused_a: u32,
    // Buckets along each axis.
    dims: vec3<u32>,
    unused_b: u32,
    // Mask from relative cell index to table index.
    masks: vec3<u32>,
    unused_c: u32,
    // Minimum coordinates [m], and units of a Morton code's axis per meter.
    low: vec3<f32>,
    scale: f32,
    // Environment of each particle, if there is more than one. The host writes it once.
    environments: array<u32>,
}

// ⌊v · inverse⌋. Monotonic in v, rounding included. Positions that are not finite get an arbitrary cell and have no
// neighbors.
fn cell(v: vec3<f32>, inverse: vec3<f32>) -> vec3<i32> {
    let scaled = v * inverse;
    let above = select(vec3<f32>(-FARTHEST_CELL), scaled, scaled > vec3<f32>(-FARTHEST_CELL));
    let within = select(vec3<f32>(FARTHEST_CELL), above, above < vec3<f32>(FARTHEST_CELL));
    return vec3<i32>(floor(within));
}
