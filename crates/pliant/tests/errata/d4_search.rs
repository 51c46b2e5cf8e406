//! D4 chapters 5 and 6, neighbors: k nearest (§5.1.2), fixed lists and the numbers of the test scenes (§6.2).

use pliant::Threads;
use pliant::math::RowData;
use pliant::neighbors::{Bounds, Cells, Cloud, Construction, Finder, Grid, Pairs, Search};

fn squared(a: RowData, b: RowData) -> f32 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum()
}

/// D4 §5.1.2: rings of cells around that of the point, until k particles are found. Cells of 1 m.
fn printed_nearest(rows: &[RowData], point: RowData, k: usize) -> Vec<usize> {
    let cell = |p: RowData| [0, 1, 2].map(|a| p[a].floor() as i32);
    let ring = |r: RowData| (0..3).map(|a| (cell(r)[a] - cell(point)[a]).abs()).max().unwrap_or(0);
    let mut found: Vec<usize> = Vec::new();
    for radius in 0.. {
        found.extend((0..rows.len()).filter(|&i| ring(rows[i]) == radius));
        if found.len() >= k {
            break;
        }
    }
    found.sort_by(|&a, &b| squared(rows[a], point).total_cmp(&squared(rows[b], point)));
    found.truncate(k);
    found
}

#[test]
fn e32_the_ring_that_fills_the_list_is_not_the_last_and_the_engine_goes_on() {
    // The point is near the left side of its cell, which holds a particle at the far end, 0.9 m away. The cell before holds one
    // that is 0.2 m away.
    let rows = vec![[1.95, 0.5, 0.5, 1.0], [0.85, 0.5, 0.5, 1.0]];
    let point = [1.05, 0.5, 0.5, 1.0];
    assert!(squared(rows[1], point) < squared(rows[0], point));
    assert_eq!(printed_nearest(&rows, point, 1), [0], "the farther one");
    let threads = Threads::new(1).unwrap();
    let cells = Cells::new(&Bounds::of(&rows), [1.0; 3], 64);
    let mut grid = Grid::default();
    grid.build_with(&threads, Cloud { rows: &rows, radii: &[0.1; 2], phases: &[] }, cells, Construction::Counting);
    let mut out = Vec::new();
    grid.nearest(point, 1, &mut out);
    assert_eq!(out[0].index, 1);
}

#[test]
fn e33_printed_counts_contradict_each_other_and_lists_of_32_or_48_drop_contacts() {
    // §6.2 says 5³ boxes of 6³ particles, and 216K particles; of 12³ it is right, as the edge of 1.8 m says.
    assert_eq!(5_u32.pow(3) * 6_u32.pow(3), 27_000);
    assert_eq!(5_u32.pow(3) * 12_u32.pow(3), 216_000);
    assert!((12.0_f64 * 2.0 * 0.075 - 1.8).abs() < 1e-12);
    // Merged boxes of 12³ have 1,224 particles: 153K. Table 6.6 has 216K, so it is without merging, whatever its caption says.
    assert_eq!(5_u32.pow(3) * 1_224, 153_000);

    // One large particle among grains touches more than either list holds.
    let mut rows = vec![[0.0, 0.0, 0.0, 1.0]];
    let n = 300;
    for i in 0..n {
        // Evenly over a sphere.
        let z = 1.0 - 2.0 * (i as f32 + 0.5) / n as f32;
        let (s, angle) = ((1.0 - z * z).sqrt(), 2.4 * i as f32);
        rows.push([s * angle.cos(), s * angle.sin(), z, 1.0]);
    }
    let radii: Vec<f32> = (0..=n).map(|i| if i == 0 { 0.99 } else { 0.02 }).collect();
    let printed_lengths = [32, 48];
    for search in [Search::Auto, Search::Grid, Search::Tree] {
        let mut finder = Finder::new(search);
        let threads = Threads::new(1).unwrap();
        let lists = finder.find(&threads, Cloud { rows: &rows, radii: &radii, phases: &[] }, 0.0, Pairs::Both);
        let of_the_large_one = lists.iter().filter(|(i, _)| *i == 0).count();
        assert_eq!(of_the_large_one, n, "{search:?}");
        assert!(printed_lengths.iter().all(|most| n - most > 250), "contacts that the printed lists drop");
    }
}
