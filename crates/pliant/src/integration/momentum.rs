//! Momentum of free objects.
//!
//! Inner forces change neither linear nor angular momentum. Corrections of positions do: each is without torque about the
//! positions at which it was computed, but the velocity is taken from the sum of all, about the positions at the end of the
//! substep. The difference is of second order in the displacement, and large where a squashed body expands in one step.
//! BDF2 loses angular momentum even without constraints.
//!
//! At the end of a substep every object that nothing has touched in it gets the rigid velocity that restores both. What was
//! touched by colliders, other objects or liquids keeps the velocity of the solver. What grips pull has the linear momentum
//! that these have added, and keeps its angular one.
//!
//! A solid without any compliance is rigid: between contacts its velocity is that of a rigid body. What is left of
//! unconverged corrections changes its shape, not its velocity.

use crate::contact::cpu::ContactScratch;
use crate::grip::Grip;
use crate::math::{RowData, position};
use crate::memory::{of, resize};
use crate::rigid_body::anchor::{Anchor, AnchorPull};
use crate::rigid_body::bodies::RigidBodyModel;
use crate::rigid_body::integrate::world_inverse_inertia;
use crate::runtime::cpu::shared_slice::Shared;
use crate::scene::Integrator;
use crate::schedule::passes::Pass;
use crate::schedule::phenomenon::{Field, PassInfo, Phenomenon};
use crate::schedule::substep::CpuContext;
use crate::settings::Settings;
use crate::state::State;
use glam::{DMat3, DVec3};

/// Particles that constraints or a shape join, none of them fixed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FreeIsland {
    /// Particles, ascending.
    pub particles: Vec<u32>,
    /// Whether orientations of rod segments belong to it. They have angular momentum of their own: only the linear one is
    /// restored.
    pub has_orientations: bool,
    /// Whether it is a solid whose constraints have no compliance.
    pub is_rigid: bool,
}

impl FreeIsland {
    /// Whether a particle belongs to it.
    pub fn contains(&self, particle: u32) -> bool {
        // Most islands are runs of particles, elsewhere.
        self.particles.last().is_some_and(|&last| particle <= last) && self.particles.binary_search(&particle).is_ok()
    }
}

/// The part of a model that the passes read.
#[derive(Clone, Copy)]
pub(crate) struct MomentumModel<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) islands: &'a [FreeIsland],
    pub(crate) grips: &'a [Grip],
    /// Rigid bodies, with the particles that are attached to them.
    pub(crate) rigid_bodies: &'a RigidBodyModel,
}

impl Phenomenon for MomentumModel<'_> {
    fn name(&self) -> &'static str {
        "integration"
    }

    fn passes(&self) -> Vec<PassInfo> {
        // Sleeping particles stop, whatever their momentum.
        if self.islands.is_empty() || self.settings.sleep_speed > 0.0 {
            return Vec::new();
        }
        let state = &[Field::Positions, Field::Velocities];
        let end = &[Field::SavedMomentum, Field::Positions, Field::Velocities];
        vec![
            PassInfo { pass: Pass::SaveMomentum, reads: state, writes: &[Field::SavedMomentum] },
            PassInfo { pass: Pass::RestoreMomentum, reads: end, writes: &[Field::Velocities] },
        ]
    }

    fn kept(&self) -> &'static [Field] {
        &[]
    }
}

/// Momentum about the center of mass.
#[derive(Clone, Copy, Debug, Default)]
struct Momentum {
    linear: DVec3,
    angular: DVec3,
}

/// Buffers of the passes.
#[derive(Default)]
pub(crate) struct MomentumScratch {
    /// Momentum of each island at the end of the substep, if nothing touches it.
    expected: Vec<Momentum>,
    /// Center of mass of each island at the start of the substep [m].
    centers: Vec<DVec3>,
    /// What single precision has left of the momentum of each island that is attached to a rigid body, about the origin.
    left: Vec<Momentum>,
    /// Whether something outside its island has moved a particle in this substep.
    touched: Vec<bool>,
}

