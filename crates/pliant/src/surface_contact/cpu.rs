//! Passes of contact between triangles on the CPU.
//!
//! Pairs are projected one after the other, in the order of their list (Gauss–Seidel): results do not depend on the number
//! of threads. Searches use all threads.

use crate::contact::cpu::ContactScratch;
use crate::contact::model::ContactModel;
use crate::math::position;
use crate::memory::of;
use crate::neighbors::INACTIVE;
use crate::schedule::passes::Pass;
use crate::schedule::substep::CpuContext;
use crate::state::State;
use crate::surface_contact::limit::{Limited, Limiter};
use crate::surface_contact::model::{NO_PARTICLE, SurfaceModel};
use crate::surface_contact::motion::Motion;
use crate::surface_contact::pair::{Pair, project, separation};
use crate::surface_contact::penalty::FeatureContact;
use crate::surface_contact::search::Search;
use crate::surface_contact::tree_walk::SearchInputs;
use glam::Vec3;

/// Sweeps over all pairs in a pass.
const SWEEPS: u32 = 4;
/// Passes of a substep with that many sweeps: those with bodies of descent in between. Others have one.
const PASSES: u32 = 4;
/// How much of its radius and its motion a vertex may deviate from what pairs were searched with.
const SLACK: f32 = 0.5;
/// Searches after which a substep ends as it is.
const SEARCHES: u32 = 6;

/// Impulse of triangles on a rigid body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyImpulse {
    /// Collider number of the piece.
    pub(crate) collider: u32,
    /// Where it acts [m].
    pub(crate) at: Vec3,
    /// Impulse times the length of the substep [kg·m].
    pub(crate) impulse: Vec3,
}

/// Buffers of the passes.
#[derive(Default)]
pub(crate) struct SurfaceScratch {
    /// Positions of all particles at the start of the substep [m].
    saved: Vec<Vec3>,
    motion: Motion,
    search: Search,
    pairs: Vec<Pair>,
    /// All pairs that move, for the solvers of elastic bodies.
    pub(crate) features: Vec<FeatureContact>,
    /// Pairs that touch in a pass.
    near: Vec<u32>,
    /// Number of the pass in the substep.
    passes: u32,
    /// Vertices of pairs, ascending.
    active: Vec<u32>,
    marked: Vec<bool>,
    limiter: Limiter,
    /// Particles that were pushed in this substep.
    touched: Vec<u32>,
    /// Impulses on colliders in this substep.
    impulses: Vec<BodyImpulse>,
    /// Statistics of the last substep.
    pub(crate) limited: Limited,
}

/// Inputs of the passes.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub(crate) surfaces: &'a SurfaceModel,
    pub(crate) contact: &'a ContactModel<'a>,
    /// Whether there are elastic bodies, which solve their own contacts.
    pub(crate) elastic: bool,
}

impl SurfaceScratch {
    /// Memory [bytes].
    pub(crate) fn bytes(&self) -> u64 {
        let lists = of(&self.saved)
            + of(&self.near)
            + of(&self.pairs)
            + of(&self.features)
            + of(&self.active)
            + of(&self.marked)
            + of(&self.touched);
        lists + of(&self.impulses) + self.motion.bytes() + self.search.bytes() + self.limiter.bytes()
    }

    /// Impulses on colliders in the last substep.
    pub(crate) fn impulses(&self) -> &[BodyImpulse] {
        &self.impulses
    }

    /// Particles that were pushed in the last substep; some more than once.
    pub(crate) fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// Runs a pass.
    pub(crate) fn run(
        &mut self,
        pass: &Pass,
        cx: &CpuContext<'_>,
        inputs: &Inputs<'_>,
        state: &mut State,
        contact: &ContactScratch,
    ) {
        match pass {
            Pass::SavePositions => {
                self.saved.clear();
                self.saved.extend(state.rows[..state.particles].iter().map(|&row| position(row)));
                self.touched.clear();
                self.impulses.clear();
            }
            Pass::TrianglePairs => self.find(cx, inputs, state, contact),
            Pass::TriangleContacts => self.project(cx, inputs, state),
            Pass::LimitTriangles => {
                self.limit(cx, inputs, state, contact);
                self.settle(inputs);
            }
            other => unreachable!("{other:?} is no pass of triangle contact"),
        }
    }

