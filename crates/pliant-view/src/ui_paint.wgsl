// Triangles of the panels, and the finished picture behind them. Colors are display bytes: panels blend as displays do.

struct Screen {
    // Size of the window [points].
    size: vec2<f32>,
    unused: vec2<f32>,
}

@group(0) @binding(0) var<uniform> screen: Screen;
@group(1) @binding(0) var image: texture_2d<f32>;
@group(1) @binding(1) var image_sampler: sampler;

struct Point {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
    @location(1) color: vec4<f32>,
}

@vertex
fn panel_vertex(@location(0) at: vec2<f32>, @location(1) uv: vec2<f32>, @location(2) color: vec4<f32>) -> Point {
    let clip = vec2<f32>(2.0 * at.x / screen.size.x - 1.0, 1.0 - 2.0 * at.y / screen.size.y);
    return Point(vec4<f32>(clip, 0.0, 1.0), uv, color);
}

// Premultiplied alpha.
@fragment
fn panel_fragment(point: Point) -> @location(0) vec4<f32> {
    return point.color * textureSample(image, image_sampler, point.uv);
}

@vertex
fn picture_vertex(@builtin(vertex_index) index: u32) -> Point {
    let at = vec2<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
    return Point(vec4<f32>(at, 0.0, 1.0), vec2<f32>(0.5 + 0.5 * at.x, 0.5 - 0.5 * at.y), vec4<f32>(1.0));
}

@fragment
fn picture_fragment(point: Point) -> @location(0) vec4<f32> {
    return vec4<f32>(textureSample(image, image_sampler, point.uv).rgb, 1.0);
}
