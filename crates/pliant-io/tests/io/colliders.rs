//! Mesh files as colliders: the shared test models, good and bad. Skipped with a message where the folder does not
//! exist.
#![allow(clippy::print_stderr)]

use crate::model_folder;
use pliant::builder::MeshSource;
use pliant::contact::collider_contact::signed_distance;
use pliant::mesh::{TetMesh, TriMesh};
use pliant::scene::{Format, Scene};
use pliant::{Options, World};
use pliant_io::{Caps, read_triangles};
use std::fs;
use std::path::PathBuf;

/// Files of one folder.
struct Folder(PathBuf);

impl MeshSource for Folder {
    fn triangles(&self, name: &str) -> Result<TriMesh, String> {
        read_triangles(&self.0.join(name), &Caps::default()).map_err(|e| e.to_string())
    }
    fn tets(&self, _: &str) -> Result<TetMesh, String> {
        Err("no tets here".to_owned())
    }
}

fn models() -> Option<Folder> {
    model_folder::find("").map(Folder)
}

/// Grains over the origin and one collider.
fn build(meshes: &Folder, key: &str, file: &str, more: &str) -> Result<World, String> {
    let text = format!(
        "[[grains]]\nfill = {{ min = [-0.3, 1, -0.3], max = [0.3, 1.2, 0.3] }}\nradius = 0.05\nvelocity = [0, -3, 0]\n\
         [[collider]]\n{key} = {{ mesh = \"{file}\"{more} }}\n"
    );
    let scene = Scene::parse(&text, Format::Toml).map_err(|e| e.to_string())?;
    World::from_scene(&scene, meshes, Options { threads: 1, ..Options::default() }).map_err(|e| e.to_string())
}

#[test]
fn r07_s17_every_bad_mesh_is_a_collider_that_works_or_a_named_error() {
    let Some(Folder(models)) = models() else { return };
    let bad = Folder(models.join("bad"));
    let mut files: Vec<String> =
        fs::read_dir(&bad.0).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    files.retain(|f| f.ends_with(".obj") || f.ends_with(".ply"));
    files.sort();
    let mut fine = Vec::new();
    for key in ["convex", "surface", "sdf"] {
        for file in &files {
            match build(&bad, key, file, "") {
                Ok(mut sim) => {
                    sim.advance(100).unwrap_or_else(|e| panic!("{key} of {file}: {e}"));
                    fine.push((key, file.clone(), sim.model().notes.clone()));
                }
                Err(said) => assert!(said.starts_with(&format!("collider[0].{key}")), "{key} of {file}: {said:?}"),
            }
        }
    }
    let works = |key: &str, file: &str| fine.iter().find(|(k, f, _)| *k == key && f == file).map(|(.., notes)| notes);
    // Open and non-manifold surfaces have no inside, but two sides.
    for file in ["open.obj", "nonmanifold_edge.obj", "nonmanifold_fin.obj"] {
        let said = build(&bad, "sdf", file, "").err().unwrap_or_default();
        assert!(said.contains("a closed surface has 2 at every edge"), "{file}: {said:?}");
        assert!(works("surface", file).is_some() && works("convex", file).is_some(), "{file}");
    }
    // Notes on repairs name the collider.
    for file in ["duplicate_faces.obj", "degenerate_triangles.obj", "inside_out.obj", "flipped_faces.obj"] {
        let notes = works("sdf", file).unwrap_or_else(|| panic!("{file} is refused"));
        assert!(notes.iter().any(|n| n.starts_with("collider[0].sdf: ")), "{file}: {notes:?}");
    }
}

#[test]
fn s17_a_scanned_body_has_one_surface_in_all_three_shapes() {
    let Some(meshes) = models() else { return };
    let place = ", transform = { scale = 5 }";
    let [hull, surface, field] = [("convex", ""), ("surface", ""), ("sdf", ", grid = 40")].map(|(key, more)| {
        let start = std::time::Instant::now();
        let sim = build(&meshes, key, "bunny.obj", &format!("{place}{more}")).unwrap();
        eprintln!("bunny as {key}: built in {:.3} s", start.elapsed().as_secs_f64());
        sim.model().colliders[0].clone()
    });
    // The origin of all three is the center of the mesh.
    assert_eq!(surface.motion.pose(0.0), field.motion.pose(0.0));
    let (low, high) = surface.shape.bounds().unwrap();
    let edge = (high - low).max_element() / 40.0;
    let mut worst = 0.0_f32;
    for k in 0..20_000_u32 {
        let one = |m: u32| (k.wrapping_mul(m) >> 8) as f32 / (1 << 24) as f32;
        let p = low + (high - low) * glam::Vec3::new(one(0x9e37_79b1), one(0x85eb_ca77), one(0xc2b2_ae3d));
        let exact = signed_distance(&surface.shape, p).0;
        let found = signed_distance(&field.shape, p).0;
        worst = worst.max((found.abs() - exact).abs());
        // A distance is 1-Lipschitz: interpolation is off by less than the diagonal of a cell.
        assert!((found.abs() - exact).abs() < edge * 1.75, "at {p}: {found} against {exact}");
        let outer = signed_distance(&hull.shape, p).0;
        // The hull contains the body: points inside the body are inside the hull, and the hull is never farther away.
        assert!(
            if found < -edge { outer < 0.0 } else { outer <= exact + 1e-5 },
            "at {p}: {outer} of the hull, {exact}"
        );
    }
    eprintln!("a field of 40 is off by {:.3} cells at most", worst / edge);
}
