//! Liquids: kernels, the density constraint, viscosity, and coupling with other objects.

#![allow(missing_docs, clippy::print_stdout)]

mod balls;
mod bowls;
mod constraint;
mod dams;
mod dice;
mod drains;
mod drops;
mod floats;
mod freezes;
mod kernels;
mod melts;
mod random;
mod still;
mod support;
mod swirls;
mod thick;
mod walls;
