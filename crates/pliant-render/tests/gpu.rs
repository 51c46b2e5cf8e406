//! Pictures drawn on a GPU from the solver's own buffers, against the software renderer and the host's numbers.
//!
//! Without an adapter these tests say so and pass; with `PLIANT_REQUIRE_GPU` set they fail instead.
#![allow(clippy::print_stdout, reason = "a skipped test says so")]

#[path = "../../pliant/tests/support/skip.rs"]
mod skip;

use glam::{DVec3, Vec3};
use pliant::builder::NoMeshes;
use pliant::frame::Frame;
use pliant::runtime::gpu::{GpuOptions, adapters, wgpu};
use pliant::scene::{Format, Scene};
use pliant::solver::gpu::Surface;
use pliant::{Backend, Options, World};
use pliant_render::{
    Camera, Color, GpuRenderError, GpuRenderer, GpuScene, Image, MaterialAssignment, MeshColor, MeshDraw,
    ObjectMaterial, PALETTE, Picture, Renderer, Sky, write_png,
};

const WIDTH: u32 = 480;
const HEIGHT: u32 = 270;

const FLAGS: &str = r#"
    [solver]
    dt = 0.01
    iterations = 8
    [world]
    wind = { velocity = [5, 0, 3], gust = 0.5, period = 0.5 }
    [[cloth]]
    name = "flag"
    grid = { cells = [40, 24], size = [1.6, 1.0] }
    array = { count = [2, 1, 1], spacing = [1.9, 0, 0] }
    density = 0.2
    bend = { modulus = 1e-4 }
    drag = 0.6
    lift = 1.0
    pin = [{ at = "left edge" }]
"#;

/// A two-sided surface, closed surfaces, and particles without triangles.
const BODIES: &str = r#"
    [[cloth]]
    grid = { cells = [20, 20], size = [1, 1] }
    pin = [{ at = "top left" }]
    [[soft]]
    block = { cells = [4, 3, 5], size = [0.5, 0.3, 0.6] }
    transform = { translate = [0, 3, 0], rotate = { axis = [1, 2, 3], degrees = 40 } }
    [[rope]]
    path = [[3, 1, 0], [4, 1, 0]]
    segments = 10
    [[collider]]
    plane = {}
"#;

/// A running simulation, or nothing where there is no GPU.
fn simulation(text: &str) -> Option<World> {
    if adapters().is_empty() {
        assert!(std::env::var_os("PLIANT_REQUIRE_GPU").is_none(), "PLIANT_REQUIRE_GPU is set, but there is no adapter");
        skip::skipped("no GPU adapter");
        return None;
    }
    let scene = Scene::parse(text, Format::Toml).unwrap();
    let options = Options { backend: Backend::Gpu(GpuOptions::default()), ..Options::default() };
    Some(World::from_scene(&scene, &NoMeshes, options).unwrap())
}

/// Two materials of cloth.
fn materials() -> [ObjectMaterial; 2] {
    [PALETTE[0], PALETTE[1]].map(|color| ObjectMaterial { color, two_sided: true })
}

fn renderer(sim: &World) -> GpuRenderer {
    let assignment = MaterialAssignment { objects: &sim.topology().objects, materials: &materials() };
    GpuRenderer::new(sim.gpu().unwrap().device(), WIDTH, HEIGHT, &assignment).unwrap()
}

fn drawn(renderer: &GpuRenderer, sim: &mut World, scene_view: &GpuScene) -> Image {
    let surface = sim.surface().unwrap().unwrap();
    renderer.draw(&surface, scene_view).unwrap();
    renderer.image(surface.gpu).unwrap()
}

/// The same with the software renderer, from the state as the host reads it back.
fn expected(sim: &World, scene_view: &GpuScene) -> Image {
    let mut frame = Frame::default();
    sim.write_frame(&mut frame);
    let palette = materials().map(|l| l.color);
    let color = MeshColor::PerObject { objects: &sim.topology().objects, palette: &palette };
    let mesh = MeshDraw { color, ..MeshDraw::cloth(&frame.positions, &sim.topology().triangles, palette[0]) };
    let GpuScene { camera, light, sky } = *scene_view;
    let picture = Picture { meshes: vec![mesh], light, sky, ..Picture::new(camera) };
    Renderer::new(WIDTH, HEIGHT).unwrap().render(&picture)
}

