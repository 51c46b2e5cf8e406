//! Liquids: kernels, the density constraint, viscosity, and coupling with other objects.

#![allow(missing_docs, clippy::print_stdout)]

mod boundaries;
mod buoyancy;
mod constraint;
mod dam_break;
mod draining;
mod freezing;
mod kernels;
mod large_particles;
mod melting;
mod projection;
mod random;
mod rest_density;
mod rigid_bodies;
mod rng;
mod shaken_bowl;
mod support;
mod surface_tension;
mod viscosity;
mod vorticity;
