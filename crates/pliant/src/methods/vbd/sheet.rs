//! Membrane triangles as descent sees them: Biot's strain, and the Hessian of linear elasticity turned with the triangle.
//!
//! F = [f₀, f₁] = R·S with S the stretch (`constraints/membrane.rs`). The energy ½CᵀKC of C = (S₀₀ − 1, S₁₁ − 1, 2S₀₁) has
//! the gradient R·T by F, T the stress K·C; the Hessian leaves out how R turns, except that tension resists it.

use glam::Vec3;

/// Stiffness of a triangle [J]: plane stress, times rest area.
#[derive(Clone, Copy, Debug)]
pub(super) struct SheetStiffness {
    pub(super) normal: f32,
    pub(super) cross: f32,
    pub(super) shear: f32,
}

impl SheetStiffness {
    /// From the compliances of the constraint, its parameters 4 to 6.
    pub(super) fn new(p: &[f32; 12]) -> Self {
        let scale = 1.0 / (p[4] * p[4] - p[5] * p[5]);
        Self { normal: p[4] * scale, cross: -p[5] * scale, shear: 1.0 / p[6] }
    }
}

/// A deformed triangle.
#[derive(Clone, Copy)]
pub(super) struct Stretched {
    /// Columns of R.
    pub(super) r: [Vec3; 2],
    /// T₀₀, T₁₁, T₀₁.
    pub(super) stress: [f32; 3],
}

impl Stretched {
    #[inline(always)]
    pub(super) fn new(f: [Vec3; 2], k: &SheetStiffness) -> Self {
        let (a, c) = (f[0].length_squared(), f[1].length_squared());
        let normal = f[0].cross(f[1]);
        let j = normal.length();
        let n = normal * (1.0 / j.max(1e-30));
        let inverse = 1.0 / (a + c + 2.0 * j).sqrt().max(1e-30);
        let r = [(f[0] + f[1].cross(n)) * inverse, (f[1] + n.cross(f[0])) * inverse];
        let strain = [(a + j) * inverse - 1.0, (c + j) * inverse - 1.0, 2.0 * f[0].dot(f[1]) * inverse];
        let stress = [
            k.normal * strain[0] + k.cross * strain[1],
            k.cross * strain[0] + k.normal * strain[1],
            k.shear * strain[2],
        ];
        Self { r, stress }
    }

    /// Gradient of the energy by a vertex with the shape gradient `n`.
    #[inline(always)]
    pub(super) fn gradient(&self, n: [f32; 2]) -> Vec3 {
        let [t00, t11, t01] = self.stress;
        self.r[0] * (t00 * n[0] + t01 * n[1]) + self.r[1] * (t01 * n[0] + t11 * n[1])
    }

    /// Tension as it resists turning: the positive part of the stress.
    #[inline(always)]
    pub(super) fn tension(&self) -> [f32; 3] {
        positive_part(self.stress)
    }
}

/// The positive part of a symmetric 2×2 matrix (xx, yy, xy).
#[inline(always)]
pub(super) fn positive_part([a, b, c]: [f32; 3]) -> [f32; 3] {
    let (mean, half) = (0.5 * (a + b), 0.5 * (a - b));
    let radius = (half * half + c * c).sqrt();
    let (high, low) = (mean + radius, mean - radius);
    if low >= 0.0 {
        return [a, b, c];
    }
    if high <= 0.0 || radius == 0.0 {
        return [0.0; 3];
    }
    // high · (A − low·I)/(high − low), the projection on the first eigenvector.
    let scale = high / (high - low);
    [(a - low) * scale, (b - low) * scale, c * scale]
}
