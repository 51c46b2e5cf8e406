//! Validates liquids.

use crate::error::SceneError;
use crate::scene::validate::{Checked, count, grains, range};
use crate::scene::{FillSpec, FluidSpec, FoamSpec, Grains, Liquid, Scene};

pub fn fluid(f: &FluidSpec) -> Checked {
    range("fluid.radius", f.radius, 1e-5, 1e3)?;
    range("fluid.reach", f.reach, 3.0, 6.0)?;
    range("fluid.omega", f.omega_or_default(), 0.1, 1.0)?;
    range("fluid.carry", f.carry_or_default(), 0.0, 0.9)?;
    range("fluid.relaxation", f.relaxation, 0.0, 1e3)?;
    range("fluid.compressibility", f.compressibility, 0.0, 1.0)?;
    range("fluid.xsph", f.xsph, 0.0, 0.5)?;
    range("fluid.spread", f.spread, 0.0, 1.0)?;
    range("fluid.adhesion", f.adhesion, 0.0, 5.0)?;
    range("fluid.vorticity", f.vorticity, 0.0, 100.0)
}

pub fn foam(f: &FoamSpec) -> Checked {
    range("output.foam.rate", f.rate, 0.0, 1e5)?;
    let [shortest, longest] = f.lifetime;
    range("output.foam.lifetime[0]", shortest, 0.0, 1e3)?;
    range("output.foam.lifetime[1]", longest, 0.0, 1e3)?;
    if shortest > longest {
        let what = format!("is {:?}, but the minimum must come first", f.lifetime);
        return Err(SceneError::new("output.foam.lifetime", what));
    }
    count("output.foam.most", f.most, 1, 10_000_000)
}

/// Placeholder for the source of a liquid that needs none.
const NOTHING: FillSpec = FillSpec { min: [0.0; 3], max: [1e-6; 3] };

pub fn liquid(at: &str, l: &Liquid, scene: &Scene) -> Checked {
    range(&format!("{at}.viscosity"), l.viscosity, 0.0, 1e6)?;
    range(&format!("{at}.tension"), l.tension, 0.0, 1e3)?;
    let molten = !l.has_source() && scene.melt.iter().any(|m| m.liquid == l.name);
    // Particles are sampled like grains. A liquid that a body melts into needs no source.
    let filled = Liquid { fill: molten.then_some(NOTHING).or(l.fill), ..l.clone() };
    grains::grains(at, &as_grains(&filled, scene.fluid.radius))
}

/// Grains with the initial positions of a liquid's particles.
pub(crate) fn as_grains(l: &Liquid, radius: f32) -> Grains {
    Grains {
        name: l.name.clone(),
        fill: l.fill,
        mesh: l.mesh.clone(),
        pour: l.pour,
        radius,
        distance: None,
        jitter: l.jitter,
        transform: l.transform,
        array: l.array,
        velocity: l.velocity,
        density: l.density,
        color: l.color,
        collision: l.collision.clone(),
        friction: None,
        restitution: l.restitution,
    }
}
