//! Neighbor lists of all methods.

use crate::support::{Case, Rng, cases, entries, one};
use pliant::environments::Separation;
use pliant::neighbors::{Cloud, Finder, INACTIVE, Pairs, Search, near};
use pliant::{Isa, Threads};

#[test]
fn s30_s32_lists_are_the_same_for_any_search_threads_and_instructions() {
    let mut rng = Rng(99);
    let rows: Vec<_> = (0..9000).map(|_| rng.point(2.0)).collect();
    let radii: Vec<_> = (0..9000).map(|_| 0.02 + 0.05 * rng.unit()).collect();
    let phases: Vec<_> = rows.iter().map(|row| (row[0] * 3.0) as u32).collect();
    let case = Case { name: "mixed", rows, radii, phases, margin: 0.005 };
    for pairs in [Pairs::Once, Pairs::Both] {
        let first = Finder::new(Search::Grid).find(&one(), case.cloud(), case.margin, pairs).clone();
        assert_eq!(entries(&first), case.brute_force(pairs));
        for count in [1, 2, 3, 7] {
            let threads = Threads::new(count).unwrap();
            let searches = [Search::Grid, Search::Tree];
            for (search, isa) in searches.into_iter().flat_map(|s| Isa::available().into_iter().map(move |i| (s, i))) {
                let mut finder = Finder::with_isa(search, isa);
                let lists = finder.find(&threads, case.cloud(), case.margin, pairs);
                assert_eq!(lists.offsets(), first.offsets(), "{search:?}, {isa:?}, {count} threads");
                assert_eq!(lists.indices(), first.indices(), "{search:?}, {isa:?}, {count} threads");
            }
        }
    }
}

#[test]
fn s30_s32_inactive_particles_have_no_neighbors() {
    let mut rng = Rng(17);
    let rows: Vec<_> = (0..3000).map(|_| rng.point(1.0)).collect();
    let radii = vec![0.06; rows.len()];
    let phases: Vec<_> = (0..rows.len()).map(|i| [0, 1, INACTIVE, 2, INACTIVE][i % 5]).collect();
    let case = Case { name: "asleep", rows, radii, phases, margin: 0.0 };
    let wanted = case.brute_force(Pairs::Both);
    assert!(
        wanted.len() > 1000
            && wanted.iter().all(|&(i, j)| case.phases[i as usize].max(case.phases[j as usize]) < INACTIVE)
    );
    for search in [Search::Grid, Search::Tree] {
        for isa in Isa::available() {
            let mut finder = Finder::with_isa(search, isa);
            assert_eq!(
                entries(finder.find(&one(), case.cloud(), case.margin, Pairs::Both)),
                wanted,
                "{search:?} {isa:?}"
            );
        }
    }
}

#[test]
fn s30_e33_all_pairs_in_contact_are_reported_in_full() {
    let mut rng = Rng(4);
    let mut finder = [Search::Grid, Search::Tree, Search::Auto].map(Finder::new);
    // Growing and shrinking on the same buffers.
    for n in [10_usize, 3000, 200] {
        let rows: Vec<_> = (0..n).map(|_| rng.point(0.01)).collect();
        let radii = vec![0.05; n];
        let cloud = Cloud { rows: &rows, radii: &radii, phases: &[] };
        for finder in &mut finder {
            let lists = finder.find(&one(), cloud, 0.0, Pairs::Once);
            assert_eq!(lists.indices().len(), n * (n - 1) / 2);
            for i in 0..n {
                assert!(lists.of(i).iter().copied().eq(i as u32 + 1..n as u32), "list {i} of {n}");
            }
            let lists = finder.find(&one(), cloud, 0.0, Pairs::Both);
            assert_eq!(lists.indices().len(), n * (n - 1));
        }
    }
}

