//! Drains, and bodies that melt.

use crate::builder::assembly::{Assembly, Copy};
use crate::builder::grains::scatter;
use crate::builder::layout::{History, Source};
use crate::builder::liquid::molten;
use crate::builder::placement::{motion, rotation};
use crate::builder::{BuildError, named};
use crate::error::SceneError;
use crate::math::Pose;
use crate::scene::{self, BoxShape, ObjectKind, Scene, SphereShape};
use crate::transitions::drain::{Drain, Region};
use crate::transitions::melt::Melt;
use glam::{Quat, Vec3};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

/// Permitted ratio of a body's particle radius to that of liquids, for melting: smaller particles would be too many for
/// the kernel, larger ones too few.
const RADIUS_RATIO: RangeInclusive<f32> = 0.6..=1.25;

/// Permitted ratio of a melted particle's volume to that of the liquid's own particles.
pub const VOLUME_RATIO: RangeInclusive<f32> = 0.2..=2.0;

/// Adds all drains of the scene. In a world that has changed a drain may have nothing left to remove.
pub fn drains(scene: &Scene, history: &dyn History, all: &mut Assembly) -> Result<(), SceneError> {
    for (i, spec) in scene.drain.iter().enumerate() {
        let at = format!("drain[{i}]");
        // Validation guarantees a region.
        let Some((region, base)) = region(spec.cuboid.as_ref(), spec.sphere.as_ref()) else { continue };
        let takes = match taken(&at, spec, scene, all) {
            Err(_) if history.edited() && spec.object.is_none() => Vec::new(),
            found => found?,
        };
        if spec.recycle {
            match recycle(&at, &takes, all) {
                Err(_) if history.edited() => {}
                done => done?,
            }
        }
        let start = history.start(Source::new(ObjectKind::Drain, i));
        let motion = motion(spec.motion.as_ref(), base, start);
        all.drains.push(Drain { region, motion, takes, recycle: spec.recycle });
    }
    Ok(())
}

/// A region and its pose; `None` if neither shape is given.
pub fn region(cuboid: Option<&BoxShape>, sphere: Option<&SphereShape>) -> Option<(Region, Pose)> {
    let (region, center, rotation) = match (cuboid, sphere) {
        (Some(b), _) => (Region::Box(Vec3::from(b.size) / 2.0), b.center, rotation(b.rotate)),
        (_, Some(s)) => (Region::Ball(s.radius), s.center, Quat::IDENTITY),
        (None, None) => return None,
    };
    Some((region, Pose { position: Vec3::from(center), rotation }))
}

/// Particles that a drain removes: those of all liquids and grains, or of the named one.
fn taken(at: &str, spec: &scene::Drain, scene: &Scene, all: &Assembly) -> Result<Vec<Range<usize>>, SceneError> {
    let mut takes: Vec<Range<usize>> = Vec::new();
    let name_of = |number: usize| named(&scene.liquid[number].name, "liquid", number);
    // Melted particles belong to their liquid, too.
    let is = |c: &Copy, name: &str| c.name == name || all.parts[c.part].liquid.is_some_and(|l| name_of(l) == name);
    let wanted = |c: &Copy| spec.object.as_ref().is_none_or(|name| is(c, name));
    for copy in all.copies.iter().filter(|c| all.parts[c.part].loose && wanted(c)) {
        let own = copy.first as usize..copy.first as usize + all.parts[copy.part].positions.len();
        match takes.last_mut().filter(|last| last.end == own.start) {
            Some(last) => last.end = own.end,
            None => takes.push(own),
        }
    }
    if !takes.is_empty() {
        return Ok(takes);
    }
    let mut loose: Vec<_> = all.copies.iter().filter(|c| all.parts[c.part].loose).map(|c| c.name.as_str()).collect();
    loose.dedup();
    Err(match (&spec.object, loose.is_empty()) {
        (_, true) => SceneError::new(at, "removes liquids and grains, but the scene has neither"),
        (object, _) => {
            let name = object.as_deref().unwrap_or_default();
            let what = format!("is {name:?}, but drains remove liquids and grains: {}", loose.join(", "));
            SceneError::new(format!("{at}.object"), what)
        }
    })
}

fn recycle(at: &str, takes: &[Range<usize>], all: &mut Assembly) -> Result<(), SceneError> {
    let at = format!("{at}.recycle");
    let mut any = false;
    for emitter in all.emitters.iter_mut().filter(|p| takes.iter().any(|t| t.contains(&p.first))) {
        if emitter.places.len() < emitter.across {
            let (found, across) = (emitter.places.len(), emitter.across);
            let what = format!("needs an emitter of at least {across} particles, one per site, but it has {found}");
            return Err(SceneError::new(at, what).help("increase until, or reduce the radius of the emitter"));
        }
        (emitter.endless, any) = (true, true);
    }
    if any { Ok(()) } else { Err(SceneError::new(at, "is set, but the drain removes no emitted particles")) }
}

