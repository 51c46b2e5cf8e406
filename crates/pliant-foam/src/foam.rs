//! The flecks of a liquid, frame by frame.

use crate::drift::Drift;
use crate::potential::{Limits, Potential, potentials, vec3};
use crate::random::Dice;
use crate::scale::Scale;
use crate::walls::{collide, obstacles, open_share};
use glam::Vec3;
use pliant::contact::collider_contact::Obstacle;
use pliant::math::RowData;
use pliant::neighbors::{Cloud, Finder, Pairs, Search};
use pliant::scene::FoamSpec;
use pliant::{Simulation, Threads};

/// Share of the neighbors within a liquid up to which a fleck is spray, and from which on it is a bubble: 6 and 20 of the
/// 33.5 that a reach of two spacings has, as in the paper. A flat surface has half.
const SPRAY: f32 = 6.0 / 33.5;
const BUBBLE: f32 = 20.0 / 33.5;

/// Radius of a fleck before walls, over that of a particle.
const FLECK: f32 = 0.25;

/// What becomes of a fleck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A drop in the air.
    Spray = 0,
    /// Lies on the liquid.
    Foam = 1,
    /// Air within the liquid.
    Bubble = 2,
}

/// A fleck of spray, foam or bubbles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fleck {
    /// Where it is [m].
    pub position: Vec3,
    /// Its velocity [m/s].
    pub velocity: Vec3,
    /// Time since it was made [s].
    pub age: f32,
    /// How long it has yet to lie on the liquid, or on a wall [s]. Spray in the air and bubbles do not wear out.
    pub left: f32,
    /// What it is now.
    pub kind: Kind,
}

/// How much foam, and for how long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// What the scene is like.
    pub scale: Scale,
    /// Flecks that a particle makes in a second at the most violent place [1/s].
    pub rate: f32,
    /// Shortest and longest time that foam lies [s].
    pub lifetime: [f32; 2],
    /// Flecks at most.
    pub most: usize,
}

/// A liquid at a moment.
#[derive(Clone, Copy, Debug)]
pub struct Liquid<'a> {
    /// Positions [m]; the fourth component is ignored.
    pub rows: &'a [RowData],
    /// Velocities [m/s].
    pub velocities: &'a [RowData],
}

/// How many there are after a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Drops in the air.
    pub spray: usize,
    /// Flecks on the liquid.
    pub foam: usize,
    /// Bubbles within.
    pub bubbles: usize,
    /// Made in this frame.
    pub born: usize,
    /// Those that were to be made too, if there had been room for more.
    pub refused: u64,
}

/// Spray, foam and bubbles of one simulation.
pub struct Foam {
    settings: Settings,
    drift: Drift,
    flecks: Vec<Fleck>,
    /// Frames so far: random numbers go by it.
    frame: u64,
    time: f64,
    rows: Vec<RowData>,
    velocities: Vec<RowData>,
    radii: Vec<f32>,
    finder: Finder,
}