    /// Lists the pairs that may touch if vertices go on as they have moved so far.
    fn find(&mut self, cx: &CpuContext<'_>, inputs: &Inputs<'_>, state: &State, contact: &ContactScratch) {
        let (surfaces, motion) = (inputs.surfaces, &mut self.motion);
        motion.load(surfaces, &state.rows, &state.radii, &self.saved, &contact.moving_colliders);
        self.search.fit(cx.threads, surfaces, motion, SLACK);
        if !surfaces.points.is_empty() {
            let hull = self.search.hull(surfaces);
            for &i in &surfaces.points {
                if let Some((start, row, radius)) = near(i as usize, &self.saved, state, &hull) {
                    motion.add_point(i, start, row, radius);
                    self.search.add_point(motion, SLACK);
                }
            }
        }
        let colliders = contact.seen_colliders();
        let searched = SearchInputs { surfaces, contact: inputs.contact, colliders, motion };
        self.search.find(cx.threads, &searched, &mut self.pairs);
        self.passes = 0;
        self.marked.clear();
        self.marked.resize(self.motion.x.len(), false);
        self.active.clear();
        self.pairs.iter().for_each(|pair| pair.vertices.iter().for_each(|&v| self.marked[v as usize] = true));
        self.active.extend((0..self.marked.len() as u32).filter(|&v| self.marked[v as usize]));
        self.features.clear();
        for (number, pair) in self.pairs.iter_mut().enumerate() {
            let particles = pair.vertices.map(|v| self.motion.particles[v as usize]);
            let moves = pair.vertices.iter().any(|&v| self.motion.inv_masses[v as usize] > 0.0);
            if moves && inputs.elastic {
                pair.feature = self.features.len() as u32;
                self.features.push(FeatureContact::new(number as u32, particles, pair.friction));
            }
        }
        self.measure_features(surfaces, cx.substep.h, |_| true);
    }

    /// Nearest points of some of the pairs that solvers of elastic bodies may take.
    fn measure_features(&mut self, model: &SurfaceModel, h: f32, which: impl Fn(&FeatureContact) -> bool) {
        for feature in self.features.iter_mut().filter(|feature| which(feature)) {
            let pair = &self.pairs[feature.pair as usize];
            let (x, start) = (Motion::of(&self.motion.x, pair), Motion::of(&self.motion.start, pair));
            let found = separation(pair, &x, &start);
            let (mut carried, mut origin) = (Vec3::ZERO, Vec3::ZERO);
            for k in 0..4 {
                if feature.particles[k] == NO_PARTICLE {
                    carried += x[k] * found.weights[k];
                    origin -= (x[k] - start[k]) * found.weights[k];
                } else {
                    origin += start[k] * found.weights[k];
                }
            }
            // What overlapped at the start separates no faster than that.
            let kept = pair.thickness.min(pair.start_distance.max(0.0) + model.recovery_speed * h);
            feature.weights = found.weights;
            feature.normal = found.normal;
            (feature.thickness, feature.faces) = (pair.thickness, !found.beside);
            feature.distance = kept + pair.core - found.normal.dot(carried);
            feature.origin = origin;
        }
    }

    /// Projects all pairs.
    fn project(&mut self, cx: &CpuContext<'_>, inputs: &Inputs<'_>, state: &mut State) {
        let Self { motion, pairs, active, near, passes, features, .. } = self;
        if pairs.is_empty() {
            return;
        }
        motion.read(active, &state.rows);
        for feature in features.iter().filter(|feature| feature.taken) {
            let pair = &mut pairs[feature.pair as usize];
            (pair.received, pair.weights) = (feature.impulse, feature.weights);
        }
        let recovery = inputs.surfaces.recovery_speed * cx.substep.h;
        *passes += 1;
        let mut step = |pair: &mut Pair| {
            let x = Motion::of(&motion.x, pair);
            let (start, w) = (Motion::of(&motion.start, pair), Motion::of(&motion.inv_masses, pair));
            let bodies = Motion::of(&motion.bodies, pair);
            let steps = project(pair, &x, &start, (&w, &bodies), recovery);
            for (v, step) in pair.vertices.iter().zip(steps.unwrap_or_default()) {
                motion.x[*v as usize] += step;
            }
            steps.is_some()
        };
        near.clear();
        for (k, pair) in pairs.iter_mut().enumerate() {
            if features.get(pair.feature as usize).is_none_or(|feature| !feature.taken) && step(pair) {
                near.push(k as u32);
            }
        }
        // Most pairs of the list are apart: the first sweep finds the others.
        let sweeps = if *passes > PASSES { 1 } else { SWEEPS };
        for _ in 1..sweeps {
            for &k in &*near {
                step(&mut pairs[k as usize]);
            }
        }
        motion.write(active, &mut state.rows);
        self.measure_features(inputs.surfaces, cx.substep.h, |feature| feature.taken);
    }

