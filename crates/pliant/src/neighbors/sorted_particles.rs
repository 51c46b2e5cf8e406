//! Particles in the slot order of a search structure, as a structure of arrays.

use crate::memory::{of, resize};
use crate::neighbors::{Cloud, Pairs};
use crate::runtime::cpu::Threads;

/// Slots read at once.
pub(crate) const WIDTH: usize = 8;

/// Structure of arrays by slot, with [`WIDTH`] more elements than slots so that a vector may be loaded from every slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sorted {
    /// Particle index of each slot; padding is undefined.
    pub index: Vec<u32>,
    /// Positions [m].
    pub x: Vec<f32>,
    /// See `x`.
    pub y: Vec<f32>,
    /// See `x`.
    pub z: Vec<f32>,
    /// Radii [m].
    pub radius: Vec<f32>,
    /// Phases.
    pub phase: Vec<u32>,
    /// Number of slots.
    pub len: usize,
}

impl Sorted {
    /// Resizes to `len` slots; contents are undefined.
    pub fn resize(&mut self, len: usize) {
        self.len = len;
        for v in [&mut self.x, &mut self.y, &mut self.z, &mut self.radius] {
            resize(v, len + WIDTH, 0.0);
        }
        for v in [&mut self.index, &mut self.phase] {
            resize(v, len + WIDTH, 0);
        }
    }

    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        [&self.x, &self.y, &self.z, &self.radius].into_iter().map(of).sum::<u64>() + of(&self.index) + of(&self.phase)
    }

    /// Gathers the data of the particles in `index`.
    pub fn gather(&mut self, threads: &Threads, cloud: Cloud<'_>) {
        let Self { index, x, y, z, radius, phase, len } = self;
        let index = &index[..*len];
        let phase = &mut phase[..*len];
        threads.zip((&mut x[..*len], &mut y[..*len], &mut z[..*len]), |first, x, y, z| {
            for (s, &i) in index[first..first + x.len()].iter().enumerate() {
                [x[s], y[s], z[s], _] = cloud.rows[i as usize];
            }
        });
        threads.chunks(&mut radius[..*len], 1, |first, radius| {
            for (r, &i) in radius.iter_mut().zip(&index[first..]) {
                *r = cloud.radii[i as usize];
            }
        });
        if cloud.phases.is_empty() {
            phase.fill(0);
        } else {
            threads.chunks(phase, 1, |first, phase| {
                for (p, &i) in phase.iter_mut().zip(&index[first..]) {
                    *p = cloud.phases[i as usize];
                }
            });
        }
    }

    /// Neighbor test of a slot's particle.
    #[inline(always)]
    pub fn probe(&self, slot: usize, margin: f32, pairs: Pairs) -> Probe {
        Probe {
            x: self.x[slot],
            y: self.y[slot],
            z: self.z[slot],
            radius: self.radius[slot],
            margin,
            phase: self.phase[slot],
            index: self.index[slot],
            pairs,
        }
    }
}

/// Neighbor test of one particle: position, reach, and which pairs it lists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    pub x: f32,
    pub y: f32,
    pub z: f32,
    pub radius: f32,
    pub margin: f32,
    pub phase: u32,
    pub index: u32,
    pub pairs: Pairs,
}
