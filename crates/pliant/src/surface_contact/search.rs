//! Pairs that may touch in a substep.
//!
//! Boxes hold a primitive over the substep, its radius and its slack, relative to the mean motion of its surface: a cloth
//! that falls as a whole has the boxes of one at rest. The trees of two surfaces are walked together, each pair of nodes
//! once; that of one surface with itself. Tasks and their order depend on the surfaces alone, so that lists do not depend
//! on the number of threads.
//!
//! A pair is listed if its distance at the start is within the thickness plus the ways by which its vertices may approach.

use crate::collision::Friction;
use crate::contact::cpu::SeenColliders;
use crate::contact::cpu::particle_contacts::FRICTIONLESS;
use crate::contact::model::ContactModel;
use crate::memory::of;
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::threads::Threads;
use crate::state::Push;
use crate::surface_contact::conservative::approach;
use crate::surface_contact::model::{Carrier, Surface, SurfaceModel};
use crate::surface_contact::motion::Motion;
use crate::surface_contact::pair::{Kind, Pair, nearest};
use glam::{DVec3, Vec3};

/// Least and largest corner [m].
type Bounds = [Vec3; 2];

/// Tasks that a search is cut into, at least.
const TASKS: usize = 64;

/// Points of one task.
const POINTS: usize = 256;

/// Features of one surface keep this share of their distance at rest at most: neighbors are no contacts.
const AT_REST: f32 = 0.25;

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
enum Work {
    Nodes { surfaces: [u32; 2], nodes: [u32; 2] },
    Points { first: u32, count: u32 },
}

/// A task with its results.
#[derive(Default)]
struct Task {
    work: Option<Work>,
    stack: Vec<[u32; 2]>,
    found: Vec<Pair>,
}

/// Trees fitted to a substep, and tasks.
#[derive(Default)]
pub struct Search {
    nodes: Vec<Bounds>,
    primitives: Vec<Bounds>,
    vertices: Vec<Bounds>,
    /// Unit normals of triangles that turn little in the substep; zero for others.
    normals: Vec<Vec3>,
    /// Mean displacement of each surface [m].
    drifts: Vec<Vec3>,
    /// Mean position of its vertices at the start [m].
    centers: Vec<Vec3>,
    queue: Vec<Work>,
    next: Vec<Work>,
    tasks: Vec<Task>,
}

