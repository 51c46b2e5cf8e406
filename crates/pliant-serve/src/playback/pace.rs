//! Simulated time against real time.

use std::time::Instant;

/// A world that is slower than real time runs in slow motion; it does not catch up more than this [s].
const MOST_BEHIND: f64 = 0.1;

/// Says when the next step is due.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Real and simulated time from which both run together.
    anchor: (Instant, f64),
    speed: f64,
}

impl Pace {
    /// From now on, with a speed of 1.
    pub fn new(time: f64) -> Self {
        Self { anchor: (Instant::now(), time), speed: 1.0 }
    }

    /// Ratio of simulated to real time.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Begins anew at a simulated time [s].
    pub fn restart(&mut self, time: f64) {
        self.anchor = (Instant::now(), time);
    }

    /// Changes the speed at a simulated time [s].
    pub fn set_speed(&mut self, speed: f64, time: f64) {
        self.speed = speed;
        self.restart(time);
    }

    /// Simulated time that is due now [s].
    pub fn due(&self) -> f64 {
        self.anchor.1 + self.anchor.0.elapsed().as_secs_f64() * self.speed
    }

    /// Whether a step of this length [s] from a simulated time is due.
    pub fn is_due(&mut self, time: f64, step: f64) -> bool {
        let behind = self.due() - time;
        if behind > MOST_BEHIND.max(2.0 * step) {
            self.restart(time + step);
        }
        behind >= step
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_slow_world_does_not_catch_up() {
        let mut pace = Pace::new(0.0);
        assert!(!pace.is_due(0.0, 0.5));
        let Some(earlier) = Instant::now().checked_sub(Duration::from_secs(10)) else { return };
        pace.anchor.0 = earlier;
        assert!(pace.is_due(0.0, 0.01));
        // The ten seconds are given up: the next step is due in its own time.
        assert!(!pace.is_due(0.01, 0.5));
        pace.set_speed(0.0, 3.0);
        assert_eq!(pace.due(), 3.0);
    }
}
