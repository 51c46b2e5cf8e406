// Liquids as a surface: particles are drawn into depth and thickness, the depth is smoothed, and the picture behind is seen
// through what was found. After van der Laan, Green, Sainz, "Screen space fluid rendering with curvature flow", I3D 2009; the
// filter's range is that of Truong, Yuksel, "A narrow-range filter for screen-space fluid rendering", 2018.

// Depth of the surface along the view [m]; 0 where there is none.
@group(2) @binding(0) var surface_depth: texture_2d<f32>;
// Depth of everything else.
@group(2) @binding(1) var scene_depth: texture_depth_multisampled_2d;
@group(2) @binding(2) var surface_color: texture_2d<f32>;
@group(2) @binding(3) var thickness_map: texture_2d<f32>;
@group(2) @binding(4) var behind: texture_2d<f32>;
@group(2) @binding(5) var linear_sampler: sampler;

// Most pixels to each side of a pixel that the filter reads.
override most_taps: i32 = 24;
// Whether this pass of the filter goes down the picture.
override down: bool = false;

// Spheres are drawn larger than particles, so that neighbors overlap: radius over the particle's, and how many times its volume
// is counted then.
const GROWTH = 1.6;
const OVERLAP = 2.145;
// Reach of the filter in radii of particles, and depth between neighbors that belong to one surface.
const REACH = 3.5;
const RANGE = 3.0;
// Thickness that hides half of what is behind, in radii of particles.
const HALF_HIDDEN = 9.0;
// Reflectance of water at normal incidence (Schlick 1994).
const REFLECTANCE = 0.02;

fn depth_of(at: vec3<f32>) -> f32 {
    return dot(at - picture.eye.xyz, picture.forward.xyz);
}

// Depth along the view from the depth buffer's; what is not drawn is at the far plane.
fn depth_behind(pixel: vec2<i32>) -> f32 {
    let near = picture.right.w;
    let far = picture.up.w;
    return near * far / ((far - near) * textureLoad(scene_depth, pixel, 0) + near);
}

// ---- particles ----

struct ParticlePoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec3<f32>,
    @location(1) @interpolate(flat) sphere: vec4<f32>,
    @location(2) @interpolate(flat) color: vec3<f32>,
}

@vertex
fn particle_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) particle: vec4<f32>,
    @location(1) color: vec4<f32>,
) -> ParticlePoint {
    let sphere = vec4<f32>(particle.xyz, particle.w * GROWTH);
    let at = sphere_corner(index, sphere, 0.0);
    return ParticlePoint(picture.view_projection * vec4<f32>(at, 1.0), at, sphere, color.rgb);
}

// Distances along a unit ray at which it enters and leaves a sphere; equal where it passes by.
fn through(ray: vec3<f32>, sphere: vec4<f32>) -> vec2<f32> {
    let to = sphere.xyz - picture.eye.xyz;
    let along = dot(to, ray);
    let beside = to - ray * along;
    let half_chord = sqrt(max(sphere.w * sphere.w - dot(beside, beside), 0.0));
    return vec2<f32>(along - half_chord, along + half_chord);
}

struct SurfacePoint {
    @location(0) depth: vec4<f32>,
    @location(1) color: vec4<f32>,
    @builtin(frag_depth) clip_depth: f32,
}

@fragment
fn surface_fragment(point: ParticlePoint) -> SurfacePoint {
    let ray = normalize(point.at - picture.eye.xyz);
    let reach = through(ray, point.sphere);
    if reach.y <= reach.x || reach.x <= 0.0 {
        discard;
    }
    let at = picture.eye.xyz + ray * reach.x;
    let clip = picture.view_projection * vec4<f32>(at, 1.0);
    return SurfacePoint(vec4<f32>(depth_of(at)), vec4<f32>(point.color, 1.0), clip.z / clip.w);
}

@fragment
fn thickness_fragment(point: ParticlePoint) -> @location(0) vec4<f32> {
    let way = point.at - picture.eye.xyz;
    let ray = normalize(way);
    let reach = max(through(ray, point.sphere), vec2<f32>(0.0));
    // Half the resolution of the picture.
    let solid = depth_behind(2 * vec2<i32>(point.clip.xy)) / dot(ray, picture.forward.xyz);
    return vec4<f32>((min(reach.y, solid) - min(reach.x, solid)) / OVERLAP);
}

// ---- smoothing ----

@vertex
fn whole_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return vec4<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment
fn smooth_fragment(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(at.xy);
    let size = vec2<i32>(textureDimensions(surface_depth));
    let own = textureLoad(surface_depth, pixel, 0).r;
    if own <= 0.0 {
        return vec4<f32>(0.0);
    }
    let radius = picture.forward.w;
    let taps = clamp(i32(REACH * radius / (own * picture.place.w)), 1, most_taps);
    let way = select(vec2<i32>(1, 0), vec2<i32>(0, 1), down);
    let falloff = -4.5 / f32(taps * taps);
    var sum = own;
    var weights = 1.0;
    for (var k = 1; k <= taps; k++) {
        let first = textureLoad(surface_depth, clamp(pixel - way * k, vec2<i32>(0), size - 1), 0).r;
        let second = textureLoad(surface_depth, clamp(pixel + way * k, vec2<i32>(0), size - 1), 0).r;
        let weight = exp(falloff * f32(k * k));
        // Neighbors count in pairs: at an outline one side alone would tilt the surface.
        let one = first > 0.0 && abs(first - own) < RANGE * radius;
        let other = second > 0.0 && abs(second - own) < RANGE * radius;
        if one && other {
            sum += weight * (first + second);
            weights += 2.0 * weight;
        }
    }
    return vec4<f32>(sum / weights);
}

