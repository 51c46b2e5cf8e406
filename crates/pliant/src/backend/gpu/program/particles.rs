//! What particles that touch each other and bodies that keep their shape add to the list of a substep.

use super::{Command, Maker, SIZE};
use crate::backend::gpu::layout::Job;
use crate::backend::gpu::shader;
use crate::backend::gpu::tables::NOBODY;
use crate::kernels::contact::momentum;
use crate::kernels::meet::SLOP;
use crate::step::schedule::Pass;

/// Modes of jobs, as in the shaders: of contacts between particles, and of what is done around them.
const PARTS: u32 = 1;
const TOUCHES: u32 = 2;
const PARTED: u32 = 1;
const COLLIDERS: u32 = 2;
const PARTS_NEXT: u32 = 4;

impl Maker<'_> {
    /// Who is near whom, from where particles will be.
    pub(super) fn neighbors(&mut self) {
        let Some(mutual) = self.model.mutual else { return };
        let (particles, scale) = (self.state.particles, mutual.stacking);
        let mut list = Vec::from_iter(self.wind());
        list.push(self.run(shader::predict("foresee"), Job { scale, ..Job::default() }, particles.div_ceil(SIZE)));
        list.extend(self.pins("foresee_pins", scale));
        let (fields, at_rest) = self.tables.fields;
        if fields != NOBODY {
            let job = Job { slots: at_rest, ..self.tables.shapes.job };
            list.push(self.run(shader::shapes("shape_face"), job, self.tables.shapes.pieces));
        }
        list.push(Command::Find);
        if !self.model.rest.is_empty() {
            let job = Job { params: self.tables.rest, ..Job::default() };
            list.push(self.run(shader::meets("sift"), job, particles.div_ceil(SIZE)));
        }
        self.program.neighbors = list;
    }

    /// What stabilization adds to a job that deals cards, if the next pass parts old positions.
    pub(super) fn dealing(&self, parts: bool) -> Job {
        let job = Job { copies_out: self.tables.cards[0], ..Job::default() };
        if parts { Job { mode: PARTS_NEXT, omega: 1.0 - SLOP, ..job } } else { job }
    }

    /// Particles that were inside each other part; then colliders are looked at. Leaves cards for the first iteration.
    pub(super) fn stabilize(&mut self) {
        if self.model.mutual.is_none() {
            return;
        }
        let turns = self.model.settings.stabilization;
        let colliders = if self.model.colliders.is_empty() { 0 } else { COLLIDERS };
        let groups = self.state.particles.div_ceil(SIZE);
        let mut list = Vec::new();
        for turn in 0..turns {
            let job = Job {
                mode: PARTS,
                fresh: u32::from(turn == 0),
                omega: 1.0,
                copies_in: self.tables.cards[0],
                copies_out: NOBODY,
                ..Job::default()
            };
            list.extend(["shares", "project"].map(|entry| self.run(shader::meets(entry), job, groups)));
            // Bodies part as a whole.
            if self.state.shapes.is_some() {
                list.extend(self.shapes(1, true));
            }
            let last = turn + 1 == turns;
            let next = self.dealing(!last);
            let mode = next.mode | PARTED | if last { colliders } else { 0 };
            list.push(self.run(shader::predict("settle"), Job { mode, ..next }, groups));
        }
        if turns == 0 && colliders != 0 {
            let job = Job { mode: COLLIDERS, ..self.dealing(false) };
            list.push(self.run(shader::predict("settle"), job, groups));
        }
        self.program.stabilize = list;
    }

    /// Contacts between particles within an iteration, and with colliders, if those are next. Where nothing else moves
    /// particles, each pass leaves cards for the next; the first has those of stabilization.
    pub(super) fn meet(&mut self, number: u32, variant: usize, touch: bool) -> Vec<Command> {
        let Some(mutual) = self.model.mutual else { return Vec::new() };
        let (groups, cards) = (self.state.particles.div_ceil(SIZE), self.tables.cards);
        let alone = self.model.schedule.iteration.iter().all(|p| matches!(p, Pass::Meet | Pass::Touch));
        let odd = usize::from(alone && variant == 1);
        let rigid = self.tables.loads != NOBODY;
        let job = Job {
            mode: if touch { TOUCHES } else { 0 },
            fresh: u32::from(variant == 0),
            stick: mutual.friction.stick,
            slide: mutual.friction.slide,
            omega: mutual.omega,
            scale: if rigid { momentum(number, self.model.settings.iterations) } else { 0.0 },
            copies_in: cards[odd],
            copies_out: if alone { cards[1 - odd] } else { NOBODY },
            ..Job::default()
        };
        let mut list = Vec::new();
        if !alone {
            list.push(self.run(shader::passes("deal"), self.dealing(false), groups));
        }
        if variant == 0 {
            list.push(self.run(shader::meets("shares"), job, groups));
            if rigid {
                // Bodies know only now how many contacts they have.
                let again = Job { fresh: 1, ..self.dealing(false) };
                list.push(self.run(shader::passes("deal"), again, groups));
            }
        }
        list.push(self.run(shader::meets("project"), job, groups));
        list
    }

    /// Bodies take back their shape.
    pub(super) fn shapes(&mut self, fresh: u32, parted: bool) -> Vec<Command> {
        let tables = &self.tables.shapes;
        let job = Job { fresh, stick: f32::from(u8::from(parted)), ..tables.job };
        let passes = tables.passes(self.state.particles);
        passes.into_iter().map(|(entry, groups)| self.run(shader::shapes(entry), job, groups)).collect()
    }
}