/// Adds all melting bodies: one inactive liquid particle for each of their particles.
pub fn melts(scene: &Scene, history: &dyn History, all: &mut Assembly) -> Result<(), BuildError> {
    for (i, spec) in scene.melt.iter().enumerate() {
        let at = format!("melt[{i}]");
        let bodies: Vec<_> = scene.body.iter().enumerate().map(|(k, b)| named(&b.name, "body", k)).collect();
        let liquids: Vec<_> = scene.liquid.iter().enumerate().map(|(k, l)| named(&l.name, "liquid", k)).collect();
        let body = find(&format!("{at}.body"), &spec.body, "bodies", &bodies)?;
        let number = find(&format!("{at}.liquid"), &spec.liquid, "liquids", &liquids)?;
        check(&at, scene, spec, i)?;
        let liquid = &scene.liquid[number];
        let (object, before) = (Source::new(ObjectKind::Melt, i), all.counts());
        let of_body: Vec<usize> = (0..all.copies.len()).filter(|&c| all.copies[c].name == bodies[body]).collect();
        for (k, &c) in of_body.iter().enumerate() {
            let copy = &all.copies[c];
            let (part, first) = (&all.parts[copy.part], copy.first as usize);
            if part.skinned_surface.is_some() {
                let what = format!("is {:?}, which is shown as a mesh, and meshes do not melt", spec.body);
                return Err(SceneError::new(format!("{at}.body"), what).help("set show = \"particles\"").into());
            }
            let (radius, count) = (part.radius, part.positions.len());
            if !part.radii.is_empty() || !RADIUS_RATIO.contains(&(radius / scene.fluid.radius)) {
                return Err(size(&at, spec, scene.fluid.radius, radius, !part.radii.is_empty()).into());
            }
            let grown = part.masses[0] / (liquid.density * (2.0 * scene.fluid.radius).powi(3));
            if !VOLUME_RATIO.contains(&grown) {
                let what = format!(
                    "is {:?}, in which a particle of {:?} would have {grown} times the volume of a liquid particle",
                    spec.liquid, spec.body
                );
                let (least, most) = (VOLUME_RATIO.start(), VOLUME_RATIO.end());
                let help = format!("adjust densities or particle sizes for a ratio of {least} to {most}");
                return Err(SceneError::new(format!("{at}.liquid"), what).help(help).into());
            }
            let positions = part.positions.iter().map(|&p| p + copy.shift).collect();
            let counterparts = molten(number, liquid, &scene.fluid, positions, &part.masses);
            // The front needs time to cross a layer: its particles melt one by one, in random order.
            let depth = |k: usize| all.fields[first + k][3] + radius * scatter(k as u32).x;
            let mut order: Vec<(f32, u32)> = (0..count).map(|k| (depth(k), k as u32)).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let start = history.start(object) + f64::from(spec.start);
            let speed = f64::from(spec.speed);
            let (body_rows, from) = (first..first + count, all.rows.len());
            let name = if of_body.len() > 1 { format!("melt {i}[{k}]") } else { format!("melt {i}") };
            all.place(&at, &name, Arc::new(counterparts), None, &[], liquid.color)?;
            all.deactivate_from(from);
            all.melts.push(Melt { start, speed, body: body_rows, radius, counterparts: from, order });
        }
        all.record(object, before, history.rows(object));
    }
    Ok(())
}

/// Index of the entry with that name.
pub fn find(at: &str, name: &str, what: &str, names: &[String]) -> Result<usize, SceneError> {
    names.iter().position(|n| n == name).ok_or_else(|| {
        let list =
            if names.is_empty() { "there are none".to_owned() } else { format!("they are {}", names.join(", ")) };
        SceneError::new(at, format!("is {name:?}, which is none of the {what}: {list}"))
    })
}

/// Attached bodies cannot melt, and no body melts twice.
fn check(at: &str, scene: &Scene, spec: &scene::Melt, number: usize) -> Result<(), SceneError> {
    let at = format!("{at}.body");
    if scene.melt[..number].iter().any(|m| m.body == spec.body) {
        return Err(SceneError::new(at, format!("is {:?}, which melts already", spec.body)));
    }
    if scene.attach.iter().any(|a| a.from.object == spec.body || a.to.object == spec.body) {
        return Err(SceneError::new(
            at,
            format!("is {:?}, which is attached, but attached bodies cannot melt", spec.body),
        ));
    }
    Ok(())
}

fn size(at: &str, spec: &scene::Melt, liquid: f32, body: f32, merged: bool) -> SceneError {
    let at = format!("{at}.body");
    if merged {
        return SceneError::new(at, format!("is {:?}, whose particles are merged into larger ones", spec.body))
            .help("remove merge from the body");
    }
    let (least, most) = (RADIUS_RATIO.start() * liquid, RADIUS_RATIO.end() * liquid);
    let what = format!(
        "is {:?}, whose particles have a radius of {body} m, but a liquid's of {liquid} m takes {least} to {most} m",
        spec.body
    );
    SceneError::new(at, what).help("change grid of the body, or fluid.radius")
}
