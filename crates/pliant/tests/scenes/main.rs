//! Invalid and valid scenes: every number, every key, every text (R06).

#![allow(missing_docs)]

mod build;
mod full_example;
mod fuzz;
mod invalid_numbers;
mod limits;
mod parsing;
mod published_scenes;
mod random;
mod rigid_scenes;
