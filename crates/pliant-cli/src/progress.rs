//! Progress of a run on stderr: a bar on a terminal, otherwise a line every few seconds.

use crate::stderr;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// Interval of lines without a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Progress display.
pub struct Progress {
    display: Display,
    unit: &'static str,
    total: u64,
    start: Instant,
}

enum Display {
    Nothing,
    Bar(ProgressBar),
    Lines(Instant),
}

impl Progress {
    /// For a run of `total` units, such as frames.
    pub fn new(total: u64, unit: &'static str, quiet: bool) -> Self {
        let start = Instant::now();
        let display = if quiet {
            Display::Nothing
        } else if stderr().is_terminal() {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10));
            let style = ProgressStyle::with_template("{bar:30} {prefix} {pos}/{len}  {msg}");
            bar.set_prefix(unit);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
            Display::Bar(bar)
        } else {
            Display::Lines(start)
        };
        Self { display, unit, total, start }
    }

    /// For a study: a bar on a terminal, and nothing otherwise.
    pub fn on_terminal(total: u64, unit: &'static str) -> Self {
        Self::new(total, unit, !stderr().is_terminal())
    }

    /// Sets the number of completed units.
    pub fn at(&mut self, done: u64) {
        let (unit, total) = (self.unit, self.total);
        let seconds = self.start.elapsed().as_secs_f64();
        let rate = done as f64 / seconds.max(1e-9);
        let left = total.saturating_sub(done) as f64 / rate.max(1e-9);
        let message = || format!("{rate:.1} {unit}s/s  {} left", duration(left));
        match &mut self.display {
            Display::Bar(bar) if done > 0 => {
                bar.set_message(message());
                bar.set_position(done);
            }
            Display::Lines(last) if last.elapsed() >= LINE_INTERVAL && done > 0 => {
                stderr::note(&format!("{unit} {done}/{total}  {}", message()));
                *last = Instant::now();
            }
            _ => {}
        }
    }

    /// Clears the bar.
    pub fn finish(self) {
        if let Display::Bar(bar) = self.display {
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
    fn durations_have_suitable_units() {
        for (seconds, text) in [(41.2, "42 s"), (185.0, "3 min 5 s"), (7800.0, "2 h 10 min")] {
            assert_eq!(duration(seconds), text);
        }
    }
}
