//! Bodies that grow: members added during the simulation.

use crate::math::RowData;
use crate::math::matrix::{IDENTITY, UPRIGHT, Vec3, matrix_of};
use crate::shape_matching::bodies::{Pose, ShapeMatch};
use crate::shape_matching::moments::LANES;
use std::ops::Range;

impl ShapeMatch {
    /// Restores removed members of a body ([`Self::leave`]): those with the indices `joining`, all before them being
    /// present. Their rest offsets are their current positions in the body's frame, Rᵀ(x − c). The first ones create
    /// the body. Takes effect with the next [`Self::set_masses`].
    ///
    /// Rest offsets stay relative to the center of mass, or rounding of the sums would move the body.
    pub fn join(&mut self, body: usize, joining: Range<usize>, rows: &[RowData]) {
        let (first_block, count) = (self.bodies[body].first_block, joining.end);
        let site = |k: usize| (first_block + k / LANES, k % LANES);
        let row_of = |members: &[[u32; LANES]], k: usize| members[site(k).0][site(k).1] as usize;
        let rows: Vec<RowData> = (0..count).map(|k| rows[row_of(&self.members, k)]).collect();
        for k in joining.clone() {
            let row = row_of(&self.members, k);
            if let Some(gone) = self.gone.get_mut(row) {
                *gone = false;
            }
        }
        if joining.start == 0 {
            let center = weighted_mean(&rows, |k| [0, 1, 2].map(|j| f64::from(rows[k][j]))).map(|v| v as f32);
            self.poses[body] = Pose { rotation: UPRIGHT, center, shape: IDENTITY, stretch: IDENTITY, strain: 0.0 };
        }
        let pose = self.poses[body];
        // Columns of R, so that products with them are Rᵀ.
        let turned = matrix_of(pose.rotation);
        for k in joining {
            let way = [0, 1, 2].map(|j| f64::from(rows[k][j]) - f64::from(pose.center[j]));
            let (block, lane) = site(k);
            (0..3).for_each(|j| self.blocks[block][j][lane] = dot(turned[j], way) as f32);
        }
        let offset = |blocks: &[crate::shape_matching::moments::Block], k: usize| {
            let (block, lane) = site(k);
            [0, 1, 2].map(|j| f64::from(blocks[block][j][lane]))
        };
        let off = weighted_mean(&rows, |k| offset(&self.blocks, k));
        for k in 0..count {
            let ((block, lane), from) = (site(k), offset(&self.blocks, k));
            (0..3).for_each(|j| self.blocks[block][j][lane] = (from[j] - off[j]) as f32);
        }
        let shift = [0, 1, 2].map(|k| (0..3).map(|j| f64::from(turned[j][k]) * off[j]).sum::<f64>());
        self.poses[body].center = [0, 1, 2].map(|k| (f64::from(pose.center[k]) + shift[k]) as f32);
    }

    /// Rest offsets of the first `count` members of a body from its center of mass [m].
    pub fn offsets(&self, body: usize, count: usize) -> impl Iterator<Item = Vec3> + '_ {
        let first = self.bodies[body].first_block;
        (0..count).map(move |k| [0, 1, 2].map(|j| self.blocks[first + k / LANES][j][k % LANES]))
    }
}

fn dot(a: Vec3, b: [f64; 3]) -> f64 {
    (0..3).map(|j| f64::from(a[j]) * b[j]).sum()
}

/// Mass-weighted mean of `of` over the rows.
fn weighted_mean(rows: &[RowData], of: impl Fn(usize) -> [f64; 3]) -> [f64; 3] {
    let mass = |row: &RowData| if row[3] > 0.0 { 1.0 / f64::from(row[3]) } else { 0.0 };
    let total: f64 = rows.iter().map(mass).sum();
    let sum = |j: usize| rows.iter().enumerate().map(|(k, row)| mass(row) * of(k)[j]).sum::<f64>();
    [0, 1, 2].map(|j| if total > 0.0 { sum(j) / total } else { 0.0 })
}
