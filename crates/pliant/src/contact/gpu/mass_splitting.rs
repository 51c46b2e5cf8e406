//! Tables for mass splitting of rigid bodies: GPU part of `contact::cpu::rigid_mass_splitting`.

use crate::contact::cpu::rigid_mass_splitting::{mean, rigid};
use crate::contact::gpu::constants::CONTACT_COUNTS;
use crate::contact::model::ContactModel;
use crate::runtime::gpu::tables::{TableArena, Vector};
use crate::shape_matching::ShapeMatch;
use crate::state::State;

/// Offsets of the tables.
#[derive(Clone, Copy, Debug)]
pub struct MassSplittingTables {
    /// Shares of particles in `constants`.
    pub shares: u32,
    /// Contact counts of bodies in `flags`.
    pub counts: u32,
    /// Number of bodies.
    pub bodies: usize,
    /// Collider impulses of the previous iteration in `work`.
    pub last_impulses: u32,
}

impl MassSplittingTables {
    /// Writes the tables, if a body is rigid. There is room for so many more bodies.
    pub fn new(model: &ContactModel<'_>, state: &State, room: usize, arena: &mut TableArena) -> Option<Self> {
        let shapes = rigid(model, state)?;
        Some(Self {
            shares: arena.put_constants(shares(shapes, state.particles)),
            counts: arena.reserve_flags(CONTACT_COUNTS as usize * (shapes.len() + room)),
            bodies: shapes.len() + room,
            last_impulses: arena.reserve_work(state.particles * model.environments.slot_count(model.collider_count())),
        })
    }
}

/// Data of the rigid body of each particle: share, mean share, body index.
pub fn shares(shapes: &ShapeMatch, particles: usize) -> Vec<Vector> {
    let mut all = vec![[0; 4]; particles];
    for (b, run) in shapes.runs() {
        all[run].copy_from_slice(&shares_of(shapes, b));
    }
    all
}

/// The same of the particles of one body, which is a run of rows.
pub fn shares_of(shapes: &ShapeMatch, body: usize) -> Vec<Vector> {
    let own = &shapes.shares()[shapes.run_of(body)];
    let mean = mean(own).to_bits();
    own.iter().map(|share| [share.to_bits(), mean, body as u32, 0]).collect()
}
