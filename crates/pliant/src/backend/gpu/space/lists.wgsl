// Neighbor lists from one search per particle: numbers are kept as they are found, or in order if the module SORTS; then
// the workgroup reserves room for all of its lists. Who has found more than fit searches again, straight into its place,
// and is queued to be sorted. Who looks at too many is queued to be searched for by a whole workgroup.
//
// The module has KEEP, how many numbers a thread keeps, and `search(slot)`, which calls `found` for every particle to be
// listed, and before it `afford` for those to be looked at.

const THREADS: u32 = 64u;
// What one thread looks at: others would wait for it.
const BUDGET: u32 = 4096u;

@group(0) @binding(1) var<storage, read> slots: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> tags: array<vec2<u32>>;

@group(0) @binding(8) var<storage, read_write> queue: array<u32>;

var<private> kept: array<u32, KEEP>;
var<private> count: u32;
var<private> spent: u32;
// Where to write, and how many: none at first.
var<private> room_at: u32;
var<private> room: u32;

var<workgroup> group_at: u32;

// Whether the thread may look at so many more.
fn afford(more: u32) -> bool {
    spent += min(more, BUDGET) + 1u;
    return spent <= BUDGET;
}

// A particle is queued once in a search; lists that are made twice from one construction find no room here.
fn enqueue(word: u32) {
    let at = atomicAdd(&header.queued, 1u);
    if at < ask.particles {
        queue[at] = word;
    }
}

fn found(number: u32) {
    if room > 0u {
        if count < room {
            indices[room_at + count] = number;
        }
    } else if count < KEEP {
        var at = count;
        while SORTS && at > 0u {
            let before = kept[at - 1u];
            if before < number {
                break;
            }
            kept[at] = before;
            at -= 1u;
        }
        kept[at] = number;
    }
    count += 1u;
}

@compute @workgroup_size(64)
fn list(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let slot = flat(group, groups) * THREADS + t;
    count = 0u;
    spent = 0u;
    room = 0u;
    if slot < ask.particles {
        search(slot);
    }
    let heavy = spent > BUDGET || count > LONG;
    let length = select(count, 0u, heavy);
    let up_to = inclusive(t, length);
    if t == THREADS - 1u {
        group_at = reserve(up_to);
    }
    workgroupBarrier();
    if slot >= ask.particles {
        return;
    }
    let i = tags[slot].x;
    if heavy {
        enqueue(i | HEAVY);
        return;
    }
    if group_at == NOWHERE {
        ranges[i] = vec2<u32>(0u, 0u);
        return;
    }
    let at = group_at + up_to - length;
    ranges[i] = vec2<u32>(at, length);
    if length <= KEEP {
        for (var k = 0u; k < length; k++) {
            indices[at + k] = kept[k];
        }
    } else {
        room_at = at;
        room = length;
        count = 0u;
        spent = 0u;
        search(slot);
        if SORTS {
            enqueue(i);
        }
    }
}
