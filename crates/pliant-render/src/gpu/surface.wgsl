// Surface and sky with the lighting of `shade.rs`, without shadows.

struct SceneUniforms {
    // Camera axes and position.
    right: vec4<f32>,
    up: vec4<f32>,
    forward: vec4<f32>,
    eye: vec4<f32>,
    // Half the width and height of the picture at a depth of 1 m, and the near plane [m].
    lens: vec4<f32>,
    to_sun: vec4<f32>,
    sun: vec4<f32>,
    above: vec4<f32>,
    below: vec4<f32>,
    horizon: vec4<f32>,
    zenith: vec4<f32>,
}

struct Material {
    // Front color and transmitted share of sunlight.
    front: vec4<f32>,
    back: vec4<f32>,
}

@group(0) @binding(0) var<uniform> scene: SceneUniforms;
@group(0) @binding(1) var<storage, read> materials: array<Material>;

struct SurfaceVertex {
    @builtin(position) clip_position: vec4<f32>,
    // Centroid: at the outline the pixel center may lie outside of the triangle.
    @location(0) @interpolate(perspective, centroid) position: vec3<f32>,
    @location(1) @interpolate(perspective, centroid) normal: vec3<f32>,
    @location(2) @interpolate(flat) material: u32,
}

@vertex
fn surface_vertex(@location(0) position: vec3<f32>, @location(1) normal: vec3<f32>, @location(2) material: u32) -> SurfaceVertex {
    let d = position - scene.eye.xyz;
    let ahead = dot(d, scene.forward.xyz);
    let across = vec2<f32>(dot(d, scene.right.xyz), dot(d, scene.up.xyz)) / scene.lens.xy;
    // Depth is near/ahead: 1 at the near plane, 0 infinitely far, and precise in between.
    return SurfaceVertex(vec4<f32>(across, scene.lens.z, ahead), position, normal, material);
}

@fragment
fn surface(vertex_in: SurfaceVertex, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let material = materials[vertex_in.material];
    let albedo = select(material.back.rgb, material.front.rgb, front);
    let normal = normalize_or(vertex_in.normal, vec3<f32>(0.0, 1.0, 0.0)) * select(-1.0, 1.0, front);
    return vec4<f32>(tone_map(light(vertex_in.position, normal, albedo, material.front.a)), 1.0);
}

// Hemisphere ambient light, sun, transmission through cloth, a specular highlight and a rim light.
fn light(position: vec3<f32>, normal: vec3<f32>, albedo: vec3<f32>, translucency: f32) -> vec3<f32> {
    let to_eye = normalize_or(scene.eye.xyz - position, vec3<f32>(0.0, 1.0, 0.0));
    let facing = clamp(dot(normal, to_eye), 0.0, 1.0);
    let ambient = mix(scene.below.rgb, scene.above.rgb, normal.y * 0.5 + 0.5);
    let cosine = dot(normal, scene.to_sun.xyz);
    let sun = scene.sun.rgb * (max(cosine, 0.0) + translucency * max(-cosine, 0.0));
    let half_way = normalize_or(to_eye + scene.to_sun.xyz, normal);
    let specular = pow(max(dot(normal, half_way), 0.0), 40.0) * 0.22 * clamp(cosine * 4.0, 0.0, 1.0);
    let rim = pow(1.0 - facing, 4.0) * 0.18 * (0.6 + 0.4 * normal.y);
    return albedo * (ambient + sun) + scene.sun.rgb * specular + scene.above.rgb * rim;
}

struct Ray {
    @builtin(position) clip_position: vec4<f32>,
    @location(0) direction: vec3<f32>,
}

// One triangle that covers the whole picture, at infinite depth.
@vertex
fn sky_vertex(@builtin(vertex_index) index: u32) -> Ray {
    let corner = vec2<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
    let across = corner * scene.lens.xy;
    let direction = scene.forward.xyz + scene.right.xyz * across.x + scene.up.xyz * across.y;
    return Ray(vec4<f32>(corner, 0.0, 1.0), direction);
}

@fragment
fn sky(ray: Ray) -> @location(0) vec4<f32> {
    let rise = max(ray.direction.y / length(ray.direction), 0.0);
    let color = mix(scene.horizon.rgb, scene.zenith.rgb, rise / (rise + 0.35) * 1.35);
    return vec4<f32>(tone_map(color), 1.0);
}

fn normalize_or(v: vec3<f32>, other: vec3<f32>) -> vec3<f32> {
    let length = length(v);
    return select(other, v / length, length > 1e-20);
}

// Compresses light above 0.7 smoothly toward 1.
fn tone_map(linear: vec3<f32>) -> vec3<f32> {
    let over = max(linear - 0.7, vec3<f32>(0.0));
    return min(linear, vec3<f32>(0.7)) + 0.3 * over / (over + 0.3);
}
