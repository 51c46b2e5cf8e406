//! The engine against closed forms and against independent solutions in double precision.
//!
//! Every test builds its scene from TOML text, as a user would. Names begin with the ids of
//! `spec/CHECKLIST.md` and `spec/VALIDATION.md` that they prove.
#![allow(missing_docs, clippy::print_stderr)]

mod air;
mod balloon;
mod cantilever;
mod catenary;
mod contact;
mod counts;
mod fem;
mod friction;
mod integration;
mod momentum;
mod newton;
mod pendulum;
mod rod;
mod spring;
mod support;
mod tether;
