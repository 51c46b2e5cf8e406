//! Morton codes, the radix tree, its volumes and traversals.

use crate::support::{Case, Rng, cases, entries, one};
use pliant::neighbors::*;
use pliant::{Isa, Threads};

fn check_pairs<V: Volume>(volumes: &str) {
    let (threads, mut lists) = (one(), Neighbors::default());
    let mut trees = [1, 3, MAX_BUNCH].map(Tree::<V>::new);
    for case in cases() {
        trees.iter_mut().for_each(|tree| tree.build(&threads, case.cloud()));
        for pairs in [Pairs::Once, Pairs::Both] {
            let expected = case.brute_force(pairs);
            for (tree, how) in trees.iter().flat_map(|tree| Traversal::all().map(move |how| (tree, how))) {
                tree.pairs(&threads, Isa::detect(), how, case.margin, pairs, &mut lists);
                assert_eq!(entries(&lists), expected, "{}, {volumes}, {pairs:?}, {how:?}", case.name);
            }
        }
    }
}

#[test]
fn s31_s32_e29_e30_every_traversal_of_boxes_finds_exactly_the_pairs_of_brute_force() {
    check_pairs::<Box3>("boxes");
}

#[test]
fn s31_s32_e29_e30_every_traversal_of_balls_finds_exactly_the_pairs_of_brute_force() {
    check_pairs::<Ball>("balls");
}

#[test]
fn s31_codes_interleave_the_bits_of_quantized_coordinates() {
    assert_eq!(interleave(0b101, 0b010, 0b111), 0b101_110_101);
    let top = (1 << AXIS_BITS) - 1;
    assert_eq!(interleave(top, top, top), (1 << CODE_BITS) - 1);
    for (x, y, z) in [(1 << 20, 0, 0), (0, 1 << 20, 0), (0, 0, 1 << 20), (123_456, 1_999_999, 77)] {
        let by_bit = (0..AXIS_BITS).fold(0_u64, |code, b| {
            let bit = |v: u32| u64::from(v >> b & 1);
            code | bit(x) << (3 * b) | bit(y) << (3 * b + 1) | bit(z) << (3 * b + 2)
        });
        assert_eq!(interleave(x, y, z), by_bit);
    }
    let quantizer = Quantizer::new(&Bounds { min: [-1.0, 0.0, 2.0], max: [1.0, 1.0, 3.0] });
    assert_eq!(quantizer.code([-1.0, 0.0, 2.0, 0.0]), 0);
    // The longest axis is 2 m: one meter is half of all steps.
    assert_eq!(quantizer.code([1.0, 1.0, 2.0, 0.0]), interleave(top, top / 2, 0));
}

#[test]
fn s31_the_radix_sort_is_stable_for_keys_of_any_length() {
    let mut rng = Rng(5);
    for bits in [0, 3, 11, 12, 30, 63, 64] {
        let mut sort = RadixSort::default();
        for n in [0, 1, 2, 3000, 17] {
            let long = |rng: &mut Rng| (0..4).fold(0_u64, |v, _| v << 16 | (rng.unit() * 65536.0) as u64);
            let mask = 1_u64.checked_shl(bits).map_or(u64::MAX, |b| b - 1);
            sort.keys = (0..n).map(|_| long(&mut rng) & mask).collect();
            sort.values = (0..n).collect();
            let mut expected: Vec<_> = sort.keys.iter().copied().zip(sort.values.iter().copied()).collect();
            expected.sort();
            sort.sort();
            let sorted: Vec<_> = sort.keys.iter().copied().zip(sort.values.iter().copied()).collect();
            assert_eq!(sorted, expected, "{n} keys of {bits} bits");
        }
    }
}

/// Definition of a radix tree, top down: a node's range splits after the last key that has a 0 in the first bit that
/// differs. Keys are codes followed by slots.
fn reference(codes: &[u64], first: usize, last: usize, bunch: usize, out: &mut Vec<(usize, usize, usize)>) {
    if last - first < bunch {
        return;
    }
    let key = |i: usize| u128::from(codes[i]) << 32 | i as u128;
    let bit = 127 - (key(first) ^ key(last)).leading_zeros();
    let split = (first..last).rev().find(|&i| key(i) >> bit & 1 == 0).unwrap();
    out.push((first, split, last));
    reference(codes, first, split, bunch, out);
    reference(codes, split + 1, last, bunch, out);
}

