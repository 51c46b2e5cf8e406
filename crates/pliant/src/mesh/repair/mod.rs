//! Repairs meshes from files for simulation, or reports why they are invalid.
//!
//! Mesh data only: no files, no particles. Every change is reported to the user in a
//! note, because a silently altered mesh is harder to debug than a rejected one.
//!
//! Invariant: linear or n log n, and independent of hash order (hash maps are only looked up, never iterated),
//! so that the same mesh always gives the same result. Indices in notes and errors count from 0 in the
//! input mesh, not in the mesh after earlier repairs.

mod surface;
#[cfg(test)]
mod surface_tests;
mod tets;
mod weld;
mod winding;

pub use crate::mesh::repair::surface::{SurfaceNeed, clean_surface};
pub use crate::mesh::repair::tets::clean_tets;

use crate::mesh::MeshError;
use glam::{DVec3, Vec3};

/// Number of repairs of one kind, and the first element repaired.
#[derive(Default)]
struct Tally {
    count: usize,
    first: usize,
}

impl Tally {
    fn add(&mut self, index: usize) {
        if self.count == 0 {
            self.first = index;
        }
        self.count += 1;
    }

    /// Adds `"{verb} 5 {things}{why} (first: 12)"`, or nothing if nothing was repaired.
    fn note(&self, notes: &mut Vec<String>, verb: &str, thing: &str, why: &str) {
        if self.count > 0 {
            let counted = counted(self.count, thing);
            notes.push(format!("{verb} {counted}{why} (first: {})", self.first));
        }
    }
}

/// `1 triangle`, `5 triangles`, `2 vertices`.
fn counted(count: usize, thing: &str) -> String {
    match (count, thing) {
        (1, _) => format!("1 {thing}"),
        (_, "vertex") => format!("{count} vertices"),
        _ => format!("{count} {thing}s"),
    }
}

fn check_positions(positions: &[Vec3]) -> Result<(), MeshError> {
    if u32::try_from(positions.len()).is_err() {
        return Err(MeshError(format!("mesh has {} vertices, but at most {} are allowed", positions.len(), u32::MAX)));
    }
    match positions.iter().position(|p| !p.is_finite()) {
        Some(vertex) => {
            let p = positions[vertex];
            Err(MeshError(format!("vertex {vertex} is at ({} {} {}), but coordinates must be finite", p.x, p.y, p.z)))
        }
        None => Ok(()),
    }
}

fn check_indices<const N: usize>(elements: &[[u32; N]], vertices: usize, thing: &str) -> Result<(), MeshError> {
    // Corner indices have 32 bits.
    let most = u32::MAX as usize / N;
    if elements.len() > most {
        return Err(MeshError(format!("mesh has {} {thing}s, but at most {most} are allowed", elements.len())));
    }
    for (index, element) in elements.iter().enumerate() {
        if let Some(&vertex) = element.iter().find(|&&v| v as usize >= vertices) {
            let allowed = match vertices {
                0 => "no vertices".to_owned(),
                _ => format!("vertices 0..={}", vertices - 1),
            };
            return Err(MeshError(format!("{thing} {index} has vertex {vertex}, but the mesh has {allowed}")));
        }
    }
    Ok(())
}

/// Vertices that remain after unused ones are removed.
pub(crate) struct Compacted {
    /// Positions of the kept vertices.
    pub(crate) positions: Vec<Vec3>,
    /// Original index of each kept vertex.
    origin: Vec<u32>,
    /// Unused vertices, other than those merged by welding.
    unused: Tally,
}

/// Removes vertices that no element uses and renumbers the elements.
///
/// Vertices for which `merged` holds were removed by welding and are not counted again.
pub(crate) fn compact<const N: usize>(
    positions: &[Vec3],
    elements: &mut [[u32; N]],
    merged: impl Fn(usize) -> bool,
) -> Compacted {
    let mut number = vec![u32::MAX; positions.len()];
    for &vertex in elements.iter().flatten() {
        number[vertex as usize] = 0;
    }
    let mut out = Compacted { positions: Vec::new(), origin: Vec::new(), unused: Tally::default() };
    for (vertex, slot) in number.iter_mut().enumerate() {
        if *slot == 0 {
            *slot = out.positions.len() as u32;
            out.positions.push(positions[vertex]);
            out.origin.push(vertex as u32);
        } else if !merged(vertex) {
            out.unused.add(vertex);
        }
    }
    for vertex in elements.iter_mut().flatten() {
        *vertex = number[*vertex as usize];
    }
    out
}

fn precise(p: Vec3) -> DVec3 {
    p.as_dvec3()
}
