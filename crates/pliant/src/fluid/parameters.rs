//! Fluid parameters of a model.

use crate::fluid::body_surface::SurfacePoint;
use crate::fluid::boundary::LargeParticle;
use crate::fluid::density::{ArtificialPressure, DensityParams};
use crate::fluid::sph_kernels::Smoothing;
use crate::fluid::surface_tension::{SurfaceTension, max_stable_tension};
use crate::fluid::viscosity::{ChebyshevPlan, pair_viscosity};
use crate::fluid::vorticity::Confinement;
use crate::neighbors::Search;

/// Largest ratio of a solid's search radius to the others' for which a grid is the better search: at four times, each
/// particle tests some thousand others.
const MAX_GRID_REACH_RATIO: f32 = 4.0;

/// Parameters common to all fluids, and the fluid of each particle (S23).
#[derive(Clone, Debug, PartialEq)]
pub struct Fluid {
    /// Radius of a fluid particle [m].
    pub radius: f32,
    /// Kernel radius H [m].
    pub reach: f32,
    /// Boundary setback [m].
    pub setback: f32,
    /// Smoothing kernel.
    pub smoothing: Smoothing,
    /// Whether pressure is a projection of velocities ([`crate::fluid::projection`]).
    pub projects: bool,
    /// Sweeps of the projection in a substep that starts without pressure: enough for its depth.
    pub first_sweeps: u32,
    /// Points of the surface of each rigid body, where pressure is a projection.
    pub body_surfaces: Vec<Vec<SurfacePoint>>,
    /// Relaxation factor of every correction.
    pub omega: f32,
    /// Share of the last substep's pressure used as warm start.
    pub carry: f32,
    /// Relaxation ε of the constraints, relative to that of a single pair.
    pub relaxation: f32,
    /// Compressibility [1/Pa].
    pub compressibility: f32,
    /// XSPH: share of the velocity relative to neighbors removed in a substep.
    pub xsph: f32,
    /// Artificial pressure, as the compression to which close pairs respond.
    pub artificial_pressure: f32,
    /// Adhesion: pressure of solids as a share of the surface pressure.
    pub adhesion: f32,
    /// Vorticity confinement, ε [1/s].
    pub vorticity: f32,
    /// Volume of a fluid particle [m³].
    pub volume: f32,
    /// Whether all particles of the scene are fluid with equal volumes.
    pub even: bool,
    /// Volume of each particle in density sums [m³].
    pub volumes: Vec<f32>,
    /// The same for viscosity: solids lighter than the fluid have less, for stability.
    pub viscous_volumes: Vec<f32>,
    /// Large solid particles; empty if there are none. They have no other volume in the sums.
    pub large_particles: Vec<LargeParticle>,
    /// Fluid of each particle, counted from 1; 0 for solids.
    pub liquids: Vec<u32>,
    /// The fluids.
    pub kinds: Vec<LiquidKind>,
}

impl Fluid {
    /// Fluid of a particle, if any.
    pub fn kind(&self, i: usize) -> Option<&LiquidKind> {
        self.kinds.get((self.liquids[i] as usize).wrapping_sub(1))
    }

    /// Sphere of a large solid particle, if it is one.
    #[inline(always)]
    pub fn large_particle(&self, i: usize) -> Option<&LargeParticle> {
        self.large_particles.get(i).filter(|ball| ball.radius > 0.0)
    }

    /// Search radius of a particle, less half the kernel radius [m].
    pub fn radius_of(&self, i: usize) -> f32 {
        0.5 * self.reach + self.large_particles.get(i).map_or(0.0, |ball| ball.radius)
    }

    /// Search structure: a grid where all search radii are about equal.
    pub fn search(&self) -> Search {
        let most = self.large_particles.iter().fold(0.0, |most: f32, ball| most.max(ball.radius));
        if 0.5 * self.reach + most > MAX_GRID_REACH_RATIO * 0.5 * self.reach { Search::Tree } else { Search::Grid }
    }

    /// Viscosity solver plan for substeps of `h` seconds.
    pub fn viscosity(&self, h: f32) -> ChebyshevPlan {
        // Between two fluids the mean viscosity acts, on the density of the lighter one.
        let pair = |a: &LiquidKind, b: &LiquidKind| pair_viscosity(a.viscosity, b.viscosity) / a.density.min(b.density);
        let nu = self.kinds.iter().flat_map(|a| self.kinds.iter().map(move |b| pair(a, b))).fold(0.0, f32::max);
        ChebyshevPlan::new(self.smoothing, self.reach, nu, h, self.xsph)
    }

    /// Surface tension parameters, if any fluid has it.
    pub fn surface_tension(&self) -> Option<SurfaceTension> {
        let has_tension = self.kinds.iter().any(|k| k.tension > 0.0);
        has_tension.then(|| SurfaceTension::new(self.smoothing, self.reach, self.radius, self.setback))
    }

    /// Surface tension of a fluid in substeps of `h` seconds [N/m], limited for stability.
    pub fn tension(&self, kind: &LiquidKind, h: f32) -> f32 {
        kind.tension.min(max_stable_tension(kind.density, self.radius, h))
    }

    /// Vorticity confinement for substeps of `h` seconds, if enabled.
    pub fn confinement(&self, h: f32) -> Option<Confinement> {
        (self.vorticity > 0.0).then(|| Confinement::new(self.vorticity, h, self.reach, self.radius))
    }

    /// Multiplier update for substeps of `h` seconds.
    pub fn density_params(&self, h: f32) -> DensityParams {
        DensityParams {
            omega: self.omega,
            // Energy ½·V·C²/β for a compressibility β, so α = β/V.
            compliance: self.compressibility / (self.volume * h * h),
            relaxation: self.relaxation / (4.0 * self.radius * self.radius),
        }
    }

    /// Artificial pressure, if any: that of the lightest fluid, as both particles of a pair must use the same.
    pub fn artificial_pressure(&self) -> Option<ArtificialPressure> {
        let lightest = self.kinds.iter().map(|k| k.density).fold(f32::INFINITY, f32::min);
        (self.artificial_pressure > 0.0).then(|| {
            ArtificialPressure::new(self.smoothing, self.reach, self.radius, lightest, self.artificial_pressure)
        })
    }

    /// XSPH coefficient by volume [kg/m³].
    pub fn xsph_drag(&self) -> f32 {
        self.xsph * self.kinds.iter().map(|k| k.density).fold(f32::INFINITY, f32::min)
    }
}

/// One fluid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LiquidKind {
    /// Rest density [kg/m³].
    pub density: f32,
    /// Viscosity [Pa·s].
    pub viscosity: f32,
    /// Surface tension [N/m].
    pub tension: f32,
}
