//! `pliant voxelize`: a mesh as solid particles, in numbers and as a picture.

#[cfg(feature = "gpu")]
mod gpu;
mod picture;
mod shapes;

use crate::args::VoxelizeArgs;
use crate::out;
use crate::process::cpu_seconds;
use crate::failure::Failure;
use pliant::Backend;
use pliant::build::voxel::{Field, Grid, PADDING, Particles, VoxelError, merge, voxelize as fill};
use pliant::mesh::TriMesh;
use pliant::mesh::repair::{SurfaceNeed, clean_surface};
use pliant_io::{Caps, read_triangles};
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// What is found; its fields are the keys of the JSON.
#[derive(Serialize)]
struct Findings {
    /// Voxels along the longest side.
    grid: u32,
    /// "cpu" or "gpu".
    backend: &'static str,
    /// Name of the GPU, if there was one.
    adapter: Option<String>,
    /// Inside.
    voxels: usize,
    particles: usize,
    /// Particles that stand for 1, 8, 64 and so on voxels.
    levels: Vec<usize>,
    /// Of all voxels inside [m³].
    volume: f64,
    /// Enclosed by the mesh [m³].
    mesh_volume: f64,
    ms: Times,
    /// What the host did for the GPU.
    host_ms: Option<HostTimes>,
}

/// [ms].
#[derive(Serialize)]
struct Times {
    voxelize: f64,
    distance: f64,
    merge: f64,
}

/// [ms].
#[derive(Serialize)]
struct HostTimes {
    prepare: f64,
    readback: f64,
}

/// What a backend makes, with times by run [ms].
struct Made {
    particles: Particles,
    /// Inside.
    voxels: usize,
    adapter: Option<String>,
    stages: [Vec<f64>; 3],
    /// Before and after what the GPU did, if one did.
    host: Option<[Vec<f64>; 2]>,
}

pub fn voxelize(args: &VoxelizeArgs) -> Result<(), Failure> {
    let backend = args.processor.backend()?;
    let (mesh, notes) = load(&args.mesh)?;
    let grid = Grid::fit(&mesh.positions, args.grid, PADDING).map_err(|e| refusal(&e).at(args.mesh.clone()))?;
    let Made { particles, voxels, adapter, stages, host } = make(backend, &mesh, &grid, args)?;
    let [voxelize, distance, merge] = stages.map(median);
    let findings = Findings {
        grid: args.grid,
        backend: if adapter.is_some() { "gpu" } else { "cpu" },
        adapter,
        voxels,
        particles: particles.len(),
        levels: particles.per_level(),
        volume: voxels as f64 * grid.voxel_volume(),
        mesh_volume: mesh.volume(),
        ms: Times { voxelize, distance, merge },
        host_ms: host.map(|host| host.map(median)).map(|[prepare, readback]| HostTimes { prepare, readback }),
    };
    if let Some(path) = &args.picture {
        picture::save(path, &particles)?;
    }
    notes.iter().for_each(|note| out::note(&format!("note: {note}")));
    if args.json { out::json(&findings) } else { out::text(&human(&findings, &grid, args)) }
}

fn make(backend: Backend, mesh: &TriMesh, grid: &Grid, args: &VoxelizeArgs) -> Result<Made, Failure> {
    match backend {
        Backend::Cpu => on_cpu(mesh, grid, args),
        #[cfg(feature = "gpu")]
        Backend::Gpu(options) => gpu::make(&options, mesh, grid, args),
        #[cfg(feature = "gpu")]
        Backend::Auto => gpu::make_if_worth_it(mesh, grid, args).unwrap_or_else(|| on_cpu(mesh, grid, args)),
        #[cfg(not(feature = "gpu"))]
        Backend::Auto => on_cpu(mesh, grid, args),
    }
}

fn on_cpu(mesh: &TriMesh, grid: &Grid, args: &VoxelizeArgs) -> Result<Made, Failure> {
    let refuse = |e: VoxelError| refusal(&e).at(args.mesh.clone());
    let mut stages = [const { Vec::new() }; 3];
    let mut made = None;
    for _ in 0..args.repeat {
        let voxels = timed(&mut stages[0], || fill(mesh, grid)).map_err(refuse)?;
        if voxels.count() == 0 {
            return Err(refuse(VoxelError::Nothing));
        }
        let field = timed(&mut stages[1], || Field::inside(&voxels));
        let particles = timed(&mut stages[2], || merge(grid, &voxels, &field, args.merge)).map_err(refuse)?;
        made = Some((voxels.count(), particles));
    }
    let (voxels, particles) = made.ok_or_else(|| refuse(VoxelError::Nothing))?;
    Ok(Made { particles, voxels, adapter: None, stages, host: None })
}

