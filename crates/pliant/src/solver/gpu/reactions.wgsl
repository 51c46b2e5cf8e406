// Impulses of particles on rigid bodies, WGSL version of `react` in solver/cpu/rigid_bodies.rs: one workgroup for each part of the
// particles and each piece of a body. Sums go thread by thread in steps of the workgroup, then up a tree: always in the same
// order.

struct ReactionUniforms {
    // First vector in `work` of the sums: two for each part of each piece.
    sums: u32,
    // Slot of the first piece among the colliders that a particle sees.
    first_slot: u32,
    // Environments: the pieces of all of them that correspond to each other are consecutive.
    environments: u32,
    // Parts that particles are divided into.
    parts: u32,
}

@group(0) @binding(9) var<uniform> args: ReactionUniforms;

// Linear and angular impulse, about the origin of the piece.
struct Reaction { linear: vec3<f32>, angular: vec3<f32> }

var<workgroup> linear_sums: array<vec3<f32>, REACTION_WIDTH>;
var<workgroup> angular_sums: array<vec3<f32>, REACTION_WIDTH>;

// Displacement over a substep under BDF1, relative to that under BDF2.
fn force_scale(i: u32) -> f32 {
    let second = (sub.flags & SECOND_ORDER) != 0u && motion[velocity_at(i)].w == 0.0;
    return select(1.0, 2.25, second);
}

fn contact_on(i: u32, row: vec4<f32>, o: MovingCollider, c: u32) -> Reaction {
    let none = Reaction(vec3<f32>(0.0), vec3<f32>(0.0));
    let mask = atomicLoad(&flags[sub.masks + i * mask_words() + c / 32u]);
    if (mask >> (c % 32u) & 1u) == 0u || row.w == 0.0 || presses_by_projection(i) {
        return none;
    }
    let push = work[sub.collider_impulses + i * sub.colliders + c];
    if !(push.w > 0.0) {
        return none;
    }
    let radius = params[sub.radii + i];
    let normal = solid_depth(o, o.after, row.xyz, radius).normal;
    let impulse = (normal * push.w + push.xyz) * (-sub.inv_h / row.w * force_scale(i));
    return Reaction(impulse, cross(row.xyz - normal * radius - o.after.position.xyz, impulse));
}

@compute @workgroup_size(REACTION_WIDTH)
fn body_reactions(thread: Thread) {
    let group = group_of(thread);
    let piece = group / args.parts;
    let part = group % args.parts;
    let environment = piece % args.environments;
    let c = args.first_slot + piece / args.environments;
    let each = (sub.particles + args.parts - 1u) / args.parts;
    let end = min((part + 1u) * each, sub.particles);
    var linear = vec3<f32>(0.0);
    var angular = vec3<f32>(0.0);
    for (var i = part * each + thread.local; i < end; i += REACTION_WIDTH) {
        if args.environments > 1u && environment_word(i) != environment {
            continue;
        }
        if !touches_collider(i, c) {
            continue;
        }
        let row = rows[i];
        let o = moving_collider(i, c);
        let touch = contact_on(i, row, o, c);
        let press = pressure_on(i, row, o);
        linear += touch.linear + press.linear;
        angular += touch.angular + press.angular;
    }
    linear_sums[thread.local] = linear;
    angular_sums[thread.local] = angular;
    workgroupBarrier();
    for (var half = REACTION_WIDTH / 2u; half > 0u; half /= 2u) {
        if thread.local < half {
            linear_sums[thread.local] += linear_sums[thread.local + half];
            angular_sums[thread.local] += angular_sums[thread.local + half];
        }
        workgroupBarrier();
    }
    if thread.local == 0u {
        let at = args.sums + 2u * (piece * args.parts + part);
        work[at] = vec4<f32>(linear_sums[0], 0.0);
        work[at + 1u] = vec4<f32>(angular_sums[0], 0.0);
    }
}
