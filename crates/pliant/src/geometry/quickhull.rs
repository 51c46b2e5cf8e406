//! Convex hulls by quickhull in integer arithmetic (Barber, Dobkin, Huhdanpaa 1996).
//!
//! Points are snapped to a grid of 2²⁸ steps along the longest side of their box, finer than single precision. Every
//! decision is the sign of an integer that fits 128 bits: no face is inverted, no point is omitted by
//! rounding, and coplanar points need no tolerance.

use glam::DVec3;

/// Grid steps along the longest side. Differences have 29 bits, volumes 90, squares of areas 120.
const GRID_STEPS: f64 = (1_u32 << 28) as f64;

/// A point of the fixed-point grid.
type Place = [i64; 3];

/// Corners and triangles of a hull, counter-clockwise from outside. Coplanar triangles are not merged.
#[derive(Clone, Debug, PartialEq)]
pub struct Polytope {
    /// Indices of the points that are its corners.
    pub corners: Vec<u32>,
    /// Triangles, indices into `corners`.
    pub triangles: Vec<[u32; 3]>,
    /// Face of each triangle: equal for triangles in the same plane.
    pub faces: Vec<u32>,
}

/// One triangle of the growing hull.
struct Facet {
    corners: [u32; 3],
    /// Adjacent facet across the edge from corner k to the next one.
    beyond: [u32; 3],
    /// Points strictly above it, assigned to this facet only.
    outside: Vec<u32>,
    /// Whether it is still part of the hull.
    alive: bool,
    /// Last round that tested it, and the result.
    seen: (u32, bool),
}

/// Convex hull of points; `None` if all lie in one plane. Coordinates must be finite.
pub fn hull(points: &[DVec3]) -> Option<Polytope> {
    let places = snap(points)?;
    let mut growing = Growing::start(&places)?;
    let mut waiting: Vec<u32> = (0..growing.facets.len() as u32).collect();
    let mut round = 0;
    while let Some(number) = waiting.pop() {
        let facet = &growing.facets[number as usize];
        if !facet.alive || facet.outside.is_empty() {
            continue;
        }
        round += 1;
        growing.add_apex(number, round, &mut waiting);
    }
    Some(growing.finish())
}

fn snap(points: &[DVec3]) -> Option<Vec<Place>> {
    let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low, high) = points.iter().fold(start, |(l, h), &p| (l.min(p), h.max(p)));
    let size = (high - low).max_element();
    if !(size.is_finite() && size > 0.0) {
        return None;
    }
    let scale = GRID_STEPS / size;
    Some(points.iter().map(|&p| ((p - low) * scale).round().to_array().map(|c| c as i64)).collect())
}

fn minus(a: Place, b: Place) -> [i128; 3] {
    std::array::from_fn(|k| i128::from(a[k] - b[k]))
}

fn cross(a: [i128; 3], b: [i128; 3]) -> [i128; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [i128; 3], b: [i128; 3]) -> i128 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

struct Growing<'a> {
    places: &'a [Place],
    facets: Vec<Facet>,
}

impl<'a> Growing<'a> {
    /// The initial tetrahedron; every other point is assigned to a facet it is above, or dropped.
    fn start(places: &'a [Place]) -> Option<Self> {
        let all = 0..places.len() as u32;
        let at = |i: u32| places[i as usize];
        // Ties go to the first, everywhere.
        let most = |of: &dyn Fn(u32) -> i128| {
            all.clone().map(|i| (of(i), i)).reduce(|best, next| if next.0 > best.0 { next } else { best })
        };
        let a = all.clone().min_by_key(|&i| (at(i), i))?;
        let square = |v: [i128; 3]| dot(v, v);
        let (far, b) = most(&|i| square(minus(at(i), at(a))))?;
        let (area, c) = most(&|i| square(cross(minus(at(b), at(a)), minus(at(i), at(a)))))?;
        let normal = cross(minus(at(b), at(a)), minus(at(c), at(a)));
        let above = |i: u32| dot(normal, minus(at(i), at(a)));
        let (volume, d) = most(&|i| above(i).abs())?;
        if far == 0 || area == 0 || volume == 0 {
            return None;
        }
        // d below the triangle a b c, so that it faces outward.
        let (b, c) = if above(d) > 0 { (c, b) } else { (b, c) };
        let corners = [[a, b, c], [a, d, b], [b, d, c], [c, d, a]];
        let beyond = [[1, 2, 3], [3, 2, 0], [1, 3, 0], [2, 1, 0]];
        let facets = corners.iter().zip(beyond).map(|(&corners, beyond)| Facet {
            corners,
            beyond,
            outside: Vec::new(),
            alive: true,
            seen: (0, false),
        });
        let mut growing = Self { places, facets: facets.collect() };
        for i in all {
            growing.assign(i, &[0, 1, 2, 3]);
        }
        Some(growing)
    }

