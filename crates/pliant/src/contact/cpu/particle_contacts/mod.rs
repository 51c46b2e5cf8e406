//! Particle-particle contacts: contact lists of stage neighbors, pre-stabilization, and the pass of stage solve.
//!
//! Each particle sums its own contacts in the order of its list and writes only itself: threads need no
//! synchronization, and results do not depend on the thread count. Each contact is computed twice, once from either
//! side, with bitwise equal results.

mod project;

use crate::contact::collider_contact::{Friction, Push};
use crate::contact::cpu::contact_lists::ContactLists;
use crate::contact::cpu::rigid_mass_splitting::RigidMassSplitting;
use crate::contact::model::ContactModel;
use crate::contact::particle_contact::{ContactParams, Field, SLOP, Side, overlap, search_radius};
use crate::math::RowData;
use crate::math::matrix::{apply, matrix_of};
use crate::math::position;
use crate::memory::{of, replace, reserve, resize};
use crate::neighbors::{Cloud, Finder, Pairs, Search};
use crate::runtime::cpu::isa::Isa;
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::threads::Threads;
use crate::scene::Integrator;
use crate::schedule::stats::ContactPair;
use crate::shape_matching::ShapeMatch;
use crate::state::State;
use glam::Vec3;
use project::{ContactInputs, ContactOptions};

/// Without friction.
pub const FRICTIONLESS: Friction = Friction { static_friction: 0.0, kinetic_friction: 0.0 };

/// Contact lists and accumulated corrections of this substep.
pub struct ParticleContacts {
    finder: Finder,
    lists: ContactLists,
    /// Per list entry.
    pushes: Vec<Push>,
    /// Whether the next pass treats all accumulated corrections as zero: clearing them would take as long as finding
    /// the contacts.
    fresh: bool,
    /// Corrections of the previous iteration; empty without rigid bodies.
    lasts: Vec<Push>,
    /// Number of contacts that each particle's mass is split among.
    shares: Vec<f32>,
    /// Active contacts of each particle in the last pass.
    counts: Vec<f32>,
    /// Whether a pass of this substep has counted them.
    counted: bool,
    /// Lower bound of the contact count: 1, or 0 where rigid bodies sum theirs.
    least: f32,
    /// Inverse mass of each particle in contacts [1/kg]: its own, or scaled by height (S22). Stored apart from the rows
    /// and used in every contact pass of the substep (E17).
    inv_masses: Vec<f32>,
    /// Packed contact data of each particle.
    packed: Vec<ContactParticle>,
    /// Second position buffer.
    next: Vec<RowData>,
    /// Depth and outward direction of particles in their bodies, rotated with the bodies (S22); empty without bodies.
    fields: Vec<Field>,
    /// Radii used by pre-stabilization [m].
    shrunk: Vec<f32>,
    /// Radii used by the neighbor search [m].
    reach: Vec<f32>,
}

/// Contact data of a particle, half a cache line: separate arrays would take five accesses per neighbor. Same layout as
/// two rows, for SIMD gathers.
#[derive(Clone, Copy, Default)]
#[repr(C, align(32))]
pub struct ContactParticle {
    pub x: Vec3,
    pub radius: f32,
    pub start: Vec3,
    /// Inverse of the split mass in each contact [1/kg].
    pub inv_mass: f32,
}

impl ContactParticle {
    #[inline]
    fn side(&self, number: usize, field: Field) -> Side {
        let Self { x, radius, start, inv_mass } = *self;
        Side { x, start, radius, inv_mass, number: number as u32, field }
    }
}

impl Default for ParticleContacts {
    fn default() -> Self {
        Self {
            finder: Finder::new(Search::Auto),
            lists: ContactLists::default(),
            pushes: Vec::new(),
            fresh: true,
            lasts: Vec::new(),
            shares: Vec::new(),
            counts: Vec::new(),
            counted: false,
            least: 1.0,
            inv_masses: Vec::new(),
            packed: Vec::new(),
            next: Vec::new(),
            fields: Vec::new(),
            shrunk: Vec::new(),
            reach: Vec::new(),
        }
    }
}