// ---- composition ----

fn position_of(pixel: vec2<i32>, depth: f32, size: vec2<f32>) -> vec3<f32> {
    let uv = (vec2<f32>(pixel) + 0.5) / size * 2.0 - 1.0;
    return picture.eye.xyz + (picture.forward.xyz + picture.right.xyz * uv.x - picture.up.xyz * uv.y) * depth;
}

// From a pixel to its neighbor on the surface; across an outline the other neighbor stands for it.
fn slope(pixel: vec2<i32>, way: vec2<i32>, own: vec3<f32>, depth: f32, size: vec2<f32>) -> vec3<f32> {
    let most = vec2<i32>(size) - 1;
    let ahead = textureLoad(surface_depth, min(pixel + way, most), 0).r;
    let back = textureLoad(surface_depth, max(pixel - way, vec2<i32>(0)), 0).r;
    let to_ahead = position_of(pixel + way, ahead, size) - own;
    let to_back = own - position_of(pixel - way, back, size);
    let use_back = ahead <= 0.0 || (back > 0.0 && abs(back - depth) < abs(ahead - depth));
    return select(to_ahead, to_back, use_back);
}

// The sky, and below the horizon light from the ground.
fn reflection(way: vec3<f32>) -> vec3<f32> {
    return mix(sky(way), BELOW + 0.3 * SUN, clamp(-4.0 * way.y, 0.0, 1.0));
}

@fragment
fn liquid_fragment(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(at.xy);
    let size = vec2<f32>(textureDimensions(surface_depth));
    let uv = at.xy / size;
    let plain = textureSampleLevel(behind, linear_sampler, uv, 0.0);
    let depth = textureLoad(surface_depth, pixel, 0).r;
    if depth <= 0.0 || depth >= depth_behind(pixel) {
        return plain;
    }
    let own = position_of(pixel, depth, size);
    let across = slope(pixel, vec2<i32>(1, 0), own, depth, size);
    let along = slope(pixel, vec2<i32>(0, 1), own, depth, size);
    let to_eye = normalize(picture.eye.xyz - own);
    var normal = normalize(cross(along, across) + 1e-20 * to_eye);
    normal *= select(-1.0, 1.0, dot(normal, to_eye) >= 0.0);
    let radius = picture.forward.w;
    let thickness = textureSampleLevel(thickness_map, linear_sampler, uv, 0.0).r;

    // What is behind is seen aside of where it is, the more the deeper the liquid.
    let sideways = vec2<f32>(dot(normal, normalize(picture.right.xyz)), -dot(normal, normalize(picture.up.xyz)));
    let bend = 0.25 * min(thickness, 10.0 * radius) / (depth * picture.place.w * size);
    let seen = clamp(uv - sideways * bend, vec2<f32>(0.0), vec2<f32>(1.0));
    let is_behind = depth_behind(vec2<i32>(seen * (size - 1.0))) > depth;
    let through_it = textureSampleLevel(behind, linear_sampler, select(uv, seen, is_behind), 0.0).rgb;

    // Beer–Lambert; channels missing in the color are absorbed faster.
    let color = linear(textureLoad(surface_color, pixel, 0).rgb);
    let layers = thickness / (HALF_HIDDEN * radius);
    let hue = sqrt(color / max(max(color.r, max(color.g, color.b)), 1e-3));
    let transmittance = exp((hue - 1.15) * layers);
    let opacity = 1.0 - 0.72 * exp(-0.693 * layers);
    let sun = picture.sun.xyz;
    let share = lit(own, sun);
    let facing_sun = pow(dot(normal, sun) * 0.5 + 0.5, 2.0);
    let own_light = color * (mix(BELOW, ABOVE, normal.y * 0.5 + 0.5) + SUN * (0.85 * facing_sun * (0.4 + 0.6 * share)));
    let body = mix(through_it * transmittance, own_light, opacity);

    let facing = clamp(dot(normal, to_eye), 0.0, 1.0);
    let reflectance = REFLECTANCE + (1.0 - REFLECTANCE) * 0.6 * pow(1.0 - facing, 5.0);
    let gloss = pow(max(dot(normal, normalize(to_eye + sun)), 0.0), 160.0) * share;
    let light = mix(body, reflection(normal * (2.0 * facing) - to_eye), reflectance) + SUN * gloss;
    // Outlines are soft, as nothing smooths them.
    let cover = clamp(thickness / (0.12 * radius), 0.0, 1.0);
    return vec4<f32>(mix(plain.rgb, tone_map(light), cover), 1.0);
}
