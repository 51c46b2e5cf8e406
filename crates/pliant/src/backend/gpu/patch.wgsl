// Patches of stage solve: a workgroup runs the colors of one patch by itself. `glue.rs` puts in what depends
// on the kinds of constraints, `run`; `shader.rs` what depends on the room there is in a workgroup's memory, and whether
// the pass is part of a substep or does all of it.
//
// Tables, written by `patches.rs`: a patch is twelve words at `job.first`. The list of its rows has a vector for each:
// its number, the particle whose contacts it has, and for copies on seams the first of the copies and their number.
// Its plan is rounds and ties, then steps, a vector each. A round is for constraints of one kind that run
// at the same time: how many, where their cards start, how far apart the vectors of a card are, where their
// multipliers start. A step is a run of rounds, or something else that an iteration does.

// Modes of the job.
// Rows are what the list says.
const PLAIN: u32 = 0u;
// First iteration of "mosaic": copies of seam particles start from the particles.
const SEAMS_FIRST: u32 = 1u;
// Later ones: from the mean of what all pieces made of them, contacts included.
const SEAMS_LATER: u32 = 2u;
// All iterations: pieces run side by side and exchange what is on their seams.
const SEAMS_TOGETHER: u32 = 3u;

// What a step does besides constraints.
const SPREAD: u32 = 101u;
const JOIN: u32 = 102u;
const TOUCH: u32 = 103u;
const EXCHANGE: u32 = 104u;

// Looks at a neighbor's mark before a workgroup gives up: seconds, where microseconds are normal.
const PATIENCE: u32 = 4000000u;

struct Patch {
    list: u32,
    rows: u32,
    seams: u32,
    plan_at: u32,
    rounds: u32,
    steps: u32,
    segments_at: u32,
    segments: u32,
    cards_at: u32,
    cards: u32,
}

@compute @workgroup_size(THREADS)
fn patches(thread: Thread) {
    let t = thread.local;
    let number = group_of(thread);
    if number >= job.count {
        return;
    }
    let at = job.first + 12u * number;
    let it = Patch(
        topology[at], topology[at + 1u], topology[at + 2u], topology[at + 3u], topology[at + 4u],
        topology[at + select(5u, 6u, job.mode == SEAMS_TOGETHER)],
        topology[at + 7u], topology[at + 8u], topology[at + 9u], topology[at + 10u],
    );
    if is_over() {
        return;
    }
    keep_plan(it, it.rounds + it.steps, t);
    keep_cards(it, t);
    // Entries one ahead: what is done with one takes long enough to fetch the next.
    var entry = fixtures[it.list + min(t, it.rows - 1u)];
    for (var r = t; r < it.rows; r += THREADS) {
        let next = fixtures[it.list + min(r + THREADS, it.rows - 1u)];
        load_row(r, entering(entry));
        entry = next;
    }
    var mark = atomicLoad(&marks[SUBSTEPS]) * job.iterations;
    for (var turn = 0u; turn < turns(); turn++) {
        solve(it, t, mark);
        mark += job.iterations;
        entry = fixtures[it.list + min(t, it.rows - 1u)];
        for (var r = t; r < it.rows; r += THREADS) {
            let next = fixtures[it.list + min(r + THREADS, it.rows - 1u)];
            store_row(entry, r, turn);
            entry = next;
        }
    }
    return_lambda(it, t);
    done(t);
}

// All iterations of a substep that are for this pass.
fn solve(it: Patch, t: u32, mark: u32) {
    let fresh = job.fresh != 0u;
    keep_lambda(it, t, fresh);
    var near = touching(it, t);
    patch_barrier();

    for (var iteration = 0u; iteration < job.iterations; iteration++) {
        for (var s = 0u; s < it.steps; s++) {
            let step = plan_at(it, it.rounds + s);
            if step.x < SPREAD {
                run(step.x, it, step.y, step.z, t, fresh && iteration == 0u);
                continue;
            }
            if step.x == EXCHANGE {
                exchange(it, t, mark + iteration + 1u);
            } else if step.x == TOUCH {
                touch_near(it, t, &near);
            } else {
                for (var k = t; k < step.z; k += THREADS) {
                    let tie = plan_at(it, step.y + k);
                    if step.x == SPREAD {
                        spread_local(it.list, tie);
                    } else {
                        join_local(it.list, tie);
                    }
                }
            }
            patch_barrier();
        }
    }
}

