// WGSL version of sdf.rs. Tables, in vec4 elements from `t` on: lowest corner of the grid and grid spacing; highest
// corner; points along each axis; distances, four per element, x fastest [m].

fn field_value(t: u32, index: u32) -> f32 {
    return solid_vector(t + 3u + index / 4u)[index % 4u];
}

fn field_mix(a: f32, b: f32, s: f32) -> f32 {
    return a + (b - a) * s;
}

// Outward normal and signed distance [m], trilinear with its exact gradient. Outside of the grid they are extrapolated
// from the nearest border point.
fn field_distance(t: u32, p: vec3<f32>) -> vec4<f32> {
    let held = clamp(p, solid_vector(t).xyz, solid_vector(t + 1u).xyz);
    let within = field_within(t, held);
    if all(held == p) {
        return within;
    }
    let away = p - (held - within.xyz * within.w);
    let size = sqrt(dot(away, away));
    if size > 0.0 {
        return vec4<f32>(away / size, size);
    }
    return vec4<f32>(within.xyz, size);
}

// At a point inside the grid's box.
fn field_within(t: u32, p: vec3<f32>) -> vec4<f32> {
    let base = solid_vector(t);
    let points = solid_words(t + 2u).xyz;
    let at = (p - base.xyz) / base.w;
    let last = points - vec3<u32>(2u);
    // Clamped twice: a NaN position must give an index inside the grid, too.
    let first = min(vec3<u32>(clamp(at, vec3<f32>(0.0), vec3<f32>(last))), last);
    let s = at - vec3<f32>(first);
    let corner = (first.z * points.y + first.y) * points.x + first.x;
    // By y and z: value interpolated along x, and its slope.
    var along: array<f32, 4>;
    var rise: array<f32, 4>;
    for (var k = 0u; k < 4u; k++) {
        let index = corner + ((k >> 1u) * points.y + (k & 1u)) * points.x;
        let low = field_value(t, index);
        let high = field_value(t, index + 1u);
        along[k] = field_mix(low, high, s.x);
        rise[k] = high - low;
    }
    let near = field_mix(along[0], along[1], s.y);
    let far = field_mix(along[2], along[3], s.y);
    let slope = vec3<f32>(
        field_mix(field_mix(rise[0], rise[1], s.y), field_mix(rise[2], rise[3], s.y), s.z),
        field_mix(along[1] - along[0], along[3] - along[2], s.z),
        far - near,
    );
    let steep = sqrt(dot(slope, slope));
    // A distance increases by up to `edge` per grid step. If slopes cancel, any direction is valid.
    var normal = vec3<f32>(0.0, 1.0, 0.0);
    if steep > 1e-4 * base.w {
        normal = slope / steep;
    }
    return vec4<f32>(normal, field_mix(near, far, s.z));
}
