//! Tables of contacts, and their offsets.

use crate::collision::ObjectContact;
use crate::contact::gpu::collider_tables;
use crate::contact::gpu::constants::SEPARATE;
use crate::contact::gpu::mass_splitting::MassSplittingTables;
use crate::contact::model::ContactModel;
use crate::contact::restitution::RestitutionLaw;
use crate::environments::{ColliderSlot, Environments};
use crate::math::RowData;
use crate::runtime::gpu::buffers::Buffers;
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::shader_constants::NONE;
use crate::runtime::gpu::tables::{TableArena, Vector};
use crate::schedule::gpu::Substep;
use crate::schedule::gpu::constants::GOES_ON;
use crate::state::{Contact, Push, State};
use glam::Vec3;
use std::ops::Range;

/// All tables of contacts.
#[derive(Clone, Debug, Default)]
pub struct ContactTables {
    /// Contacts with colliders.
    pub colliders: ColliderContactTables,
    /// Shape tables of each collider in `constants`.
    pub shapes: Vec<u32>,
    /// Contacts between particles.
    pub particles: Option<ParticleContactTables>,
    /// Restitution and rolling resistance.
    pub restitution: Option<RestitutionTables>,
    /// Mass splitting of rigid bodies.
    pub mass_splitting: Option<MassSplittingTables>,
    /// Bodies near triangle surfaces.
    pub surface_bodies: Option<SurfaceBodyTables>,
    /// Environment of each particle and slots of colliders in `constants`, if environments have colliders of their own.
    pub environments: Option<u32>,
    /// Collision groups and surfaces of particles, then of colliders, in `constants`, if any has its own.
    pub object_contacts: Option<u32>,
}

/// Which bodies may touch a triangle surface in this substep.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceBodyTables {
    /// A word per body in `flags`.
    pub marks: u32,
    /// Number of bodies.
    pub bodies: usize,
    /// Bodies of each particle in `topology`: offsets, then body numbers.
    pub row_bodies: u32,
}

impl SurfaceBodyTables {
    /// Writes the tables, if there are bodies, surfaces, and contacts between particles.
    pub fn new(model: &ContactModel<'_>, state: &State, arena: &mut TableArena) -> Option<Self> {
        let shapes = state.shapes.as_ref().filter(|_| model.has_surface() && model.particle_contact.is_some())?;
        let mut pairs: Vec<(u32, u32)> = (0..shapes.len())
            .flat_map(|body| shapes.members_of_body(body).map(move |row| (row, body as u32)))
            .collect();
        pairs.sort_unstable();
        let start = |row: usize| pairs.partition_point(|(r, _)| (*r as usize) < row) as u32;
        let starts: Vec<u32> = (0..=state.particles).map(start).collect();
        Some(Self {
            marks: arena.reserve_flags(shapes.len()),
            bodies: shapes.len(),
            row_bodies: arena.put_topology(starts.into_iter().chain(pairs.iter().map(|(_, body)| *body))),
        })
    }
}

impl ContactTables {
    /// Writes what contacts tell every shader of a substep.
    pub fn fill(&self, model: &ContactModel<'_>, record: &mut Substep) {
        let h = model.settings.substep();
        if model.settings.iterations > 1 {
            record.flags |= GOES_ON;
        }
        record.margin = model.settings.contact_margin;
        record.stabilization = model.settings.stabilization;
        record.colliders = self.colliders.count as u32;
        record.masks = self.colliders.masks;
        record.collider_impulses = self.colliders.impulses;
        record.particle_contacts = self.particles.map_or(NONE, |p| p.contacts);
        record.fields = self.particles.and_then(|p| p.fields).map_or(NONE, |f| f.turned);
        record.mass_splitting = self.mass_splitting.map_or(NONE, |m| m.shares);
        record.contact_counts = self.mass_splitting.map_or(0, |m| m.counts);
        record.surface_bodies = self.surface_bodies.map_or(NONE, |s| s.marks);
        record.environments = self.environments.unwrap_or(NONE);
        record.object_contacts = self.object_contacts.unwrap_or(NONE);
        record.body_colliders = if model.bodies.is_empty() { NONE } else { model.colliders.len() as u32 };
        record.last_impulses = self.mass_splitting.map_or(0, |m| m.last_impulses);
        record.cohesion = std::f32::consts::TAU * model.particle_contact.map_or(0.0, |m| m.cohesion) * h * h;
    }

    /// Shape tables of the colliders.
    pub fn put_shapes(&mut self, model: &ContactModel<'_>, arena: &mut TableArena) {
        self.shapes = collider_tables::put(model.shapes(), arena);
    }

    /// Which colliders the particles of each environment see, if they see different ones.
    pub fn put_environments(&mut self, model: &ContactModel<'_>, arena: &mut TableArena) {
        let (of, slots) = (model.environments.separation().of, model.environments.slots());
        let word = |slot: &ColliderSlot| slot.first | if slot.separate { SEPARATE } else { 0 };
        if slots.iter().any(|slot| slot.separate) {
            let words: Vec<u32> = of.iter().copied().chain(slots.iter().map(word)).collect();
            let vector = |words: &[u32]| std::array::from_fn(|k| words.get(k).copied().unwrap_or(0));
            self.environments = Some(arena.put_constants(words.chunks(4).map(vector)));
        }
    }

