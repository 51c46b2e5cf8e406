//! What the shaders look up: the model written down as flat arrays, with the places where its tables start.

use super::flow::FlowTables;
use super::layout;
use super::patches::{Patches, Writer};
use super::shapes::ShapeTables;
use super::solids;
use crate::backend::cpu::Contact;
use crate::kernels::contact::Push;
use crate::kernels::rebound::Bounce;
use crate::model::{BLOCK, Group, Model};
use crate::scene::{Method, Partition};
use crate::state::{RowData, State};
use crate::step::schedule::Pass;
use glam::Vec3;
use std::ops::Range;

/// A table that is not there.
pub const NOBODY: u32 = u32::MAX;

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
    /// Constraints on each row in `params`, or [`NOBODY`].
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
    /// What particles that touch each other keep, in `work`, or [`NOBODY`]; and their second position buffer.
    pub meets: u32,
    pub nexts: u32,
    /// Ways out of bodies, in `work`, or [`NOBODY`]; those at rest in `fixtures`.
    pub fields: (u32, u32),
    /// Rigid bodies behind particles: shares in `fixtures`, or [`NOBODY`]; counts of contacts in `marks`; pushes of the
    /// iteration before in `work`.
    pub loads: u32,
    pub crowds: u32,
    pub lasts: u32,
    /// Two sets of cards in `work`.
    pub cards: [u32; 2],
    /// Rest places and objects in `params`, where objects touch themselves.
    pub rest: u32,
    /// Objects that particles are attached to, in `topology`: where those of each begin, then their numbers; or
    /// [`NOBODY`].
    pub mates: u32,
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
    /// Sails: particles with offsets, triangles, triangle numbers, coefficients (in `fixtures`).
    pub sails: (u32, u32, u32, u32),
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

/// Words of `marks` before its tables, as in `bindings.wgsl`.
pub const MARKS: usize = 12;

