//! Replaces `serve.rs` in builds without the feature `serve`.

use crate::args::ServeArgs;
use crate::failure::Failure;

pub fn serve(_: &ServeArgs) -> Result<(), Failure> {
    Err(Failure::built_without_serve())
}
