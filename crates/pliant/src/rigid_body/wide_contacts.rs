//! Manifolds solved eight at a time, in single precision.
//!
//! Manifolds are colored so that those of one color share no body; a block has eight of a color, lane by lane. Velocities,
//! and ways since the start of the step, are rows of 16 bytes that a block gathers and scatters. The color of a manifold
//! depends on those of its two bodies before it alone, and lanes do not see each other: neither bodies elsewhere nor the
//! width of the lanes change a bit.
//!
//! Single precision is enough for impulses, because bodies integrate in double precision and take over only the changes.

use crate::math::RowData;
use crate::rigid_body::contact_solver::{ContactConstraint, SmallStep, SolverBody};
use crate::rigid_body::manifold::POINTS;
use crate::rigid_body::wide_kernel::{
    Block, COLORS, CROSSED, DIAGONAL, LANES, MOVED, PassNumbers, ROWS, SPIN, TURNED, pass,
};
use crate::runtime::cpu::Isa;
use glam::DVec3;

/// The manifolds of a step.
#[derive(Clone, Debug, Default)]
pub struct WideContacts {
    blocks: Vec<Block>,
    /// Block and lane of each manifold.
    places: Vec<(u32, u32)>,
    rows: Vec<RowData>,
    /// Velocity and spin of each body before a pass.
    before: Vec<[RowData; 2]>,
    /// Colors of each body.
    used: Vec<u64>,
    colors: Vec<u32>,
    /// Next block and its lanes in use, by color and kind.
    next: Vec<(u32, u32)>,
}

