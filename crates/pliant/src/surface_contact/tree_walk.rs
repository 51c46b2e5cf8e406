//! Walks of the trees of two surfaces, or of one with itself, down to the features that may touch in a substep.

use crate::collision::Friction;
use crate::contact::cpu::SeenColliders;
use crate::contact::cpu::particle_contacts::FRICTIONLESS;
use crate::contact::model::ContactModel;
use crate::state::Push;
use crate::surface_contact::bounds::{Bounds, overlap, swept, union};
use crate::surface_contact::conservative::approach;
use crate::surface_contact::model::{Carrier, Surface, SurfaceModel};
use crate::surface_contact::motion::Motion;
use crate::surface_contact::pair::{Kind, NO_FEATURE, Pair, nearest};
use glam::Vec3;

/// Features of one surface keep this share of their distance at rest at most: neighbors are no contacts.
const AT_REST: f32 = 0.25;

/// Neighbors do not touch where the surface bends by less than this between them, as a cosine.
const FLAT: f32 = 0.5;

/// Inputs of a search.
#[derive(Clone, Copy)]
pub struct SearchInputs<'a> {
    pub surfaces: &'a SurfaceModel,
    pub contact: &'a ContactModel<'a>,
    pub colliders: SeenColliders<'a>,
    pub motion: &'a Motion,
}

/// Two nodes of the trees of two surfaces, or points and a surface.
#[derive(Clone, Copy)]
pub(super) enum SearchItem {
    Nodes { surfaces: [u32; 2], nodes: [u32; 2] },
    Points { first: u32, count: u32 },
}

/// A task with its results.
#[derive(Default)]
pub(super) struct Task {
    pub(super) work: Option<SearchItem>,
    pub(super) stack: Vec<[u32; 2]>,
    pub(super) found: Vec<Pair>,
}

/// Trees of a substep.
pub(super) struct Trees<'a> {
    pub(super) inputs: &'a SearchInputs<'a>,
    pub(super) nodes: &'a [Bounds],
    pub(super) primitives: &'a [Bounds],
    pub(super) vertices: &'a [Bounds],
    pub(super) normals: &'a [Vec3],
    pub(super) drifts: &'a [Vec3],
    pub(super) centers: &'a [Vec3],
}

/// Shared by all pairs of two surfaces.
#[derive(Clone, Copy)]
struct SurfacePair {
    /// Displacement of the first relative to the second [m].
    drift: Vec3,
    /// Whether both are one surface.
    itself: bool,
    /// From the center of the second to that of the first.
    apart: Vec3,
    /// Whether one of them is a collider. Vertices keep their radius from colliders, triangles half of it.
    collider: bool,
    friction: Friction,
}

