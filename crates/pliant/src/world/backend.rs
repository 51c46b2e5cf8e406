//! What runs the steps: the CPU or a GPU, its times and its submissions.

use crate::error::StepError;
#[cfg(feature = "gpu")]
use crate::solver::gpu::{Gpu, Profiling, SubmissionMode, Surface};
use crate::world::World;

impl World {
    /// Waits until a GPU has done all steps submitted so far, without reading anything back.
    pub fn wait(&self) -> Result<(), StepError> {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &self.gpu {
            gpu.wait(&self.model)?;
        }
        Ok(())
    }

    /// The GPU backend, if in use.
    #[cfg(feature = "gpu")]
    pub fn gpu(&self) -> Option<&Gpu> {
        self.gpu.as_deref()
    }

    /// Enables stage timing on a GPU. Returns whether it is available: false without timestamps, and on the CPU, which
    /// always measures.
    #[cfg(feature = "gpu")]
    pub fn set_profiling(&mut self, on: bool) -> bool {
        let what = if on { Profiling::Stages } else { Profiling::Off };
        self.gpu.as_deref_mut().is_some_and(|gpu| gpu.set_profiling(what))
    }

    /// Enables timing of every pass on a GPU, see [`Times::passes`](crate::schedule::stats::Times::passes). Steps are slower
    /// while it is on, and passes that do several substeps are not used. Returns whether it is available.
    #[cfg(feature = "gpu")]
    pub fn set_pass_profiling(&mut self, on: bool) -> bool {
        let what = if on { Profiling::Passes } else { Profiling::Off };
        self.gpu.as_deref_mut().is_some_and(|gpu| gpu.set_profiling(what))
    }

    /// How far the host may be ahead of a GPU; no effect on the CPU. Results are the same.
    #[cfg(feature = "gpu")]
    pub fn set_submission_mode(&mut self, mode: SubmissionMode) {
        if let Some(gpu) = &mut self.gpu {
            gpu.submission_mode = mode;
        }
    }

    /// Surface in GPU buffers for rendering, after all steps and changes so far; `None` on the CPU. Does not wait or
    /// read back.
    #[cfg(feature = "gpu")]
    pub fn surface(&mut self) -> Result<Option<Surface<'_>>, StepError> {
        self.check_edits();
        let Some(gpu) = &mut self.gpu else { return Ok(None) };
        self.state.share(|changed| gpu.upload(&self.model, changed));
        Ok(Some(gpu.surface(&self.model)?))
    }

    /// "cpu" or "gpu".
    pub fn backend(&self) -> &'static str {
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            return "gpu";
        }
        "cpu"
    }
}