impl WideContacts {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        let blocks = self.blocks.capacity() * size_of::<Block>();
        let rows = self.rows.capacity() * size_of::<RowData>() + self.before.capacity() * size_of::<[RowData; 2]>();
        (blocks + rows + 8 * (self.places.capacity() + self.used.capacity() + self.next.capacity())) as u64
    }

    /// Packs the manifolds of a step; the first `moving` of the solver's bodies are no colliders.
    pub fn pack(&mut self, contacts: &[ContactConstraint], solver: &[SolverBody], moving: usize) {
        self.used.clear();
        self.used.resize(moving, 0);
        self.colors.clear();
        // Blocks of each color between bodies, then those with colliders, which have the last word in a pass. Manifolds without
        // a color come behind those that have one.
        let mut counts = [[0_usize; COLORS + 1]; 2];
        for contact in contacts {
            let [a, b] = contact.bodies;
            let taken = self.used[b] | self.used.get(a).copied().unwrap_or(0);
            let color = taken.trailing_ones() as usize;
            if color < COLORS {
                self.used[b] |= 1 << color;
                if let Some(other) = self.used.get_mut(a) {
                    *other |= 1 << color;
                }
            }
            self.colors.push(color as u32);
            counts[usize::from(a >= moving)][color] += 1;
        }
        self.next.clear();
        let mut blocks = 0;
        for colors in &counts {
            for (color, &count) in colors.iter().enumerate() {
                self.next.push((blocks, 0));
                blocks += if color < COLORS { count.div_ceil(LANES) } else { count } as u32;
            }
        }
        self.blocks.resize_with(blocks as usize, Block::default);
        self.places.clear();
        for (contact, &color) in contacts.iter().zip(&self.colors) {
            let still = contact.bodies[0] >= moving;
            let next = &mut self.next[usize::from(still) * (COLORS + 1) + color as usize];
            let (block, lane) = *next;
            let full = lane as usize + 1 == LANES || color as usize == COLORS;
            *next = if full { (block + 1, 0) } else { (block, lane + 1) };
            let own = &mut self.blocks[block as usize];
            if lane == 0 {
                *own = Block { still, ..Block::default() };
            }
            own.put(lane as usize, contact);
            self.places.push((block, lane));
        }
        self.rows.clear();
        self.rows.resize(ROWS * solver.len(), [0.0; 4]);
        for (rows, body) in self.rows.chunks_exact_mut(ROWS).zip(solver).filter(|(_, body)| body.has_contacts) {
            let m = body.inverse_inertia;
            rows[DIAGONAL] = row(DVec3::new(m.x_axis.x, m.y_axis.y, m.z_axis.z), 0.0);
            rows[CROSSED] = row(DVec3::new(m.y_axis.x, m.z_axis.x, m.z_axis.y), 0.0);
        }
        self.before.resize(solver.len(), [[0.0; 4]; 2]);
    }

    /// Takes over the motion of a body that has contacts.
    #[inline]
    pub fn publish(&mut self, k: usize, body: &SolverBody) {
        let rows = &mut self.rows[ROWS * k..ROWS * k + DIAGONAL];
        rows[0] = row(body.velocity, body.inverse_mass);
        rows[SPIN] = row(body.spin, 0.0);
        self.before[k] = [rows[0], rows[SPIN]];
    }

    /// Adds to the way [m] and the rotation [rad] of a body since the start of the step.
    #[inline]
    pub fn advance(&mut self, k: usize, way: DVec3, turn: DVec3) {
        let rows = &mut self.rows[ROWS * k..ROWS * k + DIAGONAL];
        for (row, v) in [(MOVED, way), (TURNED, turn)] {
            let [x, y, z, _] = rows[row];
            rows[row] = [x + v.x as f32, y + v.y as f32, z + v.z as f32, 0.0];
        }
    }

    /// Way and rotation of a body since the start of the step.
    pub fn way(&self, k: usize) -> [DVec3; 2] {
        [MOVED, TURNED].map(|row| {
            let [x, y, z, _] = self.rows[ROWS * k + row];
            DVec3::new(f64::from(x), f64::from(y), f64::from(z))
        })
    }

    /// Adds the changes of the last pass to a body.
    #[inline]
    pub fn absorb(&self, k: usize, body: &mut SolverBody) {
        let change = |now: RowData, then: RowData| {
            let [x, y, z] = [0, 1, 2].map(|i| f64::from(now[i]) - f64::from(then[i]));
            DVec3::new(x, y, z)
        };
        let [velocity, spin] = self.before[k];
        let linear = change(self.rows[ROWS * k], velocity);
        let angular = change(self.rows[ROWS * k + SPIN], spin);
        body.velocity += linear;
        body.spin += angular;
        body.carried[0] += linear;
        body.carried[1] += angular;
    }

    /// One pass over all manifolds; with `biased` overlap is removed.
    pub fn pass(&mut self, isa: Isa, step: &SmallStep, biased: bool) {
        let numbers = PassNumbers {
            inv_h: (1.0 / step.h) as f32,
            bias_rate: if biased { step.bias_rate as f32 } else { 0.0 },
            mass_scale: if biased { step.mass_scale as f32 } else { 1.0 },
            impulse_scale: if biased { step.impulse_scale as f32 } else { 0.0 },
            push_speed: step.push_speed as f32,
        };
        pass(isa, &mut self.blocks, &mut self.rows, &numbers, biased);
    }

    /// Adds the impulses of a small step, which is over, to those of the step.
    pub fn accumulate(&mut self) {
        self.blocks.iter_mut().for_each(Block::accumulate);
    }

    /// Whether a manifold carries an impulse.
    pub fn is_pressed(&self, contact: usize) -> bool {
        let (block, lane) = self.places[contact];
        self.blocks[block as usize].points.iter().any(|p| p.impulse[lane as usize] > 0.0)
    }

    /// Writes the impulses back.
    pub fn unpack(&self, contacts: &mut [ContactConstraint]) {
        for (contact, &(block, lane)) in contacts.iter_mut().zip(&self.places) {
            let (block, lane) = (&self.blocks[block as usize], lane as usize);
            for (own, p) in contact.points.iter_mut().zip(&block.points) {
                own.impulse = f64::from(p.impulse[lane]);
            }
            let sum = |k: usize| f64::from(block.sums[k][lane]);
            contact.points.iter_mut().enumerate().for_each(|(k, own)| own.total = sum(k));
            contact.total_friction = [POINTS, POINTS + 1].map(sum);
            contact.friction = block.friction.map(|f| f64::from(f[lane]));
            contact.twist = f64::from(block.twist[lane]);
        }
    }
}

fn row(v: DVec3, w: f64) -> RowData {
    [v.x as f32, v.y as f32, v.z as f32, w as f32]
}
