//! Vertex block descent on the CPU.
//!
//! A body is copied into local arrays, so that bodies run side by side, and vertices of one color within a large body.
//! Results do not depend on the number of threads: a color's steps are computed before any is applied.

use crate::constraints::group::Group;
use crate::contact::cpu::SeenColliders;
use crate::math::{RowData, position};
use crate::memory::of;
use crate::methods::vbd::body_contacts::Step;
use crate::methods::vbd::coarse::Coarse;
use crate::methods::vbd::contact::Hold;
use crate::methods::vbd::feature_contacts::Feature;
use crate::methods::vbd::lanes::BlockLocal;
use crate::methods::vbd::momentum;
use crate::methods::vbd::pack::Packed;
use crate::methods::vbd::plan::ElasticBody;
use crate::methods::vbd::row_steps::{add, moved, toward};
use crate::runtime::cpu::isa::Isa;
use crate::runtime::cpu::threads::Threads;
use crate::state::Contact;
use glam::{Mat3, Vec3};

/// Coarse corrections, each with a sweep after it, of a body that nothing else pushes: one if its step is good.
pub(super) const CYCLES: u32 = 2;
/// A coarse correction whose step is at least this long fits the body well.
pub(super) const GOOD_STEP: f64 = 0.8;

/// Inputs of all bodies in a substep.
pub(super) struct Substep<'a> {
    pub(super) groups: &'a [Group],
    pub(super) colliders: SeenColliders<'a>,
    pub(super) radii: &'a [f32],
    /// Positions at the start of the substep.
    pub(super) previous: &'a [RowData],
    /// Number of particles; rows from here on are orientations.
    pub(super) particles: usize,
    /// Inverse quaternion masses of orientations.
    pub(super) spin_inv_inertias: &'a [f32],
    pub(super) gravity: Vec3,
    /// Whether velocities are differences of positions (BDF1).
    pub(super) first_order: bool,
    /// 1/h² [1/s²], 9/(4h²) under BDF2.
    pub(super) inv_h2: f32,
    /// Lanes.
    pub(super) isa: Isa,
    /// Whether other passes may move the rows of bodies.
    pub(super) pushed: bool,
}

/// Buffers of one body.
pub(super) struct BodyState {
    pub(super) x: Vec<RowData>,
    /// Positions without forces, x̃; impulses of other passes are added to it. The fourth component of a position is its m/h²
    /// [N/m], 0 where it is fixed.
    pub(super) target: Vec<RowData>,
    /// Rows when this body was last done: what differs was moved by another pass.
    pub(super) after: Vec<RowData>,
    pub(super) masses: Vec<f32>,
    pub(super) turns: Vec<bool>,
    /// Whether any row is an orientation.
    pub(super) any_turns: bool,
    /// 1/h² of the last substep [1/s²].
    pub(super) inv_h2: f32,
    /// Forces, inertia included, and the same elsewhere; the fourth component does not matter.
    pub(super) forces: Vec<RowData>,
    pub(super) other: Vec<RowData>,
    /// The coarse correction, and the steps of a sweep; the fourth component is 0.
    pub(super) correction: Vec<RowData>,
    pub(super) steps: Vec<RowData>,
    pub(super) trial: Vec<RowData>,
    /// Elastic forces and Hessians by block.
    pub(super) blocks: Vec<BlockLocal>,
    pub(super) packed: Packed,
    pub(super) coarse: Coarse,
    /// Length of the last coarse step, relative to that which its matrix gave.
    pub(super) share: f64,
    /// Forces before the last coarse step of bodies that touch.
    pub(super) last_forces: Vec<RowData>,
    /// Vertex and number within the contacts of the body, by vertex.
    pub(super) contacts: Vec<(u32, Contact)>,
    /// Vertices that contacts hold, with their stiffness [N/m].
    pub(super) holds: Vec<(u32, Hold, f32)>,
    /// Contacts of its triangles with colliders, and by vertex: vertex, contact, place in it.
    pub(super) features: Vec<Feature>,
    pub(super) by_vertex: Vec<(u32, u32, u8)>,
    /// Contacts of each vertex.
    pub(super) counts: Vec<f32>,
    /// Vertices by row.
    pub(super) by_row: Vec<(u32, u32)>,
}

