//! Searches on the device with insufficient capacity or invalid input.

use crate::clouds::{Case, Rng, entries, one};
use crate::support::{GRID, How, Rig, devices, every_way, plain, words};
use pliant::neighbors::{Construction, Pairs, Search};
use pliant::runtime::gpu::{Cap, Device, GpuError, GpuOptions};

fn clump(n: usize) -> Case {
    let mut rng = Rng(4);
    let rows = (0..n).map(|_| rng.point(0.01)).collect();
    Case { name: "clump", rows, radii: vec![0.05; n], phases: Vec::new(), margin: 0.0 }
}

#[test]
fn s30_s32_e33_all_particles_in_one_cell_grow_the_lists_and_none_is_dropped() {
    for (name, device) in devices() {
        let n = if *name == "plain" { 700 } else { 200 };
        let case = clump(n);
        for how in every_way() {
            let all = if how.pairs == Pairs::Once { n * (n - 1) / 2 } else { n * (n - 1) };
            let mut rig = Rig::new(device, &case, how, 1000);
            let report = rig.once();
            assert!(report.overflow, "{name}, {how:?}");
            assert_eq!((report.wanted, report.capacity), (all as u64, 1000), "{name}, {how:?}");
            assert!(rig.finder.lists(device).unwrap().is_none());
            let lists = rig.find();
            assert_eq!(lists.indices().len(), all, "{name}, {how:?}");
            for i in 0..n {
                let first = if how.pairs == Pairs::Once { i + 1 } else { 0 };
                let others = (first as u32..n as u32).filter(|&j| j != i as u32);
                assert!(lists.of(i).iter().copied().eq(others), "{name}, {how:?}, list {i}");
            }
        }
    }
}

#[test]
fn s30_s32_e33_lists_of_thousands_are_searched_for_by_workgroups_and_are_in_order() {
    let Some(device) = plain() else { return };
    // More than a workgroup sorts in its memory.
    let n = 2200;
    let case = clump(n);
    for how in every_way().filter(|how| how.construction == Construction::Counting) {
        let lists = Rig::new(device, &case, how, 10).find();
        for i in 0..n {
            let first = if how.pairs == Pairs::Once { i + 1 } else { 0 };
            assert!(
                lists.of(i).iter().copied().eq((first as u32..n as u32).filter(|&j| j != i as u32)),
                "{how:?}, {i}"
            );
        }
    }
}

#[test]
fn s30_s32_e33_large_particles_among_grains_list_all_neighbors() {
    let Some(device) = plain() else { return };
    let mut rng = Rng(3);
    let n = 2600;
    let rows: Vec<_> = (0..n).map(|_| rng.point(1.0)).collect();
    // Lists of a few, of hundreds, and of thousands.
    let radii = (0..n).map(|i| [0.01, 0.2, 1.2][usize::from(i % 50 == 0) + usize::from(i % 1000 == 0)]).collect();
    let phases = (0..n).map(|i| [0, 1, 2, 2][i % 4]).collect();
    let case = Case { name: "giants", rows, radii, phases, margin: 0.001 };
    for how in every_way() {
        let found = Rig::new(device, &case, how, 10).find();
        let mut cpu = pliant::neighbors::Finder::new(Search::Tree);
        let expected = cpu.find(&one(), case.cloud(), case.margin, how.pairs);
        assert!(found.offsets() == expected.offsets() && found.indices() == expected.indices(), "{how:?}");
        let longest = (0..n).map(|i| found.of(i).len()).max().unwrap();
        assert!(longest > 2048, "{longest}");
    }
}

