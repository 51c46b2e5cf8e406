//! Connected components, and depth of particles below the surface of a body, from particle positions.
//!
//! For bodies created while a simulation runs; bodies built from meshes have distances from those.

use crate::math::RowData;
use crate::neighbors::{Bounds, Cells, Cloud, Construction, Finder, Grid, Pairs, Search};
use crate::runtime::cpu::Threads;
use glam::Vec3;

/// Search radius, in particle radii: the kernel radius of a fluid.
const REACH: f32 = 4.0;

/// Particles closer than this many radii are connected: 1.5 times the rest distance.
const CONNECTED_DISTANCE: f32 = 3.0;

/// Cosine of the half angle of the outward cone that is empty for surface particles.
const OPEN_CONE_COSINE: f32 = 0.5;

/// Positions connected, directly or through others, to any of the first `seeds`. Without seeds: the largest component
/// (the first of equal ones), or none if it has fewer than `least` positions.
pub fn connected(places: &[Vec3], radius: f32, seeds: usize, least: usize) -> Vec<bool> {
    let finder = find_neighbors(places, CONNECTED_DISTANCE * radius);
    let near = finder.neighbors();
    let mut piece_of = vec![u32::MAX; places.len()];
    let mut sizes = Vec::new();
    let mut open: Vec<usize> = (0..seeds).collect();
    for start in 0..places.len() {
        if piece_of[start] != u32::MAX {
            continue;
        }
        let number = sizes.len() as u32;
        if open.is_empty() {
            open.push(start);
        }
        open.iter().for_each(|&i| piece_of[i] = number);
        let mut size = open.len();
        while let Some(i) = open.pop() {
            for &j in near.of(i) {
                if std::mem::replace(&mut piece_of[j as usize], number) == u32::MAX {
                    open.push(j as usize);
                    size += 1;
                }
            }
        }
        sizes.push(size);
    }
    let most = sizes.iter().copied().max().unwrap_or(0);
    let best = match seeds {
        0 => sizes.iter().position(|&size| size == most && size >= least),
        _ => Some(0),
    };
    piece_of.into_iter().map(|piece| best == Some(piece as usize)).collect()
}

/// Finds the neighbors of each position within `reach` [m].
fn find_neighbors(places: &[Vec3], reach: f32) -> Finder {
    let mut finder = Finder::new(Search::Grid);
    let radii = vec![0.5 * reach; places.len()];
    finder.find(&Threads::one(), Cloud { rows: &rows_of(places), radii: &radii, phases: &[] }, 0.0, Pairs::Both);
    finder
}

fn rows_of(places: &[Vec3]) -> Vec<RowData> {
    places.iter().map(|p| [p.x, p.y, p.z, 0.0]).collect()
}

