//! Why there is no window.

/// Why a window could not be opened, or had to be closed.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    /// There is no display, or it refuses windows.
    #[error("cannot open a window: {0}")]
    NoDisplay(String),
    /// Nothing can draw to it.
    #[error("{0}")]
    Device(String),
    /// The session's thread cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

impl WindowError {
    /// What the window system says, without the place in its library.
    pub(super) fn no_display(error: impl ToString) -> Self {
        let text = error.to_string();
        let said =
            text.rsplit_once(".rs:").and_then(|(_, rest)| rest.split_once(": ")).map(|(_, said)| said.to_owned());
        Self::NoDisplay(said.unwrap_or(text))
    }
}

#[cfg(test)]
mod tests {
    use super::WindowError;

    #[test]
    fn the_place_in_a_library_is_left_out() {
        let text = WindowError::no_display("os error at /a/b/mod.rs:765: DISPLAY is not set").to_string();
        assert_eq!(text, "cannot open a window: DISPLAY is not set");
        assert_eq!(WindowError::no_display("no").to_string(), "cannot open a window: no");
    }
}