impl Foam {
    /// None yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            drift: Drift::new(settings.scale.gravity, settings.scale.limits.radius),
            flecks: Vec::new(),
            frame: 0,
            time: 0.0,
            rows: Vec::new(),
            velocities: Vec::new(),
            radii: Vec::new(),
            finder: Finder::new(Search::Grid).in_cells(),
        }
    }

    /// For a simulation before its first step; none where it has no liquid.
    pub fn of(sim: &Simulation, spec: &FoamSpec) -> Option<Self> {
        let (scale, FoamSpec { rate, lifetime, most }) = (Scale::of(sim)?, *spec);
        let foam = Self::new(Settings { scale, rate, lifetime, most: most as usize });
        Some(Self { time: sim.time(), ..foam })
    }

    /// The flecks, oldest first.
    pub fn flecks(&self) -> &[Fleck] {
        &self.flecks
    }

    /// Adds a fleck of the caller's own; false if there is no room for it.
    #[must_use]
    pub fn add(&mut self, fleck: Fleck) -> bool {
        let room = self.flecks.len() < self.settings.most;
        if room {
            self.flecks.push(fleck);
        }
        room
    }

    /// How it was set up.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Goes on to where a simulation is now.
    pub fn follow(&mut self, threads: &Threads, sim: &Simulation) -> Tally {
        let (model, state) = (sim.model(), sim.state());
        let Some(fluid) = &model.fluid else { return Tally::default() };
        let (mut rows, mut velocities) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.velocities));
        rows.clear();
        velocities.clear();
        for i in (0..state.particles).filter(|&i| fluid.liquids[i] > 0 && !state.is_away(i)) {
            rows.push(state.rows[i]);
            velocities.push(state.velocities[i]);
        }
        let before = std::mem::replace(&mut self.time, sim.time());
        let walls = obstacles(model, before, self.time);
        let liquid = Liquid { rows: &rows, velocities: &velocities };
        let tally = self.advance(threads, liquid, &walls, (self.time - before) as f32);
        (self.rows, self.velocities) = (rows, velocities);
        tally
    }

    /// Goes on by `dt` seconds to where a liquid is now; nothing happens in no time.
    pub fn advance(&mut self, threads: &Threads, liquid: Liquid<'_>, walls: &[Obstacle], dt: f32) -> Tally {
        let mut tally = Tally::default();
        if dt > 0.0 {
            let fast = |v: &RowData| vec3(*v).length() > self.settings.scale.limits.slow;
            let lively = self.settings.rate > 0.0 && liquid.velocities.iter().any(fast);
            if lively || !self.flecks.is_empty() {
                self.radii.resize(liquid.rows.len(), 0.0);
                let cloud = Cloud { rows: liquid.rows, radii: &self.radii, phases: &[] };
                self.finder.find(threads, cloud, self.settings.scale.limits.reach, Pairs::Both);
                self.drift_on(threads, liquid, walls, dt);
            }
            if lively {
                self.make(threads, liquid, walls, dt, &mut tally);
            }
            self.frame += 1;
        }
        for fleck in &self.flecks {
            *match fleck.kind {
                Kind::Spray => &mut tally.spray,
                Kind::Foam => &mut tally.foam,
                Kind::Bubble => &mut tally.bubbles,
            } += 1;
        }
        tally
    }

    /// Moves what is there, decides what it has become, and takes away what is over.
    fn drift_on(&mut self, threads: &Threads, liquid: Liquid<'_>, walls: &[Obstacle], dt: f32) {
        let Self { settings, drift, flecks, finder, .. } = self;
        let (grid, Limits { radius, reach, .. }) = (finder.grid(), settings.scale.limits);
        let full = settings.scale.limits.full_count();
        let each = |_: usize, flecks: &mut [Fleck]| {
            let mut near = Vec::new();
            for fleck in flecks {
                let place = ahead(drift, fleck, dt);
                grid.within(place.extend(0.0).to_array(), reach, &mut near);
                let kind = kind_of(near.len() as f32 / (full * open_share(walls, place, reach)));
                let (start, v) = (fleck.position, fleck.velocity);
                (fleck.position, fleck.velocity) = match kind {
                    Kind::Spray => drift.fly(start, v, dt),
                    _ => {
                        let (mut sum, mut all) = (Vec3::ZERO, 0.0);
                        for n in &near {
                            // All that are near have some weight, or there might be none in all.
                            let weight = (1.0 - n.squared.sqrt() / reach).max(1e-3);
                            sum += vec3(liquid.velocities[n.index as usize]) * weight;
                            all += weight;
                        }
                        let flow = sum / all;
                        if kind == Kind::Foam { drift.carry(start, v, flow, dt) } else { drift.bob(start, v, flow, dt) }
                    }
                };
                let touched = collide(walls, FLECK * radius, dt, start, &mut fleck.position, &mut fleck.velocity);
                fleck.kind = kind;
                fleck.age += dt;
                if kind == Kind::Foam || kind == Kind::Spray && touched {
                    fleck.left -= dt;
                }
            }
        };
        threads.enter(|| threads.chunks(flecks, 1, each));
        let [low, high] = settings.scale.bounds;
        // Written so that what is not a number goes too.
        flecks.retain(|f| f.left > 0.0 && f.position.cmpge(low).all() && f.position.cmple(high).all());
    }

    /// Makes new ones, as many as there is room for.
    fn make(&mut self, threads: &Threads, liquid: Liquid<'_>, walls: &[Obstacle], dt: f32, tally: &mut Tally) {
        let Self { settings, flecks, frame, finder, .. } = self;
        let limits = &settings.scale.limits;
        let found = potentials(threads, liquid.rows, liquid.velocities, finder.neighbors(), walls, limits);
        let amount = |p: &Potential| f64::from(p.share) * f64::from(settings.rate) * f64::from(dt);
        let wanted: f64 = found.iter().map(amount).sum();
        let room = settings.most.saturating_sub(flecks.len());
        // Where there is not enough room for all, everybody makes fewer, or the last particles would make none.
        let thinned = if wanted > room as f64 { room as f64 / wanted } else { 1.0 };
        let full = limits.full_count();
        for (i, p) in found.iter().enumerate().filter(|(_, p)| p.share > 0.0) {
            let mut dice = Dice::new(*frame, i as u32);
            let chance = f64::from(dice.unit());
            let [asked, given] = [1.0, thinned].map(|s| (amount(p) * s + chance) as u64);
            let count = (given as usize).min(settings.most - flecks.len());
            tally.refused += asked - count as u64;
            tally.born += count;
            let (x, v) = (vec3(liquid.rows[i]), vec3(liquid.velocities[i]));
            // One more than its neighbors: itself.
            let kind = kind_of((p.count + 1) as f32 / (full * open_share(walls, x, limits.reach)));
            for _ in 0..count {
                let off = dice.in_ball();
                // Sideways as fast as neighbors come nearer on average, for part of the frame already.
                let (velocity, since) = (v + off * (0.25 * p.closing), dice.unit() * dt);
                let position = x + off * limits.radius + (velocity - v) * since;
                let [shortest, longest] = settings.lifetime;
                let left = shortest + (longest - shortest) * dice.unit();
                let mut fleck = Fleck { position, velocity, age: since, left, kind };
                collide(walls, FLECK * limits.radius, dt, x, &mut fleck.position, &mut fleck.velocity);
                flecks.push(fleck);
            }
        }
    }
}

/// Where a fleck would be if it went on by itself.
fn ahead(drift: &Drift, fleck: &Fleck, dt: f32) -> Vec3 {
    match fleck.kind {
        Kind::Spray => drift.fly(fleck.position, fleck.velocity, dt).0,
        Kind::Foam | Kind::Bubble => fleck.position + fleck.velocity * dt,
    }
}

/// By its share of the neighbors that it would have within the liquid.
fn kind_of(share: f32) -> Kind {
    match share {
        s if s < SPRAY => Kind::Spray,
        s if s > BUBBLE => Kind::Bubble,
        _ => Kind::Foam,
    }
}
