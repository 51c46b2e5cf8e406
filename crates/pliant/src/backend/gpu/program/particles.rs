//! What particles that touch each other and bodies that keep their shape add to the list of a substep.

use super::{Command, Maker, SIZE};
use crate::backend::gpu::layout::Job;
use crate::backend::gpu::shader;
use crate::kernels::meet::SLOP;

/// Modes of contacts between particles, as in the shaders.
const STARTS: u32 = 1;
const ODD: u32 = 2;
const PARTED: u32 = 1;
const COLLIDERS: u32 = 2;

impl Maker<'_> {
    /// Who is near whom, from where particles will be.
    pub(super) fn neighbors(&mut self) {
        let Some(mutual) = self.model.mutual else { return };
        let (particles, scale) = (self.state.particles, mutual.stacking);
        let mut list = Vec::from_iter(self.wind());
        list.push(self.run(shader::predict("foresee"), Job { scale, ..Job::default() }, particles.div_ceil(SIZE)));
        list.extend(self.pins("foresee_pins", scale));
        list.push(Command::Find);
        if !self.model.rest.is_empty() {
            let job = Job { params: self.tables.rest, ..Job::default() };
            list.push(self.run(shader::meets("sift"), job, particles.div_ceil(SIZE)));
        }
        self.program.neighbors = list;
    }

    /// Passes of contacts between particles: who shares its mass among how many, then all of them once.
    fn contacts(&mut self, count: bool, job: Job) -> Vec<Command> {
        let groups = self.state.particles.div_ceil(SIZE);
        let mut list = Vec::new();
        if count {
            list.push(self.run(shader::meets("shares"), job, groups));
        }
        list.push(self.run(shader::meets("project"), job, groups));
        list
    }

    /// Particles that were inside each other part; then colliders are looked at.
    pub(super) fn stabilize(&mut self) {
        if self.model.mutual.is_none() {
            return;
        }
        let turns = self.model.settings.stabilization;
        let colliders = if self.model.colliders.is_empty() { 0 } else { COLLIDERS };
        let groups = self.state.particles.div_ceil(SIZE);
        let mut list = Vec::new();
        for turn in 0..turns {
            let fresh = u32::from(turn == 0);
            let job = Job { mode: STARTS, fresh, omega: 1.0, scale: 1.0 - SLOP, ..Job::default() };
            list.extend(self.contacts(true, job));
            let mode = PARTED | if turn + 1 == turns { colliders } else { 0 };
            list.push(self.run(shader::predict("settle"), Job { mode, ..Job::default() }, groups));
        }
        if turns == 0 && colliders != 0 {
            list.push(self.run(shader::predict("settle"), Job { mode: COLLIDERS, ..Job::default() }, groups));
        }
        self.program.stabilize = list;
    }

    /// Contacts between particles within an iteration, and with colliders, if those are next.
    pub(super) fn meet(&mut self, variant: usize, touch: bool) -> Vec<Command> {
        let Some(mutual) = self.model.mutual else { return Vec::new() };
        let friction = mutual.friction;
        let job = Job {
            mode: if variant == 1 { ODD } else { 0 },
            fresh: u32::from(variant == 0),
            stick: friction.stick,
            slide: friction.slide,
            omega: mutual.omega,
            scale: 1.0,
            ..Job::default()
        };
        let mut list = self.contacts(variant == 0, job);
        let job = Job { mode: u32::from(touch), ..Job::default() };
        list.push(self.run(shader::passes("take_over"), job, self.state.particles.div_ceil(SIZE)));
        list
    }

    /// Bodies take back their shape.
    pub(super) fn shapes(&mut self, fresh: u32) -> Vec<Command> {
        let tables = &self.tables.shapes;
        let job = Job { fresh, ..tables.job };
        let passes = tables.passes(self.state.particles);
        passes.into_iter().map(|(entry, groups)| self.run(shader::shapes(entry), job, groups)).collect()
    }
}
