//! The k nearest particles, and all within a radius of a point.

use crate::support::{Case, Rng, cases, one};
use pliant::math::RowData;
use pliant::neighbors::{Bounds, Cells, Construction, Grid};

/// Particle numbers by distance, then by number.
fn brute_force(case: &Case, p: RowData, k: usize) -> Vec<(u32, f32)> {
    let squared = |r: RowData| {
        let (dx, dy, dz) = (p[0] - r[0], p[1] - r[1], p[2] - r[2]);
        dx * dx + dy * dy + dz * dz
    };
    let mut all: Vec<_> = case.rows.iter().enumerate().map(|(i, &r)| (i as u32, squared(r))).collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    all.truncate(k);
    all
}

#[test]
fn s30_e32_the_nearest_and_all_within_reach_are_those_of_brute_force() {
    let (threads, mut grid, mut out) = (one(), Grid::default(), Vec::new());
    let mut rng = Rng(11);
    for case in cases() {
        let bounds = Bounds::of(&case.rows);
        // Infinite coordinates have no distance.
        if !bounds.extent().iter().all(|e| e.is_finite()) {
            continue;
        }
        let spacing = bounds.spacing(case.rows.len());
        for (size, most) in [(spacing, 4 * case.rows.len()), (0.3 * spacing, 64), (5.0 * spacing, 1)] {
            let cells = Cells::new(&bounds, [size; 3], most);
            grid.build_with(&threads, case.cloud(), cells, Construction::Counting);
            for trial in 0..12 {
                let t: [f32; 3] = [rng.unit(), rng.unit(), rng.unit()];
                // Inside of the bounds, beside them, and far away.
                let out_by = [0.0, 0.0, 0.5, 20.0][trial % 4];
                let mut p = [0.0; 4];
                for k in 0..3 {
                    let extent = bounds.extent()[k] + spacing;
                    p[k] = bounds.min[k] + extent * (t[k] * (1.0 + 2.0 * out_by) - out_by);
                }
                for k in [0, 1, 4, 33, 5000] {
                    grid.nearest(p, k, &mut out);
                    let found: Vec<_> = out.iter().map(|n| (n.index, n.squared)).collect();
                    assert_eq!(found, brute_force(&case, p, k), "{}, {k} nearest to {p:?}", case.name);
                }
                for reach in [0.0, 0.7 * spacing, 3.0 * spacing, 100.0 * spacing] {
                    grid.within(p, reach, &mut out);
                    out.sort_by(|a, b| a.squared.total_cmp(&b.squared).then(a.index.cmp(&b.index)));
                    let found: Vec<_> = out.iter().map(|n| (n.index, n.squared)).collect();
                    let mut wanted = brute_force(&case, p, usize::MAX);
                    wanted.retain(|(_, squared)| *squared < reach * reach);
                    assert_eq!(found, wanted, "{}, within {reach} of {p:?}", case.name);
                }
            }
        }
    }
}

#[test]
fn e32_the_nearest_may_be_in_a_ring_after_the_one_that_fills_the_list() {
    // The point is at the left border of its cell, which holds a particle at the far end: 0.9 away. The nearer one,
    // 0.2 away, is in the cell before.
    let rows = vec![[1.95, 0.5, 0.5, 1.0], [0.85, 0.5, 0.5, 1.0]];
    let case = Case { name: "two", rows, radii: vec![0.1; 2], phases: Vec::new(), margin: 0.0 };
    let mut grid = Grid::default();
    let cells = Cells::new(&Bounds::of(&case.rows), [1.0; 3], 64);
    assert_eq!(cells.dims(), [2, 1, 1]);
    grid.build_with(&one(), case.cloud(), cells, Construction::Counting);
    let mut out = Vec::new();
    grid.nearest([1.05, 0.5, 0.5, 1.0], 1, &mut out);
    assert_eq!(out[0].index, 1);
}
