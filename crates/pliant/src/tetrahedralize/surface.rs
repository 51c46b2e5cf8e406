//! The surface to fill: repaired, and what is known of its inside.

use crate::mesh::repair::{SurfaceNeed, clean_surface};
use crate::mesh::{MeshError, TriMesh};
use crate::tetrahedralize::embed::Embedded;
use glam::DVec3;

/// A repaired surface.
pub(crate) struct ClosedSurface {
    pub mesh: TriMesh,
    /// Whether every edge has as many triangles on one side as on the other, so that winding numbers are whole.
    pub is_closed: bool,
    /// Whether it encloses some points more than once.
    pub overlaps: bool,
    pub notes: Vec<String>,
}

impl ClosedSurface {
    /// Repairs a mesh. One that is not closed has an inside by its winding number.
    pub fn new(mesh: TriMesh) -> Result<Self, MeshError> {
        let error = match clean_surface(mesh.clone(), SurfaceNeed::Closed) {
            Ok((mesh, notes)) => return Ok(Self { mesh, is_closed: true, overlaps: false, notes }),
            Err(error) => error,
        };
        let (mut mesh, mut notes) = clean_surface(mesh, SurfaceNeed::Open)?;
        if mesh.volume() < 0.0 {
            mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
            notes.push("turned the surface, which was inside out".to_owned());
        }
        let open = open_edges(&mesh);
        notes.push(if open == 0 {
            format!("the surface is no manifold ({error}), but encloses a volume, which is filled")
        } else {
            format!("the surface is not closed ({error}): inside is where its winding number is above a half")
        });
        Ok(Self { mesh, is_closed: open == 0, overlaps: false, notes })
    }

    /// Volume inside, where it is known [m³].
    pub fn enclosed(&self) -> Option<f64> {
        (self.is_closed && !self.overlaps).then(|| self.mesh.volume())
    }
}

/// Edges with more triangles on one side than on the other.
fn open_edges(mesh: &TriMesh) -> usize {
    let side = |a: u32, b: u32| ([a.min(b), a.max(b)], if a < b { 1 } else { -1 });
    let mut sides: Vec<([u32; 2], i32)> =
        mesh.triangles.iter().flat_map(|&[a, b, c]| [side(a, b), side(b, c), side(c, a)]).collect();
    sides.sort_unstable();
    sides.chunk_by(|a, b| a.0 == b.0).filter(|run| run.iter().map(|s| s.1).sum::<i32>() != 0).count()
}

/// Sum of angles around a vertex that is missing to a full turn, or too much, from which on it is a corner [rad]: a cube has
/// 1.57, a cone as high as wide 0.66.
const CORNER: f64 = 0.4;

/// Vertices at which a surface has corners.
pub(crate) fn corners(mesh: &TriMesh) -> Vec<DVec3> {
    let mut angles = vec![0.0; mesh.positions.len()];
    for t in &mesh.triangles {
        let p = t.map(|v| mesh.positions[v as usize].as_dvec3());
        for k in 0..3 {
            let (u, v) = ((p[(k + 1) % 3] - p[k]).normalize_or_zero(), (p[(k + 2) % 3] - p[k]).normalize_or_zero());
            angles[t[k] as usize] += libm::acos(u.dot(v).clamp(-1.0, 1.0));
        }
    }
    let sharp = |angle: &f64| (angle - std::f64::consts::TAU).abs() > CORNER;
    mesh.positions.iter().zip(&angles).filter(|(_, a)| sharp(a)).map(|(p, _)| p.as_dvec3()).collect()
}

/// Triangles of a refined surface, at most, unless the surface has more.
const MOST_REFINED: usize = 2_000_000;

/// Divides edges until none is longer than `longest` [m], so that the surface can bend with tetrahedra of that size. Both
/// triangles of an edge are divided at its middle.
pub(crate) fn refine(mesh: &TriMesh, longest: f32) -> TriMesh {
    let mut mesh = mesh.clone();
    loop {
        let length = |[a, b]: [u32; 2]| mesh.positions[a as usize].distance(mesh.positions[b as usize]);
        let mut long: Vec<[u32; 2]> = mesh.triangles.iter().flat_map(sides).filter(|&e| length(e) > longest).collect();
        long.sort_unstable();
        long.dedup();
        if long.is_empty() || mesh.triangles.len() + 2 * long.len() > MOST_REFINED {
            return mesh;
        }
        let first = mesh.positions.len() as u32;
        for &[a, b] in &long {
            mesh.positions.push((mesh.positions[a as usize] + mesh.positions[b as usize]) / 2.0);
        }
        let mut triangles = Vec::with_capacity(mesh.triangles.len() + 2 * long.len());
        for t in &mesh.triangles {
            let middles = sides(t).map(|e| long.binary_search(&e).ok().map(|i| first + i as u32));
            divide(*t, middles, &mut triangles);
        }
        mesh.triangles = triangles;
    }
}

/// Edges of a triangle, smaller vertex first.
fn sides(&[a, b, c]: &[u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)])
}

/// Divides a triangle at the middles of its edges ab, bc, ca.
fn divide(t: [u32; 3], middles: [Option<u32>; 3], out: &mut Vec<[u32; 3]>) {
    // Rotated so that the first edge is divided and, of two, the third is not.
    for k in 0..3 {
        let [a, b, c] = [0, 1, 2].map(|i| t[(i + k) % 3]);
        match [0, 1, 2].map(|i| middles[(i + k) % 3]) {
            [Some(ab), Some(bc), Some(ca)] => return out.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]),
            [Some(ab), Some(bc), None] => return out.extend([[ab, b, bc], [a, ab, bc], [a, bc, c]]),
            [Some(ab), None, None] => return out.extend([[a, ab, c], [ab, b, c]]),
            _ => {}
        }
    }
    out.push(t);
}

/// Share of the area of a surface that is farther than `limit` from tetrahedra, by its vertices [m].
pub(crate) fn missed(surface: &TriMesh, embedded: &[Embedded], limit: f32) -> f64 {
    let (mut missed, mut all) = (0.0, 0.0);
    for t in &surface.triangles {
        let [a, b, c] = t.map(|v| surface.positions[v as usize].as_dvec3());
        let area = (b - a).cross(c - a).length();
        let far = t.iter().filter(|&&v| embedded[v as usize].distance > limit).count();
        all += area;
        missed += area * far as f64 / 3.0;
    }
    missed / all
}
