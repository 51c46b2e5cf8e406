// WGSL version of collider_contact.rs for analytic colliders only; needs collider_contact.wgsl.
// collider_contact_tables.wgsl replaces it where some colliders have tables.

fn solid_depth(o: MovingCollider, pose: Pose, x: vec3<f32>, radius: f32) -> Depth {
    return contact_depth(o.shape, o.size, pose, x, radius);
}

// Penetration depth and normal; surfaces are searched within `limit` [m].
fn solid_around(o: MovingCollider, x: vec3<f32>, limit: f32) -> Depth {
    return solid_depth(o, o.after, x, 0.0);
}

// Whether a particle that moves from `start` to `x` may come within `margin` [m] in this substep; the solver may move
// it as far again as the prediction did.
fn solid_is_near(o: MovingCollider, radius: f32, start: vec3<f32>, x: vec3<f32>, margin: f32) -> bool {
    return solid_depth(o, o.after, x, radius).inside > -(margin + length(x - start));
}

// Correction that moves a particle at `x` out of a collider at its previous pose.
fn solid_depenetration(o: MovingCollider, x: vec3<f32>, radius: f32) -> vec3<f32> {
    let d = solid_depth(o, o.before, x, radius);
    return select(vec3<f32>(0.0), d.normal * d.inside, d.inside > 0.0);
}

fn solid_project(o: MovingCollider, radius: f32, start: vec3<f32>, x: vec3<f32>, push: vec4<f32>) -> Touched {
    return contact_project(o, radius, start, x, push, 1.0);
}
