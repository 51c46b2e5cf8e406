//! Fills the inside of a triangle mesh with tetrahedra of bounded angles: isosurface stuffing.
//!
//! Geometry only: independent of bodies, masses and constraints. The steps, each a file:
//!
//! 1. `octree`, `lattice`: a body-centered cubic grid over the solid, uniform near its surface and coarser inside;
//! 2. `cut`: where its edges leave the solid, and vertices warped onto the surface that are too close to it;
//! 3. `stencils`: tetrahedra of the inside, one pattern for each of the cases;
//! 4. `manifold`: a boundary with two triangles at every edge, and no loose pieces;
//! 5. `fit`: vertices pulled to corners and creases, as far as the angles allow, and to the volume of the surface;
//! 6. `embed`: the surface in the tetrahedra, to be drawn.
//!
//! Every tetrahedron has a positive volume and dihedral angles between 10.7 and 164.8 degrees, whatever the surface: the
//! patterns have these bounds for all positions of cut points, and `fit` does not leave them.
//!
//! Invariant: the same mesh gives the same bits on every machine and any number of threads.
//!
//! Reference: Labelle and Shewchuk, "Isosurface stuffing: fast tetrahedral meshes with good dihedral angles", 2007 ([LS]).

mod cut;
mod distance;
pub mod embed;
mod fit;
mod lattice;
mod manifold;
mod octree;
mod quality;
mod stencils;
#[cfg(test)]
mod stencils_tests;
mod surface;

pub use crate::tetrahedralize::embed::{Embedded, embed};

use crate::mesh::{MeshError, TetMesh, TriMesh};
use crate::tetrahedralize::cut::Cuts;
use crate::tetrahedralize::distance::Solid;
use crate::tetrahedralize::fit::Fitter;
use crate::tetrahedralize::lattice::Lattice;
use crate::tetrahedralize::manifold::{Dropped, drop_loose, pieces, separate};
use crate::tetrahedralize::octree::{Frame, MOST_LEVELS, Octree};
use crate::tetrahedralize::quality::{extreme_cosines, volume6};
use crate::tetrahedralize::stencils::{Filled, fill};
use crate::tetrahedralize::surface::{ClosedSurface, corners, missed, refine};
use glam::{DVec3, Vec3};

/// Maximum tetrahedra.
pub const MOST_TETS: usize = 20_000_000;

/// Maximum level of the largest cells.
pub const MOST_GRADING: u32 = 4;

/// Longest edge of the skin [cells].
const SKIN_EDGE: f32 = 1.25;

/// Bounds of the dihedral angles [degrees].
pub const LEAST_ANGLE: f64 = 10.7;
/// See [`LEAST_ANGLE`].
pub const LARGEST_ANGLE: f64 = 164.8;

/// Rounds of the search for a size.
const SEARCHES: usize = 8;

/// Ratio of the numbers of tetrahedra, found and wanted, from which on the search has failed.
const FAILED: f64 = 1.5;

/// How far the number of tetrahedra may be from the wanted one before the size is changed.
const NEAR_ENOUGH: f64 = 0.06;

/// Size of the tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resolution {
    /// Edge of the smallest cells [m]: the longest edge of a tetrahedron at the surface, which has a volume of a twelfth of the
    /// cell.
    Size(f32),
    /// Number of tetrahedra, which is met to within a tenth where the surface allows.
    Count(usize),
}

/// How to fill a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Size of the tetrahedra.
    pub resolution: Resolution,
    /// Doublings of the cells from the surface inward; 0 is uniform.
    pub grading: u32,
}

/// A filled surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Tetrahedra {
    /// The tetrahedra; each has a positive volume.
    pub mesh: TetMesh,
    /// The surface, repaired, and divided where its triangles are larger than cells.
    pub skin: TriMesh,
    /// The tetrahedron and weights of each vertex of the skin.
    pub embedded: Vec<Embedded>,
    /// Edge of the smallest cells [m].
    pub size: f32,
    /// Smallest and largest dihedral angle [degrees].
    pub angles: [f32; 2],
    /// Volume of the tetrahedra [m³].
    pub volume: f64,
    /// Volume that the surface encloses [m³]; `None` if it is open or overlaps itself.
    pub enclosed: Option<f64>,
    /// What was repaired, and what the tetrahedra do not show.
    pub notes: Vec<String>,
}

