//! An element near the current positions: forces and the positive part of its Hessian, between rows and between modes.

use glam::{Mat3, Vec3};

/// An element near the current positions.
///
/// Energy(x + d) ≈ energy − Σ forceᵢ·dᵢ + ½ Σ dᵢᵀHᵢⱼdⱼ with Hᵢⱼ = Σ kₘₙ gₘᵢgₙⱼᵀ + swap·g₀ⱼg₀ᵢᵀ + sᵢⱼ·I.
/// For an orientation d is a rotation vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Linear {
    /// Number of rows.
    pub(super) rows: usize,
    /// Number of gradients.
    count: usize,
    pub(super) g: [[Vec3; 4]; 3],
    pub(super) k: [[f32; 3]; 3],
    pub(super) swap: f32,
    pub(super) s: [[f32; 4]; 4],
    /// Forces on the rows [N], torques on orientations [N·m].
    pub(super) force: [Vec3; 4],
}

impl Linear {
    pub(super) fn new(rows: usize, count: usize) -> Self {
        let zero = [Vec3::ZERO; 4];
        Self { rows, count, g: [zero; 3], k: [[0.0; 3]; 3], swap: 0.0, s: [[0.0; 4]; 4], force: zero }
    }

    /// Of ½·k·(|s| − rest)² with s = Σ wᵢxᵢ.
    pub(super) fn length(rows: usize, weights: [f32; 4], s: Vec3, rest: f32, k: f32) -> Self {
        let mut it = Self::new(rows, 1);
        let length = s.length();
        let along = if length > 1e-12 { s / length } else { Vec3::ZERO };
        // A rest length of zero leaves ½k|s|², whose Hessian does not depend on the direction.
        let lateral = if rest > 0.0 { k * (1.0 - rest / length.max(1e-12)).max(0.0) } else { k };
        it.k[0][0] = k - lateral;
        for i in 0..rows {
            it.g[0][i] = along * weights[i];
            it.force[i] = along * (-k * (length - rest) * weights[i]);
            for j in 0..rows {
                it.s[i][j] = lateral * weights[i] * weights[j];
            }
        }
        it
    }

    /// Of ½·k·c² with the gradients of c.
    pub(super) fn scalar(rows: usize, c: f32, g: [Vec3; 4], k: f32) -> Self {
        let mut it = Self::new(rows, 1);
        it.k[0][0] = k;
        it.g[0] = g;
        it.force = g.map(|g| g * (-k * c));
        it
    }

    /// Hessian block of two rows.
    #[inline]
    pub(super) fn block(&self, i: usize, j: usize) -> Mat3 {
        self.between(&std::array::from_fn(|m| self.g[m][i]), &std::array::from_fn(|m| self.g[m][j]), self.s[i][j])
    }

    #[inline]
    fn between(&self, a: &[Vec3; 3], b: &[Vec3; 3], s: f32) -> Mat3 {
        let mut sum = Mat3::from_diagonal(Vec3::splat(s));
        for m in 0..self.count {
            for n in 0..self.count {
                if self.k[m][n] != 0.0 {
                    sum += outer(a[m] * self.k[m][n], b[n]);
                }
            }
        }
        if self.swap != 0.0 {
            sum += outer(b[0] * self.swap, a[0]);
        }
        sum
    }

    /// Gradients of a mode that moves the rows by `weights`.
    #[inline]
    pub(super) fn mode(&self, weights: &[f32; 4]) -> Mode {
        let mut mode = Mode { g: [Vec3::ZERO; 3], s: [0.0; 4], weights: *weights };
        for m in 0..self.count {
            for i in 0..self.rows {
                mode.g[m] += self.g[m][i] * weights[i];
            }
        }
        for i in 0..self.rows {
            for j in 0..self.rows {
                mode.s[j] += self.s[i][j] * weights[i];
            }
        }
        mode
    }

    /// Hessian block of two modes.
    #[inline]
    pub(super) fn modes(&self, a: &Mode, b: &Mode) -> Mat3 {
        let s = (0..self.rows).fold(0.0, |sum, j| sum + a.s[j] * b.weights[j]);
        self.between(&a.g, &b.g, s)
    }
}

/// A displacement of an element's rows by one vector times weights.
pub(super) struct Mode {
    g: [Vec3; 3],
    s: [f32; 4],
    weights: [f32; 4],
}

/// a·bᵀ.
#[inline]
pub(super) fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}
