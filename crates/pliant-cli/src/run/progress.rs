//! How far a run is, on stderr: a bar on a terminal, a line now and then elsewhere.

use crate::out;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// Time between lines where there is no terminal.
const PAUSE: Duration = Duration::from_secs(5);

/// Shows how far a run is.
pub struct Progress {
    show: Show,
    frames: u64,
    start: Instant,
}

enum Show {
    Nothing,
    Bar(ProgressBar),
    Lines(Instant),
}

impl Progress {
    /// For a run of so many frames.
    pub fn new(frames: u64, quiet: bool) -> Self {
        let start = Instant::now();
        let show = if quiet {
            Show::Nothing
        } else if stderr().is_terminal() {
            let bar = ProgressBar::with_draw_target(Some(frames), ProgressDrawTarget::stderr_with_hz(10));
            let style = ProgressStyle::with_template("{bar:30} frame {pos}/{len}  {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
            Show::Bar(bar)
        } else {
            Show::Lines(start)
        };
        Self { show, frames, start }
    }

    /// A frame is done.
    pub fn frame(&mut self, frame: u64) {
        let seconds = self.start.elapsed().as_secs_f64();
        let rate = frame as f64 / seconds.max(1e-9);
        let left = (self.frames - frame) as f64 / rate.max(1e-9);
        let message = || format!("{rate:.1} frames/s  {} left", duration(left));
        match &mut self.show {
            Show::Bar(bar) if frame > 0 => {
                bar.set_message(message());
                bar.set_position(frame);
            }
            Show::Lines(last) if last.elapsed() >= PAUSE && frame > 0 => {
                out::note(&format!("frame {frame}/{}  {}", self.frames, message()));
                *last = Instant::now();
            }
            _ => {}
        }
    }

    /// Leaves the terminal as it was.
    pub fn finish(self) {
        if let Show::Bar(bar) = self.show {
            bar.finish_and_clear();
        }
    }
}

/// "42 s", "3 min 5 s", "2 h 10 min".
fn duration(seconds: f64) -> String {
    let s = seconds.min(1e9).ceil() as u64;
    match s {
        0..60 => format!("{s} s"),
        60..3600 => format!("{} min {} s", s / 60, s % 60),
        _ => format!("{} h {} min", s / 3600, s % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_read_like_speech() {
        for (seconds, text) in [(41.2, "42 s"), (185.0, "3 min 5 s"), (7800.0, "2 h 10 min")] {
            assert_eq!(duration(seconds), text);
        }
    }
}
