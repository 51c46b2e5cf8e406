//! Particles that touch each other: grains, bodies that keep their shape, and everything else with them.

mod bodies;
mod grains;
mod support;
