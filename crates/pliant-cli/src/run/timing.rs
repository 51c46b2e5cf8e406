//! Frames and steps of a run.

use pliant::scene::Scene;

/// Division of simulated time into frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameTiming {
    /// Steps per frame: 1/fps in steps, rounded, at least one.
    pub steps_per_frame: u64,
    /// Simulated time of a frame [s].
    pub frame_seconds: f64,
    /// Duration that the scene sets [s].
    seconds: f64,
}

impl FrameTiming {
    /// From the settings of the scene.
    pub fn of(scene: &Scene) -> Self {
        // Through decimal digits, so that a step of 0.01 s is not the 0.0099999998 of an f32.
        let exact = |v: f32| v.to_string().parse::<f64>().unwrap_or(f64::from(v));
        let (dt, fps) = (exact(scene.solver.dt), exact(scene.output.fps));
        let steps_per_frame = (1.0 / (fps * dt)).round().max(1.0) as u64;
        Self { steps_per_frame, frame_seconds: steps_per_frame as f64 * dt, seconds: exact(scene.output.seconds) }
    }

    /// Number of frames of a run: given, or from a duration [s], or from the scene.
    pub fn frames(&self, frames: Option<u64>, seconds: Option<f64>) -> u64 {
        frames.unwrap_or_else(|| self.frame_at(seconds.unwrap_or(self.seconds)).max(1))
    }

    /// Frame of the still picture, of a run of so many frames.
    pub fn still_frame(&self, scene: &Scene, frames: u64) -> u64 {
        scene.output.still.map_or(frames * 2 / 3, |time| self.frame_at(f64::from(time)).min(frames))
    }

    /// Frame nearest to a time [s].
    pub fn frame_at(&self, time: f64) -> u64 {
        (time / self.frame_seconds).round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(dt: f32, fps: f32, seconds: f32) -> Scene {
        let mut scene = Scene::default();
        (scene.solver.dt, scene.output.fps, scene.output.seconds) = (dt, fps, seconds);
        scene
    }

    #[test]
    fn a_frame_is_the_nearest_whole_number_of_steps() {
        // 1/(50·0.01) = 2; 1/(50·0.006) = 3.33; 1/(50·10) < 1.
        for (dt, steps) in [(0.01, 2), (0.006, 3), (10.0, 1)] {
            assert_eq!(FrameTiming::of(&scene(dt, 50.0, 5.0)).steps_per_frame, steps, "dt {dt}");
        }
    }

    #[test]
    fn a_run_has_the_requested_frames() {
        let timing = FrameTiming::of(&scene(0.01, 50.0, 6.0));
        assert_eq!(timing.frames(None, None), 300);
        assert_eq!(timing.frames(Some(7), None), 7);
        assert_eq!(timing.frames(None, Some(0.1)), 5);
        assert_eq!(timing.frames(None, Some(1e-9)), 1);
    }
}