impl Trees<'_> {
    fn surface(&self, number: u32) -> &Surface {
        &self.inputs.surfaces.surfaces[number as usize]
    }

    /// Whether two nodes may meet in the substep.
    pub(super) fn overlap(&self, surfaces: [usize; 2], nodes: [u32; 2]) -> bool {
        let way = self.drifts[surfaces[0]] - self.drifts[surfaces[1]];
        let [a, b] = nodes.map(|n| &self.nodes[n as usize]);
        if surfaces[0] == surfaces[1] { overlap(a, b) } else { overlap(&swept(a, way), b) }
    }

    /// Whether two surfaces touch at all; the first one is of particles.
    pub(super) fn may_touch(&self, one: &Surface, other: &Surface) -> bool {
        let SearchInputs { surfaces, contact, .. } = *self.inputs;
        let Carrier::Object(a) = one.carrier else { return false };
        let particle = surfaces.particles[one.vertices.start] as usize;
        match other.carrier {
            Carrier::Collider(c) => {
                contact.environments.sees(one.environment, c as usize)
                    && contact.pairs().touches_collider(particle, c as usize)
            }
            Carrier::Object(b) => {
                let groups = |object| contact.table.object(object).groups;
                one.environment == other.environment
                    && groups(a).touches(groups(b))
                    && !surfaces.attached.contains(&[a.min(b), a.max(b)])
            }
        }
    }

    fn surface_pair(&self, [a, b]: [u32; 2]) -> SurfacePair {
        let SearchInputs { surfaces, contact, colliders, .. } = self.inputs;
        let (one, other) = (self.surface(a), self.surface(b));
        let drift = if a == b { Vec3::ZERO } else { self.drifts[a as usize] - self.drifts[b as usize] };
        let particle = surfaces.particles[one.vertices.start] as usize;
        let own = one.object().unwrap_or(0);
        let friction = match other.carrier {
            Carrier::Collider(c) => colliders.of(particle, c as usize).friction,
            Carrier::Object(object) => contact.table.friction_between(own, object, surfaces.friction),
        };
        let apart = self.centers[a as usize] - self.centers[b as usize];
        SurfacePair { drift, itself: a == b, apart, collider: other.collider().is_some(), friction }
    }

    /// The next level of a task; the task itself where it has none.
    pub(super) fn children(&self, work: SearchItem, out: &mut Vec<SearchItem>) {
        let SearchItem::Nodes { surfaces, nodes: [a, b] } = work else { return out.push(work) };
        let numbers = surfaces.map(|s| s as usize);
        let mut push = |nodes: [u32; 2]| {
            if nodes[0] == nodes[1] && surfaces[0] == surfaces[1] || self.overlap(numbers, nodes) {
                out.push(SearchItem::Nodes { surfaces, nodes });
            }
        };
        let [left, right] = surfaces.map(|s| self.surface(s));
        match (self.split(left, a), self.split(right, b)) {
            (None, None) => out.push(work),
            (Some([c, d]), _) if surfaces[0] == surfaces[1] && a == b => {
                push([c, c]);
                push([d, d]);
                push([c, d]);
            }
            (Some([c, d]), right) if right.is_none() || self.size(a) >= self.size(b) => {
                push([c, b]);
                push([d, b]);
            }
            (_, Some([c, d])) => {
                push([a, c]);
                push([a, d]);
            }
            (Some(_), None) => unreachable!("covered above"),
        }
    }

    /// Children of a node; none of a leaf.
    fn split(&self, surface: &Surface, node: u32) -> Option<[u32; 2]> {
        let here = &self.inputs.surfaces.nodes[node as usize];
        (here.count == 0).then_some([node + 1, surface.nodes.start as u32 + here.start])
    }

    fn size(&self, node: u32) -> f32 {
        let [low, high] = self.nodes[node as usize];
        (high - low).element_sum()
    }

    pub(super) fn run(&self, task: &mut Task) {
        match task.work.take() {
            Some(SearchItem::Nodes { surfaces, nodes }) => self.walk(surfaces, nodes, task),
            Some(SearchItem::Points { first, count }) => {
                (first..first + count).for_each(|point| self.point(point, task))
            }
            None => {}
        }
    }

    fn walk(&self, surfaces: [u32; 2], nodes: [u32; 2], task: &mut Task) {
        let between = self.surface_pair(surfaces);
        let [left, right] = surfaces.map(|s| self.surface(s));
        let Task { stack, found, .. } = task;
        stack.clear();
        stack.push(nodes);
        while let Some([a, b]) = stack.pop() {
            let same = between.itself && a == b;
            if !same && !overlap(&swept(&self.nodes[a as usize], between.drift), &self.nodes[b as usize]) {
                continue;
            }
            match (self.split(left, a), self.split(right, b)) {
                (None, None) => self.leaves(&between, [left, right], [a, b], found),
                (Some([c, d]), _) if same => stack.extend([[c, c], [d, d], [c, d]]),
                (Some([c, d]), other) if other.is_none() || self.size(a) >= self.size(b) => {
                    stack.extend([[c, b], [d, b]]);
                }
                (_, Some([c, d])) => stack.extend([[a, c], [a, d]]),
                (Some(_), None) => unreachable!("covered above"),
            }
        }
    }

    fn leaf(&self, surface: &Surface, node: u32) -> std::ops::Range<usize> {
        let here = &self.inputs.surfaces.nodes[node as usize];
        let first = surface.primitives.start + here.start as usize;
        first..first + here.count as usize
    }

    fn leaves(&self, between: &SurfacePair, [left, right]: [&Surface; 2], [a, b]: [u32; 2], found: &mut Vec<Pair>) {
        let same = between.itself && a == b;
        let others = self.leaf(right, b);
        for i in self.leaf(left, a) {
            let bounds = swept(&self.primitives[i], between.drift);
            let others = if same { i + 1..others.end } else { others.clone() };
            for j in others {
                if overlap(&bounds, &self.primitives[j]) {
                    self.primitives(between, i, j, found);
                }
            }
        }
    }

    /// All pairs of features that belong to two primitives.
    fn primitives(&self, between: &SurfacePair, i: usize, j: usize, found: &mut Vec<Pair>) {
        let all = &self.inputs.surfaces.primitives;
        let (one, other) = (&all[i], &all[j]);
        if between.itself && self.normals[i].dot(self.normals[j]) > FLAT && one.is_beside(other) {
            return;
        }
        let (mine, theirs) = (swept(&self.primitives[i], between.drift), &self.primitives[j]);
        if other.is_triangle() {
            for v in one.vertices().filter(|v| !other.corners.contains(v)) {
                if overlap(&self.around(v, between.drift), theirs) {
                    let [a, b, c] = other.corners;
                    self.test(between, Kind::VertexTriangle, [v, a, b, c], found);
                }
            }
        }
        if one.is_triangle() {
            for v in other.vertices().filter(|v| !one.corners.contains(v)) {
                if overlap(&self.around(v, Vec3::ZERO), &mine) {
                    let [a, b, c] = one.corners;
                    self.test(between, Kind::VertexTriangle, [v, a, b, c], found);
                }
            }
        }
        for [a, b] in one.edges() {
            let bounds = union(self.around(a, between.drift), &self.around(b, between.drift));
            if !overlap(&bounds, theirs) {
                continue;
            }
            for [c, d] in other.edges().filter(|e| !e.contains(&a) && !e.contains(&b)) {
                let against = union(self.around(c, Vec3::ZERO), &self.around(d, Vec3::ZERO));
                if overlap(&bounds, &against) {
                    self.test(between, Kind::EdgeEdge, [a, b, c, d], found);
                }
            }
        }
    }

    /// Bounds of a vertex, whose surface drifts by `drift` relative to the other.
    #[inline]
    fn around(&self, v: u32, drift: Vec3) -> Bounds {
        swept(&self.vertices[v as usize], drift)
    }

    /// Lists a pair if it may touch.
    fn test(&self, between: &SurfacePair, kind: Kind, vertices: [u32; 4], found: &mut Vec<Pair>) {
        let SearchInputs { surfaces, motion, .. } = self.inputs;
        let of = |list: &[Vec3]| vertices.map(|v| list[v as usize]);
        let room = |list: &[f32]| vertices.map(|v| list[v as usize]);
        let weights = room(&motion.inv_masses);
        if weights == [0.0; 4] && room(&motion.bodies) == [0.0; 4] {
            return;
        }
        let radii = room(&motion.radii);
        let second = if kind == Kind::VertexTriangle { 1 } else { 2 };
        let mut thickness = radii[0] + radii[second];
        if between.collider {
            thickness *= 0.5;
        }
        let cores = room(&motion.cores);
        let core = cores[0] + cores[second];
        let slack = room(&motion.slack);
        let (first, rest) = slack.split_at(second);
        let most = |list: &[f32]| list.iter().copied().fold(0.0, f32::max);
        let reach = core + approach(kind, &of(&motion.way)) + most(first) + most(rest);
        let feet = nearest(kind, &of(&motion.start));
        if feet.distance > reach + thickness {
            return;
        }
        if between.itself {
            let rest = nearest(kind, &of(&surfaces.rest)).distance;
            thickness = thickness.min(AT_REST * rest);
            if feet.distance > reach + thickness {
                return;
            }
        }
        found.push(Pair {
            vertices,
            kind,
            core,
            thickness,
            start_distance: feet.distance - core,
            side: side(kind, &of(&motion.start), feet.apart, between.apart),
            friction: between.friction,
            push: Push::default(),
            received: Vec3::ZERO,
            feature: NO_FEATURE,
            weights: feet.weights,
        });
    }

    /// All triangles that a point may touch.
    fn point(&self, point: u32, task: &mut Task) {
        let SearchInputs { surfaces, contact, motion, .. } = self.inputs;
        let particle = motion.particles[point as usize] as usize;
        let environment = contact.environments.of(particle) as u32;
        let object = contact.topology.objects[particle];
        let wet = contact.liquids.get(particle).is_some_and(|&l| l > 0);
        let groups = |object| contact.table.object(object).groups;
        let here = self.around(point, Vec3::ZERO);
        for (number, surface) in surfaces.surfaces.iter().enumerate() {
            let Carrier::Object(other) = surface.carrier else { break };
            let bounds = swept(&here, -self.drifts[number]);
            if !overlap(&bounds, &self.nodes[surface.nodes.start])
                || surface.environment != environment
                || !groups(object).touches(groups(other))
                || surfaces.attached.contains(&[object.min(other), object.max(other)])
            {
                continue;
            }
            let friction = match wet {
                true => FRICTIONLESS,
                false => contact.table.friction_between(object, other, surfaces.friction),
            };
            let between =
                SurfacePair { drift: Vec3::ZERO, itself: false, apart: Vec3::ZERO, collider: false, friction };
            let Task { stack, found, .. } = task;
            stack.clear();
            stack.push([surface.nodes.start as u32; 2]);
            while let Some([node, _]) = stack.pop() {
                if !overlap(&bounds, &self.nodes[node as usize]) {
                    continue;
                }
                if let Some([c, d]) = self.split(surface, node) {
                    stack.extend([[c; 2], [d; 2]]);
                    continue;
                }
                for k in self.leaf(surface, node) {
                    let primitive = &surfaces.primitives[k];
                    if primitive.is_triangle() && overlap(&bounds, &self.primitives[k]) {
                        let [a, b, c] = primitive.corners;
                        self.test(&between, Kind::VertexTriangle, [point, a, b, c], found);
                    }
                }
            }
        }
    }
}

/// Direction from the second feature to the first. Surfaces that touch exactly lie on the sides of their centers.
fn side(kind: Kind, x: &[Vec3; 4], apart: Vec3, centers: Vec3) -> Vec3 {
    if apart.length_squared() > 1e-18 {
        return apart.normalize_or_zero();
    }
    let normal = match kind {
        Kind::VertexTriangle => (x[2] - x[1]).cross(x[3] - x[1]),
        Kind::EdgeEdge => (x[1] - x[0]).cross(x[3] - x[2]),
    };
    (normal * normal.dot(centers)).normalize_or_zero()
}
