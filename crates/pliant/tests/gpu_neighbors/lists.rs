//! Neighbor lists of the device against brute force and, bitwise, against the CPU.

use crate::clouds::{Case, Rng, cases, entries, one};
use crate::support::{GRID, How, Rig, devices, every_way, plain};
use pliant::neighbors::{Construction, Finder, Pairs, Search, near};

#[test]
fn s30_s31_s32_every_search_on_the_gpu_finds_exactly_the_pairs_of_brute_force() {
    let Some(device) = plain() else { return };
    for case in cases() {
        let expected = [Pairs::Once, Pairs::Both].map(|pairs| case.brute_force(pairs));
        for how in every_way() {
            let found = entries(&Rig::new(device, &case, how, 4000).find());
            assert!(found == expected[usize::from(how.pairs == Pairs::Both)], "{}, {how:?}", case.name);
        }
    }
}

/// Thousands of particles of all sizes in slabs of several phases.
fn mixed(n: usize) -> Case {
    let mut rng = Rng(99);
    let rows: Vec<_> = (0..n).map(|_| rng.point(2.0)).collect();
    let radii: Vec<_> = (0..n).map(|_| 0.01 + 0.04 * rng.unit()).collect();
    // Slabs about as thick as particles reach.
    let phases: Vec<_> = rows.iter().map(|row| (row[0] * 20.0) as u32 % 5).collect();
    Case { name: "mixed", rows, radii, phases, margin: 0.005 }
}

#[test]
fn s30_s31_s32_lists_of_the_gpu_are_those_of_the_cpu_with_checks_without_and_in_a_browser() {
    let case = mixed(9000);
    for (name, device) in devices() {
        for how in every_way() {
            let found = Rig::new(device, &case, how, 1).find();
            let mut cpu = Finder::new(Search::Tree);
            let expected = cpu.find(&one(), case.cloud(), case.margin, how.pairs);
            assert!(found.offsets() == expected.offsets(), "{name}, {how:?}");
            assert!(found.indices() == expected.indices(), "{name}, {how:?}");
        }
    }
}

#[test]
fn s30_s31_s32_hundreds_of_thousands_have_the_lists_of_the_cpu() {
    let Some(device) = plain() else { return };
    // Above 2¹⁸ the pyramid of boxes has three stories, and above 65,535 · 64 dispatches have two dimensions.
    let n = if device.software { 270_000 } else { 4_300_000 };
    let mut rng = Rng(6);
    let edge = (n as f32).cbrt() * 0.1;
    let rows: Vec<_> = (0..n).map(|_| rng.point(edge)).collect();
    let case = Case { name: "many", rows, radii: vec![0.05; n], phases: Vec::new(), margin: 0.0 };
    let mut cpu = Finder::new(Search::Grid);
    let expected = cpu.find(&one(), case.cloud(), case.margin, Pairs::Once);
    for search in [Search::Grid, Search::Tree] {
        let how = How { search, ..GRID };
        let found = Rig::new(device, &case, how, 3 * n).find();
        assert!(found.offsets() == expected.offsets() && found.indices() == expected.indices(), "{search:?}");
    }
}

#[test]
fn s30_s31_s32_ten_searches_on_the_gpu_have_one_result() {
    let Some(device) = plain() else { return };
    let case = mixed(20_000);
    for how in every_way() {
        let mut rig = Rig::new(device, &case, how, 1);
        let first = rig.find();
        assert!(first.indices().len() > 10_000);
        for _ in 0..9 {
            let again = rig.find();
            assert!(again.offsets() == first.offsets() && again.indices() == first.indices(), "{how:?}");
        }
    }
}

