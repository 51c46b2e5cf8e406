//! Threads, SIMD lanes and shared slices.

pub mod isa;
pub mod shared_slice;
pub mod simd;
pub mod threads;

pub use isa::Isa;
pub use threads::Threads;
