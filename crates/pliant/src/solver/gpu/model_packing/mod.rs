//! A model as flat arrays: the tables of all phenomena in one arena, in a fixed order.

pub mod write;

use crate::aero::gpu::AeroTables;
use crate::constraints::group::{BLOCK, Group};
use crate::contact::gpu::mass_splitting::MassSplittingTables;
use crate::contact::gpu::tables::{
    ColliderContactTables, ContactTables, ParticleContactTables, RestitutionTables, SurfaceBodyTables,
};
use crate::contact::particle_contact::search_radius;
use crate::fluid::gpu::tables::FluidTables;
use crate::grip::gpu::GripTables;
use crate::integration::gpu::IntegrationTables;
use crate::integration::momentum_gpu::MomentumTables;
use crate::integration::sleeping_gpu::SleepTables;
use crate::methods::vbd::gpu::tables::ElasticTables;
use crate::methods::{MethodTables, method};
use crate::model::{Model, Room};
use crate::runtime::gpu::tables::TableArena;
use crate::scene::{Integrator, Method};
use crate::schedule::gpu::constants::STATUS_WORDS;
use crate::schedule::passes::Pass;
use crate::shape_matching::ShapeMatch;
use crate::shape_matching::gpu::tables::{ShapeMatchingTables, ShapeRoom, StepSettings};
use crate::solver::gpu::inflate::InflatableTables;
use crate::solver::gpu::patches::{Patches, Writer};
use crate::solver::gpu::reactions::ReactionTables;
use crate::state::State;
use std::ops::Range;

/// Offsets of a constraint group.
#[derive(Clone, Copy, Debug, Default)]
pub struct GroupOffsets {
    /// Row numbers in `topology`, as if block 0 stood there (arithmetic wraps).
    pub index: u32,
    /// Parameters, likewise.
    pub params: u32,
    /// Multipliers.
    pub lambda: u32,
}

/// All tables.
#[derive(Default)]
pub struct Tables {
    /// Contents and sizes of the buffers.
    pub arena: TableArena,
    /// By group.
    pub groups: Vec<GroupOffsets>,
    /// Patches: directory, memory, and how they run.
    pub patches: Patches,
    /// Bits of particles that belong to islands.
    pub island_bits: u32,
    /// Four words per tie.
    pub seams: u32,
    /// Tie of each particle, where seams are joined by the passes that read them.
    pub seam_of: u32,
    /// Radii in `params`.
    pub radii: u32,
    /// Radii of the search for particle contacts in `params`, behind the radii.
    pub search_radii: u32,
    /// Offset of the exchange between concurrent patches in `flags`; number of words.
    pub exchange: (u32, usize),
    /// Start positions and velocities of copies on seams in `motion`, for passes that do whole substeps.
    pub copy_motion: u32,
    /// Predicted positions in `work`, for neighbor searches.
    pub predicted: u32,
    /// Contacts.
    pub contact: ContactTables,
    /// Fluids.
    pub fluid: FluidTables,
    /// Shape matching.
    pub shapes: ShapeMatchingTables,
    /// Aerodynamic forces.
    pub aero: AeroTables,
    /// Predict, finalize, kinematic pins.
    pub integration: IntegrationTables,
    /// Momentum of free islands.
    pub momentum: MomentumTables,
    /// Inflatables.
    pub inflatables: InflatableTables,
    /// Elastic bodies.
    pub elastic: ElasticTables,
    /// Grips.
    pub grips: GripTables,
    /// Sleeping objects of particles.
    pub sleep: SleepTables,
    /// Impulses of particles on rigid bodies.
    pub reactions: ReactionTables,
    /// The solution method.
    pub method: MethodTables,
    /// Iterations of a substep.
    pub iterations: u32,
    /// Whether an iteration is one pass over patches with seams.
    pub fused: bool,
}

