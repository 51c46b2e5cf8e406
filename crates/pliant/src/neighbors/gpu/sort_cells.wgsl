// Sorts the particles of each cell by index: counting with atomics leaves them in any order.

@group(0) @binding(1) var<storage, read_write> slots: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> tags: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read> starts: array<u32>;

// Particles with larger cells in range search among all (BUDGET of lists.wgsl), whatever their order.
const MOST: u32 = 4096u;

// Shell sort with Ciura's gaps.
@compute @workgroup_size(256)
fn sort_cells(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let place = flat(group, groups) * 256u + t;
    if place >= query.places {
        return;
    }
    let first = starts[place];
    let end = starts[place + 1u];
    if end - first < 2u || end - first > MOST {
        return;
    }
    var gaps = array<u32, 8>(701u, 301u, 132u, 57u, 23u, 10u, 4u, 1u);
    for (var g = 0u; g < 8u; g++) {
        let gap = gaps[g];
        for (var s = first + gap; s < end; s++) {
            let tag = tags[s];
            if tags[s - gap].x < tag.x {
                continue;
            }
            let slot = slots[s];
            var to = s;
            while to >= first + gap {
                let before = tags[to - gap];
                if before.x < tag.x {
                    break;
                }
                tags[to] = before;
                slots[to] = slots[to - gap];
                to -= gap;
            }
            tags[to] = tag;
            slots[to] = slot;
        }
    }
}