/// Pairs of particles of which fused multiply-adds would get every second one wrong: the square of the distance is just
/// below or above the square of the reach, and rounding once or twice decides.
fn on_edge(count: usize) -> Case {
    let mut rng = Rng(5);
    let (mut rows, mut radii) = (Vec::new(), Vec::new());
    while rows.len() < 2 * count {
        // Far enough from the pair before that no other particle is near.
        let at = [10.0 * (rows.len() % 64) as f32, 10.0 * (rows.len() / 64) as f32, 0.0];
        let d: [f32; 3] = std::array::from_fn(|_| rng.unit() - 0.5);
        let a = [at[0], at[1], at[2], 1.0];
        let b = [at[0] + d[0], at[1] + d[1], at[2] + d[2], 1.0];
        let d: [f32; 3] = std::array::from_fn(|k| a[k] - b[k]);
        let plain = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        let radius = 0.5 * plain.sqrt();
        let fused = [
            d[2].mul_add(d[2], d[0].mul_add(d[0], d[1] * d[1])),
            d[2].mul_add(d[2], d[1].mul_add(d[1], d[0] * d[0])),
            d[2].mul_add(d[2], d[0] * d[0] + d[1] * d[1]),
        ];
        let square = (radius + radius) * (radius + radius);
        // Every fused sum is on the other side.
        if fused.iter().all(|&f| (f < square) != (plain < square)) {
            assert_eq!(near(a, radius, b, radius, 0.0), plain < square);
            rows.extend([a, b]);
            radii.extend([radius; 2]);
        }
    }
    Case { name: "on edge", rows, radii, phases: Vec::new(), margin: 0.0 }
}

#[test]
fn s30_s32_pairs_on_the_edge_are_decided_with_the_roundings_of_the_cpu() {
    let Some(device) = plain() else { return };
    let case = on_edge(1000);
    let expected = case.brute_force(Pairs::Once);
    assert!((200..800).contains(&expected.len()), "{} of 1000 pairs are near", expected.len());
    for how in every_way().filter(|how| how.pairs == Pairs::Once) {
        let found = entries(&Rig::new(device, &case, how, 1).find());
        assert!(found == expected, "{how:?}: {} of {}", found.len(), expected.len());
    }
}

#[test]
fn s30_counting_and_sorting_on_the_gpu_give_the_same_places_and_sorting_ascends_within() {
    let Some(device) = plain() else { return };
    for case in cases() {
        let order = |construction| {
            let rig = Rig::new(device, &case, How { construction, ..GRID }, 100_000);
            let places = rig.once().places;
            let tags = crate::support::words(device, &rig.finder.slots()[1]);
            (places, tags.chunks(2).take(case.rows.len()).map(|tag| tag[0]).collect::<Vec<_>>())
        };
        let ((places, mut counted), (same_places, sorted)) =
            (order(Construction::Counting), order(Construction::Sorting));
        assert_eq!(places, same_places, "{}", case.name);
        assert!(places as usize <= (4 * case.rows.len()).max(64), "{}: {places} places", case.name);
        // A place is a run of slots; counting leaves it in any order, so that sorting each ascending run of the other
        // must give the same.
        let mut first = 0;
        while first < sorted.len() {
            let mut end = first + 1;
            while end < sorted.len() && sorted[end] > sorted[end - 1] {
                end += 1;
            }
            counted[first..end].sort_unstable();
            first = end;
        }
        assert!(counted == sorted, "{}", case.name);
    }
}

#[test]
fn s30_a_search_on_the_gpu_follows_particles_that_move() {
    let Some(device) = plain() else { return };
    let mut rng = Rng(17);
    let n = 2000;
    let rows: Vec<_> = (0..n).map(|_| rng.point(1.0)).collect();
    let mut case = Case { name: "moving", rows, radii: vec![0.03; n], phases: Vec::new(), margin: 0.0 };
    for how in every_way() {
        let mut rig = Rig::new(device, &case, how, 1);
        for frame in 0..4 {
            // They spread over more and more of the world.
            case.rows.iter_mut().for_each(|row| row[frame % 3] = row[frame % 3] * 3.0 + rng.unit() * 0.2);
            rig.place(&case.rows);
            assert!(entries(&rig.find()) == case.brute_force(how.pairs), "frame {frame}, {how:?}");
        }
    }
}
