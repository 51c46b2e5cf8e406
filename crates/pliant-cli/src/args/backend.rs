//! Who computes: `--backend`, and which GPU.

use crate::failure::Failure;
use clap::{Args, ValueEnum};
use pliant::Backend;

/// Who computes.
#[derive(Clone, Debug, Args)]
pub struct BackendArgs {
    /// Who computes: the CPU, a GPU, or auto: a GPU where there is one and it is expected to be faster.
    #[arg(long, default_value = "cpu")]
    pub backend: BackendName,
    /// Which GPU, by its number in `pliant gpu` [default: the fastest kind there is].
    #[arg(long, value_name = "N")]
    pub adapter: Option<usize>,
    /// Keep the checks of indices and loops in the GPU's shaders, to look for bugs; slower.
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
    /// The same for the engine.
    pub fn backend(&self) -> Result<Backend, Failure> {
        match self.backend {
            BackendName::Gpu => self.gpu(),
            _ if self.adapter.is_some() || self.gpu_checks => {
                let option = if self.gpu_checks { "--gpu-checks" } else { "--adapter" };
                Err(Failure::usage(format!("{option} says how to use a GPU, but nothing says to use one"))
                    .help("add --backend gpu"))
            }
            BackendName::Cpu => Ok(Backend::Cpu),
            BackendName::Auto => Ok(Backend::Auto),
        }
    }

    #[cfg(feature = "gpu")]
    fn gpu(&self) -> Result<Backend, Failure> {
        let options = pliant::gpu::GpuOptions { adapter: self.adapter, checks: self.gpu_checks, ..Default::default() };
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

Bodies of up to so many rows (particles and, for rods, orientations) run all iterations of a substep in one
workgroup; larger ones are cut into pieces. Without --adapter the first discrete card is taken, else the first
integrated, virtual or other one, else a driver that computes on the CPU; auto never takes the last kind.
WGPU_DEBUG=1 and WGPU_VALIDATION=1 turn the driver's own checks on, where they are installed.")]
pub struct GpuArgs {
    /// Print the list as JSON.
    #[arg(long)]
    pub json: bool,
}
