//! Invalid and valid scenes: every number, every key, every text (R06).

#![allow(missing_docs)]

mod build;
mod documents;
mod full;
mod numbers;
mod text;