impl ParticleContacts {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        let lists = of(&self.lists.offsets) + of(&self.lists.indices) + of(&self.pushes);
        let each = of(&self.shares) + of(&self.counts) + of(&self.inv_masses) + of(&self.next);
        let each = each + of(&self.shrunk) + of(&self.reach);
        self.finder.bytes() + lists + each + of(&self.fields) + of(&self.lasts) + of(&self.packed)
    }

    /// Active contact pairs.
    pub fn count(&self) -> u64 {
        self.pushes.iter().filter(|push| push.normal > 0.0).count() as u64 / 2
    }

    /// Contact pairs that were active in the last substep of `h` seconds.
    pub fn contact_pairs(&self, h: f32) -> impl Iterator<Item = ContactPair> + '_ {
        let lists = &self.lists;
        (0..lists.len()).flat_map(move |i| {
            let entries = lists.of(i).iter().zip(&self.pushes[lists.offsets[i] as usize..]);
            let pushing = entries.filter(move |(j, push)| **j as usize > i && push.normal != 0.0);
            let force = move |push: &Push| push.normal / (h * h);
            pushing.map(move |(&b, push)| ContactPair { a: i as u32, b, force: force(push) })
        })
    }

    /// Particles in active contact with particle `i`.
    pub fn pushing(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let known = i < self.lists.len();
        let (list, first) = if known { (self.lists.of(i), self.lists.offsets[i] as usize) } else { (&[][..], 0) };
        let entries = list.iter().zip(&self.pushes[first..]);
        entries.filter(|(_, push)| push.normal > 0.0).map(|(&j, _)| j as usize)
    }

    /// Whether any particles may touch in this substep.
    pub fn has_pairs(&self) -> bool {
        !self.lists.indices.is_empty()
    }

    /// Whether an active contact has pushed particle `i` in this substep.
    pub fn is_pushed(&self, i: usize) -> bool {
        self.pushing(i).next().is_some()
    }

    /// Finds the pairs that may touch before the substep ends.
    pub fn find(
        &mut self,
        threads: &Threads,
        model: &ContactModel<'_>,
        state: &State,
        mass_splitting: &RigidMassSplitting,
    ) {
        let n = state.particles;
        replace(&mut self.reach, state.radii.iter().map(|&radius| search_radius(radius)));
        let cloud = Cloud { rows: &state.rows[..n], radii: &self.reach, phases: &state.phases };
        let separation = model.environments.separation();
        let found = self.finder.find_within(threads, cloud, separation, 0.0, Pairs::Both);
        self.lists.fill(found, model, &state.radii);
        reserve(&mut self.pushes, self.lists.indices.len());
        self.pushes.resize(self.lists.indices.len(), Push::default());
        self.fresh = true;
        resize(&mut self.shares, n, 1.0);
        resize(&mut self.counts, n, 1.0);
        self.counted = false;
        self.lasts.clear();
        self.least = 1.0;
        if mass_splitting.acts() {
            reserve(&mut self.lasts, self.lists.indices.len());
            self.lasts.resize(self.lists.indices.len(), Push::default());
            self.least = 0.0;
        }
        resize(&mut self.next, n, [0.0; 4]);
        resize(&mut self.packed, n, ContactParticle::default());
        replace(&mut self.shrunk, state.radii.iter().map(|r| r * (1.0 - SLOP)));
        self.rotate_fields(model, state);
        let particle_contact = model.particle_contact.unwrap_or_default();
        let up = -model.settings.gravity.normalize_or_zero() * particle_contact.stacking;
        let low = state.rows[..n].iter().map(|&row| position(row).dot(up)).fold(f32::INFINITY, f32::min);
        let inv_mass = |&row: &RowData| match particle_contact.stacking > 0.0 {
            // D4 4.25 (E22): lower is heavier. Clamped at e^12, the limit of single precision.
            true => row[3] * libm::expf((position(row).dot(up) - low).min(12.0)),
            false => row[3],
        };
        replace(&mut self.inv_masses, state.rows[..n].iter().map(inv_mass));
    }

    /// Rotates the outward directions with their bodies, once per substep. Particles of bodies with several regions have
    /// none and are treated as free.
    fn rotate_fields(&mut self, model: &ContactModel<'_>, state: &State) {
        let Some(shapes) = state.shapes.as_ref().filter(|_| !model.fields.is_empty()) else { return };
        self.fields.clear();
        resize(&mut self.fields, state.particles, Field::default());
        for (number, run) in shapes.runs() {
            let turned = matrix_of(shapes.poses()[number].rotation);
            for i in run {
                let [x, y, z, depth] = model.fields[i];
                self.fields[i] = Field { outward: Vec3::from(apply(&turned, [x, y, z])), depth };
            }
        }
        for (melt, &melted) in model.melts.iter().zip(&state.melted) {
            self.fields[melt.body.clone()].iter_mut().for_each(|f| f.depth = melt.depth(melted, f.depth));
        }
        for (freeze, frozen) in model.freezes.iter().zip(&state.frozen) {
            let turned = matrix_of(shapes.poses()[freeze.number].rotation);
            for (to, &[x, y, z, depth]) in self.fields[freeze.body.clone()].iter_mut().zip(&frozen.fields) {
                *to = Field { outward: Vec3::from(apply(&turned, [x, y, z])), depth };
            }
        }
        // A particle displaced beyond its depth is treated as free: its outward direction is no longer valid, and
        // flattened bodies ejected particles along it.
        for (number, run) in shapes.runs().filter(|(number, _)| !shapes.bodies[*number].is_rigid()) {
            for (i, goal) in run.zip(shapes.goals(number)) {
                let (place, field) = (position(state.previous[i]), &mut self.fields[i]);
                field.depth = if overlap(place, goal.into(), field.depth) { field.depth } else { 0.0 };
            }
        }
    }

    /// Pre-stabilization (S10, D4 §3.1.5): particles that overlap at the start of the substep are separated together
    /// with their previous positions, so that the correction adds no velocity. `shape` applies shape matching: bodies
    /// separate as a whole, or the solver would undo the corrections of single particles, with velocity.
    pub fn stabilize(
        &mut self,
        (threads, isa): (&Threads, Isa),
        model: &ContactModel<'_>,
        state: &mut State,
        shape: impl Fn(&mut ShapeMatch, &mut [RowData]),
    ) {
        let n = state.particles;
        let liquids = model.liquids;
        let params = ContactParams { friction: FRICTIONLESS, omega: 1.0, parts: true, recovery: f32::INFINITY };
        let shrunk = std::mem::take(&mut self.shrunk);
        for _ in 0..model.settings.stabilization {
            self.count_shares(threads, &state.previous[..n], &shrunk);
            self.shares.iter_mut().for_each(|share| *share = share.max(1.0));
            let previous = &state.previous[..n];
            let places = ContactInputs { rows: previous, starts: previous, radii: &shrunk, liquids };
            self.project(
                (threads, isa),
                places,
                params,
                ContactOptions { strength: 0.0, acceleration: None, surfaces: None },
            );
            if let Some(shapes) = &mut state.shapes {
                shape(shapes, &mut self.next);
            }
            let next = &self.next;
            let previous = Shared::new(&mut state.previous[..n]);
            threads.chunks(&mut state.rows[..n], 1, |first, rows| {
                for (k, row) in rows.iter_mut().enumerate() {
                    // SAFETY: chunks do not overlap, so only this thread accesses particle first + k.
                    let before = unsafe { previous.get(first + k) };
                    let after = next[first + k];
                    for (x, (new, old)) in row[..3].iter_mut().zip(after.iter().zip(before.iter())) {
                        *x += new - old;
                    }
                    *before = after;
                }
            });
        }
        self.shrunk = shrunk;
        self.fresh = true;
    }

    /// Contact counts of the previous pass; before the first pass, those that overlap at the current positions.
    pub fn count_contacts(&mut self, threads: &Threads, state: &State) -> &[f32] {
        if std::mem::replace(&mut self.counted, true) {
            std::mem::swap(&mut self.shares, &mut self.counts);
        } else {
            self.count_shares(threads, &state.rows[..state.particles], &state.radii);
        }
        &self.shares
    }

    /// Projects all contacts once, after counting.
    pub fn project_all(
        &mut self,
        (threads, isa): (&Threads, Isa),
        model: &ContactModel<'_>,
        state: &mut State,
        mass_splitting: &RigidMassSplitting,
    ) {
        let n = state.particles;
        let particle_contact = model.particle_contact.unwrap_or_default();
        let liquids = model.liquids;
        let h = model.settings.dt / model.settings.substeps as f32;
        let params = ContactParams {
            friction: particle_contact.friction,
            omega: particle_contact.omega,
            parts: false,
            recovery: particle_contact.recovery_speed * h,
        };
        let acceleration = Some(mass_splitting).filter(|mass_splitting| mass_splitting.acts());
        if mass_splitting.acts() {
            self.shares.iter_mut().enumerate().for_each(|(i, share)| *share = mass_splitting.share(i, *share));
        }
        // 2π·w·h²: cohesion over a substep.
        let strength = std::f32::consts::TAU * particle_contact.cohesion * h * h;
        let (rows, starts) = (&state.rows[..n], &state.previous[..n]);
        let places = ContactInputs { rows, starts, radii: &state.radii, liquids };
        let surfaces = Some(model.pairs()).filter(|pairs| !pairs.table.frictions().is_empty());
        self.project((threads, isa), places, params, ContactOptions { strength, acceleration, surfaces });
        let next = &self.next;
        threads.chunks(&mut state.rows[..n], 1, |first, rows| rows.copy_from_slice(&next[first..first + rows.len()]));
    }

    /// Active contacts of each particle at `rows`.
    fn count_shares(&mut self, threads: &Threads, rows: &[RowData], radii: &[f32]) {
        let (lists, least) = (&self.lists, self.least as usize);
        threads.chunks(&mut self.shares, 1, |first, shares| {
            for (k, share) in shares.iter_mut().enumerate() {
                let i = first + k;
                let own = position(rows[i]);
                let pushes = |&&j: &&u32| overlap(own, position(rows[j as usize]), radii[i] + radii[j as usize]);
                *share = lists.of(i).iter().filter(pushes).count().max(least) as f32;
            }
        });
    }

    /// Contact is not smooth: particles with an active contact fall back to BDF1 (E12).
    pub fn fall_back(&self, model: &ContactModel<'_>, state: &mut State, inv_h: f32) {
        if model.settings.integrator != Integrator::Bdf2 {
            return;
        }
        let lists = &self.lists;
        for i in 0..state.particles {
            let entries = lists.offsets[i] as usize..lists.offsets[i + 1] as usize;
            if self.pushes[entries].iter().any(|push| push.normal > 0.0) {
                let v = (position(state.rows[i]) - position(state.previous[i])) * inv_h;
                state.velocities[i] = [v.x, v.y, v.z, 0.0];
                state.first_order[i] = true;
            }
        }
    }
}
