//! Errors of the command and their exit codes.

use crate::stderr;
use pliant::{Diverged, StepError};
use pliant_io::WriteError;
use pliant_render::{RenderError, VideoError};
use pliant_surface::SurfaceError;
use std::io::{self, ErrorKind};

/// Exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Anything else.
    Failure = 1,
    /// Options that contradict each other; clap finds most of them.
    Usage = 2,
    /// Invalid scene or mesh.
    Scene = 3,
    /// The simulation diverged.
    Diverged = 4,
    /// Out of disk, memory or threads, or no GPU that can do it.
    Resource = 5,
    /// Stopped by the user.
    Interrupted = 130,
}

/// An error that ends the program.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Exit code.
    pub exit: Exit,
    message: String,
    location: Option<String>,
    help: Option<String>,
}

impl Failure {
    /// A failure with exit code 1.
    pub fn new(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failure, message: message.into(), location: None, help: None }
    }

    /// An invalid scene or mesh.
    pub fn scene(message: impl Into<String>) -> Self {
        Self { exit: Exit::Scene, ..Self::new(message) }
    }

    /// Contradicting options.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, ..Self::new(message) }
    }

    /// A GPU is requested of a build without the feature `gpu`.
    #[cfg(not(feature = "gpu"))]
    pub fn built_without_gpu() -> Self {
        Self::resource("this pliant was built without the GPU backend")
            .help("use --backend cpu, or build it with: cargo build --release --features gpu")
    }

    /// `pliant serve` is requested of a build without the feature `serve`.
    #[cfg(not(feature = "serve"))]
    pub fn built_without_serve() -> Self {
        Self::usage("this build has no page for browsers").help("build with `cargo build --release --features serve`")
    }

    /// `pliant view` is requested of a build without the feature `view`.
    #[cfg(not(feature = "view"))]
    pub fn built_without_view() -> Self {
        Self::usage("this build has no window")
            .help("build with `cargo build --release --features view`, or watch in a browser with `pliant serve SCENE`")
    }

    /// A lack of memory, disk space, threads or a GPU.
    pub fn resource(message: impl Into<String>) -> Self {
        Self { exit: Exit::Resource, ..Self::new(message) }
    }

    /// A simulation that diverged.
    pub fn diverged(message: impl Into<String>) -> Self {
        let help = "take a smaller step or more substeps: --dt 0.001, --substeps 4; `pliant check` shows the setup";
        Self { exit: Exit::Diverged, ..Self::new(message) }.help(help)
    }

    /// An I/O error; a full disk counts as a lack of a resource.
    pub fn io(what: &str, error: &io::Error) -> Self {
        Self::new(format!("{what}: {error}")).classify(error.kind())
    }

    /// The user stopped the run. It has no message, as the summary reports it.
    pub fn interrupted() -> Self {
        Self { exit: Exit::Interrupted, ..Self::new("") }
    }

    /// Location of the error, as in `scenes/flag.toml:14:9`.
    pub fn at(mut self, location: impl Into<String>) -> Self {
        self.location = Some(location.into());
        self
    }

    /// Hint on how to fix it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Prints the error to stderr.
    pub fn print(&self) {
        if self.exit == Exit::Interrupted && self.message.is_empty() {
            return;
        }
        stderr::note(&format!("error: {}", self.text()));
    }

    /// The message, its location and its help, each on a line.
    pub fn text(&self) -> String {
        let mut text = self.message.clone();
        if let Some(location) = &self.location {
            text.push_str(&format!("\n  --> {location}"));
        }
        if let Some(help) = &self.help {
            text.push_str(&format!("\nhelp: {help}"));
        }
        text
    }

    /// The message alone.
    pub fn message(&self) -> &str {
        &self.message
    }

    fn classify(mut self, kind: ErrorKind) -> Self {
        use ErrorKind::{FileTooLarge, OutOfMemory, QuotaExceeded, StorageFull};
        if matches!(kind, StorageFull | QuotaExceeded | FileTooLarge | OutOfMemory) {
            self.exit = Exit::Resource;
            if kind != OutOfMemory {
                self.help = Some("free some space, or write less: --format none, --video none, --every 10".into());
            }
        }
        self
    }
}

impl From<Diverged> for Failure {
    fn from(error: Diverged) -> Self {
        Self::diverged(error.to_string())
    }
}

impl From<StepError> for Failure {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Diverged(error) => error.into(),
            StepError::Edit(_) => Self::new(error.to_string()),
            #[cfg(feature = "gpu")]
            StepError::Gpu(error) => error.into(),
        }
    }
}

#[cfg(feature = "gpu")]
impl From<pliant::runtime::gpu::GpuError> for Failure {
    fn from(error: pliant::runtime::gpu::GpuError) -> Self {
        use pliant::runtime::gpu::GpuError::{Lost, NoAdapter, NoSuchAdapter, OutOfMemory, Refused, TooLarge};
        let message = error.to_string();
        match error {
            NoAdapter => Self::resource(message)
                .help("use --backend cpu, or install a Vulkan driver (on Debian: apt install mesa-vulkan-drivers)"),
            NoSuchAdapter { .. } => {
                Self::resource(message).help("`pliant gpu` lists the adapters; their numbers start at 0")
            }
            TooLarge { .. } | OutOfMemory { .. } => {
                Self::resource(message).help("use --backend cpu, or another GPU: --adapter N")
            }
            Lost(_) => Self::resource(message).help("try again; if it is lost every time, use --backend cpu"),
            Refused { .. } => {
                Self::new(message).help("this is a bug of Pliant or of the driver; --backend cpu avoids it")
            }
            _ => Self::resource(message).help("`pliant gpu` says what each adapter can do; or use --backend cpu"),
        }
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Self::new(format!("cannot write {error}")).classify(error.kind())
    }
}

impl From<SurfaceError> for Failure {
    fn from(error: SurfaceError) -> Self {
        Self::new(error.to_string()).help("take larger cells, such as --set output.surface.cell=2, or another --format")
    }
}

impl From<RenderError> for Failure {
    fn from(error: RenderError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<VideoError> for Failure {
    fn from(error: VideoError) -> Self {
        let kind = match &error {
            VideoError::Io { source, .. } => source.kind(),
            VideoError::Gif { source: gif, .. } => {
                let of_disk = std::error::Error::source(gif).and_then(|e| e.downcast_ref::<io::Error>());
                of_disk.map_or(ErrorKind::Other, io::Error::kind)
            }
            _ => ErrorKind::Other,
        };
        Self::new(error.to_string()).classify(kind)
    }
}
