//! Liquids on their way out: which particles are whose, their surfaces, and colors that show speed or density.

use crate::failure::Failure;
use glam::Vec3;
use pliant::Simulation;
use pliant::frame::Frame;
use pliant::scene::{Liquid, Scene};
use pliant_render::Color;
use pliant_surface::{Settings, SurfaceMesh, surface};

/// The liquids of a simulation, those that are alike as one: a stream that is poured into a pool of its own kind has no
/// surface within it.
pub struct Liquids {
    /// Without those that have no particles.
    pub kinds: Vec<Kind>,
    settings: Settings,
}

/// Liquids that are alike in density, viscosity and color.
pub struct Kind {
    /// Name of the first of them, as far as files may have it.
    pub name: String,
    /// Object of the first of them, for its color.
    pub object: usize,
    /// Ascending.
    particles: Vec<u32>,
}

impl Liquids {
    /// None where the scene has no liquid.
    pub fn of(scene: &Scene, sim: &Simulation) -> Option<Self> {
        let (fluid, shape) = (sim.model().fluid.as_ref()?, sim.shape());
        let alike = |a: &Liquid, b: &Liquid| (a.density, a.viscosity, a.color) == (b.density, b.viscosity, b.color);
        // The first liquid that each is like.
        let firsts: Vec<usize> =
            scene.liquid.iter().map(|l| scene.liquid.iter().position(|o| alike(o, l)).unwrap_or(0)).collect();
        let mut particles = vec![Vec::new(); scene.liquid.len()];
        for (i, &liquid) in fluid.liquids.iter().enumerate().filter(|(_, l)| **l > 0) {
            particles[firsts[liquid as usize - 1]].push(i as u32);
        }
        let mut kinds: Vec<Kind> = Vec::new();
        for (number, particles) in particles.into_iter().enumerate() {
            let Some(&first) = particles.first() else { continue };
            let name = file_name(&scene.liquid[number].name, number);
            // Names may be the same, or become so.
            let taken = kinds.iter().any(|k| k.name == name);
            let name = if taken { format!("{name}_{number}") } else { name };
            kinds.push(Kind { name, object: shape.objects[first as usize] as usize, particles });
        }
        let spec = &scene.output.surface;
        let (cell, smoothing) = (spec.cell * fluid.radius, spec.smoothing);
        Some(Self { kinds, settings: Settings { radius: fluid.radius, reach: fluid.reach, cell, smoothing } })
    }

    /// The surface of each kind, of the particles that are in the world.
    pub fn surfaces(&self, frame: &Frame) -> Result<Vec<SurfaceMesh>, Failure> {
        let mesh = |kind: &Kind| {
            let here = kind.particles.iter().map(|&p| p as usize).filter(|&p| !frame.is_away(p));
            let points: Vec<Vec3> = here.map(|p| frame.positions[p]).collect();
            Ok(surface(&points, &self.settings)?)
        };
        self.kinds.iter().map(mesh).collect()
    }

    /// Way through a liquid that hides half of what is behind [m]: some layers of particles, so that it is deep where it has
    /// many, whatever its scale.
    pub fn clarity(&self) -> f32 {
        14.0 * self.settings.radius
    }

    /// Radius of a fleck of foam in pictures [m].
    pub fn speck(&self) -> f32 {
        0.16 * self.settings.radius
    }

    /// Particles of all liquids.
    pub fn particles(&self) -> impl Iterator<Item = u32> {
        self.kinds.iter().flat_map(|k| k.particles.iter().copied())
    }
}

/// A name without anything that a file's name should not have.
fn file_name(name: &str, number: usize) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let kept: String = name.chars().take(40).map(keep).collect();
    if kept.is_empty() { format!("liquid_{number}") } else { kept }
}

/// What a particle's color shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tint {
    /// Its speed, up to this one [m/s].
    Speed(f32),
    /// Its density over that at rest.
    Density,
}

impl Tint {
    /// Speeds up to that of a fall from the top of a scene `height` high, or what there is at first, if that is more [m/s].
    pub fn speed(gravity: f32, height: f32, first: &Frame) -> Self {
        let fastest = first.velocities.iter().map(|v| v.length()).filter(|v| v.is_finite()).fold(0.0, f32::max);
        let fall = (2.0 * gravity * height.max(0.0)).sqrt();
        Self::Speed(fastest.max(fall).max(1e-3))
    }

    /// Color of a particle with this velocity [m/s] and density.
    pub fn color(self, velocity: Vec3, density: f32) -> Color {
        match self {
            Self::Speed(most) => ramp(&SPEEDS, velocity.length() / most),
            Self::Density => ramp(&DENSITIES, density),
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

/// Color at a value, between the two stops around it.
fn ramp(stops: &[(f32, Color)], value: f32) -> Color {
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
    fn ramps_go_through_their_stops_and_end_at_the_last_ones() {
        for (at, color) in SPEEDS {
            assert_eq!(ramp(&SPEEDS, at), color);
        }
        assert_eq!(ramp(&SPEEDS, -1.0), SPEEDS[0].1);
        assert_eq!(ramp(&SPEEDS, f32::INFINITY), SPEEDS[3].1);
        let middle = ramp(&DENSITIES, 0.7);
        assert!(middle.0.distance(DENSITIES[0].1.mix(DENSITIES[1].1, 0.5).0) < 1e-5);
    }

    #[test]
    fn a_fall_from_the_top_is_the_fastest_color() {
        let first = Frame { velocities: vec![Vec3::X], ..Frame::default() };
        // √(2·9.81·0.5) = 3.13 m/s.
        assert!(matches!(Tint::speed(9.81, 0.5, &first), Tint::Speed(v) if (v - 3.13).abs() < 0.01));
        assert_eq!(Tint::speed(0.0, 0.5, &first), Tint::Speed(1.0));
    }

    #[test]
    fn names_of_liquids_are_safe_in_files() {
        assert_eq!(file_name("../sea water/ü", 3), "___sea_water__");
        assert_eq!(file_name("", 3), "liquid_3");
        assert_eq!(file_name(&"x".repeat(500), 0).len(), 40);
    }
}
