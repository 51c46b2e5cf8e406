// Shape matching (S19, S20): the same as shape_matching/matching.rs in WGSL. A body is cut into pieces, and a workgroup sums
// each piece; where every body is one piece of consecutive rows, one dispatch does everything. Sums have a fixed order:
// each thread its own members, then halves of the workgroup, then pieces by index.

@group(1) @binding(0) var<storage, read> bodies: array<vec4<u32>>;
// Rotation; center and strain; plastic shape, three columns; maximum stretch, three columns.
@group(1) @binding(1) var<storage, read_write> poses: array<vec4<f32>>;

const MATCHERS: u32 = 256u;

struct MatchedBody {
    // Global index of the first member.
    first: u32,
    count: u32,
    pins: u32,
    plastic: bool,
    // Whether it rotates by its torque only.
    rigid: bool,
    mass: f32,
    alpha: f32,
    // First row.
    row: u32,
    // Σ m q.
    moment: vec3<f32>,
    pivot: vec3<f32>,
}

// Relative to `origin`, a point of the body.
struct Goal { linear: mat3x3<f32>, shift: vec3<f32>, origin: vec3<f32>, alpha: f32 }

// Σ m d; Σ m p qᵀ; Σ p of pins. Positions p are relative to the body's origin; d is their deviation from the last
// match, p − L·q: small, so that the center of mass is not lost in rounding.
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

fn body_at(b: u32) -> MatchedBody {
    let at = BODY_VECTORS * b;
    let head = bodies[at];
    let numbers = vector(at + 1u);
    return MatchedBody(
        head.x, head.y, head.z, (head.w & PLASTIC_BODY) != 0u, (head.w & RIGID_BODY) != 0u, numbers.x, numbers.y,
        bodies[at + 3u].w, vector(at + 2u).xyz, vector(at + 3u).xyz,
    );
}

// Row of member `k` of a body.
fn site(body: MatchedBody, k: u32) -> u32 {
    if args.member_rows == NONE {
        return body.row + k;
    }
    return word(args.member_rows, body.first + k);
}

// Row `i`: its current position, or that written by particle stabilization.
fn here(i: u32) -> vec4<f32> {
    if args.parted != 0u {
        return work[sub.predicted + i];
    }
    return rows[i];
}

fn put(i: u32, row: vec4<f32>) {
    if args.parted != 0u {
        work[sub.predicted + i] = row;
    } else {
        rows[i] = row;
    }
}

// Indexed by component, then by thread.
var<workgroup> sums: array<array<f32, 256>, 15>;

// R·P of the last match of body `b`.
fn linear_before(b: u32, body: MatchedBody) -> mat3x3<f32> {
    let at = BODY_POSE_VECTORS * b;
    let rotation = matrix_of(poses[at]);
    if body.plastic {
        return rotation * mat3x3<f32>(poses[at + 2u].xyz, poses[at + 3u].xyz, poses[at + 4u].xyz);
    }
    return rotation;
}

// Approximate last position of the rest center, from the first member. Bodies with pins are measured from the first
// member itself.
fn origin_of(body: MatchedBody, linear: mat3x3<f32>) -> vec3<f32> {
    if body.pins > 0u {
        return here(body.row).xyz;
    }
    return here(body.row).xyz - linear * vector(args.members + body.first).xyz;
}

