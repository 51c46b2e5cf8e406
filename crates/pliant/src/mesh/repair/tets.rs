//! Repair of tetrahedral meshes.

use crate::mesh::TetMesh;
use crate::mesh::repair::{MeshError, Tally, check_indices, check_positions, compact, precise};
use glam::Vec3;
use std::collections::HashSet;

/// Tets with less than this fraction of their longest edge cubed have no usable volume.
///
/// The solver inverts the edge matrix of a tet in single precision. Its determinant is 6V, and rounding
/// its three unit-sized columns shifts that by about 6·2⁻²⁴ L³ ≈ 4e-7 L³: below V = 1e-7 L³ (6V = 6e-7 L³) even
/// its sign is noise. The worst tets of common meshers are four orders of magnitude larger.
const FLAT: f64 = 1e-7;

/// Faces of a positive tet as corner indices, counter-clockwise from outside.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// Removes flat and duplicate tets and unused vertices, flips inverted tets, and rejects tets that overlap
/// on a shared face.
///
/// Each repair adds a note for the user.
pub fn clean_tets(mesh: TetMesh) -> Result<(TetMesh, Vec<String>), MeshError> {
    check_positions(&mesh.positions)?;
    check_indices(&mesh.tets, mesh.positions.len(), "tet")?;
    let mut notes = Vec::new();

    let (mut corners, mut flat, mut repeated, mut turned) =
        (Tally::default(), Tally::default(), Tally::default(), Tally::default());
    let mut seen: HashSet<[u32; 4]> = HashSet::with_capacity(mesh.tets.len());
    let (mut tets, mut origin) = (Vec::with_capacity(mesh.tets.len()), Vec::with_capacity(mesh.tets.len()));
    for (index, &tet) in mesh.tets.iter().enumerate() {
        let mut sorted = tet;
        sorted.sort_unstable();
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            corners.add(index);
            continue;
        }
        let (volume, longest) = size(&mesh.positions, tet);
        if volume.abs() <= FLAT * longest.powi(3) {
            flat.add(index);
            continue;
        }
        if !seen.insert(sorted) {
            repeated.add(index);
            continue;
        }
        let [a, b, c, d] = tet;
        if volume < 0.0 {
            turned.add(index);
            tets.push([a, b, d, c]);
        } else {
            tets.push(tet);
        }
        origin.push(index);
    }
    corners.note(&mut notes, "dropped", "tet", " with a repeated vertex");
    flat.note(&mut notes, "dropped", "tet", " without volume");
    repeated.note(&mut notes, "dropped", "tet", " listed twice");
    turned.note(&mut notes, "turned", "tet", " of negative volume");
    if tets.is_empty() {
        return Err(MeshError(match mesh.tets.len() {
            0 => "mesh has no tets".to_owned(),
            count => format!("mesh has no usable tet: all {count} are flat or repeat a vertex"),
        }));
    }
    check_faces(&tets, &origin)?;

    let compacted = compact(&mesh.positions, &mut tets, |_| false);
    compacted.unused.note(&mut notes, "dropped", "vertex", " that no tet uses");
    Ok((TetMesh { positions: compacted.positions, tets }, notes))
}

/// Signed volume [m³] and longest edge [m].
fn size(positions: &[Vec3], tet: [u32; 4]) -> (f64, f64) {
    let [a, b, c, d] = tet.map(|v| precise(positions[v as usize]));
    let volume = (b - a).cross(c - a).dot(d - a) / 6.0;
    let edges = [b - a, c - a, d - a, c - b, d - b, d - c];
    (volume, edges.iter().map(|e| e.length()).fold(0.0, f64::max))
}

