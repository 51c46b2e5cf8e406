// Patches of stage solve: a workgroup runs the colors of one patch by itself. `wgsl_codegen.rs` puts in what depends
// on the kinds of constraints, `run`; `shaders.rs` what depends on the room there is in a workgroup's memory, and whether
// the pass is part of a substep or does all of it.
//
// Tables, written by `patches.rs`: a patch is PATCH_WORDS words. The list of its rows has a vector for each:
// its number, the particle whose contacts it has, and for copies on seams the first of the copies and their number.
// Its plan is rounds and ties, then steps, a vector each. A round is for constraints of one kind that run
// at the same time: how many, where the packed ones start, how far apart their vectors are, where their
// multipliers start. A step is a run of rounds, or something else that an iteration does.

struct PatchUniforms {
    // First word of the first patch in the directory; number of patches.
    directory: u32,
    count: u32,
    // PLAIN: rows are what the list says. SEAMS_FIRST: first iteration of "shared-patch", copies of seam particles start from
    // the particles. SEAMS_LATER: later ones, from the mean of what all pieces made of them, contacts included.
    // SEAMS_BETWEEN: second half of an iteration, from the mean of what all pieces made of them in the first.
    // SEAMS_TOGETHER: all iterations, pieces run side by side and exchange what is on their seams.
    mode: u32,
    // Which half of a patch is for this pass, FIRST_HALF or SECOND_HALF, or all.
    half: u32,
    iterations: u32,
    // Where copies of seam particles come from and go to, as rows.
    copies_in: u32,
    copies_out: u32,
    // 1 in the first iteration of a substep: multipliers start from zero.
    fresh: u32,
    // Of a pass that does all of a substep: how many of them, one after the other; first vector in `motion` of what copies
    // on seams keep there, where they started, then velocities.
    substeps: u32,
    copy_motion: u32,
}

@group(0) @binding(9) var<uniform> args: PatchUniforms;

// Looks at a neighbor's mark before a workgroup gives up: seconds, where microseconds are normal.
const MAX_POLLS: u32 = 4000000u;

struct Patch {
    list: u32,
    rows: u32,
    // The first row on a seam.
    seams: u32,
    plan_at: u32,
    rounds: u32,
    steps: u32,
    segments_at: u32,
    segments: u32,
    packed_at: u32,
    packed: u32,
    // The first step of the second half, after STEP_LAST_EXCHANGE; 0 if there is none.
    second: u32,
    // The end of rows that stand for a particle or an orientation: copies for one kind only come after.
    real: u32,
    // Of all particles, or less than 0 where they differ [m].
    radius: f32,
}

@compute @workgroup_size(THREADS)
fn patches(thread: Thread) {
    let t = thread.local;
    let number = group_of(thread);
    if number >= args.count {
        return;
    }
    let at = args.directory + PATCH_WORDS * number;
    let it = Patch(
        topology[at], topology[at + 1u], topology[at + 2u], topology[at + 3u], topology[at + 4u],
        topology[at + select(5u, 6u, args.mode == SEAMS_TOGETHER)],
        topology[at + 7u], topology[at + 8u], topology[at + 9u], topology[at + 10u], topology[at + 11u], topology[at + 12u],
        params[sub.radii - 1u],
    );
    if is_over() {
        return;
    }
    keep_plan(it, it.rounds + it.steps, t);
    load_packed(it, t);
    // Entries one ahead: what is done with one takes long enough to fetch the next.
    var entry = constants[it.list + min(t, it.rows - 1u)];
    for (var r = t; r < it.real; r += THREADS) {
        let next = constants[it.list + min(r + THREADS, it.rows - 1u)];
        load_row(r, entering(entry));
        entry = next;
    }
    // How many there are in a substep.
    let exchanges = args.iterations + u32(it.second > 0u);
    var mark = atomicLoad(&flags[SUBSTEPS]) * exchanges;
    for (var turn = 0u; turn < turns(); turn++) {
        solve(it, t, mark);
        mark += exchanges;
        entry = constants[it.list + min(t, it.rows - 1u)];
        for (var r = t; r < it.real; r += THREADS) {
            let next = constants[it.list + min(r + THREADS, it.rows - 1u)];
            store_row(entry, r, turn);
            entry = next;
        }
    }
    return_lambda(it, t);
    done(t);
}

// All iterations of a substep that are for this pass.
fn solve(it: Patch, t: u32, mark: u32) {
    let fresh = args.fresh != 0u;
    keep_lambda(it, t, fresh);
    var near = contact_pairs(it, t);
    hold(it, t, &near);
    patch_barrier();

    let first = select(0u, it.second, args.half == SECOND_HALF);
    let end = select(it.steps, it.second - 1u, args.half == FIRST_HALF);
    var showing = mark;
    for (var iteration = 0u; iteration < args.iterations; iteration++) {
        for (var s = first; s < end; s++) {
            let step = plan_at(it, it.rounds + s);
            if step.x < STEP_SPREAD {
                run(step.x, it, step.y, step.z, t, fresh && iteration == 0u);
                continue;
            }
            if step.x == STEP_LAST_EXCHANGE && !(args.mode == SEAMS_TOGETHER && iteration + 1u == args.iterations) {
                continue;
            }
            if step.x == STEP_EXCHANGE || step.x == STEP_LAST_EXCHANGE {
                showing += 1u;
                exchange(it, t, showing, step.y != 0u, &near);
            } else {
                for (var k = t; k < step.z; k += THREADS) {
                    let tie = plan_at(it, step.y + k);
                    if step.x == STEP_SPREAD {
                        spread_local(it.list, tie);
                    } else {
                        join_local(it.list, tie);
                    }
                }
            }
            patch_barrier();
        }
    }
    release(near);
}

