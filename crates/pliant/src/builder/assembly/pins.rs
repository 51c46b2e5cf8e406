//! Pins, clamped rod ends and tethers.

use crate::builder::BuildError;
use crate::builder::assembly::Assembly;
use crate::builder::part::{ORIENTATION, Part};
use crate::builder::placement::{motion, select};
use crate::constraints::ConstraintKind;
use crate::error::SceneError;
use crate::integration::pins::MovedPins;
use crate::math::Pose;
use crate::scene::Pin;
use glam::{Quat, Vec3};

impl Assembly {
    /// Sets the inverse mass of pinned particles and, on rods, of the segments at pinned ends to 0.
    pub(crate) fn pin(
        &mut self,
        at: &str,
        part: &Part,
        shift: Vec3,
        first: u32,
        first_turn: u32,
        pins: &[Pin],
    ) -> Result<Vec<u32>, BuildError> {
        let mut pinned = Vec::new();
        for (k, pin) in pins.iter().enumerate() {
            let at = format!("{at}.pin[{k}]");
            let picked = select(&at, part, shift, (pin.at, pin.particles.as_deref(), pin.inside.as_ref()))?;
            if picked.is_empty() {
                return Err(SceneError::new(at, "picks no particle").help("inside is a box in the world").into());
            }
            let turns = clamped_segments(part, &picked);
            for &i in &picked {
                let i = (first + i) as usize;
                self.rows[i][3] = 0.0;
                self.velocities[i] = [0.0; 4];
            }
            for &t in &turns {
                self.clamp(first_turn + t);
            }
            let base = Pose { position: Vec3::ZERO, rotation: Quat::IDENTITY };
            let way = motion(pin.motion.as_ref(), base, self.start);
            let origin = |i: u32| Vec3::from_slice(&self.rows[(first + i) as usize][..3]);
            self.pins.push(MovedPins {
                rest: way.initial(),
                motion: way,
                particles: picked.iter().map(|i| first + i).collect(),
                origins: picked.iter().map(|&i| origin(i)).collect(),
                orientations: turns.iter().map(|t| first_turn + t).collect(),
                turns: turns.iter().map(|&t| part.orientations[t as usize]).collect(),
            });
            pinned.extend(picked);
        }
        Ok(pinned)
    }

    /// Fixes orientation `turn`: sets its inverse mass to 0 in every constraint that uses it.
    fn clamp(&mut self, turn: u32) {
        self.spin_inv_inertias[turn as usize] = 0.0;
        let row = ORIENTATION | turn;
        if let Some(raw) = self.constraints.get_mut(&ConstraintKind::StretchShear) {
            for (rows, params) in raw.rows.chunks_exact(3).zip(raw.params.chunks_exact_mut(3)) {
                if rows[2] == row {
                    params[1] = 0.0;
                }
            }
        }
        if let Some(raw) = self.constraints.get_mut(&ConstraintKind::BendTwist) {
            for (rows, params) in raw.rows.chunks_exact(2).zip(raw.params.chunks_exact_mut(8)) {
                (0..2).filter(|&k| rows[k] == row).for_each(|k| params[k] = 0.0);
            }
        }
    }

    /// Adds a tether from every free particle to the pin nearest at rest.
    pub(crate) fn tether(&mut self, part: &Part, first: u32, pinned: &[u32], slack: f32) {
        let raw = self.constraints.entry(ConstraintKind::Tether).or_default();
        for i in (0..part.rest.len() as u32).filter(|i| !pinned.contains(i)) {
            let x = part.rest[i as usize];
            let far = |&&p: &&u32| x.distance_squared(part.rest[p as usize]);
            let Some(&anchor) = pinned.iter().min_by(|a, b| far(a).total_cmp(&far(b))) else { return };
            let length = x.distance(part.rest[anchor as usize]) * slack;
            raw.rows.extend([first + i, first + anchor]);
            raw.params.extend([length, 0.0]);
        }
    }
}

/// Segments of a rod that a pinned end clamps: the first if the first particle is pinned, and the last.
fn clamped_segments(part: &Part, picked: &[u32]) -> Vec<u32> {
    let segments = part.orientations.len() as u32;
    if segments == 0 {
        return Vec::new();
    }
    let ends = [(0, 0), (segments, segments - 1)];
    ends.iter().filter(|(particle, _)| picked.contains(particle)).map(|(_, segment)| *segment).collect()
}
