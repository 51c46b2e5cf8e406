//! Attachments: joins each selected particle of one object to the nearest of another.

use crate::builder::assembly::Assembly;
use crate::builder::layout::{History, Layout, Member, Source};
use crate::builder::named;
use crate::builder::placement::select;
use crate::builder::rigid_body::is_rigid;
use crate::constraints::ConstraintKind;
use crate::error::SceneError;
use crate::rigid_body::anchor::{Anchor, AnchorState};
use crate::rigid_body::bodies::BodyState;
use crate::scene::{Attach, ObjectKind, Scene, Select};
use glam::{DVec3, Vec3};
use std::collections::HashMap;

/// Adds all attachments of the scene. Those with a past join the particles that they joined before.
pub fn attach(scene: &Scene, history: &dyn History, all: &mut Assembly) -> Result<(), SceneError> {
    let layout = Layout::new(all.placed.clone(), Vec::new());
    let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
    for (k, copy) in all.copies.iter().enumerate().filter(|_| !scene.attach.is_empty()) {
        by_name.entry(copy.name.clone()).or_default().push(k);
    }
    for (i, spec) in scene.attach.iter().enumerate() {
        let at = format!("attach[{i}]");
        if let Some(sides) = rigid_side(&at, i, scene)? {
            sides.attach(spec, (&layout, history), &by_name, all)?;
            continue;
        }
        let pairs = match history.attachment(i) {
            Some(known) => {
                known.into_iter().filter_map(|[a, b]| Some([layout.particle(a)?, layout.particle(b)?])).collect()
            }
            None => {
                let from = pick(&format!("{at}.from"), &spec.from, all, &by_name)?;
                let to = pick(&format!("{at}.to"), &spec.to, all, &by_name)?;
                nearest_pairs(all, &from, to, spec.within)
            }
        };
        if pairs.is_empty() {
            let message = format!("joins nothing: no two of its particles are within {} m", spec.within);
            return Err(SceneError::new(at, message).help("move the objects together or raise within"));
        }
        let members = pairs.iter().filter_map(|&[a, b]| Some([layout.member(a)?, layout.member(b)?]));
        all.attachments.push(members.collect::<Vec<[Member; 2]>>());
        let attachment_filter: Vec<_> =
            pairs.iter().flat_map(|&[a, b]| [(a, all.object_of(b)), (b, all.object_of(a))]).collect();
        all.attachment_filter.extend(attachment_filter);
        let raw = all.constraints.entry(ConstraintKind::Attach).or_default();
        for [a, b] in pairs {
            raw.rows.extend([a, b]);
            raw.params.push(spec.compliance);
        }
    }
    Ok(())
}

/// Whether particles are attached to a rigid body, which works on the CPU only.
#[cfg(feature = "gpu")]
pub(crate) fn joins_rigid_body(scene: &Scene) -> bool {
    (0..scene.attach.len()).any(|i| matches!(rigid_side("", i, scene), Ok(Some(_))))
}

/// The side with particles and the rigid body, if an attachment names one.
fn rigid_side<'a>(at: &'a str, number: usize, scene: &'a Scene) -> Result<Option<Sides<'a>>, SceneError> {
    let spec = &scene.attach[number];
    let rigid = |select: &Select| {
        let mut bodies = scene.body.iter().enumerate();
        let found = bodies.find(|(i, body)| named(&body.name, "body", *i) == select.object && is_rigid(scene, *i));
        found.map(|(i, _)| Source::new(ObjectKind::Body, i))
    };
    let (particles, side, own, body) = match (rigid(&spec.from), rigid(&spec.to)) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => {
            let what = format!("joins the rigid bodies {:?} and {:?}", spec.from.object, spec.to.object);
            return Err(SceneError::new(at, what).help("use a joint"));
        }
        (None, Some(body)) => (("from", &spec.from), "to", &spec.to, body),
        (Some(body), None) => (("to", &spec.to), "from", &spec.from, body),
    };
    if own.at.is_some() || own.particles.is_some() || own.inside.is_some() {
        let what = "selects particles, but names a rigid body, which has none";
        return Err(SceneError::new(format!("{at}.{side}"), what));
    }
    Ok(Some(Sides { at, number, particles, body }))
}

/// An attachment of particles to a rigid body.
struct Sides<'a> {
    at: &'a str,
    /// Its number in the scene.
    number: usize,
    /// Key of the side with particles, and what it selects.
    particles: (&'static str, &'a Select),
    body: Source,
}

