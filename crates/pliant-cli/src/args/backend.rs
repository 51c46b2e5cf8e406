//! Selection of the backend: `--backend` and the GPU adapter.

use crate::failure::Failure;
use clap::{Args, ValueEnum};
use pliant::Backend;

/// Options that select the backend.
#[derive(Clone, Debug, Args)]
pub struct BackendArgs {
    /// Backend: cpu, gpu, or auto for a GPU if there is one and it is expected to be faster.
    #[arg(long, default_value = "cpu")]
    pub backend: BackendName,
    /// GPU adapter, by its number in `pliant gpu` [default: the fastest class available].
    #[arg(long, value_name = "N")]
    pub adapter: Option<usize>,
    /// Keep bounds and loop checks in the GPU shaders, for debugging; slower.
    #[arg(long)]
    pub gpu_checks: bool,
}

/// The backends by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub enum BackendName {
    Cpu,
    Gpu,
    Auto,
}

impl BackendArgs {
    /// The backend of the engine.
    pub fn backend(&self) -> Result<Backend, Failure> {
        match self.backend {
            BackendName::Gpu => self.gpu(),
            _ if self.adapter.is_some() || self.gpu_checks => {
                let option = if self.gpu_checks { "--gpu-checks" } else { "--adapter" };
                Err(Failure::usage(format!("{option} applies to a GPU, but the backend is not gpu"))
                    .help("add --backend gpu"))
            }
            BackendName::Cpu => Ok(Backend::Cpu),
            BackendName::Auto => Ok(Backend::Auto),
        }
    }

    #[cfg(feature = "gpu")]
    fn gpu(&self) -> Result<Backend, Failure> {
        let options =
            pliant::runtime::gpu::GpuOptions { adapter: self.adapter, checks: self.gpu_checks, ..Default::default() };
        Ok(Backend::Gpu(options))
    }

    #[cfg(not(feature = "gpu"))]
    fn gpu(&self) -> Result<Backend, Failure> {
        Err(Failure::built_without_gpu())
    }
}

/// `pliant gpu`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pliant gpu
  pliant gpu --json | jq -r '.[] | select(.trouble == null) | .name'
  pliant run flags --backend gpu --adapter 1

Bodies of up to the listed number of rows (particles and, for rods, orientations) run all iterations of a substep
in one workgroup; larger ones are split. Without --adapter the first discrete GPU is taken, else the first
integrated, virtual or other one, else a software driver; auto never takes a software driver.
WGPU_DEBUG=1 and WGPU_VALIDATION=1 enable the checks of the driver, where they are installed.")]
pub struct GpuArgs {
    /// Print the list as JSON.
    #[arg(long)]
    pub json: bool,
}
