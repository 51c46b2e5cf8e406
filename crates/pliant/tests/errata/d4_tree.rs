//! D4 chapter 5, the tree: construction (Algorithm 5.1), traversal (Algorithms 5.2–5.5), height (§5.3.2).

use pliant::neighbors::{AXIS_BITS, Box3, CODE_BITS, Cloud, MAX_DEPTH, Neighbors, Pairs, Query, Traversal, Tree, Walk};
use pliant::{Isa, Threads};

/// Common prefix of two keys of 8 bits; `outside` where the second is not in the list, which D4 does not define.
fn prefix(keys: &[u8], i: usize, j: isize, outside: i32) -> i32 {
    match usize::try_from(j).ok().and_then(|j| keys.get(j)) {
        Some(other) => (keys[i] ^ other).leading_zeros() as i32,
        None => outside,
    }
}

/// D4 5.7, read as the usual function of two arguments: the first with the sign of the second.
fn printed_direction(keys: &[u8], i: usize) -> i32 {
    let [after, before] = [1, -1].map(|step| prefix(keys, i, i as isize + step, -1));
    if before < 0 { -after.abs() } else { after.abs() }
}

/// Bound of the range of node i by 5.8: the least power of two at which the prefix is shorter than δ_min. Gives up
/// beyond the keys.
fn printed_bound(keys: &[u8], i: usize, d: isize, outside: i32, strict: bool) -> Option<isize> {
    let at = |steps: isize| prefix(keys, i, i as isize + steps * d, outside);
    let least = at(-1);
    let mut most = 2;
    while if strict { at(most) >= least } else { at(most) > least } {
        most *= 2;
        if most > 4 * keys.len() as isize {
            return None;
        }
    }
    Some(most)
}

/// Other end of the range of node i (lines 9–15).
fn end(keys: &[u8], i: usize, d: isize, outside: i32, most: isize) -> isize {
    let at = |steps: isize| prefix(keys, i, i as isize + steps * d, outside);
    let (mut length, mut t) = (0, most / 2);
    while t > 0 {
        if at(length + t) > at(-1) {
            length += t;
        }
        t /= 2;
    }
    i as isize + length * d
}

/// Points on a line, so that slots follow particles.
fn line(n: usize) -> Tree<Box3> {
    let rows: Vec<_> = (0..n).map(|i| [i as f32, 0.0, 0.0, 1.0]).collect();
    let mut tree = Tree::new(1);
    tree.build(&Threads::new(1).unwrap(), Cloud { rows: &rows, radii: &vec![0.6; n], phases: &[] });
    tree
}

/// All leaves that a walk from the root visits.
fn leaves(tree: &Tree<Box3>, walk: Walk) -> Vec<u32> {
    let mut found = Vec::new();
    tree.visit(walk, &Query::new([0.0; 3], 1e6, 0), |first, _| found.push(first));
    found
}

#[test]
fn e28_printed_direction_is_no_unit_and_bounds_of_the_root_fail_and_the_engines_tree_is_whole() {
    let keys = [0b0000_0001, 0b0000_0010, 0b0010_0000, 0b0100_0000, 0b1000_0000, 0b1000_0001, 0b1100_0000];
    assert!((0..keys.len() - 1).any(|i| printed_direction(&keys, i).abs() != 1), "steps of one key are needed");
    // The root begins at key 0 and ends at the last. Beyond the ends −1 is needed: with 0, which the prefix of keys
    // that differ in their first bit has too, the root ends with the first half.
    let of = |outside: i32| printed_bound(&keys, 0, 1, outside, false).map(|most| end(&keys, 0, 1, outside, most));
    assert_eq!(of(0), Some(3));
    assert_eq!(of(-1), Some(keys.len() as isize - 1));
    // 5.8 needs a prefix shorter than δ_min = −1, which does not exist: the search does not terminate.
    assert_eq!(printed_bound(&keys, 0, 1, -1, true), None);
    for n in [2, 3, 7, 64, 1000] {
        assert_eq!(leaves(&line(n), Walk::Stack), (0..n as u32).collect::<Vec<_>>(), "{n} particles");
    }
}

/// A complete binary tree over 2^depth leaves as an array: node k has the children 2k and 2k + 1, leaves come last.
struct Complete {
    depth: u32,
}

impl Complete {
    fn leaf(&self, node: usize) -> Option<usize> {
        node.checked_sub(1 << self.depth)
    }
}

/// D4 Algorithm 5.2 with every child accepted, ended after `most` rounds.
fn printed_stack(tree: &Complete, most: usize) -> Vec<usize> {
    let (mut node, mut top, mut stack) = (1_usize, 0_isize, vec![0; most]);
    let mut visited = Vec::new();
    while top >= 0 && visited.len() < most {
        top -= 1;
        if let Some(leaf) = tree.leaf(node) {
            visited.push(leaf);
        } else {
            top += 1;
            stack[top as usize] = 2 * node + 1;
            top += 1;
            node *= 2;
        }
    }
    visited
}

