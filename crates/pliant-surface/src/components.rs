//! Particles that are far from each other, apart: each group gets a grid of its own.
//!
//! A drop that flies off would otherwise span a grid whose cells can neither be numbered nor told apart in floating point.

use glam::{DVec3, I64Vec3, Vec3};
use std::collections::BTreeMap;

/// Cells along the edge of a block. More than twice a kernel's reach of 24 cells and their rounding, so that particles in
/// blocks that are no neighbors never add to the same corner of a cell.
pub(crate) const BLOCK: f64 = 64.0;

/// A group of particles that no gap of a block divides.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Island {
    /// Numbers of its particles, ascending.
    pub particles: Vec<usize>,
    /// Corner of its first block, in cells from the world's origin.
    pub origin: DVec3,
    /// Cells along its longest side.
    pub cells: f64,
}

/// Groups of particles, ordered by where they are.
pub(crate) fn islands(points: &[Vec3], cell: f64) -> Vec<Island> {
    let block_of = |p: &Vec3| (p.as_dvec3() / (cell * BLOCK)).floor();
    let mut blocks: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
    for (i, p) in points.iter().enumerate() {
        blocks.entry(block_of(p).as_i64vec3().to_array()).or_default().push(i);
    }
    let mut found = Vec::new();
    while let Some((first, particles)) = blocks.pop_first() {
        let mut island = Island { particles, origin: DVec3::ZERO, cells: 0.0 };
        let (mut low, mut high) = (I64Vec3::from(first), I64Vec3::from(first));
        let mut open = vec![first];
        while let Some(block) = open.pop() {
            for step in 0..27 {
                let at = [step % 3, step / 3 % 3, step / 9];
                let next = [0, 1, 2].map(|axis| block[axis] + at[axis] - 1);
                if let Some(more) = blocks.remove(&next) {
                    island.particles.extend(more);
                    (low, high) = (low.min(next.into()), high.max(next.into()));
                    open.push(next);
                }
            }
        }
        island.particles.sort_unstable();
        island.origin = low.as_dvec3() * BLOCK;
        island.cells = ((high.as_dvec3() - low.as_dvec3()).max_element() + 1.0) * BLOCK;
        found.push(island);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_in_blocks_that_touch_are_one_island() {
        // Cells of 1 m: blocks begin at multiples of 64 m.
        let points = [Vec3::ZERO, Vec3::splat(-1.0), Vec3::new(127.0, 0.0, 0.0), Vec3::new(300.0, 0.0, 0.0)];
        let found = islands(&points, 1.0);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].particles, [0, 1, 2]);
        assert_eq!(found[0].origin, DVec3::splat(-64.0));
        assert_eq!(found[0].cells, 192.0);
        assert_eq!(found[1].particles, [3]);
        assert_eq!(found[1].origin, DVec3::new(256.0, 0.0, 0.0));
    }

    #[test]
    fn no_particles_are_no_island() {
        assert!(islands(&[], 1.0).is_empty());
    }
}