    /// Collision groups and surfaces, if any object or collider has its own.
    pub fn put_object_contacts(&mut self, model: &ContactModel<'_>, arena: &mut TableArena) {
        if model.table.is_empty() {
            return;
        }
        let particles = model.topology.objects.iter().map(|&object| contact_vector(&model.table.object(object)));
        let colliders = (0..model.collider_count()).map(|c| contact_vector(&model.table.collider(c)));
        self.object_contacts = Some(arena.put_constants(particles.chain(colliders)));
    }

    /// Number of pairs of particles with a contact impulse in the last substep, from a readback of `work`.
    pub fn active_pairs(&self, n: usize, work: &[RowData]) -> u64 {
        // Both particles of a pair count it.
        self.particles
            .map_or(0, |p| work[p.contacts as usize..][..n].iter().map(|kept| kept[3] as u64).sum::<u64>() / 2)
    }
}

/// Groups, friction and restitution of an object as shaders read them.
pub fn contact_vector(own: &ObjectContact) -> Vector {
    let (s, k) = own.friction.map_or((-1.0, -1.0), |f| (f.static_friction, f.kinetic_friction));
    let restitution = own.restitution.unwrap_or(-1.0);
    [own.groups.word(), f32::to_bits(s), f32::to_bits(k), f32::to_bits(restitution)]
}

/// Contacts with colliders.
#[derive(Clone, Copy, Debug, Default)]
pub struct ColliderContactTables {
    /// Number of colliders that a particle may touch.
    pub count: usize,
    /// Contact masks in `flags`.
    pub masks: u32,
    /// Words of all masks.
    pub mask_words: usize,
    /// Accumulated corrections in `work`, by row and collider.
    pub impulses: u32,
}

impl ColliderContactTables {
    /// For so many particles with masks, copies included, and so many rows.
    pub fn new(model: &ContactModel<'_>, masks: usize, rows: usize, arena: &mut TableArena) -> Self {
        let count = model.environments.slot_count(model.collider_count());
        let mask_words = masks * count.div_ceil(32);
        Self { count, masks: arena.reserve_flags(mask_words), mask_words, impulses: arena.reserve_work(rows * count) }
    }

    /// Active contacts of `n` particles, from a readback of `work` and `flags`. `slot` is the row of a particle's
    /// impulses.
    pub fn contacts<'a>(
        &'a self,
        environments: &'a Environments,
        n: usize,
        work: &'a [RowData],
        flags: &'a [u32],
        slot: impl Fn(usize) -> usize + 'a,
    ) -> impl Iterator<Item = Contact> + 'a {
        let words = self.count.div_ceil(32);
        (0..if self.count > 0 { n } else { 0 }).flat_map(move |i| {
            let slot = slot(i);
            (0..self.count).filter_map(move |c| {
                let mask = flags[self.masks as usize + i * words + c / 32];
                let [x, y, z, normal] = work[slot * self.count + c];
                let push = Push { normal, tangent: Vec3::new(x, y, z) };
                let collider = environments.collider(i, c) as u32;
                let contact = Contact { particle: i as u32, collider, push, last: push, inside: false };
                (mask >> (c % 32) & 1 == 1 && normal > 0.0).then_some(contact)
            })
        })
    }

    /// Uploads the contacts of a state: all masks, and the impulses of contacts that push.
    pub fn upload(
        &self,
        device: &Device,
        buffers: &Buffers,
        environments: &Environments,
        contacts: &[Vec<Contact>],
        slot: impl Fn(usize) -> usize,
    ) {
        let words = self.count.div_ceil(32);
        let mut masks = vec![0_u32; self.mask_words];
        let mut impulses: Vec<(usize, RowData)> = Vec::new();
        for c in contacts.iter().flatten().filter(|c| c.push.normal > 0.0) {
            let (i, collider) = (c.particle as usize, environments.slot(c.collider as usize));
            masks[i * words + collider / 32] |= 1 << (collider % 32);
            let Push { tangent, normal } = c.push;
            impulses.push((slot(i) * self.count + collider, [tangent.x, tangent.y, tangent.z, normal]));
        }
        buffers.write(device, &buffers.flags, 4 * u64::from(self.masks), &masks);
        impulses.sort_unstable_by_key(|(at, _)| *at);
        // Few and larger writes: what lies between is not read, since its mask is clear.
        for near in impulses.chunk_by(|(a, _), (b, _)| b - a <= 64) {
            let (first, last) = (near[0].0, near[near.len() - 1].0);
            let mut vectors = vec![[0.0_f32; 4]; last - first + 1];
            near.iter().for_each(|(at, impulse)| vectors[at - first] = *impulse);
            buffers.write(device, &buffers.work, 16 * (u64::from(self.impulses) + first as u64), &vectors);
        }
    }

    /// Clears the masks of some particles, which have moved.
    pub fn clear_masks(&self, device: &Device, buffers: &Buffers, range: Range<usize>) {
        let words = self.count.div_ceil(32);
        let at = 4 * (u64::from(self.masks) + (words * range.start) as u64);
        buffers.write(device, &buffers.flags, at, &vec![0_u32; words * range.len()]);
    }
}

