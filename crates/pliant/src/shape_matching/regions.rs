//! Overlapping regions of a body, for deformations beyond a single rotation (D4 chapter 7, [MHTG] on clusters).

use crate::math::matrix::Vec3;
use std::collections::BTreeMap;

/// Members of each region: those in a cell of a grid of edge `size` [m], and those within `overlap` [m] of it.
///
/// Particles of several regions couple these: the mean of several goals allows bending. Regions are in grid order,
/// their members ascending; cells without particles of their own form no region. The grid begins at the minimum
/// coordinates. Regions depend on position alone: parts that are close in space but distant in the body are joined. A
/// size that is not positive gives one region of all particles; the overlap is limited to four sizes.
pub fn regions(positions: &[Vec3], size: f32, overlap: f32) -> Vec<Vec<u32>> {
    if !(size > 0.0 && size < f32::INFINITY) {
        return vec![(0..positions.len() as u32).collect()];
    }
    let overlap = if overlap > 0.0 { overlap.min(4.0 * size) } else { 0.0 };
    let low = positions.iter().fold([f32::INFINITY; 3], |low, p| [0, 1, 2].map(|k| low[k].min(p[k])));
    // Cells are numbered upward from the minimum coordinates; the bound keeps indices in range for any size.
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