// What a thread knows about contacts of its first rows, for a substep: masks do not change within it.
struct Near {
    // Four bits for each row: none, the one collider that it may touch, or SEVERAL.
    codes: u32,
    // A bit for each row that has been pushed.
    pushed: u32,
}

// Rows of a thread of which something is known.
const KNOWN: u32 = 8u;
const SEVERAL: u32 = 15u;

fn touching(it: Patch, t: u32) -> Near {
    // Who comes later in a substep does not know what was.
    var near = Near(0u, select(0xffffffffu, 0u, job.fresh != 0u));
    if sub.colliders > 0u {
        for (var k = 0u; k < KNOWN && t + k * THREADS < it.rows; k++) {
            let entry = fixtures[it.list + t + k * THREADS];
            if entry.y != NOBODY {
                near.codes |= near_code(entry.y, entry.x) << (4u * k);
            }
        }
    }
    return near;
}

fn near_code(particle: u32, slot: u32) -> u32 {
    if sub.colliders >= SEVERAL {
        return select(0u, SEVERAL, is_near(particle, slot));
    }
    let mask = atomicLoad(&marks[mask_at(particle, slot)]);
    return select(firstTrailingBit(mask) + 1u, SEVERAL, countOneBits(mask) > 1u);
}

// Contacts of all rows.
fn touch_near(it: Patch, t: u32, near: ptr<function, Near>) {
    var left = (*near).codes;
    if left != 0u {
        let first = obstacle(0u);
        var entry = fixtures[it.list + t];
        for (var r = t; left != 0u; r += THREADS) {
            let next = fixtures[it.list + min(r + THREADS, it.rows - 1u)];
            let code = left & SEVERAL;
            left >>= 4u;
            if code == SEVERAL {
                touch_local(it.list, r);
            } else if code != 0u {
                var o = first;
                if code != 1u {
                    o = obstacle(code - 1u);
                }
                let bit = 1u << (r / THREADS);
                if touch_one(it.list, r, entry, code - 1u, o, ((*near).pushed & bit) != 0u) {
                    (*near).pushed |= bit;
                }
            }
            entry = next;
        }
    }
    for (var r = t + KNOWN * THREADS; r < it.rows; r += THREADS) {
        touch_local(it.list, r);
    }
}

// The contact of a row that is near one collider only. Most of those do not touch it: if it has not been pushed either,
// nothing that is written anywhere has to be asked. Returns whether it has been now.
fn touch_one(list: u32, r: u32, entry: vec4<u32>, c: u32, o: Obstacle, pushed: bool) -> bool {
    let row = row_get(list, r);
    let radius = params[sub.radii + entry.y];
    let depth = solid_depth(o, o.after, row.xyz, radius);
    if row.w == 0.0 || !(pushed || depth.inside > 0.0) {
        return pushed;
    }
    let at = sub.pushes + entry.x * sub.colliders + c;
    let start = motion[start_of(entry.y, entry.x)].xyz;
    let done = contact_push(o, depth, radius, start, row.xyz, work[at], 1.0);
    work[at] = done.push;
    row_set(list, r, vec4<f32>(done.x, row.w));
    return true;
}

// Where a copy is shown to the neighbors; iterations alternate between two places, so that nobody writes what a
// neighbor may still read: who writes a place again has seen the iteration between from all who read it.
fn exchange_at(copy: u32, mark: u32) -> u32 {
    return sub.exchange + 4u * ((copy - sub.solid) + select(0u, sub.copies, (mark & 1u) != 0u));
}

