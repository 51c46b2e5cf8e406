//! State of a simulation, as a structure of arrays (S02, S03).
//!
//! A *row* is sixteen bytes: a particle's position and inverse mass, or a rod segment's orientation (unit quaternion).
//! Particles come first, orientations after them, in one array, so that constraints refer to both by one index and a
//! gather is one aligned load. Copies of particles (`Model::phantoms`) are rows behind the orientations; they have no
//! velocity, and only the solve stage uses them.

mod contact;
mod snapshot;

use crate::math::RowData;
use crate::memory::{nested, of};
use crate::neighbors::INACTIVE;
pub use contact::{Contact, Push};
use std::collections::VecDeque;
use std::sync::OnceLock;

/// Freezing state of a fluid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frozen {
    /// Number of frozen particles.
    pub count: usize,
    /// Outward direction and depth of each frozen particle, in freezing order, as in [`crate::model::Model::fields`].
    pub fields: Vec<RowData>,
}

/// The moving half of a simulation. [`crate::model::Model`] is the fixed half.
///
/// Values are the caller's to change between steps; lengths, `particles` and the members of `shapes` are not, and
/// the next step panics if they have changed, or if there are more than 2⁵³ substeps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Number of particles; rows from here on are orientations.
    pub particles: usize,
    /// Current rows: x, y, z [m], w [1/kg]; then quaternions; then copies of particles.
    pub rows: Vec<RowData>,
    /// Rows at the start of the substep, without copies.
    pub previous: Vec<RowData>,
    /// Rows at the start of the substep before (BDF2 only, else empty).
    pub older: Vec<RowData>,
    /// Velocities [m/s], w = 0; then the rates of the quaternions [1/s].
    pub velocities: Vec<RowData>,
    /// Velocities one substep ago (BDF2 only, else empty).
    pub older_velocities: Vec<RowData>,
    /// Radius of each particle [m].
    pub radii: Vec<f32>,
    /// Phase of each particle: particles of one phase have no contacts with each other, except in phase 0; those of
    /// phase [`crate::neighbors::INACTIVE`] are inactive.
    pub phases: Vec<u32>,
    /// Number of particles emitted by each of [`crate::model::Model::emitters`].
    pub emitted: Vec<usize>,
    /// Particles returned to each emitter, in the order in which drains removed them.
    pub returned: Vec<VecDeque<u32>>,
    /// Number of particles drained so far.
    pub drained: u64,
    /// Number of melted particles of each of [`crate::model::Model::melts`].
    pub melted: Vec<usize>,
    /// Freezing state of each of [`crate::model::Model::freezes`].
    pub frozen: Vec<Frozen>,
    /// Particles that use BDF1 in this substep, in a BDF2 scene.
    pub first_order: Vec<bool>,
    /// Whether each object of particles sleeps, or rather its group of attached ones, by the number of the group's first
    /// object; empty until one was put to sleep.
    pub(crate) asleep: Vec<bool>,
    /// Multipliers of each constraint group, laid out like its parameters.
    pub multipliers: Vec<Vec<f32>>,
    /// Multiplier of each inflatable [Pa·s²].
    pub inflate_multipliers: Vec<f32>,
    /// Shape-matched bodies, with their poses.
    pub shapes: Option<crate::shape_matching::ShapeMatch>,
    /// Rigid bodies with exact shapes.
    pub rigid_bodies: crate::rigid_body::bodies::RigidBodies,
    /// Multiplier of the density constraint of each particle [kg·m²]: minus its pressure times h²; empty without
    /// fluids.
    pub pressures: Vec<f32>,
    /// Displacement by pressure of each particle in the last substep [m]; empty without fluids.
    pub carried: Vec<RowData>,
    /// Collider contacts of the last substep, by run of particles; those of rigid bodies are warm-started from it.
    pub(crate) contacts: Vec<Vec<Contact>>,
    /// Hashes of the rows and velocities that poses and masses of bodies belong to, once the state was looked at since the last step.
    pub(crate) body_rows: RowHashes,
    /// Number of substeps so far.
    pub substeps: u64,
    /// Simulated time [s].
    pub time: f64,
}

/// [`crate::shape_matching::ShapeMatch::row_hashes`], computed when they are first needed. They follow from the other members, so
/// that states are compared without them.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowHashes(OnceLock<Vec<u64>>);

