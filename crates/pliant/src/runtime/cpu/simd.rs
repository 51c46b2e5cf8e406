//! SIMD lanes, and gather and scatter of rows: one, four or eight constraints at a time.
//!
//! A row is sixteen bytes, so eight rows are eight loads and a transpose; the inverse mass is the fourth component and
//! is stored back unchanged.

use crate::math::RowData;
use crate::math::{BLOCK, Lane, Row, V3};

/// A lane that can be loaded and stored.
pub trait Pack: Lane {
    /// Number of lanes; divides [`BLOCK`].
    const WIDTH: usize;

    /// Reads `WIDTH` numbers.
    fn load(from: &[f32]) -> Self;
    /// Writes `WIDTH` numbers.
    fn store(self, to: &mut [f32]);

    /// Whether any of them is above 0.
    fn any(self) -> bool;

    /// Reads rows `index[0..WIDTH]` of `rows`. Builds with debug assertions check the indices.
    ///
    /// # Safety
    /// Every index must be below the length of `rows`, and no other thread may write those rows.
    unsafe fn gather(rows: *const [RowData], index: &[u32]) -> Row<Self>;

    /// Writes rows `index[0..live]`, `live ≤ WIDTH`.
    ///
    /// # Safety
    /// As for `gather`, and no other thread may read or write those rows.
    unsafe fn scatter(row: Row<Self>, rows: *mut [RowData], index: &[u32], live: usize);
}

/// Checks indices against the length of what they index, in builds with debug assertions.
#[inline(always)]
fn debug_check(index: &[u32], rows: *const [RowData]) {
    if cfg!(debug_assertions) {
        let most = index.iter().max().map_or(0, |&i| i as usize + 1);
        assert!(most <= rows.len(), "row {} of {} is out of range", most - 1, rows.len());
    }
}

impl Pack for f32 {
    const WIDTH: usize = 1;

    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        from[0]
    }
    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        to[0] = self;
    }
    #[inline(always)]
    fn any(self) -> bool {
        self > 0.0
    }
    #[inline(always)]
    unsafe fn gather(rows: *const [RowData], index: &[u32]) -> Row<Self> {
        debug_check(&index[..1], rows);
        // SAFETY: the caller promises that the index is in range and unshared.
        let [x, y, z, w] = unsafe { *rows.cast::<RowData>().add(index[0] as usize) };
        Row { v: V3::new(x, y, z), w }
    }
    #[inline(always)]
    unsafe fn scatter(row: Row<Self>, rows: *mut [RowData], index: &[u32], live: usize) {
        if live > 0 {
            debug_check(&index[..1], rows);
            // SAFETY: as above.
            unsafe { *rows.cast::<RowData>().add(index[0] as usize) = [row.v.x, row.v.y, row.v.z, row.w] };
        }
    }
}

/// Four lanes of the target's baseline vectors (NEON, wasm).
#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy, Debug)]
pub struct Four(wide::f32x4);

/// Eight lanes of AVX2. Exists only on processors that have it: see `Isa::detect`.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Eight(std::arch::x86_64::__m256);

// Function bodies instead of closures: only `#[inline(always)]` functions are certain to be inlined into the function
// that is compiled for the wide instructions.
macro_rules! operator {
    ($lane:ty, $trait:ident, $name:ident, |$a:ident, $b:ident| $body:expr) => {
        impl std::ops::$trait for $lane {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $body
            }
        }
    };
}

#[cfg(not(target_arch = "x86_64"))]
mod four {
    //! The baseline's lanes, by the `wide` crate.

    use super::{Four, Lane, Pack, Row, RowData, V3, debug_check};

    operator!(Four, Add, add, |a, b| Four(a.0 + b.0));
    operator!(Four, Sub, sub, |a, b| Four(a.0 - b.0));
    operator!(Four, Mul, mul, |a, b| Four(a.0 * b.0));
    operator!(Four, Div, div, |a, b| Four(a.0 / b.0));

    impl std::ops::Neg for Four {
        type Output = Self;
        #[inline(always)]
        fn neg(self) -> Self {
            Self(-self.0)
        }
    }

