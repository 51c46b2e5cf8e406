//! Convex parts whose union is nearly a given solid: rigid bodies collide as convex shapes.
//!
//! A box around the solid is cut by planes along the axes, always where hulls have the most volume that the solid does not
//! have, at the plane that leaves the least of it. At the end each box has the exact convex hull of the solid within it, and
//! hulls that make one with little more volume are joined. Rays tell how much of a box is solid.
//!
//! Invariant: sums and ties have a fixed order, so that the same mesh gives the same parts on every machine.
//!
//! References: Lien and Amato, *Approximate convex decomposition of polyhedra*, 2007; Mamou, *Volumetric hierarchical
//! approximate convex decomposition*, 2016.

mod cache;
mod clip;
mod rays;

pub use cache::cached_convex_parts;

use crate::geometry::quickhull;
use clip::{Planes, clipped, coarser, thinned};
use glam::DVec3;
use rays::Rays;

/// Rays along the longest side of the solid, and planes between which it may be cut.
const RAYS: usize = 24;
/// Planes that are tried along an axis at first; those beside the best one follow.
const TRIED: usize = 5;
/// Triangles beyond which planes are tried on a coarser surface.
const FINE: usize = 2000;
/// Cells along the longest side of the solid, each of which has one vertex of the coarser surface.
const COARSE: f64 = 20.0;
/// Volume of a hull that rays cannot tell from that of its part.
const NOISE: f64 = 0.01;
/// Share of the excess that a cut at the end of a box must save more than one in its middle.
const MIDDLE: f64 = 0.02;
/// Volume that joining parts may add in any case, relative to that of the solid.
const FREE: f64 = 0.002;

/// What to cut a solid into.
#[derive(Clone, Copy, Debug)]
pub struct PartLimits {
    /// Most parts.
    pub parts: usize,
    /// Volume that the parts may have beside the solid, relative to its volume.
    pub excess: f64,
    /// Most corners of a part; further ones are left out.
    pub corners: usize,
}

/// Convex parts of a solid.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexParts {
    /// Corners of each part [m].
    pub parts: Vec<Vec<DVec3>>,
    /// Volume of the parts relative to that of the solid, less 1.
    pub excess: f64,
}

/// Cuts the inside of a closed surface, counter-clockwise from outside, into convex parts; `None` if one hull is near enough, or
/// nothing has a volume.
pub fn convex_parts(points: &[DVec3], triangles: &[[u32; 3]], limits: &PartLimits) -> Option<ConvexParts> {
    let volume = mesh_volume(points, triangles);
    let whole = hull_volume(points)?;
    if volume <= 0.0 || limits.parts < 2 || whole - volume <= limits.excess * volume {
        return None;
    }
    let rays = Rays::new(points, triangles, RAYS);
    let coarser = (triangles.len() > FINE).then(|| coarser(points, triangles, COARSE));
    let tried = coarser.as_ref().map_or((points, triangles), |(p, t)| (&p[..], &t[..]));
    let part = |range| Part::new(points, triangles, &rays, range, limits.corners);
    let mut parts: Vec<Part> = vec![part(rays.whole())];
    while parts.len() < limits.parts {
        let total: f64 = parts.iter().map(|p| p.excess).sum();
        if total <= limits.excess * volume {
            break;
        }
        // The first of the worst.
        let worst = |best: usize, k: usize| if parts[k].excess > parts[best].excess { k } else { best };
        let worst = (1..parts.len()).fold(0, worst);
        // A first cut may save nothing, as that of a ring: it is made all the same, for those that follow.
        match best_cut(tried, &rays, &parts[worst]) {
            Some([low, high]) => {
                parts[worst] = part(low);
                parts.push(part(high));
            }
            None => parts[worst].excess = 0.0,
        }
    }
    let parts: Vec<Vec<DVec3>> = parts.into_iter().map(|p| p.corners).filter(|corners| !corners.is_empty()).collect();
    let all: f64 = parts.iter().filter_map(|part| hull_volume(part)).sum();
    let room = (limits.excess * volume - (all - volume)).max(FREE * volume);
    let parts = joined(parts, room, limits.corners);
    let all: f64 = parts.iter().filter_map(|part| hull_volume(part)).sum();
    (parts.len() > 1).then_some(ConvexParts { parts, excess: all / volume - 1.0 })
}