fn overlap(a: &Bounds, b: &Bounds) -> bool {
    a[0].cmple(b[1]).all() && b[0].cmple(a[1]).all()
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

/// `a` moved by up to `way`.
fn swept(a: &Bounds, way: Vec3) -> Bounds {
    [a[0] + way.min(Vec3::ZERO), a[1] + way.max(Vec3::ZERO)]
}

fn union(a: Bounds, b: &Bounds) -> Bounds {
    [a[0].min(b[0]), a[1].max(b[1])]
}

const NOTHING: Bounds = [Vec3::INFINITY, Vec3::NEG_INFINITY];

impl Search {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        let tasks = self.tasks.iter().map(|task| of(&task.stack) + of(&task.found)).sum::<u64>();
        let boxes = of(&self.nodes) + of(&self.primitives) + of(&self.vertices) + of(&self.normals);
        tasks + boxes + of(&self.drifts) + of(&self.centers) + of(&self.tasks) + of(&self.queue) + of(&self.next)
    }

    /// Chooses how far displacements may differ from those expected, and fits the trees. `share` of the radius, and of the
    /// motion relative to the surface, is allowed.
    pub fn fit(&mut self, threads: &Threads, model: &SurfaceModel, motion: &mut Motion, share: f32) {
        self.drifts.clear();
        self.centers.clear();
        for surface in &model.surfaces {
            let mean = |list: &[Vec3]| {
                let sum = list[surface.vertices.clone()].iter().fold(DVec3::ZERO, |sum, v| sum + v.as_dvec3());
                (sum / surface.vertices.len().max(1) as f64).as_vec3()
            };
            let drift = mean(&motion.way);
            self.drifts.push(drift);
            self.centers.push(mean(&motion.start));
            for v in surface.vertices.clone() {
                if motion.weights[v] > 0.0 {
                    let near = motion.radii[v].min(0.3 * surface.edge);
                    motion.slack[v] = share * (near + 0.5 * (motion.way[v] - drift).length());
                }
            }
        }
        self.nodes.resize(model.nodes.len(), NOTHING);
        self.primitives.resize(model.primitives.len(), NOTHING);
        self.vertices.clear();
        self.vertices.resize(model.particles.len(), NOTHING);
        self.normals.clear();
        self.normals.resize(model.primitives.len(), Vec3::ZERO);
        let (drifts, motion) = (&self.drifts, &*motion);
        let (nodes, boxes) = (Shared::new(&mut self.nodes[..]), Shared::new(&mut self.primitives[..]));
        let (vertices, normals) = (Shared::new(&mut self.vertices[..]), Shared::new(&mut self.normals[..]));
        threads.over_numbers(model.surfaces.len(), |number| {
            let surface = &model.surfaces[number];
            // SAFETY: surfaces have ranges of their own.
            let (nodes, boxes, vertices) = unsafe {
                let nodes = nodes.slice(surface.nodes.clone());
                (nodes, boxes.slice(surface.primitives.clone()), vertices.slice(surface.vertices.clone()))
            };
            for (bounds, v) in vertices.iter_mut().zip(surface.vertices.clone()) {
                *bounds = around(motion, v, drifts[number]);
            }
            fit_surface(model, surface, vertices, nodes, boxes);
            // SAFETY: as above.
            let normals = unsafe { normals.slice(surface.primitives.clone()) };
            find_normals(model, surface, motion, drifts[number], normals);
        });
    }

    /// Adds the last point of the motion, which is near a surface.
    pub fn add_point(&mut self, motion: &mut Motion, share: f32) {
        let v = motion.x.len() - 1;
        motion.slack[v] = share * (motion.radii[v] + 0.5 * motion.way[v].length());
        self.vertices.push(around(motion, v, Vec3::ZERO));
    }

    /// Bounds of all surfaces of particles over the substep.
    pub fn hull(&self, model: &SurfaceModel) -> [Vec3; 2] {
        let carried = model.surfaces.iter().zip(&self.drifts).filter(|(s, _)| s.object().is_some());
        carried.fold(NOTHING, |all, (s, &drift)| union(all, &swept(&self.nodes[s.nodes.start], drift)))
    }

    /// Lists all pairs that may touch.
    pub fn find(&mut self, threads: &Threads, inputs: &SearchInputs<'_>, pairs: &mut Vec<Pair>) {
        self.split(inputs);
        let count = self.queue.len();
        if self.tasks.len() < count {
            self.tasks.resize_with(count, Task::default);
        }
        for (task, work) in self.tasks.iter_mut().zip(&self.queue) {
            task.work = Some(*work);
            task.found.clear();
        }
        let Self { nodes, primitives, vertices, normals, drifts, centers, tasks, .. } = self;
        let trees = Trees { inputs, nodes, primitives, vertices, normals, drifts, centers };
        threads.each(&mut tasks[..count], |_, task| trees.run(task));
        pairs.clear();
        tasks[..count].iter().for_each(|task| pairs.extend_from_slice(&task.found));
    }

    /// Cuts the walk into tasks.
    fn split(&mut self, inputs: &SearchInputs<'_>) {
        let Self { nodes, primitives, vertices, normals, drifts, centers, queue, next, .. } = self;
        let trees = Trees { inputs, nodes, primitives, vertices, normals, drifts, centers };
        let surfaces = &inputs.surfaces.surfaces;
        queue.clear();
        for (a, one) in surfaces.iter().enumerate() {
            if one.collider().is_some() {
                break;
            }
            for (b, other) in surfaces.iter().enumerate().skip(a) {
                let [from, to] = [one.nodes.start, other.nodes.start].map(|n| n as u32);
                if (a == b || trees.meet([a, b], [from, to])) && trees.may_touch(one, other) {
                    queue.push(Work::Nodes { surfaces: [a as u32, b as u32], nodes: [from, to] });
                }
            }
        }
        // Breadth first, until there is enough to share out.
        while queue.len() < TASKS {
            next.clear();
            for work in queue.iter() {
                trees.children(*work, next);
            }
            let done = next.len() <= queue.len();
            std::mem::swap(queue, next);
            if done {
                break;
            }
        }
        let (first, end) = (inputs.surfaces.particles.len(), inputs.motion.x.len());
        for from in (first..end).step_by(POINTS) {
            queue.push(Work::Points { first: from as u32, count: (end - from).min(POINTS) as u32 });
        }
    }
}