/// The middle one, or the mean of the two in the middle; 0 of none.
fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    let n = times.len();
    if n == 0 { 0.0 } else { 0.5 * (times[(n - 1) / 2] + times[n / 2]) }
}

/// The mesh by name, closed and wound outward, with notes on what was repaired.
fn load(name: &str) -> Result<(TriMesh, Vec<String>), Failure> {
    if let Some(mesh) = shapes::shape(name) {
        return Ok((mesh, Vec::new()));
    }
    let path = Path::new(name);
    if path.extension().is_none() && !path.exists() {
        let shapes = shapes::NAMES.join(", ");
        return Err(Failure::scene(format!("{name:?} is neither a mesh file nor a shape"))
            .help(format!("shapes are {shapes}; a mesh file ends in .obj, .ply, .stl, .gltf or .glb")));
    }
    let mesh = read_triangles(path, &Caps::default()).map_err(|e| Failure::scene(e.to_string()))?;
    clean_surface(mesh, SurfaceNeed::Closed).map_err(|e| {
        Failure::scene(e.to_string())
            .at(name)
            .help("only a closed surface has an inside; close holes and take doubled parts apart in a mesh editor")
    })
}

fn refusal(error: &VoxelError) -> Failure {
    let message = error.to_string();
    match error {
        VoxelError::TooLarge { .. } => Failure::resource(message).help("ask for fewer voxels: --grid 256"),
        VoxelError::Nothing => Failure::scene(message).help("ask for more voxels: --grid 100"),
        _ => Failure::scene(message),
    }
}

/// Notes the time that something took [ms]: CPU time of the one thread there is, so that other programs do not count,
/// as in `pliant bench`; wall time where the system's CPU clock did not move.
fn timed<T>(times: &mut Vec<f64>, work: impl FnOnce() -> T) -> T {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let result = work();
    let cpu = cpu_seconds() - cpu;
    let seconds = if cpu > 0.0 { cpu } else { start.elapsed().as_secs_f64() };
    times.push(seconds * 1e3);
    result
}

fn human(f: &Findings, grid: &Grid, args: &VoxelizeArgs) -> String {
    let [nx, ny, nz] = grid.dims().map(|d| d - 2 * grid.padding());
    let mut text = format!("{}: {nx} x {ny} x {nz} voxels of {:.4} m\n\n", args.mesh, grid.edge());
    let ms = |ms: f64| format!("{ms:.2} ms");
    let mut rows = vec![
        vec!["voxels inside".to_owned(), out::grouped(f.voxels)],
        vec!["particles".into(), out::grouped(f.particles)],
        vec!["volume".into(), format!("{:.4e} m3", f.volume)],
        vec!["volume of the mesh".into(), format!("{:.4e} m3", f.mesh_volume)],
        vec!["made by".into(), f.adapter.clone().unwrap_or_else(|| "the CPU".into())],
        vec!["voxelized in".into(), ms(f.ms.voxelize)],
        vec!["distances in".into(), ms(f.ms.distance)],
    ];
    if args.merge.is_some() || f.host_ms.is_some() {
        rows.push(vec![if args.merge.is_some() { "merged in" } else { "particles in" }.into(), ms(f.ms.merge)]);
    }
    if let Some(host) = &f.host_ms {
        rows.push(vec!["sent in".into(), ms(host.prepare)]);
        rows.push(vec!["read back in".into(), ms(host.readback)]);
    }
    text.push_str(&out::table(&rows));
    if f.levels.len() > 1 {
        text.push('\n');
        let head = ["level", "particles", "radius [m]"].map(str::to_owned).to_vec();
        let radius = |level: usize| 0.5 * grid.edge() * (1_u64 << level) as f64;
        let row = |(l, n): (usize, &usize)| vec![l.to_string(), out::grouped(*n), format!("{:.4}", radius(l))];
        let table: Vec<_> = std::iter::once(head).chain(f.levels.iter().enumerate().map(row)).collect();
        text.push_str(&out::table(&table));
    }
    match &args.picture {
        Some(path) => text.push_str(&format!("\nLook at: {}\n", path.display())),
        None => {
            let merge = if args.merge.is_some() { " --merge" } else { "" };
            let next = format!("pliant voxelize {} --grid {}{merge} --picture particles.png", args.mesh, args.grid);
            text.push_str(&format!("\nTo see the {} particles: {next}\n", out::grouped(f.particles)));
        }
    }
    text
}
