//! Shape matching (S19, S20): rotations against a singular value decomposition in double precision, bodies against
//! rigid-body mechanics.
#![allow(missing_docs, reason = "a test")]

mod forces;
mod matching;
mod pins;
mod plasticity;
mod regions;
mod rotation;
mod skinning;
mod support;