fn nothing_near(pushed: u32) -> Near {
    return Near(0u, pushed, NONE, 0u, vec3<f32>(0.0), vec4<f32>(0.0));
}

// Contact masks of a thread's first rows: they do not change within a substep.
struct Near {
    // Four bits for each row: none, the one collider that it may touch, or MULTIPLE.
    codes: u32,
    // A bit for each row that has been pushed.
    pushed: u32,
    // The first row that is near one collider: where its push is kept, where it started, and the push itself, which goes
    // back when the patch is done. Most threads have no second one.
    held: u32,
    kept_at: u32,
    start: vec3<f32>,
    push: vec4<f32>,
}

// Rows of a thread of which something is known.
const KNOWN: u32 = 8u;
const MULTIPLE: u32 = 15u;

// The code of a row with such a mask. Where there are more colliders than codes, they are looked up.
fn near_code(particle: u32, slot: u32, mask: u32) -> u32 {
    if sub.colliders >= MULTIPLE {
        return select(0u, MULTIPLE, is_near(particle, slot));
    }
    return select(firstTrailingBit(mask) + 1u, MULTIPLE, countOneBits(mask) > 1u);
}

// Contacts of one row. One code path for all cases: it runs once per iteration, and its instructions are fetched anew each
// time.
fn touch_row(it: Patch, r: u32, near: ptr<function, Near>) {
    let k = r / THREADS;
    var code = MULTIPLE;
    if k < KNOWN {
        code = extractBits((*near).codes, 4u * k, 4u);
    }
    if code == 0u {
        return;
    }
    // The only collider nearby, or all of the mask.
    let multiple = code == MULTIPLE;
    let words = select(1u, mask_words(), multiple);
    for (var word = 0u; word < words; word++) {
        var mask = 1u << (code - 1u);
        if multiple {
            mask = mask_of(constants[it.list + r], word);
        }
        for (; mask != 0u; mask &= mask - 1u) {
            touch_one(it, r, word * 32u + firstTrailingBit(mask), multiple, near);
        }
    }
}

// Word `word` of a row's contact mask.
fn mask_of(entry: vec4<u32>, word: u32) -> u32 {
    if entry.y == NONE {
        return 0u;
    }
    return atomicLoad(&flags[mask_at(entry.y, entry.x) + word]);
}

// Contact of a row with collider `c`, one of multiple or the only one nearby. Most rows near a collider do not touch it: if
// it has not pushed before either, no memory is read.
fn touch_one(it: Patch, r: u32, c: u32, multiple: bool, near: ptr<function, Near>) {
    let bit = 1u << (r / THREADS);
    let row = row_get(it.list, r);
    var radius = it.radius;
    var particle = 0u;
    if radius < 0.0 || sub.environments != NONE || OWN_CONTACTS {
        particle = constants[it.list + r].y;
    }
    if radius < 0.0 {
        radius = params[sub.radii + particle];
    }
    let o = moving_collider(particle, c);
    let depth = solid_depth(o, o.after, row.xyz, radius);
    if row.w == 0.0 || !(multiple || ((*near).pushed & bit) != 0u || depth.inside > 0.0) {
        return;
    }
    let held = r == (*near).held;
    var at = 0u;
    var start = (*near).start;
    var push = (*near).push;
    if !held {
        let entry = constants[it.list + r];
        at = sub.collider_impulses + entry.x * sub.colliders + c;
        start = motion[start_of(entry.y, entry.x)].xyz;
        push = work[at];
    }
    let done = contact_push(o, depth, radius, start, row.xyz, push, 1.0);
    row_set(it.list, r, vec4<f32>(done.x, row.w));
    if held {
        (*near).push = done.push;
    } else {
        work[at] = done.push;
    }
    (*near).pushed |= bit;
}

// Loads the contact that a thread keeps in registers: that of its first row near exactly one collider.
fn hold(it: Patch, t: u32, near: ptr<function, Near>) {
    var left = (*near).codes;
    for (var r = t; left != 0u; r += THREADS) {
        let code = left & MULTIPLE;
        left >>= 4u;
        if code != 0u && code != MULTIPLE {
            let entry = constants[it.list + r];
            (*near).held = r;
            (*near).kept_at = sub.collider_impulses + entry.x * sub.colliders + code - 1u;
            (*near).start = motion[start_of(entry.y, entry.x)].xyz;
            if args.fresh == 0u {
                (*near).push = work[(*near).kept_at];
            }
            return;
        }
    }
}

