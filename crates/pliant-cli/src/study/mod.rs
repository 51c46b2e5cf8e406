//! `pliant study`: compares solvers on the same scene.

mod colors;
mod convergence;
mod equal;
mod neighbors;
mod output;
mod solver_case;

use crate::args::{Study, StudyArgs};
use crate::failure::Failure;

pub fn study(args: &StudyArgs) -> Result<(), Failure> {
    match &args.study {
        Study::Convergence(args) => convergence::convergence(args),
        Study::Equal(args) => equal::equal(args),
        Study::Colors(args) => colors::colors(args),
        Study::Neighbors(args) => neighbors::neighbors(args),
    }
}
