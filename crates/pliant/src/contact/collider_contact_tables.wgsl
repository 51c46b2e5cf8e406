// WGSL version of collider_contact.rs for colliders with tables (S17), which start at `MovingCollider.table`; needs
// collider_contact.wgsl and geometry/*.wgsl.

const HULLS: bool = (SHAPES & (1u << HULL_SHAPE)) != 0u;
const SURFACES: bool = (SHAPES & (1u << SURFACE_SHAPE)) != 0u;
const FIELDS: bool = (SHAPES & (1u << FIELD_SHAPE)) != 0u;

// In the collider's frame, without the particle's radius. Surfaces are searched within `limit` [m]; they have no
// interior.
fn solid_local(o: MovingCollider, p: vec3<f32>, limit: f32) -> Depth {
    if HULLS && o.shape == HULL_SHAPE {
        let d = hull_distance(o.table, p);
        return Depth(-d.w, d.xyz);
    }
    if SURFACES && o.shape == SURFACE_SHAPE {
        let near = surface_nearest(o.table, p, limit);
        if near.found {
            return Depth(-near.distance, near.normal);
        }
        return Depth(-FAR_AWAY, vec3<f32>(0.0, 1.0, 0.0));
    }
    if FIELDS && o.shape == FIELD_SHAPE {
        let d = field_distance(o.table, p);
        return Depth(-d.w, d.xyz);
    }
    return contact_local(o.shape, o.size, p);
}

fn solid_depth(o: MovingCollider, pose: Pose, x: vec3<f32>, radius: f32) -> Depth {
    let local = solid_local(o, contact_inward(pose, x), FAR_AWAY);
    return Depth(radius + local.inside, contact_turn(pose.rotation, local.normal));
}

// Penetration depth and normal; surfaces are searched within `limit` [m].
fn solid_around(o: MovingCollider, x: vec3<f32>, limit: f32) -> Depth {
    let local = solid_local(o, contact_inward(o.after, x), limit);
    return Depth(local.inside, contact_turn(o.after.rotation, local.normal));
}

// Whether a particle that moves from `start` to `x` may come within `margin` [m] in this substep; the solver may move
// it as far again as the prediction did.
fn solid_is_near(o: MovingCollider, radius: f32, start: vec3<f32>, x: vec3<f32>, margin: f32) -> bool {
    let here = contact_inward(o.after, x);
    var reach = margin + length(x - start);
    if o.shape >= HULL_SHAPE {
        // Relative motion: in the collider's frame the collider's own motion counts too.
        reach = max(reach, margin + length(here - contact_inward(o.before, start)));
        // Bounding box of the shape: the first two vectors of its tables.
        let held = clamp(here, solid_vector(o.table).xyz, solid_vector(o.table + 1u).xyz);
        if distance(here, held) >= reach + radius {
            return false;
        }
    }
    return -solid_local(o, here, reach + radius).inside < reach + radius;
}

// Correction that moves a particle at `x` out of a collider at its previous pose.
fn solid_depenetration(o: MovingCollider, x: vec3<f32>, radius: f32) -> vec3<f32> {
    if SURFACES && o.shape == SURFACE_SHAPE {
        return contact_turn(o.before.rotation, surface_depenetration(o.table, contact_inward(o.before, x), radius));
    }
    let d = solid_depth(o, o.before, x, radius);
    return select(vec3<f32>(0.0), d.normal * d.inside, d.inside > 0.0);
}

fn solid_project(o: MovingCollider, radius: f32, start: vec3<f32>, x: vec3<f32>, push: vec4<f32>) -> Touched {
    if SURFACES && o.shape == SURFACE_SHAPE {
        return solid_slide(o, radius, start, x, push);
    }
    return contact_push(o, solid_depth(o, o.after, x, radius), radius, start, x, push, 1.0);
}

// Continuous contact with a surface: sweeps the particle's path of the substep in the collider's frame, so that neither
// a fast particle nor a fast collider tunnels. The normal correction is the change made by the sweep. If there is none,
// earlier corrections of the substep are undone (E16).
fn solid_slide(o: MovingCollider, given: f32, start: vec3<f32>, x: vec3<f32>, push: vec4<f32>) -> Touched {
    let radius = surface_radius(o.table, given);
    let begin = contact_inward(o.before, start);
    let to = contact_inward(o.after, x);
    let end = surface_slide(o.table, begin, to, radius);
    if !end.touched && !(push.w > 0.0) {
        return Touched(x, push);
    }
    // Closest point now, or at the previous contact.
    let near = surface_nearest(o.table, end.place, select(radius + push.w, 1.5 * radius, end.touched));
    var place = end.place;
    var total = 0.0;
    var normal = vec3<f32>(0.0, 1.0, 0.0);
    if end.touched {
        let out = end.place - to;
        let far = length(out);
        total = push.w + far;
        // A displacement by rounding error alone has no usable direction.
        if near.found {
            normal = near.normal;
        } else if far > 1e-30 {
            normal = out / far;
        }
    } else if near.found {
        total = max(push.w + radius - near.distance, 0.0);
        place = to + near.normal * (total - push.w);
        normal = near.normal;
    }
    let away = contact_outward(o.after, place);
    let after_friction = apply_friction(o, radius, start, away, total, contact_turn(o.after.rotation, normal), push, 1.0);
    // Neither friction nor undone corrections may cross the surface.
    let last = contact_inward(o.after, after_friction.x);
    let share = surface_straight(o.table, begin, last, radius);
    if share < 1.0 {
        return Touched(contact_outward(o.after, begin + (last - begin) * share), after_friction.push);
    }
    return after_friction;
}