/// On a black background, so that every other pixel was drawn.
fn on_black(scene_view: GpuScene) -> GpuScene {
    let black = Color(Vec3::ZERO);
    GpuScene { sky: Sky { horizon: black, zenith: black }, ..scene_view }
}

/// Which pixels show anything on black.
fn mask(image: &Image) -> Vec<bool> {
    image.pixels.chunks_exact(3).map(|p| p != [0, 0, 0]).collect()
}

/// Mean difference of the bytes of the pixels in `of`.
fn difference(a: &Image, b: &Image, of: &[bool]) -> f64 {
    let pixels = a.pixels.chunks_exact(3).zip(b.pixels.chunks_exact(3)).zip(of).filter(|(_, of)| **of);
    let one = |(p, q): (&[u8], &[u8])| p.iter().zip(q).map(|(x, y)| f64::from(x.abs_diff(*y))).sum::<f64>() / 3.0;
    let (sum, count) = pixels.fold((0.0, 0), |(sum, count), (pair, _)| (sum + one(pair), count + 1));
    sum / f64::from(count.max(1))
}

/// Saves both pictures, to inspect a failure.
fn save_pictures(name: &str, gpu: &Image, software: &Image) -> String {
    let folder = std::env::temp_dir().join("pliant-pictures");
    std::fs::create_dir_all(&folder).unwrap();
    for (which, image) in [("gpu", gpu), ("software", software)] {
        std::fs::write(folder.join(format!("{name}-{which}.png")), write_png(image).unwrap()).unwrap();
    }
    format!("see {}/{name}-*.png", folder.display())
}

#[test]
fn s02_the_frame_drawn_from_the_solvers_buffer_is_the_software_picture() {
    let Some(mut sim) = simulation(FLAGS) else { return };
    let renderer = renderer(&sim);
    sim.advance(60).unwrap();
    // The state has not been read back, so the picture comes from the solver's buffer. The sun is behind the camera, so
    // that the shadows of the software renderer are not visible.
    let scene_views = [("front", Vec3::new(3.2, 1.4, 5.6)), ("back", Vec3::new(-0.5, 1.2, -5.2))].map(|(side, eye)| {
        let mut scene_view = GpuScene::new(Camera::look_at(eye, Vec3::new(1.5, 0.4, 0.3)));
        scene_view.light.to_sun = scene_view.camera.eye - scene_view.camera.target;
        (side, scene_view)
    });
    let pictures =
        scene_views.map(|(_, scene_view)| [scene_view, on_black(scene_view)].map(|s| drawn(&renderer, &mut sim, &s)));
    for ((side, scene_view), gpu) in scene_views.into_iter().zip(&pictures) {
        compare(side, gpu, &[scene_view, on_black(scene_view)].map(|s| expected(&sim, &s)));
    }
}

/// Compares pictures of the flags, before the sky and on black, by their outlines and colors.
fn compare(side: &str, gpu: &[Image; 2], software: &[Image; 2]) {
    let (mask_gpu, mask_software) = (mask(&gpu[1]), mask(&software[1]));
    let pairs = || mask_gpu.iter().zip(&mask_software);
    let both: Vec<bool> = pairs().map(|(a, b)| *a && *b).collect();
    let covered = both.iter().filter(|b| **b).count();
    let differ = pairs().filter(|(a, b)| a != b).count();
    let on_surface = difference(&gpu[0], &software[0], &both);
    let everywhere = difference(&gpu[0], &software[0], &vec![true; both.len()]);
    let found = format!(
        "{side}: {covered} pixels covered, {differ} not by both, mean difference {on_surface:.3} of 255 there, \
         {everywhere:.3} all over"
    );
    println!("{found}");
    // Samples and lighting are the same, so only rounding may differ: of corners to subpixels at the outline, of each
    // sample to a byte before averaging, and of the shading point at folds.
    let fine = covered > both.len() / 20 && differ * 100 <= covered && on_surface < 2.0 && everywhere < 1.0;
    assert!(fine, "{found}: {}", save_pictures(side, &gpu[0], &software[0]));
    // Both flags are visible in their colors: coral has more red than blue, blue less.
    for red in [true, false] {
        let alike = gpu[1].pixels.chunks_exact(3).filter(|p| p[0] != p[2] && (p[0] > p[2]) == red).count();
        assert!(alike > covered / 10, "{side}: {alike} pixels of a flag");
    }
}

