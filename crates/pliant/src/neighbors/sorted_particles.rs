//! Particles in the order of a search structure: slot by slot, component by component.

use crate::memory::of;
use crate::neighbors::{Cloud, Pairs};
use crate::runtime::cpu::Threads;

/// Slots that are read at once.
pub(crate) const WIDTH: usize = 8;

/// One slot, in the layout the search reads: a structure of arrays, with [`WIDTH`] more elements than slots so that
/// a vector may be loaded from every slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sorted {
    /// Particle number of each slot; what is behind the last slot means nothing.
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
    /// Makes room for `len` slots; contents are to be written.
    pub fn resize(&mut self, len: usize) {
        self.len = len;
        for v in [&mut self.x, &mut self.y, &mut self.z, &mut self.radius] {
            v.resize(len + WIDTH, 0.0);
        }
        for v in [&mut self.index, &mut self.phase] {
            v.resize(len + WIDTH, 0);
        }
    }

    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        [&self.x, &self.y, &self.z, &self.radius].into_iter().map(of).sum::<u64>() + of(&self.index) + of(&self.phase)
    }

    /// Fetches what belongs to the particle numbers in `index`.
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

    /// The question that a slot asks.
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

/// What one particle asks of every other: are we neighbors, and is it mine to list you?
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
