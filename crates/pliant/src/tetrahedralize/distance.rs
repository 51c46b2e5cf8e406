//! The solid that a triangle mesh encloses: nearest points, generalized winding numbers, crossings of segments.
//!
//! Double precision on the single-precision vertices of the mesh, relative to the center of its box. The tree is that of
//! `geometry::bvh`; every query has a fixed order, so that the same point always gives the same bits.
//!
//! References: Jacobson, Kavan, Sorkine-Hornung, "Robust inside-outside segmentation using generalized winding numbers",
//! 2013; Barill et al., "Fast winding numbers for soups and clouds", 2018 ([FWN]); Van Oosterom and Strackee, 1983.

use crate::geometry::bvh::{Bvh, Node};
use crate::mesh::TriMesh;
use glam::{DVec3, Vec3};
use std::f64::consts::PI;

/// Distance to a node's center, relative to its radius, from which on its dipole stands for its triangles ([FWN] 2.3). With
/// 2, winding numbers of closed meshes are wrong by up to a few hundredths, a tenth of what would change a side.
const FAR: f64 = 2.0;

/// Stack of a traversal; see `geometry::bvh`.
const STACK: usize = 64;

/// A closed, or nearly closed, surface with an inside.
pub(crate) struct Solid {
    nodes: Vec<Node>,
    dipoles: Vec<Dipole>,
    /// Corners of the triangles, in the order of the tree's leaves [m].
    corners: Vec<[DVec3; 3]>,
    /// Original numbers of the triangles, in the order of the tree's leaves.
    pub numbers: Vec<u32>,
    /// Origin of the local frame [m].
    pub center: DVec3,
}

/// Area vector of a node's triangles at their centroid.
#[derive(Clone, Copy, Default)]
struct Dipole {
    center: DVec3,
    area: DVec3,
    /// Square of `FAR` radii [m²].
    reach: f64,
}

/// The nearest point of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    pub point: DVec3,
    /// Squared distance [m²].
    pub square: f64,
    /// Triangle in the order of leaves.
    pub triangle: usize,
}

impl Solid {
    /// From a mesh whose triangles have area.
    pub fn new(mesh: &TriMesh) -> Self {
        let (low, high) =
            mesh.positions.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
        let center = (low.as_dvec3() + high.as_dvec3()) / 2.0;
        let places: Vec<Vec3> = mesh.positions.iter().map(|p| (p.as_dvec3() - center).as_vec3()).collect();
        let corners = |t: &[u32; 3]| t.map(|v| places[v as usize]);
        let boxes: Vec<_> =
            mesh.triangles.iter().map(corners).map(|[a, b, c]| (a.min(b).min(c), a.max(b).max(c))).collect();
        let (tree, numbers) = Bvh::new(&boxes);
        let nodes: Vec<Node> = tree.nodes().collect();
        let corners: Vec<_> =
            numbers.iter().map(|&i| corners(&mesh.triangles[i as usize]).map(|p| p.as_dvec3())).collect();
        let dipoles = dipoles(&nodes, &corners);
        Self { nodes, dipoles, corners, numbers, center }
    }

    /// Lowest and highest corner in the local frame [m].
    pub fn bounds(&self) -> (DVec3, DVec3) {
        self.nodes.first().map_or((DVec3::ZERO, DVec3::ZERO), |n| (n.min.as_dvec3(), n.max.as_dvec3()))
    }

    /// Normal of a triangle.
    pub fn normal(&self, triangle: usize) -> DVec3 {
        let [a, b, c] = self.corners[triangle];
        (b - a).cross(c - a).normalize_or_zero()
    }

    /// The nearest point. `hint`: a triangle that is probably near; the result does not depend on it, up to rounding.
    pub fn nearest(&self, p: DVec3, hint: usize) -> Nearest {
        let mut best = self.nearest_on(p, hint.min(self.corners.len() - 1));
        self.improve(p, &mut best);
        best
    }

    /// Distance to the surface, or `limit` if it is farther away [m].
    pub fn distance(&self, p: DVec3, limit: f64) -> f64 {
        let mut best = Nearest { point: p, square: limit * limit, triangle: 0 };
        self.improve(p, &mut best);
        best.square.sqrt()
    }

