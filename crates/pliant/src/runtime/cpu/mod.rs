//! Threads, SIMD lanes and shared slices.

pub(crate) mod isa;
#[cfg(pliant_selftest)]
pub mod sanitizer_selftest;
pub(crate) mod shared_slice;
pub(crate) mod simd;
pub(crate) mod threads;

pub use isa::Isa;
pub(crate) use isa::LaneWidth;
pub use threads::Threads;
