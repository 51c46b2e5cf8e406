//! Constants of a substep: status words, flags, and the layout of what all phenomena read.

use crate::math;
use crate::runtime::gpu::shader_constants::{self, shader_constants, shader_values};
use crate::schedule::substep;

shader_constants! {
    /// Lanes of a block, as the model lays constraints out.
    BLOCK = math::BLOCK as u32;

    /// Word of `flags`: substeps done.
    SUBSTEPS = 0;
    /// Word of `flags`: lowest particle that diverged in predict, or `NONE`.
    DIVERGED_PREDICT = 1;
    /// Word of `flags`: lowest particle that diverged in solve, or `NONE`.
    DIVERGED_SOLVE = 2;
    /// Word of `flags`: 1 after a particle diverged, [`LISTS_FULL`] while neighbor lists are full; nothing moves until
    /// the host has handled it.
    FROZEN = 3;
    /// Word of `flags`: 1 if workgroups waited for each other in vain.
    STUCK = 4;
    /// Word of `flags`: as [`DIVERGED_PREDICT`] within a pass that does whole substeps, until it is done.
    RUNNING_PREDICT = 5;
    /// Word of `flags`: as [`DIVERGED_SOLVE`] within such a pass.
    RUNNING_SOLVE = 6;
    /// Word of `flags`: workgroups of such a pass that are done.
    FINISHED = 7;
    /// Word of `flags`: height of the lowest particle in this substep, as an integer of the same order.
    LOWEST = 8;
    /// Word of `flags`: bits of the width of the spectrum of viscosity, where it exceeds the estimate.
    WIDEST = 9;
    /// Words of `flags` before its tables.
    STATUS_WORDS = 12;
    /// Value of [`FROZEN`] while neighbor lists are full.
    LISTS_FULL = 2;

    /// Flag of a substep: BDF2 keeps history.
    KEEPS_HISTORY = 1;
    /// Flag of a substep: it is of second order.
    SECOND_ORDER = 2;
    /// Flag of a substep: there are aerodynamic forces.
    IN_THE_AIR = 4;
    /// Flag of a substep: contacts of rigid bodies are warm-started.
    GOES_ON = 8;

    /// Words of a particle that has copies: its row, the first copy, their number, their share of the mass.
    TIE_WORDS = 4;
}

shader_values! {
    F32 MAX_POSITION = substep::MAX_POSITION;
    F32 MAX_SPEED = substep::MAX_SPEED;
}

/// Header for modules that need status words only.
pub fn wgsl() -> String {
    shader_constants::wgsl(&[ALL])
}
