//! The tree as the device builds it.

use crate::clouds::{Case, Rng, entries, one};
use crate::support::{GRID, How, Rig, plain, words};
use pliant::neighbors::{AXIS_BITS, Box3, Node, Pairs, Search, Tree};

const HOW: How = How { search: Search::Tree, ..GRID };

/// Particles of a bunch on the device.
const BUNCH: u32 = 4;

/// A cloud in the unit cube with both of its corners, so that one divided by its extent is exact; coordinates are whole
/// steps of a code and radii powers of two, so that all arithmetic up to codes and boxes is exact on any device.
fn exact(n: usize, duplicates: usize) -> Case {
    let mut rng = Rng(31);
    let mut rows = vec![[0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]];
    let mut at = || (rng.unit() * 1024.0).floor() / 1024.0;
    rows.extend((2..n).map(|_| [at(), at(), at(), 1.0]));
    for i in 0..duplicates {
        rows[n / 2 + i] = rows[n / 3];
    }
    let radii = (0..n).map(|i| 0.5_f32.powi(4 + (i % 7) as i32)).collect();
    // Bodies are slabs, so that subtrees are of one phase; grains have phase 0.
    let phases = rows.iter().map(|row| (row[2] * 4.0) as u32).collect();
    Case { name: "exact", rows, radii, phases, margin: 0.0 }
}

#[test]
fn s31_e28_the_tree_of_the_gpu_is_that_of_the_cpu_with_its_boxes_and_phases() {
    let Some(device) = plain() else { return };
    for (n, duplicates) in [(5, 0), (6, 3), (100, 0), (511, 9), (513, 100), (3000, 900)] {
        let case = exact(n, duplicates);
        let rig = Rig::new(device, &case, HOW, 1_000_000);
        rig.once();
        let mut tree = Tree::<Box3>::new(BUNCH);
        tree.build(&one(), case.cloud());
        let tags = words(device, &rig.finder.slots()[1]);
        let order: Vec<u32> = tags.chunks(2).take(n).map(|tag| tag[0]).collect();
        assert!(order == tree.order(), "{n} particles: order");
        let forks = words(device, rig.finder.forks().unwrap());
        let mut below = vec![tree.root().unwrap()];
        let mut seen = 0;
        while let Some(node) = below.pop() {
            let Node::Fork(number) = node else { continue };
            let fork = tree.fork(number);
            for (side, child) in fork.children().into_iter().enumerate() {
                let found = &forks[16 * number as usize + 8 * side..][..8];
                let word = match child {
                    Node::Fork(number) => number,
                    Node::Bunch { first, count } => 1 << 31 | (8 * first + count - 1),
                };
                assert_eq!(found[3], word, "{n} particles: side {side} of fork {number}");
                assert_eq!(found[7], fork.phases[side], "{n} particles: side {side} of fork {number}");
                let corner = |at: usize| [0, 1, 2].map(|k| f32::from_bits(found[at + k]));
                assert_eq!(corner(0), fork.volumes[side].min(), "{n} particles: side {side} of fork {number}");
                assert_eq!(corner(4), fork.volumes[side].max(), "{n} particles: side {side} of fork {number}");
                below.push(child);
                seen += 1;
            }
        }
        assert!(seen * BUNCH as usize >= n, "{seen} sides for {n} particles");
        assert!(entries(&rig.finder.lists(device).unwrap().unwrap()) == case.brute_force(Pairs::Once));
    }
}

#[test]
fn e31_trees_deeper_than_a_word_has_bits_are_walked_on_the_gpu() {
    let Some(device) = plain() else { return };
    // A point at every power of two along the diagonal splits off at each level of the code; duplicates hang below the
    // deepest.
    let mut rows = vec![[0.0, 0.0, 0.0, 1.0]; 100];
    for bit in 0..AXIS_BITS {
        let v = (1_u32 << bit) as f32 / ((1 << AXIS_BITS) - 1) as f32;
        rows.extend([[v, 0.0, 0.0, 1.0], [v, v, 0.0, 1.0], [v, v, v, 1.0]]);
    }
    rows.push([1.0, 1.0, 1.0, 1.0]);
    let n = rows.len();
    for radius in [1e-7, 1.0] {
        let case = Case { name: "deep", rows: rows.clone(), radii: vec![radius; n], phases: Vec::new(), margin: 0.0 };
        let mut tree = Tree::<Box3>::new(BUNCH);
        tree.build(&one(), case.cloud());
        assert!(tree.height() > 64, "{} levels", tree.height());
        for pairs in [Pairs::Once, Pairs::Both] {
            let found = entries(&Rig::new(device, &case, How { pairs, ..HOW }, 1).find());
            assert!(found == case.brute_force(pairs), "radius {radius}, {pairs:?}");
        }
    }
}

#[test]
fn s31_s32_radii_of_one_to_sixty_four_in_thousands_give_the_lists_of_the_cpu() {
    let Some(device) = plain() else { return };
    let mut rng = Rng(64);
    let n = 12_000;
    let rows: Vec<_> = (0..n).map(|_| rng.point(1.0)).collect();
    // Counts such that all sizes have the same total volume.
    let radii: Vec<_> = (0..n).map(|_| 0.008 / (rng.unit() + 1.0 / 64.0_f32.powi(2)).sqrt()).collect();
    let spread = radii.iter().fold(0.0_f32, |a, &b| a.max(b)) / radii.iter().fold(1.0_f32, |a, &b| a.min(b));
    assert!(spread > 32.0, "{spread}");
    let case = Case { name: "1:64", rows, radii, phases: Vec::new(), margin: 0.0005 };
    for pairs in [Pairs::Once, Pairs::Both] {
        let found = Rig::new(device, &case, How { pairs, ..HOW }, 1).find();
        let mut cpu = pliant::neighbors::Finder::new(Search::Tree);
        let expected = cpu.find(&one(), case.cloud(), case.margin, pairs);
        assert!(found.offsets() == expected.offsets() && found.indices() == expected.indices(), "{pairs:?}");
        assert!(found.indices().len() > n / 2, "{} entries", found.indices().len());
    }
}

#[test]
fn s30_s31_auto_selects_the_same_search_on_the_gpu_as_on_the_cpu() {
    let Some(device) = plain() else { return };
    let mut rng = Rng(42);
    let rows: Vec<_> = (0..20_000).map(|_| rng.point(4.0)).collect();
    let used = |radius: &dyn Fn(usize) -> f32| {
        let radii = (0..rows.len()).map(radius).collect();
        let case = Case { name: "auto", rows: rows.clone(), radii, phases: Vec::new(), margin: 0.0 };
        let mut rig = Rig::new(device, &case, How { search: Search::Auto, ..HOW }, 1);
        let mut cpu = pliant::neighbors::Finder::new(Search::Auto);
        let expected = cpu.find(&one(), case.cloud(), 0.0, Pairs::Once).clone();
        let found = rig.find();
        assert!(found.offsets() == expected.offsets() && found.indices() == expected.indices());
        assert_eq!(rig.finder.used(), cpu.used());
        rig.finder.used()
    };
    assert_eq!(used(&|_| 0.075), Search::Grid);
    assert_eq!(used(&|i| if i % 1000 == 0 { 0.64 } else { 0.01 }), Search::Tree);
}
