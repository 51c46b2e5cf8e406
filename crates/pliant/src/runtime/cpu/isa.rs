//! Instruction set detection at run time.

use serde::Serialize;

/// SIMD width of the solver. Results are bitwise equal for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Isa {
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
    /// The widest available on this processor.
    pub fn detect() -> Self {
        *Self::available().last().unwrap_or(&Self::Scalar)
    }

    /// All available on this processor, narrowest first.
    pub fn available() -> Vec<Self> {
        let mut all = vec![Self::Scalar];
        #[cfg(not(target_arch = "x86_64"))]
        all.push(Self::Four);
        // Every width is one more copy of every kernel to compile. SSE2 is omitted because processors without AVX2 are
        // rare; eight lanes compiled for AVX-512 showed no gain.
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            all.push(Self::Avx2);
        }
        all
    }
}
