//! Cholesky factorization of a symmetric positive matrix whose rows start at their first nonzero (skyline storage).
//!
//! Unknowns come in threes that start at the same column, so that nine products of rows are formed at once, four columns at
//! a time, with and without vector instructions in the same order.

use crate::runtime::cpu::isa::{Isa, LaneWidth};
use glam::Mat3;

/// A symmetric matrix, or its factor: row by row, each from its first nonzero column to the diagonal.
#[derive(Clone, Debug, Default)]
pub(super) struct Envelope {
    /// First column of each row.
    first: Vec<u32>,
    /// Where each row starts, minus its first column, so that `values[start + column]` is an entry.
    start: Vec<isize>,
    values: Vec<f64>,
    /// 1/Lᵢᵢ; 0 for rows that depend on those before them, whose unknowns stay 0.
    inverse: Vec<f64>,
}

/// Pivots smaller than this part of the diagonal are of rounding alone.
const DEPENDENT: f64 = 1e-10;

impl Envelope {
    /// Zeros, with the first column of each row. Rows come in threes, from the same column on, a multiple of three.
    pub(super) fn new(first: Vec<u32>) -> Self {
        let blocks = first.chunks(3).all(|rows| rows.len() == 3 && rows.iter().all(|&f| f == rows[0] && f % 3 == 0));
        assert!(blocks, "rows of a matrix of blocks start at the same column");
        let mut start = Vec::with_capacity(first.len());
        let mut length = 0_isize;
        for (row, &column) in first.iter().enumerate() {
            start.push(length - column as isize);
            length += row as isize - column as isize + 1;
        }
        let rows = first.len();
        Self { first, start, values: vec![0.0; length as usize], inverse: vec![0.0; rows] }
    }

    pub(super) fn bytes(&self) -> u64 {
        8 * (self.values.len() + self.start.len() + self.inverse.len()) as u64 + 4 * self.first.len() as u64
    }

