// WGSL version of restitution.rs.

// Restitution: speed after over speed before impact. `still`: speed below which contacts do not bounce [m/s]. `drag`:
// share of the tangential speed that rolling resistance removes in a substep. `h`: length of a substep [s].
struct RestitutionLaw { restitution: f32, still: f32, drag: f32, h: f32 }

fn law_acts(bounce: RestitutionLaw) -> bool {
    return bounce.restitution > 0.0 || bounce.drag > 0.0;
}

// Change of the relative velocity of an active contact, from `before` the substep to `now` [m/s]; `normal` points to
// the side whose velocity is the minuend. The contact was `gap` [m] wide before, and `gravity` [m/s²] accelerates that side
// relative to the other. Newton's law, v_n' = −e·v_n, for the energy that symplectic Euler conserves.
fn restitution_change(
    bounce: RestitutionLaw,
    normal: vec3<f32>,
    before: vec3<f32>,
    now: vec3<f32>,
    gap: f32,
    gravity: vec3<f32>,
) -> vec3<f32> {
    let approach = dot(normal, before);
    let speed = dot(normal, now);
    let along = now - normal * speed;
    let pull = -dot(gravity, normal);
    let energy = 0.5 * approach * approach + pull * gap - 0.5 * pull * bounce.h * approach;
    let half = 0.5 * pull * bounce.h;
    let wanted = sqrt(max(half * half + 2.0 * bounce.restitution * bounce.restitution * energy, 0.0)) + half;
    let bounces = bounce.restitution > 0.0 && approach < -bounce.still && speed < wanted;
    return normal * select(0.0, wanted - speed, bounces) - along * bounce.drag;
}