/// Ranges of a tree's forks, in the order of `reference`, and the last slot below `node`.
fn ranges<V: Volume>(tree: &Tree<V>, node: Node, first: usize, out: &mut Vec<(usize, usize, usize)>) -> usize {
    match node {
        Node::Bunch { first: from, count } => {
            assert_eq!(from as usize, first, "runs of slots follow each other");
            first + count as usize - 1
        }
        Node::Fork(number) => {
            let [left, right] = tree.fork(number).children();
            let at = out.len();
            out.push((first, 0, 0));
            let split = ranges(tree, left, first, out);
            let last = ranges(tree, right, split + 1, out);
            out[at] = (first, split, last);
            last
        }
    }
}

#[test]
fn s31_e28_the_radix_tree_is_that_of_the_definition_and_covers_every_slot_once() {
    for threads in [1, 4] {
        let threads = Threads::new(threads).unwrap();
        for bunch in [1, 2, 5, 8] {
            let mut tree = Tree::<Box3>::new(bunch);
            for case in cases() {
                threads.enter(|| tree.build(&threads, case.cloud()));
                let n = case.rows.len();
                assert!(tree.codes().windows(2).all(|w| w[0] <= w[1]));
                let Some(root) = tree.root() else {
                    assert_eq!(n, 0);
                    continue;
                };
                let (mut found, mut expected) = (Vec::new(), Vec::new());
                assert_eq!(ranges(&tree, root, 0, &mut found), n - 1);
                reference(tree.codes(), 0, n - 1, bunch as usize, &mut expected);
                assert_eq!(found, expected, "{}, bunches of {bunch}", case.name);
                if bunch == 1 {
                    assert_eq!(found.len(), n - 1, "n leaves have n - 1 forks");
                }
            }
        }
    }
}

#[test]
fn s31_volumes_hold_all_that_is_below_them_and_phases_are_those_of_all() {
    fn check<V: Volume>(tree: &Tree<V>, case: &Case, node: Node) -> (Vec<u32>, Vec<V>) {
        match node {
            Node::Bunch { first, count } => {
                let members = tree.order()[first as usize..(first + count) as usize].to_vec();
                let of = |&i: &u32| {
                    let [x, y, z, _] = case.rows[i as usize];
                    V::of([x, y, z], case.radii[i as usize])
                };
                let volumes = members.iter().map(of).collect();
                (members, volumes)
            }
            Node::Fork(number) => {
                let fork = tree.fork(number);
                let mut all = (Vec::new(), Vec::new());
                for side in 0..2 {
                    let (members, volumes) = check(tree, case, fork.children()[side]);
                    let slack = 1e-6 * case.rows.iter().flatten().fold(1e-9, |a: f32, b| a.max(b.abs()));
                    for volume in &volumes {
                        assert!(fork.volumes[side].holds(volume, slack), "{}, fork {number}", case.name);
                    }
                    let phases: Vec<_> = members.iter().map(|&i| case.cloud().phase(i as usize)).collect();
                    let same = phases.iter().all(|&p| p == phases[0]);
                    assert_eq!(fork.phases[side], if same { phases[0] } else { 0 }, "{}, fork {number}", case.name);
                    all.0.extend(members);
                    all.1.extend(volumes);
                }
                all
            }
        }
    }
    let threads = one();
    for case in cases().iter().filter(|c| c.rows.iter().flatten().all(|v| v.is_finite())) {
        let (mut boxes, mut balls) = (Tree::<Box3>::new(2), Tree::<Ball>::new(2));
        boxes.build(&threads, case.cloud());
        balls.build(&threads, case.cloud());
        if let Some(root) = boxes.root() {
            assert_eq!(check(&boxes, case, root).0.len(), case.rows.len());
            check(&balls, case, root);
        }
    }
}

#[test]
fn s31_a_refitted_tree_finds_the_pairs_of_particles_that_moved() {
    let (threads, mut rng, mut lists) = (one(), Rng(23), Neighbors::default());
    let mut tree = Tree::<Box3>::default();
    for mut case in cases().into_iter().filter(|c| c.rows.len() > 100) {
        tree.build(&threads, case.cloud());
        for row in &mut case.rows {
            let by = rng.point(0.3);
            (0..3).for_each(|k| row[k] += by[k]);
        }
        case.radii.iter_mut().for_each(|r| *r *= 1.2);
        tree.refit(&threads, case.cloud());
        tree.pairs(&threads, Isa::detect(), Traversal::default(), case.margin, Pairs::Once, &mut lists);
        assert_eq!(entries(&lists), case.brute_force(Pairs::Once), "{}", case.name);
    }
}

