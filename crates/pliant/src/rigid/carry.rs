//! Bodies that go on in another set of bodies, after objects were added or removed.

use crate::math::row_map::RowMap;
use crate::rigid::bodies::ShapeMatch;

impl ShapeMatch {
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
