//! What the shaders look up: the model written down as flat arrays, with the places where its tables start.

pub mod write;

use crate::constraints::group::{BLOCK, Group};
use crate::contact::collider_contact::Push;
use crate::contact::cpu::collider_contacts::Contact;
use crate::contact::gpu::collider_tables;
use crate::math::RowData;
use crate::model::Model;
use crate::scene::Method;
use crate::schedule::passes::Pass;
use crate::solver::gpu::fluid::FlowTables;
use crate::solver::gpu::patches::{Patches, Writer};
pub use crate::solver::gpu::shader_constants::NONE;
use crate::solver::gpu::shape_matching::ShapeTables;
use crate::state::State;
use glam::Vec3;
use std::ops::Range;

/// Where a group's numbers start.
#[derive(Clone, Copy, Debug, Default)]
pub struct GroupAt {
    /// Row numbers in `topology`, as if block 0 stood there (arithmetic wraps).
    pub index: u32,
    /// Parameters, likewise.
    pub params: u32,
    /// Multipliers.
    pub lambda: u32,
    /// Corrections of Jacobi passes in `work`, from `jacobi_slots` on.
    pub slots: u32,
}

/// All tables.
#[derive(Default)]
pub struct Tables {
    /// Buffer `topology`.
    pub topology: Vec<u32>,
    /// Buffer `params`.
    pub params: Vec<f32>,
    /// The fixed part of buffer `fixtures`.
    pub fixtures: Vec<[u32; 4]>,
    /// Numbers in buffer `lambda`.
    pub lambda: usize,
    /// Vectors in buffer `work`.
    pub work: usize,
    /// Words in buffer `marks`.
    pub marks: usize,
    /// By group.
    pub groups: Vec<GroupAt>,
    /// Patches: directory, room, and how they run.
    pub patches: Patches,
    /// Bits of particles that belong to islands.
    pub island_bits: u32,
    /// Four words per tie.
    pub seams: u32,
    /// Tie of each particle, where seams are joined by whoever needs them.
    pub seam_of: u32,
    /// Radii in `params`.
    pub radii: u32,
    /// Weights of orientations in `params`.
    pub spins: u32,
    /// Constraints on each row in `params`, or [`NONE`].
    pub counts: u32,
    /// Contact masks in `marks`.
    pub masks: u32,
    /// Marks of first order in `marks`.
    pub first_order: u32,
    /// What pieces that run side by side exchange, in `marks`.
    pub exchange: u32,
    /// Forces of the air in `motion`; then what copies keep that run on by themselves, and where `motion` ends.
    pub forces: u32,
    pub shadows: u32,
    pub motion: usize,
    /// Pushes in `work`.
    pub pushes: u32,
    /// What particles that touch each other keep, in `work`, or [`NONE`]; and their second position buffer.
    pub meets: u32,
    pub nexts: u32,
    /// Ways out of bodies, in `work`, or [`NONE`]; those at rest in `fixtures`.
    pub fields: (u32, u32),
    /// Rigid bodies behind particles: shares in `fixtures`, or [`NONE`]; counts of contacts in `marks`; pushes of the
    /// iteration before in `work`.
    pub mass_splitting: u32,
    pub contact_counts: u32,
    pub lasts: u32,
    /// Two sets of cards in `work`.
    pub packed: [u32; 2],
    /// Rest places and objects in `params`, where objects touch themselves.
    pub rest: u32,
    /// Objects that particles are attached to, in `topology`: where those of each begin, then their numbers; or
    /// [`NONE`].
    pub attachment_filter: u32,
    /// Phases in `topology`.
    pub phases: u32,
    /// Where contacts bounce: velocities before the substep in `work`; how each collider does in `fixtures`.
    pub bounces: (u32, u32),
    /// Tables of each collider in `fixtures`.
    pub solids: Vec<u32>,
    /// Liquids.
    pub flow: FlowTables,
    /// Bodies that keep their shape.
    pub shapes: ShapeTables,
    /// Corrections of Jacobi passes in `work`.
    pub jacobi_slots: u32,
    /// Offsets and entries of the incidence.
    pub incidence: (u32, u32),
    /// AeroSurfaces: particles with offsets, triangles, triangle numbers, coefficients (in `fixtures`).
    pub aero_surfaces: (u32, u32, u32, u32),
    /// Inflatables: nine words each.
    pub inflatables: u32,
    /// Numbers of the inflatables in `params`.
    pub inflatable_params: u32,
    /// First multiplier of the inflatables.
    pub inflatable_lambda: u32,
    /// Pinned rows with their poses; places in `fixtures`.
    pub pins: (u32, u32),
    /// Number of pinned rows that move.
    pub pinned: u32,
    /// Iterations of a substep.
    pub iterations: u32,
    /// Whether an iteration is one pass over pieces with seams.
    pub fused: bool,
}