// Writes it back.
fn release(near: Near) {
    if near.held != NONE && (near.pushed & (1u << (near.held / THREADS))) != 0u {
        work[near.kept_at] = near.push;
    }
}

// Exchange slot of a copy. Iterations alternate between two slots, so that none is overwritten while a neighbor may read
// it: a patch that writes a slot again has received the iteration between from all its readers.
fn exchange_at(copy: u32, mark: u32) -> u32 {
    return sub.exchange + (copy - sub.solid) + select(0u, 4u * sub.copies, (mark & 1u) != 0u);
}

// Publishes the copies of this patch, waits for those of its neighbors, and replaces them by their mean (S12, D2 eq 7);
// then projects contacts, also of rows on no seam.
fn exchange(it: Patch, t: u32, mark: u32, touches: bool, near: ptr<function, Near>) {
    for (var r = t + rows_of(t, it.seams) * THREADS; r < it.real; r += THREADS) {
        show(exchange_at(constants[it.list + r].x, mark), row_get(it.list, r).xyz, mark);
    }
    for (var r = t; r < it.real; r += THREADS) {
        if r >= it.seams {
            let own = row_get(it.list, r);
            row_set(it.list, r, vec4<f32>(mean_shown(own.xyz, constants[it.list + r], mark), own.w));
        }
        if touches {
            touch_row(it, r, near);
        }
    }
}

// Number of rows of thread `t` before `end`.
fn rows_of(t: u32, end: u32) -> u32 {
    return (end + THREADS - 1u - t) / THREADS;
}

// The highest byte of every word is the number of the exchange, so that words are valid independently: three times the
// lower 24 bits of a coordinate, then the upper eight of each.
fn show(to: u32, at: vec3<f32>, mark: u32) {
    let tag = mark << 24u;
    let x = bitcast<vec3<u32>>(at);
    atomicStore(&flags[to], (x.x & 0xffffffu) | tag);
    atomicStore(&flags[to + sub.copies], (x.y & 0xffffffu) | tag);
    atomicStore(&flags[to + 2u * sub.copies], (x.z & 0xffffffu) | tag);
    atomicStore(&flags[to + 3u * sub.copies], (x.x >> 24u) | ((x.y >> 24u) << 8u) | ((x.z >> 24u) << 16u) | tag);
}

fn shown(at: u32) -> vec4<u32> {
    return vec4<u32>(
        atomicLoad(&flags[at]), atomicLoad(&flags[at + sub.copies]),
        atomicLoad(&flags[at + 2u * sub.copies]), atomicLoad(&flags[at + 3u * sub.copies]),
    );
}

fn unpacked(words: vec4<u32>) -> vec3<f32> {
    let high = vec3<u32>(words.w, words.w >> 8u, words.w >> 16u) << vec3<u32>(24u);
    return bitcast<vec3<f32>>((words.xyz & vec3<u32>(0xffffffu)) | high);
}

// Mean of a particle's copies, of which one is here, at `own`; four of the others are polled at a time.
fn mean_shown(own: vec3<f32>, entry: vec4<u32>, mark: u32) -> vec3<f32> {
    let tag = vec4<u32>(mark << 24u);
    let here = entry.x;
    let first = entry.z;
    let end = first + entry.w;
    // Polled in place of the copy that is here, and of those beyond the last.
    let other = select(first, first + 1u, first == here);
    var base = own;
    var sum = vec3<f32>(0.0);
    for (var copy = first; copy < end; copy += 4u) {
        let c = vec4<u32>(copy, copy + 1u, copy + 2u, copy + 3u);
        let wanted = select(c, vec4<u32>(other), (c == vec4<u32>(here)) | (c >= vec4<u32>(end)));
        let at = wanted + vec4<u32>(exchange_at(0u, mark));
        var a: vec4<u32>;
        var b: vec4<u32>;
        var d: vec4<u32>;
        var e: vec4<u32>;
        for (var polls = 0u; polls < MAX_POLLS; polls++) {
            a = shown(at.x);
            b = shown(at.y);
            d = shown(at.z);
            e = shown(at.w);
            let wrong = ((a ^ tag) | (b ^ tag) | (d ^ tag) | (e ^ tag)) & vec4<u32>(0xff000000u);
            if all(wrong == vec4<u32>(0u)) {
                break;
            }
            // A timeout makes all others stop soon; otherwise every later iteration would wait as long.
            if polls + 1u == MAX_POLLS || polls % 1024u == 1023u && atomicLoad(&flags[STUCK]) != 0u {
                atomicStore(&flags[STUCK], 1u);
                break;
            }
        }
        base = select(base, select(unpacked(a), own, c.x == here), copy == first);
        sum += select(unpacked(a), own, c.x == here) - base;
        sum += select(vec3<f32>(0.0), select(unpacked(b), own, c.y == here) - base, c.y < end);
        sum += select(vec3<f32>(0.0), select(unpacked(d), own, c.z == here) - base, c.z < end);
        sum += select(vec3<f32>(0.0), select(unpacked(e), own, c.w == here) - base, c.w < end);
    }
    return base + sum / f32(entry.w);
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
