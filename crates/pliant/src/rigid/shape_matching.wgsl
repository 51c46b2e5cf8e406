// Bodies that keep their shape (S19, S20), the twin of kernels/shape/pass.rs. A body is cut into pieces that a
// workgroup adds up; where every body is one piece of consecutive rows, one pass does all. Sums have one order: each
// thread its own members, then halves of the workgroup, then pieces as they come.
//
// `job.index`: first body, thirteen vectors each; `job.count`: bodies; `job.first`: first piece; `job.iterations`: pieces;
// `job.params`: members, rest offset and mass each; `job.lambda`: rows of members, or NONE where each body's rows
// follow each other; `job.copies_in`, `job.copies_out`: where the members of each row start, and which they are;
// `job.stick`: not 0 where rows are those that stabilization has parted;
// `job.slots`: sums in `work`; `job.spare`: moves of members in `work`; `job.mode`: how rotations are found.

@group(1) @binding(0) var<storage, read> bodies: array<vec4<u32>>;
// Rotation; center and strain; plastic shape, three columns; worst stretch, three columns.
@group(1) @binding(1) var<storage, read_write> poses: array<vec4<f32>>;

const BODY: u32 = 13u;
const POSE: u32 = 8u;
// Vectors in `work`: sums of a piece, goal of a body.
const SUMS: u32 = 4u;
const GOAL: u32 = 4u;

const MATCHERS: u32 = 256u;

struct Body {
    // Number of the first member among all.
    first: u32,
    count: u32,
    pins: u32,
    plastic: bool,
    // Whether it turns by its torque alone.
    rigid: bool,
    mass: f32,
    alpha: f32,
    // First row.
    row: u32,
    // Σ m q.
    moment: vec3<f32>,
    pivot: vec3<f32>,
}

// From the origin, a place of the body.
struct Goal { linear: mat3x3<f32>, shift: vec3<f32>, origin: vec3<f32>, alpha: f32 }

// Σ m d; Σ m p qᵀ; Σ p of pins. Places p are from the body's origin; d is how far they are from where the last match
// would have put them, p − L·q: small, so that the center of mass is not lost in rounding.
struct Sums { moment: vec3<f32>, second: mat3x3<f32>, pins: vec3<f32> }

fn vector(at: u32) -> vec4<f32> {
    return bitcast<vec4<f32>>(bodies[at]);
}

fn word(at: u32, k: u32) -> u32 {
    return bodies[at + k / 4u][k % 4u];
}

fn columns(at: u32) -> mat3x3<f32> {
    return mat3x3<f32>(vector(at).xyz, vector(at + 1u).xyz, vector(at + 2u).xyz);
}

fn body_at(b: u32) -> Body {
    let at = job.index + BODY * b;
    let head = bodies[at];
    let numbers = vector(at + 1u);
    return Body(
        head.x, head.y, head.z, (head.w & 1u) != 0u, (head.w & 2u) != 0u, numbers.x, numbers.y, bodies[at + 3u].w,
        vector(at + 2u).xyz, vector(at + 3u).xyz,
    );
}

// Row of member `k` of a body.
fn site(body: Body, k: u32) -> u32 {
    if job.lambda == NONE {
        return body.row + k;
    }
    return word(job.lambda, body.first + k);
}

// Row `i`: where it is, or where stabilization between particles has put it.
fn here(i: u32) -> vec4<f32> {
    if job.static_friction != 0.0 {
        return work[sub.nexts + i];
    }
    return rows[i];
}

fn put(i: u32, row: vec4<f32>) {
    if job.static_friction != 0.0 {
        work[sub.nexts + i] = row;
    } else {
        rows[i] = row;
    }
}

// By number, then by thread.
var<workgroup> sums: array<array<f32, 256>, 15>;

// R·P of the last match of body `b`.
fn linear_before(b: u32, body: Body) -> mat3x3<f32> {
    let at = POSE * b;
    let rotation = matrix_of(poses[at]);
    if body.plastic {
        return rotation * mat3x3<f32>(poses[at + 2u].xyz, poses[at + 3u].xyz, poses[at + 4u].xyz);
    }
    return rotation;
}

