//! Small surfaces, each with one defect.

use crate::mesh::repair::{SurfaceNeed, clean_surface};
use crate::mesh::{MeshError, TriMesh};
use glam::Vec3;

/// The unit cube in 12 triangles, outward.
fn cube() -> TriMesh {
    let positions = (0..8).map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32)).collect::<Vec<_>>();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] as [[u32; 4]; 6];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh { positions, triangles }
}

fn volume(mesh: &TriMesh) -> f32 {
    let p = |v: u32| mesh.positions[v as usize];
    mesh.triangles.iter().map(|&[a, b, c]| p(a).cross(p(b)).dot(p(c)) / 6.0).sum()
}

fn closed(mesh: TriMesh) -> Result<(TriMesh, Vec<String>), MeshError> {
    clean_surface(mesh, SurfaceNeed::Closed)
}

#[test]
fn a_good_cube_is_returned_unchanged_and_without_notes() {
    let (mesh, notes) = closed(cube()).unwrap();
    assert_eq!((mesh, notes), (cube(), vec![]));
}

#[test]
fn a_soup_with_jitter_is_welded_into_a_cube() {
    let soup = cube();
    let positions: Vec<_> = soup
        .triangles
        .iter()
        .flatten()
        .enumerate()
        .map(|(i, &v)| soup.positions[v as usize] + Vec3::splat(1e-6 * (i % 5) as f32))
        .collect();
    let triangles = (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let (mesh, notes) = closed(TriMesh { positions, triangles }).unwrap();
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (8, 12));
    assert_eq!(notes, ["welded 28 vertices closer than 1.7e-5 m to another (first: 3)"]);
}

#[test]
fn some_turned_triangles_are_turned_back() {
    let mut mesh = cube();
    for t in [1, 4, 5] {
        mesh.triangles[t].swap(0, 1);
    }
    let (mesh, notes) = closed(mesh).unwrap();
    assert_eq!(notes, ["turned 3 triangles wound against the others (first: 1)"]);
    assert!((volume(&mesh) - 1.0).abs() < 1e-5);
}

#[test]
fn an_inside_out_cube_is_turned() {
    let mut mesh = cube();
    mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    let (mesh, notes) = closed(mesh).unwrap();
    assert_eq!(notes, ["turned 12 triangles of a surface that was inside out (first: 0)"]);
    assert!((volume(&mesh) - 1.0).abs() < 1e-5);
}

#[test]
fn a_cavity_keeps_its_winding() {
    let (mut mesh, inner) = (cube(), cube());
    mesh.positions.extend(inner.positions.iter().map(|&p| Vec3::splat(0.25) + 0.5 * p));
    mesh.triangles.extend(inner.triangles.iter().map(|&[a, b, c]| [a + 8, c + 8, b + 8]));
    let (mesh, notes) = closed(mesh).unwrap();
    assert!((volume(&mesh) - 0.875).abs() < 1e-5);
    assert_eq!(notes, ["surface has 2 separate pieces", "kept 1 inward piece as cavities (first: 12)"]);
}

#[test]
fn a_missing_triangle_names_an_edge() {
    let mut mesh = cube();
    mesh.triangles.pop();
    let error = closed(mesh.clone()).unwrap_err().0;
    assert_eq!(error, "edge 1-5 (from 1 0 0 to 1 0 1) has 1 triangle, but a closed surface has 2 at every edge");
    assert_eq!(clean_surface(mesh, SurfaceNeed::Open).unwrap().1, Vec::<String>::new());
}

#[test]
fn a_vertex_on_an_edge_splits_the_neighbor_instead_of_tearing_the_surface() {
    // Vertex 8 lies on the diagonal 0-3 of the bottom: two triangles around it and one without area.
    let mut mesh = cube();
    mesh.positions.push(Vec3::new(0.5, 0.5, 0.0));
    mesh.triangles.splice(0..1, [[0, 2, 8], [2, 3, 8], [3, 0, 8]]);
    let (mesh, notes) = closed(mesh).unwrap();
    assert_eq!(notes, ["flipped an edge of 1 triangle without area (first: 2)"]);
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (9, 14));
    assert!((volume(&mesh) - 1.0).abs() < 1e-5);
}

#[test]
fn a_fin_is_refused_in_a_body_and_noted_in_a_sheet() {
    let mut mesh = cube();
    mesh.positions.push(Vec3::new(0.5, -1.0, -1.0));
    mesh.triangles.push([0, 1, 8]);
    let error = closed(mesh.clone()).unwrap_err().0;
    assert!(error.starts_with("edge 0-1 (from 0 0 0 to 1 0 0) has 3 triangles"), "{error}");
    let (_, notes) = clean_surface(mesh, SurfaceNeed::Open).unwrap();
    assert!(notes.iter().any(|n| n.starts_with("kept 1 edge with more than two triangles")), "{notes:?}");
}

#[test]
fn a_mobius_band_has_no_winding() {
    let count = 9;
    let positions = (0..count)
        .flat_map(|i| {
            let around = std::f32::consts::TAU * i as f32 / count as f32;
            let (out, twist) = (Vec3::new(around.cos(), 0.0, around.sin()), 0.5 * around);
            [-0.2_f32, 0.2].map(|r| out * (1.0 + r * twist.cos()) + Vec3::Y * (r * twist.sin()))
        })
        .collect();
    // The last quad joins each side to the other one.
    let triangles = (0..count)
        .flat_map(|i| {
            let (a, b) = (2 * i, 2 * i + 1);
            let (c, d) = if i + 1 < count { (a + 2, b + 2) } else { (1, 0) };
            [[a, b, c], [b, d, c]]
        })
        .collect();
    let (_, notes) = clean_surface(TriMesh { positions, triangles }, SurfaceNeed::Open).unwrap();
    assert_eq!(notes, ["kept 1 one-sided piece as wound (first: 0)"]);
}

#[test]
fn meshes_without_triangles_are_errors() {
    assert_eq!(closed(TriMesh::default()).unwrap_err().0, "mesh has no triangles");
    let mesh = TriMesh { positions: vec![Vec3::ONE; 3], triangles: vec![[0, 1, 2]] };
    assert_eq!(closed(mesh).unwrap_err().0, "mesh has no usable triangle: all 1 are without area");
    let mesh = TriMesh { positions: vec![Vec3::ONE], triangles: vec![[0, 1, 2]] };
    assert_eq!(closed(mesh).unwrap_err().0, "triangle 0 has vertex 1, but the mesh has vertices 0..=0");
}
