// The surface and the sky behind it: the light of `shade.rs`, without shadows.

struct Shot {
    // Camera axes and where they start.
    right: vec4<f32>,
    up: vec4<f32>,
    forward: vec4<f32>,
    eye: vec4<f32>,
    // Half the width and height of the picture at 1 m, and the nearest depth.
    lens: vec4<f32>,
    to_sun: vec4<f32>,
    sun: vec4<f32>,
    above: vec4<f32>,
    below: vec4<f32>,
    horizon: vec4<f32>,
    zenith: vec4<f32>,
}

struct Look {
    // Front color and share of sunlight that reaches the far side.
    front: vec4<f32>,
    back: vec4<f32>,
}

@group(0) @binding(0) var<uniform> shot: Shot;
@group(0) @binding(1) var<storage, read> looks: array<Look>;

struct Seen {
    @builtin(position) place: vec4<f32>,
    // At the covered samples: at the outline the pixel's center may lie outside of the triangle.
    @location(0) @interpolate(perspective, centroid) position: vec3<f32>,
    @location(1) @interpolate(perspective, centroid) normal: vec3<f32>,
    @location(2) @interpolate(flat) look: u32,
}

@vertex
fn place(@location(0) position: vec3<f32>, @location(1) normal: vec3<f32>, @location(2) look: u32) -> Seen {
    let d = position - shot.eye.xyz;
    let ahead = dot(d, shot.forward.xyz);
    let across = vec2<f32>(dot(d, shot.right.xyz), dot(d, shot.up.xyz)) / shot.lens.xy;
    // Depth is near/ahead: 1 at the near plane, 0 infinitely far, and precise in between.
    return Seen(vec4<f32>(across, shot.lens.z, ahead), position, normal, look);
}

@fragment
fn surface(seen: Seen, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let look = looks[seen.look];
    let albedo = select(look.back.rgb, look.front.rgb, front);
    let normal = normalize_or(seen.normal, vec3<f32>(0.0, 1.0, 0.0)) * select(-1.0, 1.0, front);
    return vec4<f32>(tone_map(light(seen.position, normal, albedo, look.front.a)), 1.0);
}

// Hemisphere ambient, sun, light through cloth, a soft highlight and a pale rim.
fn light(position: vec3<f32>, normal: vec3<f32>, albedo: vec3<f32>, translucency: f32) -> vec3<f32> {
    let to_eye = normalize_or(shot.eye.xyz - position, vec3<f32>(0.0, 1.0, 0.0));
    let facing = clamp(dot(normal, to_eye), 0.0, 1.0);
    let ambient = mix(shot.below.rgb, shot.above.rgb, normal.y * 0.5 + 0.5);
    let cosine = dot(normal, shot.to_sun.xyz);
    let sun = shot.sun.rgb * (max(cosine, 0.0) + translucency * max(-cosine, 0.0));
    let half_way = normalize_or(to_eye + shot.to_sun.xyz, normal);
    let glint = pow(max(dot(normal, half_way), 0.0), 40.0) * 0.22 * clamp(cosine * 4.0, 0.0, 1.0);
    let rim = pow(1.0 - facing, 4.0) * 0.18 * (0.6 + 0.4 * normal.y);
    return albedo * (ambient + sun) + shot.sun.rgb * glint + shot.above.rgb * rim;
}

struct Ray {
    @builtin(position) place: vec4<f32>,
    @location(0) direction: vec3<f32>,
}

// One triangle that covers the whole picture, infinitely far away.
@vertex
fn far_away(@builtin(vertex_index) index: u32) -> Ray {
    let corner = vec2<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
    let across = corner * shot.lens.xy;
    let direction = shot.forward.xyz + shot.right.xyz * across.x + shot.up.xyz * across.y;
    return Ray(vec4<f32>(corner, 0.0, 1.0), direction);
}

@fragment
fn sky(ray: Ray) -> @location(0) vec4<f32> {
    let rise = max(ray.direction.y / length(ray.direction), 0.0);
    let color = mix(shot.horizon.rgb, shot.zenith.rgb, rise / (rise + 0.35) * 1.35);
    return vec4<f32>(tone_map(color), 1.0);
}

fn normalize_or(v: vec3<f32>, other: vec3<f32>) -> vec3<f32> {
    let length = length(v);
    return select(other, v / length, length > 1e-20);
}

// Rolls light above 0.7 off smoothly toward 1.
fn tone_map(linear: vec3<f32>) -> vec3<f32> {
    let over = max(linear - 0.7, vec3<f32>(0.0));
    return min(linear, vec3<f32>(0.7)) + 0.3 * over / (over + 0.3);
}