// Shows the neighbors what became of the copies here, waits for theirs, and goes to the mean (S12, D2 eq 7). Every word
// says by its highest byte which iteration it is of, so that no word has to wait for another: three times the lower
// 24 bits of a coordinate, then the upper eight of each.
fn exchange(it: Patch, t: u32, mark: u32) {
    let tag = mark << 24u;
    for (var r = it.seams + t; r < it.rows; r += THREADS) {
        let x = bitcast<vec3<u32>>(row_get(it.list, r).xyz);
        let to = exchange_at(fixtures[it.list + r].x, mark);
        atomicStore(&marks[to], (x.x & 0xffffffu) | tag);
        atomicStore(&marks[to + 1u], (x.y & 0xffffffu) | tag);
        atomicStore(&marks[to + 2u], (x.z & 0xffffffu) | tag);
        atomicStore(&marks[to + 3u], (x.x >> 24u) | ((x.y >> 24u) << 8u) | ((x.z >> 24u) << 16u) | tag);
    }
    for (var r = it.seams + t; r < it.rows; r += THREADS) {
        let entry = fixtures[it.list + r];
        let here = entry.x;
        let first = entry.z;
        let count = entry.w;
        let own = row_get(it.list, r);
        var base = own.xyz;
        if first != here {
            base = received(exchange_at(first, mark), tag);
        }
        var sum = vec3<f32>(0.0);
        for (var copy = first + 1u; copy < first + count; copy++) {
            if copy == here {
                sum += own.xyz - base;
            } else {
                sum += received(exchange_at(copy, mark), tag) - base;
            }
        }
        row_set(it.list, r, vec4<f32>(base + sum / f32(count), own.w));
    }
}

// What a neighbor shows, as soon as all four words are there.
fn received(at: u32, tag: u32) -> vec3<f32> {
    var words: vec4<u32>;
    for (var looks = 0u; looks < PATIENCE; looks++) {
        words = vec4<u32>(
            atomicLoad(&marks[at]), atomicLoad(&marks[at + 1u]), atomicLoad(&marks[at + 2u]), atomicLoad(&marks[at + 3u]),
        );
        if all((words & vec4<u32>(0xff000000u)) == vec4<u32>(tag)) {
            let x = (words.xyz & vec3<u32>(0xffffffu)) | (vec3<u32>(words.w, words.w >> 8u, words.w >> 16u) << vec3<u32>(24u));
            return bitcast<vec3<f32>>(x);
        }
        // Whoever waited in vain once makes all others stop soon, or every iteration to come would wait as long.
        if looks % 1024u == 1023u && atomicLoad(&marks[STUCK]) != 0u {
            break;
        }
    }
    atomicStore(&marks[STUCK], 1u);
    return vec3<f32>(0.0);
}

fn touch_local(list: u32, r: u32) {
    let row = row_get(list, r);
    let entry = fixtures[list + r];
    if entry.y != NOBODY && row.w != 0.0 {
        row_set(list, r, touch(entry.y, entry.x, row));
    }
}

// A tie: the particle, its first copy, their number, their share of the mass.
fn spread_local(list: u32, tie: vec4<u32>) {
    let owner = row_get(list, tie.x);
    let row = vec4<f32>(owner.xyz, owner.w * bitcast<f32>(tie.w));
    for (var copy = tie.y; copy < tie.y + tie.z; copy++) {
        row_set(list, copy, row);
    }
}

fn join_local(list: u32, tie: vec4<u32>) {
    let owner = row_get(list, tie.x);
    var sum = vec3<f32>(0.0);
    for (var copy = tie.y; copy < tie.y + tie.z; copy++) {
        sum += row_get(list, copy).xyz - owner.xyz;
    }
    row_set(list, tie.x, vec4<f32>(owner.xyz + sum * (1.0 / f32(tie.z)), owner.w));
}
