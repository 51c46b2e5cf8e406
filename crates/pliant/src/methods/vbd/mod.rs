//! Vertex block descent with a coarse correction: the default method of elastic bodies.
//!
//! An implicit step minimizes inertia ½m|x − x̃|²/h² plus elastic energy. Each iteration takes a step in a coarse space
//! of affine motions of aggregates, which carries forces across the body at once, then a sweep in which every vertex
//! goes to the minimum of its own 3×3 problem (Chen, Liu, Yang, Yuksel, "Vertex block descent", TOG 2024), with its
//! collider contacts. The fixed point is the implicit step itself, so that answers at rest do not depend on iterations.
//!
//! Impulses of other passes (particle contacts, grips) reach a body as displacements; they move x̃, too, so that they
//! act like external forces and momentum is kept.

mod aggregates;
mod assembly;
mod assembly_lanes;
mod balance;
mod begin;
mod block_matrix;
mod block_passes;
mod body_contacts;
mod chain;
mod coarse;
pub mod coarse_space;
mod conjugate_gradients;
mod contact;
mod contact_groups;
mod correction;
mod cpu;
pub mod element;
mod envelope;
mod feature_contacts;
mod force;
#[cfg(feature = "gpu")]
pub mod gpu;
mod graph;
mod lanes;
mod linear;
mod momentum;
mod pack;
pub mod plan;
pub(crate) mod rigid;
mod row_steps;
pub mod second_level;
mod sheet;
mod tet_blocks;

use crate::constraints::group::Group;
use crate::contact::cpu::ContactScratch;
use crate::math::RowData;
use crate::memory::of;
use crate::methods::vbd::contact_groups::Member;
use crate::methods::vbd::cpu::{BodyState, CYCLES, Substep};
use crate::methods::vbd::feature_contacts::{Feature, Partner};
use crate::methods::vbd::plan::ElasticBody;
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::threads::Threads;
use crate::scene::Integrator;
use crate::schedule::passes::Pass;
use crate::schedule::phenomenon::{Field, PassInfo, Phenomenon};
use crate::schedule::substep::CpuContext;
use crate::settings::Settings;
use crate::state::State;
use crate::surface_contact::penalty::FeatureContact;

/// Marks particles of no body.
const NOWHERE: [u32; 2] = [u32::MAX; 2];

/// Bodies with more vertices use all threads, one after the other; smaller ones run side by side.
const LARGE: usize = 4096;

/// Iterations of bodies that only contacts between triangles push: the pairs are projected on in those that follow.
const TRIANGLE_CYCLES: u32 = 4;

/// The part of a model that descent reads.
#[derive(Clone, Copy)]
pub(crate) struct ElasticModel<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) groups: &'a [Group],
    pub(crate) bodies: &'a [ElasticBody],
    pub(crate) spin_inv_inertias: &'a [f32],
    /// Whether other passes may move the rows of bodies: contacts between particles, grips.
    pub(crate) pushed: bool,
    /// Whether contacts between triangles may move them, too.
    pub(crate) meets_triangles: bool,
}

impl ElasticModel<'_> {
    /// Iterations after which this pass has nothing left to do, where it is the only one.
    pub(crate) fn iterations(&self) -> u32 {
        if self.pushed { u32::MAX } else { CYCLES }
    }
}

impl Phenomenon for ElasticModel<'_> {
    fn name(&self) -> &'static str {
        "vbd"
    }

    fn passes(&self) -> Vec<PassInfo> {
        if self.bodies.is_empty() {
            return Vec::new();
        }
        let reads: &[Field] = match self.meets_triangles {
            true => &[Field::Positions, Field::StartPositions, Field::TrianglePairs],
            false => &[Field::Positions, Field::StartPositions],
        };
        vec![PassInfo { pass: Pass::Elastic, reads, writes: &[Field::Positions, Field::ContactImpulses] }]
    }

    fn kept(&self) -> &'static [Field] {
        &[]
    }
}

/// Buffers of all bodies.
#[derive(Default)]
pub(crate) struct ElasticScratch {
    bodies: Vec<BodyState>,
    /// Group of bodies that touch, by body.
    groups: Vec<u32>,
    /// Body and vertex of each particle; [`NOWHERE`] for those of no body.
    places: Vec<[u32; 2]>,
    /// Number of the last substep, and of the iteration within it.
    substep: Option<u64>,
    iteration: u32,
}

impl ElasticScratch {
    pub(crate) fn new(bodies: &[ElasticBody], groups: &[Group], particles: usize) -> Self {
        let mut places = vec![NOWHERE; particles];
        for (number, body) in bodies.iter().enumerate() {
            for (v, &row) in body.vertices.iter().enumerate().filter(|(_, row)| (**row as usize) < particles) {
                places[row as usize] = [number as u32, v as u32];
            }
        }
        let bodies = bodies.iter().map(|body| BodyState::new(body, groups, particles)).collect();
        Self { bodies, groups: Vec::new(), places, substep: None, iteration: 0 }
    }

    /// Reads the parameters of all elements again, after a setter has changed them.
    pub(crate) fn read_parameters(&mut self, bodies: &[ElasticBody], groups: &[Group]) {
        self.bodies.iter_mut().zip(bodies).for_each(|(state, body)| state.read_parameters(body, groups));
    }

    pub(crate) fn bytes(&self) -> u64 {
        of(&self.places) + of(&self.groups) + self.bodies.iter().map(BodyState::bytes).sum::<u64>()
    }

