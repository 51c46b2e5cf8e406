//! Objects whose particles are too far apart for contacts of particles to hold each other.

use crate::frame::Topology;
use glam::Vec3;

/// Contacts of particles close the cells of a surface up to this part of its mean edge, diagonals included: the center of a square
/// cell is 0.71 of its side from the corners, and the mean edge 1.14 of it.
const CELL: f64 = 0.62;

/// The worst pair of objects with triangles one of which may pass between the particles of the other; none if all are held.
/// `meet`: whether two objects touch each other.
pub fn leak(topology: &Topology, rest: &[Vec3], meet: impl Fn(u32, u32) -> bool) -> Option<[u32; 2]> {
    let mut surfaces: Vec<(u32, Cells)> = Vec::new();
    let particles = rest.len().min(topology.radii.len());
    for corners in topology.triangles.iter().filter(|corners| corners.iter().all(|&i| (i as usize) < particles)) {
        let object = topology.objects[corners[0] as usize];
        if surfaces.last().is_none_or(|(last, _)| *last != object) {
            surfaces.push((object, Cells::default()));
        }
        if let Some((_, cells)) = surfaces.last_mut() {
            cells.add(topology, rest, corners);
        }
    }
    surfaces.sort_by_key(|(object, _)| *object);
    surfaces.dedup_by(|(object, cells), (last, sum)| {
        let same = object == last;
        if same {
            (sum.edges, sum.count, sum.radius) =
                (sum.edges + cells.edges, sum.count + cells.count, sum.radius.min(cells.radius));
        }
        same
    });
    // The widest cells against the smallest particles; then each of these against the other.
    let widest =
        *surfaces.iter().map(|(object, cells)| (object, cells.opening())).max_by(|a, b| a.1.total_cmp(&b.1))?.0;
    let excess = |a: &(u32, Cells), b: &(u32, Cells)| {
        let together = a.1.radius + b.1.radius;
        if a.0 != b.0 && meet(a.0, b.0) { a.1.opening() - together } else { f64::NEG_INFINITY }
    };
    let coarse = surfaces.iter().find(|(object, _)| *object == widest)?;
    let pairs = surfaces.iter().map(|other| ([coarse.0, other.0], excess(coarse, other)));
    let next = |best: ([u32; 2], f64), pair: ([u32; 2], f64)| if pair.1 > best.1 { pair } else { best };
    let ([a, b], most) = pairs.fold(([0, 0], 0.0), next);
    (most > 0.0).then_some([a.min(b), a.max(b)])
}

/// Edges and particles of a surface.
#[derive(Clone, Copy, Debug)]
struct Cells {
    /// Sum of the lengths of edges [m], and their number.
    edges: f64,
    count: u32,
    /// Least radius of a particle [m].
    radius: f64,
}

impl Default for Cells {
    fn default() -> Self {
        Self { edges: 0.0, count: 0, radius: f64::INFINITY }
    }
}

impl Cells {
    fn add(&mut self, topology: &Topology, rest: &[Vec3], corners: &[u32; 3]) {
        for k in 0..3 {
            let [a, b] = [corners[k] as usize, corners[(k + 1) % 3] as usize];
            self.edges += f64::from(rest[a].distance(rest[b]));
            self.radius = self.radius.min(f64::from(topology.radii[a]));
        }
        self.count += 3;
    }

    /// Distance of particles that two objects need together so that none passes [m].
    fn opening(&self) -> f64 {
        CELL * self.edges / f64::from(self.count.max(1))
    }
}
