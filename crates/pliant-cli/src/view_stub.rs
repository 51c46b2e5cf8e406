//! Replaces `view.rs` in builds without the feature `view`.

use crate::args::ViewArgs;
use crate::failure::Failure;

pub fn view(_: &ViewArgs) -> Result<(), Failure> {
    Err(Failure::built_without_view())
}