/// Fills a surface with tetrahedra.
///
/// The inside is where the generalized winding number is above a half, so that open surfaces and those that cross themselves
/// have one, too; notes tell of both. Refused are surfaces without an inside, and too many tetrahedra.
pub fn tetrahedralize(mesh: TriMesh, settings: &Settings) -> Result<Tetrahedra, MeshError> {
    let mut surface = ClosedSurface::new(mesh)?;
    let solid = Solid::new(&surface.mesh);
    let (found, size) = match settings.resolution {
        Resolution::Size(size) => (stuff(&surface, &solid, f64::from(size), settings.grading)?, f64::from(size)),
        Resolution::Count(count) => search(&surface, &solid, count, settings.grading)?,
    };
    let Stuffed { mut filled, overlaps } = found;
    if filled.tets.is_empty() {
        return Err(nothing(size));
    }
    if overlaps {
        surface.overlaps = true;
        surface.notes.push("the surface overlaps itself: what is inside of several parts is filled once".to_owned());
    }
    separate(&mut filled);
    let owner = pieces(surface.mesh.positions.len(), &surface.mesh.triangles);
    let dropped = drop_loose(&mut filled, &solid, &owner);
    let boundary = separate(&mut filled);
    let mut fitter = Fitter::new(&mut filled, &boundary, size);
    fitter.fit(&solid);
    let corners: Vec<DVec3> = corners(&surface.mesh).iter().map(|p| *p - solid.center).collect();
    fitter.reach(&solid, &corners);
    let enclosed = surface.enclosed();
    if let Some(volume) = enclosed {
        fitter.match_volume(volume);
    }
    finish(surface, &solid, filled, size, dropped)
}

fn nothing(size: f64) -> MeshError {
    MeshError(format!("no tetrahedron of size {size:.3e} m fits inside: the surface is thinner, or has no inside"))
}

/// Tetrahedra before they are fitted.
struct Stuffed {
    filled: Filled,
    overlaps: bool,
}

/// Fills with cells of a size [m].
fn stuff(surface: &ClosedSurface, solid: &Solid, size: f64, grading: u32) -> Result<Stuffed, MeshError> {
    let (low, high) = solid.bounds();
    let extent = (high - low).max_element();
    // Two cells around the box, and a shift that keeps the sides of boxes off the vertices of the grid.
    let along = extent / size + 5.0;
    let root = (0..MOST_LEVELS + 1).find(|&level| f64::from(1_u32 << level) >= along);
    let (root, true) = (root.unwrap_or(0), root.is_some() && size > 0.0 && size.is_finite()) else {
        let most = 1_u32 << MOST_LEVELS;
        return Err(MeshError(format!(
            "a size of {size:.3e} m makes {along:.0} cells along the surface, but at most {most} are possible"
        )));
    };
    let middle = f64::from(1_u32 << root) / 2.0;
    let frame = Frame {
        origin: (low + high) / 2.0 - DVec3::new(middle + 0.137, middle + 0.219, middle + 0.071) * size,
        half: size / 2.0,
        root,
    };
    let levels = if surface.is_closed { grading.min(root) } else { 0 };
    let too_many = || MeshError(format!("a size of {size:.3e} m makes more than {MOST_TETS} tetrahedra"));
    let tree = Octree::new(solid, frame, levels, !surface.is_closed, MOST_TETS / 4).ok_or_else(too_many)?;
    let overlaps = surface.is_closed && (tree.windings.0 > 1.5 || tree.windings.1 < -0.5);
    let lattice = Lattice::new(&tree, solid);
    if lattice.tets.len() > 2 * MOST_TETS {
        return Err(too_many());
    }
    let cuts = Cuts::new(&lattice, solid);
    Ok(Stuffed { filled: fill(&lattice, &cuts), overlaps })
}

