// WGSL version of particle_contact.rs.

// One of the two particles: position and start of the substep [m], radius [m], inverse of the split mass in this
// contact [1/kg], index; unit vector of the shortest way out of its body, and depth below the surface [m], 0 for
// particles without a body.
struct Side { x: vec3<f32>, start: vec3<f32>, radius: f32, inv_mass: f32, number: u32, field: vec4<f32> }

// Impulse on the first particle [kg·m]; accumulated impulse of the substep: friction (xyz) and normal (w) [kg·m].
struct ContactUpdate { impulse: vec3<f32>, push: vec4<f32> }

fn overlaps(a: vec3<f32>, b: vec3<f32>, radii: f32) -> bool {
    let d = a - b;
    return dot(d, d) < radii * radii;
}

fn at_surface(side: Side) -> bool {
    return side.field.w > 0.0 && side.field.w < SURFACE_LAYER * side.radius;
}

// Contact normal toward `a` and penetration depth [m] (S22, D4 4.22–4.24).
fn normal_and_depth(a: Side, b: Side, parts: bool) -> vec4<f32> {
    let apart = a.x - b.x;
    let distance = sqrt(dot(apart, apart));
    var line = vec3<f32>(0.0, select(-1.0, 1.0, a.number < b.number), 0.0);
    if distance > 1e-12 {
        line = apart * (1.0 / distance);
    }
    let inside = (a.radius + b.radius) - distance;
    let mine = a.field.w;
    let theirs = b.field.w;
    if (mine == 0.0 && theirs == 0.0) || inside <= 0.0 {
        return vec4<f32>(line, inside);
    }
    let less = mine < theirs || (mine == theirs && a.number < b.number);
    var out = b.field.xyz;
    if theirs == 0.0 || (mine > 0.0 && less) {
        out = -a.field.xyz;
    }
    let radii = a.radius + b.radius;
    if at_surface(a) || at_surface(b) {
        let along = dot(line, out);
        if along < 0.0 {
            line -= out * (2.0 * along);
        }
        if parts {
            return vec4<f32>(line, inside);
        }
        let since = a.start - b.start;
        let quiet = select(QUIET_OVERLAP_ALONE, QUIET_OVERLAP, mine > 0.0 && theirs > 0.0);
        let before = (radii - sqrt(dot(since, since))) - quiet * radii;
        return vec4<f32>(line, inside - max(before, 0.0));
    }
    let way = select(line, out, mine > 0.0 && theirs > 0.0);
    if parts {
        return vec4<f32>(way, min(max(mine, theirs), radii));
    }
    let moved = (a.x - a.start) - (b.x - b.start);
    return vec4<f32>(way, -dot(moved, way));
}

// Overlap that the rounding of positions may cause.
fn rounding(x: vec3<f32>) -> f32 {
    return ROUNDING * (abs(x.x) + abs(x.y) + abs(x.z));
}

// D4 §3.1.3 with masses split among contacts; friction D4 3.38–3.40 with the sign of E19, E16. `parts`: previous
// positions are corrected too, which adds no velocity. `recovery`: distance by which overlapping particles may separate [m].
fn particle_project(a: Side, b: Side, static_friction: f32, kinetic_friction: f32, omega: f32, parts: bool, recovery: f32, push: vec4<f32>) -> ContactUpdate {
    let inv_mass = a.inv_mass + b.inv_mass;
    if inv_mass == 0.0 {
        return ContactUpdate(vec3<f32>(0.0), push);
    }
    let out = normal_and_depth(a, b, parts);
    let normal = out.xyz;
    let moved = (a.x - a.start) - (b.x - b.start);
    var inside = out.w;
    if !parts && a.field.w == 0.0 && b.field.w == 0.0 {
        inside = min(inside - (rounding(a.x) + rounding(b.x)), recovery - dot(moved, normal));
    }
    let scale = omega / inv_mass;
    let total = max(push.w + inside * scale, 0.0);
    if total == 0.0 && push.w == 0.0 {
        return ContactUpdate(vec3<f32>(0.0), push);
    }
    let slip = moved - normal * dot(moved, normal);
    var tangent = push.xyz - slip * scale;
    let square = dot(tangent, tangent);
    let bound = static_friction * total;
    if square > bound * bound {
        tangent *= min(kinetic_friction * total / sqrt(square), 1.0);
    }
    return ContactUpdate(normal * (total - push.w) + (tangent - push.xyz), vec4<f32>(tangent, total));
}
