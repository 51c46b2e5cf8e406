//! How far a run is, on stderr: a bar on a terminal, a line now and then elsewhere.

use crate::stderr;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// Time between lines where there is no terminal.
const PAUSE: Duration = Duration::from_secs(5);

/// Shows how far a run is.
pub struct Progress {
    show: Show,
    unit: &'static str,
    total: u64,
    start: Instant,
}

enum Show {
    Nothing,
    Bar(ProgressBar),
    Lines(Instant),
}

impl Progress {
    /// For a run of so many frames, or whatever `unit` names.
    pub fn new(total: u64, unit: &'static str, quiet: bool) -> Self {
        let start = Instant::now();
        let show = if quiet {
            Show::Nothing
        } else if stderr().is_terminal() {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10));
            let style = ProgressStyle::with_template("{bar:30} {prefix} {pos}/{len}  {msg}");
            bar.set_prefix(unit);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
            Show::Bar(bar)
        } else {
            Show::Lines(start)
        };
        Self { show, unit, total, start }
    }

    /// For a study: a bar on a terminal, and nothing elsewhere, where only its table is of interest.
    pub fn on_terminal(total: u64, unit: &'static str) -> Self {
        Self::new(total, unit, !stderr().is_terminal())
    }

    /// So much is done.
    pub fn at(&mut self, done: u64) {
        let (unit, total) = (self.unit, self.total);
        let seconds = self.start.elapsed().as_secs_f64();
        let rate = done as f64 / seconds.max(1e-9);
        let left = total.saturating_sub(done) as f64 / rate.max(1e-9);
        let message = || format!("{rate:.1} {unit}s/s  {} left", duration(left));
        match &mut self.show {
            Show::Bar(bar) if done > 0 => {
                bar.set_message(message());
                bar.set_position(done);
            }
            Show::Lines(last) if last.elapsed() >= PAUSE && done > 0 => {
                stderr::note(&format!("{unit} {done}/{total}  {}", message()));
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