/// Neighbors do not touch where the surface bends by less than this between them, as a cosine.
const FLAT: f32 = 0.5;

/// Unit normals of triangles whose vertices move by less than a tenth of an edge relative to the surface.
fn find_normals(model: &SurfaceModel, surface: &Surface, motion: &Motion, drift: Vec3, normals: &mut [Vec3]) {
    let still = |&v: &u32| {
        let v = v as usize;
        (motion.way[v] - drift).length() + motion.slack[v] < 0.1 * surface.edge
    };
    for (normal, primitive) in normals.iter_mut().zip(&model.primitives[surface.primitives.clone()]) {
        let [a, b, c] = primitive.corners.map(|v| motion.start[v as usize]);
        let found = (b - a).cross(c - a).normalize_or_zero();
        *normal = if primitive.corners.iter().all(still) { found } else { Vec3::ZERO };
    }
}

/// Bounds of a vertex over the substep, relative to a drift.
fn around(motion: &Motion, v: usize, drift: Vec3) -> Bounds {
    let (x, way) = (motion.start[v], motion.way[v] - drift);
    let room = Vec3::splat(motion.radii[v] + motion.cores[v] + motion.slack[v]);
    [x + way.min(Vec3::ZERO) - room, x + way.max(Vec3::ZERO) + room]
}

/// Fits the boxes of one surface to those of its vertices.
fn fit_surface(
    model: &SurfaceModel,
    surface: &Surface,
    vertices: &[Bounds],
    nodes: &mut [Bounds],
    boxes: &mut [Bounds],
) {
    for (bounds, primitive) in boxes.iter_mut().zip(&model.primitives[surface.primitives.clone()]) {
        let corners = primitive.corners.iter().map(|&v| &vertices[v as usize - surface.vertices.start]);
        *bounds = corners.fold(NOTHING, union);
    }
    // Children follow their parents.
    let tree = &model.nodes[surface.nodes.clone()];
    for n in (0..tree.len()).rev() {
        nodes[n] = if tree[n].count > 0 {
            let leaves = tree[n].start as usize..(tree[n].start + tree[n].count) as usize;
            boxes[leaves].iter().fold(NOTHING, union)
        } else {
            union(nodes[n + 1], &nodes[tree[n].start as usize])
        };
    }
}

/// Trees of a substep.
struct Trees<'a> {
    inputs: &'a SearchInputs<'a>,
    nodes: &'a [Bounds],
    primitives: &'a [Bounds],
    vertices: &'a [Bounds],
    normals: &'a [Vec3],
    drifts: &'a [Vec3],
    centers: &'a [Vec3],
}

/// What all pairs of two surfaces have in common.
#[derive(Clone, Copy)]
struct Meeting {
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
    fn meet(&self, surfaces: [usize; 2], nodes: [u32; 2]) -> bool {
        let way = self.drifts[surfaces[0]] - self.drifts[surfaces[1]];
        let [a, b] = nodes.map(|n| &self.nodes[n as usize]);
        if surfaces[0] == surfaces[1] { overlap(a, b) } else { overlap(&swept(a, way), b) }
    }

