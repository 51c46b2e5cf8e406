//! Instruction set detection at run time.

use serde::Serialize;

/// SIMD width: the number of constraints projected at a time. Results are bitwise equal for all widths.
///
/// A value exists only where the processor has the instructions: [`Self::SCALAR`] everywhere, others only from
/// [`Self::detect`] and [`Self::available`]. Wide kernels rely on that and do not detect again, so a caller cannot
/// construct a width directly:
///
/// ```compile_fail,E0599
/// let _ = pliant::Isa::Avx2;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Isa(LaneWidth);

/// Instruction set of an [`Isa`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LaneWidth {
    /// One.
    Scalar,
    /// Four, with the target's baseline vectors (NEON, wasm).
    #[cfg(not(target_arch = "x86_64"))]
    Four,
    /// Eight, with AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Isa {
    /// One constraint at a time, on any processor.
    pub const SCALAR: Self = Self(LaneWidth::Scalar);

    /// The widest this processor has.
    pub fn detect() -> Self {
        *Self::available().last().unwrap_or(&Self::SCALAR)
    }

    /// All available on this processor, narrowest first.
    pub fn available() -> Vec<Self> {
        let mut all = vec![Self::SCALAR];
        #[cfg(not(target_arch = "x86_64"))]
        all.push(Self(LaneWidth::Four));
        // Every width is one more copy of every kernel to compile. Four lanes of SSE2 are left out because
        // processors without AVX2 are rare; the eight lanes compiled for AVX-512 showed no gain.
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            all.push(Self(LaneWidth::Avx2));
        }
        all
    }

    /// Which kernels to run.
    #[inline(always)]
    pub(crate) fn width(self) -> LaneWidth {
        self.0
    }
}