/// What of the solid is in a box of cells between rays.
struct Part {
    /// First cells, and those behind the last.
    range: [[usize; 3]; 2],
    /// Corners of its hull; none if it has no volume.
    corners: Vec<DVec3>,
    /// Volume of the hull that the solid does not have, as far as rays can tell.
    excess: f64,
}

impl Part {
    fn new(points: &[DVec3], triangles: &[[u32; 3]], rays: &Rays, range: [[usize; 3]; 2], most: usize) -> Self {
        let corners = hull_within((points, triangles), &rays.planes(range)).unwrap_or_default();
        let corners = if corners.len() > most { thinned(&corners, most) } else { corners };
        let excess = excess(hull_volume(&corners), rays.volume(range));
        Self { range, corners, excess }
    }
}

/// What a hull has beside a solid.
fn excess(hull: Option<f64>, solid: f64) -> f64 {
    let hull = hull.unwrap_or(0.0);
    if hull - solid <= NOISE * hull { 0.0 } else { hull - solid }
}

/// Ranges of both sides of the best plane to cut a box at.
fn best_cut(mesh: (&[DVec3], &[[u32; 3]]), rays: &Rays, whole: &Part) -> Option<[[[usize; 3]; 2]; 2]> {
    let mut best: Option<Cut> = None;
    let try_at = |best: &mut Option<Cut>, axis: usize, at: usize| {
        let [first, end] = [0, 1].map(|k| whole.range[k][axis]);
        if at <= first || at >= end {
            return;
        }
        let (mut low, mut high) = (whole.range, whole.range);
        (low[1][axis], high[0][axis]) = (at, at);
        let sides = [low, high];
        let solid = sides.map(|range| rays.volume(range));
        if solid.iter().any(|&volume| volume <= 0.0) {
            return;
        }
        let hull = |k: usize| hull_within(mesh, &rays.planes(sides[k])).and_then(|corners| hull_volume(&corners));
        let left: f64 = [0, 1].map(|k| excess(hull(k), solid[k])).iter().sum();
        let aside = (2.0 * (at - first) as f64 / (end - first) as f64 - 1.0).abs();
        let left = left + MIDDLE * whole.excess * aside;
        if best.as_ref().is_none_or(|cut| left < cut.left) {
            *best = Some(Cut { sides, left, axis, at });
        }
    };
    let step = |axis: usize| (whole.range[1][axis] - whole.range[0][axis]) / (TRIED + 1);
    for axis in 0..3 {
        let step = step(axis).max(1);
        (whole.range[0][axis] + step..whole.range[1][axis]).step_by(step).for_each(|at| try_at(&mut best, axis, at));
    }
    let (axis, mut center) = best.as_ref().map(|cut| (cut.axis, cut.at))?;
    let mut step = step(axis) / 2;
    while step > 0 {
        [center.saturating_sub(step), center + step].into_iter().for_each(|at| try_at(&mut best, axis, at));
        center = best.as_ref().map_or(center, |cut| cut.at);
        step /= 2;
    }
    best.map(|cut| cut.sides)
}

/// A plane that was tried.
struct Cut {
    sides: [[[usize; 3]; 2]; 2],
    left: f64,
    axis: usize,
    at: usize,
}

