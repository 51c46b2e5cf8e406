// What all passes share: the uniforms of a picture, light, tone mapping.

struct Picture {
    // From the world to clip space; depth is reversed, 0 is far away.
    view_projection: mat4x4<f32>,
    // From the world to the shadow map.
    light: mat4x4<f32>,
    eye: vec4<f32>,
    // Directions of the view; right and up have the half extents of the picture at a depth of 1. w: nearest and farthest depth,
    // and the radius of liquid particles [m].
    right: vec4<f32>,
    up: vec4<f32>,
    forward: vec4<f32>,
    // Toward the sun; w is the width of a texel of the shadow map [m].
    sun: vec4<f32>,
    // Height of the ground, width of a square, distance at which it fades, half extent of its square [m].
    ground: vec4<f32>,
    // Center of the ground's square, and height of a pixel at a depth of 1.
    place: vec4<f32>,
}

@group(0) @binding(0) var<uniform> picture: Picture;
@group(1) @binding(0) var shadow_map: texture_depth_2d;
@group(1) @binding(1) var shadow_sampler: sampler_comparison;

const SUN = vec3<f32>(0.92, 0.86, 0.76);
const ABOVE = vec3<f32>(0.36, 0.41, 0.50);
const BELOW = vec3<f32>(0.20, 0.185, 0.17);
const HORIZON = vec3<f32>(0.76, 0.80, 0.85);
const ZENITH = vec3<f32>(0.16, 0.31, 0.56);

// Samples of the shadow map to each side of a point: 1 makes soft edges, 0 is for software drivers.
override shadow_reach: i32 = 1;

// Display color to linear light.
fn linear(color: vec3<f32>) -> vec3<f32> {
    return color * (color * (color * 0.305306 + 0.682171) + 0.012523);
}

// Compresses light above 0.7 smoothly toward 1, so that highlights keep their hue.
fn tone_map(light: vec3<f32>) -> vec3<f32> {
    let over = max(light - 0.7, vec3<f32>(0.0));
    return min(light, vec3<f32>(0.7)) + 0.3 * over / (over + 0.3);
}

// Share of the sun that reaches a point; `normal` is toward the sun.
fn lit(at: vec3<f32>, normal: vec3<f32>) -> f32 {
    let q = picture.light * vec4<f32>(at + normal * (2.0 * picture.sun.w), 1.0);
    let uv = vec2<f32>(q.x * 0.5 + 0.5, 0.5 - q.y * 0.5);
    let size = vec2<f32>(textureDimensions(shadow_map));
    var sum = 0.0;
    for (var i = -shadow_reach; i <= shadow_reach; i++) {
        for (var j = -shadow_reach; j <= shadow_reach; j++) {
            let offset = vec2<f32>(f32(i), f32(j)) * 1.2 / size;
            sum += textureSampleCompareLevel(shadow_map, shadow_sampler, uv + offset, q.z - 0.001);
        }
    }
    let inside = all(uv > vec2<f32>(0.0)) && all(uv < vec2<f32>(1.0)) && q.z < 1.0;
    let across = f32(2 * shadow_reach + 1);
    return select(1.0, sum / (across * across), inside);
}

// Light from a surface with a display color; `normal` is on the side of the eye.
fn shade(color: vec3<f32>, at: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    let sun = picture.sun.xyz;
    let to_eye = normalize(picture.eye.xyz - at);
    let cosine = dot(normal, sun);
    let share = lit(at, normal * sign(cosine));
    let ambient = mix(BELOW, ABOVE, normal.y * 0.5 + 0.5);
    let direct = SUN * max(cosine, 0.0) * share;
    let half_way = normalize(to_eye + sun);
    let gloss = pow(max(dot(normal, half_way), 0.0), 40.0) * 0.12 * share * clamp(cosine * 4.0, 0.0, 1.0);
    let rim = pow(1.0 - clamp(dot(normal, to_eye), 0.0, 1.0), 4.0) * 0.15 * (0.6 + 0.4 * normal.y);
    return tone_map(linear(color) * (ambient + direct) + SUN * gloss + ABOVE * rim);
}

fn sky(way: vec3<f32>) -> vec3<f32> {
    let rise = max(normalize(way).y, 0.0);
    return tone_map(mix(HORIZON, ZENITH, rise / (rise + 0.35) * 1.35));
}

// Corner of a square that faces the eye and covers a sphere, with a margin in pixels.
fn sphere_corner(index: u32, sphere: vec4<f32>, margin: f32) -> vec3<f32> {
    let way = sphere.xyz - picture.eye.xyz;
    let distance = length(way);
    let ahead = way / distance;
    let first = normalize(cross(ahead, picture.up.xyz));
    let second = cross(first, ahead);
    // The outline is a little larger than the circle through the center.
    let beyond = max(distance * distance - sphere.w * sphere.w, 1e-4 * distance * distance);
    let half_side = sphere.w * distance / sqrt(beyond) + margin * picture.place.w * distance;
    let corner = corner_of(index) * half_side;
    return sphere.xyz + first * corner.x + second * corner.y;
}

// Corner of the square from -1 to 1.
fn corner_of(index: u32) -> vec2<f32> {
    return vec2<f32>(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
}
