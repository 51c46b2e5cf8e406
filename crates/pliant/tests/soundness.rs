//! No safe call reaches undefined behavior (R12): kernels do not check the indices that the build has proved, so what they
//! rest on cannot be changed from outside.
#![allow(missing_docs, reason = "a test")]

#[cfg(feature = "gpu")]
#[path = "support/skip.rs"]
mod skip;

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::state::State;
use pliant::{Isa, Options, World};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A scene in which no array of the state is empty.
const ALL: &str = r#"
    solver = { integrator = "bdf2", iterations = 2 }
    fluid = { radius = 0.05 }
    [[cloth]]
    grid = { cells = [4, 4], size = [1, 1] }
    transform = { translate = [0, 2, 0] }
    [[inflatable]]
    sphere = { radius = 0.2, subdivisions = 1 }
    transform = { translate = [3, 1, 0] }
    [[body]]
    name = "ice"
    box = [0.3, 0.3, 0.3]
    grid = 3
    transform = { translate = [-2, 1, 0] }
    [[grains]]
    pour = { from = [5, 1, 0], radius = 0.1, per_second = 20, velocity = [0, -1, 0], until = 1 }
    [[liquid]]
    name = "water"
    fill = { min = [-6, 0, 0], max = [-5.7, 0.3, 0.3] }
    [[liquid]]
    name = "melt water"
    [[melt]]
    body = "ice"
    liquid = "melt water"
    speed = 0.01
    [[freeze]]
    liquid = "water"
    start = 100
    [[collider]]
    plane = {}
"#;

fn start(text: &str) -> World {
    World::from_scene(&Scene::parse(text, Format::Toml).unwrap(), &NoMeshes, Options::default()).unwrap()
}

/// What a step after an edit panics with, if it does.
fn panics(sim: &mut World, edit: impl FnOnce(&mut State)) -> Option<String> {
    edit(sim.state_mut());
    let caught = catch_unwind(AssertUnwindSafe(|| sim.step())).err()?;
    Some(caught.downcast_ref::<String>().cloned().unwrap_or_default())
}

/// A change that a caller makes to a state.
type Edit = fn(&mut State);

#[test]
fn r12_every_array_of_a_state_that_was_cut_short_is_refused_by_name() {
    let edits: [(&str, Edit); 16] = [
        ("particles", |s| s.particles -= 1),
        ("rows", |s| s.rows.truncate(3)),
        ("previous rows", |s| s.previous.clear()),
        ("older rows", |s| s.older.truncate(1)),
        ("velocities", |s| s.velocities.truncate(5)),
        ("older velocities", |s| s.older_velocities.clear()),
        ("radii", |s| s.radii.truncate(2)),
        ("phases", |s| s.phases.clear()),
        ("emitters", |s| s.emitted.clear()),
        ("emitters", |s| s.returned.clear()),
        ("melting bodies", |s| s.melted.clear()),
        ("freezing liquids", |s| s.frozen.clear()),
        ("integration orders", |s| s.first_order.truncate(1)),
        ("multipliers of inflatables", |s| s.inflate_multipliers.clear()),
        ("pressures", |s| s.pressures.truncate(1)),
        ("displacements by pressure", |s| s.carried.truncate(1)),
    ];
    for (what, edit) in edits {
        let mut sim = start(ALL);
        let message = panics(&mut sim, edit).unwrap_or_else(|| panic!("{what}: the step went on"));
        assert!(message.contains(&format!("the number of {what} has changed")), "{what}: {message}");
        // The next step after a caught panic is refused, too.
        assert!(panics(&mut sim, |_| {}).is_some(), "{what}: the second step went on");
    }
    assert_eq!(panics(&mut start(ALL), |s| s.velocities[0][1] = 1.0), None, "values may be changed");
}

#[test]
fn r12_arrays_that_have_grown_are_refused() {
    let message = panics(&mut start(ALL), |s| s.rows.push([0.0; 4])).unwrap();
    assert!(message.contains("the number of rows has changed"), "{message}");
    let message = panics(&mut start(ALL), |s| s.multipliers[0].push(0.0)).unwrap_or_default();
    let message = if message.is_empty() { "static".into() } else { message };
    assert!(message == "static" || message.contains("multipliers"), "{message}");
}

