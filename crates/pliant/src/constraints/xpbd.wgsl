// WGSL version of xpbd.rs: the multiplier update common to all constraints, and its softness.

struct Scales { inv_h2: f32, memory: f32 }

// k of PBD and α̃ of XPBD.
struct Soft { k: f32, alpha: f32 }

fn soften(scales: Scales, softness: f32) -> Soft {
    return Soft(select(1.0, -softness, 0.0 > softness), select(0.0, softness, softness > 0.0) * scales.inv_h2);
}

fn numerator(scales: Scales, soft: Soft, c: f32, lambda: f32) -> f32 {
    return -(soft.k * c + soft.alpha * scales.memory * lambda);
}

// `numerator` for three uncoupled components.
fn numerator3(scales: Scales, soft: Soft, c: vec3<f32>, lambda: vec3<f32>) -> vec3<f32> {
    return -(soft.k * c + soft.alpha * scales.memory * lambda);
}

fn delta_lambda(scales: Scales, softness: f32, c: f32, lambda: f32, inv_mass: f32) -> f32 {
    let soft = soften(scales, softness);
    return numerator(scales, soft, c, lambda) * safe_recip(inv_mass + soft.alpha);
}

// The solvers below are `solve_symmetric` unrolled: with a loop over an array it would depend on the driver whether
// the matrix stays in registers, and every access would have a bounds check. `a` is the lower triangle, row by row;
// l holds L·D, m holds L.

// The inverse of a pivot, or 0 if it is reduced to a millionth of its diagonal or less.
fn pivot_recip(pivot: f32, diagonal: f32) -> f32 {
    return select(0.0, safe_recip(pivot), pivot > diagonal * 1e-6);
}

fn solve3(a: array<f32, 6>, b: vec3<f32>) -> vec3<f32> {
    let d0 = pivot_recip(a[0], a[0]);
    let l10 = a[1];
    let l20 = a[3];
    let m10 = l10 * d0;
    let m20 = l20 * d0;
    let d1 = pivot_recip(a[2] - l10 * m10, a[2]);
    let l21 = a[4] - m20 * l10;
    let m21 = l21 * d1;
    let d2 = pivot_recip(a[5] - l20 * m20 - l21 * m21, a[5]);
    let y1 = b.y - m10 * b.x;
    let y2 = b.z - m20 * b.x - m21 * y1;
    let x2 = y2 * d2;
    let x1 = y1 * d1 - m21 * x2;
    let x0 = b.x * d0 - m10 * x1 - m20 * x2;
    return vec3<f32>(x0, x1, x2);
}

fn solve6(a: array<f32, 21>, b: array<f32, 6>) -> array<f32, 6> {
    let d0 = pivot_recip(a[0], a[0]);
    let l10 = a[1];
    let l20 = a[3];
    let l30 = a[6];
    let l40 = a[10];
    let l50 = a[15];
    let m10 = l10 * d0;
    let m20 = l20 * d0;
    let m30 = l30 * d0;
    let m40 = l40 * d0;
    let m50 = l50 * d0;
    let d1 = pivot_recip(a[2] - l10 * m10, a[2]);
    let l21 = a[4] - m20 * l10;
    let l31 = a[7] - m30 * l10;
    let l41 = a[11] - m40 * l10;
    let l51 = a[16] - m50 * l10;
    let m21 = l21 * d1;
    let m31 = l31 * d1;
    let m41 = l41 * d1;
    let m51 = l51 * d1;
    let d2 = pivot_recip(a[5] - l20 * m20 - l21 * m21, a[5]);
    let l32 = a[8] - m30 * l20 - m31 * l21;
    let l42 = a[12] - m40 * l20 - m41 * l21;
    let l52 = a[17] - m50 * l20 - m51 * l21;
    let m32 = l32 * d2;
    let m42 = l42 * d2;
    let m52 = l52 * d2;
    let d3 = pivot_recip(a[9] - l30 * m30 - l31 * m31 - l32 * m32, a[9]);
    let l43 = a[13] - m40 * l30 - m41 * l31 - m42 * l32;
    let l53 = a[18] - m50 * l30 - m51 * l31 - m52 * l32;
    let m43 = l43 * d3;
    let m53 = l53 * d3;
    let d4 = pivot_recip(a[14] - l40 * m40 - l41 * m41 - l42 * m42 - l43 * m43, a[14]);
    let l54 = a[19] - m50 * l40 - m51 * l41 - m52 * l42 - m53 * l43;
    let m54 = l54 * d4;
    let d5 = pivot_recip(a[20] - l50 * m50 - l51 * m51 - l52 * m52 - l53 * m53 - l54 * m54, a[20]);
    let y0 = b[0];
    let y1 = b[1] - m10 * y0;
    let y2 = b[2] - m20 * y0 - m21 * y1;
    let y3 = b[3] - m30 * y0 - m31 * y1 - m32 * y2;
    let y4 = b[4] - m40 * y0 - m41 * y1 - m42 * y2 - m43 * y3;
    let y5 = b[5] - m50 * y0 - m51 * y1 - m52 * y2 - m53 * y3 - m54 * y4;
    let x5 = y5 * d5;
    let x4 = y4 * d4 - m54 * x5;
    let x3 = y3 * d3 - m43 * x4 - m53 * x5;
    let x2 = y2 * d2 - m32 * x3 - m42 * x4 - m52 * x5;
    let x1 = y1 * d1 - m21 * x2 - m31 * x3 - m41 * x4 - m51 * x5;
    let x0 = y0 * d0 - m10 * x1 - m20 * x2 - m30 * x3 - m40 * x4 - m50 * x5;
    return array(x0, x1, x2, x3, x4, x5);
}
