// Sky, ground, meshes, tubes of ropes, spheres and lines.

struct Shaded {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) color: vec3<f32>,
}

// ---- sky ----

struct SkyPoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) way: vec3<f32>,
}

@vertex
fn sky_vertex(@builtin(vertex_index) index: u32) -> SkyPoint {
    let at = vec2<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
    let way = picture.forward.xyz + picture.right.xyz * at.x + picture.up.xyz * at.y;
    return SkyPoint(vec4<f32>(at, 0.0, 1.0), way);
}

@fragment
fn sky_fragment(point: SkyPoint) -> @location(0) vec4<f32> {
    return vec4<f32>(sky(point.way), 1.0);
}

// ---- ground ----

struct GroundPoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec3<f32>,
}

@vertex
fn ground_vertex(@builtin(vertex_index) index: u32) -> GroundPoint {
    let corner = vec2<f32>(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
    let flat = picture.place.xz + corner * picture.ground.w;
    let at = vec3<f32>(flat.x, picture.ground.x, flat.y);
    return GroundPoint(picture.view_projection * vec4<f32>(at, 1.0), at);
}

// Period 2, from 1 at even numbers down to 0 at odd ones.
fn triangle_wave(x: vec2<f32>) -> vec2<f32> {
    return abs(x - 2.0 * round(x * 0.5));
}

@fragment
fn ground_fragment(point: GroundPoint) -> @location(0) vec4<f32> {
    let u = point.at.xz / picture.ground.y;
    // The mean of the checker over a pixel: the square wave's integral is a triangle wave.
    let width = max(fwidth(u), vec2<f32>(1e-3));
    let wave = (triangle_wave(u + 0.5 * width) - triangle_wave(u - 0.5 * width)) / width;
    let share = 0.5 - 0.5 * wave.x * wave.y;
    let albedo = mix(vec3<f32>(0.52, 0.51, 0.49), vec3<f32>(0.42, 0.415, 0.405), share);
    let normal = vec3<f32>(0.0, 1.0, 0.0);
    let light = albedo * (ABOVE + SUN * picture.sun.y * lit(point.at, normal));
    let distance = length(point.at.xz - picture.place.xz) / picture.ground.z;
    let haze = 1.0 - 1.0 / (1.0 + distance * distance + 0.5 * pow(distance, 4.0));
    let way = point.at - picture.eye.xyz;
    return vec4<f32>(mix(tone_map(light), sky(way * vec3<f32>(1.0, 0.0, 1.0)), haze), 1.0);
}

// ---- meshes ----

@vertex
fn mesh_vertex(
    @location(0) at: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) color: vec4<f32>,
) -> Shaded {
    return Shaded(picture.view_projection * vec4<f32>(at, 1.0), at, normal, color.rgb);
}

@fragment
fn mesh_fragment(point: Shaded) -> @location(0) vec4<f32> {
    let normal = normalize(point.normal);
    let side = select(-1.0, 1.0, dot(normal, picture.eye.xyz - point.at) >= 0.0);
    return vec4<f32>(shade(point.color, point.at, normal * side), 1.0);
}

@vertex
fn mesh_shadow(@location(0) at: vec3<f32>) -> @builtin(position) vec4<f32> {
    return picture.light * vec4<f32>(at, 1.0);
}

// ---- tubes ----

struct TubePoint {
    at: vec3<f32>,
    normal: vec3<f32>,
}

// A vertex of a prism of ten sides around a segment.
fn tube_point(index: u32, a: vec4<f32>, b: vec4<f32>) -> TubePoint {
    let corner = index % 6u;
    let side = index / 6u + select(0u, 1u, corner == 1u || corner == 2u || corner == 4u);
    let end = corner == 2u || corner == 4u || corner == 5u;
    let axis = normalize(b.xyz - a.xyz + vec3<f32>(0.0, 1e-12, 0.0));
    let beside = select(vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(0.0, 1.0, 0.0), abs(axis.y) < 0.9);
    let first = normalize(cross(axis, beside));
    let angle = f32(side) * 0.628318531;
    let normal = first * cos(angle) + cross(axis, first) * sin(angle);
    let center = select(a, b, end);
    return TubePoint(center.xyz + normal * center.w, normal);
}

