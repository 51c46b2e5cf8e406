//! GPU errors.

/// Why the GPU cannot be used, or was lost.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// No adapter.
    #[error("no GPU adapter was found (Vulkan, Metal or DX12 driver missing?)")]
    NoAdapter,
    /// Adapter index out of range.
    #[error("there is no GPU adapter {wanted}: {found} found")]
    NoSuchAdapter {
        /// Requested index.
        wanted: usize,
        /// Number of adapters.
        found: usize,
    },
    /// The adapter lacks a capability that every scene needs.
    #[error("adapter {adapter:?} cannot run Pliant: {what} is {found}, at least {needed} is needed")]
    TooWeak {
        /// Name of the adapter.
        adapter: String,
        /// Which limit.
        what: &'static str,
        /// Limit of the adapter.
        found: u64,
        /// Required minimum.
        needed: u64,
    },
    /// Device creation failed.
    #[error("adapter {adapter:?} failed to create a device: {reason}")]
    NoDevice {
        /// Name of the adapter.
        adapter: String,
        /// Driver message.
        reason: String,
    },
    /// A buffer is larger than the adapter can bind.
    #[error("buffer {buffer:?} needs {needed} bytes, but adapter {adapter:?} binds at most {most}")]
    TooLarge {
        /// Which buffer.
        buffer: &'static str,
        /// Its size [bytes].
        needed: u64,
        /// The limit [bytes].
        most: u64,
        /// Name of the adapter.
        adapter: String,
    },
    /// The device is out of memory.
    #[error("the GPU is out of memory for buffer {buffer:?} of {bytes} bytes ({total} bytes in all)")]
    OutOfMemory {
        /// Which buffer.
        buffer: &'static str,
        /// Its size [bytes].
        bytes: u64,
        /// All buffers of the scene [bytes].
        total: u64,
    },
    /// The driver rejects a shader or a command: a bug here or in the driver.
    #[error("the GPU driver rejects {what}: {reason}")]
    Refused {
        /// Rejected operation.
        what: String,
        /// Driver message.
        reason: String,
    },
    /// The device was lost: unplugged, reset by its driver, or taken.
    #[error("the GPU was lost: {0}")]
    Lost(String),
}
