// WGSL version of collider_contact.rs; needs collider_shape.wgsl. The host layouts of the structs up to `MovingCollider` are in
// contact/gpu/layouts.rs.
//
// Needs `const BRIEF: bool`: less code, for kernels bound by instruction fetch. Shapes with rotational symmetry are
// then evaluated in world space, without transforming the point and the normal, and static colliders skip the motion of
// the contact point.

struct Pose { position: vec4<f32>, rotation: vec4<f32> }

struct MovingCollider { before: Pose, after: Pose, size: vec4<f32>, static_friction: f32, kinetic_friction: f32, shape: u32, table: u32 }

// New position, and accumulated corrections of the substep: friction (xyz) and normal (w).
struct Touched { x: vec3<f32>, push: vec4<f32> }

fn contact_turn(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let b = q.xyz;
    return v * (q.w * q.w - dot(b, b)) + b * (2.0 * dot(v, b)) + cross(b, v) * (2.0 * q.w);
}

fn contact_outward(pose: Pose, local: vec3<f32>) -> vec3<f32> {
    return contact_turn(pose.rotation, local) + pose.position.xyz;
}

fn contact_inward(pose: Pose, world: vec3<f32>) -> vec3<f32> {
    return contact_turn(vec4<f32>(-pose.rotation.xyz, pose.rotation.w), world - pose.position.xyz);
}

fn contact_depth(shape: u32, size: vec4<f32>, pose: Pose, x: vec3<f32>, radius: f32) -> Depth {
    if !BRIEF {
        let local = contact_local(shape, size, contact_inward(pose, x));
        return Depth(radius + local.inside, contact_turn(pose.rotation, local.normal));
    }
    if shape >= BOX {
        let local = contact_edged(shape, size, contact_inward(pose, x));
        return Depth(radius + local.inside, contact_turn(pose.rotation, local.normal));
    }
    let p = x - pose.position.xyz;
    let axis = contact_turn(pose.rotation, vec3<f32>(0.0, 1.0, 0.0));
    if shape == PLANE {
        return Depth(radius - dot(p, axis), axis);
    }
    let half = select(0.0, size.x, shape == CAPSULE);
    let round = contact_from_axis(p - axis * clamp(dot(p, axis), -half, half), size.w, axis);
    return Depth(radius + round.inside, round.normal);
}

// Extrapolates an accumulated correction by `momentum` times its change since the previous iteration.
fn extrapolate(push: vec4<f32>, last: vec4<f32>, momentum: f32) -> vec4<f32> {
    let more = push + (push - last) * momentum;
    // Without a normal correction there is no friction to undo.
    return select(vec4<f32>(0.0), more, more.w > 0.0);
}

fn contact_project(
    o: MovingCollider, radius: f32, start: vec3<f32>, x: vec3<f32>, push: vec4<f32>, overpush: f32,
) -> Touched {
    return contact_push(o, contact_depth(o.shape, o.size, o.after, x, radius), radius, start, x, push, overpush);
}

// Projects a contact of the given penetration depth. `overpush` scales the correction of a particle whose rigid body
// follows by less.
fn contact_push(
    o: MovingCollider, depth: Depth, radius: f32, start: vec3<f32>, x: vec3<f32>, push: vec4<f32>, overpush: f32,
) -> Touched {
    let normal = depth.normal;
    // E16: the multiplier is clamped, but earlier corrections of the substep may be undone. NaN positions produce no
    // contact.
    let sum = push.w + depth.inside * overpush;
    let total = select(0.0, sum, sum > 0.0);
    if total == 0.0 && push.w == 0.0 {
        return Touched(x, push);
    }
    return apply_friction(o, radius, start, x + normal * (total - push.w), total, normal, push, overpush);
}

// Friction of a particle at `away` after the normal correction, with the accumulated normal correction `total`.
fn apply_friction(
    o: MovingCollider, radius: f32, start: vec3<f32>, away: vec3<f32>, total: f32, normal: vec3<f32>, push: vec4<f32>, overpush: f32,
) -> Touched {
    // Slip relative to the material point of the collider under the particle.
    var moved = away - start;
    if !BRIEF || any(o.before.position != o.after.position) || any(o.before.rotation != o.after.rotation) {
        let here = away - normal * radius;
        moved -= here - contact_outward(o.before, contact_inward(o.after, here));
    }
    let slip = moved - normal * dot(moved, normal);
    let free = slip * overpush - push.xyz;
    let size = sqrt(dot(free, free));
    var wanted = -free;
    if !(size <= o.static_friction * total) {
        wanted = free * -min(o.kinetic_friction * total / size, 1.0);
    }
    return Touched(away + (wanted - push.xyz), vec4<f32>(wanted, total));
}