impl Tables {
    /// Writes the tables of a model for workgroups of `threads` with `memory` bytes.
    pub fn new(model: &Model, state: &State, threads: usize, memory: usize) -> Self {
        let (n, rows) = (state.particles, state.rows.len());
        let (contact, fluid) = (model.contact(), model.fluid_model());
        let mut all = Self {
            // To look collider tables up takes more registers than a patch can spare: contacts are passes of their own, and
            // so are grips and sleeping objects.
            fused: is_fused(model) && !model.has_tables() && model.grips.is_empty() && model.sleep_groups.is_none(),
            iterations: model.settings.iterations,
            arena: TableArena { flags: STATUS_WORDS as usize, ..TableArena::default() },
            ..Self::default()
        };
        all.put_groups(model);
        all.put_rows(model, state);
        // Copies have masks of their own.
        let copies = if all.fused { model.phantoms.seams } else { 0 };
        all.contact.colliders = ColliderContactTables::new(&contact, n + copies, rows, &mut all.arena);
        all.integration = IntegrationTables::new(&model.spin_inv_inertias, state, &mut all.arena);
        all.exchange = (all.arena.reserve_flags(2 * 4 * copies), 2 * 4 * copies);
        all.aero = AeroTables::new(&model.aero_surfaces, n, &mut all.arena);
        // With a history no pass does whole substeps.
        all.copy_motion = all.arena.reserve_motion(if state.older.is_empty() { 2 * copies } else { 0 });
        all.fluid = FluidTables::new(&fluid, n, &mut all.arena);
        all.contact.particles = ParticleContactTables::new(&contact, state, &mut all.arena);
        all.predicted = match all.contact.particles {
            Some(particles) => particles.predicted,
            None => all.arena.reserve_work(if model.fluid.is_some() { n } else { 0 }),
        };
        all.contact.restitution = RestitutionTables::new(&contact, n, &mut all.arena);
        all.contact.put_shapes(&contact, &mut all.arena);
        all.contact.put_environments(&contact, &mut all.arena);
        all.contact.put_object_contacts(&contact, &mut all.arena);
        if let Some(shapes) = &state.shapes {
            all.shapes = shape_tables(model, shapes, n, all.arena.work);
            all.arena.work += all.shapes.work;
        }
        all.contact.mass_splitting = MassSplittingTables::new(&contact, state, model.room.bodies, &mut all.arena);
        all.contact.surface_bodies = SurfaceBodyTables::new(&contact, state, &mut all.arena);
        all.put_ties(model, state);
        all.method = method(model.settings.partition).put_tables(&model.constraint_model(), &mut all.arena);
        all.aero.put_surfaces(&model.aero_surfaces, &mut all.arena);
        all.inflatables = InflatableTables::new(&model.inflatables, &mut all.arena);
        let first_order = model.settings.integrator == Integrator::Bdf1;
        all.elastic = ElasticTables::new(&model.bodies, &model.groups, first_order, threads, &mut all.arena);
        all.grips = GripTables::new(&model.grips, |i| model.free_island_of(i), &mut all.arena);
        let (solid, has_history) = (state.velocities.len(), !state.older.is_empty());
        all.sleep = SleepTables::new(model.sleep_groups.as_ref(), solid, has_history, &mut all.arena);
        all.reactions = ReactionTables::new(model, n, &mut all.arena);
        if model.schedule.before.iter().any(|(pass, _)| *pass == Pass::SaveMomentum) {
            let Room { rows, bodies, .. } = &model.room;
            let momentum = MomentumTables::new(&model.free_islands, *bodies, rows.clone(), &mut all.arena);
            all.momentum = momentum.with_grips(&all.grips, model.settings.integrator);
        }
        all.integration.put_pins(&model.pins, n, &mut all.arena);
        let mut writer = Writer::new(threads, model, &all.groups, all.fused, rows);
        all.patches = writer.write(memory, &mut all.arena.topology, &mut all.arena.constants);
        // Threads without a constraint fetch what would be theirs.
        let layouts = model.groups.iter().map(|g| g.layout());
        let most = layouts.map(|l| l.multipliers).max().unwrap_or(0);
        all.arena.put_constants(std::iter::repeat_n([0; 4], threads));
        all.arena.reserve_lambda(threads * most);
        all
    }

