//! Connected components of particles that are far apart: each component gets its own grid.
//!
//! A single drop far away would otherwise need a grid whose cells exceed integer indices and floating-point resolution.

use glam::{DVec3, I64Vec3, Vec3};
use std::collections::BTreeMap;

/// Cells along the edge of a block. More than twice the kernel support of 24 cells plus rounding, so that particles in
/// blocks that are not adjacent never contribute to the same grid point.
pub(crate) const BLOCK: f64 = 64.0;

/// Particles of adjacent blocks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Component {
    /// Particle indices, ascending.
    pub particles: Vec<usize>,
    /// Lowest corner of its blocks [cells from the world origin].
    pub origin: DVec3,
    /// Number of cells along the longest side.
    pub cells: f64,
}

/// Connected components, ordered by their first block.
pub(crate) fn connected_components(points: &[Vec3], cell: f64) -> Vec<Component> {
    let block_of = |p: &Vec3| (p.as_dvec3() / (cell * BLOCK)).floor();
    let mut blocks: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
    for (i, p) in points.iter().enumerate() {
        blocks.entry(block_of(p).as_i64vec3().to_array()).or_default().push(i);
    }
    let mut found = Vec::new();
    while let Some((first, particles)) = blocks.pop_first() {
        let mut component = Component { particles, origin: DVec3::ZERO, cells: 0.0 };
        let (mut low, mut high) = (I64Vec3::from(first), I64Vec3::from(first));
        let mut open = vec![first];
        while let Some(block) = open.pop() {
            for step in 0..27 {
                let at = [step % 3, step / 3 % 3, step / 9];
                let next = [0, 1, 2].map(|axis| block[axis] + at[axis] - 1);
                if let Some(more) = blocks.remove(&next) {
                    component.particles.extend(more);
                    (low, high) = (low.min(next.into()), high.max(next.into()));
                    open.push(next);
                }
            }
        }
        component.particles.sort_unstable();
        component.origin = low.as_dvec3() * BLOCK;
        component.cells = ((high.as_dvec3() - low.as_dvec3()).max_element() + 1.0) * BLOCK;
        found.push(component);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_in_adjacent_blocks_are_one_component() {
        // Cells of 1 m: blocks start at multiples of 64 m.
        let points = [Vec3::ZERO, Vec3::splat(-1.0), Vec3::new(127.0, 0.0, 0.0), Vec3::new(300.0, 0.0, 0.0)];
        let found = connected_components(&points, 1.0);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].particles, [0, 1, 2]);
        assert_eq!(found[0].origin, DVec3::splat(-64.0));
        assert_eq!(found[0].cells, 192.0);
        assert_eq!(found[1].particles, [3]);
        assert_eq!(found[1].origin, DVec3::new(256.0, 0.0, 0.0));
    }

    #[test]
    fn no_particles_give_no_components() {
        assert!(connected_components(&[], 1.0).is_empty());
    }
}