    pub(super) fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Adds to an entry of the lower triangle.
    #[inline]
    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        debug_assert!(column <= row && column >= self.first[row] as usize);
        self.values[(self.start[row] + column as isize) as usize] += value;
    }

    fn row(&self, row: usize) -> &[f64] {
        let from = (self.start[row] + self.first[row] as isize) as usize;
        &self.values[from..from + row - self.first[row] as usize + 1]
    }

    /// Adds a 3×3 block whose first entry is at `row` ≥ `column`; of one on the diagonal the lower triangle.
    #[inline]
    pub(super) fn add_block(&mut self, row: usize, column: usize, block: &Mat3) {
        let columns = block.to_cols_array_2d();
        for r in 0..3 {
            let at = (self.start[row + r] + column as isize) as usize;
            let most = if row == column { r + 1 } else { 3 };
            for (value, column) in self.values[at..at + most].iter_mut().zip(&columns) {
                *value += f64::from(column[r]);
            }
        }
    }

    /// Replaces the matrix by its factor.
    pub(super) fn factor(&mut self, isa: Isa) {
        match isa.width() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Isa` of AVX2 only exists where the processor was seen to have it.
            LaneWidth::Avx2 => unsafe { self.factor_avx2() },
            _ => self.factor_blocks::<[f64; 4]>(),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn factor_avx2(&mut self) {
        self.factor_blocks::<quad::Avx>();
    }

    #[inline(always)]
    fn factor_blocks<Q: Quad>(&mut self) {
        for i in (0..self.first.len()).step_by(3) {
            let first = self.first[i] as usize;
            let begin = (self.start[i] + first as isize) as usize;
            let (before, rest) = self.values.split_at_mut(begin);
            // Rows of the block: each has one more entry than the last.
            let (r0, rest) = rest.split_at_mut(i - first + 1);
            let (r1, rest) = rest.split_at_mut(i - first + 2);
            let r2 = &mut rest[..i - first + 3];
            for j in (first..i).step_by(3) {
                let from = first.max(self.first[j] as usize);
                let other = |k: usize| {
                    let at = (self.start[j + k] + from as isize) as usize;
                    &before[at..at + j - from + k]
                };
                let (o0, o1, o2) = (other(0), other(1), other(2));
                let (low, high) = (from - first, j - first);
                let sums = products::<Q>(
                    [&r0[low..high], &r1[low..high], &r2[low..high]],
                    [o0, &o1[..j - from], &o2[..j - from]],
                );
                let (l10, l20, l21) = (o1[j - from], o2[j - from], o2[j - from + 1]);
                let inverse = [self.inverse[j], self.inverse[j + 1], self.inverse[j + 2]];
                for (row, sums) in [&mut *r0, &mut *r1, &mut *r2].into_iter().zip(sums) {
                    let own = &mut row[high..high + 3];
                    own[0] = (own[0] - sums[0]) * inverse[0];
                    own[1] = (own[1] - sums[1] - own[0] * l10) * inverse[1];
                    own[2] = (own[2] - sums[2] - own[0] * l20 - own[1] * l21) * inverse[2];
                }
            }
            let n = i - first;
            let sums = products::<Q>([&r0[..n], &r1[..n], &r2[..n]], [&r0[..n], &r1[..n], &r2[..n]]);
            let pivot = |diagonal: f64, rest: f64| if rest > DEPENDENT * diagonal { 1.0 / rest.sqrt() } else { 0.0 };
            let p0 = pivot(r0[n], r0[n] - sums[0][0]);
            r1[n] = (r1[n] - sums[1][0]) * p0;
            let p1 = pivot(r1[n + 1], r1[n + 1] - sums[1][1] - r1[n] * r1[n]);
            r2[n] = (r2[n] - sums[2][0]) * p0;
            r2[n + 1] = (r2[n + 1] - sums[2][1] - r2[n] * r1[n]) * p1;
            let p2 = pivot(r2[n + 2], r2[n + 2] - sums[2][2] - r2[n] * r2[n] - r2[n + 1] * r2[n + 1]);
            (self.inverse[i], self.inverse[i + 1], self.inverse[i + 2]) = (p0, p1, p2);
        }
    }

    /// Replaces `b` by the solution of the factored system.
    pub(super) fn solve(&self, b: &mut [f64]) {
        for i in (0..b.len()).step_by(3) {
            let first = self.first[i] as usize;
            let (known, own) = b.split_at_mut(i);
            let [r0, r1, r2] = [self.row(i), self.row(i + 1), self.row(i + 2)];
            let n = i - first;
            let sums = dots(&known[first..], [&r0[..n], &r1[..n], &r2[..n]]);
            own[0] = (own[0] - sums[0]) * self.inverse[i];
            own[1] = (own[1] - sums[1] - r1[n] * own[0]) * self.inverse[i + 1];
            own[2] = (own[2] - sums[2] - r2[n] * own[0] - r2[n + 1] * own[1]) * self.inverse[i + 2];
        }
        for i in (0..b.len()).step_by(3).rev() {
            let first = self.first[i] as usize;
            let (known, own) = b.split_at_mut(i);
            let [r0, r1, r2] = [self.row(i), self.row(i + 1), self.row(i + 2)];
            let n = i - first;
            let c = own[2] * self.inverse[i + 2];
            let b = (own[1] - r2[n + 1] * c) * self.inverse[i + 1];
            let a = (own[0] - r1[n] * b - r2[n] * c) * self.inverse[i];
            (own[0], own[1], own[2]) = (a, b, c);
            let rows = r0[..n].iter().zip(&r1[..n]).zip(&r2[..n]);
            for (known, ((r0, r1), r2)) in known[first..].iter_mut().zip(rows) {
                *known -= r0 * a + r1 * b + r2 * c;
            }
        }
    }
}

/// Four numbers in double precision.
trait Quad: Copy {
    fn zero() -> Self;
    /// The first four.
    fn load(from: &[f64]) -> Self;
    /// self + a·b, rounded twice.
    fn add_product(self, a: Self, b: Self) -> Self;
    fn sum(self) -> f64;
}

impl Quad for [f64; 4] {
    #[inline(always)]
    fn zero() -> Self {
        [0.0; 4]
    }
    #[inline(always)]
    fn load(from: &[f64]) -> Self {
        [from[0], from[1], from[2], from[3]]
    }
    #[inline(always)]
    fn add_product(self, a: Self, b: Self) -> Self {
        std::array::from_fn(|k| self[k] + a[k] * b[k])
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        (self[0] + self[1]) + (self[2] + self[3])
    }
}

#[cfg(target_arch = "x86_64")]
mod quad {
    use super::Quad;
    use std::arch::x86_64::*;

    /// Exists only inside functions compiled for AVX2.
    #[derive(Clone, Copy)]
    pub(super) struct Avx(__m256d);

    impl Quad for Avx {
        #[inline(always)]
        fn zero() -> Self {
            // SAFETY: used only by `factor_avx2`, which runs where the processor has AVX2.
            Self(unsafe { _mm256_setzero_pd() })
        }
        #[inline(always)]
        fn load(from: &[f64]) -> Self {
            let from = &from[..4];
            // SAFETY: as above, and there are four numbers.
            Self(unsafe { _mm256_loadu_pd(from.as_ptr()) })
        }
        #[inline(always)]
        fn add_product(self, a: Self, b: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm256_add_pd(self.0, _mm256_mul_pd(a.0, b.0)) })
        }
        #[inline(always)]
        fn sum(self) -> f64 {
            let mut all = [0.0; 4];
            // SAFETY: as above, and there is room for four numbers.
            unsafe { _mm256_storeu_pd(all.as_mut_ptr(), self.0) };
            all.sum()
        }
    }
}

/// Rows shorter than this, as those of chains, are not worth the sums over four columns at the end.
const SHORT: usize = 8;

/// Dot products of three rows with three others of the same length.
#[inline(always)]
fn products<Q: Quad>(a: [&[f64]; 3], b: [&[f64]; 3]) -> [[f64; 3]; 3] {
    let n = a[0].len();
    let [a0, a1, a2] = [&a[0][..n], &a[1][..n], &a[2][..n]];
    let [b0, b1, b2] = [&b[0][..n], &b[1][..n], &b[2][..n]];
    let mut sums = [[0.0; 3]; 3];
    let mut k = 0;
    if n < SHORT {
        while k < n {
            add_products(&mut sums, [a0[k], a1[k], a2[k]], [b0[k], b1[k], b2[k]]);
            k += 1;
        }
        return sums;
    }
    let mut all = [[Q::zero(); 3]; 3];
    while k + 4 <= n {
        let (x0, x1, x2) = (Q::load(&a0[k..]), Q::load(&a1[k..]), Q::load(&a2[k..]));
        let (y0, y1, y2) = (Q::load(&b0[k..]), Q::load(&b1[k..]), Q::load(&b2[k..]));
        all[0] = [all[0][0].add_product(x0, y0), all[0][1].add_product(x0, y1), all[0][2].add_product(x0, y2)];
        all[1] = [all[1][0].add_product(x1, y0), all[1][1].add_product(x1, y1), all[1][2].add_product(x1, y2)];
        all[2] = [all[2][0].add_product(x2, y0), all[2][1].add_product(x2, y1), all[2][2].add_product(x2, y2)];
        k += 4;
    }
    for (sums, all) in sums.iter_mut().zip(&all) {
        for (sum, quad) in sums.iter_mut().zip(all) {
            *sum = quad.sum();
        }
    }
    while k < n {
        add_products(&mut sums, [a0[k], a1[k], a2[k]], [b0[k], b1[k], b2[k]]);
        k += 1;
    }
    sums
}

#[inline(always)]
fn add_products(sums: &mut [[f64; 3]; 3], x: [f64; 3], y: [f64; 3]) {
    for i in 0..3 {
        for j in 0..3 {
            sums[i][j] += x[i] * y[j];
        }
    }
}

/// Dot products of a vector with three rows of the same length, two sums each, so that processors overlap them.
#[inline]
fn dots(a: &[f64], [r0, r1, r2]: [&[f64]; 3]) -> [f64; 3] {
    let mut sums = [[0.0; 2]; 3];
    let n = a.len();
    let (r0, r1, r2) = (&r0[..n], &r1[..n], &r2[..n]);
    let mut k = 0;
    while k + 2 <= n {
        for l in 0..2 {
            sums[0][l] += a[k + l] * r0[k + l];
            sums[1][l] += a[k + l] * r1[k + l];
            sums[2][l] += a[k + l] * r2[k + l];
        }
        k += 2;
    }
    let mut all = sums.map(|[x, y]| x + y);
    if k < n {
        all = [all[0] + a[k] * r0[k], all[1] + a[k] * r1[k], all[2] + a[k] * r2[k]];
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A banded positive matrix, and the same with all entries.
    fn banded(n: usize, width: usize) -> (Envelope, Vec<Vec<f64>>) {
        let first = |i: usize| (i / 3 * 3).saturating_sub(width);
        let mut matrix = Envelope::new((0..n).map(|i| first(i) as u32).collect());
        let mut dense = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in first(i)..=i {
                let value =
                    if i == j { 9.0 + i as f64 * 0.1 } else { ((i * 7 + j * 3) as f64).sin() / (1 + i - j) as f64 };
                matrix.add(i, j, value);
                (dense[i][j], dense[j][i]) = (value, value);
            }
        }
        (matrix, dense)
    }

    #[test]
    fn the_factor_solves_the_system_with_the_same_bits_in_all_widths() {
        for (n, width) in [(39, 3), (60, 21), (48, 48)] {
            let (matrix, dense) = banded(n, width);
            let wanted: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();
            let known: Vec<f64> = dense.iter().map(|row| row.iter().zip(&wanted).map(|(a, x)| a * x).sum()).collect();
            let mut bits = Vec::new();
            for isa in Isa::available() {
                let (mut matrix, mut b) = (matrix.clone(), known.clone());
                matrix.factor(isa);
                matrix.solve(&mut b);
                for (x, wanted) in b.iter().zip(&wanted) {
                    assert!((x - wanted).abs() < 1e-11, "{x} is not {wanted}");
                }
                bits.push(b.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
            }
            assert!(bits.windows(2).all(|two| two[0] == two[1]));
        }
    }

    #[test]
    fn unknowns_of_a_singular_matrix_stay_finite() {
        let mut matrix = Envelope::new(vec![0; 3]);
        for (row, column) in [(0, 0), (1, 0), (1, 1)] {
            matrix.add(row, column, 2.0);
        }
        matrix.factor(Isa::SCALAR);
        let mut b = vec![4.0, 4.0, 0.0];
        matrix.solve(&mut b);
        assert!((b[0] - 2.0).abs() < 1e-12 && b[1] == 0.0 && b[2] == 0.0, "{b:?}");
    }
}
