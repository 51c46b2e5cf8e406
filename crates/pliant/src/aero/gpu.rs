//! Aerodynamic forces on the GPU: tables, uniform record, shader, pass.

use crate::aero::aerodynamics;
use crate::aero::surfaces::AeroSurfaces;
use crate::runtime::gpu::program::{Bindings, Command, ProgramWriter, ShaderPart, ShaderSource};
use crate::runtime::gpu::shader_constants::{NONE, shader_constants};
use crate::runtime::gpu::tables::TableArena;
use crate::schedule::gpu::Substep;
use crate::schedule::gpu::constants::IN_THE_AIR;
use crate::settings::Wind;
use bytemuck::{Pod, Zeroable};

shader_constants! {
    /// Words of a triangle: three corners and the index of its coefficients.
    AERO_TRIANGLE_WORDS = 4;
}

/// Lift, drag and wind.
pub const AERODYNAMICS: &str = include_str!("aerodynamics.wgsl");

/// [`aerodynamics::Air`].
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Air {
    /// ½ρ, half the density of the air [kg/m³].
    pub half_density: f32,
    /// Drag coefficient.
    pub drag: f32,
    /// Lift coefficient.
    pub lift: f32,
    /// Unused.
    pub spare: f32,
}

impl From<&aerodynamics::Air<f32>> for Air {
    fn from(air: &aerodynamics::Air<f32>) -> Self {
        Self { half_density: air.half_density, drag: air.drag, lift: air.lift, spare: 0.0 }
    }
}

/// Forces of the air (`wind.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct WindUniforms {
    /// Number of particles that a triangle touches.
    pub count: u32,
    /// First word in `topology` of these particles, each with where its triangles start.
    pub particles: u32,
    /// First word in `topology` of the triangles of each.
    pub incidence: u32,
    /// First word in `topology` of all triangles.
    pub triangles: u32,
    /// First vector in `constants` of the aerodynamic coefficients.
    pub coefficients: u32,
}

/// Offsets of the tables.
#[derive(Clone, Copy, Debug, Default)]
pub struct AeroTables {
    uniforms: WindUniforms,
    /// Forces in `motion`.
    pub forces: u32,
}

impl AeroTables {
    /// Reserves forces for `particles` particles, if there are triangles.
    pub fn new(surfaces: &AeroSurfaces, particles: usize, arena: &mut TableArena) -> Self {
        let count = if surfaces.triangles.is_empty() { 0 } else { particles };
        Self { forces: arena.reserve_motion(count), ..Self::default() }
    }

    /// Writes the triangles.
    pub fn put_surfaces(&mut self, surfaces: &AeroSurfaces, arena: &mut TableArena) {
        let particles = surfaces.particles.iter().zip(&surfaces.offsets).flat_map(|(&i, &first)| [i, first]);
        let end = [NONE, surfaces.offsets.last().copied().unwrap_or(0)];
        let triangles = surfaces.triangles.iter().zip(&surfaces.air).flat_map(|(&[a, b, c], &air)| {
            let words: [u32; AERO_TRIANGLE_WORDS as usize] = [a, b, c, u32::from(air)];
            words
        });
        let airs = surfaces.airs.iter().map(Air::from);
        self.uniforms = WindUniforms {
            count: surfaces.particles.len() as u32,
            particles: arena.put_topology(particles.chain(end)),
            triangles: arena.put_topology(triangles),
            incidence: arena.put_topology(surfaces.incident.iter().copied()),
            coefficients: arena
                .put_constants(airs.map(|a| [a.half_density, a.drag, a.lift, a.spare].map(f32::to_bits))),
        };
    }

    /// Writes what the air tells every shader of a substep.
    pub fn fill(&self, wind: &Wind, surfaces: &AeroSurfaces, record: &mut Substep) {
        record.wind = wind.velocity.to_array();
        record.gust = wind.gust;
        record.gust_period = wind.period;
        record.forces = self.forces;
        if !surfaces.triangles.is_empty() {
            record.flags |= IN_THE_AIR;
        }
    }

    /// The pass, if there are triangles in the air.
    pub fn forces(&self, out: &mut ProgramWriter) -> Option<Command> {
        let count = self.uniforms.count as usize;
        (count > 0).then(|| out.run_each(wind(), &self.uniforms, count))
    }
}

/// Forces of the air on particles.
pub fn wind() -> ShaderSource {
    let parts = [AERODYNAMICS, include_str!("wind.wgsl")];
    ShaderSource::new("wind", Bindings::SHARED, parts.map(ShaderPart::from).to_vec())
}
