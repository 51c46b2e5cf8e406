//! Inflatable and aerodynamic surfaces in the form the model stores.

use crate::aero::surfaces::AeroSurfaces;
use crate::builder::part::{Inflation, Part};
use crate::constraints::inflate::Inflatable;
use crate::mesh::topology::Buckets;

/// A closed surface of `n` particles from `first` on.
pub fn inflatable(part: &Part, inside: &Inflation, first: u32, n: usize, object: u32) -> Inflatable {
    let triangles: Vec<[u32; 3]> = part.triangles.iter().map(|t| t.map(|i| i + first)).collect();
    let corners = Buckets::fill(n, || {
        triangles.iter().flat_map(|&[a, b, c]| [(a - first, [b, c]), (b - first, [c, a]), (c - first, [a, b])])
    });
    Inflatable {
        object,
        particles: (first..first + n as u32).collect(),
        triangles,
        offsets: corners.offsets,
        corners: corners.values,
        rest_volume: inside.volume,
        pressure: inside.pressure,
        softness: inside.softness,
    }
}

/// Builds the list of triangles around each particle.
pub fn finish_aero_surfaces(aero_surfaces: &mut AeroSurfaces, particles: usize) {
    let incident = Buckets::fill(particles, || {
        aero_surfaces.triangles.iter().enumerate().flat_map(|(t, corners)| corners.map(|i| (i, t as u32)))
    });
    aero_surfaces.offsets = vec![0];
    for i in 0..particles {
        let triangles = incident.of(i);
        if !triangles.is_empty() {
            aero_surfaces.particles.push(i as u32);
            aero_surfaces.incident.extend_from_slice(triangles);
            aero_surfaces.offsets.push(aero_surfaces.incident.len() as u32);
        }
    }
}
