//! Which instructions the processor has, found at run time.

use serde::Serialize;

/// How many constraints the solver projects at a time. Results are the same for all, bit for bit.
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
    /// The widest this processor has.
    pub fn detect() -> Self {
        *Self::available().last().unwrap_or(&Self::Scalar)
    }

    /// All that this processor has, narrowest first.
    pub fn available() -> Vec<Self> {
        let mut all = vec![Self::Scalar];
        #[cfg(not(target_arch = "x86_64"))]
        all.push(Self::Four);
        // Every width is one more copy of every kernel to compile. Four lanes of SSE2 are left out because
        // processors without AVX2 are rare; the eight lanes compiled for AVX-512 showed no gain.
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            all.push(Self::Avx2);
        }
        all
    }
}
