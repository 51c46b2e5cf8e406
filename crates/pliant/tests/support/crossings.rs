//! How many edges pass through triangles, by exact predicates.
//!
//! Coordinates are taken in units of 2⁻³² m, in which a determinant of differences fits 128 bits: signs have no tolerance.
//! Single precision has coarser steps than that from 2 mm on; below, rounding is 1e-10 m.

use glam::Vec3;

type Point = [i128; 3];

fn point(p: Vec3) -> Point {
    let scale = f64::from(2.0_f32.powi(32));
    p.to_array().map(|c| {
        assert!(c.abs() < 64.0, "{p} is too far away for exact predicates");
        (f64::from(c) * scale).round() as i128
    })
}

/// Sign of the volume of a tetrahedron.
fn orientation(a: &Point, b: &Point, c: &Point, d: &Point) -> i128 {
    let to = |p: &Point| -> Point { std::array::from_fn(|k| p[k] - a[k]) };
    let ([a0, a1, a2], [b0, b1, b2], [c0, c1, c2]) = (to(b), to(c), to(d));
    (a0 * (b1 * c2 - b2 * c1) - a1 * (b0 * c2 - b2 * c0) + a2 * (b0 * c1 - b1 * c0)).signum()
}

/// Whether an edge passes through the inside of a triangle.
fn passes([p, q]: [&Point; 2], [a, b, c]: [&Point; 3]) -> bool {
    let (from, to) = (orientation(a, b, c, p), orientation(a, b, c, q));
    if from * to >= 0 {
        return false;
    }
    let sides = [orientation(p, q, a, b), orientation(p, q, b, c), orientation(p, q, c, a)];
    sides == [1; 3] || sides == [-1; 3]
}

/// Number of edges through triangles that they share no vertex with.
pub fn crossings(positions: &[Vec3], triangles: &[[u32; 3]]) -> usize {
    let exact: Vec<Point> = positions.iter().map(|&p| point(p)).collect();
    let at = |i: u32| positions[i as usize];
    let mut edges: Vec<[u32; 2]> =
        triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    // Triangles by cells of a grid; an edge looks into those that its box meets.
    let length = |&[a, b]: &[u32; 2]| f64::from(at(a).distance(at(b)));
    let cell = (1.5 * edges.iter().map(length).sum::<f64>() / edges.len().max(1) as f64) as f32;
    let cells = |low: Vec3, high: Vec3| {
        let (low, high) = ((low / cell).floor().as_ivec3(), (high / cell).floor().as_ivec3());
        (low.x..=high.x).flat_map(move |x| (low.y..=high.y).flat_map(move |y| (low.z..=high.z).map(move |z| [x, y, z])))
    };
    let mut grid: Vec<([i32; 3], u32)> = Vec::new();
    for (t, corners) in triangles.iter().enumerate() {
        let [a, b, c] = corners.map(at);
        grid.extend(cells(a.min(b).min(c), a.max(b).max(c)).map(|key| (key, t as u32)));
    }
    grid.sort_unstable();
    let mut found = Vec::new();
    for (e, &[p, q]) in edges.iter().enumerate() {
        for key in cells(at(p).min(at(q)), at(p).max(at(q))) {
            let first = grid.partition_point(|entry| entry.0 < key);
            for &(_, t) in grid[first..].iter().take_while(|entry| entry.0 == key) {
                let corners = triangles[t as usize];
                let meets = !corners.contains(&p) && !corners.contains(&q);
                let points = corners.map(|i| &exact[i as usize]);
                if meets && passes([&exact[p as usize], &exact[q as usize]], points) {
                    found.push((e as u32, t));
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found.len()
}