    /// Ends the substep without crossings.
    fn limit(&mut self, cx: &CpuContext<'_>, inputs: &Inputs<'_>, state: &mut State, contact: &ContactScratch) {
        // Particles that finalize will put to sleep stay at their positions.
        let sleep = inputs.contact.settings.sleep_speed * cx.substep.h;
        if sleep > 0.0 {
            for (row, before) in state.rows[..state.particles].iter_mut().zip(&state.previous) {
                if row[3] > 0.0 && position(*row).distance_squared(position(*before)) < sleep * sleep {
                    *row = *before;
                }
            }
        }
        self.limiter.reactions.clear();
        self.limited = Limited::default();
        for round in 0..SEARCHES {
            let all: &[u32] = &self.active;
            if round == 0 {
                // Vertices without pairs may have left the room they had, too.
                for (x, &i) in self.motion.x.iter_mut().zip(&self.motion.particles) {
                    if i != NO_PARTICLE {
                        *x = position(state.rows[i as usize]);
                    }
                }
            }
            if round > 0 || !self.motion.is_as_searched() || self.has_new_points(inputs, state) {
                self.motion.write(all, &mut state.rows);
                self.settle(inputs);
                self.find(cx, inputs, state, contact);
            }
            let done = self.limiter.run(&mut self.pairs, &mut self.motion);
            self.limited.stopped += done.stopped;
            self.limited.joined += done.joined;
            self.limited.left = done.left;
            if self.motion.is_as_searched() {
                break;
            }
        }
        self.motion.write(&self.active, &mut state.rows);
    }

    /// Whether points have come near that were not expected to.
    fn has_new_points(&self, inputs: &Inputs<'_>, state: &State) -> bool {
        if inputs.surfaces.points.is_empty() {
            return false;
        }
        let known = &self.motion.particles[inputs.surfaces.particles.len()..];
        let hull = self.search.hull(inputs.surfaces);
        let is_new =
            |&i: &u32| near(i as usize, &self.saved, state, &hull).is_some() && known.binary_search(&i).is_err();
        inputs.surfaces.points.iter().any(is_new)
    }

    /// Marks the particles that were pushed, before the pairs are dropped.
    fn settle(&mut self, inputs: &Inputs<'_>) {
        let Self { motion, pairs, touched, impulses, limiter, limited, .. } = self;
        for pair in pairs.iter_mut().filter(|pair| pair.received != Vec3::ZERO) {
            limited.pushing += 1;
            let particles = pair.vertices.map(|v| motion.particles[v as usize]);
            touched.extend(particles.iter().filter(|&&i| i != NO_PARTICLE));
            for (k, sign) in [(0, 1.0), (3, -1.0)] {
                if particles[k] == NO_PARTICLE {
                    let collider = collider_of(inputs.surfaces, pair.vertices[k]);
                    let own = |j: &usize| pair.weights[*j] * sign > 0.0;
                    let at = (0..4).filter(own).map(|j| motion.x[pair.vertices[j] as usize] * pair.weights[j]);
                    impulses.push(BodyImpulse { collider, at: at.sum::<Vec3>() * sign, impulse: pair.received * sign });
                }
            }
            pair.received = Vec3::ZERO;
        }
        for (v, impulse) in limiter.reactions.drain(..).filter(|(v, _)| motion.particles[*v as usize] == NO_PARTICLE) {
            let collider = collider_of(inputs.surfaces, v);
            impulses.push(BodyImpulse { collider, at: motion.x[v as usize], impulse });
        }
    }
}

/// The collider that carries a vertex.
fn collider_of(surfaces: &SurfaceModel, v: u32) -> u32 {
    let number = surfaces.surfaces.partition_point(|s| s.vertices.end <= v as usize);
    surfaces.surfaces[number].collider().unwrap_or(NO_PARTICLE)
}

/// Start, row and radius of a point that may meet something within bounds.
#[inline]
fn near(i: usize, saved: &[Vec3], state: &State, hull: &[Vec3; 2]) -> Option<(Vec3, [f32; 4], f32)> {
    let (start, row, radius) = (saved[i], state.rows[i], state.radii[i]);
    if row[3] == 0.0 && state.phases[i] == INACTIVE {
        return None;
    }
    let x = position(row);
    let room = Vec3::splat(2.0 * radius + 0.5 * (x - start).length());
    let (low, high) = (start.min(x) - room, start.max(x) + room);
    (low.cmple(hull[1]).all() && hull[0].cmple(high).all()).then_some((start, row, radius))
}