    impl Lane for Four {
        #[inline(always)]
        fn splat(value: f32) -> Self {
            Self(wide::f32x4::splat(value))
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(self.0.sqrt())
        }
        #[inline(always)]
        fn abs(self) -> Self {
            Self(self.0.abs())
        }
        #[inline(always)]
        fn pick_gt(a: Self, b: Self, yes: Self, no: Self) -> Self {
            Self(a.0.simd_gt(b.0).select(yes.0, no.0))
        }
    }

    impl Pack for Four {
        const WIDTH: usize = 4;

        #[inline(always)]
        fn load(from: &[f32]) -> Self {
            Self(wide::f32x4::new([from[0], from[1], from[2], from[3]]))
        }
        #[inline(always)]
        fn store(self, to: &mut [f32]) {
            to[..4].copy_from_slice(&self.0.to_array());
        }
        #[inline(always)]
        fn any(self) -> bool {
            self.0.simd_gt(wide::f32x4::splat(0.0)).any()
        }
        #[inline(always)]
        unsafe fn gather(rows: *const [RowData], index: &[u32]) -> Row<Self> {
            debug_check(&index[..4], rows);
            let base = rows.cast::<RowData>();
            // SAFETY: the caller promises that the indices are in range and unshared.
            let rows = [0, 1, 2, 3].map(|k| wide::f32x4::new(unsafe { *base.add(index[k] as usize) }));
            let [x, y, z, w] = wide::f32x4::transpose(rows);
            Row { v: V3::new(Self(x), Self(y), Self(z)), w: Self(w) }
        }
        #[inline(always)]
        unsafe fn scatter(row: Row<Self>, rows: *mut [RowData], index: &[u32], live: usize) {
            debug_check(&index[..live.min(4)], rows);
            let base = rows.cast::<RowData>();
            let rows = wide::f32x4::transpose([row.v.x.0, row.v.y.0, row.v.z.0, row.w.0]);
            for k in 0..live.min(4) {
                // SAFETY: as above.
                unsafe { *base.add(index[k] as usize) = rows[k].to_array() };
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod eight {
    //! Intrinsics of [`Eight`]. Each method is always inlined into a function compiled for AVX2.

    use super::{BLOCK, Eight, Lane, Pack, Row, RowData, V3, debug_check};
    use std::arch::x86_64::*;

    // SAFETY of every block in this module: an `Eight` is only made inside functions that are called for an `Isa` of
    // AVX2, which exists only where the processor has it; the module is private to the crate.
    macro_rules! avx {
        ($($body:tt)*) => {{
            // SAFETY: AVX2 is present wherever an `Eight` exists, see the module comment.
            unsafe { $($body)* }
        }};
    }

    operator!(Eight, Add, add, |a, b| Eight(avx!(_mm256_add_ps(a.0, b.0))));
    operator!(Eight, Sub, sub, |a, b| Eight(avx!(_mm256_sub_ps(a.0, b.0))));
    operator!(Eight, Mul, mul, |a, b| Eight(avx!(_mm256_mul_ps(a.0, b.0))));
    operator!(Eight, Div, div, |a, b| Eight(avx!(_mm256_div_ps(a.0, b.0))));

    impl std::ops::Neg for Eight {
        type Output = Self;
        #[inline(always)]
        fn neg(self) -> Self {
            Self(avx!(_mm256_xor_ps(self.0, _mm256_set1_ps(-0.0))))
        }
    }

    impl Lane for Eight {
        #[inline(always)]
        fn splat(value: f32) -> Self {
            Self(avx!(_mm256_set1_ps(value)))
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(avx!(_mm256_sqrt_ps(self.0)))
        }
        #[inline(always)]
        fn abs(self) -> Self {
            Self(avx!(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0)))
        }
        #[inline(always)]
        fn pick_gt(a: Self, b: Self, yes: Self, no: Self) -> Self {
            Self(avx!(_mm256_blendv_ps(no.0, yes.0, _mm256_cmp_ps::<_CMP_GT_OQ>(a.0, b.0))))
        }
    }

    /// Transposes eight rows to four vectors of eight, and back: the same two layers of shuffles.
    #[inline(always)]
    fn transpose(a: __m256, b: __m256, c: __m256, d: __m256) -> [__m256; 4] {
        avx! {
            let (t0, t1) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
            let (t2, t3) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
            [
                _mm256_shuffle_ps::<0x44>(t0, t2),
                _mm256_shuffle_ps::<0xee>(t0, t2),
                _mm256_shuffle_ps::<0x44>(t1, t3),
                _mm256_shuffle_ps::<0xee>(t1, t3),
            ]
        }
    }

    /// Row k and row k + 4 share a register, so that no shuffle has to cross its halves.
    ///
    /// # Safety
    /// Indices k and k + 4 are in range at `base`.
    #[inline(always)]
    unsafe fn pair(base: *const RowData, index: &[u32], k: usize) -> __m256 {
        avx! {
            let low = _mm_loadu_ps(base.add(index[k] as usize).cast());
            let high = _mm_loadu_ps(base.add(index[k + 4] as usize).cast());
            _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high)
        }
    }

    /// # Safety
    /// Index k is in range at `base`, and no other thread accesses its row.
    #[inline(always)]
    unsafe fn put_low(base: *mut RowData, index: &[u32], k: usize, pair: __m256) {
        avx!(_mm_storeu_ps(base.add(index[k] as usize).cast(), _mm256_castps256_ps128(pair)));
    }

    /// # Safety
    /// As for [`put_low`].
    #[inline(always)]
    unsafe fn put_high(base: *mut RowData, index: &[u32], k: usize, pair: __m256) {
        avx!(_mm_storeu_ps(base.add(index[k] as usize).cast(), _mm256_extractf128_ps::<1>(pair)));
    }

    impl Pack for Eight {
        const WIDTH: usize = BLOCK;

        #[inline(always)]
        fn load(from: &[f32]) -> Self {
            let from = &from[..BLOCK];
            Self(avx!(_mm256_loadu_ps(from.as_ptr())))
        }
        #[inline(always)]
        fn store(self, to: &mut [f32]) {
            let to = &mut to[..BLOCK];
            avx!(_mm256_storeu_ps(to.as_mut_ptr(), self.0));
        }
        #[inline(always)]
        fn any(self) -> bool {
            avx!(_mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(self.0, _mm256_setzero_ps())) != 0)
        }
        #[inline(always)]
        unsafe fn gather(rows: *const [RowData], index: &[u32]) -> Row<Self> {
            let index = &index[..BLOCK];
            debug_check(index, rows);
            let base = rows.cast::<RowData>();
            // SAFETY: the caller promises that the indices are in range and unshared.
            let (a, b) = unsafe { (pair(base, index, 0), pair(base, index, 1)) };
            // SAFETY: as above.
            let (c, d) = unsafe { (pair(base, index, 2), pair(base, index, 3)) };
            let [x, y, z, w] = transpose(a, b, c, d);
            Row { v: V3::new(Self(x), Self(y), Self(z)), w: Self(w) }
        }
        #[inline(always)]
        unsafe fn scatter(row: Row<Self>, rows: *mut [RowData], index: &[u32], live: usize) {
            let index = &index[..BLOCK];
            debug_check(&index[..live.min(BLOCK)], rows);
            let base = rows.cast::<RowData>();
            let p = transpose(row.v.x.0, row.v.y.0, row.v.z.0, row.w.0);
            if live >= BLOCK {
                // Unrolled by hand: in a loop the pairs would go through memory.
                // SAFETY: as above.
                unsafe {
                    put_low(base, index, 0, p[0]);
                    put_low(base, index, 1, p[1]);
                    put_low(base, index, 2, p[2]);
                    put_low(base, index, 3, p[3]);
                    put_high(base, index, 4, p[0]);
                    put_high(base, index, 5, p[1]);
                    put_high(base, index, 6, p[2]);
                    put_high(base, index, 7, p[3]);
                }
            } else {
                for k in 0..live.min(4) {
                    // SAFETY: as above.
                    unsafe { put_low(base, index, k, p[k]) };
                }
                for k in 4..live {
                    // SAFETY: as above.
                    unsafe { put_high(base, index, k, p[k - 4]) };
                }
            }
        }
    }
}
