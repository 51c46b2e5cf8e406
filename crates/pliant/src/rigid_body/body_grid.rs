//! Bodies by place, for questions of which are near: a hash of cells for each order of magnitude of their size.

use crate::rigid_body::bodies::{BodyState, RigidBodyModel};
use glam::DVec3;
use std::collections::{BTreeMap, HashMap};

/// Bodies of one order of magnitude: reaches between half of 2^level and 2^level meters.
#[derive(Debug, Default)]
struct Level {
    cells: HashMap<[i32; 3], Vec<u32>>,
    bodies: Vec<u32>,
}

/// Centers of bodies in space.
#[derive(Debug, Default)]
pub(crate) struct BodyGrid {
    levels: BTreeMap<i32, Level>,
}

impl BodyGrid {
    /// Of all bodies.
    pub(crate) fn of(model: &RigidBodyModel, bodies: &[BodyState]) -> Self {
        let mut grid = Self::default();
        for (k, (params, body)) in model.bodies.iter().zip(bodies).enumerate() {
            grid.insert(k as u32, body.position, params.shape.reach);
        }
        grid
    }

    /// Adds a body of a reach [m] around its center.
    pub(crate) fn insert(&mut self, body: u32, center: DVec3, reach: f64) {
        let number = reach.log2().ceil() as i32;
        let level = self.levels.entry(number).or_default();
        level.cells.entry(cell(center, width(number))).or_default().push(body);
        level.bodies.push(body);
    }

    /// Bodies whose spheres around their centers may meet one, ascending, and some others.
    pub(crate) fn near(&self, center: DVec3, reach: f64) -> Vec<u32> {
        let mut found = Vec::new();
        for (&number, level) in &self.levels {
            let (width, radius) = (width(number), DVec3::splat(reach + 0.5 * width(number)));
            let (low, high) = (cell(center - radius, width), cell(center + radius, width));
            let counts = (0..3).map(|axis| f64::from(high[axis]) - f64::from(low[axis]) + 1.0);
            if counts.product::<f64>() > level.cells.len() as f64 {
                found.extend_from_slice(&level.bodies);
                continue;
            }
            for x in low[0]..=high[0] {
                for y in low[1]..=high[1] {
                    for z in low[2]..=high[2] {
                        found.extend(level.cells.get(&[x, y, z]).into_iter().flatten());
                    }
                }
            }
        }
        found.sort_unstable();
        found
    }
}

/// Width of the cells of a level [m]: the largest diameter of its bodies.
fn width(level: i32) -> f64 {
    libm::exp2(f64::from(level) + 1.0)
}

fn cell(place: DVec3, width: f64) -> [i32; 3] {
    (place / width).floor().to_array().map(|x| x as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_bodies_are_those_of_a_look_at_all() {
        // Sizes over six orders of magnitude, places in a cube of 20 m.
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as f64 / f64::from(1_u32 << 31)
        };
        let mut body = || {
            let center = DVec3::new(random(), random(), random()) * 20.0 - 10.0;
            (center, libm::exp2(random() * 20.0 - 14.0))
        };
        let bodies: Vec<_> = (0..500).map(|_| body()).collect();
        let mut grid = BodyGrid::default();
        bodies.iter().enumerate().for_each(|(k, &(center, reach))| grid.insert(k as u32, center, reach));
        let mut met = 0;
        for _ in 0..200 {
            let (center, reach) = body();
            let near = grid.near(center, reach);
            assert!(near.is_sorted_by(|a, b| a < b));
            for (k, (theirs, their_reach)) in bodies.iter().enumerate() {
                if theirs.distance(center) <= reach + their_reach {
                    assert!(near.contains(&(k as u32)), "body {k} is missing");
                    met += 1;
                }
            }
        }
        assert!(met > 1000, "{met}");
    }
}
