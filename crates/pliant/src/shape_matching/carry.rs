//! Bodies that go on in another set of bodies, after objects were added or removed.

use crate::math::RowData;
use crate::math::matrix::{IDENTITY, UPRIGHT};
use crate::math::row_map::RowMap;
use crate::shape_matching::bodies::ShapeMatch;
use crate::shape_matching::bodies::{BodyDef, Pose};

impl ShapeMatch {
    /// Goes on with more rows, which belong to no body yet.
    #[cfg(feature = "gpu")]
    pub(crate) fn extend_rows(&mut self, rows: usize) {
        let added = rows - self.rows;
        self.rows = rows;
        self.shares.resize(rows, 0.0);
        if !self.gone.is_empty() {
            self.gone.resize(rows, false);
        }
        if let Some(lists) = &mut self.lists {
            let end = lists.starts.last().copied().unwrap_or(0);
            lists.starts.resize(lists.starts.len() + added, end);
        }
    }

    /// Puts a body of consecutive rows in the place of one that has left them, at rest where they are.
    pub(crate) fn refill(&mut self, number: usize, shape: &BodyDef, rows: &[RowData]) {
        let body = &mut self.bodies[number];
        (body.stiffness, body.plastic) = (shape.stiffness, shape.plastic);
        let run = self.run_of(number);
        if !self.gone.is_empty() {
            self.gone[run].fill(false);
        }
        let pose = &mut self.poses[number];
        *pose = Pose { rotation: UPRIGHT, shape: IDENTITY, stretch: IDENTITY, strain: 0.0, ..*pose };
        self.set_rest_of(number, rows);
        self.set_masses_of(number, rows);
    }

    /// Undoes [`Self::extend_rows`].
    #[cfg(feature = "gpu")]
    pub(crate) fn truncate_rows(&mut self, rows: usize) {
        self.rows = rows;
        self.shares.truncate(rows);
        self.gone.truncate(rows);
        if let Some(lists) = &mut self.lists {
            lists.starts.truncate(rows + 1);
        }
    }

    /// Takes over the poses of some bodies of an equal set.
    pub(crate) fn restore(&mut self, from: &Self, bodies: std::ops::Range<usize>) {
        self.poses[bodies.clone()].copy_from_slice(&from.poses[bodies.clone()]);
        for number in bodies {
            self.bodies[number].alpha = from.bodies[number].alpha;
        }
    }

    /// Takes over what steps and changes of masses have made of the bodies `origin` of `old`, where it has one for a body
    /// of this set. Bits stay as they are.
    pub(crate) fn carry(&mut self, old: &Self, origin: &[Option<usize>], rows: &RowMap) {
        let mut pins = Vec::with_capacity(self.pins.len());
        for (number, origin) in origin.iter().enumerate() {
            let body = &mut self.bodies[number];
            let first_pin = pins.len();
            match origin.map(|origin| (&old.bodies[origin], origin)) {
                Some((from, origin)) if from.count == body.count => {
                    (body.mass, body.alpha) = (from.mass, from.alpha);
                    (body.first, body.pivot) = (from.first, from.pivot);
                    (body.spread, body.flat, body.second) = (from.spread, from.flat, from.second);
                    self.poses[number] = old.poses[origin];
                    let own = &mut self.blocks[body.first_block..][..body.blocks()];
                    own.copy_from_slice(&old.blocks[from.first_block..][..from.blocks()]);
                    let (first, count) = from.pins;
                    pins.extend(
                        old.pins[first..][..count].iter().filter_map(|&row| rows.get(row as usize)).map(|r| r as u32),
                    );
                }
                _ => pins.extend_from_slice(&self.pins[body.pins.0..][..body.pins.1]),
            }
            body.pins = (first_pin, pins.len() - first_pin);
        }
        self.pins = pins;
        rows.copy(&old.shares, &mut self.shares);
        if !old.gone.is_empty() {
            self.gone.resize(self.rows, false);
            rows.copy(&old.gone, &mut self.gone);
        }
    }
}
