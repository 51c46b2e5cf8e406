//! Joins the line segments of ropes to polylines.

use pliant::frame::Topology;

/// Polylines of a shape: each starts at a free end or a branch; closed rings start anywhere.
pub fn polylines(shape: &Topology) -> Vec<Vec<u32>> {
    let mut joined: Vec<Vec<usize>> = vec![Vec::new(); shape.objects.len()];
    for (i, line) in shape.lines.iter().enumerate() {
        line.iter().for_each(|&p| joined[p as usize].push(i));
    }
    let mut used = vec![false; shape.lines.len()];
    let mut polylines = Vec::new();
    let ends = (0..joined.len()).filter(|&p| !joined[p].is_empty() && joined[p].len() != 2);
    let rings = (0..joined.len()).filter(|&p| joined[p].len() == 2);
    for start in ends.chain(rings) {
        while let Some(polyline) = follow(start, shape, &joined, &mut used) {
            polylines.push(polyline);
        }
    }
    polylines
}

/// Follows unused segments from a particle to an end or a branch.
fn follow(start: usize, shape: &Topology, joined: &[Vec<usize>], used: &mut [bool]) -> Option<Vec<u32>> {
    let mut polyline = vec![start as u32];
    let mut here = start;
    while let Some(&line) = joined[here].iter().find(|&&l| !used[l]) {
        used[line] = true;
        let [a, b] = shape.lines[line];
        here = if a as usize == here { b as usize } else { a as usize };
        polyline.push(here as u32);
        if joined[here].len() != 2 {
            break;
        }
    }
    (polyline.len() > 1).then_some(polyline)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(particles: usize, lines: &[[u32; 2]]) -> Topology {
        Topology { lines: lines.to_vec(), objects: vec![0; particles], ..Topology::default() }
    }

    #[test]
    fn segments_in_any_order_become_one_polyline_per_rope() {
        let shape = lines(6, &[[1, 2], [1, 0], [4, 3], [4, 5]]);
        assert_eq!(polylines(&shape), [vec![0, 1, 2], vec![3, 4, 5]]);
    }

    #[test]
    fn a_ring_ends_where_it_starts() {
        assert_eq!(polylines(&lines(3, &[[0, 1], [1, 2], [2, 0]])), [vec![0, 1, 2, 0]]);
    }

    #[test]
    fn a_branch_splits_a_polyline() {
        let found = polylines(&lines(4, &[[0, 1], [1, 2], [1, 3]]));
        assert_eq!(found.iter().map(Vec::len).sum::<usize>(), 6);
        assert_eq!(found.len(), 3);
    }
}
