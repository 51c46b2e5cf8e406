//! Velocity pass at the end of stage finalize: restitution and rolling resistance of all active contacts.

use crate::contact::collider_contact::depth;
use crate::contact::cpu::ContactScratch;
use crate::contact::model::ContactModel;
use crate::contact::restitution::{RestitutionLaw, velocity_change};
use crate::math::RowData;
use crate::math::position;
use crate::memory::resize;
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::threads::Threads;
use crate::schedule::substep::Substep;
use crate::state::{Contact, State};
use glam::Vec3;

/// Scratch data of the pass. Empty without restitution.
#[derive(Default)]
pub struct RestitutionScratch {
    /// Velocities at the start of the substep [m/s].
    before: Vec<RowData>,
    /// Number of particle contacts that each particle's mass is split among.
    shares: Vec<f32>,
    /// Second velocity buffer.
    next: Vec<RowData>,
    /// Per collider.
    colliders: Vec<RestitutionLaw>,
}

impl RestitutionScratch {
    /// Saves the velocities at the start of the substep, from which impact speeds follow.
    pub fn save_velocities(&mut self, model: &ContactModel<'_>, state: &State) {
        if model.has_restitution() {
            self.before.clear();
            self.before.extend_from_slice(&state.velocities[..state.particles]);
        }
    }
}

/// Runs the pass: particles with each other first, then with colliders, as in an iteration.
pub fn apply(
    threads: &Threads,
    model: &ContactModel<'_>,
    state: &mut State,
    scratch: &mut ContactScratch,
    sub: &Substep,
) {
    if !model.has_restitution() {
        return;
    }
    let gravity = model.settings.gravity;
    if let Some(particle_contact) = &model.particle_contact {
        let law = RestitutionLaw::new(particle_contact.restitution, particle_contact.rolling, gravity, sub.h);
        if law.acts() || model.table.has_restitution() {
            particle_restitution(threads, model, state, scratch, &law);
        }
    }
    let all = &mut scratch.restitution.colliders;
    all.clear();
    all.extend(model.collider_laws());
    if all.iter().any(RestitutionLaw::acts) || model.table.has_restitution() {
        collider_restitution(threads, model, state, scratch, (1.0 / sub.h, gravity));
    }
}

/// Particles against colliders.
fn collider_restitution(
    threads: &Threads,
    model: &ContactModel<'_>,
    state: &mut State,
    scratch: &mut ContactScratch,
    (inv_h, gravity): (f32, Vec3),
) {
    let ContactScratch { moving_colliders, restitution: RestitutionScratch { before, colliders: all, .. }, .. } =
        scratch;
    let (moving_colliders, before, all) = (&moving_colliders[..], &before[..], &all[..]);
    let (rows, previous, radii) = (&state.rows, &state.previous, &state.radii);
    let velocities = Shared::new(&mut state.velocities);
    let own = model.table.has_own_restitution();
    let law_of = |c: &Contact| {
        let law = all[c.collider as usize];
        if !own {
            return law;
        }
        let object = model.topology.objects[c.particle as usize];
        let restitution = model.table.restitution_with(object, c.collider as usize, law.restitution);
        RestitutionLaw { restitution, ..law }
    };
    threads.each(&mut state.contacts, |_, contacts| {
        for c in contacts.iter().filter(|c| c.push.normal > 0.0 && law_of(c).acts()) {
            let (i, moving_collider) = (c.particle as usize, &moving_colliders[c.collider as usize]);
            let x = position(rows[i]);
            let (_, normal) = depth(&moving_collider.shape, &moving_collider.after, x, radii[i]);
            // Collider velocity at the contact point.
            let here = x - normal * radii[i];
            let own = (here - moving_collider.before.outward(moving_collider.after.inward(here))) * inv_h;
            // SAFETY: runs do not overlap, so only this thread accesses particle i.
            let velocity = unsafe { velocities.get(i) };
            let now = position(*velocity);
            let start = position(previous[i]);
            let gap = (-depth(&moving_collider.shape, &moving_collider.before, start, radii[i]).0).max(0.0);
            let v = now + velocity_change(&law_of(c), normal, position(before[i]) - own, now - own, (gap, gravity));
            *velocity = [v.x, v.y, v.z, 0.0];
        }
    });
}

/// Particles with each other: all contacts at once, with masses split among contacts so that momentum is conserved, as
/// in [`crate::contact::particle_contact::project`].
fn particle_restitution(
    threads: &Threads,
    model: &ContactModel<'_>,
    state: &mut State,
    scratch: &mut ContactScratch,
    law: &RestitutionLaw,
) {
    let ContactScratch { particle_contacts, restitution: RestitutionScratch { before, shares, next, .. }, .. } =
        scratch;
    let (n, particle_contacts, before) = (state.particles, &*particle_contacts, &before[..]);
    let (rows, velocities) = (&state.rows[..n], &state.velocities[..n]);
    let (own, objects) = (model.table.has_own_restitution(), &model.topology.objects);
    let change = |i: usize, j: usize| {
        let mut law = *law;
        if own {
            law.restitution = model.table.restitution_between(objects[i], objects[j], law.restitution);
        }
        let apart = position(rows[i]) - position(rows[j]);
        let distance = apart.length();
        let normal = if distance > 1e-12 { apart * (1.0 / distance) } else { Vec3::ZERO };
        let relative = |of: &[RowData]| position(of[i]) - position(of[j]);
        // Gravity accelerates both.
        velocity_change(&law, normal, relative(before), relative(velocities), (0.0, Vec3::ZERO))
    };
    resize(shares, n, 1.0);
    resize(next, n, [0.0; 4]);
    threads.chunks(shares, 1, |first, shares| {
        for (k, share) in shares.iter_mut().enumerate() {
            let i = first + k;
            let acting = particle_contacts.pushing(i).filter(|&j| change(i, j) != Vec3::ZERO);
            *share = acting.count().max(1) as f32;
        }
    });
    let shares = &shares[..];
    threads.chunks(next, 1, |first, next| {
        for (k, next) in next.iter_mut().enumerate() {
            let i = first + k;
            let own = rows[i][3];
            let mut sum = Vec3::ZERO;
            for j in particle_contacts.pushing(i) {
                let inv_mass = own * shares[i] + rows[j][3] * shares[j];
                if inv_mass > 0.0 {
                    sum += change(i, j) * (1.0 / inv_mass);
                }
            }
            let v = position(velocities[i]) + sum * own;
            *next = [v.x, v.y, v.z, 0.0];
        }
    });
    let next = &next[..];
    threads.chunks(&mut state.velocities[..n], 1, |first, v| v.copy_from_slice(&next[first..first + v.len()]));
}
