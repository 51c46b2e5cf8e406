//! What can go wrong on a graphics processor.

/// Why the GPU cannot be used, or no longer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// Nothing to run on.
    #[error("no GPU adapter was found (Vulkan, Metal or DX12 driver missing?)")]
    NoAdapter,
    /// The number given is not in the list.
    #[error("there is no GPU adapter {wanted}: {found} found")]
    NoSuchAdapter {
        /// Number asked for.
        wanted: usize,
        /// How many there are.
        found: usize,
    },
    /// The adapter cannot do what every scene needs.
    #[error("adapter {adapter:?} cannot run Pliant: {what} is {found}, at least {needed} is needed")]
    TooWeak {
        /// Its name.
        adapter: String,
        /// Which limit.
        what: &'static str,
        /// Its limit.
        found: u64,
        /// What is needed.
        needed: u64,
    },
    /// The driver gave no device.
    #[error("adapter {adapter:?} gives no device: {reason}")]
    NoDevice {
        /// Its name.
        adapter: String,
        /// The driver's words.
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
    /// The device has no memory left.
    #[error("the GPU has no memory left for buffer {buffer:?} of {bytes} bytes ({total} bytes in all)")]
    OutOfMemory {
        /// Which buffer.
        buffer: &'static str,
        /// Its size [bytes].
        bytes: u64,
        /// All buffers of the scene [bytes].
        total: u64,
    },
    /// The driver refuses a shader or a command: a bug here or there.
    #[error("the GPU driver refuses {what}: {reason}")]
    Refused {
        /// What was asked of it.
        what: String,
        /// Its words.
        reason: String,
    },
    /// The device went away: unplugged, reset by its driver, or taken.
    #[error("the GPU was lost: {0}")]
    Lost(String),
}
