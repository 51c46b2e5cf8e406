// Twin of contact.rs where all colliders are formulas; needs contact.wgsl. In its place contact_shaped.wgsl has those with
// tables too.

fn solid_depth(o: MovingCollider, pose: Pose, x: vec3<f32>, radius: f32) -> Depth {
    return contact_depth(o.shape, o.size, pose, x, radius);
}

// How deep a point is below the surface, and the way out; surfaces are looked for within `limit` [m].
fn solid_around(o: MovingCollider, x: vec3<f32>, limit: f32) -> Depth {
    return solid_depth(o, o.after, x, 0.0);
}

// Whether a particle that goes from `start` to `x` may touch before the substep ends, `margin` away [m]; it may go as far
// again as the prediction took it.
fn solid_is_near(o: MovingCollider, radius: f32, start: vec3<f32>, x: vec3<f32>, margin: f32) -> bool {
    return solid_depth(o, o.after, x, radius).inside > -(margin + length(x - start));
}

// Way out of a collider where it stood before for a particle that is inside at `x`.
fn solid_way_out(o: MovingCollider, x: vec3<f32>, radius: f32) -> vec3<f32> {
    let d = solid_depth(o, o.before, x, radius);
    return select(vec3<f32>(0.0), d.normal * d.inside, d.inside > 0.0);
}

fn solid_project(o: MovingCollider, radius: f32, start: vec3<f32>, x: vec3<f32>, push: vec4<f32>) -> Touched {
    return contact_project(o, radius, start, x, push, 1.0);
}