impl PartialEq for RowHashes {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Maximum number of substeps: all up to here have a double-precision number of their own, and adding to it cannot overflow.
pub(crate) const MOST_SUBSTEPS: u64 = 1 << 53;

/// Lengths of a state's arrays, fixed when a scene is built: kernels of both backends use indices that are checked only
/// then.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StateLayout {
    lengths: [(&'static str, usize); 16],
    multipliers: Vec<usize>,
    /// Runs of particles.
    runs: usize,
    /// Hash of the members of all bodies, if there are bodies.
    bodies: Option<u64>,
}

impl StateLayout {
    pub(crate) fn of(state: &State) -> Self {
        let s = state;
        Self {
            lengths: [
                ("particles", s.particles),
                ("rows", s.rows.len()),
                ("previous rows", s.previous.len()),
                ("older rows", s.older.len()),
                ("velocities", s.velocities.len()),
                ("older velocities", s.older_velocities.len()),
                ("radii", s.radii.len()),
                ("phases", s.phases.len()),
                ("emitters", s.emitted.len().min(s.returned.len())),
                ("melting bodies", s.melted.len()),
                ("freezing liquids", s.frozen.len()),
                ("integration orders", s.first_order.len()),
                ("multipliers of inflatables", s.inflate_multipliers.len()),
                ("pressures", s.pressures.len()),
                ("displacements by pressure", s.carried.len()),
                ("rigid bodies", s.rigid_bodies.bodies.len()),
            ],
            multipliers: s.multipliers.iter().map(Vec::len).collect(),
            runs: s.contacts.len(),
            bodies: s.shapes.as_ref().map(crate::shape_matching::ShapeMatch::layout_hash),
        }
    }

    /// # Panics
    /// An error that names the array where a state does not have this layout.
    pub(crate) fn check(&self, state: &State) {
        let found = Self::of(state);
        for ((what, expected), (_, found)) in self.lengths.iter().zip(&found.lengths) {
            assert!(
                expected == found,
                "the number of {what} has changed since the scene was built: {found}, but must stay {expected}"
            );
        }
        assert!(
            self.multipliers == found.multipliers,
            "the number of multipliers has changed since the scene was built"
        );
        assert!(self.bodies == found.bodies, "the members of bodies have changed since the scene was built");
        // The time is computed from the number of substeps, in double precision.
        assert!(
            state.substeps <= MOST_SUBSTEPS,
            "the number of substeps is {}, but must be at most {MOST_SUBSTEPS}",
            state.substeps
        );
    }
}

impl State {
    /// Remembers which rows the poses and masses of bodies belong to, before a caller can change them.
    pub(crate) fn remember_bodies(&self) {
        if let Some(shapes) = &self.shapes {
            self.body_rows.0.get_or_init(|| shapes.row_hashes(&self.rows, &self.velocities));
        }
    }

    /// After rows and poses have changed together, and before a step, which changes both.
    pub(crate) fn forget_bodies(&mut self) {
        self.body_rows = RowHashes::default();
    }

    /// Updates the bodies that a caller has changed, and drops their contacts, which would be warm-started.
    pub(crate) fn refit_bodies(&mut self) {
        let Some(shapes) = &mut self.shapes else { return };
        let known = self.body_rows.0.get().map_or(&[][..], Vec::as_slice);
        let touched = shapes.refit(known, &self.rows, &self.velocities);
        self.forget_bodies();
        self.drop_contacts(|particle| touched.get(particle) == Some(&true));
    }

    /// Updates the masses of shape-matched bodies from their particles.
    pub(crate) fn weigh_bodies(&mut self) {
        if let Some(shapes) = &mut self.shapes {
            shapes.set_masses(&self.rows);
        }
    }

    /// Replaces the contacts by `contacts`, which are sorted by particle; `runs` are the runs of particles.
    pub(crate) fn set_contacts(&mut self, runs: &[std::ops::Range<usize>], contacts: &[Contact]) {
        let from = |particle: usize| contacts.partition_point(|c| (c.particle as usize) < particle);
        for (run, own) in runs.iter().zip(&mut self.contacts) {
            own.clear();
            own.extend_from_slice(&contacts[from(run.start)..from(run.end)]);
        }
    }

    /// Drops contacts of particles for which `gone` holds.
    pub(crate) fn drop_contacts(&mut self, gone: impl Fn(usize) -> bool) {
        self.contacts.iter_mut().for_each(|run| run.retain(|c| !gone(c.particle as usize)));
    }

    /// Drops contacts of a range of particles; `runs` are the runs of particles.
    pub(crate) fn drop_contacts_of(&mut self, runs: &[std::ops::Range<usize>], gone: &std::ops::Range<usize>) {
        let touched =
            runs.iter().zip(&mut self.contacts).filter(|(run, _)| run.start < gone.end && gone.start < run.end);
        touched.for_each(|(_, contacts)| contacts.retain(|c| !gone.contains(&(c.particle as usize))));
    }

    /// Whether a particle is inactive: not yet emitted, drained, melted or frozen.
    pub fn is_inactive(&self, particle: usize) -> bool {
        self.phases[particle] == INACTIVE && self.rows[particle][3] == 0.0
    }

    /// Bitwise hash of all rows, velocities and rigid bodies (64-bit FNV-1a over words).
    pub fn hash(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for value in self.rows[..self.velocities.len()].iter().chain(&self.velocities).flatten() {
            hash = (hash ^ u64::from(value.to_bits())).wrapping_mul(0x0000_0100_0000_01b3);
        }
        for body in &self.rigid_bodies.bodies {
            for value in body.numbers() {
                hash = (hash ^ value.to_bits()).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
        hash
    }
}

impl State {
    /// Memory that it holds [bytes].
    pub fn bytes(&self) -> u64 {
        let rows = of(&self.rows) + of(&self.previous) + of(&self.older);
        let rates = of(&self.velocities) + of(&self.older_velocities);
        let particles = of(&self.radii)
            + of(&self.phases)
            + of(&self.first_order)
            + of(&self.asleep)
            + of(&self.emitted)
            + of(&self.melted);
        let particles = particles + self.returned.iter().map(|r| 4 * r.capacity() as u64).sum::<u64>();
        let particles = particles + self.frozen.iter().map(|f| of(&f.fields)).sum::<u64>();
        let shapes = self.shapes.as_ref().map_or(0, |shapes| shapes.bytes());
        let shapes = shapes + self.rigid_bodies.bytes();
        let liquids = of(&self.pressures) + of(&self.carried) + nested(&self.contacts);
        rows + rates + particles + shapes + liquids + nested(&self.multipliers) + of(&self.inflate_multipliers)
    }
}