// About where its rest center was matched to: its first member says where it is. Bodies with pins are measured from it.
fn origin_of(body: Body, linear: mat3x3<f32>) -> vec3<f32> {
    if body.pins > 0u {
        return here(body.row).xyz;
    }
    return here(body.row).xyz - linear * vector(job.params + body.first).xyz;
}

// Adds members `first` to `first + count` of body `b` up, into the first of `sums`.
fn add_up(b: u32, body: Body, first: u32, count: u32, t: u32) {
    let linear = linear_before(b, body);
    let origin = origin_of(body, linear);
    var total = Sums(vec3<f32>(0.0), mat3x3<f32>(), vec3<f32>(0.0));
    for (var k = first + t; k < first + count; k += MATCHERS) {
        let row = here(site(body, k));
        let q = vector(job.params + body.first + k);
        let p = row.xyz - origin;
        total.moment += q.w * (p - linear * q.xyz);
        total.second += outer3(q.w * p, q.xyz);
        if row.w <= 0.0 {
            total.pins += p;
        }
    }
    for (var k = 0u; k < 3u; k++) {
        sums[k][t] = total.moment[k];
        sums[3u + k][t] = total.second[0][k];
        sums[6u + k][t] = total.second[1][k];
        sums[9u + k][t] = total.second[2][k];
        sums[12u + k][t] = total.pins[k];
    }
    for (var half = MATCHERS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if t < half {
            for (var k = 0u; k < 15u; k++) {
                sums[k][t] += sums[k][t + half];
            }
        }
    }
}

fn summed() -> Sums {
    return Sums(
        vec3<f32>(sums[0][0], sums[1][0], sums[2][0]),
        mat3x3<f32>(
            sums[3][0], sums[4][0], sums[5][0], sums[6][0], sums[7][0], sums[8][0], sums[9][0], sums[10][0],
            sums[11][0],
        ),
        vec3<f32>(sums[12][0], sums[13][0], sums[14][0]),
    );
}

// Rotation for the moment A about the rest shape as built, whose plastic shape is `shape`.
fn rotation_for(b: u32, body: Body, a: mat3x3<f32>, shape: mat3x3<f32>) -> vec4<f32> {
    // The rest shape is P q, so its moment is A Pᵀ.
    let moment = a * transpose(shape);
    if job.mode == ITERATIVE {
        return extract_rotation(moment, poses[POSE * b]);
    }
    if job.mode == GRAM_SCHMIDT {
        let flat = columns(job.index + BODY * b + 7u);
        let missing = flat[0].x + flat[1].y + flat[2].z;
        let back = inverse3(shape);
        if missing <= 1.5 && back.fine {
            // D4 4.6; of a plate the cofactors are the normal there and here.
            var f = a * columns(job.index + BODY * b + 4u);
            if missing > 0.5 {
                f += mat3x3<f32>(cross(f[1], f[2]), cross(f[2], f[0]), cross(f[0], f[1]));
            }
            return quat_of(gram_schmidt(f * back.m));
        }
    }
    return quat_of(polar(moment));
}

// Of the moment of a rigid body only what turns it: L·Σ m q qᵀ and the antisymmetric part of A Lᵀ, L its last orientation.
fn select_moment(b: u32, body: Body, linear: mat3x3<f32>, a: mat3x3<f32>) -> mat3x3<f32> {
    if !body.rigid {
        return a;
    }
    let there = a * transpose(linear);
    let odd = there - transpose(there);
    return linear * columns(job.index + BODY * b + 10u) + (odd * linear) * 0.5;
}

// Contacts of a body are counted anew; what counts is the most that there were in the substep so far.
fn count_anew(b: u32) {
    if sub.mass_splitting == NONE || job.static_friction != 0.0 {
        return;
    }
    let at = sub.contact_counts + 3u * b;
    let before = atomicLoad(&marks[at + select(0u, 2u, job.fresh != 0u)]);
    atomicStore(&marks[at], max(before, atomicLoad(&marks[at + 1u])));
    atomicStore(&marks[at + 1u], 0u);
    atomicStore(&marks[at + 2u], 0u);
}