    fn nearest_on(&self, p: DVec3, triangle: usize) -> Nearest {
        let point = nearest_on_triangle(&self.corners[triangle], p);
        Nearest { point, square: point.distance_squared(p), triangle }
    }

    fn improve(&self, p: DVec3, best: &mut Nearest) {
        let apart = |n: u32| {
            let node = &self.nodes[n as usize];
            p.distance_squared(p.clamp(node.min.as_dvec3(), node.max.as_dvec3()))
        };
        let mut stack = [(0_u32, 0.0_f64); STACK];
        let mut depth = 1;
        stack[0] = (0, apart(0));
        while depth > 0 {
            depth -= 1;
            let (number, from) = stack[depth];
            if from >= best.square {
                continue;
            }
            let node = self.nodes[number as usize];
            if node.count > 0 {
                for i in node.start as usize..(node.start + node.count) as usize {
                    let here = self.nearest_on(p, i);
                    if here.square < best.square {
                        *best = here;
                    }
                }
                continue;
            }
            let (first, second) = (number + 1, node.start);
            let (a, b) = (apart(first), apart(second));
            let both = if b < a { [(first, a), (second, b)] } else { [(second, b), (first, a)] };
            for child in both {
                if child.1 < best.square {
                    stack[depth] = child;
                    depth += 1;
                }
            }
        }
    }

    /// Generalized winding number: 1 inside of a closed surface, 0 outside, 2 where two bodies overlap; fractions near holes.
    pub fn winding(&self, p: DVec3) -> f64 {
        let mut sum = 0.0;
        let mut near = Turn::default();
        let mut stack = [0_u32; STACK];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let number = stack[depth];
            let dipole = &self.dipoles[number as usize];
            let way = dipole.center - p;
            let square = way.length_squared();
            if square > dipole.reach {
                sum += way.dot(dipole.area) / (square * square.sqrt());
                continue;
            }
            let node = self.nodes[number as usize];
            if node.count > 0 {
                let range = node.start as usize..(node.start + node.count) as usize;
                self.corners[range].iter().for_each(|t| near.add(t, p));
                continue;
            }
            stack[depth] = node.start;
            stack[depth + 1] = number + 1;
            depth += 2;
        }
        sum / (4.0 * PI) + near.turns()
    }

    /// Whether a point is inside.
    pub fn holds(&self, p: DVec3) -> bool {
        self.winding(p) > 0.5
    }

    /// Change of the winding number along a segment, if no crossing is so close to the border of its triangle that rounding
    /// might count it twice or not at all.
    pub fn winding_step(&self, from: DVec3, to: DVec3) -> Option<i32> {
        let mut sum = 0;
        let mut clear = true;
        self.visit(from, to, |t| match crossing(t, from, to, -BORDER) {
            Some(_) => sum += if (to - from).dot((t[1] - t[0]).cross(t[2] - t[0])) < 0.0 { 1 } else { -1 },
            None => clear &= crossing(t, from, to, BORDER).is_none(),
        });
        clear.then_some(sum)
    }

    /// Fractions of a segment at which it crosses triangles, in ascending order, and again where two share the crossing.
    pub fn crossings(&self, from: DVec3, to: DVec3, found: &mut Vec<f64>) {
        found.clear();
        self.visit(from, to, |t| found.extend(crossing(t, from, to, 1e-9)));
        found.sort_unstable_by(f64::total_cmp);
    }

    /// Visits all triangles whose boxes a segment may touch.
    fn visit(&self, from: DVec3, to: DVec3, mut visit: impl FnMut(&[DVec3; 3])) {
        let (low, high) = (from.min(to), from.max(to));
        let mut stack = [0_u32; STACK];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let number = stack[depth];
            let node = self.nodes[number as usize];
            if node.min.as_dvec3().cmpgt(high).any() || node.max.as_dvec3().cmplt(low).any() {
                continue;
            }
            if node.count > 0 {
                self.corners[node.start as usize..(node.start + node.count) as usize].iter().for_each(&mut visit);
                continue;
            }
            stack[depth] = node.start;
            stack[depth + 1] = number + 1;
            depth += 2;
        }
    }
}

