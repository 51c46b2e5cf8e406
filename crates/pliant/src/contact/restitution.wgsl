// WGSL version of restitution.rs.

// `restitution`: speed after over speed before impact. `rest_speed`: approach speed below which there is none [m/s].
// `rolling_damping`: share of the tangential speed that rolling resistance removes in a substep. `h`: length of a substep
// [s].
struct RestitutionLaw { restitution: f32, rest_speed: f32, rolling_damping: f32, h: f32 }

fn law_acts(law: RestitutionLaw) -> bool {
    return law.restitution > 0.0 || law.rolling_damping > 0.0;
}

// Change of the relative velocity of an active contact, from `before` the substep to `now` [m/s]; `normal` points to
// the side whose velocity is the minuend. The contact was `gap` [m] wide before, and `gravity` [m/s²] accelerates that side
// relative to the other. Newton's law, v_n' = −e·v_n, for the energy that symplectic Euler conserves.
fn restitution_change(
    law: RestitutionLaw,
    normal: vec3<f32>,
    before: vec3<f32>,
    now: vec3<f32>,
    gap: f32,
    gravity: vec3<f32>,
) -> vec3<f32> {
    let approach = dot(normal, before);
    let speed = dot(normal, now);
    let along = now - normal * speed;
    let normal_gravity = -dot(gravity, normal);
    let energy = 0.5 * approach * approach + normal_gravity * gap - 0.5 * normal_gravity * law.h * approach;
    let half = 0.5 * normal_gravity * law.h;
    let wanted = sqrt(max(half * half + 2.0 * law.restitution * law.restitution * energy, 0.0)) + half;
    let rebounds = law.restitution > 0.0 && approach < -law.rest_speed && speed < wanted;
    return normal * select(0.0, wanted - speed, rebounds) - along * law.rolling_damping;
}
