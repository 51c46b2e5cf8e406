//! Errors with which a world stands still, and errors that end it.

use pliant::StepError;

/// What stops time, in words, if a step or a query has failed in a way from which a rewind leads back: the world has diverged,
/// or its objects cannot be built together. Any other error is one of the device.
pub fn trouble(done: Result<(), StepError>) -> Result<Option<String>, StepError> {
    match done {
        Ok(()) => Ok(None),
        Err(error) if matches!(error, StepError::Diverged(_) | StepError::Edit(_)) => Ok(Some(error.to_string())),
        Err(error) => Err(error),
    }
}
