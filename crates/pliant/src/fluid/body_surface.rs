//! Pressure of liquids on rigid bodies, as an integral over their surface.
//!
//! The net force is a small difference of large ones: a body a tenth heavier than water sinks by a tenth of its weight, while
//! the water above and below presses with many times of it. A sum over the particles that happen to be near counts parts of
//! the surface more or less than others by some percent. Here the surface has points of known areas, which sum to zero as
//! vectors, and the pressure at each is that of a linear field fitted to the particles around. A linear field of pressure so
//! gives the force of Archimedes exactly, in any arrangement of particles.

use crate::mesh::TriMesh;
use glam::{DMat3, DVec3};

/// Distance of surface points, in radii of a particle.
const SPACING: f32 = 3.0;
/// Most pieces along an edge of a triangle.
const MOST_PIECES: usize = 64;
/// Weight of the hydrostatic gradient beside that of particles: it decides where they are in one plane, or few.
pub(crate) const PRIOR: f64 = 0.1;

/// A part of a body's surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Its middle, in the frame of the body [m].
    pub place: DVec3,
    /// Its area, along the outward normal [m²].
    pub area: DVec3,
}

/// Points of a closed surface for a liquid of particles of a radius [m].
pub fn surface_points(mesh: &TriMesh, radius: f32) -> Vec<SurfacePoint> {
    let out = if mesh.volume() < 0.0 { -0.5 } else { 0.5 };
    let mut points = Vec::new();
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|v| mesh.positions[v as usize].as_dvec3());
        let longest = (b - a).length().max((c - b).length()).max((a - c).length());
        let n = ((longest / f64::from(SPACING * radius)).ceil() as usize).clamp(1, MOST_PIECES);
        let area = (b - a).cross(c - a) * (out / (n * n) as f64);
        let at = |u: f64, v: f64| a + (b - a) * (u / n as f64) + (c - a) * (v / n as f64);
        for i in 0..n {
            for j in 0..n - i {
                let (u, v) = (i as f64, j as f64);
                points.push(SurfacePoint { place: at(u + 1.0 / 3.0, v + 1.0 / 3.0), area });
                if i + j + 1 < n {
                    points.push(SurfacePoint { place: at(u + 2.0 / 3.0, v + 2.0 / 3.0), area });
                }
            }
        }
    }
    points
}

/// Pressure at a point as a linear function of that of particles.
#[derive(Clone, Debug, Default)]
pub struct LinearFit {
    /// Positions relative to the point [m], and weights.
    near: Vec<(u32, DVec3, f64)>,
}

impl LinearFit {
    /// Starts at another point.
    pub fn clear(&mut self) {
        self.near.clear();
    }

    /// Adds a particle at `apart` from the point, if it is within `reach`.
    pub fn add(&mut self, particle: u32, apart: DVec3, reach: f64) {
        let q = apart.length_squared() / (reach * reach);
        if q < 1.0 {
            self.near.push((particle, apart, (1.0 - q).powi(3)));
        }
    }

    /// Coefficients of the particles, and their mean position, by which an expected gradient counts [m]: where particles are
    /// in one plane, the pressure at the point differs from theirs by it. Nothing without particles.
    pub fn coefficients(&self, reach: f64) -> (impl Iterator<Item = (u32, f64)> + '_, DVec3) {
        let (mut sum, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        for (_, d, w) in &self.near {
            sum += w;
            first += *d * *w;
            second += DMat3::from_cols(*d * d.x, *d * d.y, *d * d.z) * *w;
        }
        let second = second + DMat3::from_diagonal(DVec3::splat(PRIOR * reach * reach * sum + f64::MIN_POSITIVE));
        let slope = second.inverse() * first;
        let scale = 1.0 / (sum - first.dot(slope)).max(f64::MIN_POSITIVE);
        let coefficient = move |d: DVec3, w: f64| w * (1.0 - slope.dot(d)) * scale;
        let middle = self.near.iter().map(|&(_, d, w)| d * coefficient(d, w)).sum();
        (self.near.iter().map(move |&(j, d, w)| (j, coefficient(d, w))), middle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    fn tetrahedron() -> TriMesh {
        TriMesh {
            positions: [[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.1, 0.4]].map(Vec3::from).to_vec(),
            triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
        }
    }

    #[test]
    fn a_linear_pressure_gives_the_force_of_archimedes() {
        let mesh = tetrahedron();
        let points = surface_points(&mesh, 0.01);
        let gradient = DVec3::new(300.0, -9810.0, 50.0);
        let force: DVec3 = points.iter().map(|p| -p.area * (5e4 + gradient.dot(p.place))).sum();
        let wanted = -gradient * mesh.volume().abs();
        assert!((force - wanted).length() < 1e-6 * wanted.length(), "{force} for {wanted}");
        assert!(points.iter().map(|p| p.area).sum::<DVec3>().length() < 1e-9);
    }

    #[test]
    fn a_fit_is_exact_for_hydrostatic_pressure_on_one_side_of_the_point() {
        let (gradient, reach) = (DVec3::new(0.0, -9810.0, 0.0), 0.04);
        let mut fit = LinearFit::default();
        let places = [[0.011, 0.01, 0.0], [-0.008, 0.012, 0.01], [0.0, 0.03, -0.01], [0.01, 0.013, -0.017]];
        places.iter().enumerate().for_each(|(k, &p)| fit.add(k as u32, DVec3::from(p), reach));
        let (coefficients, middle) = fit.coefficients(reach);
        let pressure = |k: u32| 2000.0 + gradient.dot(DVec3::from(places[k as usize]));
        let found = coefficients.map(|(k, c)| c * pressure(k)).sum::<f64>() - middle.dot(gradient);
        assert!((found - 2000.0).abs() < 1e-6, "{found}");
    }
}
