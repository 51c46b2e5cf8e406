//! Pairs that may touch in a substep.
//!
//! Boxes hold a primitive over the substep, its radius and its slack, relative to the mean motion of its surface: a cloth
//! that falls as a whole has the boxes of one at rest. The trees of two surfaces are walked together, each pair of nodes
//! once; that of one surface with itself. Tasks and their order depend on the surfaces alone, so that lists do not depend
//! on the number of threads.
//!
//! A pair is listed if its distance at the start is within the thickness plus the ways by which its vertices may approach.

use crate::memory::of;
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::threads::Threads;
use crate::surface_contact::bounds::{Bounds, NOTHING, around, find_normals, fit_surface, swept, union};
use crate::surface_contact::model::SurfaceModel;
use crate::surface_contact::motion::Motion;
use crate::surface_contact::pair::Pair;
use crate::surface_contact::tree_walk::{SearchInputs, SearchItem, Task, Trees};
use glam::{DVec3, Vec3};

/// Tasks that a search is cut into, at least.
const TASKS: usize = 64;

/// Points of one task.
const POINTS: usize = 256;

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
    queue: Vec<SearchItem>,
    next: Vec<SearchItem>,
    tasks: Vec<Task>,
}

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
                if motion.inv_masses[v] > 0.0 {
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
                if (a == b || trees.overlap([a, b], [from, to])) && trees.may_touch(one, other) {
                    queue.push(SearchItem::Nodes { surfaces: [a as u32, b as u32], nodes: [from, to] });
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
            queue.push(SearchItem::Points { first: from as u32, count: (end - from).min(POINTS) as u32 });
        }
    }
}