impl MomentumScratch {
    /// Memory [bytes].
    pub(crate) fn bytes(&self) -> u64 {
        of(&self.expected) + of(&self.centers) + of(&self.touched)
    }

    /// Momentum at the start of the substep, with what gravity, air and damping add to it.
    pub(crate) fn save(&mut self, cx: &CpuContext<'_>, model: &MomentumModel<'_>, state: &State, forces: &[RowData]) {
        let (h, keep) = (f64::from(cx.substep.h), f64::from(cx.substep.keep));
        let gravity = model.settings.gravity.as_dvec3();
        resize(&mut self.expected, model.islands.len(), Momentum::default());
        let velocity = |i: usize| {
            let force = forces.get(i).map_or(DVec3::ZERO, |&f| position(f).as_dvec3());
            let a = gravity + force * f64::from(state.rows[i][3]);
            position(state.velocities[i]).as_dvec3() * keep + a * h
        };
        cx.threads.each(&mut self.expected, |number, expected| {
            *expected = measure(&model.islands[number], &state.rows, velocity).0;
        });
        self.centers.clear();
        if !model.rigid_bodies.anchors.is_empty() {
            self.centers.extend(model.islands.iter().map(|island| measure(island, &state.rows, velocity).1.center));
        }
    }

    /// Restores the momentum of islands that nothing has touched but grips, whose multipliers are the first of the pulls
    /// [kg·m], and rigid bodies that they are attached to: what they have added is known.
    pub(crate) fn restore(
        &mut self,
        cx: &CpuContext<'_>,
        model: &MomentumModel<'_>,
        state: &mut State,
        (contact, pushed): (&ContactScratch, &[u32]),
        (pulls, anchor_pulls): (&[DVec3], &[AnchorPull]),
    ) {
        self.find_touched(state, pushed);
        let inverse_h = 1.0 / f64::from(cx.substep.h);
        let grips = || model.grips.iter().zip(pulls).filter(|(grip, _)| grip.holds_particles());
        let anchors = || model.rigid_bodies.anchors.iter().zip(anchor_pulls);
        let centers = &self.centers;
        self.left.clear();
        self.left.resize(if centers.is_empty() { 0 } else { model.islands.len() }, Momentum::default());
        let left = Shared::new(&mut self.left[..]);
        let (touched, expected, rows) = (&self.touched[..], &self.expected[..], &state.rows[..]);
        let velocities = Shared::new(&mut state.velocities[..]);
        cx.threads.over_numbers(model.islands.len(), |number| {
            let island = &model.islands[number];
            let outside = |i: usize| touched[i] || contact.particle_contacts.is_pushed(i);
            if island.particles.iter().any(|&i| rows[i as usize][3] == 0.0 || outside(i as usize)) {
                return;
            }
            let own = |(grip, _): &(&Grip, &DVec3)| island.contains(grip.cluster[0]);
            let gripped = grips().any(|pull| own(&pull));
            let held = |(anchor, _): &(&Anchor, &AnchorPull)| island.contains(anchor.particle);
            let anchored = anchors().any(|pull| held(&pull));
            if (gripped || anchored) && model.settings.integrator == Integrator::Bdf2 {
                // Corrections then change the velocities of two substeps.
                return;
            }
            let pulled = grips().filter(own).map(|(_, pull)| *pull * inverse_h).sum::<DVec3>();
            // About where the center was: it goes on with the momentum.
            let (mut dragged, mut turned) = (DVec3::ZERO, DVec3::ZERO);
            for (_, pull) in anchors().filter(held) {
                dragged += pull.linear * inverse_h;
                turned += (pull.angular - centers[number].cross(pull.linear)) * inverse_h;
            }
            // SAFETY: a particle belongs to one island.
            let velocity = |i: usize| position(unsafe { *velocities.get(i) }).as_dvec3();
            let (found, body) = measure(island, rows, velocity);
            let is_rigid = island.is_rigid && !gripped && !anchored;
            let found = if is_rigid { Momentum::default() } else { found };
            let linear = (expected[number].linear + pulled + dragged - found.linear) / body.mass;
            // The torque of a grip on a deformed island is not known.
            let angular = match island.has_orientations || gripped {
                true => DVec3::ZERO,
                false => body.solve(expected[number].angular + turned - found.angular),
            };
            for &i in &island.particles {
                let i = i as usize;
                let v = if is_rigid { DVec3::ZERO } else { velocity(i) };
                let v = v + linear + angular.cross(position(rows[i]).as_dvec3() - body.center);
                // SAFETY: as above.
                unsafe { *velocities.get(i) = v.as_vec3().extend(0.0).to_array() };
            }
            if anchored {
                let (now, _) = measure(island, rows, velocity);
                let linear = expected[number].linear + pulled + dragged - now.linear;
                let angular = if island.has_orientations || gripped {
                    DVec3::ZERO
                } else {
                    expected[number].angular + turned - now.angular
                };
                // SAFETY: each number is of one island.
                unsafe { *left.get(number) = Momentum { linear, angular: angular + body.center.cross(linear) } };
            }
        });
        self.return_rest(model, state);
    }