#[test]
#[should_panic(expected = "the number of multipliers has changed")]
fn r12_multipliers_that_were_cut_short_are_refused() {
    let mut sim = start(ALL);
    sim.state_mut().multipliers[0].truncate(1);
    let _ = sim.step();
}

#[test]
#[should_panic(expected = "the members of bodies have changed")]
fn r12_bodies_of_another_scene_are_refused() {
    // As many particles, cut into bodies otherwise.
    let text = |count: u32, grid: u32| {
        format!(
            "[[body]]\nbox = [0.2, 0.2, 0.2]\ngrid = {grid}\n\
             array = {{ count = [{count}, 1, 1], spacing = [1, 0, 0] }}\n"
        )
    };
    let (mut one, eight) = (start(&text(1, 4)), start(&text(8, 2)));
    assert_eq!(one.particles(), eight.particles());
    one.state_mut().shapes = eight.state().shapes.clone();
    let _ = one.step();
}

#[test]
fn r12_a_whole_state_of_another_scene_is_refused() {
    let rope = "[[rope]]\npath = [[0, 2, 0], [1, 2, 0]]\nsegments = 8\n";
    let (mut sim, other) = (start(ALL), start(rope));
    let message = panics(&mut sim, |s| *s = other.state().clone()).unwrap();
    assert!(message.contains("has changed since the scene was built"), "{message}");
    // A state of the same scene is one like any other.
    let other = start(ALL);
    assert_eq!(panics(&mut start(ALL), |s| *s = other.state().clone()), None);
}

#[test]
fn r12_only_available_instruction_sets_can_be_selected() {
    // Values of `Isa` come from here alone, see the test that must not compile in its documentation.
    let all = Isa::available();
    assert_eq!(all[0], Isa::SCALAR);
    assert_eq!(all.last(), Some(&Isa::detect()));
    #[cfg(target_arch = "x86_64")]
    assert_eq!(all.len(), 1 + usize::from(std::arch::is_x86_feature_detected!("avx2")));
}

#[test]
fn r12_a_number_of_substeps_that_would_overflow_is_refused() {
    for substeps in [u64::MAX, u64::MAX - 1, 1 << 54] {
        let message = panics(&mut start(ALL), |s| s.substeps = substeps).unwrap();
        assert!(message.contains(&format!("the number of substeps is {substeps}")), "{message}");
    }
    for substeps in [0, u64::from(u32::MAX) - 1, 1 << 52] {
        assert_eq!(panics(&mut start(ALL), |s| s.substeps = substeps), None, "{substeps} substeps");
    }
    // The time follows from the substeps.
    for time in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -1e300] {
        assert_eq!(panics(&mut start(ALL), |s| s.time = time), None, "{time} s");
    }
}

#[cfg(feature = "gpu")]
mod on_gpu {
    //! Shaders without the device's checks, which is what users run.

    use super::{ALL, panics};
    use crate::skip::skipped;
    use glam::Vec3;
    use pliant::builder::NoMeshes;
    use pliant::mesh::TriMesh;
    use pliant::neighbors::gpu::Sort;
    use pliant::runtime::gpu::{Device, GpuOptions, adapters};
    use pliant::scene::{Format, Scene};
    use pliant::voxel::gpu::{GpuVoxelError, GpuVoxelizer};
    use pliant::voxel::{Field, Grid, PADDING, merge, voxelize};
    use pliant::{Backend, Options, World};

    /// The device that users have; None where there is none.
    fn open() -> Option<Device> {
        if adapters().iter().all(|a| a.trouble.is_some()) {
            assert!(
                std::env::var_os("PLIANT_REQUIRE_GPU").is_none(),
                "PLIANT_REQUIRE_GPU is set, but there is no adapter"
            );
            skipped("no GPU adapter");
            return None;
        }
        Some(Device::open(&GpuOptions::default()).unwrap())
    }

