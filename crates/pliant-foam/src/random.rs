//! Counter-based random numbers: they depend on frame and particle only, not on the order of threads.

use glam::Vec3;

/// A random sequence per frame and particle (SplitMix64).
#[derive(Clone, Copy, Debug)]
pub(crate) struct CounterRng {
    state: u64,
}

impl CounterRng {
    /// For a particle in a frame.
    pub fn new(frame: u64, particle: u32) -> Self {
        Self { state: mix(mix(frame) ^ u64::from(particle)) }
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (mix(self.state) >> 40) as f32 / (1 << 24) as f32
    }

    /// Uniform in the unit ball.
    pub fn in_unit_ball(&mut self) -> Vec3 {
        let one = |rng: &mut Self| 2.0 * rng.unit() - 1.0;
        let mut p = Vec3::ZERO;
        // Rejection from the cube: half of the candidates fail; after 17 failures, one in 300,000, the last is scaled inward.
        for _ in 0..17 {
            p = Vec3::new(one(self), one(self), one(self));
            if p.length_squared() < 1.0 {
                return p;
            }
        }
        p * 0.5
    }
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): every bit depends on every other.
fn mix(v: u64) -> u64 {
    let v = (v ^ (v >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let v = (v ^ (v >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    v ^ (v >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_uniform_and_differ_by_frame_and_particle() {
        let mut sum = [0.0_f64; 2];
        let n = 40_000;
        for i in 0..n {
            let mut rng = CounterRng::new(3, i);
            for s in &mut sum {
                *s += f64::from(rng.unit()) / f64::from(n);
            }
        }
        // The standard deviation of the mean of 40,000 numbers is 0.289/200 = 0.0014; the tolerance is five times that.
        assert!(sum.iter().all(|s| (s - 0.5).abs() < 0.007), "{sum:?}");
        assert_ne!(CounterRng::new(3, 5).unit(), CounterRng::new(4, 5).unit());
        assert_ne!(CounterRng::new(3, 5).unit(), CounterRng::new(3, 6).unit());
        assert_eq!(CounterRng::new(3, 5).unit(), CounterRng::new(3, 5).unit());
    }

    #[test]
    fn points_fill_the_ball() {
        let points: Vec<Vec3> = (0..10_000).map(|i| CounterRng::new(0, i).in_unit_ball()).collect();
        assert!(points.iter().all(|p| p.length() < 1.0));
        // Half of a ball lies within ∛½ = 0.794 of its radius; the standard deviation of 10,000 points is 0.5 %, the tolerance
        // five times that.
        let inner = points.iter().filter(|p| p.length() < 0.5_f32.cbrt()).count();
        assert!((4_750..5_250).contains(&inner), "{inner}");
    }
}