/// Rejects faces with more than two tets, and two tets on the same side of a face.
fn check_faces(tets: &[[u32; 4]], origin: &[usize]) -> Result<(), MeshError> {
    let mut faces: Vec<([u32; 3], u32, bool)> = Vec::with_capacity(4 * tets.len());
    for (index, tet) in tets.iter().enumerate() {
        for face in FACES {
            let (key, even) = sort_face(face.map(|corner| tet[corner]));
            faces.push((key, index as u32, even));
        }
    }
    faces.sort_unstable();
    for group in faces.chunk_by(|a, b| a.0 == b.0) {
        let [a, b, c] = group[0].0;
        let tet = |entry: usize| origin[group[entry].1 as usize];
        // The outward windings of two tets that share a face are opposite; equal windings mean the same side.
        if group.len() == 2 && group[0].2 == group[1].2 {
            return Err(MeshError(format!(
                "tets {} and {} overlap: both lie on the same side of their face {a} {b} {c}",
                tet(0),
                tet(1)
            )));
        }
        if group.len() > 2 {
            return Err(MeshError(format!(
                "face {a} {b} {c} has {} tets (first: {}, {} and {}), but at most 2 are allowed",
                group.len(),
                tet(0),
                tet(1),
                tet(2)
            )));
        }
    }
    Ok(())
}

/// Sorts a face; true if that took an even number of swaps, which preserves the winding.
fn sort_face([mut a, mut b, mut c]: [u32; 3]) -> ([u32; 3], bool) {
    let mut even = true;
    for (x, y) in [(0, 1), (1, 2), (0, 1)] {
        let mut face = [a, b, c];
        if face[x] > face[y] {
            face.swap(x, y);
            even = !even;
        }
        [a, b, c] = face;
    }
    ([a, b, c], even)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit corner tet, and a fifth vertex below its base.
    fn points() -> Vec<Vec3> {
        vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.2, 0.2, -1.0)]
    }

    fn clean(tets: &[[u32; 4]]) -> Result<(TetMesh, Vec<String>), MeshError> {
        clean_tets(TetMesh { positions: points(), tets: tets.to_vec() })
    }

    #[test]
    fn a_good_mesh_is_returned_unchanged_and_without_notes() {
        let tets = [[0, 1, 2, 3], [0, 2, 1, 4]];
        let (mesh, notes) = clean(&tets).unwrap();
        assert_eq!((mesh.tets, mesh.positions, notes), (tets.to_vec(), points(), vec![]));
    }

    #[test]
    fn an_inverted_tet_is_turned() {
        let (mesh, notes) = clean(&[[0, 1, 2, 3], [0, 1, 2, 4]]).unwrap();
        assert_eq!(notes, ["turned 1 tet of negative volume (first: 1)"]);
        assert!(mesh.tets.iter().all(|&tet| size(&mesh.positions, tet).0 > 0.0));
    }

    #[test]
    fn repeated_tets_and_unused_vertices_are_dropped() {
        let (mesh, notes) = clean(&[[0, 1, 2, 3], [1, 0, 3, 2], [0, 0, 1, 2]]).unwrap();
        assert_eq!((mesh.tets.len(), mesh.positions.len()), (1, 4));
        assert_eq!(
            notes,
            [
                "dropped 1 tet with a repeated vertex (first: 2)",
                "dropped 1 tet listed twice (first: 1)",
                "dropped 1 vertex that no tet uses (first: 4)"
            ]
        );
    }

    #[test]
    fn tets_on_the_same_side_of_a_face_are_refused_by_name() {
        let mut positions = points();
        positions[4] = Vec3::new(0.2, 0.2, 2.0);
        let error = clean_tets(TetMesh { positions, tets: vec![[0, 1, 2, 3], [0, 1, 2, 4]] }).unwrap_err();
        assert_eq!(error.0, "tets 0 and 1 overlap: both lie on the same side of their face 0 1 2");
    }

    #[test]
    fn a_mesh_of_flat_tets_is_an_error() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 1e-8)];
        let error = clean_tets(TetMesh { positions, tets: vec![[0, 1, 2, 3]] }).unwrap_err();
        assert_eq!(error.0, "mesh has no usable tet: all 1 are flat or repeat a vertex");
    }
}
