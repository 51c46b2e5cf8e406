//! Diffuse particles of a liquid: advection, classification, removal and generation once per frame.

use crate::advection::Advection;
use crate::collision::{collide, moving_colliders, open_share};
use crate::potential::{Potential, PotentialLimits, potentials, vec3};
use crate::random::CounterRng;
use crate::scale::SceneScale;
use glam::Vec3;
use pliant::contact::collider_contact::MovingCollider;
use pliant::math::RowData;
use pliant::neighbors::{Cloud, Finder, Pairs, Search};
use pliant::scene::FoamSpec;
use pliant::{Threads, World};

/// Classification by the share of the neighbors of a point inside the liquid: below the first a diffuse particle is spray,
/// above the second a bubble. 6 and 20 of the 33.5 neighbors within two particle spacings, as in the paper; a point on a
/// flat surface has half.
const SPRAY_SHARE: f32 = 6.0 / 33.5;
const BUBBLE_SHARE: f32 = 20.0 / 33.5;

/// Collision radius of a diffuse particle, relative to the radius of a liquid particle.
const RELATIVE_RADIUS: f32 = 0.25;

/// Class of a diffuse particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum DiffuseKind {
    /// A drop in the air.
    Spray = 0,
    /// Air on the surface of the liquid.
    Foam = 1,
    /// Air inside the liquid.
    Bubble = 2,
}

/// A particle of spray, foam or bubbles; "diffuse particle" in the paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiffuseParticle {
    /// Position [m].
    pub position: Vec3,
    /// Velocity [m/s].
    pub velocity: Vec3,
    /// Time since generation [s].
    pub age: f32,
    /// Remaining lifetime [s]. It decreases while the particle is foam, or spray in contact with a collider.
    pub lifetime: f32,
    /// Class at the last frame.
    pub kind: DiffuseKind,
}

/// Generation rate, lifetime and limits of diffuse particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoamSettings {
    /// Length and velocity scales of the scene.
    pub scale: SceneScale,
    /// Diffuse particles that a liquid particle generates at a potential of 1 [1/s].
    pub rate: f32,
    /// Minimum and maximum lifetime of foam [s].
    pub lifetime: [f32; 2],
    /// Maximum number of diffuse particles.
    pub most: usize,
}

/// State of the liquid at the end of a frame.
#[derive(Clone, Copy, Debug)]
pub struct LiquidState<'a> {
    /// Positions [m]; the fourth component is ignored.
    pub rows: &'a [RowData],
    /// Velocities [m/s].
    pub velocities: &'a [RowData],
}

/// Numbers of diffuse particles after a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FoamCounts {
    /// Drops in the air.
    pub spray: usize,
    /// Foam on the surface.
    pub foam: usize,
    /// Bubbles inside the liquid.
    pub bubbles: usize,
    /// Generated in this frame.
    pub generated: usize,
    /// Not generated because of the maximum number.
    pub rejected: u64,
}

/// Spray, foam and bubbles of one simulation.
pub struct Foam {
    settings: FoamSettings,
    advection: Advection,
    particles: Vec<DiffuseParticle>,
    /// Number of frames so far; seeds the random numbers.
    frame: u64,
    time: f64,
    rows: Vec<RowData>,
    velocities: Vec<RowData>,
    radii: Vec<f32>,
    finder: Finder,
}

impl Foam {
    /// Without particles.
    pub fn new(settings: FoamSettings) -> Self {
        let mut finder = Finder::new(Search::Grid);
        finder.set_cells(settings.scale.limits.reach);
        Self {
            settings,
            advection: Advection::new(settings.scale.gravity, settings.scale.limits.radius),
            particles: Vec::new(),
            frame: 0,
            time: 0.0,
            rows: Vec::new(),
            velocities: Vec::new(),
            radii: Vec::new(),
            finder,
        }
    }

    /// For a simulation before its first step; `None` for a scene without liquid.
    pub fn for_simulation(sim: &World, spec: &FoamSpec) -> Option<Self> {
        let (scale, FoamSpec { rate, lifetime, most }) = (SceneScale::of(sim)?, *spec);
        let foam = Self::new(FoamSettings { scale, rate, lifetime, most: most as usize });
        Some(Self { time: sim.time(), ..foam })
    }

