//! What can go wrong, each with where, what was found and what is allowed.

use std::fmt;

/// A simulation that ran away: a position or velocity that is not a number or beyond all bounds.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "the simulation diverged at t = {time:.4} s in stage {stage}: particle {particle} of {object:?} is at \
     [{}, {}, {}] m", position[0], position[1], position[2]
)]
pub struct Diverged {
    /// Stage that produced it.
    pub stage: &'static str,
    /// First particle that ran away.
    pub particle: usize,
    /// Object it belongs to.
    pub object: String,
    /// Where it went.
    pub position: [f32; 3],
    /// Simulated time [s].
    pub time: f64,
}

/// Why a step failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// The simulation ran away.
    #[error(transparent)]
    Diverged(#[from] Diverged),
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
    /// How to mend it, if there is something to say.
    pub help: Option<String>,
    /// Line and column in the scene's text, from 1, where they are known.
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