impl BodyState {
    pub(super) fn new(body: &ElasticBody, groups: &[Group], particles: usize) -> Self {
        let n = body.vertices.len();
        let mut by_row: Vec<(u32, u32)> = body.vertices.iter().enumerate().map(|(v, &r)| (r, v as u32)).collect();
        by_row.sort_unstable();
        let packed = Packed::new(body, groups);
        Self {
            x: vec![[0.0; 4]; n],
            target: vec![[0.0; 4]; n],
            after: vec![[0.0; 4]; n],
            masses: vec![0.0; n],
            inv_h2: 0.0,
            turns: body.vertices.iter().map(|&r| r as usize >= particles).collect(),
            any_turns: body.vertices.iter().any(|&r| r as usize >= particles),
            forces: vec![[0.0; 4]; n],
            other: vec![[0.0; 4]; n],
            correction: vec![[0.0; 4]; n],
            steps: vec![[0.0; 4]; n],
            trial: vec![[0.0; 4]; n],
            blocks: vec![BlockLocal::default(); packed.blocks.len()],
            packed,
            coarse: Coarse::new(body, groups),
            share: 0.0,
            last_forces: Vec::new(),
            contacts: Vec::new(),
            holds: Vec::new(),
            features: Vec::new(),
            by_vertex: Vec::new(),
            counts: Vec::new(),
            by_row,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        let rows = of(&self.x) + of(&self.target) + of(&self.after) + of(&self.trial);
        let vectors = of(&self.forces) + of(&self.other) + of(&self.correction) + of(&self.steps) + of(&self.blocks);
        rows + vectors
            + of(&self.last_forces)
            + of(&self.masses)
            + of(&self.turns)
            + of(&self.by_row)
            + of(&self.features)
            + of(&self.by_vertex)
            + of(&self.counts)
            + self.coarse.bytes()
            + self.packed.bytes()
    }

    /// Reads the parameters of the elements again.
    pub(super) fn read_parameters(&mut self, body: &ElasticBody, groups: &[Group]) {
        self.packed = Packed::new(body, groups);
        self.coarse = Coarse::new(body, groups);
    }

    /// One iteration. `rows` are all rows of the state; those of the body are in `self.x` afterwards. Returns whether
    /// they have changed.
    pub(super) fn iterate(
        &mut self,
        threads: &Threads,
        body: &ElasticBody,
        sub: &Substep<'_>,
        iteration: u32,
        rows: &[RowData],
        contacts: &[Vec<Contact>],
    ) -> bool {
        let free = self.contacts.is_empty() && self.features.is_empty();
        let enough = self.features.is_empty() && iteration > CYCLES || self.share >= GOOD_STEP && free;
        if iteration > 1 && enough && !sub.pushed {
            return false;
        }
        self.load(body, rows);
        if iteration == 1 {
            self.prepare(threads, body, sub, contacts);
            self.divide_stiffness();
            self.choose_start(threads, body, sub);
        } else if !self.take_impulses() && enough {
            return false;
        }
        self.correct(threads, body, sub, iteration == 1);
        // A step of Newton's method leaves nothing to a sweep but contacts.
        if !self.coarse.chain().is_of_ropes() || !free {
            self.sweep(threads, body, sub);
        }
        self.note_feature_forces();
        self.restore_momentum(body, sub);
        self.after.copy_from_slice(&self.x);
        true
    }

    /// Reads the rows of the body.
    pub(super) fn load(&mut self, body: &ElasticBody, rows: &[RowData]) {
        for (x, &r) in self.x.iter_mut().zip(&body.vertices) {
            *x = rows[r as usize];
        }
    }

    /// Whether neither pins nor colliders act on it.
    pub(super) fn is_free(&self) -> bool {
        self.contacts.iter().all(|(_, c)| c.push.normal == 0.0) && self.masses.iter().all(|&m| m > 0.0)
    }

    /// Restores the momentum of a body that is free.
    fn restore_momentum(&mut self, body: &ElasticBody, sub: &Substep<'_>) {
        if self.is_free() {
            let start = |v: usize| sub.previous[body.vertices[v] as usize];
            let start = sub.first_order.then_some(start);
            let target = match self.features.is_empty() {
                true => &self.target,
                false => {
                    let mut pushed = std::mem::take(&mut self.trial);
                    pushed.copy_from_slice(&self.target);
                    self.add_noted_forces(|v| 1.0 / (self.masses[v] * sub.inv_h2), &mut pushed);
                    self.trial = pushed;
                    &self.trial
                }
            };
            // Turning a body changes the arms of its momentum, too: the second time meets it.
            for _ in 0..2 {
                momentum::restore(&mut self.x, target, start, &self.masses, &self.turns);
            }
        }
    }

    /// The body's rows and the contacts of its particles, after an iteration.
    pub(super) fn results(&self) -> (&[RowData], impl Iterator<Item = &Contact>) {
        (&self.x, self.contacts.iter().map(|(_, c)| c))
    }

    /// Inertial part of the objective [J].
    pub(super) fn inertia(&self, threads: &Threads, sub: &Substep<'_>, x: &[RowData]) -> f64 {
        threads.sum(x.len(), |range| {
            let one = |v: usize| {
                let way = toward(x[v], self.target[v], self.turns[v]);
                0.5 * f64::from(self.masses[v] * sub.inv_h2) * f64::from(way.length_squared())
            };
            range.map(one).sum()
        })
    }

    /// Forces on all vertices at `x`, inertia included. `blocks` is scratch. Returns the elastic energy [J] if `energies`.
    pub(super) fn residual(
        &self,
        threads: &Threads,
        sub: &Substep<'_>,
        x: &[RowData],
        energies: bool,
        blocks: &mut [BlockLocal],
        forces: &mut [RowData],
    ) -> f64 {
        if self.coarse.chain().is_of_ropes() {
            forces.fill([0.0; 4]);
            let energy = self.coarse.chain().add_forces(x, forces);
            self.add_feature_forces(x, forces);
            for (v, force) in forces.iter_mut().enumerate() {
                let inertia = self.masses[v] * sub.inv_h2;
                let all = position(*force) + toward(x[v], self.target[v], self.turns[v]) * inertia;
                *force = if inertia > 0.0 { [all.x, all.y, all.z, 0.0] } else { [0.0; 4] };
            }
            return energy;
        }
        self.packed.residual(sub.isa, threads, (x, &self.target), energies, blocks, forces);
        let energy = match energies {
            true => threads.sum(forces.len(), |range| forces[range].iter().map(|force| f64::from(force[3])).sum()),
            false => 0.0,
        };
        self.add_feature_forces(x, forces);
        energy
    }

    /// Every vertex once, color by color, to the minimum of its own problem.
    pub(super) fn sweep(&mut self, threads: &Threads, body: &ElasticBody, sub: &Substep<'_>) {
        let (mut steps, mut blocks) = (std::mem::take(&mut self.steps), std::mem::take(&mut self.blocks));
        let mut next = 0;
        for (number, color) in body.colors.iter().enumerate() {
            let range = self.packed.colors[number].clone();
            if self.any_turns {
                self.packed.locals(sub.isa, threads, &self.x, range.start, &mut blocks[range]);
                self.turning_steps(sub, color.clone(), &mut blocks, &mut steps);
            } else {
                let rows = (&self.x[..], &self.target[..]);
                self.packed.steps(sub.isa, threads, rows, range.start, &mut blocks[range], &mut steps);
            }
            self.step_features(color.clone(), &mut blocks, &mut steps);
            while let Some(v) = self.contacts.get(next).map(|c| c.0 as usize).filter(|v| color.contains(v)) {
                if self.masses[v] > 0.0 {
                    let [block, lane] = self.packed.slots[v].map(|n| n as usize);
                    let step = Step {
                        force: blocks[block].force(lane),
                        hessian: blocks[block].hessian(lane),
                        step: position(steps[v]),
                    };
                    let way = self.solve_contacts(sub, body, v, &step);
                    steps[v] = [way.x, way.y, way.z, 0.0];
                }
                next = self.contacts_of(v).end;
            }
            for v in color.clone() {
                if self.any_turns {
                    self.x[v] = moved(self.x[v], position(steps[v]), self.turns[v]);
                } else {
                    add(&mut self.x[v], &steps[v]);
                }
            }
        }
        (self.steps, self.blocks) = (steps, blocks);
    }

    /// The steps of vertices some of which are orientations, from their elastic forces and Hessians; inertia is added to these.
    fn turning_steps(
        &self,
        sub: &Substep<'_>,
        vertices: std::ops::Range<usize>,
        blocks: &mut [BlockLocal],
        steps: &mut [RowData],
    ) {
        for v in vertices {
            let inertia = self.masses[v] * sub.inv_h2;
            steps[v] = [0.0; 4];
            if inertia > 0.0 {
                let [block, lane] = self.packed.slots[v].map(|n| n as usize);
                let pull = toward(self.x[v], self.target[v], self.turns[v]) * inertia;
                blocks[block].add(lane, pull, Mat3::from_diagonal(Vec3::splat(inertia)));
                let step = blocks[block].hessian(lane).inverse() * blocks[block].force(lane);
                steps[v] = [step.x, step.y, step.z, 0.0];
            }
        }
    }
}
