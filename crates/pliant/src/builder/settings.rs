//! Model settings copied from the scene.

use crate::contact::collider_contact::Friction;
use crate::contact::model::ParticleContactSettings;
use crate::partition::Target;
use crate::scene::{Partition, Scene};
use crate::settings::Wind;
use crate::settings::{Clock, Settings};
use glam::Vec3;

/// Particle contact settings, if particle contacts are enabled.
pub fn particle_contact(scene: &Scene) -> Option<ParticleContactSettings> {
    let spec = &scene.contact;
    scene.collides().then_some(ParticleContactSettings {
        friction: Friction {
            static_friction: spec.friction.static_friction,
            kinetic_friction: spec.friction.kinetic_friction,
        },
        omega: spec.omega,
        stacking: spec.stacking,
        whole: spec.whole,
        restitution: spec.restitution,
        cohesion: spec.cohesion,
        rolling: spec.rolling,
        recovery_speed: spec.recovery_speed,
    })
}

/// Time, iterations, gravity, air.
pub fn settings(scene: &Scene, target: &Target) -> Settings {
    let (s, w) = (&scene.solver, &scene.world);
    let (substeps, iterations) = scene.substeps_and_iterations();
    let partition = if s.partition == Partition::Auto { target.auto } else { s.partition };
    Settings {
        method: s.solution_method(),
        integrator: s.integrator,
        partition,
        together: s.together && partition == Partition::Color,
        dt: s.dt,
        substeps,
        iterations,
        stabilization: s.stabilization,
        omega: s.omega,
        extraction: s.rotation,
        sleep_speed: s.sleep_speed,
        gravity: Vec3::from(w.gravity),
        wind: w.wind.as_ref().map_or(Wind::default(), |wind| Wind {
            velocity: Vec3::from(wind.velocity),
            gust: wind.gust,
            period: wind.period,
        }),
        damping: w.damping,
        contact_margin: s.contact_margin,
        clock: Clock::default(),
    }
}