impl Tables {
    /// Writes a model down for workgroups of `threads` with `memory` bytes.
    pub fn new(model: &Model, state: &State, threads: usize, memory: usize) -> Self {
        let iterations = model.settings.iterations;
        let mut all = Self {
            counts: NONE,
            meets: NONE,
            attachment_filter: NONE,
            fields: (NONE, 0),
            mass_splitting: NONE,
            // To look tables up takes more registers than a piece can spare: contacts are passes of their own.
            fused: is_fused(model) && !model.has_tables(),
            iterations,
            ..Self::default()
        };
        all.put_groups(model);
        all.put_rows(model, state);
        all.put_contacts(model, state);
        all.put_flow(model, state);
        all.put_meets(model, state);
        all.put_bounces(model, state);
        all.solids = collider_tables::put(&model.colliders, &mut all.fixtures);
        if let Some(shapes) = &state.shapes {
            all.shapes = ShapeTables::new(model, shapes, state.particles, all.work);
            all.work += all.shapes.work;
        }
        all.put_loads(model, state);
        all.put_ties(model, state);
        all.put_jacobi(model);
        all.put_sails(model);
        all.put_inflatables(model);
        all.put_pins(model, state);
        let mut writer = Writer::new(threads, model, &all.groups, all.fused, state.rows.len());
        all.patches = writer.write(memory, &mut all.topology, &mut all.fixtures);
        // Threads without a constraint fetch what would be theirs.
        let layouts = model.groups.iter().map(|g| g.layout());
        let most = layouts.map(|l| l.multipliers).max().unwrap_or(0);
        all.fixtures.resize(all.fixtures.len() + threads, [0; 4]);
        all.lambda += threads * most;
        all
    }

    /// Takes over radii that the caller has changed; returns where they are in `params`, with what stands before them.
    pub fn change_radii(&mut self, radii: &[f32]) -> Range<usize> {
        let first = self.radii as usize;
        self.params[first - 1] = common_radius(radii);
        self.params[first..][..radii.len()].copy_from_slice(radii);
        first - 1..first + radii.len()
    }

    /// Parameters again, after the model's have changed.
    pub fn refresh_params(&mut self, model: &Model) {
        for (at, group) in self.groups.iter().zip(&model.groups) {
            let inside = first_outside(group) * BLOCK * group.layout().params;
            let outside = &group.params[inside..];
            let start = at.params.wrapping_add(inside as u32) as usize;
            self.params[start..start + outside.len()].copy_from_slice(outside);
        }
        self.patches.packed_batches.iter().for_each(|packed_batch| packed_batch.refresh(model, &mut self.fixtures));
        for (k, body) in model.inflatables.iter().enumerate() {
            let at = self.inflatable_params as usize + 2 * k;
            self.params[at..at + 2].copy_from_slice(&[body.pressure * body.rest_volume, body.softness]);
        }
    }

    /// Contacts with colliders that pushed in the last substep.
    pub fn pushes<'a>(
        &'a self,
        model: &'a Model,
        n: usize,
        pushes: &'a [RowData],
        marks: &'a [u32],
    ) -> impl Iterator<Item = Contact> + 'a {
        let colliders = model.colliders.len();
        let words = colliders.div_ceil(32);
        (0..if colliders > 0 { n } else { 0 }).flat_map(move |i| {
            let seam = self.topology[self.seam_of as usize + i];
            let slot = if seam == NONE { i } else { model.phantoms.ties[seam as usize].first as usize };
            (0..colliders).filter_map(move |c| {
                let mask = marks[self.masks as usize + i * words + c / 32];
                let [x, y, z, normal] = pushes[slot * colliders + c];
                let push = Push { normal, tangent: Vec3::new(x, y, z) };
                let contact = Contact { particle: i as u32, collider: c as u32, push, last: push, inside: false };
                (mask >> (c % 32) & 1 == 1 && normal > 0.0).then_some(contact)
            })
        })
    }

    /// Pairs of particles that pushed each other in the last substep.
    pub fn pairs(&self, n: usize, work: &[RowData]) -> u64 {
        if self.meets == NONE {
            return 0;
        }
        // Either side counts its own.
        work[self.meets as usize..][..n].iter().map(|kept| kept[3] as u64).sum::<u64>() / 2
    }
}

/// Whether multipliers are read by anybody: PBD has none.
pub fn has_multipliers(model: &Model) -> bool {
    model.settings.method == Method::Xpbd
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

/// Whether an iteration is: copies out, pieces, copies back, contacts. Then each piece can fetch its seam
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

/// Shortest ways out of bodies and depths below their surfaces, as far as these have melted or frozen.
pub fn fields(model: &Model, state: &State) -> Vec<[u32; 4]> {
    let mut fields = model.fields.clone();
    for (melt, &melted) in model.melts.iter().zip(&state.melted) {
        fields[melt.body.clone()].iter_mut().for_each(|f| f[3] = melt.depth(melted, f[3]));
    }
    for (freeze, frozen) in model.freezes.iter().zip(&state.frozen) {
        fields[freeze.body.clone()].iter_mut().zip(&frozen.fields).for_each(|(to, field)| *to = *field);
    }
    fields.into_iter().map(|field| field.map(f32::to_bits)).collect()
}
