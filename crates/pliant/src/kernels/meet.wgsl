// Twin of meet.rs.

// One of the two particles: position and start of the substep [m], radius [m], inverse of the mass that it has in this
// contact [1/kg], number.
struct Side { x: vec3<f32>, start: vec3<f32>, radius: f32, weight: f32, number: u32 }

// Impulse on the first [kg·m]; what the contact has done since the substep began: friction (xyz) and push (w) [kg·m].
struct Met { impulse: vec3<f32>, push: vec4<f32> }

fn overlaps(a: vec3<f32>, b: vec3<f32>, radii: f32) -> bool {
    let d = a - b;
    return dot(d, d) < radii * radii;
}

// D4 §3.1.3 with masses split among contacts; friction D4 3.38–3.40 with the sign of E19, E16.
fn meet(a: Side, b: Side, stick: f32, slide: f32, omega: f32, push: vec4<f32>) -> Met {
    let weight = a.weight + b.weight;
    if weight == 0.0 {
        return Met(vec3<f32>(0.0), push);
    }
    let apart = a.x - b.x;
    let distance = sqrt(dot(apart, apart));
    var normal = vec3<f32>(0.0, select(-1.0, 1.0, a.number < b.number), 0.0);
    if distance > 1e-12 {
        normal = apart * (1.0 / distance);
    }
    let inside = (a.radius + b.radius) - distance;
    let scale = omega / weight;
    let total = max(push.w + inside * scale, 0.0);
    if total == 0.0 && push.w == 0.0 {
        return Met(vec3<f32>(0.0), push);
    }
    let moved = (a.x - a.start) - (b.x - b.start);
    let slip = moved - normal * dot(moved, normal);
    var tangent = push.xyz - slip * scale;
    let square = dot(tangent, tangent);
    let bound = stick * total;
    if square > bound * bound {
        tangent *= min(slide * total / sqrt(square), 1.0);
    }
    return Met(normal * (total - push.w) + (tangent - push.xyz), vec4<f32>(tangent, total));
}
