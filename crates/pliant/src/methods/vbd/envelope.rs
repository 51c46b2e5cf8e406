//! Cholesky factorization of a symmetric positive matrix whose rows start at their first nonzero (skyline storage).

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
    /// Zeros, with the first column of each row.
    pub(super) fn new(first: Vec<u32>) -> Self {
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

    /// Replaces the matrix by its factor.
    pub(super) fn factor(&mut self) {
        for i in 0..self.first.len() {
            let first = self.first[i] as usize;
            let begin = (self.start[i] + first as isize) as usize;
            let (before, rest) = self.values.split_at_mut(begin);
            let own = &mut rest[..i - first + 1];
            for j in first..i {
                let from = first.max(self.first[j] as usize);
                let other = &before[(self.start[j] + from as isize) as usize..(self.start[j] + j as isize) as usize];
                let sum = dot(&own[from - first..j - first], other);
                own[j - first] = (own[j - first] - sum) * self.inverse[j];
            }
            let (diagonal, row) = (own[i - first], &own[..i - first]);
            let pivot = diagonal - dot(row, row);
            self.inverse[i] = if pivot > DEPENDENT * diagonal { 1.0 / pivot.sqrt() } else { 0.0 };
        }
    }

    /// Replaces `b` by the solution of the factored system.
    pub(super) fn solve(&self, b: &mut [f64]) {
        for i in 0..b.len() {
            let row = self.row(i);
            let first = self.first[i] as usize;
            let sum = dot(&row[..i - first], &b[first..i]);
            b[i] = (b[i] - sum) * self.inverse[i];
        }
        for i in (0..b.len()).rev() {
            b[i] *= self.inverse[i];
            let (value, first) = (b[i], self.first[i] as usize);
            let row = self.row(i);
            for (b, l) in b[first..i].iter_mut().zip(row) {
                *b -= l * value;
            }
        }
    }
}

/// Dot product with four sums, so that processors overlap them, in a fixed order.
#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest = a4.remainder().iter().zip(b4.remainder()).fold(0.0, |s, (x, y)| s + x * y);
    for (x, y) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_solves_the_system() {
        // A chain of springs with couplings of width two, and one row that depends on another.
        let n = 40;
        let mut matrix = Envelope::new((0..n).map(|i: u32| i.saturating_sub(2)).collect());
        let mut dense = vec![vec![0.0; n as usize]; n as usize];
        for i in 0..n as usize {
            for j in i.saturating_sub(2)..=i {
                let value = if i == j { 4.0 + i as f64 * 0.1 } else { -1.0 / (1 + i - j) as f64 };
                matrix.add(i, j, value);
                (dense[i][j], dense[j][i]) = (value, value);
            }
        }
        let wanted: Vec<f64> = (0..n).map(|i| (f64::from(i) * 0.7).sin()).collect();
        let mut b: Vec<f64> = dense.iter().map(|row| row.iter().zip(&wanted).map(|(a, x)| a * x).sum()).collect();
        matrix.factor();
        matrix.solve(&mut b);
        for (x, wanted) in b.iter().zip(&wanted) {
            assert!((x - wanted).abs() < 1e-12, "{x} is not {wanted}");
        }
    }

    #[test]
    fn unknowns_of_a_singular_matrix_stay_finite() {
        let mut matrix = Envelope::new(vec![0, 0]);
        for (row, column) in [(0, 0), (1, 0), (1, 1)] {
            matrix.add(row, column, 2.0);
        }
        matrix.factor();
        let mut b = vec![4.0, 4.0];
        matrix.solve(&mut b);
        assert!((b[0] - 2.0).abs() < 1e-12 && b[1] == 0.0, "{b:?}");
    }
}