#[test]
fn e29_a_leaf_that_does_not_pop_is_visited_repeatedly_and_the_engine_visits_each_once() {
    let visited = printed_stack(&Complete { depth: 3 }, 100);
    assert!(visited.len() > 1 && visited.iter().all(|&leaf| leaf == 0), "{visited:?}");
    assert_eq!(leaves(&line(8), Walk::Stack), (0..8).collect::<Vec<_>>());
}

/// D4 Algorithm 5.3 with every child accepted, started at `start`, ended at the root or after `most` leaves.
fn printed_sparse(tree: &Complete, start: usize, most: usize) -> Vec<usize> {
    let (mut node, mut bits, mut visited) = (start, 0_u64, Vec::new());
    loop {
        match tree.leaf(node) {
            Some(leaf) => visited.push(leaf),
            None => {
                bits <<= 1;
                node *= 2;
                continue;
            }
        }
        bits += 1;
        while bits & 1 == 0 {
            node /= 2;
            bits >>= 1;
        }
        // The root is its own sibling.
        node = if node == 1 { 1 } else { node ^ 1 };
        if node == 1 || visited.len() >= most {
            return visited;
        }
    }
}

#[test]
fn e30_printed_sparse_walk_leaves_its_subtree_and_pairs_are_seen_twice() {
    let tree = Complete { depth: 3 };
    assert_eq!(printed_sparse(&tree, 1, 100), (0..8).collect::<Vec<_>>(), "from the root it is right");
    // Node 3 holds leaves 4 to 7.
    let visited = printed_sparse(&tree, 3, 100);
    assert!(visited.iter().any(|leaf| *leaf < 4), "{visited:?}");

    let ours = line(8);
    let everything = Query::new([0.0; 3], 1e6, 0);
    let root = match ours.root() {
        Some(pliant::neighbors::Node::Fork(number)) => number,
        other => panic!("{other:?}"),
    };
    for walk in [Walk::Stack, Walk::Sparse, Walk::Mbvh2] {
        let sides: [Vec<u32>; 2] = [0, 1].map(|side| {
            let mut found = Vec::new();
            ours.visit_below(walk, root, side, &everything, |first, _| found.push(first));
            found
        });
        assert_eq!(sides.concat(), (0..8).collect::<Vec<_>>(), "{walk:?}: {sides:?}");
    }
    // Neighbors on the line: seven pairs, each found from both of its particles and kept once.
    let threads = Threads::new(1).unwrap();
    let count = |pairs: Pairs| {
        let mut lists = Neighbors::default();
        ours.pairs(&threads, Isa::detect(), Traversal::default(), 0.0, pairs, &mut lists);
        lists.iter().count()
    };
    assert_eq!((count(Pairs::Once), count(Pairs::Both)), (7, 14));
}

#[test]
fn e31_printed_height_bound_is_exceeded_and_a_64_bit_stack_would_overflow() {
    // A point at every power of two splits off at each bit of the code; duplicates hang below the last.
    let duplicates = 100_usize;
    let mut rows = vec![[0.0, 0.0, 0.0, 1.0]; duplicates];
    for bit in 0..AXIS_BITS {
        let v = (1_u32 << bit) as f32 / ((1 << AXIS_BITS) - 1) as f32;
        rows.extend([[v, 0.0, 0.0, 1.0], [v, v, 0.0, 1.0], [v, v, v, 1.0]]);
    }
    rows.push([1.0, 1.0, 1.0, 1.0]);
    let n = rows.len();
    let mut tree = Tree::<Box3>::new(1);
    tree.build(&Threads::new(1).unwrap(), Cloud { rows: &rows, radii: &vec![1e-7; n], phases: &[] });
    let printed_bound = CODE_BITS as usize + 1;
    let right_bound = CODE_BITS as usize + duplicates.next_power_of_two().ilog2() as usize + 1;
    assert!(tree.height() > printed_bound, "{} levels", tree.height());
    assert!(tree.height() > 64, "a 64-bit stack holds all levels");
    assert!(tree.height() <= right_bound && right_bound <= MAX_DEPTH);
    // D4: 45 bits of code and up to 2³² duplicates "will not exceed 64".
    let (code_bits, index_bits, printed_most) = (45, 32, 64);
    assert!(code_bits + index_bits + 1 > printed_most);
    let mut every = leaves(&tree, Walk::Sparse);
    every.sort_unstable();
    assert_eq!(every, (0..n as u32).collect::<Vec<_>>());
}
