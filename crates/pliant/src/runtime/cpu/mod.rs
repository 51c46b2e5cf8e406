//! Threads, SIMD lanes and shared slices.

pub(crate) mod isa;
pub(crate) mod shared_slice;
pub(crate) mod simd;
pub(crate) mod threads;

pub use isa::Isa;
pub use threads::Threads;
