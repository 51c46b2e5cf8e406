//! The triangles that aerodynamic forces act on.

use crate::aero::aerodynamics::Air;
use crate::schedule::passes::Pass;
use crate::schedule::phenomenon::{Field, PassInfo, Phenomenon};

/// Triangles that feel the air.
#[derive(Clone, Debug, Default)]
pub struct AeroSurfaces {
    /// Triangles, particle numbers.
    pub triangles: Vec<[u32; 3]>,
    /// Coefficients of each triangle: an index into `airs`.
    pub air: Vec<u16>,
    /// Distinct coefficients.
    pub airs: Vec<Air<f32>>,
    /// Particles that some triangle touches.
    pub particles: Vec<u32>,
    /// For each of `particles`, where its triangles start in `incident`; one more at the end.
    pub offsets: Vec<u32>,
    /// Triangle numbers.
    pub incident: Vec<u32>,
}

impl Phenomenon for AeroSurfaces {
    fn name(&self) -> &'static str {
        "aero"
    }

    fn passes(&self) -> Vec<PassInfo> {
        let forces = PassInfo {
            pass: Pass::AeroForces,
            reads: &[Field::Positions, Field::Velocities],
            writes: &[Field::AeroForces],
        };
        if self.triangles.is_empty() { Vec::new() } else { vec![forces] }
    }

    fn kept(&self) -> &'static [Field] {
        &[]
    }
}
