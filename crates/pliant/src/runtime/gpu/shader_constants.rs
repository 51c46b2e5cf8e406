//! Constants that host and shaders share: declared once in Rust, written as a header in front of a WGSL module.

/// Value of a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ShaderValue {
    /// An integer.
    U32(u32),
    /// A number.
    F32(f32),
}

/// Constants by name.
pub type ShaderConstants = &'static [(&'static str, ShaderValue)];

/// Declares integer constants for the host, and a list `ALL` of them for the header of a module.
macro_rules! shader_constants {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)+) => {
        $($(#[$doc])* pub const $name: u32 = $value;)+

        /// All of them by name.
        pub const ALL: crate::runtime::gpu::shader_constants::ShaderConstants = &[$((
            stringify!($name),
            crate::runtime::gpu::shader_constants::ShaderValue::U32($name),
        )),+];
    };
}
pub(crate) use shader_constants;

/// Declares a list `VALUES` of constants of kernels, whose home is beside the kernel in Rust, for the header of a module.
macro_rules! shader_values {
    ($($kind:ident $name:ident = $value:expr;)+) => {
        /// Constants of kernels by name.
        pub const VALUES: crate::runtime::gpu::shader_constants::ShaderConstants = &[$((
            stringify!($name),
            crate::runtime::gpu::shader_constants::ShaderValue::$kind($value),
        )),+];
    };
}
pub(crate) use shader_values;

shader_constants! {
    /// No row, particle, table or time.
    NONE = u32::MAX;
    /// Threads of a workgroup in passes with one thread per row or constraint.
    SIZE = 64;
}

/// The header that declares these constants.
pub fn wgsl(lists: &[ShaderConstants]) -> String {
    let all = lists.iter().flat_map(|list| list.iter());
    let declaration = |(name, value): &(&str, ShaderValue)| match value {
        ShaderValue::U32(value) => format!("const {name}: u32 = {value}u;\n"),
        // The shortest decimal that is read as the same number.
        ShaderValue::F32(value) => format!("const {name}: f32 = {value:?}f;\n"),
    };
    all.map(declaration).collect()
}