#[test]
fn s02_normals_in_the_solvers_device_are_those_of_the_host() {
    let Some(mut sim) = simulation(BODIES) else { return };
    sim.advance(10).unwrap();
    let normals = read(&sim.surface().unwrap().unwrap());
    assert_eq!(normals.len(), sim.particles());
    let (mut sums, mut without_triangles) = (vec![DVec3::ZERO; normals.len()], 0);
    for t in &sim.topology().triangles {
        let [a, b, c] = t.map(|v| sim.position(v as usize).as_dvec3());
        t.iter().for_each(|&v| sums[v as usize] += (b - a).cross(c - a));
    }
    for (particle, (found, sum)) in normals.iter().zip(&sums).enumerate() {
        let off = (Vec3::new(found[0], found[1], found[2]).as_dvec3() - sum.normalize_or_zero()).length();
        // Edges of 5 cm a few meters from the origin are known to 1e-7/0.05 = 2e-6, and six of them are added.
        assert!(off < 1e-5, "particle {particle} has {found:?}, off by {off}");
        assert_eq!(found[3], 0.0);
        without_triangles += usize::from(*sum == DVec3::ZERO);
    }
    // The 11 particles of the rope, and those inside the block: (4 − 1)(3 − 1)(5 − 1).
    assert_eq!(without_triangles, 11 + 24);
}

#[test]
fn s02_changes_of_the_caller_are_drawn_without_a_step() {
    let Some(mut sim) = simulation(FLAGS) else { return };
    let renderer = renderer(&sim);
    let scene_view = on_black(GpuScene::new(Camera::look_at(Vec3::new(1.5, 0.5, 6.0), Vec3::new(1.5, 0.0, 0.0))));
    assert!(mask(&drawn(&renderer, &mut sim, &scene_view)).contains(&true));
    sim.state_mut().rows.iter_mut().for_each(|r| r[1] += 100.0);
    assert!(!mask(&drawn(&renderer, &mut sim, &scene_view)).contains(&true));
    sim.state_mut().rows.iter_mut().for_each(|r| r[1] -= 100.0);
    assert!(mask(&drawn(&renderer, &mut sim, &scene_view)).contains(&true));
    sim.step().unwrap();
}

#[test]
fn surfaces_of_other_simulations_and_impossible_sizes_are_refused() {
    let (Some(mut sim), Some(flags)) = (simulation(BODIES), simulation(FLAGS)) else { return };
    let device = sim.gpu().unwrap().device();
    let assignment = MaterialAssignment { objects: &flags.topology().objects, materials: &[] };
    assert!(matches!(GpuRenderer::new(device, 0, 10, &assignment), Err(GpuRenderError::Size { .. })));
    assert!(matches!(GpuRenderer::new(device, 10, 1 << 20, &assignment), Err(GpuRenderError::Size { .. })));
    let other = GpuRenderer::new(device, 10, 10, &assignment).unwrap();
    let surface = sim.surface().unwrap().unwrap();
    let outcome = other.draw(&surface, &GpuScene::new(Camera::look_at(Vec3::ONE, Vec3::ZERO)));
    assert!(matches!(outcome, Err(GpuRenderError::Particles { .. })));
    assert!(sim.step().is_ok());
}

#[test]
fn a_simulation_on_the_cpu_has_no_surface_on_a_gpu() {
    let scene = Scene::parse(BODIES, Format::Toml).unwrap();
    let mut sim = World::from_scene(&scene, &NoMeshes, Options::default()).unwrap();
    assert!(sim.surface().unwrap().is_none());
}

/// The normals, read back.
fn read(surface: &Surface) -> Vec<[f32; 4]> {
    let size = surface.normals.size();
    let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
    let back =
        surface.device().create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    let mut encoder = surface.device().create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(surface.normals, 0, &back, 0, size);
    surface.queue().submit([encoder.finish()]);
    back.map_async(wgpu::MapMode::Read, .., Result::unwrap);
    surface.gpu.wait().unwrap();
    bytemuck::pod_collect_to_vec(&back.get_mapped_range(..).unwrap())
}
