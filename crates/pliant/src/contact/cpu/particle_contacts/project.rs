//! The pass over contacts of particles: packing, and the scalar version for all kinds of particles.

use crate::collision::ContactPairs;
use crate::contact::cohesion::{self, COHESION_RANGE, tensile_limit};
use crate::contact::collider_contact::{Push, extrapolate};
use crate::contact::cpu::particle_contacts::{ContactParticle, FRICTIONLESS, ParticleContacts};
use crate::contact::cpu::particle_contacts_simd::SimdPass;
use crate::contact::cpu::rigid_mass_splitting::RigidMassSplitting;
use crate::contact::particle_contact::{self, ContactParams, normal_and_depth, overlap};
use crate::math::{RowData, position};
use crate::runtime::cpu::isa::Isa;
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::threads::Threads;
use glam::Vec3;

/// Particle inputs of a pass: current and previous position, radius, and fluid, if any.
#[derive(Clone, Copy)]
pub(super) struct ContactInputs<'a> {
    pub(super) rows: &'a [RowData],
    pub(super) starts: &'a [RowData],
    pub(super) radii: &'a [f32],
    pub(super) liquids: &'a [u32],
}

/// Options of a contact pass.
#[derive(Clone, Copy)]
pub(super) struct ContactOptions<'a> {
    /// Cohesion over a substep, 2π·w·h² [kg].
    pub(super) strength: f32,
    /// Rigid bodies, if there are any and Nesterov acceleration is on.
    pub(super) acceleration: Option<&'a RigidMassSplitting>,
    /// Surfaces of objects, if any has its own friction.
    pub(super) surfaces: Option<ContactPairs<'a>>,
}

impl ParticleContacts {
    /// Projects contacts of `rows` into the second buffer. Masses are split by the contact counts of the previous pass.
    pub(super) fn project(
        &mut self,
        (threads, isa): (&Threads, Isa),
        places: ContactInputs<'_>,
        params: ContactParams,
        more: ContactOptions<'_>,
    ) {
        let ContactInputs { rows, starts, radii, liquids } = places;
        let (inv_masses, shares) = (&self.inv_masses[..], &self.shares[..]);
        threads.chunks(&mut self.packed, 1, |first, packed| {
            for (entry, i) in packed.iter_mut().zip(first..) {
                let (x, start) = (position(rows[i]), position(starts[i]));
                *entry = ContactParticle { x, radius: radii[i], start, inv_mass: inv_masses[i] * shares[i] };
            }
        });
        // Grains alone take the SIMD path.
        if self.fields.is_empty()
            && liquids.is_empty()
            && more.strength == 0.0
            && more.acceleration.is_none()
            && more.surfaces.is_none()
            && self.least == 1.0
        {
            let fresh = std::mem::replace(&mut self.fresh, false);
            let Self { lists, pushes, packed, counts, inv_masses, next, .. } = self;
            let (pushes, counts) = (Shared::new(&mut pushes[..]), Shared::new(&mut counts[..]));
            SimdPass { lists, packed, inv_masses, rows, params, fresh, pushes, counts }.run(threads, isa, next);
        } else {
            self.project_packed(threads, rows, liquids, params, more);
        }
    }

    /// Scalar version for all kinds of particles, after packing.
    fn project_packed(
        &mut self,
        threads: &Threads,
        rows: &[RowData],
        liquids: &[u32],
        params: ContactParams,
        ContactOptions { strength, acceleration, surfaces }: ContactOptions<'_>,
    ) {
        let fresh = std::mem::replace(&mut self.fresh, false);
        let Self { lists, pushes, lasts, packed, counts, inv_masses, next, fields, least, .. } = self;
        let (least, lasts) = (*least, Shared::new(&mut lasts[..]));
        let (fields, lists, packed, inv_masses) = (&fields[..], &*lists, &packed[..], &inv_masses[..]);
        let offsets = &lists.offsets;
        let field = |i: usize| fields.get(i).copied().unwrap_or_default();
        let (pushes, counts) = (Shared::new(&mut pushes[..]), Shared::new(&mut counts[..]));
        threads.chunks(next, 1, |first, next| {
            for (k, next) in next.iter_mut().enumerate() {
                let i = first + k;
                let own = packed[i].side(i, field(i));
                let mut sum = Vec3::ZERO;
                let mut count = 0.0_f32;
                for (e, &j) in lists.of(i).iter().enumerate() {
                    let j = j as usize;
                    // SAFETY: the entries of particle i belong to this thread.
                    let push = unsafe { pushes.get(offsets[i] as usize + e) };
                    if fresh {
                        *push = Push::default();
                    }
                    let entry = &packed[j];
                    let reach = own.radius + entry.radius;
                    // Cohesion acts only between particles that touched before the substep.
                    let held = strength > 0.0 && overlap(own.start, entry.start, reach * COHESION_RANGE);
                    // Most list entries are near but not in contact.
                    if push.normal == 0.0 && !held && !overlap(own.x, entry.x, reach) {
                        continue;
                    }
                    let other = entry.side(j, field(j));
                    // Fluids are frictionless; viscosity slows them.
                    let wet = !liquids.is_empty() && liquids[i].max(liquids[j]) > 0;
                    let friction = match surfaces {
                        _ if wet => FRICTIONLESS,
                        Some(pairs) => pairs.friction(i, j, params.friction),
                        None => params.friction,
                    };
                    let params = ContactParams { friction, ..params };
                    let (impulse, done) = if held {
                        cohesion::project(
                            &own,
                            &other,
                            params,
                            tensile_limit(strength, own.radius, other.radius),
                            *push,
                        )
                    } else {
                        particle_contact::project(&own, &other, params, *push)
                    };
                    let pushed = push.normal > 0.0;
                    *push = done;
                    sum += impulse;
                    count += 1.0;
                    // Tension is not extrapolated.
                    if let Some(mass_splitting) = acceleration
                        .filter(|mass_splitting| !held && mass_splitting.is_rigid(i) && mass_splitting.is_rigid(j))
                    {
                        // SAFETY: as for `pushes`, which has the same length.
                        let last = unsafe { lasts.get(offsets[i] as usize + e) };
                        let before = if pushed { *last } else { Push::default() };
                        *push = extrapolate(done, before, mass_splitting.momentum);
                        *last = done;
                        let (normal, _) = normal_and_depth(&own, &other, params.parts);
                        sum += normal * (push.normal - done.normal) + (push.tangent - done.tangent);
                    }
                }
                // SAFETY: particle i belongs to this thread.
                unsafe { *counts.get(i) = count.max(least) };
                let x = own.x + sum * inv_masses[i];
                *next = [x.x, x.y, x.z, rows[i][3]];
            }
        });
    }
}
