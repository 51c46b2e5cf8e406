// Bounds of all positions, the largest radius, and cells chosen from them. Two dispatches without atomics: no reset is
// needed, and the order of a minimum does not matter.

const THREADS: u32 = 256u;
// Maximum number of workgroups: the threads of one.
const MOST_GROUPS: u32 = 256u;

@group(0) @binding(1) var<storage, read> rows: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> radii: array<f32>;
// Two vectors per workgroup: minimum coordinates and largest radius; maximum coordinates.
@group(0) @binding(3) var<storage, read_write> parts: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> counts: array<u32>;
@group(0) @binding(5) var<storage, read_write> cells: Cells;
@group(0) @binding(6) var<storage, read_write> header: array<u32>;

var<workgroup> lows: array<vec4<f32>, THREADS>;
var<workgroup> highs: array<vec4<f32>, THREADS>;

struct Extent {
    low: vec4<f32>,
    high: vec4<f32>,
}

fn nothing() -> Extent {
    // The radius is negated, so that the minimum is the largest.
    return Extent(vec4<f32>(HUGE, HUGE, HUGE, 0.0), vec4<f32>(-HUGE));
}

fn around(a: Extent, b: Extent) -> Extent {
    return Extent(select(a.low, b.low, b.low < a.low), select(a.high, b.high, b.high > a.high));
}

// Extent over all threads, returned to all of them.
fn reduce_extent(t: u32, own: Extent) -> Extent {
    lows[t] = own.low;
    highs[t] = own.high;
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if t < half {
            let both = around(Extent(lows[t], highs[t]), Extent(lows[t + half], highs[t + half]));
            lows[t] = both.low;
            highs[t] = both.high;
        }
    }
    workgroupBarrier();
    return Extent(lows[0], highs[0]);
}

fn measure(first: u32, stride: u32) -> Extent {
    var all = nothing();
    for (var i = first; i < query.particles; i += stride) {
        let row = rows[query.rows_at + i];
        // Positions that are not finite do not count. They are clamped to the bounds, as are all queries.
        let there = finite(row.x) && finite(row.y) && finite(row.z);
        let radius = -radii[query.radii_at + i];
        let low = select(vec3<f32>(HUGE), row.xyz, there);
        let high = select(vec3<f32>(-HUGE), row.xyz, there);
        all = around(all, Extent(vec4<f32>(low, radius), vec4<f32>(high, 0.0)));
    }
    return all;
}

@compute @workgroup_size(256)
fn compute_bounds(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let all = reduce_extent(t, measure(group.x * THREADS + t, groups.x * THREADS));
    if t == 0u {
        parts[2u * group.x] = all.low;
        parts[2u * group.x + 1u] = all.high;
    }
}

// The same, and clears the table.
@compute @workgroup_size(256)
fn compute_bounds_and_clear(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    // One more than buckets: the total goes there.
    for (var p = group.x * THREADS + t; p <= query.places; p += groups.x * THREADS) {
        counts[p] = 0u;
    }
    let all = reduce_extent(t, measure(group.x * THREADS + t, groups.x * THREADS));
    if t == 0u {
        parts[2u * group.x] = all.low;
        parts[2u * group.x + 1u] = all.high;
    }
}

// One workgroup: chooses cells and resets the header.
@compute @workgroup_size(256)
fn finish_bounds(@builtin(local_invocation_index) t: u32) {
    var own = nothing();
    if 2u * t < arrayLength(&parts) {
        own = Extent(parts[2u * t], parts[2u * t + 1u]);
    }
    let all = reduce_extent(t, own);
    if t == 0u {
        var low = all.low.xyz;
        var high = all.high.xyz;
        if low.x > high.x {
            // No finite positions.
            low = vec3<f32>(0.0);
            high = vec3<f32>(0.0);
        }
        choose(low, high, -all.low.w);
        // Accumulates the previous search into the two words that only the host clears: the maximum number of entries
        // wanted, and the number of overflows.
        let before = select(header[0], 0xffffffffu, header[1] != 0u);
        header[6] = max(header[6], before);
        header[7] += header[3];
        header[0] = 0u;
        header[1] = 0u;
        header[2] = query.capacity;
        header[3] = 0u;
        header[4] = query.used;
        header[5] = cells.places * query.environments;
        header[8] = 0u;
    }
}

// Cell edges over the reach: pliant::neighbors::grid::edges.
fn edges(per_cube: f32) -> vec3<f32> {
    if per_cube < 8.0 {
        return vec3<f32>(0.5, 1.5, 1.5);
    }
    if per_cube < 40.0 {
        return vec3<f32>(0.5, 1.0, 1.0);
    }
    return vec3<f32>(0.25, 0.5, 0.5);
}

fn choose(low: vec3<f32>, high: vec3<f32>, largest: f32) {
    let extent = high - low;
    let reach = (largest + largest) + query.margin;
    let cubes = max(extent / reach, vec3<f32>(1.0));
    let per_cube = f32(query.particles) / f32(query.environments) / cubes.x / cubes.y / cubes.z;
    // With zero reach there are no neighbors, and any cells will do.
    let wanted = edges(per_cube) * reach;
    let size = select(vec3<f32>(SMALLEST_CELL), wanted, wanted > vec3<f32>(SMALLEST_CELL));
    let inverse = 1.0 / size;
    let base = cell(low, inverse);
    // Not below 0, regardless of rounding in the division.
    let last = max(cell(high, inverse) - base, vec3<i32>(0));
    var dims = vec3<u32>(last) + 1u;
    var masks = vec3<u32>(0xffffffffu);
    let most = max(query.places / query.environments, 1u);
    // Each iteration at least halves the longest axis; three axes have fewer than 3 · 32 halvings.
    for (var turn = 0u; turn < 96u; turn++) {
        // Exact: the product is at most `most` if and only if the third factor is at most the quotient by the others.
        let fits = dims.x <= most && dims.y <= most / dims.x && dims.z <= most / dims.x / dims.y;
        if fits {
            break;
        }
        var longest = 0u;
        if dims.y > dims[longest] {
            longest = 1u;
        }
        if dims.z > dims[longest] {
            longest = 2u;
        }
        // The next smaller power of two, half of it if it is one itself.
        let half = 1u << (31u - countLeadingZeros(dims[longest] - 1u));
        dims[longest] = half;
        masks[longest] = half - 1u;
    }
    cells.inverse = inverse;
    cells.largest = largest;
    cells.base = base;
    cells.places = dims.x * dims.y * dims.z;
    cells.last = last;
    cells.dims = dims;
    cells.masks = masks;
    cells.low = low;
    let longest_edge = max(extent.x, max(extent.y, extent.z));
    let scale = TOP_COORDINATE / longest_edge;
    // Bounds that overflow, or of zero extent, have a single code.
    cells.scale = select(0.0, scale, longest_edge > 0.0 && finite(scale) && finite(longest_edge));
}
