//! Queries of single objects, by handle.

use crate::builder::layout::Source;
use crate::math::{RowData, position};
use crate::state::State;
use crate::world::World;
use crate::world::definition::Handle;
use crate::world::edit::EditError;
use glam::{DVec3, Vec3};
use std::ops::Range;

/// Mass, position and motion of an object as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Momentum {
    /// Mass of its free particles [kg].
    pub mass: f64,
    /// Center of mass [m].
    pub center: DVec3,
    /// Linear momentum [kg·m/s].
    pub linear: DVec3,
    /// Angular momentum about the center of mass [kg·m²/s].
    pub angular: DVec3,
}

impl World {
    /// Particles of an object in [`crate::state::State`] and [`crate::frame::Frame`], copies included. They may have other
    /// numbers after objects were added or removed.
    pub fn particles_of(&mut self, object: Handle) -> Result<Range<usize>, EditError> {
        Ok(self.placed(object)?.particles())
    }

    /// Positions of an object's particles: x, y, z [m] and inverse mass [1/kg]. Not copied on the CPU; from a
    /// GPU only these are read back. A rigid body with an exact shape has none: [`Self::poses`] and
    /// [`Self::surface_of`] say where it is.
    pub fn positions(&mut self, object: Handle) -> Result<&[RowData], EditError> {
        let range = self.particles_of(object)?;
        Ok(&self.read_rows(range.clone(), false)?.rows[range])
    }

    /// Velocities of an object's particles [m/s], fourth component 0. As [`Self::positions`].
    pub fn velocities(&mut self, object: Handle) -> Result<&[RowData], EditError> {
        let range = self.particles_of(object)?;
        Ok(&self.read_rows(range.clone(), true)?.velocities[range])
    }

    /// Unit normals at an object's particles, area-weighted over its triangles; zero where it has none. Those of a
    /// rigid body with an exact shape are in [`Self::surface_of`].
    pub fn normals(&mut self, object: Handle) -> Result<Vec<Vec3>, EditError> {
        let range = self.particles_of(object)?;
        let of = |t: &&[u32; 3]| range.contains(&(t[0] as usize));
        let own: Vec<[u32; 3]> = self.model.topology.triangles.iter().filter(of).copied().collect();
        let rows = &self.read_rows(range.clone(), false)?.rows;
        let mut normals = vec![Vec3::ZERO; range.len()];
        for triangle in own {
            let [a, b, c] = triangle.map(|v| position(rows[v as usize]));
            let normal = (b - a).cross(c - a);
            triangle.iter().for_each(|&v| normals[v as usize - range.start] += normal);
        }
        normals.iter_mut().for_each(|n| *n = n.normalize_or_zero());
        Ok(normals)
    }

    /// Lowest and highest corner of the box around an object's active particles, radii included [m]; an inverted box if
    /// none is active.
    pub fn bounds(&mut self, object: Handle) -> Result<(Vec3, Vec3), EditError> {
        let bodies = self.rigid_bodies_of(object)?;
        if !bodies.is_empty() {
            return self.rigid_bounds(bodies);
        }
        let range = self.particles_of(object)?;
        let state = self.read_rows(range.clone(), false)?;
        let nothing = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let active = range.filter(|&i| !state.is_inactive(i)).map(|i| (position(state.rows[i]), state.radii[i]));
        Ok(active.fold(nothing, |(low, high), (x, r)| (low.min(x - r), high.max(x + r))))
    }

    /// Mass and momentum of an object.
    pub fn momentum(&mut self, object: Handle) -> Result<Momentum, EditError> {
        let bodies = self.rigid_bodies_of(object)?;
        if !bodies.is_empty() {
            return self.rigid_momentum(bodies);
        }
        let range = self.particles_of(object)?;
        Ok(momentum(self.read_rows(range.clone(), true)?, range))
    }

    /// The object of a particle, and the particle's number in it.
    pub fn object_of(&self, particle: usize) -> Option<(Handle, usize)> {
        let (source, number) = self.objects.member(u32::try_from(particle).ok()?)?;
        let handle = self.definition.handle_of(Source::new(source.kind, source.index))?;
        Some((handle, number as usize))
    }
}

/// Mass and momentum of free particles.
pub(super) fn momentum(state: &State, range: Range<usize>) -> Momentum {
    let free = || range.clone().filter(|&i| state.rows[i][3] > 0.0);
    let mass_of = |i: usize| 1.0 / f64::from(state.rows[i][3]);
    let at = |row: RowData| position(row).as_dvec3();
    let mass: f64 = free().map(mass_of).sum();
    let sum = |of: &dyn Fn(usize) -> DVec3| free().map(|i| mass_of(i) * of(i)).sum::<DVec3>();
    let center = if mass > 0.0 { sum(&|i| at(state.rows[i])) / mass } else { DVec3::ZERO };
    let linear = sum(&|i| at(state.velocities[i]));
    let angular = sum(&|i| (at(state.rows[i]) - center).cross(at(state.velocities[i])));
    Momentum { mass, center, linear, angular }
}