/// Contacts between particles.
#[derive(Clone, Copy, Debug)]
pub struct ParticleContactTables {
    /// Per particle in `work`: contact count, inverse mass in contacts, active contacts.
    pub contacts: u32,
    /// Predicted or stabilized positions in `work`.
    pub predicted: u32,
    /// Two sets of packed particles in `work`.
    pub packed: [u32; 2],
    /// Shortest ways out of bodies.
    pub fields: Option<SurfaceFieldTables>,
    /// Phases in `topology`.
    pub phases: u32,
    /// Rest positions and objects in `params`, or [`NONE`].
    pub rest: u32,
    /// Objects that particles are attached to, in `topology`: offsets, then object numbers; or [`NONE`].
    pub attachments: u32,
}

/// Shortest ways out of bodies.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceFieldTables {
    /// In `work`, rotated with the bodies.
    pub turned: u32,
    /// In `constants`, at rest.
    pub at_rest: u32,
}

impl ParticleContactTables {
    /// Writes the tables, if particles collide with each other.
    pub fn new(model: &ContactModel<'_>, state: &State, arena: &mut TableArena) -> Option<Self> {
        model.particle_contact?;
        let n = state.particles;
        let contacts = arena.reserve_work(n);
        let predicted = arena.reserve_work(n);
        let packed = [arena.reserve_work(2 * n), arena.reserve_work(2 * n)];
        let has_fields = state.shapes.as_ref().is_some_and(|_| !model.fields.is_empty());
        let fields = has_fields.then(|| SurfaceFieldTables {
            turned: arena.reserve_work(n),
            at_rest: arena.put_constants(surface_fields(model, state)),
        });
        let phases = arena.put_topology(state.phases.iter().copied());
        let filter = model.attachment_filter;
        let attachments = if filter.is_empty() {
            NONE
        } else {
            arena.put_topology(filter.offsets.iter().chain(&filter.objects).copied())
        };
        let rest = model.rest.iter().zip(&model.topology.objects).flat_map(|(place, &object)| {
            let loose = model.loose.get(object as usize).copied().unwrap_or(false);
            // Object numbers are exact in single precision: there are fewer than particles. Those of loose ones are
            // below 0, from -1 on.
            [place.x, place.y, place.z, if loose { -1.0 - object as f32 } else { object as f32 }]
        });
        let rest = if model.rest.is_empty() { NONE } else { arena.put_params(rest) };
        Some(Self { contacts, predicted, packed, fields, phases, rest, attachments })
    }

    /// Uploads the phases of some particles.
    pub fn upload_phases(&self, device: &Device, buffers: &Buffers, state: &State, range: Range<usize>) {
        let at = 4 * (u64::from(self.phases) + range.start as u64);
        buffers.write(device, &buffers.topology, at, &state.phases[range]);
    }
}

/// Shortest ways out of bodies at rest and depths below their surfaces, as far as these have melted or frozen.
pub fn surface_fields(model: &ContactModel<'_>, state: &State) -> Vec<Vector> {
    // Particles of bodies with several regions have none.
    let mut fields = vec![[0.0; 4]; model.fields.len()];
    for (_, run) in state.shapes.iter().flat_map(|shapes| shapes.runs()) {
        fields[run.clone()].copy_from_slice(&model.fields[run]);
    }
    for (melt, &melted) in model.melts.iter().zip(&state.melted) {
        fields[melt.body.clone()].iter_mut().for_each(|f| f[3] = melt.depth(melted, f[3]));
    }
    for (freeze, frozen) in model.freezes.iter().zip(&state.frozen) {
        fields[freeze.body.clone()].iter_mut().zip(&frozen.fields).for_each(|(to, field)| *to = *field);
    }
    fields.into_iter().map(|field| field.map(f32::to_bits)).collect()
}

/// Restitution and rolling resistance.
#[derive(Clone, Copy, Debug)]
pub struct RestitutionTables {
    /// Velocities before the substep in `work`.
    pub velocities_before: u32,
    /// Restitution law of each collider in `constants`.
    pub collider_laws: u32,
}

impl RestitutionTables {
    /// Writes the tables, if any contact has restitution or rolling resistance.
    pub fn new(model: &ContactModel<'_>, particles: usize, arena: &mut TableArena) -> Option<Self> {
        let laws = model.collider_laws().map(|law| {
            let RestitutionLaw { restitution, rest_speed, rolling_damping, .. } = law;
            [restitution, rest_speed, rolling_damping, 0.0].map(f32::to_bits)
        });
        model.has_restitution().then(|| Self {
            velocities_before: arena.reserve_work(particles),
            collider_laws: arena.put_constants(laws),
        })
    }
}
