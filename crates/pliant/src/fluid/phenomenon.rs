//! Passes of fluids.

use crate::fluid::model::FluidModel;
use crate::schedule::passes::Pass;
use crate::schedule::phenomenon::{Field, PassInfo, Phenomenon};

impl Phenomenon for FluidModel<'_> {
    fn name(&self) -> &'static str {
        "fluid"
    }

    fn passes(&self) -> Vec<PassInfo> {
        use Field::*;
        let Some(fluid) = self.fluid else { return Vec::new() };
        let h = self.settings.substep();
        let forces: &'static [Field] = &[FluidNeighbors, Positions, Velocities];
        let all: [(bool, Pass, &'static [Field], &'static [Field]); 7] = [
            (
                true,
                Pass::FluidNeighbors,
                &[Positions, Pressures, ParticleKinds],
                &[Positions, Pressures, FluidNeighbors],
            ),
            (!self.colliders.is_empty(), Pass::FluidBoundary, &[Positions, ColliderContacts], &[FluidBoundary]),
            (true, Pass::FluidDensity, &[FluidNeighbors, Positions, Pressures], &[Positions, Pressures]),
            (fluid.surface_tension().is_some(), Pass::SurfaceTension, forces, &[Velocities]),
            (fluid.viscosity(h).sweeps > 0, Pass::Viscosity, forces, &[Velocities]),
            (fluid.confinement(h).is_some(), Pass::Vorticity, forces, &[Velocities]),
            (fluid.projects, Pass::Projection, forces, &[Velocities, Pressures]),
        ];
        let present = all.into_iter().filter(|(present, ..)| *present);
        present.map(|(_, pass, reads, writes)| PassInfo { pass, reads, writes }).collect()
    }

    fn kept(&self) -> &'static [Field] {
        if self.fluid.is_some() { &[Field::Pressures] } else { &[] }
    }
}