/// Finds the size for a number of tetrahedra.
fn search(surface: &ClosedSurface, solid: &Solid, count: usize, grading: u32) -> Result<(Stuffed, f64), MeshError> {
    let (low, high) = solid.bounds();
    let extent = (high - low).max_element();
    // A surface with holes may enclose more than its triangles say.
    let least = if surface.is_closed { 1e-6 } else { 1e-2 };
    let volume = surface.mesh.volume().abs().max(least * extent.powi(3));
    let mut size = (12.0 * volume / count as f64).cbrt().min(extent);
    let mut best: Option<(f64, Stuffed, f64)> = None;
    for _ in 0..SEARCHES {
        let found = match stuff(surface, solid, size, grading) {
            Ok(found) => found,
            // Keeps the result of the attempt before.
            Err(_) if best.is_some() => break,
            Err(error) => return Err(error),
        };
        let ratio = found.filled.tets.len() as f64 / count as f64;
        let off = if ratio > 0.0 { ratio.ln().abs() } else { f64::INFINITY };
        if best.as_ref().is_none_or(|b| off < b.0) {
            best = Some((off, found, size));
        }
        // Cells that are smaller by far and still too large will not do.
        if off < NEAR_ENOUGH || ratio > 20.0 {
            break;
        }
        // Grading has fewer tetrahedra inside, so that their number grows more slowly than the inverse cube.
        let power = if grading > 0 { 2.6 } else { 3.0 };
        size *= ratio.max(1e-3).powf(1.0 / power).clamp(0.4, 2.5);
    }
    match best {
        Some((off, found, size)) if off < FAILED.ln() => Ok((found, size)),
        Some((off, found, size)) if off.is_finite() => Err(MeshError(format!(
            "no size makes about {count} tetrahedra: cells of {size:.3e} m make {}, because the surface is as thin as a cell",
            found.filled.tets.len()
        ))),
        _ => Err(nothing(size)),
    }
}

/// Rounds to single precision, measures, and writes the notes.
fn finish(
    surface: ClosedSurface,
    solid: &Solid,
    filled: Filled,
    size: f64,
    dropped: Dropped,
) -> Result<Tetrahedra, MeshError> {
    let positions: Vec<Vec3> = filled.points.iter().map(|p| (*p + solid.center).as_vec3()).collect();
    let (mut volume, mut angles) = (0.0, [180.0_f64, 0.0]);
    for t in &filled.tets {
        let corners = t.map(|v| positions[v as usize].as_dvec3());
        let (smallest, largest) = extreme_cosines(&corners).unwrap_or((1.0, -1.0));
        volume += volume6(&corners) / 6.0;
        angles = [angles[0].min(libm::acos(smallest).to_degrees()), angles[1].max(libm::acos(largest).to_degrees())];
    }
    if angles[0] < LEAST_ANGLE || angles[1] > LARGEST_ANGLE {
        // The bounds hold before rounding.
        let far = positions.iter().map(|p| p.abs().max_element()).fold(0.0, f32::max);
        return Err(MeshError(format!(
            "cells of {size:.3e} m are too small {far} m from the origin: single precision flattens them"
        )));
    }
    let enclosed = surface.enclosed();
    let mut notes = surface.notes;
    if dropped.pieces > 0 {
        notes.push(format!(
            "dropped {} loose tetrahedra in {} pieces, {:.2} % of the volume: the surface is thinner than a cell beside them",
            dropped.tets,
            dropped.pieces,
            100.0 * dropped.volume / volume
        ));
    }
    let mesh = TetMesh { positions, tets: filled.tets };
    let skin = refine(&surface.mesh, SKIN_EDGE * size as f32);
    let embedded = embed(&skin.positions, &mesh);
    let missed = missed(&skin, &embedded, 0.5 * size as f32);
    if missed > 0.001 {
        notes.push(format!(
            "{:.1} % of the surface is more than half a cell from the tetrahedra: its features are thinner than a cell",
            100.0 * missed
        ));
    }
    if let Some(enclosed) = enclosed.filter(|e| (volume / e - 1.0).abs() > 0.01) {
        notes.push(format!("the tetrahedra have {:.1} % of the volume of the surface", 100.0 * volume / enclosed));
    }
    let angles = angles.map(|a| a as f32);
    Ok(Tetrahedra { mesh, skin, embedded, size: size as f32, angles, volume, enclosed, notes })
}