@vertex
fn tube_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) a: vec4<f32>,
    @location(1) b: vec4<f32>,
    @location(2) color: vec4<f32>,
) -> Shaded {
    let point = tube_point(index, a, b);
    return Shaded(picture.view_projection * vec4<f32>(point.at, 1.0), point.at, point.normal, color.rgb);
}

@vertex
fn tube_shadow(
    @builtin(vertex_index) index: u32,
    @location(0) a: vec4<f32>,
    @location(1) b: vec4<f32>,
) -> @builtin(position) vec4<f32> {
    return picture.light * vec4<f32>(tube_point(index, a, b).at, 1.0);
}

// ---- spheres: squares that face the eye, whose fragments find the surface ----

struct SpherePoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec3<f32>,
    @location(1) @interpolate(flat) sphere: vec4<f32>,
    @location(2) @interpolate(flat) color: vec3<f32>,
}

struct SphereColor {
    @location(0) color: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

@vertex
fn sphere_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) sphere: vec4<f32>,
    @location(1) color: vec4<f32>,
) -> SpherePoint {
    // A pixel more for the edge.
    let at = sphere_corner(index, sphere, 1.5);
    return SpherePoint(picture.view_projection * vec4<f32>(at, 1.0), at, sphere, color.rgb);
}

@fragment
fn sphere_fragment(point: SpherePoint) -> SphereColor {
    let ray = normalize(point.at - picture.eye.xyz);
    let to = point.sphere.xyz - picture.eye.xyz;
    let along = dot(to, ray);
    let beside = length(to - ray * along);
    // Coverage over one pixel at the outline.
    let pixel = picture.place.w * along;
    let cover = clamp((point.sphere.w - beside) / pixel + 0.5, 0.0, 1.0);
    let inside = max(point.sphere.w * point.sphere.w - beside * beside, 0.0);
    let at = picture.eye.xyz + ray * (along - sqrt(inside));
    let clip = picture.view_projection * vec4<f32>(at, 1.0);
    if cover <= 0.0 {
        discard;
    }
    let normal = normalize(at - point.sphere.xyz);
    return SphereColor(vec4<f32>(shade(point.color, at, normal), cover), clip.z / clip.w);
}

struct SphereShadowPoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) corner: vec2<f32>,
}

@vertex
fn sphere_shadow(@builtin(vertex_index) index: u32, @location(0) sphere: vec4<f32>) -> SphereShadowPoint {
    let first = normalize(cross(picture.sun.xyz, vec3<f32>(0.0, 0.0, 1.0)));
    let second = cross(first, picture.sun.xyz);
    let corner = corner_of(index);
    let at = sphere.xyz + (first * corner.x + second * corner.y) * sphere.w;
    return SphereShadowPoint(picture.light * vec4<f32>(at, 1.0), corner);
}

// A disk through the center: the half toward the sun would put the sphere into its own shadow.
@fragment
fn sphere_shadow_fragment(point: SphereShadowPoint) {
    if dot(point.corner, point.corner) > 1.0 {
        discard;
    }
}

// ---- lines ----

struct LinePoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) color: vec4<f32>,
}

@vertex
fn line_vertex(@location(0) at: vec3<f32>, @location(1) color: vec4<f32>) -> LinePoint {
    return LinePoint(picture.view_projection * vec4<f32>(at, 1.0), vec4<f32>(linear(color.rgb), 1.0));
}

@fragment
fn line_fragment(point: LinePoint) -> @location(0) vec4<f32> {
    return vec4<f32>(point.color.rgb, 0.9);
}

// Those behind surfaces are faint.
@fragment
fn hidden_line_fragment(point: LinePoint) -> @location(0) vec4<f32> {
    return vec4<f32>(point.color.rgb, 0.3);
}
