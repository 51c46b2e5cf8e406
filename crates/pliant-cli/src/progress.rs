//! Progress of a run on stderr: a bar on a terminal, otherwise a line every few seconds.

use crate::stderr;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
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

/// Says on stderr that a scene is still being built, from its fourth second on, until it is dropped.
pub struct LongBuild {
    /// Dropped first, which ends the thread.
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl LongBuild {
    /// Watches the build of a scene.
    pub fn watch(scene: &str, quiet: bool) -> Self {
        if quiet {
            return Self { done: None, thread: None };
        }
        let (done, ended) = channel();
        let scene = scene.to_owned();
        let said = move || {
            let start = Instant::now();
            let mut wait = Duration::from_secs(4);
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let seconds = duration(start.elapsed().as_secs_f64());
                stderr::note(&format!("building {scene:?}: {seconds} so far; Ctrl-C stops"));
                wait = LINE_INTERVAL;
            }
        };
        // Without a thread there is no message.
        let thread = std::thread::Builder::new().name("pliant-progress".into()).spawn(said).ok();
        Self { done: Some(done), thread }
    }
}

impl Drop for LongBuild {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
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
