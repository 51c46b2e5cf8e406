//! Particle contacts: grains, shape-matched bodies, and all other objects.

#![allow(missing_docs, clippy::print_stdout)]

mod bodies;
#[path = "../fluid/dice.rs"]
mod dice;
mod documents;
mod grains;
mod lanes;
mod models;
mod piles;
mod random;
mod rolling;
mod said;
mod scene;
#[path = "../support/skip.rs"]
mod skip;
mod support;
mod towers;
