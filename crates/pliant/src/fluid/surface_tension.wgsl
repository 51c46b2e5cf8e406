// Twin of tension.rs.

// What a particle pulls with: n̂·√(size of its stress), and the pressure of the air. `scale` is 1/a, `air` k/r.
fn tension_pull(noise: f32, scale: f32, air: f32, tension: f32, n: vec3<f32>) -> vec4<f32> {
    let square = dot(n, n);
    let most = sqrt(square + noise * noise) - noise;
    let size = sqrt(max(tension * scale * most, 0.0)) / sqrt(max(square, 1e-30));
    return vec4<f32>(n * size, tension * air);
}

// n as the surface has it, from a gradient in which solids have a part, and a share of the kernel.
fn tension_mirrored(close: f32, n: vec3<f32>, solid: vec3<f32>, share: f32) -> vec3<f32> {
    let own = n - solid;
    let near = min(share / close, 1.0);
    return own - solid * (near * dot(own, solid) / max(dot(solid, solid), 1e-30));
}

// What solids pull with.
const TENSION_SOLID: vec4<f32> = vec4<f32>(0.0, 0.0, 0.0, -1.0);

// (T_i + T_j + p_i + p_j)·g of a pair. Solids, which are told by a negative pressure, have a share of the other's.
fn tension_tug(m: vec4<f32>, n: vec4<f32>, g: vec3<f32>, adhesion: f32) -> vec3<f32> {
    let both = select(m.w, adhesion * n.w, m.w < 0.0) + select(n.w, adhesion * m.w, n.w < 0.0);
    let all = both + dot(m.xyz, m.xyz) + dot(n.xyz, n.xyz);
    return g * all - m.xyz * dot(m.xyz, g) - n.xyz * dot(n.xyz, g);
}