/// For each position the unit vector of the shortest way out, and the depth below the surface [m], as in
/// [`crate::model::Model::fields`]. Surface particles are one radius deep.
///
/// The outward direction points away from the neighbors. A particle is at the surface if the cone about that direction
/// is empty; all others add the distance to the nearest surface particle to its depth, and take its direction: the
/// direction toward it would often be tangential where bodies are one layer deep.
pub fn fields(places: &[Vec3], radius: f32) -> Vec<RowData> {
    let (rows, reach) = (rows_of(places), REACH * radius);
    let finder = find_neighbors(places, reach);
    let near = finder.neighbors();
    let way_out = |i: usize| {
        let away = near.of(i).iter().map(|&j| places[i] - places[j as usize]);
        away.map(|d| d * (1.0 - d.length_squared() / (reach * reach))).sum::<Vec3>().normalize_or_zero()
    };
    let open = |i: usize, out: Vec3| {
        let hides = |&j: &u32| {
            let d = places[j as usize] - places[i];
            d.dot(out) > OPEN_CONE_COSINE * d.length()
        };
        near.of(i).is_empty() || out != Vec3::ZERO && !near.of(i).iter().any(hides)
    };
    let outs: Vec<Vec3> = (0..places.len()).map(way_out).collect();
    let surface: Vec<usize> = (0..places.len()).filter(|&i| open(i, outs[i])).collect();
    let mut all: Vec<RowData> = outs.iter().map(|out| [out.x, out.y, out.z, radius]).collect();
    if surface.is_empty() {
        return all;
    }
    let shell: Vec<RowData> = surface.iter().map(|&i| rows[i]).collect();
    let bounds = Bounds::of(&shell);
    let cells = Cells::new(&bounds, [bounds.spacing(shell.len()); 3], 4 * shell.len());
    let mut grid = Grid::default();
    let cloud = Cloud { rows: &shell, radii: &vec![0.0; shell.len()], phases: &[] };
    grid.build_with(&Threads::one(), cloud, cells, Construction::Counting);
    let mut found = Vec::new();
    let mut next = surface.iter().peekable();
    for (i, field) in all.iter_mut().enumerate() {
        if next.next_if(|&&s| s == i).is_some() {
            continue;
        }
        grid.nearest(rows[i], 1, &mut found);
        if let Some(nearest) = found.first() {
            let out = outs[surface[nearest.index as usize]];
            *field = [out.x, out.y, out.z, radius + nearest.squared.sqrt()];
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lattice of spacing 2 with small perturbations.
    fn ball(size: i32) -> Vec<Vec3> {
        let mut places = Vec::new();
        for (x, y, z) in (-size..=size)
            .flat_map(|x| (-size..=size).flat_map(move |y| (-size..=size).map(move |z| (x as f32, y as f32, z as f32))))
        {
            let shaken = |a: f32, b: f32| 0.1 * (12.9 * a + 78.2 * b + 3.1).sin();
            let p = 2.0 * Vec3::new(x, y, z) + Vec3::new(shaken(x, y), shaken(y, z), shaken(z, x));
            if p.length() < 2.0 * size as f32 {
                places.push(p);
            }
        }
        places
    }

    #[test]
    fn depth_in_a_ball_is_the_distance_from_its_surface() {
        // A ball of radius 13 including the cells of its outermost particles, within the lattice resolution.
        let places = ball(6);
        for (p, [x, y, z, depth]) in places.iter().zip(fields(&places, 1.0)) {
            let (r, out) = (p.length(), Vec3::new(x, y, z));
            assert!((out.length() - 1.0).abs() < 1e-5, "{out} at {p}");
            assert!((depth - (12.5 - r)).abs() < 1.8, "{depth} deep at {r}");
            if r > 4.0 {
                assert!(out.dot(*p) > 0.7 * r, "{out} points out of {p}");
            }
        }
    }

    #[test]
    fn the_component_is_the_largest_or_that_of_the_seeds() {
        // Three components, in order: two, four and three particles.
        let steps = [0.0, 2.0, 9.0, 11.9, 13.0, 15.0, 30.0, 32.0, 34.0];
        let places: Vec<Vec3> = steps.iter().map(|&x| x * Vec3::X).collect();
        let found = |seeds: usize, least: usize| -> Vec<usize> {
            let all = connected(&places, 1.0, seeds, least);
            (0..places.len()).filter(|&i| all[i]).collect()
        };
        assert_eq!(found(0, 4), [2, 3, 4, 5]);
        assert!(found(0, 5).is_empty());
        assert_eq!(found(1, 4), [0, 1]);
        assert_eq!(found(3, 4), [0, 1, 2, 3, 4, 5]);
        assert!(connected(&[], 1.0, 0, 1).is_empty());
    }

    #[test]
    fn one_particle_two_and_a_row_are_all_surface() {
        assert_eq!(fields(&[], 1.0).len(), 0);
        assert_eq!(fields(&[Vec3::ONE], 1.0), [[0.0, 0.0, 0.0, 1.0]]);
        let two = fields(&[Vec3::ZERO, 2.0 * Vec3::X], 1.0);
        assert_eq!(two, [[-1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]]);
        let row: Vec<Vec3> = (0..9).map(|k| 2.0 * k as f32 * Vec3::X).collect();
        assert!(fields(&row, 1.0).iter().all(|f| f.iter().all(|v| v.is_finite()) && f[3] >= 1.0));
    }
}