    /// Six times the signed volume of a facet and a point: positive if the point is above.
    fn above(&self, facet: u32, point: u32) -> i128 {
        let [a, b, c] = self.facets[facet as usize].corners.map(|i| self.places[i as usize]);
        dot(cross(minus(b, a), minus(c, a)), minus(self.places[point as usize], a))
    }

    /// Assigns a point to the first facet that it is above, or drops it.
    fn assign(&mut self, point: u32, facets: &[u32]) {
        if let Some(&facet) = facets.iter().find(|&&f| self.above(f, point) > 0) {
            self.facets[facet as usize].outside.push(point);
        }
    }

    /// Adds the point farthest above a facet: replaces all facets visible from it by a fan around it.
    fn add_apex(&mut self, facet: u32, round: u32, waiting: &mut Vec<u32>) {
        let points = self.facets[facet as usize].outside.iter();
        let farthest = points.map(|&p| (self.above(facet, p), p));
        let Some((_, apex)) = farthest.reduce(|best, next| if next.0 > best.0 { next } else { best }) else { return };
        let mut edges = Vec::new();
        let mut gone = Vec::new();
        self.find_horizon(facet, apex, round, &mut gone, &mut edges);
        let first = self.facets.len() as u32;
        let count = edges.len() as u32;
        for (k, &(from, to, behind)) in edges.iter().enumerate() {
            let number = first + k as u32;
            let (next, last) = (first + (k as u32 + 1) % count, first + (k as u32 + count - 1) % count);
            let beyond = [behind, next, last];
            self.facets.push(Facet {
                corners: [from, to, apex],
                beyond,
                outside: Vec::new(),
                alive: true,
                seen: (0, false),
            });
            let other = &mut self.facets[behind as usize];
            if let Some(side) = (0..3).find(|&s| other.corners[s] == to && other.corners[(s + 1) % 3] == from) {
                other.beyond[side] = number;
            }
            waiting.push(number);
        }
        let fan: Vec<u32> = (first..first + count).collect();
        for number in gone {
            let facet = &mut self.facets[number as usize];
            facet.alive = false;
            for point in std::mem::take(&mut facet.outside) {
                if point != apex {
                    self.assign(point, &fan);
                }
            }
        }
    }

    /// Finds all facets visible from `apex`, and the horizon edges in order, each with the facet across it.
    fn find_horizon(
        &mut self,
        start: u32,
        apex: u32,
        round: u32,
        gone: &mut Vec<u32>,
        edges: &mut Vec<(u32, u32, u32)>,
    ) {
        // Traversal of the visible region: edges of each facet in turn, starting after the one it was entered by. Uses
        // a list, as recursion could be as deep as the number of facets.
        self.facets[start as usize].seen = (round, true);
        gone.push(start);
        let mut path = vec![(start, 0, 3)];
        while let Some(&mut (facet, ref mut side, ref mut left)) = path.last_mut() {
            if *left == 0 {
                path.pop();
                continue;
            }
            let k = *side;
            (*side, *left) = ((k + 1) % 3, *left - 1);
            let Facet { corners, beyond, .. } = &self.facets[facet as usize];
            let (from, to, other) = (corners[k], corners[(k + 1) % 3], beyond[k]);
            let sees = match self.facets[other as usize].seen {
                (r, sees) if r == round => sees,
                _ => self.above(other, apex) > 0,
            };
            let known = self.facets[other as usize].seen.0 == round;
            self.facets[other as usize].seen = (round, sees);
            if !sees {
                edges.push((from, to, other));
            } else if !known {
                gone.push(other);
                let entered = (0..3).find(|&s| self.facets[other as usize].corners[s] == to).unwrap_or(0);
                path.push((other, (entered + 1) % 3, 2));
            }
        }
    }

