// WGSL version of restitution.rs.

// Restitution: speed after over speed before impact. `still`: speed below which contacts do not bounce [m/s]. `drag`:
// share of the tangential speed that rolling resistance removes in a substep.
struct RestitutionLaw { restitution: f32, still: f32, drag: f32 }

fn law_acts(bounce: RestitutionLaw) -> bool {
    return bounce.restitution > 0.0 || bounce.drag > 0.0;
}

// Change of the relative velocity of an active contact, from `before` the substep to `now` [m/s]; `normal` points to
// the side whose velocity is the minuend. Newton's law, v_n' = −e·v_n.
fn restitution_change(bounce: RestitutionLaw, normal: vec3<f32>, before: vec3<f32>, now: vec3<f32>) -> vec3<f32> {
    let approach = dot(normal, before);
    let speed = dot(normal, now);
    let along = now - normal * speed;
    let wanted = -bounce.restitution * approach;
    let bounces = bounce.restitution > 0.0 && approach < -bounce.still && speed < wanted;
    return normal * select(0.0, wanted - speed, bounces) - along * bounce.drag;
}
