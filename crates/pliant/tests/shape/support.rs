//! Random matrices and bodies from fixed seeds, a reference decomposition, and sums in double precision.

use pliant::math::matrix::{Mat3, Quat, Vec3, apply, matrix_of, quat_normalize};
use pliant::shape_matching::{MatchSettings, ShapeMatch, match_shapes};

pub type Row = [f32; 4];
pub type Mat = [[f64; 3]; 3];

/// A small generator of numbers (xorshift).
pub struct Random(pub u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn within(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.bits() >> 40) as f32 / (1_u64 << 24) as f32)
    }

    pub fn vector(&mut self) -> Vec3 {
        [0; 3].map(|_| self.within(-1.0, 1.0))
    }

    pub fn quat(&mut self) -> Quat {
        quat_normalize([0; 4].map(|_| self.within(-1.0, 1.0)))
    }

    /// U diag(σ) Vᵀ with random rotations U and V: the signs of σ decide whether it is inverted.
    pub fn matrix(&mut self, sigma: Vec3) -> Mat3 {
        let (u, v) = (matrix_of(self.quat()), matrix_of(self.quat()));
        [0, 1, 2].map(|c| [0, 1, 2].map(|r| (0..3).map(|k| u[k][r] * sigma[k] * v[k][c]).sum()))
    }

    /// Matrices of every sort: random, nearly singular, flat, inverted, of rank one and zero, small and large.
    pub fn matrices(&mut self, of_each: usize) -> Vec<(&'static str, Mat3)> {
        let mut all = Vec::new();
        for _ in 0..of_each {
            let size = 10_f32.powf(self.within(-12.0, 12.0));
            let [s, t, tiny] = [self.within(0.1, 1.0), self.within(0.05, 0.1), self.within(0.0, 1e-6)];
            let random = [0; 3].map(|_| self.vector());
            for (name, matrix) in [
                ("random", random),
                ("regular", self.matrix([1.0, s, t])),
                ("nearly singular", self.matrix([1.0, s, tiny])),
                ("nearly rank one", self.matrix([1.0, tiny, -tiny])),
                ("flat", self.matrix([1.0, s, 0.0])),
                ("inverted", self.matrix([1.0, s, -t])),
                ("mirrored", self.matrix([-1.0, -s, -s])),
                ("rank one", self.matrix([1.0, 0.0, 0.0])),
                ("axis", [[1.0, 0.0, 0.0], [0.0, s, 0.0], [0.0, 0.0, t]]),
                ("zero", [[0.0; 3]; 3]),
            ] {
                all.push((name, matrix.map(|c| c.map(|v| v * size))));
            }
        }
        all
    }
}

pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn determinant(m: &Mat3) -> f64 {
    let [a, b, c] = m.map(|c| c.map(f64::from));
    dot(cross(a, b), c)
}

/// Singular values, largest first, the last negative for det < 0, and the proper rotation nearest to the matrix.
/// One-sided Jacobi in double precision.
pub fn svd(a: &Mat3) -> ([f64; 3], Mat) {
    let mut u = a.map(|c| c.map(f64::from));
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..60 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (pp, qq, pq) = (dot(u[p], u[p]), dot(u[q], u[q]), dot(u[p], u[q]));
            if pq.abs() <= 1e-16 * (pp * qq).sqrt() {
                continue;
            }
            let z = (qq - pp) / (2.0 * pq);
            let t = if z < 0.0 { -1.0 } else { 1.0 } / (z.abs() + (1.0 + z * z).sqrt());
            let c = 1.0 / (1.0 + t * t).sqrt();
            for m in [&mut u, &mut v] {
                for k in 0..3 {
                    (m[p][k], m[q][k]) = (c * m[p][k] - c * t * m[q][k], c * t * m[p][k] + c * m[q][k]);
                }
            }
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| dot(u[j], u[j]).total_cmp(&dot(u[i], u[i])));
    let mut sigma = order.map(|i| dot(u[i], u[i]).sqrt());
    let unit = |i: usize| u[order[i]].map(|x| x / sigma[i]);
    let (u1, u2) = (unit(0), unit(1));
    let (v1, v2) = (v[order[0]], v[order[1]]);
    let (u3, v3) = (cross(u1, u2), cross(v1, v2));
    let r = [0, 1, 2].map(|c| [0, 1, 2].map(|r| u1[r] * v1[c] + u2[r] * v2[c] + u3[r] * v3[c]));
    if determinant(a) < 0.0 {
        sigma[2] = -sigma[2];
    }
    (sigma, r)
}

