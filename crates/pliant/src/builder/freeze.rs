//! Freezing liquids: one inactive body particle for each of their particles.

use crate::builder::assembly::{Assembly, Copy};
use crate::builder::drain_melt::{VOLUME_RATIO, find, region};
use crate::builder::layout::{History, Source};
use crate::builder::liquid::frozen;
use crate::builder::part::Part;
use crate::builder::placement::copies;
use crate::builder::{BuildError, named};
use crate::error::SceneError;
use crate::math::Pose;
use crate::scene::{self, ObjectKind, Scene};
use crate::transitions::drain::Region;
use crate::transitions::freeze::Freeze;
use glam::Vec3;
use std::sync::Arc;

/// Adds the bodies of all freezing liquids.
pub fn freezes(
    scene: &Scene,
    liquids: &[(usize, Arc<Part>)],
    history: &dyn History,
    all: &mut Assembly,
) -> Result<(), BuildError> {
    let names: Vec<_> = scene.liquid.iter().enumerate().map(|(k, l)| named(&l.name, "liquid", k)).collect();
    for (i, spec) in scene.freeze.iter().enumerate() {
        let at = format!("freeze[{i}]");
        let number = find(&format!("{at}.liquid"), &spec.liquid, "liquids", &names)?;
        let name = format!("freeze {i}");
        check(&at, &name, scene, spec)?;
        let liquid = &scene.liquid[number];
        // A liquid without particles of its own is a melt target, rejected above, or unused, rejected by validation.
        let Some((_, source)) = liquids.iter().find(|(k, _)| *k == number) else { continue };
        let density = spec.density.unwrap_or(liquid.density);
        let grown = liquid.density / density;
        if !VOLUME_RATIO.contains(&grown) {
            let what = format!("is {density} kg/m³, so that {:?} would have {grown} times its volume", spec.liquid);
            let (least, most) = (VOLUME_RATIO.start(), VOLUME_RATIO.end());
            return Err(SceneError::new(format!("{at}.density"), what)
                .help(format!("choose a density for {least} to {most} times the volume"))
                .into());
        }
        let (mut positions, mut masses) = (Vec::new(), Vec::new());
        for shift in copies(liquid.array.as_ref()) {
            positions.extend(source.positions.iter().map(|&p| p + shift));
            masses.extend_from_slice(&source.masses);
        }
        let region = region(spec.cuboid.as_ref(), spec.sphere.as_ref());
        let far = |from: Vec3| region.map_or(0.0, |region| farthest(region, from));
        let object = Source::new(ObjectKind::Freeze, i);
        let start = history.start(object) + f64::from(spec.start);
        let front = spec.speed.map(|speed| {
            let middle = region.map_or(Vec3::ZERO, |(_, pose)| pose.position);
            (spec.from.map_or(middle, Vec3::from), f64::from(speed))
        });
        let end = start + front.map_or(0.0, |(from, speed)| far(from) / speed);
        let before = all.counts();
        let (first, body) = (before.particles, before.bodies);
        let part = Arc::new(frozen(density, &scene.fluid, positions, &masses));
        all.place(&at, &name, part, None, &[], spec.color)?;
        let (inv_mass, phase) = (all.rows[first][3], all.object_of(first as u32) + 1);
        all.deactivate_from(first);
        let (radius, particles) = (scene.fluid.radius, first..all.rows.len());
        all.freezes.push(Freeze {
            start,
            end,
            region,
            front,
            liquid: number,
            takes: Vec::new(),
            body: particles,
            number: body,
            phase,
            inv_mass,
            radius,
        });
        all.record(object, before, history.rows(object));
    }
    Ok(())
}

/// Records the particle ranges of freezing liquids, once these are placed.
pub fn fill(all: &mut Assembly) {
    for freeze in &mut all.freezes {
        let own = all.copies.iter().filter(|c| all.parts[c.part].liquid == Some(freeze.liquid));
        let range = |c: &Copy| c.first as usize..c.first as usize + all.parts[c.part].positions.len();
        freeze.takes = own.map(range).collect();
    }
}

/// Distance from a point to the farthest point of a region [m].
fn farthest((region, pose): (Region, Pose), from: Vec3) -> f64 {
    f64::from(match region {
        Region::Box(half) => (pose.inward(from).abs() + half).length(),
        Region::Ball(radius) => pose.inward(from).length() + radius,
    })
}

fn check(at: &str, name: &str, scene: &Scene, spec: &scene::Freeze) -> Result<(), SceneError> {
    if scene.melt.iter().any(|m| m.liquid == spec.liquid) {
        let what = format!("is {:?}, which a body melts into, so its particles differ in size", spec.liquid);
        return Err(
            SceneError::new(format!("{at}.liquid"), what).help("melt into a separate liquid with the same properties")
        );
    }
    for (i, attach) in scene.attach.iter().enumerate() {
        for (end, select) in [("from", &attach.from), ("to", &attach.to)] {
            if select.object == name {
                let what = format!("is {name:?}, which does not exist before it freezes");
                return Err(SceneError::new(format!("attach[{i}].{end}.object"), what));
            }
        }
    }
    Ok(())
}
