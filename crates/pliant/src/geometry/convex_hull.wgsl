// WGSL version of convex_hull.rs. Tables are those of its surface, which locate its planes: outward unit normal,
// offset [m].

// Outward normal and signed distance [m]. Inside, along the plane with the largest signed distance; outside, to
// the nearest point of the surface.
fn hull_distance(t: u32, p: vec3<f32>) -> vec4<f32> {
    let head = solid_words(t + 2u);
    var deepest = vec4<f32>(0.0, 1.0, 0.0, -FAR_AWAY);
    for (var k = 0u; k < head.w; k++) {
        let plane = solid_vector(t + head.z + k);
        let above = dot(plane.xyz, p) - plane.w;
        if above > deepest.w {
            deepest = vec4<f32>(plane.xyz, above);
        }
    }
    if deepest.w <= 0.0 {
        return deepest;
    }
    let near = surface_nearest(t, p, FAR_AWAY);
    // So close to the surface that the direction is rounding error, the plane's normal is better.
    if near.found && near.distance > 1e-6 * length(p) {
        return vec4<f32>(near.normal, near.distance);
    }
    return deepest;
}
