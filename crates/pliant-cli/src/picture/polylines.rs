//! Ropes as a picture has them: their lines, joined.

use pliant::frame::Shape;

/// Lines joined to chains: each starts at a free end or a fork, closed rings anywhere.
pub fn chains(shape: &Shape) -> Vec<Vec<u32>> {
    let mut joined: Vec<Vec<usize>> = vec![Vec::new(); shape.objects.len()];
    for (i, line) in shape.lines.iter().enumerate() {
        line.iter().for_each(|&p| joined[p as usize].push(i));
    }
    let mut used = vec![false; shape.lines.len()];
    let mut chains = Vec::new();
    let ends = (0..joined.len()).filter(|&p| !joined[p].is_empty() && joined[p].len() != 2);
    let rings = (0..joined.len()).filter(|&p| joined[p].len() == 2);
    for start in ends.chain(rings) {
        while let Some(chain) = walk(start, shape, &joined, &mut used) {
            chains.push(chain);
        }
    }
    chains
}

/// Follows unused lines from a particle until the way ends or forks.
fn walk(start: usize, shape: &Shape, joined: &[Vec<usize>], used: &mut [bool]) -> Option<Vec<u32>> {
    let mut chain = vec![start as u32];
    let mut here = start;
    while let Some(&line) = joined[here].iter().find(|&&l| !used[l]) {
        used[line] = true;
        let [a, b] = shape.lines[line];
        here = if a as usize == here { b as usize } else { a as usize };
        chain.push(here as u32);
        if joined[here].len() != 2 {
            break;
        }
    }
    (chain.len() > 1).then_some(chain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(particles: usize, lines: &[[u32; 2]]) -> Shape {
        Shape { lines: lines.to_vec(), objects: vec![0; particles], ..Shape::default() }
    }

    #[test]
    fn lines_in_any_order_become_one_chain_per_rope() {
        let shape = lines(6, &[[1, 2], [1, 0], [4, 3], [4, 5]]);
        assert_eq!(chains(&shape), [vec![0, 1, 2], vec![3, 4, 5]]);
    }

    #[test]
    fn a_ring_is_a_chain_that_ends_where_it_starts() {
        assert_eq!(chains(&lines(3, &[[0, 1], [1, 2], [2, 0]])), [vec![0, 1, 2, 0]]);
    }

    #[test]
    fn a_fork_splits_a_chain() {
        let found = chains(&lines(4, &[[0, 1], [1, 2], [1, 3]]));
        assert_eq!(found.iter().map(Vec::len).sum::<usize>(), 6);
        assert_eq!(found.len(), 3);
    }
}
