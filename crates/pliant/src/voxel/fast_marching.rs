//! Signed distances by the fast marching method, a baseline (D4 §2.6 and §6.1: the CPU half of Table 6.2).
//!
//! Distances propagate from the sites in ascending order, each from up to three known neighbors, by solving
//! |∇φ| = 1 with one-sided differences ([Sethian 1996]). First order: off by fractions of a voxel where fronts are
//! curved or collide, while the transform in `sites` is exact for its sites.

use crate::voxel::sites::{INSIDE, Reach, SITE_DISTANCE, site_codes};
use crate::voxel::{Field, Voxels};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Signed distances [voxels] from the same sites as [`Field::new`], by fast marching.
pub fn fast_marching(voxels: &Voxels) -> Field {
    let dims = voxels.dims();
    let size = dims.map(|d| d as usize);
    let mut marcher = Marcher {
        size,
        phi: vec![f32::INFINITY; size[0] * size[1] * size[2]],
        known: vec![false; size[0] * size[1] * size[2]],
        front: BinaryHeap::new(),
    };
    for (index, code) in site_codes(voxels, Reach::Inside).into_iter().enumerate() {
        if let Some(&distance) = SITE_DISTANCE.get((code & !INSIDE) as usize) {
            marcher.offer(index, distance);
        }
    }
    while let Some(Reverse((_, index))) = marcher.front.pop() {
        marcher.accept(index as usize);
    }
    let mut phi = marcher.phi;
    for (index, phi) in phi.iter_mut().enumerate() {
        let [x, y, z] = marcher_place(index, size);
        if voxels.get([x as u32, y as u32, z as u32]) {
            *phi = -*phi;
        }
    }
    Field::from_parts(dims, phi)
}

struct Marcher {
    size: [usize; 3],
    phi: Vec<f32>,
    known: Vec<bool>,
    /// Distances as bits, which sort like the numbers while these are not negative.
    front: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Marcher {
    fn offer(&mut self, index: usize, distance: f32) {
        if distance < self.phi[index] {
            self.phi[index] = distance;
            self.front.push(Reverse((distance.to_bits(), index as u32)));
        }
    }

    /// Marks a voxel as known and updates its neighbors.
    fn accept(&mut self, index: usize) {
        if std::mem::replace(&mut self.known[index], true) {
            return;
        }
        for (axis, side) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
            if let Some(near) = self.neighbor(index, axis, side).filter(|&n| !self.known[n]) {
                let distance = self.solve(near);
                self.offer(near, distance);
            }
        }
    }

    fn neighbor(&self, index: usize, axis: usize, side: usize) -> Option<usize> {
        let stride = [1, self.size[0], self.size[0] * self.size[1]][axis];
        let at = marcher_place(index, self.size)[axis];
        match side {
            0 => (at > 0).then(|| index - stride),
            _ => (at + 1 < self.size[axis]).then_some(index + stride),
        }
    }

    /// Σ max(φ − φ_axis, 0)² = 1 over the nearer known neighbor of each axis.
    fn solve(&self, index: usize) -> f32 {
        let mut near = [f32::INFINITY; 3];
        for (axis, least) in near.iter_mut().enumerate() {
            for side in 0..2 {
                if let Some(n) = self.neighbor(index, axis, side).filter(|&n| self.known[n]) {
                    *least = least.min(self.phi[n]);
                }
            }
        }
        near.sort_unstable_by(f32::total_cmp);
        let (mut sum, mut squares, mut phi) = (0.0, 0.0, f32::INFINITY);
        for (used, &value) in near.iter().enumerate() {
            // Farther neighbors are not yet reached by the front of the nearer ones.
            if value >= phi {
                break;
            }
            sum += value;
            squares += value * value;
            let n = used as f32 + 1.0;
            phi = (sum + (sum * sum - n * (squares - 1.0)).max(0.0).sqrt()) / n;
        }
        phi
    }
}

fn marcher_place(index: usize, size: [usize; 3]) -> [usize; 3] {
    [index % size[0], index / size[0] % size[1], index / (size[0] * size[1])]
}