    /// The next iteration is the first one of a substep. A number of the substep does not tell: after a restore the same one
    /// may be taken again.
    pub(crate) fn begin_substep(&mut self) {
        self.iteration = 0;
    }

    /// One iteration over all bodies.
    pub(crate) fn run(
        &mut self,
        cx: &CpuContext<'_>,
        model: &ElasticModel<'_>,
        state: &mut State,
        contact: &ContactScratch,
        features: &mut [FeatureContact],
        inv_h2: f32,
    ) {
        self.substep = Some(cx.substep.index);
        self.iteration += 1;
        let iteration = self.iteration;
        let most = if model.meets_triangles { TRIANGLE_CYCLES } else { CYCLES };
        if iteration > most && !model.pushed {
            return;
        }
        self.take_features(iteration, features);
        let State { rows, previous, contacts, radii, particles, .. } = state;
        let substep = Substep {
            groups: model.groups,
            colliders: contact.seen_colliders(),
            radii,
            previous,
            particles: *particles,
            spin_inv_inertias: model.spin_inv_inertias,
            gravity: model.settings.gravity,
            first_order: model.settings.integrator == Integrator::Bdf1,
            inv_h2,
            isa: cx.isa,
            pushed: model.pushed,
        };
        let one = Threads::one();
        contact_groups::groups(&self.bodies, &mut self.groups);
        let group_of = &self.groups;
        let mut members: Vec<Member<'_>> = self
            .bodies
            .iter_mut()
            .enumerate()
            .map(|(number, state)| Member { number, body: &model.bodies[number], state, changed: false })
            .collect();
        members.sort_by_key(|it| group_of[it.number]);
        let mut groups: Vec<&mut [Member<'_>]> =
            members.chunk_by_mut(|a, b| group_of[a.number] == group_of[b.number]).collect();
        let large = |group: &[Member<'_>]| group.iter().any(|it| it.body.vertices.len() > LARGE);
        {
            let (rows, contacts) = (&rows[..], &contacts[..]);
            for group in groups.iter_mut().filter(|group| large(group)) {
                contact_groups::iterate(group, cx.threads, &substep, iteration, rows, contacts);
            }
            cx.threads.each(&mut groups, |_, group| {
                if !large(group) {
                    contact_groups::iterate(group, &one, &substep, iteration, rows, contacts);
                }
            });
        }
        let mut changed = vec![false; model.bodies.len()];
        members.iter().for_each(|it| changed[it.number] = it.changed);
        drop(members);
        self.write_back(cx, model, &changed, rows, contacts);
        for body in &self.bodies {
            body.features.iter().for_each(|own| own.report(inv_h2, &mut features[own.number as usize]));
        }
    }

    /// Hands contacts of triangles to the one or two bodies all of whose particles they have.
    fn take_features(&mut self, iteration: u32, features: &mut [FeatureContact]) {
        if iteration > 1 {
            for own in self.bodies.iter_mut().flat_map(|body| &mut body.features) {
                own.refresh(&features[own.number as usize]);
            }
            return;
        }
        self.bodies.iter_mut().for_each(|body| body.features.clear());
        for (number, feature) in features.iter_mut().enumerate() {
            let places = feature.particles.map(|i| self.places.get(i as usize).copied().unwrap_or(NOWHERE));
            let mut bodies = feature.own().map(|k| places[k][0]);
            let Some(body) = bodies.next() else { continue };
            let other = bodies.find(|&other| other != body);
            let elastic = feature
                .own()
                .all(|k| places[k][0] != NOWHERE[0] && [body, other.unwrap_or(body)].contains(&places[k][0]));
            if !elastic {
                continue;
            }
            feature.taken = true;
            let vertices = places.map(|[_, v]| v);
            let next = [Some(body), other].map(|b| b.map(|b| self.bodies[b as usize].features.len() as u32));
            for (own, partner) in [(Some(body), (other, next[1])), (other, (Some(body), next[0]))] {
                let Some(own) = own else { continue };
                let mut it = Feature::new(number as u32, *feature, vertices, places.map(|[b, _]| b == own));
                it.partner = partner.0.zip(partner.1).map(|(body, feature)| Partner { body, feature });
                self.bodies[own as usize].features.push(it);
            }
        }
    }

    fn write_back(
        &self,
        cx: &CpuContext<'_>,
        model: &ElasticModel<'_>,
        changed: &[bool],
        rows: &mut [RowData],
        contacts: &mut [Vec<crate::state::Contact>],
    ) {
        let (rows, contacts) = (Shared::new(rows), Shared::new(contacts));
        cx.threads.over_numbers(self.bodies.len(), |number| {
            if !changed[number] {
                return;
            }
            let body = &model.bodies[number];
            let (own, found) = self.bodies[number].results();
            for (&row, x) in body.vertices.iter().zip(own) {
                // SAFETY: a row belongs to one body.
                unsafe { *rows.get(row as usize) = *x };
            }
            let mut found: Vec<_> = found.collect();
            found.sort_by_key(|c| (c.particle, c.collider));
            for &run in &body.runs {
                // SAFETY: the particles of a run belong to one body.
                for c in unsafe { contacts.get(run) } {
                    let at = found.binary_search_by_key(&(c.particle, c.collider), |f| (f.particle, f.collider));
                    if let Ok(at) = at {
                        c.push = found[at].push;
                    }
                }
            }
        });
    }
}
