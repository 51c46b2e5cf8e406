//! Finds where a solid is one voxel thick.

use crate::voxel::Particles;
use glam::{IVec3, Vec3};

/// For each particle whether the solid is one voxel thick there: no voxel behind it, or none on two opposite sides.
/// Such a particle has no unique nearest surface point, and its gradient would push contacts from the other side
/// through.
pub fn thin(particles: &Particles) -> Vec<bool> {
    let Some(half) = particles.radii.iter().copied().reduce(f32::min) else { return Vec::new() };
    let edge = 2.0 * half;
    let spans = particles.positions.iter().zip(&particles.radii).map(|(&p, &r)| (p - r + half, r));
    let low = spans.clone().fold(Vec3::INFINITY, |low, (p, _)| low.min(p));
    let voxel = |p: Vec3| ((p - low) / edge).round().as_ivec3();
    // First voxel of each particle, and its width in voxels.
    let blocks = spans.map(|(p, r)| (voxel(p), (r / half).round() as i32));
    let dims = blocks.clone().fold(IVec3::ONE, |dims, (v, n)| dims.max(v + n));
    let index = |v: IVec3| ((v.z * dims.y + v.y) * dims.x + v.x) as usize;
    let mut solid = vec![false; dims.as_usizevec3().element_product()];
    for (first, n) in blocks.clone() {
        for z in 0..n {
            for y in 0..n {
                let row = index(first + IVec3::new(0, y, z));
                solid[row..row + n as usize].fill(true);
            }
        }
    }
    let is_solid = |v: IVec3| v.cmpge(IVec3::ZERO).all() && v.cmplt(dims).all() && solid[index(v)];
    let is_thin = |((first, n), &gradient): ((IVec3, i32), &Vec3)| {
        // Merged particles are deep.
        let between = |axis: IVec3| !is_solid(first + axis) && !is_solid(first - axis);
        let behind = first - gradient.round().as_ivec3();
        n == 1 && (!is_solid(behind) || IVec3::AXES.into_iter().any(between))
    };
    blocks.zip(&particles.gradients).map(is_thin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Particles of voxels of one meter, with gradients.
    fn particles(voxels: &[([i32; 3], [f32; 3])]) -> Particles {
        Particles {
            positions: voxels.iter().map(|(v, _)| IVec3::from(*v).as_vec3() + 7.5).collect(),
            radii: vec![0.5; voxels.len()],
            gradients: voxels.iter().map(|(_, g)| Vec3::from(*g).normalize()).collect(),
            ..Particles::default()
        }
    }

    #[test]
    fn s22_a_plate_a_stair_and_a_bump_are_thin_and_a_block_is_not() {
        let square = |y: i32, out: f32| (0..9).map(move |k| ([k % 3, y, k / 3], [0.0, out, 0.0]));
        let plate: Vec<_> = square(0, 1.0).collect();
        assert!(thin(&particles(&plate)).into_iter().all(|t| t));
        let double: Vec<_> = square(0, -1.0).chain(square(1, 1.0)).collect();
        assert!(thin(&particles(&double)).into_iter().all(|t| !t));
        let bump: Vec<_> = double.iter().copied().chain([([1, 2, 1], [0.0, 1.0, 0.0])]).collect();
        let found = thin(&particles(&bump));
        assert!(found[18] && found[..18].iter().all(|t| !t), "{found:?}");
        // Each has a neighbor along x and one along y, but none behind.
        let step = |k: i32| (0..3).map(move |z| ([(k + 1) / 2, k / 2, z], [1.0, -1.0, 0.0]));
        let stair: Vec<_> = (1..8).flat_map(step).collect();
        assert!(thin(&particles(&stair)).into_iter().all(|t| t));
    }

    #[test]
    fn s22_joined_particles_are_never_thin_and_are_solid_behind_others() {
        let mut all = particles(&[([0, 2, 0], [0.0, 1.0, 0.0]), ([1, 2, 0], [0.0, 1.0, 0.0])]);
        all.positions.push(Vec3::new(8.0, 8.0, 8.0));
        all.radii.push(1.0);
        all.gradients.push(Vec3::Y);
        // The upper two are exposed on both sides along z.
        assert_eq!(thin(&all), [true, true, false]);
        all.positions.extend([[0, 2, 1], [1, 2, 1]].map(|v| IVec3::from(v).as_vec3() + 7.5));
        all.radii.extend([0.5; 2]);
        all.gradients.extend([Vec3::Y; 2]);
        assert_eq!(thin(&all), [false; 5]);
    }
}
