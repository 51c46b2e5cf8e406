//! Liquids in outputs: groups of equal liquids, their surfaces, and particle colors by speed or density.

use crate::failure::Failure;
use glam::Vec3;
use pliant::World;
use pliant::frame::Frame;
use pliant::scene::{Liquid, Scene};
use pliant_render::Color;
use pliant_surface::{SurfaceMesh, SurfaceSettings, reconstruct_surface};

/// The liquids of a simulation. Equal liquids form one group, so that a stream poured into a pool of the same liquid has
/// no surface inside the pool.
pub struct Liquids {
    /// Groups with at least one particle.
    pub groups: Vec<LiquidGroup>,
    settings: SurfaceSettings,
}

/// Liquids with equal density, viscosity and color.
pub struct LiquidGroup {
    /// Name of the first liquid, restricted to characters that are safe in file names.
    pub name: String,
    /// Object of the first liquid, for the color.
    pub object: usize,
    /// Particle indices, ascending.
    particles: Vec<u32>,
}

impl Liquids {
    /// `None` for a scene without liquid.
    pub fn of(scene: &Scene, sim: &World) -> Option<Self> {
        let (fluid, shape) = (sim.model().fluid.as_ref()?, sim.topology());
        let equal = |a: &Liquid, b: &Liquid| (a.density, a.viscosity, a.color) == (b.density, b.viscosity, b.color);
        // Index of the first equal liquid of each.
        let firsts: Vec<usize> =
            scene.liquid.iter().map(|l| scene.liquid.iter().position(|o| equal(o, l)).unwrap_or(0)).collect();
        let mut particles = vec![Vec::new(); scene.liquid.len()];
        for (i, &liquid) in fluid.liquids.iter().enumerate().filter(|(_, l)| **l > 0) {
            particles[firsts[liquid as usize - 1]].push(i as u32);
        }
        let mut groups: Vec<LiquidGroup> = Vec::new();
        for (number, particles) in particles.into_iter().enumerate() {
            let Some(&first) = particles.first() else { continue };
            let name = file_name(&scene.liquid[number].name, number);
            // Names may be equal, or become equal after the restriction.
            let taken = groups.iter().any(|k| k.name == name);
            let name = if taken { format!("{name}_{number}") } else { name };
            groups.push(LiquidGroup { name, object: shape.objects[first as usize] as usize, particles });
        }
        let spec = &scene.output.surface;
        let (cell, smoothing) = (spec.cell * fluid.radius, spec.smoothing);
        Some(Self { groups, settings: SurfaceSettings { radius: fluid.radius, reach: fluid.reach, cell, smoothing } })
    }

    /// The surface of the active particles of each group.
    pub fn surfaces(&self, frame: &Frame) -> Result<Vec<SurfaceMesh>, Failure> {
        let mesh = |group: &LiquidGroup| {
            let active = group.particles.iter().map(|&p| p as usize).filter(|&p| !frame.is_inactive(p));
            let points: Vec<Vec3> = active.map(|p| frame.positions[p]).collect();
            Ok(reconstruct_surface(&points, &self.settings)?)
        };
        self.groups.iter().map(mesh).collect()
    }

    /// Thickness that hides half of the background in pictures [m]: a few particle layers, at any scale.
    pub fn attenuation_distance(&self) -> f32 {
        14.0 * self.settings.radius
    }

    /// Radius of a diffuse particle in pictures [m].
    pub fn foam_radius(&self) -> f32 {
        0.16 * self.settings.radius
    }

    /// Particles of all liquids.
    pub fn particles(&self) -> impl Iterator<Item = u32> {
        self.groups.iter().flat_map(|k| k.particles.iter().copied())
    }
}

/// A name with characters that are safe in file names only.
fn file_name(name: &str, number: usize) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let kept: String = name.chars().take(40).map(keep).collect();
    if kept.is_empty() { format!("liquid_{number}") } else { kept }
}

/// Quantity that the color of a liquid particle shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LiquidColoring {
    /// Speed, up to this maximum [m/s].
    Speed(f32),
    /// Density relative to the rest density.
    Density,
}

impl LiquidColoring {
    /// Speeds up to that of a fall through `height` [m], or up to the maximum initial speed if that is higher.
    pub fn speed(gravity: f32, height: f32, first: &Frame) -> Self {
        let fastest = first.velocities.iter().map(|v| v.length()).filter(|v| v.is_finite()).fold(0.0, f32::max);
        let fall = (2.0 * gravity * height.max(0.0)).sqrt();
        Self::Speed(fastest.max(fall).max(1e-3))
    }

    /// Color of a particle with this velocity [m/s] and relative density.
    pub fn color(self, velocity: Vec3, density: f32) -> Color {
        match self {
            Self::Speed(most) => color_map(&SPEEDS, velocity.length() / most),
            Self::Density => color_map(&DENSITIES, density),
        }
    }
}

const SPEEDS: [(f32, Color); 4] = [
    (0.0, Color::srgb8(16, 42, 110)),
    (0.3, Color::srgb8(38, 104, 190)),
    (0.65, Color::srgb8(130, 190, 232)),
    (1.0, Color::srgb8(250, 252, 255)),
];

const DENSITIES: [(f32, Color); 4] = [
    (0.5, Color::srgb8(232, 242, 250)),
    (0.9, Color::srgb8(96, 160, 216)),
    (1.0, Color::srgb8(30, 84, 168)),
    (1.1, Color::srgb8(204, 44, 36)),
];

/// Color at a value, linear between the two nearest stops.
fn color_map(stops: &[(f32, Color)], value: f32) -> Color {
    let above = stops.iter().position(|(at, _)| value < *at).unwrap_or(stops.len());
    match (above.checked_sub(1).map(|i| stops[i]), stops.get(above)) {
        (Some((low, from)), Some((high, to))) => from.mix(*to, (value - low) / (high - low)),
        (Some((_, last)), None) => last,
        (None, _) => stops[0].1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn color_maps_interpolate_their_stops_and_clamp() {
        for (at, color) in SPEEDS {
            assert_eq!(color_map(&SPEEDS, at), color);
        }
        assert_eq!(color_map(&SPEEDS, -1.0), SPEEDS[0].1);
        assert_eq!(color_map(&SPEEDS, f32::INFINITY), SPEEDS[3].1);
        let middle = color_map(&DENSITIES, 0.7);
        assert!(middle.0.distance(DENSITIES[0].1.mix(DENSITIES[1].1, 0.5).0) < 1e-5);
    }

    #[test]
    fn a_fall_from_the_top_is_the_fastest_color() {
        let first = Frame { velocities: vec![Vec3::X], ..Frame::default() };
        // √(2·9.81·0.5) = 3.13 m/s.
        assert!(
            matches!(LiquidColoring::speed(9.81, 0.5, &first), LiquidColoring::Speed(v) if (v - 3.13).abs() < 0.01)
        );
        assert_eq!(LiquidColoring::speed(0.0, 0.5, &first), LiquidColoring::Speed(1.0));
    }

    #[test]
    fn liquid_names_are_safe_in_file_names() {
        assert_eq!(file_name("../sea water/ü", 3), "___sea_water__");
        assert_eq!(file_name("", 3), "liquid_3");
        assert_eq!(file_name(&"x".repeat(500), 0).len(), 40);
    }
}
