//! k-nearest-neighbor query (S30, D4 §5.1.2), for skinning.

use crate::math::RowData;
use crate::neighbors::grid::Grid;

/// A particle and its distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Particle index.
    pub index: u32,
    /// Squared distance [m²]: (dx·dx + dy·dy) + dz·dz.
    pub squared: f32,
}

impl Near {
    /// By distance; ties by index.
    fn is_closer(&self, other: &Self) -> bool {
        self.squared < other.squared || (self.squared == other.squared && self.index < other.index)
    }
}

impl Grid {
    /// The `k` particles whose centers are nearest to a point, nearest first, or all if there are fewer. Ties are
    /// ordered by index. Ignores phases and radii.
    ///
    /// Cells are searched ring by ring around that of the point. D4 stops at the ring that fills the list, though the
    /// next one may contain nearer particles; this search continues until no unvisited particle can be nearer (E32). If
    /// that takes more cells than there are particles, all particles are tested instead.
    pub fn nearest(&self, point: RowData, k: usize, out: &mut Vec<Near>) {
        out.clear();
        if k == 0 || self.sorted.len == 0 {
            return;
        }
        let cells = self.cells();
        let center: [i32; 3] = std::array::from_fn(|a| cells.relative(a, point[a]));
        let (mut ring, mut budget) = (0, self.sorted.len.max(64) as i64);
        loop {
            let range = |a: usize| {
                let low = (i64::from(center[a]) - ring).max(0);
                (low, (i64::from(center[a]) + ring).min(i64::from(cells.last(a))))
            };
            let (rx, ry, rz) = (range(0), range(1), range(2));
            let count = |r: (i64, i64)| r.1 - r.0 + 1;
            budget -= count(ry).saturating_mul(count(rz));
            if budget < 0 {
                out.clear();
                (0..self.sorted.len).for_each(|slot| self.insert_if_nearer(slot, point, k, out));
                return;
            }
            for z in rz.0..=rz.1 {
                for y in ry.0..=ry.1 {
                    let skin = (z - i64::from(center[2])).abs() == ring || (y - i64::from(center[1])).abs() == ring;
                    if skin {
                        for x in rx.0..=rx.1 {
                            self.visit([x as i32, y as i32, z as i32], point, k, out);
                            budget -= 1;
                        }
                    } else {
                        for x in [i64::from(center[0]) - ring, i64::from(center[0]) + ring] {
                            if x >= rx.0 && x <= rx.1 {
                                self.visit([x as i32, y as i32, z as i32], point, k, out);
                            }
                        }
                    }
                }
            }
            let clear = self.clearance(center, ring, point);
            let filled = out.len() == k && clear > 0.0 && {
                // The distances themselves have a rounding error of three parts in 2²⁴.
                f64::from(out[k - 1].squared) < clear * clear * (1.0 - 1e-6)
            };
            if filled || clear == f64::INFINITY {
                return;
            }
            ring += 1;
        }
    }

    /// Lower bound of the distance [m] of all particles outside the first rings; infinite if there are none.
    fn clearance(&self, center: [i32; 3], ring: i64, point: RowData) -> f64 {
        let cells = self.cells();
        let mut least = f64::INFINITY;
        for a in 0..3 {
            let v = f64::from(point[a]);
            let (below, above) = (i64::from(center[a]) - ring, i64::from(center[a]) + ring + 1);
            if below > 0 {
                let (edge, slack) = cells.edge(a, below);
                least = least.min(v - edge - slack);
            }
            if above <= i64::from(cells.last(a)) {
                let (edge, slack) = cells.edge(a, above);
                least = least.min(edge - v - slack);
            }
        }
        least
    }

    /// Tests the particles of one cell.
    fn visit(&self, cell: [i32; 3], point: RowData, k: usize, out: &mut Vec<Near>) {
        let (cells, sorted) = (self.cells(), &self.sorted);
        let [x, y, z] = std::array::from_fn(|a| cells.wrap(a, cell[a]));
        let [nx, ny, _] = cells.dims();
        for slot in self.slots((z * ny + y) * nx + x) {
            // Other cells may share the bucket; their particles are visited with their own ring.
            let at = [sorted.x[slot], sorted.y[slot], sorted.z[slot]];
            if !cells.wraps() || (0..3).all(|a| cells.relative(a, at[a]) == cell[a]) {
                self.insert_if_nearer(slot, point, k, out);
            }
        }
    }

    /// Inserts a particle if it is among the `k` nearest so far.
    fn insert_if_nearer(&self, slot: usize, point: RowData, k: usize, out: &mut Vec<Near>) {
        let sorted = &self.sorted;
        let (dx, dy, dz) = (point[0] - sorted.x[slot], point[1] - sorted.y[slot], point[2] - sorted.z[slot]);
        let new = Near { index: sorted.index[slot], squared: dx * dx + dy * dy + dz * dz };
        if out.len() == k {
            if !new.is_closer(&out[k - 1]) {
                return;
            }
            out.pop();
        }
        let at = out.partition_point(|old| old.is_closer(&new));
        out.insert(at, new);
    }
}
