//! Point clouds of every kind, and brute-force search.

use pliant::Threads;
use pliant::math::RowData;
use pliant::neighbors::{Cloud, Neighbors, Pairs, near, phases_collide};

/// Particles that own what a [`Cloud`] borrows.
pub struct Case {
    pub name: &'static str,
    pub rows: Vec<RowData>,
    pub radii: Vec<f32>,
    pub phases: Vec<u32>,
    pub margin: f32,
}

impl Case {
    pub fn cloud(&self) -> Cloud<'_> {
        Cloud { rows: &self.rows, radii: &self.radii, phases: &self.phases }
    }

    /// All pairs, by brute force.
    pub fn brute_force(&self, pairs: Pairs) -> Vec<(u32, u32)> {
        let mut all = Vec::new();
        for i in 0..self.rows.len() {
            let first = if pairs == Pairs::Once { i + 1 } else { 0 };
            for j in first..self.rows.len() {
                let meet = phases_collide(self.cloud().phase(i), self.cloud().phase(j));
                if i != j && meet && near(self.rows[i], self.radii[i], self.rows[j], self.radii[j], self.margin) {
                    all.push((i as u32, j as u32));
                }
            }
        }
        all
    }
}

/// Entries of lists, in their order.
pub fn entries(lists: &Neighbors) -> Vec<(u32, u32)> {
    lists.iter().collect()
}

/// Numbers in [0, 1) that are the same every time.
pub struct Rng(pub u64);

impl Rng {
    pub fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 24) as f32
    }

    pub fn point(&mut self, edge: f32) -> RowData {
        [self.unit() * edge, self.unit() * edge, self.unit() * edge, 1.0]
    }
}

pub fn one() -> Threads {
    Threads::new(1).unwrap()
}

/// The clouds of the checklist: random, shells, clumps, planes, duplicates, all sizes, far away, tiny.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name, rows: Vec<RowData>, radius: &dyn Fn(usize) -> f32, margin| {
        let radii = (0..rows.len()).map(radius).collect();
        cases.push(Case { name, rows, radii, phases: Vec::new(), margin });
    };
    let mut rng = Rng(7);
    let n = 700;
    let mut cloud = |edge: f32| -> Vec<RowData> { (0..n).map(|_| rng.point(edge)).collect() };
    let moved = |rows: Vec<RowData>, by: [f32; 3]| -> Vec<RowData> {
        rows.into_iter().map(|[x, y, z, w]| [x + by[0], y + by[1], z + by[2], w]).collect()
    };
    add("random cloud", cloud(1.0), &|_| 0.05, 0.0);
    add("random cloud with a margin", cloud(1.0), &|_| 0.03, 0.02);
    add("around the origin", moved(cloud(1.0), [-0.5; 3]), &|_| 0.04, 0.01);
    let shell = |rows: Vec<RowData>| -> Vec<RowData> {
        let out = |[x, y, z, _]: RowData| {
            let (x, y, z) = (x - 0.5, y - 0.5, z - 0.5);
            let s = 1.0 / (x * x + y * y + z * z).sqrt().max(1e-6);
            [x * s, y * s, z * s, 1.0]
        };
        rows.into_iter().map(out).collect()
    };
    add("shell", shell(cloud(1.0)), &|_| 0.07, 0.0);
    add("one clump", cloud(0.05), &|_| 0.01, 0.002);
    let mut two = cloud(0.1);
    two.extend(moved(cloud(0.1), [900.0, -4000.0, 77.0]));
    add("two clumps far apart", two, &|_| 0.006, 0.0);
    for k in 0..3 {
        let mut plane = cloud(1.0);
        plane.iter_mut().for_each(|row| row[k] = 0.25);
        add(["plane across x", "plane across y", "plane across z"][k], plane, &|_| 0.02, 0.001);
    }
    let line = cloud(1.0).into_iter().map(|[x, ..]| [3.0, x, -2.0, 1.0]).collect();
    add("line", line, &|_| 0.001, 0.0005);
    add("all at one point", vec![[0.3, -0.2, 0.9, 1.0]; 80], &|_| 0.01, 0.0);
    let doubled = cloud(1.0).into_iter().take(40).flat_map(|row| [row; 12]).collect();
    add("many at each of forty points", doubled, &|_| 0.06, 0.0);
    let lattice = (0..n).map(|i| [(i % 9) as f32, (i / 9 % 9) as f32, (i / 81) as f32, 1.0]).collect();
    add("lattice that just does not touch", lattice, &|_| 0.5, 0.0);
    let lattice =
        (0..n).map(|i| [(i % 9) as f32 * 0.15, (i / 9 % 9) as f32 * 0.15, (i / 81) as f32 * 0.15, 1.0]).collect();
    add("lattice on cell borders", lattice, &|_| 0.075, 0.0);
    add("two sizes", cloud(1.0), &|i| if i % 10 == 0 { 0.12 } else { 0.03 }, 0.0);
    add("radii 1:64", cloud(1.0), &|i| 0.004 * 64_f32.powf((i % 101) as f32 / 100.0), 0.001);
    add("one giant", cloud(1.0), &|i| if i == 333 { 0.7 } else { 0.01 }, 0.0);
    add("no radii and no margin", cloud(1.0), &|_| 0.0, 0.0);
    add("no radii", cloud(1.0), &|_| 0.0, 0.1);
    add("far from the origin", moved(cloud(4.0), [1e5, -1e5, 1e5]), &|_| 0.15, 0.0);
    add("far from the origin, mixed", moved(cloud(4.0), [-1e5, 1e5, 7e4]), &|i| 0.02 * (1 + i % 20) as f32, 0.01);
    let mut astray = cloud(1.0);
    astray[13] = [-1e30, 0.5, 0.5, 1.0];
    astray[14] = [0.5, 3e9, 0.5, 1.0];
    astray[15] = [f32::INFINITY, 0.5, f32::NEG_INFINITY, 1.0];
    add("some astray", astray, &|_| 0.05, 0.0);
    add("very wide", cloud(1e15), &|i| 1e13 * (i % 7) as f32, 0.0);
    add("very small", cloud(1e-12), &|_| 5e-14, 0.0);
    add("empty", Vec::new(), &|_| 1.0, 0.0);
    add("single", vec![[1.0, 2.0, 3.0, 1.0]], &|_| 1.0, 0.0);
    add("two that touch", vec![[1.0, 2.0, 3.0, 1.0], [1.5, 2.0, 3.0, 1.0]], &|_| 0.3, 0.0);
    add("two that do not", vec![[1.0, 2.0, 3.0, 1.0], [1.5, 2.0, 3.0, 1.0]], &|_| 0.2, 0.0);
    for (name, bodies) in [("bodies with phases", 12), ("one body with a phase", 1), ("bodies and grains", 4)] {
        let rows = cloud(1.0);
        // Bodies are slabs, so that subtrees are of one phase; grains have phase 0.
        let phase = |row: &RowData| if bodies == 4 && row[1] > 0.6 { 0 } else { 1 + (row[0] * bodies as f32) as u32 };
        let (phases, radii) = (rows.iter().map(phase).collect(), vec![0.05; n]);
        cases.push(Case { name, rows, radii, phases, margin: 0.0 });
    }
    cases
}
