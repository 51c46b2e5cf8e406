//! 3×3 matrices and quaternions in single precision, in plain arithmetic.
//!
//! Invariant: every function has a fixed order of operations, without fused multiply-add, so that the WGSL version
//! can match it line by line.

/// A vector.
pub type Vec3 = [f32; 3];
/// Three columns.
pub type Mat3 = [[f32; 3]; 3];
/// Vector part, then scalar part, as in the rows of the state.
pub type Quat = [f32; 4];

/// The identity matrix.
pub const IDENTITY: Mat3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// The identity rotation.
pub const UPRIGHT: Quat = [0.0, 0.0, 0.0, 1.0];

/// Dot product.
#[inline(always)]
pub fn dot(a: Vec3, b: Vec3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Cross product.
#[inline(always)]
pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// a + s·b.
#[inline(always)]
pub fn add_scaled(a: Vec3, s: f32, b: Vec3) -> Vec3 {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

/// s·a.
#[inline(always)]
pub fn scale(a: Vec3, s: f32) -> Vec3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// M v.
#[inline(always)]
pub fn apply(m: &Mat3, v: Vec3) -> Vec3 {
    [0, 1, 2].map(|k| m[0][k] * v[0] + m[1][k] * v[1] + m[2][k] * v[2])
}

/// A B.
#[inline(always)]
pub fn multiply(a: &Mat3, b: &Mat3) -> Mat3 {
    [apply(a, b[0]), apply(a, b[1]), apply(a, b[2])]
}

/// Mᵀ.
#[inline(always)]
pub fn transpose(m: &Mat3) -> Mat3 {
    [0, 1, 2].map(|k| [m[0][k], m[1][k], m[2][k]])
}

/// A + s·B.
#[inline(always)]
pub fn blend(a: &Mat3, s: f32, b: &Mat3) -> Mat3 {
    [add_scaled(a[0], s, b[0]), add_scaled(a[1], s, b[1]), add_scaled(a[2], s, b[2])]
}

/// A + u vᵀ.
#[inline(always)]
pub fn add_outer(a: &Mat3, u: Vec3, v: Vec3) -> Mat3 {
    [add_scaled(a[0], v[0], u), add_scaled(a[1], v[1], u), add_scaled(a[2], v[2], u)]
}

/// Determinant.
#[inline(always)]
pub fn determinant(m: &Mat3) -> f32 {
    dot(cross(m[0], m[1]), m[2])
}

/// Inverse by cofactors; `None` if the determinant is 0 or NaN.
pub fn inverse(m: &Mat3) -> Option<Mat3> {
    let det = determinant(m);
    let one = 1.0 / det;
    let rows = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
    (det != 0.0 && one.is_finite()).then(|| transpose(&rows.map(|row| scale(row, one))))
}

/// Symmetric part, (M + Mᵀ)/2.
#[inline(always)]
pub fn symmetric(m: &Mat3) -> Mat3 {
    let [yx, zx, zy] = [0.5 * (m[0][1] + m[1][0]), 0.5 * (m[0][2] + m[2][0]), 0.5 * (m[1][2] + m[2][1])];
    [[m[0][0], yx, zx], [yx, m[1][1], zy], [zx, zy, m[2][2]]]
}

/// Frobenius norm.
#[inline(always)]
pub fn norm(m: &Mat3) -> f32 {
    (dot(m[0], m[0]) + dot(m[1], m[1]) + dot(m[2], m[2])).sqrt()
}

/// Largest magnitude of an entry; 0 if any is NaN or infinite.
pub fn largest(m: &Mat3) -> f32 {
    let (mut most, mut sum) = (0.0_f32, 0.0_f32);
    for column in m {
        for v in column {
            sum += v.abs();
            if v.abs() > most {
                most = v.abs();
            }
        }
    }
    // A sum with a NaN or an infinity compares as false.
    if sum < f32::INFINITY { most } else { 0.0 }
}

/// Product of quaternions: first b, then a.
#[inline(always)]
pub fn quat_multiply(a: Quat, b: Quat) -> Quat {
    [
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
}

/// Normalized quaternion; [`UPRIGHT`] if its length is 0.
#[inline(always)]
pub fn quat_normalize(q: Quat) -> Quat {
    let square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if square > 1e-30 && square < f32::INFINITY {
        let s = 1.0 / square.sqrt();
        [q[0] * s, q[1] * s, q[2] * s, q[3] * s]
    } else {
        UPRIGHT
    }
}

/// Rotation matrix of a unit quaternion.
#[inline(always)]
pub fn matrix_of(q: Quat) -> Mat3 {
    let [x, y, z, w] = q;
    let [x2, y2, z2] = [x + x, y + y, z + z];
    [
        [1.0 - (y * y2 + z * z2), x * y2 + w * z2, x * z2 - w * y2],
        [x * y2 - w * z2, 1.0 - (x * x2 + z * z2), y * z2 + w * x2],
        [x * z2 + w * y2, y * z2 - w * x2, 1.0 - (x * x2 + y * y2)],
    ]
}

/// Unit quaternion of a rotation matrix, from the largest of its four components, which is at least 1/2.
pub fn quat_of(r: &Mat3) -> Quat {
    let [a, b, c] = [r[0][0], r[1][1], r[2][2]];
    let [yz, zx, xy] = [r[1][2] - r[2][1], r[2][0] - r[0][2], r[0][1] - r[1][0]];
    let [pyz, pzx, pxy] = [r[1][2] + r[2][1], r[2][0] + r[0][2], r[0][1] + r[1][0]];
    let q = if a + b + c >= 0.0 {
        [yz, zx, xy, 1.0 + a + b + c]
    } else if a >= b && a >= c {
        [1.0 + a - b - c, pxy, pzx, yz]
    } else if b >= c {
        [pxy, 1.0 - a + b - c, pyz, zx]
    } else {
        [pzx, pyz, 1.0 - a - b + c, xy]
    };
    quat_normalize(q)
}
