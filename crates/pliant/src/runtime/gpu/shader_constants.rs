//! Integer constants that host and shaders share: declared once in Rust, written as a header in front of a WGSL module.

/// Constants by name.
pub type ShaderConstants = &'static [(&'static str, u32)];

/// Declares constants for the host, and a list `ALL` of them for the header of a module.
macro_rules! shader_constants {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)+) => {
        $($(#[$doc])* pub const $name: u32 = $value;)+

        /// All of them by name.
        pub const ALL: crate::runtime::gpu::shader_constants::ShaderConstants = &[$((stringify!($name), $name)),+];
    };
}
pub(crate) use shader_constants;

shader_constants! {
    /// No row, particle, table or time.
    NONE = u32::MAX;
    /// Threads of a workgroup in passes with one thread per row or constraint.
    SIZE = 64;
}

/// The header that declares these constants.
pub fn wgsl(lists: &[ShaderConstants]) -> String {
    let all = lists.iter().flat_map(|list| list.iter());
    all.map(|(name, value)| format!("const {name}: u32 = {value}u;\n")).collect()
}
