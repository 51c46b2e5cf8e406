//! Repair of individual triangles. Their connectivity is checked in `winding`.

use crate::mesh::TriMesh;
use crate::mesh::repair::{MeshError, Tally, check_indices, check_positions, compact, precise, weld, winding};
use glam::Vec3;
use std::collections::{HashMap, HashSet};

/// Triangles whose height is below this fraction of their longest edge have no area: single-precision coordinates
/// round at 6e-8, so below it the direction of the normal is noise.
const THIN: f64 = 1e-6;

/// Requirement on a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceNeed {
    /// A sheet such as cloth: boundaries and non-manifold edges are allowed.
    Open,
    /// A body with an inside: every edge has two triangles, wound counter-clockwise from outside.
    Closed,
}

/// Welds close vertices, removes triangles without area, duplicate triangles and unused vertices, and makes the
/// winding consistent; for [`SurfaceNeed::Closed`] also flips inverted surfaces and rejects those that
/// have no inside.
///
/// Each repair adds a note for the user.
pub fn clean_surface(mesh: TriMesh, need: SurfaceNeed) -> Result<(TriMesh, Vec<String>), MeshError> {
    check_positions(&mesh.positions)?;
    check_indices(&mesh.triangles, mesh.positions.len(), "triangle")?;
    let mut notes = Vec::new();

    let weld = weld::weld(&mesh.positions);
    let why = format!(" closer than {:.1e} m to another", weld.distance);
    weld.merged.note(&mut notes, "welded", "vertex", &why);
    let mut triangles: Vec<_> = mesh.triangles.iter().map(|t| t.map(|v| weld.target[v as usize])).collect();

    let flipped = flip_thin(&mesh.positions, &mut triangles);
    flipped.note(&mut notes, "flipped an edge of", "triangle", " without area");
    let (mut triangles, origin) = keep_good(&mesh.positions, &triangles, &mut notes);
    if triangles.is_empty() {
        return Err(MeshError(match mesh.triangles.len() {
            0 => "mesh has no triangles".to_owned(),
            count => format!("mesh has no usable triangle: all {count} are without area"),
        }));
    }

    let compacted = compact(&mesh.positions, &mut triangles, |v| weld.target[v] as usize != v);
    compacted.unused.note(&mut notes, "dropped", "vertex", " that no triangle uses");
    let mut pieces = winding::Surface {
        positions: &compacted.positions,
        vertex_origin: &compacted.origin,
        triangles: &mut triangles,
        triangle_origin: &origin,
    };
    pieces.orient(need, &mut notes)?;
    Ok((TriMesh { positions: compacted.positions, triangles }, notes))
}

/// Corner opposite to the longest edge if the triangle has no area.
fn thin_corner(positions: &[Vec3], triangle: [u32; 3]) -> Option<usize> {
    let [a, b, c] = triangle.map(|v| precise(positions[v as usize]));
    let lengths = [(c - b).length(), (a - c).length(), (b - a).length()];
    let corner = (0..3).fold(0, |best, k| if lengths[k] > lengths[best] { k } else { best });
    let longest = lengths[corner];
    ((b - a).cross(c - a).length() <= THIN * longest * longest).then_some(corner)
}

fn repeats_vertex([a, b, c]: [u32; 3]) -> bool {
    a == b || b == c || c == a
}

/// Removes triangles without area by flipping their longest edge with the adjacent triangle.
///
/// The third vertex of such a triangle lies on the neighbor's edge. Removing it would open the surface
/// along that edge; the flip splits the neighbor at the vertex instead. If there is no
/// unique neighbor, the triangle is left for [`keep_good`] to remove.
fn flip_thin(positions: &[Vec3], triangles: &mut [[u32; 3]]) -> Tally {
    let mut flipped = Tally::default();
    let thin: Vec<usize> = (0..triangles.len())
        .filter(|&i| !repeats_vertex(triangles[i]) && thin_corner(positions, triangles[i]).is_some())
        .collect();
    if thin.is_empty() {
        return flipped;
    }
    // Triangle of each directed edge; SHARED if there are several.
    const SHARED: usize = usize::MAX;
    let mut behind: HashMap<(u32, u32), usize> = HashMap::with_capacity(3 * triangles.len());
    for (index, &triangle) in triangles.iter().enumerate().filter(|(_, t)| !repeats_vertex(**t)) {
        for edge in edges(triangle) {
            behind.entry(edge).and_modify(|owner| *owner = SHARED).or_insert(index);
        }
    }
    for index in thin {
        let triangle = triangles[index];
        let Some(corner) = thin_corner(positions, triangle) else {
            continue;
        };
        let (apex, a, b) = (triangle[corner], triangle[(corner + 1) % 3], triangle[(corner + 2) % 3]);
        let Some(&neighbor) = behind.get(&(b, a)).filter(|&&n| n != SHARED) else {
            continue;
        };
        if behind.get(&(a, b)) != Some(&index) {
            continue;
        }
        let Some(far) = triangles[neighbor].into_iter().find(|&v| v != a && v != b) else {
            continue;
        };
        let split = [[apex, a, far], [far, b, apex]];
        let new_edge_is_free = !behind.contains_key(&(far, apex)) && !behind.contains_key(&(apex, far));
        let good = |t: [u32; 3]| !repeats_vertex(t) && thin_corner(positions, t).is_none();
        if !(new_edge_is_free && good(split[0]) && good(split[1])) {
            continue;
        }
        behind.remove(&(a, b));
        behind.remove(&(b, a));
        for (slot, new) in [(index, split[0]), (neighbor, split[1])] {
            triangles[slot] = new;
            for edge in edges(new) {
                // An edge with several triangles stays SHARED.
                behind.entry(edge).and_modify(|o| *o = if *o == SHARED { SHARED } else { slot }).or_insert(slot);
            }
        }
        flipped.add(index);
    }
    flipped
}

/// The three directed edges of a triangle.
pub(crate) fn edges([a, b, c]: [u32; 3]) -> [(u32, u32); 3] {
    [(a, b), (b, c), (c, a)]
}

/// Triangles with area, without duplicates, and their original indices.
fn keep_good(positions: &[Vec3], triangles: &[[u32; 3]], notes: &mut Vec<String>) -> (Vec<[u32; 3]>, Vec<u32>) {
    let (mut flat, mut repeated) = (Tally::default(), Tally::default());
    let mut seen: HashSet<[u32; 3]> = HashSet::with_capacity(triangles.len());
    let (mut kept, mut origin) = (Vec::with_capacity(triangles.len()), Vec::with_capacity(triangles.len()));
    for (index, &triangle) in triangles.iter().enumerate() {
        let mut sorted = triangle;
        sorted.sort_unstable();
        if repeats_vertex(triangle) || thin_corner(positions, triangle).is_some() {
            flat.add(index);
        } else if !seen.insert(sorted) {
            repeated.add(index);
        } else {
            kept.push(triangle);
            origin.push(index as u32);
        }
    }
    flat.note(notes, "dropped", "triangle", " without area");
    repeated.note(notes, "dropped", "triangle", " listed twice");
    (kept, origin)
}
