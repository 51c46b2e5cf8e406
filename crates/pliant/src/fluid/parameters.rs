//! Liquids, as a step sees them.

use crate::fluid::boundary::Ball;
use crate::fluid::density::{Rule, Spread};
use crate::fluid::sph_kernels::Smoothing;
use crate::fluid::surface_tension::{Skin, bearable};
use crate::fluid::viscosity::{Plan, between};
use crate::fluid::vorticity::Drive;
use crate::neighbors::Search;

/// How much farther than the others a ball may reach for a grid to be the better search: with four times as much everybody looks
/// at some thousand others.
const MAX_GRID_REACH_RATIO: f32 = 4.0;

/// What is the same for all liquids, and where they are (S23).
#[derive(Clone, Debug, PartialEq)]
pub struct Fluid {
    /// Radius of a liquid's particle [m].
    pub radius: f32,
    /// Reach of the kernel [m].
    pub reach: f32,
    /// How much farther off than it is a wall is taken [m].
    pub setback: f32,
    /// The kernel.
    pub smoothing: Smoothing,
    /// Factor on every correction.
    pub omega: f32,
    /// Share of the last substep's pressure that the next one starts from.
    pub carry: f32,
    /// Softening of the constraints, over that of a lone pair.
    pub relaxation: f32,
    /// Volume that gives way to pressure [1/Pa].
    pub compressibility: f32,
    /// Share of the velocity against neighbors that is lost in a substep.
    pub xsph: f32,
    /// Compression that pairs which are too close part for.
    pub spread: f32,
    /// Share of the pressure that holds surfaces together with which solids draw a liquid.
    pub adhesion: f32,
    /// Vorticity confinement, ε [1/s].
    pub vorticity: f32,
    /// Space of a liquid's particle [m³].
    pub volume: f32,
    /// Whether all particles of the scene are of liquids and take the same space.
    pub even: bool,
    /// Space of each particle in the sums of a liquid [m³].
    pub volumes: Vec<f32>,
    /// The same for viscosity: solids that are lighter than the liquid take less, or it would throw them about.
    pub viscous_volumes: Vec<f32>,
    /// Solid particles that are large; empty where none is. They have no other space in the sums.
    pub balls: Vec<Ball>,
    /// Liquid of each particle, counted from 1; 0 for solids.
    pub liquids: Vec<u32>,
    /// The liquids.
    pub kinds: Vec<LiquidKind>,
}

impl Fluid {
    /// The liquid that a particle is of, if it is of one.
    pub fn kind(&self, i: usize) -> Option<&LiquidKind> {
        self.kinds.get((self.liquids[i] as usize).wrapping_sub(1))
    }

    /// The ball that a particle is, if it is a large solid.
    #[inline(always)]
    pub fn ball(&self, i: usize) -> Option<&Ball> {
        self.balls.get(i).filter(|ball| ball.radius > 0.0)
    }

    /// How far a particle is seen, less half of the reach [m].
    pub fn radius_of(&self, i: usize) -> f32 {
        0.5 * self.reach + self.balls.get(i).map_or(0.0, |ball| ball.radius)
    }

    /// What to search with: a grid where all reach about equally far.
    pub fn search(&self) -> Search {
        let most = self.balls.iter().fold(0.0, |most: f32, ball| most.max(ball.radius));
        if 0.5 * self.reach + most > MAX_GRID_REACH_RATIO * 0.5 * self.reach { Search::Tree } else { Search::Grid }
    }

    /// How viscosity is solved for in substeps of `h` seconds.
    pub fn viscosity(&self, h: f32) -> Plan {
        // Two liquids have the mean of their viscosities between them, which the lighter one has to bear.
        let pair = |a: &LiquidKind, b: &LiquidKind| between(a.viscosity, b.viscosity) / a.density.min(b.density);
        let nu = self.kinds.iter().flat_map(|a| self.kinds.iter().map(move |b| pair(a, b))).fold(0.0, f32::max);
        Plan::new(self.smoothing, self.reach, nu, h, self.xsph)
    }

    /// How surfaces pull, if any does.
    pub fn skin(&self) -> Option<Skin> {
        let pulls = self.kinds.iter().any(|k| k.tension > 0.0);
        pulls.then(|| Skin::new(self.smoothing, self.reach, self.radius, self.setback))
    }

    /// Tension of a liquid in substeps of `h` seconds [N/m]: its own, or as much as they bear.
    pub fn tension(&self, kind: &LiquidKind, h: f32) -> f32 {
        kind.tension.min(bearable(kind.density, self.radius, h))
    }

    /// How vortices are driven in substeps of `h` seconds, if they are.
    pub fn drive(&self, h: f32) -> Option<Drive> {
        (self.vorticity > 0.0).then(|| Drive::new(self.vorticity, h, self.reach, self.radius))
    }

    /// How multipliers answer in substeps of `h` seconds.
    pub fn rule(&self, h: f32) -> Rule {
        Rule {
            omega: self.omega,
            // Energy ½·V·C²/β for a compressibility β, so α = β/V.
            compliance: self.compressibility / (self.volume * h * h),
            relaxation: self.relaxation / (4.0 * self.radius * self.radius),
        }
    }

    /// Artificial pressure, if there is any: that of the lightest liquid, as it must be the same for both of a pair.
    pub fn spread(&self) -> Option<Spread> {
        let lightest = self.kinds.iter().map(|k| k.density).fold(f32::INFINITY, f32::min);
        (self.spread > 0.0).then(|| Spread::new(self.smoothing, self.reach, self.radius, lightest, self.spread))
    }

    /// XSPH by volume [kg/m³].
    pub fn drag(&self) -> f32 {
        self.xsph * self.kinds.iter().map(|k| k.density).fold(f32::INFINITY, f32::min)
    }
}

/// One liquid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LiquidKind {
    /// Density at rest [kg/m³].
    pub density: f32,
    /// Viscosity [Pa·s].
    pub viscosity: f32,
    /// Surface tension [N/m].
    pub tension: f32,
}