    /// Whether two surfaces touch at all; the first one is of particles.
    fn may_touch(&self, one: &Surface, other: &Surface) -> bool {
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

    fn meeting(&self, [a, b]: [u32; 2]) -> Meeting {
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
        Meeting { drift, itself: a == b, apart, collider: other.collider().is_some(), friction }
    }

    /// The next level of a task; the task itself where it has none.
    fn children(&self, work: Work, out: &mut Vec<Work>) {
        let Work::Nodes { surfaces, nodes: [a, b] } = work else { return out.push(work) };
        let numbers = surfaces.map(|s| s as usize);
        let mut push = |nodes: [u32; 2]| {
            if nodes[0] == nodes[1] && surfaces[0] == surfaces[1] || self.meet(numbers, nodes) {
                out.push(Work::Nodes { surfaces, nodes });
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

    fn run(&self, task: &mut Task) {
        match task.work.take() {
            Some(Work::Nodes { surfaces, nodes }) => self.walk(surfaces, nodes, task),
            Some(Work::Points { first, count }) => (first..first + count).for_each(|point| self.point(point, task)),
            None => {}
        }
    }

    fn walk(&self, surfaces: [u32; 2], nodes: [u32; 2], task: &mut Task) {
        let meeting = self.meeting(surfaces);
        let [left, right] = surfaces.map(|s| self.surface(s));
        let Task { stack, found, .. } = task;
        stack.clear();
        stack.push(nodes);
        while let Some([a, b]) = stack.pop() {
            let same = meeting.itself && a == b;
            if !same && !overlap(&swept(&self.nodes[a as usize], meeting.drift), &self.nodes[b as usize]) {
                continue;
            }
            match (self.split(left, a), self.split(right, b)) {
                (None, None) => self.leaves(&meeting, [left, right], [a, b], found),
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

    fn leaves(&self, meeting: &Meeting, [left, right]: [&Surface; 2], [a, b]: [u32; 2], found: &mut Vec<Pair>) {
        let same = meeting.itself && a == b;
        let others = self.leaf(right, b);
        for i in self.leaf(left, a) {
            let bounds = swept(&self.primitives[i], meeting.drift);
            let others = if same { i + 1..others.end } else { others.clone() };
            for j in others {
                if overlap(&bounds, &self.primitives[j]) {
                    self.primitives(meeting, i, j, found);
                }
            }
        }
    }

    /// All pairs of features that belong to two primitives.
    fn primitives(&self, meeting: &Meeting, i: usize, j: usize, found: &mut Vec<Pair>) {
        let all = &self.inputs.surfaces.primitives;
        let (one, other) = (&all[i], &all[j]);
        if meeting.itself && self.normals[i].dot(self.normals[j]) > FLAT && one.is_beside(other) {
            return;
        }
        let (mine, theirs) = (swept(&self.primitives[i], meeting.drift), &self.primitives[j]);
        if other.is_triangle() {
            for v in one.vertices().filter(|v| !other.corners.contains(v)) {
                if overlap(&self.around(v, meeting.drift), theirs) {
                    let [a, b, c] = other.corners;
                    self.test(meeting, Kind::VertexTriangle, [v, a, b, c], found);
                }
            }
        }
        if one.is_triangle() {
            for v in other.vertices().filter(|v| !one.corners.contains(v)) {
                if overlap(&self.around(v, Vec3::ZERO), &mine) {
                    let [a, b, c] = one.corners;
                    self.test(meeting, Kind::VertexTriangle, [v, a, b, c], found);
                }
            }
        }
        for [a, b] in one.edges() {
            let bounds = union(self.around(a, meeting.drift), &self.around(b, meeting.drift));
            if !overlap(&bounds, theirs) {
                continue;
            }
            for [c, d] in other.edges().filter(|e| !e.contains(&a) && !e.contains(&b)) {
                let against = union(self.around(c, Vec3::ZERO), &self.around(d, Vec3::ZERO));
                if overlap(&bounds, &against) {
                    self.test(meeting, Kind::EdgeEdge, [a, b, c, d], found);
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
    fn test(&self, meeting: &Meeting, kind: Kind, vertices: [u32; 4], found: &mut Vec<Pair>) {
        let SearchInputs { surfaces, motion, .. } = self.inputs;
        let of = |list: &[Vec3]| vertices.map(|v| list[v as usize]);
        let room = |list: &[f32]| vertices.map(|v| list[v as usize]);
        let weights = room(&motion.weights);
        if weights == [0.0; 4] && room(&motion.bodies) == [0.0; 4] {
            return;
        }
        let radii = room(&motion.radii);
        let second = if kind == Kind::VertexTriangle { 1 } else { 2 };
        let mut thickness = radii[0] + radii[second];
        if meeting.collider {
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
        if meeting.itself {
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
            side: side(kind, &of(&motion.start), feet.apart, meeting.apart),
            friction: meeting.friction,
            push: Push::default(),
            received: Vec3::ZERO,
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
            let meeting = Meeting { drift: Vec3::ZERO, itself: false, apart: Vec3::ZERO, collider: false, friction };
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
                        self.test(&meeting, Kind::VertexTriangle, [point, a, b, c], found);
                    }
                }
            }
        }
    }
}
