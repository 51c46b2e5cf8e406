// Grid search: rows of cells along x are runs of slots.

@group(0) @binding(6) var<storage, read> cells: Cells;
@group(0) @binding(7) var<storage, read> starts: array<u32>;

fn test_slots(first: u32, end: u32, own: vec4<f32>, tag: vec2<u32>) {
    for (var s = first; s < end; s++) {
        if near(own, slots[s]) {
            let other = tags[s];
            if lists(tag, other) {
                found(other.x);
            }
        }
    }
}

fn search(slot: u32) {
    let own = slots[slot];
    let tag = tags[slot];
    let reach = vec3<f32>(((own.w + cells.largest) + query.margin) * OUTWARD);
    let low = clamp(cell(own.xyz - reach, cells.inverse) - cells.base, vec3<i32>(0), cells.last);
    let high = clamp(cell(own.xyz + reach, cells.inverse) - cells.base, low, cells.last);
    var table = 0u;
    if query.environments > 1u {
        table = cells.environments[tag.x] * cells.places;
    }
    let dims = cells.dims;
    let masks = cells.masks;
    // More cells than buckets: every bucket is visited exactly once.
    let many = vec3<u32>(high - low) + 1u;
    let all = many >= dims;
    let first = select(vec3<u32>(low) & masks, vec3<u32>(0u), all);
    let number = min(many, dims);
    // Along x, up to the end of the table and from its beginning.
    let end = first.x + number.x;
    for (var k = 0u; k < number.z; k++) {
        let plane = ((first.z + k) & masks.z) * dims.y;
        for (var j = 0u; j < number.y; j++) {
            let row = table + (plane + ((first.y + j) & masks.y)) * dims.x;
            let ahead = vec2<u32>(starts[row + first.x], starts[row + min(end, dims.x)]);
            var behind = vec2<u32>(0u);
            if end > dims.x {
                behind = vec2<u32>(starts[row], starts[row + end - dims.x]);
            }
            if !within_budget((ahead.y - ahead.x) + (behind.y - behind.x)) {
                return;
            }
            test_slots(ahead.x, ahead.y, own, tag);
            test_slots(behind.x, behind.y, own, tag);
        }
    }
}
