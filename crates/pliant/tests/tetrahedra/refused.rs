//! Surfaces without an inside, and sizes that cannot be.

use crate::shapes::cuboid;
use glam::Vec3;
use pliant::mesh::TriMesh;
use pliant::tetrahedralize::{Resolution, Settings, tetrahedralize};

fn refused(mesh: TriMesh, resolution: Resolution) -> String {
    tetrahedralize(mesh, &Settings { resolution, grading: 1 }).map(|t| t.notes).unwrap_err().to_string()
}

#[test]
fn surfaces_without_an_inside_are_refused() {
    let count = Resolution::Count(1_000);
    assert_eq!(refused(TriMesh::default(), count), "mesh has no triangles");
    let mut bad = cuboid(Vec3::ONE);
    bad.positions[3].y = f32::NAN;
    assert!(refused(bad, count).contains("coordinates must be finite"));
    let mut bad = cuboid(Vec3::ONE);
    bad.triangles[5] = [0, 1, 99];
    assert!(refused(bad, count).contains("triangle 5 has vertex 99"));
    let sheet = TriMesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y], triangles: vec![[0, 1, 2]] };
    let found = refused(sheet, count);
    assert!(found.contains("no tetrahedron"), "a sheet: {found}");
    // Both sides of a sheet enclose nothing.
    let pillow = TriMesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X + Vec3::Y],
        triangles: vec![[0, 1, 3], [0, 3, 2], [0, 3, 1], [0, 2, 3]],
    };
    let found = refused(pillow, count);
    assert!(found.contains("no tetrahedron") || found.contains("usable"), "{found}");
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let cube = || cuboid(Vec3::ONE);
    assert!(refused(cube(), Resolution::Size(1e-7)).contains("cells along the surface"));
    assert!(refused(cube(), Resolution::Size(1e-3)).contains("more than 20000000 tetrahedra"));
    assert!(refused(cube(), Resolution::Size(20.0)).contains("no tetrahedron of size 2.000e1 m fits inside"));
    for size in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let found = refused(cube(), Resolution::Size(size));
        assert!(found.contains("size"), "{size}: {found}");
    }
    // Half of the digits of single precision are lost so far away.
    let mut far = cuboid(Vec3::ONE);
    far.positions.iter_mut().for_each(|p| p.x += 65_536.0);
    let found = refused(far, Resolution::Size(0.02));
    assert!(found.contains("too small 65536"), "{found}");
}