/// tr(RᵀA), what the best rotation makes largest.
pub fn objective(r: &Mat3, a: &Mat3) -> f64 {
    (0..3).map(|k| dot(r[k].map(f64::from), a[k].map(f64::from))).sum()
}

/// Largest difference of entries.
pub fn apart(a: &Mat3, b: &Mat) -> f64 {
    (0..9).map(|k| (f64::from(a[k / 3][k % 3]) - b[k / 3][k % 3]).abs()).fold(0.0, f64::max)
}

/// How far a matrix is from a proper rotation.
pub fn improper(r: &Mat3) -> f64 {
    let r64 = r.map(|c| c.map(f64::from));
    let gram = (0..9).map(|k| (dot(r64[k / 3], r64[k % 3]) - f64::from(u8::from(k / 3 == k % 3))).abs());
    gram.fold((determinant(r) - 1.0).abs(), f64::max)
}

/// A block of nx × ny × nz particles, 0.1 m apart, 1 kg each.
pub fn block(n: [u32; 3]) -> Vec<Row> {
    let all = (0..n[2]).flat_map(move |z| (0..n[1]).flat_map(move |y| (0..n[0]).map(move |x| [x, y, z])));
    all.map(|[x, y, z]| [x as f32 * 0.1, y as f32 * 0.1, z as f32 * 0.1, 1.0]).collect()
}

/// The rows turned about the origin, then shifted.
pub fn moved(rows: &[Row], m: &Mat3, shift: Vec3) -> Vec<Row> {
    let place = |r: &Row| {
        let p = apply(m, [r[0], r[1], r[2]]);
        [p[0] + shift[0], p[1] + shift[1], p[2] + shift[2], r[3]]
    };
    rows.iter().map(place).collect()
}

/// The rows with every free particle somewhere else.
pub fn shaken(rows: &[Row], random: &mut Random, by: f32) -> Vec<Row> {
    let mut shaken = rows.to_vec();
    for row in shaken.iter_mut().filter(|r| r[3] > 0.0) {
        let v = random.vector();
        (0..3).for_each(|k| row[k] += by * v[k]);
    }
    shaken
}

pub fn distance(a: &Row, b: &Row) -> f32 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f32>().sqrt()
}

/// Largest distance between particles of the same number.
pub fn farthest(a: &[Row], b: &[Row]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| distance(a, b)).fold(0.0, f32::max)
}

/// Largest change of a distance between particles.
pub fn bent(rest: &[Row], now: &[Row]) -> f32 {
    let pairs = (0..rest.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.map(|(i, j)| (distance(&rest[i], &rest[j]) - distance(&now[i], &now[j])).abs()).fold(0.0, f32::max)
}

/// Σ m Δx and Σ m x × Δx, each over the sum of its magnitudes.
pub fn momentum(before: &[Row], after: &[Row]) -> (f64, f64) {
    let (mut linear, mut angular, mut sizes) = ([0.0; 3], [0.0; 3], [0.0; 2]);
    for (b, a) in before.iter().zip(after) {
        let m = 1.0 / f64::from(b[3]);
        let x = [0, 1, 2].map(|k| f64::from(b[k]));
        let d = [0, 1, 2].map(|k| m * (f64::from(a[k]) - x[k]));
        let l = cross(x, d);
        (0..3).for_each(|k| (linear[k], angular[k]) = (linear[k] + d[k], angular[k] + l[k]));
        (sizes[0], sizes[1]) = (sizes[0] + dot(d, d).sqrt(), sizes[1] + dot(l, l).sqrt());
    }
    (dot(linear, linear).sqrt() / sizes[0], dot(angular, angular).sqrt() / sizes[1])
}

/// One substep of so many iterations.
pub fn substep(shapes: &mut ShapeMatch, rows: &mut [Row], h: f32, iterations: u32) {
    shapes.begin(h, iterations);
    for _ in 0..iterations {
        match_shapes(shapes, rows, &MatchSettings::default());
    }
    shapes.flow(h);
}
