// WGSL version of surface_tension.rs.

// Surface stress of a particle: n̂·√|T|, and air pressure. `scale` is 1/a, `air` k/r.
fn tension_stress(noise: f32, scale: f32, air: f32, tension: f32, n: vec3<f32>) -> vec4<f32> {
    let square = dot(n, n);
    let most = sqrt(square + noise * noise) - noise;
    let size = sqrt(max(tension * scale * most, 0.0)) / sqrt(max(square, 1e-30));
    return vec4<f32>(n * size, tension * air);
}

// Surface gradient n, from a gradient that includes solids, and their share of the kernel.
fn tension_surface_gradient(close: f32, n: vec3<f32>, solid: vec3<f32>, share: f32) -> vec3<f32> {
    let own = n - solid;
    let near = min(share / close, 1.0);
    return own - solid * (near * dot(own, solid) / max(dot(solid, solid), 1e-30));
}

// Surface stress of solids.
const TENSION_SOLID: vec4<f32> = vec4<f32>(0.0, 0.0, 0.0, -1.0);

// (T_i + T_j + p_i + p_j)·g of a pair. Solids, marked by a negative pressure, have a share of the other particle's.
fn tension_pair_stress(m: vec4<f32>, n: vec4<f32>, g: vec3<f32>, adhesion: f32) -> vec3<f32> {
    let both = select(m.w, adhesion * n.w, m.w < 0.0) + select(n.w, adhesion * m.w, n.w < 0.0);
    let all = both + dot(m.xyz, m.xyz) + dot(n.xyz, n.xyz);
    return g * all - m.xyz * dot(m.xyz, g) - n.xyz * dot(n.xyz, g);
}
