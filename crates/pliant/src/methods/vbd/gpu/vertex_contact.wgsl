// WGSL version of contact.rs: collider contacts of one vertex in a sweep, and how they hold it in the coarse step.

// A vertex near a collider.
struct VertexContact { collider: MovingCollider, radius: f32, start: vec3<f32> }

struct Hold { normal: vec3<f32>, sticks: bool, friction: vec3<f32>, holds: bool }

// The step of a vertex, and the force of the contact on it [N].
struct Met { step: vec3<f32>, force: vec3<f32> }

fn is_surface(o: MovingCollider) -> bool {
    return o.shape == SURFACE_SHAPE;
}

fn vertex_contact(row: u32, c: u32) -> VertexContact {
    return VertexContact(moving_collider(row, c), params[sub.radii + row], motion[previous_at(row)].xyz);
}

fn depth_at(it: VertexContact, x: vec3<f32>) -> Depth {
    return solid_depth(it.collider, it.collider.after, x, it.radius);
}

// Where the material point of the collider that the vertex started at has gone.
fn carried(it: VertexContact, normal: vec3<f32>) -> vec3<f32> {
    let foot = it.start - normal * it.radius;
    return it.start + (contact_outward(it.collider.after, contact_inward(it.collider.before, foot)) - foot);
}

fn meet_collider(
    it: VertexContact, x: vec3<f32>, force: vec3<f32>, hessian: mat3x3<f32>, inverse: mat3x3<f32>, step: vec3<f32>,
) -> Met {
    let free = x + step;
    if is_surface(it.collider) {
        let at = solid_project(it.collider, it.radius, it.start, free, vec4<f32>(0.0)).x;
        return Met(at - x, hessian * (at - free));
    }
    let here = depth_at(it, free);
    if !(here.inside > 0.0) {
        return Met(step, vec3<f32>(0.0));
    }
    let normal = here.normal;
    // Sticking: back to where it started on the collider, if the force that takes is within the cone.
    let at = carried(it, normal);
    let deep = depth_at(it, at);
    let held = at + deep.normal * deep.inside - x;
    let holding = hessian * held - force;
    let along = dot(holding, normal);
    let across = holding - normal * along;
    let size = length(across);
    if along > 0.0 && size <= it.collider.static_friction * along {
        return Met(held, holding);
    }
    // Sliding: friction against the force that would hold it.
    let direction = select(vec3<f32>(0.0), across / size, size > 1e-30);
    var push = normal + direction * it.collider.kinetic_friction;
    var response = inverse * push;
    let straight = inverse * normal;
    if dot(normal, response) <= 0.2 * dot(normal, straight) {
        push = normal;
        response = straight;
    }
    let amount = here.inside / max(dot(normal, response), 1e-30);
    return Met(step + response * amount, push * amount);
}

fn push_out(it: VertexContact, x: vec3<f32>) -> vec3<f32> {
    if is_surface(it.collider) {
        return solid_project(it.collider, it.radius, it.start, x, vec4<f32>(0.0)).x;
    }
    let here = depth_at(it, x);
    return select(x, x + here.normal * here.inside, here.inside > 0.0);
}

// How a contact holds a vertex at `x` on which `force` acts.
fn hold_vertex(it: VertexContact, x: vec3<f32>, force: vec3<f32>) -> Hold {
    let none = Hold(vec3<f32>(0.0), false, vec3<f32>(0.0), false);
    if is_surface(it.collider) {
        return none;
    }
    let here = depth_at(it, x);
    let normal = here.normal;
    let pressed = -dot(force, normal);
    if here.inside < -CLOSED_GAP || !(pressed > 0.0) {
        return none;
    }
    let across = force + normal * pressed;
    let way = x - carried(it, normal);
    let slip = way - normal * dot(way, normal);
    let moves = length(slip) > STICKING_SPEED * inverseSqrt(sub.inv_h2);
    let mu = it.collider.static_friction;
    let sticks = !moves && length(across) <= mu * pressed && mu > 0.0;
    // Against the slip; where there is none yet, against what will cause it.
    let along = select(across, slip, moves);
    let size = length(along);
    let direction = select(vec3<f32>(0.0), along / size, size > 1e-30);
    return Hold(normal, sticks, direction * (-it.collider.kinetic_friction * pressed), true);
}

// Moves a vertex out of all colliders near it.
fn out_of_colliders(row: u32, given: vec3<f32>) -> vec3<f32> {
    var x = given;
    for (var word = 0u; word < mask_words(); word++) {
        for (var mask = atomicLoad(&flags[mask_at(row, row) + word]); mask != 0u; mask &= mask - 1u) {
            x = push_out(vertex_contact(row, word * 32u + firstTrailingBit(mask)), x);
        }
    }
    return x;
}