    /// All diffuse particles, oldest first.
    pub fn particles(&self) -> &[DiffuseParticle] {
        &self.particles
    }

    /// Adds a diffuse particle; false if the maximum number is reached.
    #[must_use]
    pub fn add(&mut self, particle: DiffuseParticle) -> bool {
        let fits = self.particles.len() < self.settings.most;
        if fits {
            self.particles.push(particle);
        }
        fits
    }

    /// The settings.
    pub fn settings(&self) -> &FoamSettings {
        &self.settings
    }

    /// Advances to the current time of a simulation.
    pub fn update(&mut self, threads: &Threads, sim: &World) -> FoamCounts {
        let (model, state) = (sim.model(), sim.state());
        let Some(fluid) = &model.fluid else { return FoamCounts::default() };
        let (mut rows, mut velocities) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.velocities));
        rows.clear();
        velocities.clear();
        for i in (0..state.particles).filter(|&i| fluid.liquids[i] > 0 && !state.is_inactive(i)) {
            rows.push(state.rows[i]);
            velocities.push(state.velocities[i]);
        }
        let before = std::mem::replace(&mut self.time, sim.time());
        let colliders = moving_colliders(model, before, self.time);
        let liquid = LiquidState { rows: &rows, velocities: &velocities };
        let counts = self.advance(threads, liquid, &colliders, (self.time - before) as f32);
        (self.rows, self.velocities) = (rows, velocities);
        counts
    }

    /// Advances by `dt` seconds to the given state of the liquid; a `dt` of 0 changes nothing.
    pub fn advance(
        &mut self,
        threads: &Threads,
        liquid: LiquidState<'_>,
        colliders: &[MovingCollider],
        dt: f32,
    ) -> FoamCounts {
        let mut counts = FoamCounts::default();
        if dt > 0.0 {
            let is_fast = |v: &RowData| vec3(*v).length() > self.settings.scale.limits.min_speed;
            let generates = self.settings.rate > 0.0 && liquid.velocities.iter().any(is_fast);
            if generates || !self.particles.is_empty() {
                self.radii.resize(liquid.rows.len(), 0.0);
                let cloud = Cloud { rows: liquid.rows, radii: &self.radii, phases: &[] };
                self.finder.find(threads, cloud, self.settings.scale.limits.reach, Pairs::Both);
                self.advect(threads, liquid, colliders, dt);
            }
            if generates {
                self.generate(threads, liquid, colliders, dt, &mut counts);
            }
            self.frame += 1;
        }
        for particle in &self.particles {
            *match particle.kind {
                DiffuseKind::Spray => &mut counts.spray,
                DiffuseKind::Foam => &mut counts.foam,
                DiffuseKind::Bubble => &mut counts.bubbles,
            } += 1;
        }
        counts
    }

    /// Moves and reclassifies all diffuse particles, and removes those outside the bounds or past their lifetime.
    fn advect(&mut self, threads: &Threads, liquid: LiquidState<'_>, colliders: &[MovingCollider], dt: f32) {
        let Self { settings, advection, particles, finder, .. } = self;
        let (grid, PotentialLimits { radius, reach, .. }) = (finder.grid(), settings.scale.limits);
        let full = settings.scale.limits.full_count();
        let each = |_: usize, particles: &mut [DiffuseParticle]| {
            let mut neighbors = Vec::new();
            for particle in particles {
                let predicted = predict(advection, particle, dt);
                grid.within(predicted.extend(0.0).to_array(), reach, &mut neighbors);
                let kind = classify(neighbors.len() as f32 / (full * open_share(colliders, predicted, reach)));
                let (start, v) = (particle.position, particle.velocity);
                (particle.position, particle.velocity) = match kind {
                    DiffuseKind::Spray => advection.spray(start, v, dt),
                    _ => {
                        let (mut sum, mut all) = (Vec3::ZERO, 0.0);
                        for n in &neighbors {
                            // The minimum weight keeps the sum positive for neighbors at the support radius.
                            let weight = (1.0 - n.squared.sqrt() / reach).max(1e-3);
                            sum += vec3(liquid.velocities[n.index as usize]) * weight;
                            all += weight;
                        }
                        let flow = sum / all;
                        if kind == DiffuseKind::Foam {
                            advection.foam(start, v, flow, dt)
                        } else {
                            advection.bubble(start, v, flow, dt)
                        }
                    }
                };
                let touched = collide(
                    colliders,
                    RELATIVE_RADIUS * radius,
                    dt,
                    start,
                    &mut particle.position,
                    &mut particle.velocity,
                );
                particle.kind = kind;
                particle.age += dt;
                if kind == DiffuseKind::Foam || kind == DiffuseKind::Spray && touched {
                    particle.lifetime -= dt;
                }
            }
        };
        threads.enter(|| threads.chunks(particles, 1, each));
        let [low, high] = settings.scale.bounds;
        // These comparisons are false for NaN, so that NaN positions are removed too.
        particles.retain(|f| f.lifetime > 0.0 && f.position.cmpge(low).all() && f.position.cmple(high).all());
    }

    /// Generates diffuse particles up to the maximum number.
    fn generate(
        &mut self,
        threads: &Threads,
        liquid: LiquidState<'_>,
        colliders: &[MovingCollider],
        dt: f32,
        counts: &mut FoamCounts,
    ) {
        let Self { settings, particles, frame, finder, .. } = self;
        let limits = &settings.scale.limits;
        let found = potentials(threads, liquid.rows, liquid.velocities, finder.neighbors(), colliders, limits);
        let amount = |p: &Potential| f64::from(p.generation) * f64::from(settings.rate) * f64::from(dt);
        let wanted: f64 = found.iter().map(amount).sum();
        let available = settings.most.saturating_sub(particles.len());
        // Near the maximum, all particles generate proportionally fewer; otherwise the last ones would generate none.
        let thinning = if wanted > available as f64 { available as f64 / wanted } else { 1.0 };
        let full = limits.full_count();
        for (i, p) in found.iter().enumerate().filter(|(_, p)| p.generation > 0.0) {
            let mut rng = CounterRng::new(*frame, i as u32);
            let chance = f64::from(rng.unit());
            let [requested, granted] = [1.0, thinning].map(|s| (amount(p) * s + chance) as u64);
            let count = (granted as usize).min(settings.most - particles.len());
            counts.rejected += requested - count as u64;
            counts.generated += count;
            let (x, v) = (vec3(liquid.rows[i]), vec3(liquid.velocities[i]));
            // The neighbors and the particle itself.
            let kind = classify((p.neighbors + 1) as f32 / (full * open_share(colliders, x, limits.reach)));
            for _ in 0..count {
                let offset = rng.in_unit_ball();
                // The lateral velocity is the mean approach speed of the neighbors; the time of generation is random within the
                // frame.
                let (velocity, since) = (v + offset * (0.25 * p.approach_speed), rng.unit() * dt);
                let position = x + offset * limits.radius + (velocity - v) * since;
                let [shortest, longest] = settings.lifetime;
                let lifetime = shortest + (longest - shortest) * rng.unit();
                let mut particle = DiffuseParticle { position, velocity, age: since, lifetime, kind };
                collide(
                    colliders,
                    RELATIVE_RADIUS * limits.radius,
                    dt,
                    x,
                    &mut particle.position,
                    &mut particle.velocity,
                );
                particles.push(particle);
            }
        }
    }
}

/// Predicted position of a diffuse particle, which its neighbors are searched around [m].
fn predict(advection: &Advection, particle: &DiffuseParticle, dt: f32) -> Vec3 {
    match particle.kind {
        DiffuseKind::Spray => advection.spray(particle.position, particle.velocity, dt).0,
        DiffuseKind::Foam | DiffuseKind::Bubble => particle.position + particle.velocity * dt,
    }
}

/// Class by the share of the neighbors of a point inside the liquid.
fn classify(share: f32) -> DiffuseKind {
    match share {
        s if s < SPRAY_SHARE => DiffuseKind::Spray,
        s if s > BUBBLE_SHARE => DiffuseKind::Bubble,
        _ => DiffuseKind::Foam,
    }
}