#[test]
fn e33_a_search_over_capacity_stays_in_bounds_and_is_counted() {
    let Some(device) = plain() else { return };
    let case = clump(500);
    for how in every_way() {
        let mut rig = Rig::new(device, &case, how, 7000);
        let all = rig.once().wanted;
        let ranges = words(device, rig.finder.ranges());
        assert!(ranges.chunks(2).take(500).all(|r| u64::from(r[0]) + u64::from(r[1]) <= 7000), "{how:?}");
        // Particles move apart, so that the capacity suffices again; but the host has not read the status yet.
        let apart: Vec<_> = (0..500).map(|i| [i as f32, 0.0, 0.0, 1.0]).collect();
        rig.place(&apart);
        let report = rig.once();
        assert!(!report.overflow);
        assert_eq!((report.wanted, report.missed, u64::from(report.most)), (0, 1, all), "{how:?}");
        assert_eq!(report.needed(), all);
        rig.finder.grow(device, report.needed()).unwrap();
        rig.place(&case.rows);
        let report = rig.once();
        assert_eq!((report.overflow, report.missed, report.wanted), (false, 0, all), "{how:?}");
    }
}

#[test]
fn e33_lists_that_an_adapter_cannot_bind_are_refused_with_their_size() {
    if plain().is_none() {
        return;
    }
    // 1 MiB is 262,144 entries: fewer than a clump of 800 has.
    let cap = Cap { binding_bytes: 1 << 20, ..Cap::BROWSER };
    let device: &'static Device =
        Box::leak(Box::new(Device::open(&GpuOptions { cap: Some(cap), ..GpuOptions::default() }).unwrap()));
    let case = clump(800);
    for how in every_way() {
        let mut rig = Rig::new(device, &case, how, 100);
        let wanted = rig.once().wanted;
        match rig.finder.search_until_fitting(device) {
            Ok(_) => assert!(how.pairs == Pairs::Once && wanted <= 262_144, "{how:?}"),
            Err(GpuError::TooLarge { buffer: "neighbors", needed, most, .. }) => {
                assert_eq!((needed >= 4 * wanted, most), (true, 1 << 20), "{how:?}");
            }
            Err(e) => panic!("{e}"),
        }
    }
}

#[test]
fn s30_s32_non_finite_particles_have_no_neighbors_and_hide_none() {
    let mut rng = Rng(8);
    let n = 1000;
    let rows: Vec<_> = (0..n).map(|_| rng.point(1.0)).collect();
    let whole = Case { name: "whole", rows, radii: vec![0.06; n], phases: Vec::new(), margin: 0.0 };
    for lost in [f32::NAN, f32::INFINITY, -f32::NAN] {
        let mut rows = whole.rows.clone();
        // Some in one coordinate, some in all; the first and the last among them.
        for i in (0..n).step_by(37).chain([n - 1]) {
            rows[i][i % 3] = lost;
            if i % 2 == 0 {
                rows[i] = [lost, lost, lost, 1.0];
            }
        }
        let mut radii = whole.radii.clone();
        // One radius reaches all particles with a valid position, one reaches none.
        (radii[500], radii[600]) = (f32::INFINITY, f32::NAN);
        let case = Case { name: "lost", rows, radii, phases: Vec::new(), margin: 0.0 };
        let (once, both) = (case.brute_force(Pairs::Once), case.brute_force(Pairs::Both));
        for (name, device) in devices() {
            for how in every_way() {
                let found = entries(&Rig::new(device, &case, how, 100_000).find());
                assert!(&found == if how.pairs == Pairs::Once { &once } else { &both }, "{lost}, {name}, {how:?}");
            }
        }
    }
}

#[test]
fn s30_s32_a_world_that_is_all_nan_ends_without_neighbors() {
    for (name, device) in devices() {
        let case = Case {
            name: "nowhere",
            rows: vec![[f32::NAN; 4]; 3000],
            radii: vec![f32::NAN; 3000],
            phases: vec![3; 3000],
            margin: 0.1,
        };
        for how in every_way() {
            assert!(Rig::new(device, &case, how, 100).find().indices().is_empty(), "{name}, {how:?}");
        }
    }
}

#[test]
fn s30_the_margin_can_be_changed_between_searches() {
    let Some(device) = plain() else { return };
    let mut case = clump(300);
    case.radii.fill(0.0005);
    let how = How { pairs: Pairs::Both, ..GRID };
    let mut rig = Rig::new(device, &case, how, 1);
    for margin in [0.0, 0.001, 0.004] {
        case.margin = margin;
        rig.finder.set_margin(device, margin);
        assert!(entries(&rig.find()) == case.brute_force(Pairs::Both), "{margin} m");
    }
}
