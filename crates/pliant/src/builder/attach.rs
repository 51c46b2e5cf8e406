//! Attachments: joins each selected particle of one object to the nearest of another.

use crate::builder::assembly::Assembly;
use crate::builder::layout::{History, Layout, Member};
use crate::builder::placement::select;
use crate::constraints::ConstraintKind;
use crate::error::SceneError;
use crate::scene::{Scene, Select};
use glam::Vec3;
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
