//! Random numbers, now and then such as no call may accept.

use glam::Vec3;

pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.bits() as usize % n.max(1)
    }

    pub fn unit(&mut self) -> f32 {
        self.bits() as f32 / (1_u64 << 31) as f32
    }

    pub fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    /// Mostly a place in the scene, now and then a number that no call may accept or survive badly.
    pub fn vector(&mut self) -> Vec3 {
        let mut v = Vec3::new(self.unit() * 4.0 - 2.0, self.unit() * 3.0 + 0.3, self.unit() * 4.0 - 2.0);
        if self.below(25) == 0 {
            v[self.below(3)] = self.of(&[f32::NAN, f32::INFINITY, -1e30, 1e9, 0.0]);
        }
        v
    }

    /// A size [m] or another positive number.
    pub fn size(&mut self) -> f32 {
        match self.below(30) {
            0 => f32::NAN,
            1 => -1.0,
            2 => 0.0,
            _ => 0.1 + 0.3 * self.unit(),
        }
    }
}
