// Neighbor lists from one search per particle: indices are kept as they are found, or sorted if the module SORTS; then
// the workgroup allocates all of its lists. A thread that finds more than it can keep searches again, directly into its
// list, and is queued to be sorted. A thread with too many candidates is queued for a search by a whole workgroup.
//
// Lists of consecutive slots may be interleaved: their first entries are adjacent, then their second ones. Accesses of
// adjacent threads are then coalesced.
//
// The module has INTERLEAVES, whether lists are interleaved; KEEP, the number of indices a thread keeps; and
// `search(slot)`, which calls `found` for every particle to be listed, and before it `within_budget` for the candidates
// to be tested.

const THREADS: u32 = 64u;
// Maximum number of candidates tested by one thread: others would wait for it.
const BUDGET: u32 = 4096u;

@group(0) @binding(1) var<storage, read> slots: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> tags: array<vec2<u32>>;

@group(0) @binding(8) var<storage, read_write> queue: array<u32>;

var<private> kept: array<u32, KEEP>;
var<private> count: u32;
var<private> spent: u32;
// Start and capacity of the list: none at first.
var<private> room_at: u32;
var<private> room: u32;

var<workgroup> group_at: u32;
// By interleaved group: entries of its lists, and length of its longest interleaved list.
var<workgroup> totals: array<atomic<u32>, THREADS / INTERLEAVE>;
var<workgroup> longest: array<atomic<u32>, THREADS / INTERLEAVE>;

// Whether the thread may test this many more candidates.
fn within_budget(more: u32) -> bool {
    spent += min(more, BUDGET) + 1u;
    return spent <= BUDGET;
}

// A particle is queued once per search; the bound covers lists built twice from one construction.
fn enqueue(word: u32) {
    let at = atomicAdd(&header.queued, 1u);
    if at < query.particles {
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
    let group_index = t / INTERLEAVE;
    if INTERLEAVES && t % INTERLEAVE == 0u {
        atomicStore(&totals[group_index], 0u);
        atomicStore(&longest[group_index], 0u);
    }
    count = 0u;
    spent = 0u;
    room = 0u;
    if slot < query.particles {
        search(slot);
    }
    let heavy = spent > BUDGET || count > LONG;
    let length = select(count, 0u, heavy);
    // Entries of the list that are stored contiguously.
    var apart = length;
    if INTERLEAVES {
        workgroupBarrier();
        atomicAdd(&totals[group_index], length);
        workgroupBarrier();
        // A list much longer than the adjacent ones would leave their entries unused.
        if length <= min(atomicLoad(&totals[group_index]) * 3u / (2u * INTERLEAVE) + 2u, KEEP) {
            atomicMax(&longest[group_index], length);
            apart = 0u;
        }
    }
    let up_to = inclusive(t, apart);
    // Entries of all interleaved groups, and of those before this one.
    var interleaved = 0u;
    var before = 0u;
    if INTERLEAVES {
        for (var w = 0u; w < THREADS / INTERLEAVE; w++) {
            before = select(before, interleaved, w == group_index);
            interleaved += INTERLEAVE * atomicLoad(&longest[w]);
        }
    }
    if t == THREADS - 1u {
        group_at = reserve(interleaved + up_to);
    }
    workgroupBarrier();
    if slot >= query.particles {
        return;
    }
    let i = tags[slot].x;
    if heavy {
        enqueue(i | NEEDS_SEARCH);
        return;
    }
    if group_at == NO_SPACE {
        ranges[i] = vec2<u32>(0u, 0u);
        return;
    }
    if apart == 0u && length > 0u {
        let at = group_at + before + t % INTERLEAVE;
        ranges[i] = vec2<u32>(at, length | INTERLEAVED);
        for (var k = 0u; k < length; k++) {
            indices[at + k * INTERLEAVE] = kept[k];
        }
        return;
    }
    let at = group_at + interleaved + up_to - length;
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
