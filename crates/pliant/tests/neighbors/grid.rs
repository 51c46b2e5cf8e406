//! The uniform grid.

use crate::support::{Rng, cases, entries, one};
use pliant::Isa;
use pliant::neighbors::{Bounds, Cells, Construction, Grid, Neighbors, Pairs};

#[test]
fn s30_the_grid_finds_exactly_the_pairs_of_brute_force() {
    let (threads, mut grid, mut lists) = (one(), Grid::default(), Neighbors::default());
    for case in cases() {
        for pairs in [Pairs::Once, Pairs::Both] {
            let expected = case.brute_force(pairs);
            grid.build(&threads, case.cloud(), case.margin);
            for isa in Isa::available() {
                grid.pairs(&threads, isa, case.margin, pairs, &mut lists);
                assert_eq!(entries(&lists), expected, "{}, {pairs:?}, {isa:?}", case.name);
            }
        }
    }
}

#[test]
fn s30_tiny_tables_wrap_around_and_still_report_every_pair_once() {
    let (threads, mut grid, mut lists) = (one(), Grid::default(), Neighbors::default());
    let mut wrapped = 0;
    for case in cases() {
        let expected = case.brute_force(Pairs::Once);
        let reach = (2.0 * case.cloud().largest() + case.margin).max(1e-6);
        for (size, most) in [([1.0; 3], 1), ([1.0; 3], 8), ([0.3; 3], 27), ([0.5, 2.0, 1.0], 64), ([0.2; 3], 1000)] {
            let cells = Cells::new(&Bounds::of(&case.rows), size.map(|s: f32| s * reach), most);
            assert!(cells.places() <= most);
            wrapped += usize::from(cells.wraps());
            grid.build_with(&threads, case.cloud(), cells, Construction::Counting);
            grid.pairs(&threads, Isa::detect(), case.margin, Pairs::Once, &mut lists);
            assert_eq!(entries(&lists), expected, "{}, cells {size:?}, at most {most}", case.name);
        }
    }
    assert!(wrapped > 80, "only {wrapped} tables wrapped around");
}

#[test]
fn s30_counting_and_sorting_put_particles_in_the_same_order() {
    let (threads, mut counted, mut sorted) = (one(), Grid::default(), Grid::default());
    for case in cases() {
        for most in [1, 64, 100_000] {
            let cells = Cells::new(&Bounds::of(&case.rows), [0.07; 3], most);
            counted.build_with(&threads, case.cloud(), cells.clone(), Construction::Counting);
            sorted.build_with(&threads, case.cloud(), cells.clone(), Construction::Sorting);
            assert_eq!(counted.order(), sorted.order(), "{}", case.name);
            let mut slots = 0;
            for place in 0..cells.places() as u32 {
                assert_eq!(counted.slots(place), sorted.slots(place), "{}, place {place}", case.name);
                // The stated order: by place, then by particle number.
                let members = &counted.order()[counted.slots(place)];
                assert!(members.windows(2).all(|w| w[0] < w[1]), "{}, place {place}", case.name);
                assert!(members.iter().all(|&i| cells.place(case.rows[i as usize]) == place));
                slots += members.len();
            }
            assert_eq!(slots, case.rows.len());
        }
    }
}

#[test]
fn s30_tables_take_the_shape_of_the_bounds_and_at_most_four_places_per_particle() {
    let threads = one();
    let mut grid = Grid::default();
    let mut rng = Rng(3);
    for scale in [[1.0, 1.0, 1.0], [100.0, 0.0, 1.0], [0.0, 500.0, 0.0], [1e6, 1e6, 1e6]] {
        let rows: Vec<_> = (0..2000)
            .map(|_| rng.point(1.0))
            .map(|p| [p[0] * scale[0], p[1] * scale[1], p[2] * scale[2], 1.0])
            .collect();
        let radii = vec![0.02; rows.len()];
        grid.build(&threads, pliant::neighbors::Cloud { rows: &rows, radii: &radii, phases: &[] }, 0.0);
        let dims = grid.cells().dims();
        assert!(grid.cells().places() <= 8000, "{scale:?}: {dims:?}");
        for k in 0..3 {
            assert!(dims[k] > 1 || scale[k] == 0.0, "{scale:?}: {dims:?}");
        }
    }
}
