//! Partitions: colors, particle copies, patches, and the solvers that use them (S11–S13, E06–E10).

#![allow(missing_docs, clippy::print_stdout)]

mod clique;
mod color;
mod graphs;
mod phantom;
mod plan;
mod schedule;
mod shared_vertex_patches;
mod solvers;