    /// Gives what single precision has left of the momentum of islands to the rigid bodies that they are attached to.
    fn return_rest(&self, model: &MomentumModel<'_>, state: &mut State) {
        for (island, rest) in model.islands.iter().zip(&self.left) {
            let own = model.rigid_bodies.anchors.iter().find(|anchor| island.contains(anchor.particle));
            let Some(body) = own.map(|anchor| anchor.body as usize).filter(|_| rest.linear != DVec3::ZERO) else {
                continue;
            };
            let (shape, body) = (&model.rigid_bodies.bodies[body].shape, &mut state.rigid_bodies.bodies[body]);
            body.velocity += rest.linear / shape.mass.mass;
            let about_center = rest.angular - body.position.cross(rest.linear);
            body.spin += world_inverse_inertia(shape, body.rotation) * about_center;
        }
    }

    /// `others` are particles that contacts between triangles have pushed.
    fn find_touched(&mut self, state: &State, others: &[u32]) {
        self.touched.clear();
        resize(&mut self.touched, state.particles, false);
        let pushed = state.contacts.iter().flatten().filter(|c| c.push.normal > 0.0).map(|c| c.particle);
        pushed.chain(others.iter().copied()).for_each(|i| self.touched[i as usize] = true);
        for (touched, carried) in self.touched.iter_mut().zip(&state.carried) {
            *touched |= *carried != [0.0; 4];
        }
    }
}

/// Mass distribution of an island.
struct MassDistribution {
    mass: f64,
    center: DVec3,
    inertia: DMat3,
}

impl MassDistribution {
    /// Angular velocity of an angular momentum. Straight ropes have no inertia about their axis, and no momentum.
    fn solve(&self, angular: DVec3) -> DVec3 {
        let size = self.inertia.x_axis.x + self.inertia.y_axis.y + self.inertia.z_axis.z;
        if size > 0.0 {
            (self.inertia + DMat3::from_diagonal(DVec3::splat(1e-9 * size))).inverse() * angular
        } else {
            DVec3::ZERO
        }
    }
}

/// Momentum and mass distribution of an island; sums are in the order of its particles.
fn measure(island: &FreeIsland, rows: &[RowData], velocity: impl Fn(usize) -> DVec3) -> (Momentum, MassDistribution) {
    let parts = || {
        island.particles.iter().map(|&i| {
            let row = rows[i as usize];
            (1.0 / f64::from(row[3]), position(row).as_dvec3(), velocity(i as usize))
        })
    };
    let (mut mass, mut center, mut linear) = (0.0, DVec3::ZERO, DVec3::ZERO);
    for (m, x, v) in parts() {
        mass += m;
        center += x * m;
        linear += v * m;
    }
    center /= mass;
    let (mut angular, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
    for (m, x, v) in parts() {
        let r = x - center;
        angular += r.cross(v) * m;
        let diagonal = DMat3::from_diagonal(DVec3::splat(r.length_squared()));
        inertia += (diagonal - DMat3::from_cols(r * r.x, r * r.y, r * r.z)) * m;
    }
    (Momentum { linear, angular }, MassDistribution { mass, center, inertia })
}