/// Joins parts whose common hull adds little: cuts that helped elsewhere divide what need not be. `room` is the volume that
/// may be added in all.
fn joined(mut parts: Vec<Vec<DVec3>>, mut room: f64, most: usize) -> Vec<Vec<DVec3>> {
    let mut volumes: Vec<f64> = parts.iter().map(|part| hull_volume(part).unwrap_or(0.0)).collect();
    let together = |a: &[DVec3], b: &[DVec3]| -> Vec<DVec3> { a.iter().chain(b).copied().collect() };
    let added = |parts: &[Vec<DVec3>], volumes: &[f64], a: usize, b: usize| {
        hull_volume(&together(&parts[a], &parts[b])).map_or(f64::INFINITY, |hull| hull - volumes[a] - volumes[b])
    };
    let row = |parts: &[Vec<DVec3>], volumes: &[f64], a: usize| -> Vec<f64> {
        (0..a).map(|b| added(parts, volumes, a, b)).collect()
    };
    let mut costs: Vec<Vec<f64>> = (0..parts.len()).map(|a| row(&parts, &volumes, a)).collect();
    loop {
        let pairs = (0..parts.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let Some((a, b)) = pairs.min_by(|&(a, b), &(c, d)| costs[a][b].total_cmp(&costs[c][d])) else { return parts };
        if costs[a][b] > room {
            return parts;
        }
        room -= costs[a][b].max(0.0);
        let all = together(&parts[a], &parts[b]);
        let corners: Vec<DVec3> = match quickhull::hull(&all) {
            Some(hull) => hull.corners.iter().map(|&k| all[k as usize]).collect(),
            None => all,
        };
        parts[b] = if corners.len() > most { thinned(&corners, most) } else { corners };
        volumes[b] = hull_volume(&parts[b]).unwrap_or(0.0);
        parts.remove(a);
        volumes.remove(a);
        costs.remove(a);
        for row in costs.iter_mut().skip(a) {
            row.remove(a);
        }
        costs[b] = row(&parts, &volumes, b);
        for c in b + 1..parts.len() {
            costs[c][b] = added(&parts, &volumes, c, b);
        }
    }
}

/// Corners of the hull of the solid within a box; nothing if it has no volume there.
fn hull_within((points, triangles): (&[DVec3], &[[u32; 3]]), planes: &Planes) -> Option<Vec<DVec3>> {
    let mut all = clipped(points, triangles, planes);
    all.extend(planes.corners().into_iter().filter(|&corner| rays::is_inside(points, triangles, corner)));
    let hull = quickhull::hull(&all)?;
    Some(hull.corners.iter().map(|&k| all[k as usize]).collect())
}

/// Volume of the convex hull of points; none if they lie in a plane.
fn hull_volume(points: &[DVec3]) -> Option<f64> {
    if points.len() < 4 {
        return None;
    }
    let hull = quickhull::hull(points)?;
    let corners: Vec<DVec3> = hull.corners.iter().map(|&k| points[k as usize]).collect();
    Some(mesh_volume(&corners, &hull.triangles))
}

/// Volume inside a closed surface.
fn mesh_volume(points: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    let Some(&origin) = points.first() else { return 0.0 };
    let one = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|k| points[k as usize] - origin);
        a.dot(b.cross(c)) / 6.0
    };
    triangles.iter().map(one).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: PartLimits = PartLimits { parts: 32, excess: 0.03, corners: 64 };

    /// A box between two corners.
    fn cuboid(low: [f64; 3], high: [f64; 3], points: &mut Vec<DVec3>, triangles: &mut Vec<[u32; 3]>) {
        let first = points.len() as u32;
        for k in 0..8 {
            let pick = |axis: usize| if k >> axis & 1 == 1 { high[axis] } else { low[axis] };
            points.push(DVec3::new(pick(0), pick(1), pick(2)));
        }
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        for [a, b, c, d] in quads {
            triangles.extend([[first + a, first + b, first + c], [first + a, first + c, first + d]]);
        }
    }

    /// A torus about y.
    fn torus(big: f64, small: f64, n: u32, m: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let angle = |k: u32, n: u32| std::f64::consts::TAU * f64::from(k) / f64::from(n);
        let mut points = Vec::new();
        let mut triangles = Vec::new();
        for i in 0..n {
            for j in 0..m {
                let (u, v) = (angle(i, n), angle(j, m));
                let r = big + small * libm::cos(v);
                points.push(DVec3::new(r * libm::cos(u), small * libm::sin(v), r * libm::sin(u)));
                let at = |i: u32, j: u32| (i % n) * m + j % m;
                let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        (points, triangles)
    }

    #[test]
    fn a_convex_solid_stays_whole() {
        let (mut points, mut triangles) = (Vec::new(), Vec::new());
        cuboid([0.1, 0.2, 0.3], [1.0, 0.9, 0.5], &mut points, &mut triangles);
        assert_eq!(convex_parts(&points, &triangles, &LIMITS), None);
    }

    #[test]
    fn legs_of_a_table_are_parts() {
        let (mut points, mut triangles) = (Vec::new(), Vec::new());
        cuboid([0.0, 0.7, 0.0], [1.2, 0.75, 0.8], &mut points, &mut triangles);
        for (x, z) in [(0.0, 0.0), (1.15, 0.0), (0.0, 0.75), (1.15, 0.75)] {
            cuboid([x, 0.0, z], [x + 0.05, 0.7, z + 0.05], &mut points, &mut triangles);
        }
        let found = convex_parts(&points, &triangles, &LIMITS).unwrap();
        assert!(found.excess.abs() < 0.05, "{}", found.excess);
        assert!((5..=20).contains(&found.parts.len()), "{}", found.parts.len());
        // Nothing is under the table but its legs.
        for part in &found.parts {
            let (low, high) =
                part.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), &p| (l.min(p), h.max(p)));
            assert!(low.y > 0.6 || (high - low).x < 0.2 && (high - low).z < 0.2, "{low} to {high}");
        }
    }

    #[test]
    fn a_ring_keeps_its_hole_and_its_volume() {
        let (points, triangles) = torus(1.0, 0.3, 48, 24);
        let volume = mesh_volume(&points, &triangles);
        let found = convex_parts(&points, &triangles, &LIMITS).unwrap();
        assert!(found.excess.abs() < 0.06, "{}", found.excess);
        assert!(found.parts.len() <= LIMITS.parts);
        let sum: f64 = found.parts.iter().filter_map(|part| hull_volume(part)).sum();
        assert!((sum / volume - 1.0 - found.excess).abs() < 1e-9);
        for part in &found.parts {
            assert!(part.len() <= LIMITS.corners);
            // No part reaches into the hole.
            let center = part.iter().copied().sum::<DVec3>() / part.len() as f64;
            let nearest = part.iter().map(|p| p.dot(DVec3::new(center.x, 0.0, center.z).normalize()));
            assert!(nearest.fold(f64::INFINITY, f64::min) > 0.45, "{center}");
        }
        assert_eq!(convex_parts(&points, &triangles, &LIMITS), Some(found));
    }

    #[test]
    fn walls_and_bottom_of_a_tray_are_parts() {
        let rim = |h: f64, y: f64| [[-h, y, -h], [h, y, -h], [h, y, h], [-h, y, h]].map(DVec3::from);
        let points = [rim(0.3, 0.0), rim(0.3, 0.3), rim(0.26, 0.3), rim(0.26, 0.04)].concat();
        let mut triangles = vec![[0, 1, 2], [0, 2, 3], [12, 14, 13], [12, 15, 14]];
        for (level, k) in (0..3_u32).flat_map(|level| (0..4_u32).map(move |k| (level, k))) {
            let at = |level: u32, k: u32| 4 * level + k % 4;
            let [a, b, c, d] = [at(level, k), at(level, k + 1), at(level + 1, k + 1), at(level + 1, k)];
            triangles.extend([[a, c, b], [a, d, c]]);
        }
        let found = convex_parts(&points, &triangles, &LIMITS).unwrap();
        // Walls are no whole number of cells: a strip of the bottom stays with them.
        assert!(found.excess.abs() < 0.12, "{} in {} parts", found.excess, found.parts.len());
    }

    #[test]
    fn few_parts_are_better_than_none() {
        let (points, triangles) = torus(1.0, 0.3, 48, 24);
        let four = convex_parts(&points, &triangles, &PartLimits { parts: 4, ..LIMITS }).unwrap();
        let hull = hull_volume(&points).unwrap() / mesh_volume(&points, &triangles) - 1.0;
        assert!(four.parts.len() == 4 && four.excess < 0.6 * hull, "{} of {hull}", four.excess);
    }
}