fn dipoles(nodes: &[Node], corners: &[[DVec3; 3]]) -> Vec<Dipole> {
    // Sums of area, area vector and area times center; children follow their parents.
    let mut sums = vec![(0.0, DVec3::ZERO, DVec3::ZERO); nodes.len()];
    for n in (0..nodes.len()).rev() {
        let node = &nodes[n];
        sums[n] = if node.count > 0 {
            let leaves = &corners[node.start as usize..(node.start + node.count) as usize];
            leaves.iter().fold((0.0, DVec3::ZERO, DVec3::ZERO), |(area, vector, moment), [a, b, c]| {
                let v = (*b - *a).cross(*c - *a) / 2.0;
                (area + v.length(), vector + v, moment + (*a + *b + *c) / 3.0 * v.length())
            })
        } else {
            let (a, b) = (sums[n + 1], sums[node.start as usize]);
            (a.0 + b.0, a.1 + b.1, a.2 + b.2)
        };
    }
    let dipole = |(node, (area, vector, moment)): (&Node, (f64, DVec3, DVec3))| {
        let (min, max) = (node.min.as_dvec3(), node.max.as_dvec3());
        let center = if area > 0.0 { moment / area } else { (min + max) / 2.0 };
        let radius = (center - min).max(max - center).length();
        Dipole { center, area: vector, reach: (FAR * radius).powi(2) }
    };
    nodes.iter().zip(sums).map(dipole).collect()
}

/// Sum of solid angles of triangles (Van Oosterom and Strackee): the half of each is the argument of a complex number, and
/// the argument of their product, with its full turns counted, the half of the sum. One arc tangent serves for all.
struct Turn {
    re: f64,
    im: f64,
    full: f64,
}

impl Default for Turn {
    fn default() -> Self {
        Self { re: 1.0, im: 0.0, full: 0.0 }
    }
}

impl Turn {
    /// Adds a triangle, positive seen from behind.
    fn add(&mut self, t: &[DVec3; 3], p: DVec3) {
        let [a, b, c] = t.map(|v| v - p);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let above = a.dot(b.cross(c));
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        let (re, im) = (self.re * below - self.im * above, self.re * above + self.im * below);
        // Two arguments of one sign whose sum has the other have passed half a turn.
        if self.im > 0.0 && above > 0.0 && im < 0.0 {
            self.full += 1.0;
        } else if self.im < 0.0 && above < 0.0 && im > 0.0 {
            self.full -= 1.0;
        }
        let size = re.abs() + im.abs();
        // A point on a corner has no angle there.
        if size > 0.0 {
            (self.re, self.im) = (re / size, im / size);
        }
    }

    /// The sum in full spheres.
    fn turns(&self) -> f64 {
        self.full + libm::atan2(self.im, self.re) / (2.0 * PI)
    }
}

/// Width of the border of a triangle, relative to its edges, and of the ends of a segment, where crossings are doubtful.
const BORDER: f64 = 1e-7;

/// Where a segment crosses a triangle that is larger by `slack` on all sides.
fn crossing(&[a, b, c]: &[DVec3; 3], from: DVec3, to: DVec3, slack: f64) -> Option<f64> {
    let way = to - from;
    let (u, v) = (b - a, c - a);
    let across = way.cross(v);
    let det = u.dot(across);
    if det == 0.0 {
        return None;
    }
    let start = from - a;
    let s = start.dot(across) / det;
    let turned = start.cross(u);
    let r = way.dot(turned) / det;
    let t = v.dot(turned) / det;
    let inside = s >= -slack && r >= -slack && s + r <= 1.0 + slack && (-slack..=1.0 + slack).contains(&t);
    inside.then(|| t.clamp(0.0, 1.0))
}

/// The point of a triangle nearest to `p`, by the Voronoi regions of its features (Ericson 2005, 5.1.5).
pub(crate) fn nearest_on_triangle(&[a, b, c]: &[DVec3; 3], p: DVec3) -> DVec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let scale = 1.0 / (va + vb + vc);
    a + ab * (vb * scale) + ac * (vc * scale)
}
