// WGSL version of cohesion.rs; needs particle_contact.wgsl.

// Tensile limit of a contact [kg·m], force times h²; `strength` is 2π·w·h² [kg].
fn tensile_limit(strength: f32, a: f32, b: f32) -> f32 {
    let sum = a + b;
    if sum > 0.0 {
        return strength * (a * b / sum);
    }
    return 0.0;
}

// Derjaguin, Muller, Toporov: the lower bound of the normal multiplier is minus `limit` [kg·m] instead of 0 (E16), and
// friction is bounded by μ·(N + limit).
fn cohesive_project(a: Side, b: Side, static_friction: f32, kinetic_friction: f32, omega: f32, limit: f32, push: vec4<f32>) -> ContactUpdate {
    let inv_mass = a.inv_mass + b.inv_mass;
    if inv_mass == 0.0 {
        return ContactUpdate(vec3<f32>(0.0), push);
    }
    let out = normal_and_depth(a, b, false);
    let normal = out.xyz;
    let scale = omega / inv_mass;
    let total = max(push.w + out.w * scale, -limit);
    let moved = (a.x - a.start) - (b.x - b.start);
    let slip = moved - normal * dot(moved, normal);
    var tangent = push.xyz - slip * scale;
    let square = dot(tangent, tangent);
    let load = total + limit;
    let bound = static_friction * load;
    if square > bound * bound {
        tangent *= min(kinetic_friction * load / sqrt(square), 1.0);
    }
    return ContactUpdate(normal * (total - push.w) + (tangent - push.xyz), vec4<f32>(tangent, total));
}
