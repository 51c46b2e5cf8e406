//! Puts WGSL modules together from the twins of the kernels.

use crate::kernels::wgsl;

/// One module's source: what all kernels share, then the parts in their order, each once.
///
/// A part may be given twice (two kinds of one file); WGSL would refuse to declare its functions again.
pub fn compose(parts: &[&str]) -> String {
    let mut seen: Vec<&str> = Vec::new();
    for part in wgsl::SHARED.iter().chain(parts) {
        if !seen.contains(part) {
            seen.push(part);
        }
    }
    seen.join("\n")
}
