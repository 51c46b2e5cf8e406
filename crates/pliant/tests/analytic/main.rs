//! The engine against closed forms and independent solutions in double precision.
//!
//! Every test builds its scene from TOML text, like a user. Names begin with the ids of the
//! requirements they prove, see docs/requirements.md.
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
mod recovery;
mod rod;
mod spring;
mod strip;
mod support;
mod tether;
