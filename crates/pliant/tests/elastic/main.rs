//! Elastic bodies at default settings: vertex block descent against closed forms, finite elements and conservation laws.
//!
//! No scene here sets a method, substeps or iterations: that is what a user gets who writes moduli in SI units.
#![allow(missing_docs, clippy::print_stderr)]

mod attach;
mod bits;
mod contact;
#[path = "../support/elastica.rs"]
mod elastica;
#[path = "../analytic/fem.rs"]
#[allow(dead_code)]
mod fem;
mod recovery;
mod statics;
#[path = "../analytic/support.rs"]
#[allow(dead_code)]
mod support;