// Where body `b` is matched to (D4 4.7), from its sums. Sets its pose.
fn turn(b: u32, body: Body, total: Sums) -> Goal {
    count_anew(b);
    let before = linear_before(b, body);
    let origin = origin_of(body, before);
    let at = POSE * b;
    let shape = mat3x3<f32>(poses[at + 2u].xyz, poses[at + 3u].xyz, poses[at + 4u].xyz);
    let moment = total.moment + before * body.moment;
    var way = vec3<f32>(0.0);
    if body.pins > 0u {
        way = total.pins / f32(body.pins);
    } else if body.mass > 0.0 {
        way = moment / body.mass;
    }
    // Σ m (p − way)(q − pivot)ᵀ, multiplied out.
    let a = total.second - outer3(moment, body.pivot) - outer3(way, body.moment - body.mass * body.pivot);
    let q = rotation_for(b, body, select_moment(b, body, before, a), shape);
    let rotation = matrix_of(q);
    // What is frozen stays as it is; what comes of it is put back by finalize.
    let moving = atomicLoad(&marks[FROZEN]) == 0u;
    var linear = rotation;
    var strain = 0.0;
    if body.plastic {
        linear = rotation * shape;
        let spread = columns(job.index + BODY * b + 4u);
        let flat = columns(job.index + BODY * b + 7u);
        let s = stretch_of(a, rotation, shape, spread, flat);
        let found = strain_of(s);
        strain = select(poses[at + 1u].w, 0.0, job.fresh != 0u);
        if moving && (found > strain || job.fresh != 0u) {
            let worst = found > strain;
            let kept = identity3();
            for (var k = 0u; k < 3u; k++) {
                poses[at + 5u + k] = vec4<f32>(select(kept[k], s[k], worst), 0.0);
            }
            strain = max(strain, found);
        }
    }
    let shift = way - linear * body.pivot;
    if moving {
        poses[at] = q;
        poses[at + 1u] = vec4<f32>(origin + shift, strain);
    }
    return Goal(linear, shift, origin, body.alpha);
}

// What a row moves by: α(g − x) (D4 4.8), nothing for pins.
fn move_by(goal: Goal, row: vec4<f32>, q: vec3<f32>) -> vec3<f32> {
    let g = goal.linear * q + goal.shift;
    return select(0.0, goal.alpha, row.w > 0.0) * (g - (row.xyz - goal.origin));
}

var<workgroup> shared_goal: Goal;

// All of a body that is one piece of consecutive rows.
@compute @workgroup_size(MATCHERS)
fn shape_whole(thread: Thread) {
    let b = group_of(thread);
    if b >= job.count {
        return;
    }
    let body = body_at(b);
    add_up(b, body, 0u, body.count, thread.local);
    if thread.local == 0u {
        shared_goal = turn(b, body, summed());
    }
    workgroupBarrier();
    let goal = shared_goal;
    for (var k = thread.local; k < body.count; k += MATCHERS) {
        let row = here(body.row + k);
        put(body.row + k, row + vec4<f32>(move_by(goal, row, vector(job.params + body.first + k).xyz), 0.0));
    }
}

// Sums of one piece.
@compute @workgroup_size(MATCHERS)
fn shape_sums(thread: Thread) {
    let piece = group_of(thread);
    if piece >= job.iterations {
        return;
    }
    let what = bodies[job.first + piece];
    add_up(what.x, body_at(what.x), what.y, what.z, thread.local);
    if thread.local == 0u {
        let total = summed();
        let at = job.slots + SUMS * piece;
        work[at] = vec4<f32>(total.moment, total.pins.x);
        work[at + 1u] = vec4<f32>(total.second[0], total.pins.y);
        work[at + 2u] = vec4<f32>(total.second[1], total.pins.z);
        work[at + 3u] = vec4<f32>(total.second[2], 0.0);
    }
}

// Rotation and goal of one body for each thread. Goals follow the pieces' sums.
@compute @workgroup_size(SIZE)
fn shape_turn(thread: Thread) {
    let b = number_of(thread);
    if b >= job.count {
        return;
    }
    let body = body_at(b);
    var total = Sums(vec3<f32>(0.0), mat3x3<f32>(), vec3<f32>(0.0));
    let pieces = bodies[job.index + BODY * b + 4u].w;
    let first = bodies[job.index + BODY * b + 5u].w;
    for (var piece = first; piece < first + pieces; piece++) {
        let at = job.slots + SUMS * piece;
        total.moment += work[at].xyz;
        total.second += mat3x3<f32>(work[at + 1u].xyz, work[at + 2u].xyz, work[at + 3u].xyz);
        total.pins += vec3<f32>(work[at].w, work[at + 1u].w, work[at + 2u].w);
    }
    let goal = turn(b, body, total);
    let at = job.slots + SUMS * job.iterations + GOAL * b;
    work[at] = vec4<f32>(goal.linear[0], goal.alpha);
    work[at + 1u] = vec4<f32>(goal.linear[1], goal.origin.x);
    work[at + 2u] = vec4<f32>(goal.linear[2], goal.origin.y);
    work[at + 3u] = vec4<f32>(goal.shift, goal.origin.z);
}

