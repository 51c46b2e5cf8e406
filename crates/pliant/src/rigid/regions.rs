//! Overlapping regions of a body, for deformations that one rotation cannot follow (D4 chapter 7, [MHTG] on clusters).

use crate::math::matrix::Vec3;
use std::collections::BTreeMap;

/// Members of each region: those in a cell of a grid of edge `size` [m], and those within `overlap` [m] of it.
///
/// Particles that belong to several regions hold these together: the mean of several goals is what bends. Regions come
/// in the order of the grid, their members ascending; cells without particles of their own make no region. The grid
/// begins at the least coordinates. Regions go by place alone: what is near in space but apart in the body is joined.
/// A size that is not positive makes one region of all; an overlap counts up to four sizes.
pub fn regions(positions: &[Vec3], size: f32, overlap: f32) -> Vec<Vec<u32>> {
    if !(size > 0.0 && size < f32::INFINITY) {
        return vec![(0..positions.len() as u32).collect()];
    }
    let overlap = if overlap > 0.0 { overlap.min(4.0 * size) } else { 0.0 };
    let low = positions.iter().fold([f32::INFINITY; 3], |low, p| [0, 1, 2].map(|k| low[k].min(p[k])));
    // Cells are numbered upward from the least coordinates; the bound keeps the numbers in range for any size.
    let cell = |v: f32| (v / size).floor().clamp(-1.0, 1e6) as i32;
    let mut cells: BTreeMap<[i32; 3], Vec<u32>> = BTreeMap::new();
    let local = |p: &Vec3| [0, 1, 2].map(|k| p[k] - low[k]);
    for p in positions {
        let [x, y, z] = local(p).map(cell);
        cells.entry([z, y, x]).or_default();
    }
    for (i, p) in positions.iter().enumerate() {
        let [x, y, z] = local(p).map(|v| cell(v - overlap)..=cell(v + overlap));
        for k in z {
            for j in y.clone() {
                for l in x.clone() {
                    if let Some(members) = cells.get_mut(&[k, j, l]) {
                        members.push(i as u32);
                    }
                }
            }
        }
    }
    cells.into_values().collect()
}