#[test]
fn s32_a_subtree_of_the_same_phase_is_skipped() {
    // A row of bodies: particles of one have the same phase and lie together.
    let rows: Vec<_> = (0..512).map(|i| [i as f32, 0.0, 0.0, 1.0]).collect();
    let radii = vec![0.6; 512];
    let phases: Vec<_> = (0..512).map(|i| 1 + i / 64).collect();
    let mut tree = Tree::<Box3>::new(1);
    tree.build(&one(), Cloud { rows: &rows, radii: &radii, phases: &phases });
    let visited = |walk, phase| {
        let mut slots = Vec::new();
        tree.visit(walk, &Query::new([70.0, 0.0, 0.0], 8.0, phase), |first, count| slots.extend(first..first + count));
        slots.iter().map(|&s| tree.order()[s as usize]).collect::<Vec<_>>()
    };
    for walk in [Walk::Stack, Walk::Sparse, Walk::Mbvh2] {
        // 8 + 0.6 m around particle 70: 62 to 78, of which 64 and more are of its own body.
        assert_eq!(visited(walk, 0), (62..=78).collect::<Vec<_>>(), "{walk:?}");
        assert_eq!(visited(walk, 2), [62, 63], "{walk:?}");
    }
}

#[test]
fn e29_e30_a_walk_that_starts_below_the_root_stays_in_its_subtree() {
    let case = &cases()[0];
    let mut tree = Tree::<Box3>::new(1);
    tree.build(&one(), case.cloud());
    let everything = Query::new([0.5; 3], 100.0, 0);
    let mut forks = vec![tree.root().unwrap()];
    let mut seen = 0;
    while let Some(node) = forks.pop() {
        let Node::Fork(number) = node else { continue };
        for side in 0..2 {
            let child = tree.fork(number).children()[side as usize];
            let mut expected = Vec::new();
            let mut below = vec![child];
            while let Some(node) = below.pop() {
                match node {
                    Node::Bunch { first, .. } => expected.push(first),
                    Node::Fork(number) => {
                        let [left, right] = tree.fork(number).children();
                        below.extend([right, left]);
                    }
                }
            }
            for walk in [Walk::Stack, Walk::Sparse, Walk::Mbvh2] {
                let mut slots = Vec::new();
                tree.visit_below(walk, number, side, &everything, |first, _| slots.push(first));
                assert_eq!(slots, expected, "{walk:?}, side {side} of fork {number}");
                seen += 1;
            }
            forks.push(child);
        }
    }
    assert_eq!(seen, 3 * 2 * (case.rows.len() - 1));
}

#[test]
fn e31_the_height_stays_within_code_bits_and_bits_of_duplicates_and_deep_trees_are_walked() {
    // A point at every power of two along the diagonal splits off at each level of the code; a hundred duplicates
    // hang below the deepest. D4 claims 2 log₂(n + 1) − 1 = 15 levels at most for so few particles.
    let mut rows = vec![[0.0, 0.0, 0.0, 1.0]; 100];
    for bit in 0..AXIS_BITS {
        let v = (1_u32 << bit) as f32 / ((1 << AXIS_BITS) - 1) as f32;
        rows.extend([[v, 0.0, 0.0, 1.0], [v, v, 0.0, 1.0], [v, v, v, 1.0]]);
    }
    rows.push([1.0, 1.0, 1.0, 1.0]);
    let n = rows.len();
    let case = Case { name: "deep", rows, radii: vec![1e-7; n], phases: Vec::new(), margin: 0.0 };
    let mut tree = Tree::<Box3>::new(1);
    tree.build(&one(), case.cloud());
    let duplicates = 128_usize.ilog2() as usize;
    assert!(tree.height() > 64, "{} levels do not fill a 64-bit bitstack", tree.height());
    assert!(tree.height() <= CODE_BITS as usize + duplicates + 1, "{} levels", tree.height());
    assert!(tree.height() <= MAX_DEPTH);
    let mut lists = Neighbors::default();
    for how in Traversal::all() {
        tree.pairs(&one(), Isa::detect(), how, 0.0, Pairs::Once, &mut lists);
        assert_eq!(entries(&lists), case.brute_force(Pairs::Once), "{how:?}");
    }
    // A query that overlaps everything traverses the whole tree.
    for walk in [Walk::Stack, Walk::Sparse, Walk::Mbvh2] {
        let mut slots = Vec::new();
        tree.visit(walk, &Query::new([0.5; 3], 10.0, 0), |first, _| slots.push(first as usize));
        assert_eq!(slots, (0..n).collect::<Vec<_>>(), "{walk:?}");
    }
}