impl Sides<'_> {
    fn attach(
        &self,
        spec: &Attach,
        (layout, history): (&Layout, &dyn History),
        by_name: &HashMap<String, Vec<usize>>,
        all: &mut Assembly,
    ) -> Result<(), SceneError> {
        let Some(placed) = layout.find(self.body) else { return Ok(()) };
        let range = placed.rigid_bodies();
        let now = |body: usize, all: &Assembly| -> BodyState {
            history.rigid_body(self.body, body - range.start).unwrap_or(all.rigid_bodies[body].1)
        };
        let pairs: Vec<[u32; 2]> = match history.attachment(self.number) {
            Some(known) => {
                known.into_iter().filter_map(|[a, b]| Some([layout.particle(a)?, layout.rigid_body(b)?])).collect()
            }
            None => {
                let (side, select) = self.particles;
                let particles = pick(&format!("{}.{side}", self.at), select, all, by_name)?;
                let nearest = |particle: u32| {
                    let x = Vec3::from_slice(&all.rows[particle as usize][..3]).as_dvec3();
                    let gaps = range.clone().map(|body| (gap(all, body, &now(body, all), x), body));
                    let (gap, body) = gaps.min_by(|p, q| p.0.total_cmp(&q.0))?;
                    (gap <= f64::from(spec.within)).then_some([particle, body as u32])
                };
                particles.into_iter().filter_map(nearest).collect()
            }
        };
        if pairs.is_empty() {
            let message = format!("joins nothing: none of its particles is within {} m of the body", spec.within);
            return Err(SceneError::new(self.at, message).help("move the objects together or raise within"));
        }
        let member = |&[a, b]: &[u32; 2]| Some([layout.member(a)?, (self.body, b - range.start as u32)]);
        all.attachments.push(pairs.iter().filter_map(member).collect());
        for [particle, body] in pairs {
            let own = now(body as usize, all);
            let x = Vec3::from_slice(&all.rows[particle as usize][..3]).as_dvec3();
            let local = own.frame().inward(x);
            let attachment = self.number as u32;
            let anchor = Anchor { attachment, particle, body, compliance: f64::from(spec.compliance) };
            all.anchors.push((anchor, AnchorState { local, force: DVec3::ZERO }));
            all.attachment_filter.push((particle, all.rigid_bodies[body as usize].0.object));
        }
        Ok(())
    }
}

/// Distance of a point from the surface of a rigid body [m], negative inside.
fn gap(all: &Assembly, body: usize, state: &BodyState, x: DVec3) -> f64 {
    let frame = state.frame();
    let pieces = all.rigid_bodies[body].0.shape.pieces.iter();
    pieces.map(|p| p.shape.signed_distance(frame.then(&p.frame).inward(x)).0).fold(f64::INFINITY, f64::min)
}

/// Selected particles of all copies of an object.
fn pick(
    at: &str,
    spec: &Select,
    all: &Assembly,
    by_name: &HashMap<String, Vec<usize>>,
) -> Result<Vec<u32>, SceneError> {
    let mut picked = Vec::new();
    for copy in by_name.get(&spec.object).into_iter().flatten().map(|&k| &all.copies[k]) {
        let ways = (spec.at, spec.particles.as_deref(), spec.inside.as_ref());
        let local = select(at, &all.parts[copy.part], copy.shift, ways)?;
        picked.extend(local.iter().map(|i| copy.first + i));
    }
    if picked.is_empty() && !by_name.contains_key(&spec.object) {
        let mut names: Vec<_> = all.copies.iter().map(|c| c.name.as_str()).collect();
        names.dedup();
        let message = format!("names {:?}, but the objects are {}", spec.object, names.join(", "));
        return Err(SceneError::new(format!("{at}.object"), message));
    }
    Ok(picked)
}

/// For each of `from`, the nearest of `to` within a distance; sweeps `to` along x.
fn nearest_pairs(all: &Assembly, from: &[u32], mut to: Vec<u32>, within: f32) -> Vec<[u32; 2]> {
    let place = |i: u32| Vec3::from_slice(&all.rows[i as usize][..3]);
    to.sort_by(|&a, &b| place(a).x.total_cmp(&place(b).x).then(a.cmp(&b)));
    let mut pairs = Vec::new();
    for &a in from {
        let x = place(a);
        let start = to.partition_point(|&b| place(b).x < x.x - within);
        let near = to[start..].iter().take_while(|&&b| place(b).x <= x.x + within).filter(|&&b| b != a);
        let best = near.map(|&b| (x.distance(place(b)), b)).min_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
        if let Some((distance, b)) = best
            && distance <= within
        {
            pairs.push([a, b]);
        }
    }
    pairs
}
