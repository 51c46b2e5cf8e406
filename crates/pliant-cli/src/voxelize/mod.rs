//! `pliant voxelize`: fills a mesh with particles; reports counts and renders a picture.

#[cfg(feature = "gpu")]
mod gpu;
mod picture;
mod result;
mod shapes;

use crate::args::VoxelizeArgs;
use crate::failure::Failure;
use crate::formatting;
use crate::process::cpu_seconds;
use crate::statistics::median;
use crate::stderr;
use crate::stdout;
use pliant::Backend;
use pliant::mesh::TriMesh;
use pliant::mesh::repair::{SurfaceNeed, clean_surface};
use pliant::voxel::{Field, Grid, PADDING, VoxelError, merge, voxelize as fill};
use pliant_io::{Caps, read_triangles};
use result::{Voxelization, voxel_failure};
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// The result; its fields are the keys of the JSON.
#[derive(Serialize)]
struct VoxelizeReport {
    /// Voxels along the longest side.
    grid: u32,
    /// "cpu" or "gpu".
    backend: &'static str,
    /// Name of the GPU, if one was used.
    adapter: Option<String>,
    /// Number of voxels inside the mesh.
    voxels: usize,
    particles: usize,
    /// Number of particles that cover 1, 8, 64 and so on voxels.
    levels: Vec<usize>,
    /// Volume of all voxels inside [m³].
    volume: f64,
    /// Volume enclosed by the mesh [m³].
    mesh_volume: f64,
    ms: StageTimes,
    /// Host times of a GPU run.
    host_ms: Option<HostTimes>,
}

/// Times by stage [ms].
#[derive(Serialize)]
struct StageTimes {
    voxelize: f64,
    distance: f64,
    merge: f64,
}

/// Host times before and after the GPU work [ms].
#[derive(Serialize)]
struct HostTimes {
    prepare: f64,
    readback: f64,
}

pub fn voxelize(args: &VoxelizeArgs) -> Result<(), Failure> {
    let backend = args.processor.backend()?;
    let (mesh, notes) = load(&args.mesh)?;
    let grid = Grid::fit(&mesh.positions, args.grid, PADDING).map_err(|e| voxel_failure(&e).at(args.mesh.clone()))?;
    let Voxelization { particles, voxels, adapter, stages, host } = run(backend, &mesh, &grid, args)?;
    let [voxelize, distance, merge] = stages.map(|times| median(times.into_iter()));
    let findings = VoxelizeReport {
        grid: args.grid,
        backend: if adapter.is_some() { "gpu" } else { "cpu" },
        adapter,
        voxels,
        particles: particles.len(),
        levels: particles.per_level(),
        volume: voxels as f64 * grid.voxel_volume(),
        mesh_volume: mesh.volume(),
        ms: StageTimes { voxelize, distance, merge },
        host_ms: host
            .map(|host| host.map(|times| median(times.into_iter())))
            .map(|[prepare, readback]| HostTimes { prepare, readback }),
    };
    if let Some(path) = &args.picture {
        picture::save(path, &particles)?;
    }
    notes.iter().for_each(|note| stderr::note(&format!("note: {note}")));
    if args.json { stdout::json(&findings) } else { stdout::text(&human(&findings, &grid, args)) }
}

fn run(backend: Backend, mesh: &TriMesh, grid: &Grid, args: &VoxelizeArgs) -> Result<Voxelization, Failure> {
    match backend {
        Backend::Cpu => run_on_cpu(mesh, grid, args),
        #[cfg(feature = "gpu")]
        Backend::Gpu(options) => gpu::run(&options, mesh, grid, args),
        #[cfg(feature = "gpu")]
        Backend::Auto => gpu::run_if_available(mesh, grid, args).unwrap_or_else(|| run_on_cpu(mesh, grid, args)),
        #[cfg(not(feature = "gpu"))]
        Backend::Auto => run_on_cpu(mesh, grid, args),
    }
}

fn run_on_cpu(mesh: &TriMesh, grid: &Grid, args: &VoxelizeArgs) -> Result<Voxelization, Failure> {
    let refuse = |e: VoxelError| voxel_failure(&e).at(args.mesh.clone());
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
    Ok(Voxelization { particles, voxels, adapter: None, stages, host: None })
}

/// RigidMassSplitting a mesh by name, closed and wound outward, with notes on repairs.
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

/// SubstepUniforms the time of `work` [ms]: CPU time of the single thread, so that other programs do not count, as in
/// `pliant bench`; wall time if the CPU clock did not advance.
fn timed<T>(times: &mut Vec<f64>, work: impl FnOnce() -> T) -> T {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let result = work();
    let cpu = cpu_seconds() - cpu;
    let seconds = if cpu > 0.0 { cpu } else { start.elapsed().as_secs_f64() };
    times.push(seconds * 1e3);
    result
}

fn human(f: &VoxelizeReport, grid: &Grid, args: &VoxelizeArgs) -> String {
    let [nx, ny, nz] = grid.dims().map(|d| d - 2 * grid.padding());
    let mut text = format!("{}: {nx} x {ny} x {nz} voxels of {:.4} m\n\n", args.mesh, grid.edge());
    let ms = |ms: f64| format!("{ms:.2} ms");
    let mut rows = vec![
        vec!["voxels inside".to_owned(), formatting::grouped(f.voxels)],
        vec!["particles".into(), formatting::grouped(f.particles)],
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
    text.push_str(&formatting::table(&rows));
    if f.levels.len() > 1 {
        text.push('\n');
        let head = ["level", "particles", "radius [m]"].map(str::to_owned).to_vec();
        let radius = |level: usize| 0.5 * grid.edge() * (1_u64 << level) as f64;
        let row = |(l, n): (usize, &usize)| vec![l.to_string(), formatting::grouped(*n), format!("{:.4}", radius(l))];
        let table: Vec<_> = std::iter::once(head).chain(f.levels.iter().enumerate().map(row)).collect();
        text.push_str(&formatting::table(&table));
    }
    match &args.picture {
        Some(path) => text.push_str(&format!("\nLook at: {}\n", path.display())),
        None => {
            let merge = if args.merge.is_some() { " --merge" } else { "" };
            let next = format!("pliant voxelize {} --grid {}{merge} --picture particles.png", args.mesh, args.grid);
            text.push_str(&format!("\nTo see the {} particles: {next}\n", formatting::grouped(f.particles)));
        }
    }
    text
}