// Sums members `first` to `first + count` of body `b`, into element 0 of `sums`.
fn add_up(b: u32, body: MatchedBody, first: u32, count: u32, t: u32) {
    let linear = linear_before(b, body);
    let origin = origin_of(body, linear);
    var total = Sums(vec3<f32>(0.0), mat3x3<f32>(), vec3<f32>(0.0));
    for (var k = first + t; k < first + count; k += MATCHERS) {
        let row = here(site(body, k));
        let q = vector(args.members + body.first + k);
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

// Rotation for the moment A about the undeformed rest shape, with the plastic shape `shape`.
fn rotation_for(b: u32, body: MatchedBody, a: mat3x3<f32>, shape: mat3x3<f32>) -> vec4<f32> {
    // The rest shape is P q, so its moment is A Pᵀ.
    let moment = a * transpose(shape);
    if args.extraction == ITERATIVE {
        return extract_rotation(moment, poses[BODY_POSE_VECTORS * b]);
    }
    if args.extraction == GRAM_SCHMIDT {
        let flat = columns(BODY_VECTORS * b + 7u);
        let missing = flat[0].x + flat[1].y + flat[2].z;
        let back = inverse3(shape);
        if missing <= 1.5 && back.fine {
            // D4 4.6; of a plate the cofactors are the normal there and here.
            var f = a * columns(BODY_VECTORS * b + 4u);
            if missing > 0.5 {
                f += mat3x3<f32>(cross(f[1], f[2]), cross(f[2], f[0]), cross(f[0], f[1]));
            }
            return quat_of(gram_schmidt(f * back.m));
        }
    }
    return quat_of(polar(moment));
}

// Rotational part of the moment of a rigid body: L·Σ m q qᵀ and the antisymmetric part of A Lᵀ, L its last orientation.
fn select_moment(b: u32, body: MatchedBody, linear: mat3x3<f32>, a: mat3x3<f32>) -> mat3x3<f32> {
    if !body.rigid {
        return a;
    }
    let there = a * transpose(linear);
    let odd = there - transpose(there);
    return linear * columns(BODY_VECTORS * b + 10u) + (odd * linear) * 0.5;
}

// Resets the contact count of a body; the maximum of the substep so far is kept.
fn count_anew(b: u32) {
    if sub.mass_splitting == NONE || args.parted != 0u {
        return;
    }
    let at = sub.contact_counts + CONTACT_COUNTS * b;
    let before = atomicLoad(&flags[at + select(CONTACTS_BEFORE, CONTACTS_FIRST, args.fresh != 0u)]);
    atomicStore(&flags[at + CONTACTS_BEFORE], max(before, atomicLoad(&flags[at + CONTACTS_NOW])));
    atomicStore(&flags[at + CONTACTS_NOW], 0u);
    atomicStore(&flags[at + CONTACTS_FIRST], 0u);
}

// Goal of body `b` (D4 4.7), from its sums. Sets its pose.
fn turn(b: u32, body: MatchedBody, total: Sums) -> Goal {
    count_anew(b);
    let before = linear_before(b, body);
    let origin = origin_of(body, before);
    let at = BODY_POSE_VECTORS * b;
    let shape = mat3x3<f32>(poses[at + 2u].xyz, poses[at + 3u].xyz, poses[at + 4u].xyz);
    let moment = total.moment + before * body.moment;
    var way = vec3<f32>(0.0);
    if body.pins > 0u {
        way = total.pins / f32(body.pins);
    } else if body.mass > 0.0 {
        way = moment / body.mass;
    }
    // Σ m (p − way)(q − pivot)ᵀ, expanded.
    let a = total.second - outer3(moment, body.pivot) - outer3(way, body.moment - body.mass * body.pivot);
    let q = rotation_for(b, body, select_moment(b, body, before, a), shape);
    let rotation = matrix_of(q);
    // Stabilization leaves bodies near triangle surfaces as they are.
    let skipped =
        args.parted != 0u && sub.surface_bodies != NONE && atomicLoad(&flags[sub.surface_bodies + b]) != 0u;
    // A frozen state is not changed; finalize restores rows.
    let moving = atomicLoad(&flags[FROZEN]) == 0u && !skipped;
    var linear = rotation;
    var strain = 0.0;
    if body.plastic {
        linear = rotation * shape;
        let spread = columns(BODY_VECTORS * b + 4u);
        let flat = columns(BODY_VECTORS * b + 7u);
        let s = stretch_of(a, rotation, shape, spread, flat);
        let found = strain_of(s);
        strain = select(poses[at + 1u].w, 0.0, args.fresh != 0u);
        if moving && (found > strain || args.fresh != 0u) {
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
    return Goal(linear, shift, origin, select(body.alpha, 0.0, skipped));
}

// Displacement of a row: α(g − x) (D4 4.8), 0 for pins.
fn move_by(goal: Goal, row: vec4<f32>, q: vec3<f32>) -> vec3<f32> {
    let g = goal.linear * q + goal.shift;
    return select(0.0, goal.alpha, row.w > 0.0) * (g - (row.xyz - goal.origin));
}

var<workgroup> shared_goal: Goal;

// Matches a body that is one piece of consecutive rows.
@compute @workgroup_size(MATCHERS)
fn shape_whole(thread: Thread) {
    let b = group_of(thread);
    if b >= args.body_count {
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
        put(body.row + k, row + vec4<f32>(move_by(goal, row, vector(args.members + body.first + k).xyz), 0.0));
    }
}

// Sums of one piece.
@compute @workgroup_size(MATCHERS)
fn shape_sums(thread: Thread) {
    let piece = group_of(thread);
    if piece >= args.piece_count {
        return;
    }
    let what = bodies[args.pieces + piece];
    add_up(what.x, body_at(what.x), what.y, what.z, thread.local);
    if thread.local == 0u {
        let total = summed();
        let at = args.sums + SUMS_VECTORS * piece;
        work[at] = vec4<f32>(total.moment, total.pins.x);
        work[at + 1u] = vec4<f32>(total.second[0], total.pins.y);
        work[at + 2u] = vec4<f32>(total.second[1], total.pins.z);
        work[at + 3u] = vec4<f32>(total.second[2], 0.0);
    }
}

// Rotation and goal of one body per thread. Goals are stored after the sums of the pieces.
@compute @workgroup_size(SIZE)
fn shape_turn(thread: Thread) {
    let b = number_of(thread);
    if b >= args.body_count {
        return;
    }
    let body = body_at(b);
    var total = Sums(vec3<f32>(0.0), mat3x3<f32>(), vec3<f32>(0.0));
    let pieces = bodies[BODY_VECTORS * b + 4u].w;
    let first = bodies[BODY_VECTORS * b + 5u].w;
    for (var piece = first; piece < first + pieces; piece++) {
        let at = args.sums + SUMS_VECTORS * piece;
        total.moment += work[at].xyz;
        total.second += mat3x3<f32>(work[at + 1u].xyz, work[at + 2u].xyz, work[at + 3u].xyz);
        total.pins += vec3<f32>(work[at].w, work[at + 1u].w, work[at + 2u].w);
    }
    let goal = turn(b, body, total);
    let at = args.sums + SUMS_VECTORS * args.piece_count + GOAL_VECTORS * b;
    work[at] = vec4<f32>(goal.linear[0], goal.alpha);
    work[at + 1u] = vec4<f32>(goal.linear[1], goal.origin.x);
    work[at + 2u] = vec4<f32>(goal.linear[2], goal.origin.y);
    work[at + 3u] = vec4<f32>(goal.shift, goal.origin.z);
}

// Moves the rows of one piece; if bodies share rows, stores the displacement of each member.
@compute @workgroup_size(MATCHERS)
fn shape_move(thread: Thread) {
    let piece = group_of(thread);
    if piece >= args.piece_count {
        return;
    }
    let what = bodies[args.pieces + piece];
    let body = body_at(what.x);
    let at = args.sums + SUMS_VECTORS * args.piece_count + GOAL_VECTORS * what.x;
    let linear = mat3x3<f32>(work[at].xyz, work[at + 1u].xyz, work[at + 2u].xyz);
    let origin = vec3<f32>(work[at + 1u].w, work[at + 2u].w, work[at + 3u].w);
    let goal = Goal(linear, work[at + 3u].xyz, origin, work[at].w);
    for (var k = what.y + thread.local; k < what.y + what.z; k += MATCHERS) {
        let i = site(body, k);
        let row = here(i);
        let change = vec4<f32>(move_by(goal, row, vector(args.members + body.first + k).xyz), 0.0);
        if args.member_rows == NONE {
            put(i, row + change);
        } else {
            work[args.moves + body.first + k] = change;
        }
    }
}

// Moves every row by the mean displacement of its members, in the order of the bodies.
@compute @workgroup_size(SIZE)
fn shape_join(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.particles {
        return;
    }
    let begin = word(args.row_starts, i);
    let end = word(args.row_starts, i + 1u);
    if begin == end {
        return;
    }
    var sum = vec4<f32>(0.0);
    for (var k = begin; k < end; k++) {
        sum += work[args.moves + word(args.row_members, k)];
    }
    put(i, here(i) + sum / f32(end - begin));
}

// Rotates outward directions with their bodies (S22). A particle displaced beyond its depth is treated as free.
@compute @workgroup_size(MATCHERS)
fn turn_surface_fields(thread: Thread) {
    let piece = group_of(thread);
    if piece >= args.piece_count {
        return;
    }
    let what = bodies[args.pieces + piece];
    // Particles of bodies with several regions have none.
    if (bodies[BODY_VECTORS * what.x].w & LISTED_BODY) != 0u {
        return;
    }
    let body = body_at(what.x);
    let turned = matrix_of(poses[BODY_POSE_VECTORS * what.x]);
    let linear = linear_before(what.x, body);
    let center = poses[BODY_POSE_VECTORS * what.x + 1u].xyz;
    for (var k = what.y + thread.local; k < what.y + what.z; k += MATCHERS) {
        let field = constant(args.rest_fields + body.row + k);
        var depth = field.w;
        if !body.rigid {
            let off = rows[body.row + k].xyz - (linear * vector(args.members + body.first + k).xyz + center);
            depth = select(0.0, depth, dot(off, off) < depth * depth);
        }
        work[sub.fields + body.row + k] = vec4<f32>(turned * field.xyz, depth);
    }
}

// Ends a substep: plastic bodies strained beyond their threshold change their rest shape.
@compute @workgroup_size(SIZE)
fn shape_flow(thread: Thread) {
    let b = number_of(thread);
    if b >= args.body_count || atomicLoad(&flags[FROZEN]) != 0u {
        return;
    }
    let at = BODY_VECTORS * b;
    if (bodies[at].w & PLASTIC_BODY) == 0u {
        return;
    }
    let pose = BODY_POSE_VECTORS * b;
    let shape = mat3x3<f32>(poses[pose + 2u].xyz, poses[pose + 3u].xyz, poses[pose + 4u].xyz);
    let stretch = mat3x3<f32>(poses[pose + 5u].xyz, poses[pose + 6u].xyz, poses[pose + 7u].xyz);
    let numbers = vector(at + 1u);
    let next = flowed(numbers.z, numbers.w, bitcast<f32>(bodies[at + 2u].w), stretch, shape);
    for (var k = 0u; k < 3u; k++) {
        poses[pose + 2u + k] = vec4<f32>(next[k], 0.0);
    }
}