impl Tables {
    /// Writes a model down for workgroups of `threads` with `memory` bytes.
    pub fn new(model: &Model, state: &State, threads: usize, memory: usize) -> Self {
        let iterations = model.settings.iterations;
        let mut all = Self {
            counts: NOBODY,
            meets: NOBODY,
            mates: NOBODY,
            fields: (NOBODY, 0),
            loads: NOBODY,
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
        all.solids = solids::put(model, &mut all.fixtures);
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

    fn put_groups(&mut self, model: &Model) {
        for group in &model.groups {
            let (layout, blocks) = (group.layout(), group.blocks());
            // Batches of patches come first and have their numbers on cards.
            let inside = first_outside(group) * BLOCK;
            let (rows, params) = (inside * layout.rows, inside * layout.params);
            self.groups.push(GroupAt {
                index: (self.topology.len() as u32).wrapping_sub(rows as u32),
                params: (self.params.len() as u32).wrapping_sub(params as u32),
                lambda: self.lambda as u32,
                slots: 0,
            });
            self.topology.extend_from_slice(&group.rows[rows..]);
            self.params.extend_from_slice(&group.params[params..]);
            self.lambda += blocks * layout.multipliers * BLOCK;
        }
    }

    fn put_rows(&mut self, model: &Model, state: &State) {
        self.params.push(common_radius(&state.radii));
        self.radii = self.params.len() as u32;
        self.params.extend_from_slice(&state.radii);
        self.spins = self.params.len() as u32;
        self.params.extend_from_slice(&model.spin_weights);
        self.island_bits = self.topology.len() as u32;
        let mut bits = vec![0_u32; state.particles.div_ceil(32)];
        for i in model.runs[..model.schedule.islands].iter().flat_map(|run| run.clone()) {
            bits[i / 32] |= 1 << (i % 32);
        }
        self.topology.extend(bits);
    }

    fn put_contacts(&mut self, model: &Model, state: &State) {
        let colliders = model.colliders.len();
        self.masks = MARKS as u32;
        let copies = if self.fused { model.phantoms.seams } else { 0 };
        // Copies have their own.
        let masks = if colliders > 0 { (state.particles + copies) * colliders.div_ceil(32) } else { 0 };
        self.first_order = (MARKS + masks) as u32;
        self.exchange = self.first_order + state.first_order.len() as u32;
        self.marks = self.exchange as usize + 2 * 4 * copies;
        let arrays = if state.older.is_empty() { 2 } else { 4 };
        let forces = arrays * state.velocities.len();
        let shadows = forces + if model.sails.triangles.is_empty() { 0 } else { state.particles };
        // Where they started, and their velocities; with a history nobody runs on.
        self.motion = shadows + if arrays == 2 { 2 * copies } else { 0 };
        (self.forces, self.shadows) = (forces as u32, shadows as u32);
        self.pushes = 0;
        self.work = state.rows.len() * colliders;
    }

    fn put_flow(&mut self, model: &Model, state: &State) {
        let Some(fluid) = &model.fluid else { return };
        let (n, h) = (state.particles, model.settings.dt / model.settings.substeps as f32);
        self.flow = FlowTables::new(fluid, n, self.work, self.topology.len(), self.params.len(), h);
        self.work += self.flow.work;
        self.topology.extend(std::iter::repeat_n(0, n));
        self.params.extend((0..n).map(|i| fluid.radius_of(i)));
        // Where particles will be.
        self.nexts = self.work as u32;
        self.work += if model.mutual.is_none() { n } else { 0 };
    }

    fn put_meets(&mut self, model: &Model, state: &State) {
        if model.mutual.is_none() {
            return;
        }
        self.meets = self.work as u32;
        self.nexts = (self.work + state.particles) as u32;
        let cards = 2 * state.particles;
        let first = self.nexts + state.particles as u32;
        self.cards = [first, first + cards as u32];
        self.work = first as usize + 2 * cards;
        if state.shapes.as_ref().is_some_and(|s| !model.fields.is_empty() && s.in_runs()) {
            self.fields = (self.work as u32, self.fixtures.len() as u32);
            self.work += state.particles;
            self.fixtures.extend(fields(model, state));
        }
        self.phases = self.topology.len() as u32;
        self.topology.extend_from_slice(&state.phases);
        if !model.mates.is_empty() {
            self.mates = self.topology.len() as u32;
            self.topology.extend_from_slice(&model.mates.offsets);
            self.topology.extend_from_slice(&model.mates.objects);
        }
        self.rest = self.params.len() as u32;
        for (place, &object) in model.rest.iter().zip(&model.shape.objects) {
            let loose = model.loose.get(object as usize).copied().unwrap_or(false);
            // Object numbers are exact in single precision: there are fewer than particles. Those of loose ones are
            // below 0, from -1 on.
            self.params.extend([place.x, place.y, place.z, if loose { -1.0 - object as f32 } else { object as f32 }]);
        }
    }

    fn put_bounces(&mut self, model: &Model, state: &State) {
        if !model.bounces() {
            return;
        }
        self.bounces = (self.work as u32, self.fixtures.len() as u32);
        self.work += state.particles;
        for c in &model.colliders {
            let Bounce { restitution, still, drag } = model.bounce(c.restitution, c.rolling);
            self.fixtures.push([restitution, still, drag, 0.0].map(f32::to_bits));
        }
    }

    fn put_ties(&mut self, model: &Model, state: &State) {
        let phantoms = &model.phantoms;
        self.seams = self.topology.len() as u32;
        for tie in &phantoms.ties {
            self.topology.extend([tie.owner, tie.first, tie.count, tie.weight.to_bits()]);
        }
        self.seam_of = self.topology.len() as u32;
        let mut of = vec![NOBODY; state.particles];
        if self.fused {
            for (k, tie) in phantoms.ties.iter().enumerate().take_while(|(_, tie)| phantoms.on_seam(tie.first)) {
                of[tie.owner as usize] = k as u32;
            }
        }
        self.topology.extend(of);
    }

    fn put_jacobi(&mut self, model: &Model) {
        if !matches!(model.settings.partition, Partition::Jacobi | Partition::JacobiGather) {
            return;
        }
        self.jacobi_slots = self.work as u32;
        let mut slots = 0;
        for (at, group) in self.groups.iter_mut().zip(&model.groups) {
            at.slots = slots as u32;
            slots += group.blocks() * group.layout().rows * BLOCK;
        }
        self.work += slots;
        let incidence = &model.incidence;
        let offsets = self.topology.len() as u32;
        self.topology.extend_from_slice(&incidence.offsets);
        self.incidence = (offsets, self.topology.len() as u32);
        self.topology.extend(incidence.entries.iter().map(|e| {
            let n = model.groups[usize::from(e.group)].layout().rows;
            let (block, lane) = (e.slot as usize / BLOCK, e.slot as usize % BLOCK);
            self.groups[usize::from(e.group)].slots + ((block * n + usize::from(e.place)) * BLOCK + lane) as u32
        }));
        if model.settings.method == Method::Xpbd {
            self.counts = self.params.len() as u32;
            self.params.extend(incidence.offsets.windows(2).map(|w| (w[1] - w[0]) as f32));
        }
    }

    fn put_sails(&mut self, model: &Model) {
        let sails = &model.sails;
        let particles = self.topology.len() as u32;
        for (&i, &first) in sails.particles.iter().zip(&sails.offsets) {
            self.topology.extend([i, first]);
        }
        self.topology.extend([NOBODY, sails.offsets.last().copied().unwrap_or(0)]);
        let triangles = self.topology.len() as u32;
        for (&[a, b, c], &air) in sails.triangles.iter().zip(&sails.air) {
            self.topology.extend([a, b, c, u32::from(air)]);
        }
        let incident = self.topology.len() as u32;
        self.topology.extend_from_slice(&sails.incident);
        self.sails = (particles, triangles, incident, self.fixtures.len() as u32);
        let airs = sails.airs.iter().map(layout::Air::from);
        self.fixtures.extend(airs.map(|a| [a.half_density, a.drag, a.lift, a.spare].map(f32::to_bits)));
    }

    fn put_inflatables(&mut self, model: &Model) {
        self.inflatable_params = self.params.len() as u32;
        self.inflatable_lambda = self.lambda as u32;
        let mut directory = Vec::new();
        for body in &model.inflatables {
            let offsets = self.topology.len() as u32;
            self.topology.extend_from_slice(&body.offsets);
            let corners = self.topology.len() as u32;
            self.topology.extend(body.corners.as_flattened());
            let triangles = self.topology.len() as u32;
            self.topology.extend(body.triangles.as_flattened());
            directory.extend([
                body.run().start as u32,
                body.particles.len() as u32,
                offsets,
                corners,
                triangles,
                body.triangles.len() as u32,
                self.params.len() as u32,
                self.lambda as u32,
                self.work as u32,
            ]);
            self.params.extend([body.pressure * body.rest_volume, body.softness]);
            self.lambda += 1;
            self.work += body.particles.len();
        }
        self.inflatables = self.topology.len() as u32;
        self.topology.extend(directory);
    }

    fn put_pins(&mut self, model: &Model, state: &State) {
        let list = self.topology.len() as u32;
        let places = self.fixtures.len() as u32;
        for (pose, pins) in model.pins.iter().enumerate() {
            let rest = pins.motion.pose(0.0);
            for (&i, &origin) in pins.particles.iter().zip(&pins.origins) {
                self.topology.extend([i, pose as u32]);
                self.fixtures.push(rest.inward(origin).extend(0.0).to_array().map(f32::to_bits));
            }
            for (&q, &turn) in pins.orientations.iter().zip(&pins.turns) {
                self.topology.extend([state.particles as u32 + q, pose as u32]);
                self.fixtures.push((rest.rotation.conjugate() * turn).to_array().map(f32::to_bits));
            }
        }
        self.pins = (list, places);
        self.pinned = self.fixtures.len() as u32 - places;
    }

    /// Parameters again, after the model's have changed.
    pub fn refresh_params(&mut self, model: &Model) {
        for (at, group) in self.groups.iter().zip(&model.groups) {
            let inside = first_outside(group) * BLOCK * group.layout().params;
            let outside = &group.params[inside..];
            let start = at.params.wrapping_add(inside as u32) as usize;
            self.params[start..start + outside.len()].copy_from_slice(outside);
        }
        self.patches.decks.iter().for_each(|deck| deck.refresh(model, &mut self.fixtures));
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
            let slot = if seam == NOBODY { i } else { model.phantoms.ties[seam as usize].first as usize };
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
        if self.meets == NOBODY {
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
fn common_radius(radii: &[f32]) -> f32 {
    match radii {
        [first, others @ ..] if others.iter().all(|r| r == first) => *first,
        _ => -1.0,
    }
}

/// First block of a group that belongs to no patch.
fn first_outside(group: &Group) -> usize {
    group.batches.iter().find(|b| b.patch == u32::MAX).map_or(group.blocks(), |b| b.first)
}

/// Whether an iteration is: copies out, pieces, copies back, contacts. Then each piece can fetch its seam
/// particles itself, and the iteration is one pass.
fn is_fused(model: &Model) -> bool {
    let list = &model.schedule.iteration;
    let list = if list.last() == Some(&Pass::Touch) { &list[..list.len() - 1] } else { &list[..] };
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