// Moves the rows of one piece; where bodies share rows, writes down what each member is to move by.
@compute @workgroup_size(MATCHERS)
fn shape_move(thread: Thread) {
    let piece = group_of(thread);
    if piece >= job.iterations {
        return;
    }
    let what = bodies[job.first + piece];
    let body = body_at(what.x);
    let at = job.slots + SUMS * job.iterations + GOAL * what.x;
    let linear = mat3x3<f32>(work[at].xyz, work[at + 1u].xyz, work[at + 2u].xyz);
    let origin = vec3<f32>(work[at + 1u].w, work[at + 2u].w, work[at + 3u].w);
    let goal = Goal(linear, work[at + 3u].xyz, origin, work[at].w);
    for (var k = what.y + thread.local; k < what.y + what.z; k += MATCHERS) {
        let i = site(body, k);
        let row = here(i);
        let change = vec4<f32>(move_by(goal, row, vector(job.params + body.first + k).xyz), 0.0);
        if job.lambda == NONE {
            put(i, row + change);
        } else {
            work[job.spare + body.first + k] = change;
        }
    }
}

// Moves every row by the mean of what its members are to move by, in the order of the bodies.
@compute @workgroup_size(SIZE)
fn shape_join(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.particles {
        return;
    }
    let begin = word(job.copies_in, i);
    let end = word(job.copies_in, i + 1u);
    if begin == end {
        return;
    }
    var sum = vec4<f32>(0.0);
    for (var k = begin; k < end; k++) {
        sum += work[job.spare + word(job.copies_out, k)];
    }
    put(i, here(i) + sum / f32(end - begin));
}

// Turns the ways out of a body with it (S22); `job.slots`: those at rest, by row, in `fixtures`. Whoever was pushed farther
// from its place than it is deep has none.
@compute @workgroup_size(MATCHERS)
fn turn_surface_fields(thread: Thread) {
    let piece = group_of(thread);
    if piece >= job.iterations {
        return;
    }
    let what = bodies[job.first + piece];
    let body = body_at(what.x);
    let turned = matrix_of(poses[POSE * what.x]);
    let linear = linear_before(what.x, body);
    let center = poses[POSE * what.x + 1u].xyz;
    for (var k = what.y + thread.local; k < what.y + what.z; k += MATCHERS) {
        let field = fixture(job.slots + body.row + k);
        var depth = field.w;
        if !body.rigid {
            let off = rows[body.row + k].xyz - (linear * vector(job.params + body.first + k).xyz + center);
            depth = select(0.0, depth, dot(off, off) < depth * depth);
        }
        work[sub.fields + body.row + k] = vec4<f32>(turned * field.xyz, depth);
    }
}

// Ends a substep: plastic bodies that were deformed beyond their threshold change their rest shape.
@compute @workgroup_size(SIZE)
fn shape_flow(thread: Thread) {
    let b = number_of(thread);
    if b >= job.count || atomicLoad(&marks[FROZEN]) != 0u {
        return;
    }
    let at = job.index + BODY * b;
    if (bodies[at].w & 1u) == 0u {
        return;
    }
    let pose = POSE * b;
    let shape = mat3x3<f32>(poses[pose + 2u].xyz, poses[pose + 3u].xyz, poses[pose + 4u].xyz);
    let stretch = mat3x3<f32>(poses[pose + 5u].xyz, poses[pose + 6u].xyz, poses[pose + 7u].xyz);
    let numbers = vector(at + 1u);
    let next = flowed(numbers.z, numbers.w, bitcast<f32>(bodies[at + 2u].w), stretch, shape);
    for (var k = 0u; k < 3u; k++) {
        poses[pose + 2u + k] = vec4<f32>(next[k], 0.0);
    }
}
