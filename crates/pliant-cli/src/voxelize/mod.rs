//! `pliant voxelize`: a mesh as solid particles, in numbers and as a picture.

mod picture;
mod shapes;

use crate::args::VoxelizeArgs;
use crate::out;
use crate::process::cpu_seconds;
use crate::report::Failure;
use pliant::build::voxel::{Field, Grid, PADDING, Particles, VoxelError, Voxels, merge, voxelize as fill};
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
}

/// [ms].
#[derive(Serialize)]
struct Times {
    voxelize: f64,
    distance: f64,
    merge: f64,
}

pub fn voxelize(args: &VoxelizeArgs) -> Result<(), Failure> {
    let (mesh, notes) = load(&args.mesh)?;
    let refuse = |e: VoxelError| refusal(&e).at(args.mesh.clone());
    let grid = Grid::fit(&mesh.positions, args.grid, PADDING).map_err(refuse)?;
    let (voxels, voxelize_ms) = timed(|| fill(&mesh, &grid));
    let voxels = voxels.map_err(refuse)?;
    if voxels.count() == 0 {
        return Err(refuse(VoxelError::Nothing));
    }
    let (field, distance_ms) = timed(|| Field::inside(&voxels));
    let (particles, merge_ms) = timed(|| merge(&grid, &voxels, &field, args.merge));
    let particles = particles.map_err(refuse)?;
    let findings = Findings {
        grid: args.grid,
        voxels: voxels.count(),
        particles: particles.len(),
        levels: particles.per_level(),
        volume: voxels.count() as f64 * grid.voxel_volume(),
        mesh_volume: mesh.volume(),
        ms: Times { voxelize: voxelize_ms, distance: distance_ms, merge: merge_ms },
    };
    if let Some(path) = &args.picture {
        picture::save(path, &particles)?;
    }
    notes.iter().for_each(|note| out::note(&format!("note: {note}")));
    if args.json { out::json(&findings) } else { out::text(&human(&findings, &grid, &voxels, &particles, args)) }
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

/// A result and the time it took [ms]: CPU time of the one thread there is, so that other programs do not count, as
/// in `pliant bench`; wall time where the system's CPU clock did not move.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let result = work();
    let cpu = cpu_seconds() - cpu;
    let seconds = if cpu > 0.0 { cpu } else { start.elapsed().as_secs_f64() };
    (result, seconds * 1e3)
}

fn human(f: &Findings, grid: &Grid, voxels: &Voxels, particles: &Particles, args: &VoxelizeArgs) -> String {
    let [nx, ny, nz] = voxels.dims().map(|d| d - 2 * grid.padding());
    let mut text = format!("{}: {nx} x {ny} x {nz} voxels of {:.4} m\n\n", args.mesh, grid.edge());
    let mut rows = vec![
        vec!["voxels inside".to_owned(), out::grouped(f.voxels)],
        vec!["particles".into(), out::grouped(f.particles)],
        vec!["volume".into(), format!("{:.4e} m3", f.volume)],
        vec!["volume of the mesh".into(), format!("{:.4e} m3", f.mesh_volume)],
        vec!["voxelized in".into(), format!("{:.2} ms", f.ms.voxelize)],
        vec!["distances in".into(), format!("{:.2} ms", f.ms.distance)],
        vec!["merged in".into(), format!("{:.2} ms", f.ms.merge)],
    ];
    if args.merge.is_none() {
        rows.pop();
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
            text.push_str(&format!("\nTo see the {} particles: {next}\n", out::grouped(particles.len())));
        }
    }
    text
}
