//! How far the last substep is from the implicit step: forces that are left, relative to those that balance.

use crate::constraints::ConstraintKind;
use crate::math::RowData;
use crate::methods::vbd::cpu::BodyState;
use crate::methods::vbd::lanes::BlockLocal;
use crate::methods::vbd::plan::ElasticBody;
use crate::methods::vbd::row_steps::toward;
use crate::methods::vbd::{ElasticModel, ElasticScratch};
use crate::runtime::cpu::isa::Isa;
use crate::runtime::cpu::threads::Threads;
use crate::schedule::stats::{Imbalance, Imbalances};
use crate::state::State;

/// Accelerations below this do not matter [m/s²]: of bodies at rest without gravity only rounding is left.
const STILL: f64 = 0.1;

/// Sums of squares of forces over vertices [N²].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Squares {
    left: f64,
    inertial: f64,
    elastic: f64,
    /// Of masses times [`STILL`].
    small: f64,
}

impl Squares {
    fn join(self, other: Self) -> Self {
        Self {
            left: self.left + other.left,
            inertial: self.inertial + other.inertial,
            elastic: self.elastic + other.elastic,
            small: self.small + other.small,
        }
    }

    /// Forces that are left, over the mean of inertial and elastic ones.
    fn share(&self) -> f64 {
        let scale = 0.5 * (self.inertial.sqrt() + self.elastic.sqrt()) + self.small.sqrt();
        if scale > 0.0 { self.left.sqrt() / scale } else { 0.0 }
    }
}

impl ElasticScratch {
    /// By kind of element: all bodies together, and the one that is farthest from balance, named by `object` of its first
    /// row. Empty unless `state` is the one that the last substep left.
    pub(crate) fn imbalances(
        &self,
        isa: Isa,
        threads: &Threads,
        model: &ElasticModel<'_>,
        state: &State,
        object: impl Fn(u32) -> u32,
    ) -> Imbalances {
        let mut all: std::collections::BTreeMap<&'static str, (Squares, Imbalance)> = Default::default();
        if self.substep.map(|last| last + 1) != Some(state.substeps) {
            return Imbalances::new();
        }
        for (own, body) in self.bodies.iter().zip(model.bodies) {
            let squares = own.squares(isa, threads, body, &state.rows);
            for (kind, squares) in squares.into_iter().filter(|(_, squares)| squares.small > 0.0) {
                let entry = all.entry(kind.name()).or_default();
                entry.0 = entry.0.join(squares);
                if squares.share() >= entry.1.max {
                    entry.1.max = squares.share();
                    entry.1.object = object(body.vertices.iter().copied().min().unwrap_or(0));
                }
            }
        }
        let finish = |(kind, (squares, worst)): (&'static str, (Squares, Imbalance))| {
            (kind, Imbalance { mean: squares.share(), ..worst })
        };
        all.into_iter().map(finish).collect()
    }
}

impl BodyState {
    /// Of the vertices of each kind of element. Vertices that colliders push or hold are left out: contacts balance them.
    fn squares(
        &self,
        isa: Isa,
        threads: &Threads,
        body: &ElasticBody,
        rows: &[RowData],
    ) -> Vec<(ConstraintKind, Squares)> {
        let x: Vec<RowData> = body.vertices.iter().map(|&r| rows[r as usize]).collect();
        let mut blocks = vec![BlockLocal::default(); self.packed.blocks.len()];
        self.packed.forces(isa, threads, &x, &mut blocks);
        let mut pushed = vec![false; x.len()];
        self.contacts.iter().filter(|(_, c)| c.push.normal > 0.0).for_each(|(v, _)| pushed[*v as usize] = true);
        self.by_vertex
            .iter()
            .filter(|(_, number, _)| self.features[*number as usize].force != glam::Vec3::ZERO)
            .for_each(|(v, ..)| pushed[*v as usize] = true);
        let of_vertex = |v: usize| {
            let inertia = self.masses[v] * self.inv_h2;
            // Torques are no forces: orientations are left out, too.
            if inertia == 0.0 || pushed[v] || self.turns[v] {
                return Squares::default();
            }
            // What passes after the last sweep moved acts as an impulse, as it would in the next one.
            let way = toward(self.after[v], self.target[v], false);
            let [block, lane] = self.packed.slots[v];
            let elastic = blocks[block as usize].force(lane as usize);
            let square = |f: glam::Vec3| f64::from(f.length_squared());
            let small = f64::from(self.masses[v]) * STILL;
            Squares {
                left: square(way * inertia + elastic),
                inertial: square(way * inertia),
                elastic: square(elastic),
                small: small * small,
            }
        };
        let vertices: Vec<Squares> = (0..x.len()).map(of_vertex).collect();
        let mut kinds: Vec<ConstraintKind> = body.elements.iter().map(|e| e.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let of_kind = |kind: ConstraintKind| {
            let has = |v: &usize| {
                let entries = &body.entries[body.offsets[*v] as usize..body.offsets[*v + 1] as usize];
                entries.iter().any(|[e, _]| body.elements[*e as usize].kind == kind)
            };
            let sum = (0..vertices.len()).filter(has).fold(Squares::default(), |sum, v| sum.join(vertices[v]));
            (kind, sum)
        };
        kinds.into_iter().map(of_kind).collect()
    }
}
