// WGSL version of inflate.rs.

fn triangle_volume(a: vec3<f32>, b: vec3<f32>, c: vec3<f32>) -> f32 {
    return dot(cross(a, b), c) * (1.0 / 6.0);
}

fn corner_gradient(b: vec3<f32>, c: vec3<f32>) -> vec3<f32> {
    return cross(b, c) * (1.0 / 6.0);
}
