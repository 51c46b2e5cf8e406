//! Ropes and rods: a line of particles, with orientations on the segments if torsion is enabled.

use crate::builder::part::{ORIENTATION, Outline, Part, soften, soften_scaled};
use crate::constraints::ConstraintKind;
use crate::scene::{Elasticity, Rope};
use glam::{Mat3, Quat, Vec3};
use std::f32::consts::PI;

/// One copy of a rope, already transformed.
pub fn rope(spec: &Rope, transform: impl Fn(Vec3) -> Vec3) -> Part {
    let path: Vec<Vec3> = spec.path.iter().map(|&p| transform(Vec3::from(p))).collect();
    let positions = resample(&path, spec.segments as usize);
    let length: f32 = path.windows(2).map(|w| w[0].distance(w[1])).sum::<f32>() * spec.slack;
    let segment = length / spec.segments as f32;
    let n = positions.len();
    let masses = match spec.particle_mass {
        Some(m) => vec![m; n],
        // Half a segment at each end.
        None => (0..n).map(|i| spec.density * segment * if i == 0 || i == n - 1 { 0.5 } else { 1.0 }).collect(),
    };
    let mut part = Part::new(positions, masses, Outline::Line);
    part.radius = spec.radius;
    part.velocity = Vec3::from(spec.velocity);
    part.lines = (1..n as u32).map(|i| [i - 1, i]).collect();
    match spec.twist {
        Some(twist) => add_rod(&mut part, spec, segment, twist),
        None => add_rope(&mut part, spec, segment),
    }
    part
}

/// Points at equal distances along a polyline.
fn resample(path: &[Vec3], segments: usize) -> Vec<Vec3> {
    let lengths: Vec<f64> = path.windows(2).map(|w| f64::from(w[0].distance(w[1]))).collect();
    let total: f64 = lengths.iter().sum();
    let mut points = Vec::with_capacity(segments + 1);
    let (mut leg, mut passed) = (0, 0.0);
    for k in 0..=segments {
        let at = total * k as f64 / segments as f64;
        while leg + 1 < lengths.len() && at > passed + lengths[leg] {
            passed += lengths[leg];
            leg += 1;
        }
        let s = ((at - passed) / lengths[leg]).clamp(0.0, 1.0) as f32;
        points.push(path[leg].lerp(path[leg + 1], s));
    }
    points
}

/// Distance and bending (D3): a modulus E [Pa] gives EA/l in tension and EI/l³ in bending.
fn add_rope(part: &mut Part, spec: &Rope, segment: f32) {
    let r2 = spec.radius * spec.radius;
    let n = part.positions.len() as u32;
    for i in 1..n {
        let softness = soften(spec.stretch, |young| young * PI * r2 / segment);
        part.add(ConstraintKind::Stretch, &[i - 1, i], &[segment, softness.encoded()]);
    }
    let Some(bend) = spec.bend else { return };
    for i in 1..n - 1 {
        let around = [i - 1, i, i + 1];
        let [a, b, c] = around.map(|k| part.rest[k as usize]);
        let curved = (a - b + (c - b)).length();
        let curved = if curved < 1e-4 * segment { 0.0 } else { curved };
        let softness = soften(bend, |young| young * PI * r2 * r2 / 4.0 / (segment * segment * segment));
        part.add(ConstraintKind::RopeBending, &around, &[curved, softness.encoded(), segment]);
    }
}

/// Stretch–shear and bend–twist, with frames parallel-transported along the line.
fn add_rod(part: &mut Part, spec: &Rope, segment: f32, twist: Elasticity) {
    let r2 = spec.radius * spec.radius;
    part.orientations = frames(&part.rest);
    let segments = part.orientations.len() as u32;
    let mass = spec.particle_mass.unwrap_or(spec.density * segment);
    let inertia = mass * (segment * segment / 12.0 + r2 / 4.0);
    let inv_inertia = 1.0 / (4.0 * inertia);
    part.spin_inv_inertias = vec![inv_inertia; segments as usize];
    // C is a strain: lengths are divided by the segment's.
    let stretch = soften_scaled(spec.stretch, 1.0 / segment, |young| young * PI * r2 * segment);
    // C is the sine of half an angle.
    let bend = spec.bend.unwrap_or(twist);
    let bend = soften_scaled(bend, 0.5, |young| 4.0 * young * PI * r2 * r2 / 4.0 / segment);
    let torsion = soften_scaled(twist, 0.5, |shear| 4.0 * shear * PI * r2 * r2 / 2.0 / segment);
    for i in 0..segments {
        part.add(
            ConstraintKind::StretchShear,
            &[i, i + 1, ORIENTATION | i],
            &[segment, inv_inertia, stretch.encoded()],
        );
    }
    for i in 1..segments {
        let (a, b) = (part.orientations[i as usize - 1], part.orientations[i as usize]);
        let rest = a.conjugate() * b;
        let params = [inv_inertia, inv_inertia, rest.x, rest.y, rest.z, rest.w, bend.encoded(), torsion.encoded()];
        part.add(ConstraintKind::BendTwist, &[ORIENTATION | (i - 1), ORIENTATION | i], &params);
    }
}

/// One orientation per segment, third axis along it.
fn frames(points: &[Vec3]) -> Vec<Quat> {
    let along = |i: usize| (points[i + 1] - points[i]).normalize();
    let first = along(0);
    let side = first.any_orthonormal_vector();
    let mut frame = Quat::from_mat3(&Mat3::from_cols(side, first.cross(side), first)).normalize();
    let mut all = vec![frame];
    for i in 1..points.len() - 1 {
        frame = (Quat::from_rotation_arc(along(i - 1), along(i)) * frame).normalize();
        all.push(frame);
    }
    all
}
