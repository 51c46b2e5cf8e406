//! Static bounding volume hierarchy over triangles: built once, traversed with a small stack.

use glam::Vec3;

/// Maximum triangles of a leaf.
const LEAF: usize = 4;

/// Traversal stack size. The tree is balanced: with leaves of four, 64 levels would be 2⁶⁶ triangles.
const STACK: usize = 64;

/// A node: a box and its children or triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// Lowest corner [m].
    pub min: Vec3,
    /// Highest corner [m].
    pub max: Vec3,
    /// First triangle of a leaf, or index of the second child; the first child follows its parent.
    pub start: u32,
    /// Triangles of a leaf; 0 for inner nodes.
    pub count: u32,
}

/// Axis-aligned boxes around triangles; each node has half as many as its parent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bvh {
    nodes: Vec<Node>,
}

impl Bvh {
    /// Memory on the host [bytes].
    pub(crate) fn bytes(&self) -> u64 {
        crate::memory::of(&self.nodes)
    }

    /// Builds the tree over one box per triangle. Also returns the triangle order of the leaves.
    pub fn new(boxes: &[(Vec3, Vec3)]) -> (Self, Vec<u32>) {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut tree = Self { nodes: Vec::with_capacity(2 * boxes.len().div_ceil(LEAF)) };
        if !boxes.is_empty() {
            tree.split(boxes, &mut order, 0);
        }
        (tree, order)
    }

    /// Builds a node over `order`, whose first entry has position `first` in the order of leaves.
    fn split(&mut self, boxes: &[(Vec3, Vec3)], order: &mut [u32], first: usize) {
        let around = |start: (Vec3, Vec3), i: &u32| {
            let (min, max) = boxes[*i as usize];
            (start.0.min(min), start.1.max(max))
        };
        let (min, max) = order.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), around);
        let here = self.nodes.len();
        self.nodes.push(Node { min, max, start: first as u32, count: order.len() as u32 });
        if order.len() <= LEAF {
            return;
        }
        let middle = |i: u32| boxes[i as usize].0 + boxes[i as usize].1;
        let spread = order
            .iter()
            .map(|&i| middle(i))
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), m| (l.min(m), h.max(m)));
        let size = spread.1 - spread.0;
        let axis = if size.x >= size.y && size.x >= size.z { 0 } else { 1 + usize::from(size.z > size.y) };
        let half = order.len() / 2;
        // Ties by index: the same mesh gives the same tree.
        order.select_nth_unstable_by(half, |&i, &j| middle(i)[axis].total_cmp(&middle(j)[axis]).then(i.cmp(&j)));
        order[..half].sort_unstable();
        order[half..].sort_unstable();
        let (low, high) = order.split_at_mut(half);
        self.split(boxes, low, first);
        let second = self.nodes.len() as u32;
        self.split(boxes, high, first + half);
        (self.nodes[here].start, self.nodes[here].count) = (second, 0);
    }

    /// Fits all boxes to primitives that have moved; `bounds` has the box of the primitive at each place in the order of
    /// leaves.
    pub fn refit(&mut self, bounds: impl Fn(usize) -> (Vec3, Vec3)) {
        // Children follow their parents.
        for n in (0..self.nodes.len()).rev() {
            let Node { start, count, .. } = self.nodes[n];
            let (min, max) = if count > 0 {
                let leaves = (start as usize..(start + count) as usize).map(&bounds);
                leaves.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), (min, max)| (l.min(min), h.max(max)))
            } else {
                let (a, b) = (&self.nodes[n + 1], &self.nodes[start as usize]);
                (a.min.min(b.min), a.max.max(b.max))
            };
            (self.nodes[n].min, self.nodes[n].max) = (min, max);
        }
    }

    /// All nodes.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + '_ {
        self.nodes.iter().copied()
    }

    /// Bounding box of the tree; `None` if it is empty.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        self.nodes.first().map(|n| (n.min, n.max))
    }

    /// Visits all leaves that may contain something closer than `limit` by `distance` (of a box), nearer children
    /// first. `visit` gets a triangle's position in the order of leaves and the limit, which it may lower.
    #[inline]
    pub fn walk(&self, mut limit: f32, distance: impl Fn(Vec3, Vec3) -> f32, mut visit: impl FnMut(usize, &mut f32)) {
        if self.nodes.is_empty() {
            return;
        }
        let far = |n: u32| distance(self.nodes[n as usize].min, self.nodes[n as usize].max);
        let mut stack = [(0_u32, 0.0_f32); STACK];
        let mut depth = 1;
        stack[0] = (0, far(0));
        while depth > 0 {
            depth -= 1;
            let (number, from) = stack[depth];
            if from >= limit {
                continue;
            }
            let node = self.nodes[number as usize];
            if node.count > 0 {
                let start = node.start as usize;
                (start..start + node.count as usize).for_each(|i| visit(i, &mut limit));
                continue;
            }
            let mut children = [(number + 1, far(number + 1)), (node.start, far(node.start))];
            if children[1].1 < children[0].1 {
                children.swap(0, 1);
            }
            for child in [children[1], children[0]] {
                if child.1 < limit {
                    stack[depth] = child;
                    depth += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_box_is_in_one_leaf_and_a_walk_without_limit_sees_all() {
        let boxes: Vec<_> = (0..1000_u32)
            .map(|i| {
                let p = Vec3::new((i * 7 % 101) as f32, (i * 13 % 89) as f32, (i * 29 % 97) as f32);
                (p, p + 1.0)
            })
            .collect();
        let (tree, order) = Bvh::new(&boxes);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..1000).collect::<Vec<_>>());
        let mut seen = vec![0; 1000];
        tree.walk(f32::INFINITY, |_, _| 0.0, |i, _| seen[order[i] as usize] += 1);
        assert!(seen.iter().all(|&n| n == 1));
        assert!(Bvh::new(&[]).0.bounds().is_none());
    }

    #[test]
    fn many_triangles_in_one_place_make_no_deep_tree() {
        let (tree, _) = Bvh::new(&vec![(Vec3::ZERO, Vec3::ONE); 100_000]);
        let mut seen = 0;
        tree.walk(1.0, |_, _| 0.5, |_, _| seen += 1);
        assert_eq!(seen, 100_000);
    }
}
