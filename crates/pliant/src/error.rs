//! Errors: location, value found and values allowed.

use std::fmt;

/// A diverged simulation: a position or velocity that is not finite or out of bounds.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "the simulation diverged at t = {time:.4} s in stage {stage}: particle {particle} of {object:?} is at \
     [{}, {}, {}] m", position[0], position[1], position[2]
)]
pub struct Diverged {
    /// Stage that detected it.
    pub stage: &'static str,
    /// First diverged particle.
    pub particle: usize,
    /// Object it belongs to.
    pub object: String,
    /// Copy of a batch that it belongs to.
    pub copy: Option<usize>,
    /// Its position [m].
    pub position: [f32; 3],
    /// Simulated time [s].
    pub time: f64,
}

/// Why a step failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// The simulation diverged.
    #[error(transparent)]
    Diverged(#[from] Diverged),
    /// Objects added since the last step could not be built together, and are gone.
    #[error("cannot add objects: {0}")]
    Edit(String),
    /// The GPU failed.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] crate::runtime::gpu::GpuError),
}

/// A scene that cannot be simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneError {
    /// Path of the offending key, as in `cloth[0].density`; empty for the whole file.
    pub path: String,
    /// What was found and what is allowed.
    pub message: String,
    /// Hint how to fix it, if any.
    pub help: Option<String>,
    /// Line and column in the scene's text, from 1, if known.
    pub place: Option<(usize, usize)>,
}

impl SceneError {
    /// An error at a key.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), help: None, place: None }
    }

    /// The same with a hint.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for SceneError {}