    /// Writes radii that the caller has changed; returns their range in `params`, including the common radius before them.
    pub fn change_radii(&mut self, radii: &[f32]) -> Range<usize> {
        let first = self.radii as usize;
        self.arena.params[first - 1] = common_radius(radii);
        self.arena.params[first..][..radii.len()].copy_from_slice(radii);
        let search = radii.iter().map(|&radius| search_radius(radius));
        self.arena.params[first + radii.len()..].iter_mut().zip(search).for_each(|(to, radius)| *to = radius);
        first - 1..first + 2 * radii.len()
    }

    /// Parameters again, after the model's have changed.
    pub fn refresh_params(&mut self, model: &Model) {
        let arena = &mut self.arena;
        for (at, group) in self.groups.iter().zip(&model.groups) {
            let inside = first_outside(group) * BLOCK * group.layout().params;
            let outside = &group.params[inside..];
            let start = at.params.wrapping_add(inside as u32) as usize;
            arena.params[start..start + outside.len()].copy_from_slice(outside);
        }
        self.patches.packed_batches.iter().for_each(|batch| batch.refresh(&model.groups, &mut arena.constants));
        self.inflatables.refresh(&model.inflatables, arena);
        self.elastic.refresh(&model.bodies, &model.groups, arena);
        self.momentum.refresh(&model.free_islands, arena);
    }

    /// Shape matching again, after masses have changed.
    pub fn refresh_shapes(&mut self, model: &Model, shapes: &ShapeMatch, particles: usize) {
        self.shapes = shape_tables(model, shapes, particles, self.shapes.uniforms.sums as usize);
    }

    /// Vectors of `work` that the host reads: collider impulses, then what fluids or particle contacts keep.
    pub fn work_read(&self, model: &Model, state: &State) -> usize {
        match self.contact.particles {
            Some(particles) => particles.contacts as usize + state.particles,
            None => {
                let fluid = if model.fluid.is_some() { state.particles } else { 0 };
                state.rows.len() * model.environments.slot_count(model.contact().collider_count()) + fluid
            }
        }
    }
}

fn shape_tables(model: &Model, shapes: &ShapeMatch, particles: usize, first: usize) -> ShapeMatchingTables {
    let room = ShapeRoom { bodies: model.room.bodies, members: model.room.rows.len() };
    ShapeMatchingTables::new(step_settings(model), shapes, room, particles, first)
}

/// Numbers of a step that shape matching depends on.
pub(crate) fn step_settings(model: &Model) -> StepSettings {
    let s = &model.settings;
    StepSettings { h: s.substep(), iterations: s.iterations, extraction: s.extraction }
}

/// Whether multipliers are read by anything: PBD has none.
pub fn has_multipliers(model: &Model) -> bool {
    model.settings.method != Method::Pbd
}

/// The radius that all have, or less than 0 where they differ [m].
pub(crate) fn common_radius(radii: &[f32]) -> f32 {
    match radii {
        [first, others @ ..] if others.iter().all(|r| r == first) => *first,
        _ => -1.0,
    }
}

/// First block of a group that belongs to no patch.
pub(crate) fn first_outside(group: &Group) -> usize {
    group.batches.iter().find(|b| b.patch == u32::MAX).map_or(group.blocks(), |b| b.first)
}

/// Whether an iteration is: copies out, patches, copies back, contacts. Then each patch can fetch its seam
/// particles itself, and the iteration is one pass.
pub(crate) fn is_fused(model: &Model) -> bool {
    let list = &model.schedule.iteration;
    let list = if list.last() == Some(&Pass::ColliderContacts) { &list[..list.len() - 1] } else { &list[..] };
    match list {
        [Pass::Spread(out), Pass::Patches(_), Pass::Join(back)] => out == back && out.group.is_none(),
        [Pass::Spread(_), Pass::Half(..), Pass::Join(_), Pass::Spread(_), Pass::Half(..), Pass::Join(_)] => true,
        _ => false,
    }
}
