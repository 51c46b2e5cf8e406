// Boxes of 2, 4, 8… consecutive slots. The boxes of the tree are unions of a few of them, so that no node waits for its
// children: refitting upward with a counter at each node (D4 §5.2.4) requires writes of one workgroup to be visible to
// another within a dispatch, and WGSL orders only single atomics between workgroups. Minimum and maximum do not depend
// on grouping: boxes are bitwise those of the CPU's refit.

const THREADS: u32 = 256u;

struct PyramidUniforms {
    // The input level.
    level: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(0) @binding(1) var<storage, read> rows: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> radii: array<f32>;
@group(0) @binding(3) var<storage, read> phases: array<u32>;
@group(0) @binding(4) var<storage, read> values: array<u32>;
@group(0) @binding(5) var<storage, read_write> boxes: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> slots: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read_write> tags: array<vec2<u32>>;
@group(0) @binding(10) var<uniform> args: PyramidUniforms;

var<workgroup> lows: array<vec4<u32>, THREADS>;
var<workgroup> highs: array<vec4<u32>, THREADS>;

// Writes the box of a node, if the node exists, and keeps it for the level above.
fn keep(place: u32, level: u32, number: u32, box: Box) {
    let low = vec4<u32>(bitcast<vec3<u32>>(box.low), 0u);
    let high = vec4<u32>(bitcast<vec3<u32>>(box.high), box.phase);
    lows[place] = low;
    highs[place] = high;
    if number < (bottom() >> level) {
        let at = 2u * (level_at(level) + number);
        boxes[at] = low;
        boxes[at + 1u] = high;
    }
}

// Levels above the one that all threads have just kept.
fn build_upward(t: u32, group: u32, first_level: u32) {
    var level = first_level;
    var step = 1u;
    for (var live = THREADS / 2u; live > 0u; live /= 2u) {
        level += 1u;
        workgroupBarrier();
        if t < live {
            let left = 2u * t * step;
            let right = left + step;
            keep(left, level, group * live + t, around(unpack(lows[left], highs[left]), unpack(lows[right], highs[right])));
        }
        step *= 2u;
    }
}

fn fetch(slot: u32) -> Box {
    if slot >= query.particles {
        return empty();
    }
    let i = values[slot];
    let own = vec4<f32>(rows[query.rows_at + i].xyz, radii[query.radii_at + i]);
    var phase = 0u;
    if query.phased == 1u {
        phase = phases[query.phases_at + i];
    }
    slots[slot] = own;
    tags[slot] = vec2<u32>(i, phase);
    return particle(own, phase);
}

// Gathers the data of the slots, two per thread, and builds levels 1 to 9.
@compute @workgroup_size(256)
fn build_leaves(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let block = flat(group, groups);
    let number = block * THREADS + t;
    keep(t, 1u, number, around(fetch(2u * number), fetch(2u * number + 1u)));
    build_upward(t, block, 1u);
}

// Nine more levels.
@compute @workgroup_size(256)
fn build_levels(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let block = flat(group, groups);
    let number = block * THREADS + t;
    var both = empty();
    if 2u * number + 1u < (bottom() >> args.level) {
        let at = 2u * (level_at(args.level) + 2u * number);
        both = around(unpack(boxes[at], boxes[at + 1u]), unpack(boxes[at + 2u], boxes[at + 3u]));
    }
    keep(t, args.level + 1u, number, both);
    build_upward(t, block, args.level + 1u);
}