    fn finish(self) -> Polytope {
        let alive: Vec<usize> = (0..self.facets.len()).filter(|&f| self.facets[f].alive).collect();
        let faces = self.faces(&alive);
        let mut corners: Vec<u32> = alive.iter().flat_map(|&f| self.facets[f].corners).collect();
        corners.sort_unstable();
        corners.dedup();
        let number = |c: u32| corners.binary_search(&c).unwrap_or(0) as u32;
        let triangles = alive.iter().map(|&f| self.facets[f].corners.map(number)).collect();
        Polytope { corners, triangles, faces }
    }

    /// Groups triangles that share a plane, exactly.
    fn faces(&self, alive: &[usize]) -> Vec<u32> {
        let mut face = vec![u32::MAX; self.facets.len()];
        let mut count = 0;
        for &start in alive {
            if face[start] != u32::MAX {
                continue;
            }
            let mut list = vec![start];
            face[start] = count;
            while let Some(f) = list.pop() {
                for &other in &self.facets[f].beyond {
                    let flat = || self.facets[other as usize].corners.iter().all(|&c| self.above(start as u32, c) == 0);
                    if face[other as usize] == u32::MAX && flat() {
                        face[other as usize] = count;
                        list.push(other as usize);
                    }
                }
            }
            count += 1;
        }
        alive.iter().map(|&f| face[f]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Pseudorandom numbers between −1 and 1.
    fn noise(seed: u64) -> impl FnMut() -> f64 {
        let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        move || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            (x >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    /// Checks that a hull is closed, oriented, a sphere by Euler's formula, and has no point above any facet.
    fn check(points: &[DVec3], what: &str) -> Polytope {
        let found = hull(points).unwrap_or_else(|| panic!("{what}: no hull"));
        let edges: HashSet<(u32, u32)> =
            found.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]).collect();
        assert_eq!(edges.len(), 3 * found.triangles.len(), "{what}: an edge is used twice");
        assert!(edges.iter().all(|&(a, b)| edges.contains(&(b, a))), "{what}: the surface is open");
        assert_eq!(found.corners.len() + found.triangles.len(), edges.len() / 2 + 2, "{what}: not a sphere");
        let places = snap(points).unwrap();
        for t in &found.triangles {
            let [a, b, c] = t.map(|v| places[found.corners[v as usize] as usize]);
            let normal = cross(minus(b, a), minus(c, a));
            assert!(normal.iter().any(|&n| n != 0), "{what}: a triangle has no area");
            assert!(places.iter().all(|&p| dot(normal, minus(p, a)) <= 0), "{what}: a point is outside");
        }
        found
    }

    #[test]
    fn hulls_of_random_points_are_closed_and_hold_every_point() {
        for (seed, count) in [(1, 4), (2, 5), (3, 10), (4, 100), (5, 2000)] {
            let mut next = noise(seed);
            let points: Vec<_> = (0..count).map(|_| DVec3::new(next(), next(), next())).collect();
            check(&points, &format!("{count} points in a cube"));
            let round: Vec<_> = points.iter().map(|p| p.normalize()).collect();
            let found = check(&round, &format!("{count} points on a sphere"));
            assert_eq!(found.corners.len(), count, "every point of a sphere is a corner");
        }
    }

    #[test]
    fn hulls_of_lattices_have_the_faces_of_a_cuboid() {
        // Thousands of coplanar and collinear points: only the eight corners remain.
        let mut points = Vec::new();
        for k in 0..1000 {
            points.push(DVec3::new(f64::from(k % 10), f64::from(k / 10 % 10) * 0.5, f64::from(k / 100) * 0.25));
        }
        let found = check(&points, "a lattice");
        let faces: HashSet<u32> = found.faces.iter().copied().collect();
        assert_eq!(faces.len(), 6);
    }

    #[test]
    fn flat_points_have_no_hull() {
        assert!(hull(&[]).is_none());
        assert!(hull(&[DVec3::ONE; 9]).is_none());
        let mut next = noise(7);
        let line: Vec<_> = (0..50).map(|_| DVec3::splat(next())).collect();
        assert!(hull(&line).is_none());
        let plane: Vec<_> = (0..50).map(|_| DVec3::new(next(), next(), 0.5)).collect();
        assert!(hull(&plane).is_none());
    }
}
