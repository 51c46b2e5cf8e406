// Assigns particles to the buckets of the table, in two ways. Slots are ordered by bucket; within one, counting leaves
// them in any order, which does not affect the lists, sorting orders them by index.

@group(0) @binding(1) var<storage, read> rows: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> radii: array<f32>;
@group(0) @binding(3) var<storage, read> phases: array<u32>;
@group(0) @binding(4) var<storage, read> cells: Cells;
// Number of particles of each bucket; after the scan, its first slot.
@group(0) @binding(5) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> starts: array<u32>;
// Bucket of each particle, and its rank within it.
@group(0) @binding(7) var<storage, read_write> spots: array<vec2<u32>>;
// By slot: position and radius; index and phase.
@group(0) @binding(8) var<storage, read_write> slots: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read_write> tags: array<vec2<u32>>;
@group(0) @binding(10) var<storage, read_write> keys: array<u32>;
@group(0) @binding(11) var<storage, read_write> values: array<u32>;

// Each environment has a table of its own.
fn place(i: u32) -> u32 {
    let v = rows[query.rows_at + i].xyz;
    let relative = clamp(cell(v, cells.inverse) - cells.base, vec3<i32>(0), cells.last);
    let at = vec3<u32>(relative) & cells.masks;
    var table = 0u;
    if query.environments > 1u {
        table = cells.environments[i] * cells.places;
    }
    return table + (at.z * cells.dims.y + at.y) * cells.dims.x + at.x;
}

fn put(slot: u32, i: u32) {
    slots[slot] = vec4<f32>(rows[query.rows_at + i].xyz, radii[query.radii_at + i]);
    var phase = 0u;
    if query.phased == 1u {
        phase = phases[query.phases_at + i];
    }
    tags[slot] = vec2<u32>(i, phase);
}

@compute @workgroup_size(256)
fn count(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let i = flat(group, groups) * 256u + t;
    if i < query.particles {
        let p = place(i);
        spots[i] = vec2<u32>(p, atomicAdd(&counts[p], 1u));
    }
}

@compute @workgroup_size(256)
fn fill(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let i = flat(group, groups) * 256u + t;
    if i < query.particles {
        put(starts[spots[i].x] + spots[i].y, i);
    }
}

// Keys for the sort.
@compute @workgroup_size(256)
fn label(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let i = flat(group, groups) * 256u + t;
    if i < query.particles {
        keys[i] = place(i);
        values[i] = i;
    }
}

// After the sort: gathers the data of each slot.
@compute @workgroup_size(256)
fn fetch(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let slot = flat(group, groups) * 256u + t;
    if slot < query.particles {
        put(slot, values[slot]);
    }
}

// After the sort: the first slot of each bucket, and one more. By bisection: filling long empty stretches of the table
// would keep one thread busy while the others idle.
@compute @workgroup_size(256)
fn begin(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let p = flat(group, groups) * 256u + t;
    if p <= cells.places * query.environments {
        var low = 0u;
        var high = query.particles;
        while low < high {
            let middle = (low + high) / 2u;
            if keys[middle] < p {
                low = middle + 1u;
            } else {
                high = middle;
            }
        }
        starts[p] = low;
    }
}