#[test]
fn s30_s32_lists_of_both_are_symmetric_and_ascending_and_hold_those_of_once() {
    let mut finder = Finder::new(Search::Auto);
    for case in cases() {
        let once = entries(finder.find(&one(), case.cloud(), case.margin, Pairs::Once));
        let both = finder.find(&one(), case.cloud(), case.margin, Pairs::Both);
        assert_eq!(both.len(), case.rows.len());
        for i in 0..both.len() {
            assert!(both.of(i).windows(2).all(|w| w[0] < w[1]), "{}: list {i}", case.name);
            assert!(both.of(i).iter().all(|&j| both.of(j as usize).contains(&(i as u32))), "{}: list {i}", case.name);
        }
        let upper: Vec<_> = both.iter().filter(|(i, j)| i < j).collect();
        assert_eq!(upper, once, "{}", case.name);
    }
}

#[test]
fn s30_s31_auto_selects_the_grid_for_similar_radii_and_the_tree_for_others() {
    let mut rng = Rng(42);
    let rows: Vec<_> = (0..20_000).map(|_| rng.point(4.0)).collect();
    let used = |radius: &dyn Fn(usize) -> f32| {
        let radii: Vec<_> = (0..rows.len()).map(radius).collect();
        let mut finder = Finder::new(Search::Auto);
        finder.find(&one(), Cloud { rows: &rows, radii: &radii, phases: &[] }, 0.0, Pairs::Once);
        finder.used()
    };
    assert_eq!(used(&|_| 0.075), Search::Grid);
    assert_eq!(used(&|i| if i % 2 == 0 { 0.075 } else { 0.05 }), Search::Grid);
    assert_eq!(used(&|i| if i % 1000 == 0 { 0.64 } else { 0.01 }), Search::Tree);
}

#[test]
fn s30_s32_a_pair_at_exactly_its_reach_is_not_near() {
    let (a, b) = ([0.0, 0.0, 0.0, 1.0], [0.75, 0.0, 0.0, 1.0]);
    assert!(!near(a, 0.25, b, 0.25, 0.25));
    assert!(near(a, 0.25, b, 0.25, 0.250_000_1));
    for search in [Search::Grid, Search::Tree] {
        let mut finder = Finder::new(search);
        let cloud = Cloud { rows: &[a, b], radii: &[0.25, 0.25], phases: &[] };
        assert!(finder.find(&one(), cloud, 0.25, Pairs::Both).indices().is_empty());
        assert_eq!(finder.find(&one(), cloud, 0.250_000_1, Pairs::Both).indices(), [1, 0]);
    }
}

#[test]
#[should_panic(expected = "one radius per row")]
fn s30_arrays_of_different_lengths_are_refused() {
    let cloud = Cloud { rows: &[[0.0; 4]; 3], radii: &[1.0; 2], phases: &[] };
    Finder::new(Search::Auto).find(&one(), cloud, 0.0, Pairs::Once);
}

#[test]
fn s30_environments_find_the_pairs_that_each_has_alone() {
    // Five environments in the same place, of different sizes, in an order that mixes them.
    let (n, count, mut rng) = (900, 5_u32, Rng(7));
    let rows: Vec<_> = (0..n).map(|_| rng.point(1.0)).collect();
    let radii: Vec<f32> = (0..n).map(|_| 0.02 + 0.03 * rng.unit()).collect();
    let of: Vec<u32> = (0..n).map(|_| ((5.0 * rng.unit()) as u32).min(4)).collect();
    let cloud = Cloud { rows: &rows, radii: &radii, phases: &[] };
    for search in [Search::Auto, Search::Grid, Search::Tree] {
        for pairs in [Pairs::Once, Pairs::Both] {
            let mut finder = Finder::new(search);
            let separation = Separation { count, of: &of };
            let found = finder.find_within(&one(), cloud, separation, 0.0, pairs);
            let mut total = 0;
            for i in 0..n {
                let meets = |j: &u32| {
                    let j = *j as usize;
                    let listed = if pairs == Pairs::Once { j > i } else { j != i };
                    listed && of[i] == of[j] && near(rows[i], radii[i], rows[j], radii[j], 0.0)
                };
                let expected: Vec<u32> = (0..n as u32).filter(meets).collect();
                assert_eq!(found.of(i), expected, "particle {i}");
                total += expected.len();
            }
            assert!(total > 100, "{total} pairs");
        }
    }
}