    #[test]
    fn r12_unrepaired_meshes_have_the_voxels_or_the_leak_of_the_cpu() {
        let Some(device) = open() else { return };
        let mut gpu = GpuVoxelizer::new(&device).unwrap();
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) % below
        };
        let mut solid = 0;
        for round in 0..24_u32 {
            // Triangles between random corners of a lattice: open, doubled, of no area, through each other. In every second
            // round each triangle is there twice, and then closed for every ray.
            let mut mesh = TriMesh {
                positions: (0..12).map(|_| Vec3::from([0; 3].map(|_: i32| next(9) as f32 * 0.125))).collect(),
                ..TriMesh::default()
            };
            mesh.positions.extend([Vec3::ZERO, Vec3::ONE]);
            mesh.triangles = (0..1 + round).map(|_| [0; 3].map(|_: i32| next(14) as u32)).collect();
            if round % 2 == 1 {
                // Tetrahedra are closed, and may overlap.
                mesh.triangles.clear();
                for _ in 0..=round / 4 {
                    let [a, b, c, d] = [0; 4].map(|_: i32| next(14) as u32);
                    mesh.triangles.extend([[a, b, c], [a, d, b], [b, d, c], [c, d, a]]);
                }
            }
            let grid = Grid::fit(&mesh.positions, 8 + round, PADDING).unwrap();
            for depth in [None, Some(1.0)] {
                let found = gpu.particles(&mesh, &grid, depth);
                match voxelize(&mesh, &grid) {
                    Err(leak) => assert_eq!(found.unwrap_err(), GpuVoxelError::Voxel(leak), "round {round}"),
                    Ok(voxels) => match merge(&grid, &voxels, &Field::inside(&voxels), depth) {
                        Err(error) => assert_eq!(found.unwrap_err(), GpuVoxelError::Voxel(error), "round {round}"),
                        Ok(particles) if particles.is_empty() => assert!(found.is_err(), "round {round}"),
                        Ok(particles) => {
                            solid += 1;
                            assert_eq!(found.unwrap().particles, particles, "round {round}");
                        }
                    },
                }
            }
        }
        assert!(solid > 4, "only {solid} of the meshes had an inside");
    }

    #[test]
    fn r12_keys_of_more_bits_than_there_are_have_32() {
        let Some(device) = open() else { return };
        let keys: Vec<u32> = (0..1000_u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
        let mut expected = keys.clone();
        expected.sort_unstable();
        for bits in [32, 33, 64, u32::MAX] {
            let sort = Sort::new(&device, keys.len(), bits).unwrap();
            device.queue.write_buffer(sort.keys(), 0, bytemuck::cast_slice(&keys));
            let mut encoder = device.device.create_command_encoder(&Default::default());
            sort.encode(&mut encoder.begin_compute_pass(&Default::default()));
            device.queue.submit([encoder.finish()]);
            assert!(device.download(sort.sorted_keys()).unwrap()[..keys.len()] == expected, "{bits} bits");
        }
    }

    #[test]
    fn r12_numbers_of_substeps_and_times_without_sense_stay_in_bounds_on_the_gpu() {
        if open().is_none() {
            return;
        }
        let start = || {
            let options = Options { backend: Backend::Gpu(GpuOptions::default()), ..Options::default() };
            World::from_scene(&Scene::parse(ALL, Format::Toml).unwrap(), &NoMeshes, options).unwrap()
        };
        let mut sim = start();
        for (substeps, time) in
            [(0, f64::NAN), (u64::from(u32::MAX) - 1, f64::INFINITY), (1 << 52, f64::NEG_INFINITY), (3, f64::MAX)]
        {
            let edit = |s: &mut pliant::state::State| (s.substeps, s.time) = (substeps, time);
            assert_eq!(panics(&mut sim, edit), None, "{substeps} substeps, {time} s");
            assert!(sim.state().substeps > substeps, "{substeps} substeps");
        }
        let message = panics(&mut sim, |s| s.substeps = u64::MAX).unwrap();
        assert!(message.contains("the number of substeps"), "{message}");
    }
}
