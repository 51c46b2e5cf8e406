//! Moments of a world to return to, within a limit of memory.

use pliant::{Snapshot, SnapshotError, StepError, World};
use std::collections::VecDeque;

/// A moment to return to, and what its owner wants to have back with it.
#[derive(Clone, Debug)]
pub struct Moment<T> {
    /// The world.
    pub snapshot: Snapshot,
    /// What belongs to it.
    pub with: T,
}

/// The beginning of a world, and later moments in order. When memory is short the oldest of these are dropped.
#[derive(Clone, Debug)]
pub struct History<T> {
    start: Moment<T>,
    later: VecDeque<Moment<T>>,
    spacing: f64,
    limit: u64,
    /// Memory of `later` [bytes].
    bytes: u64,
}

impl<T> History<T> {
    /// Begins with the present. `spacing` is the simulated time between moments [s], `limit` their memory [bytes].
    pub fn new(world: &mut World, with: T, spacing: f64, limit: u64) -> Result<Self, StepError> {
        let start = Moment { snapshot: world.snapshot()?, with };
        Ok(Self { start, later: VecDeque::new(), spacing, limit, bytes: 0 })
    }

    /// Whether so much time has passed since the last moment that the next one is due.
    pub fn is_due(&self, time: f64) -> bool {
        let last = self.later.back().unwrap_or(&self.start).snapshot.time();
        time >= last + self.spacing
    }

    /// Keeps the present.
    pub fn keep(&mut self, world: &mut World, with: T) -> Result<(), StepError> {
        let snapshot = world.snapshot()?;
        self.bytes += snapshot.bytes();
        self.later.push_back(Moment { snapshot, with });
        while self.bytes > self.limit && self.later.len() > 1 {
            self.bytes -= self.later.pop_front().map_or(0, |m| m.snapshot.bytes());
        }
        Ok(())
    }

    /// The beginning.
    pub fn start(&self) -> &Moment<T> {
        &self.start
    }

    /// Time of the earliest moment after the beginning [s], or of the beginning if there is none.
    pub fn first(&self) -> f64 {
        self.later.front().unwrap_or(&self.start).snapshot.time()
    }

    /// Time of the last moment [s].
    pub fn last(&self) -> f64 {
        self.later.back().unwrap_or(&self.start).snapshot.time()
    }

    /// Memory of all moments but the beginning [bytes].
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The moment nearest to a time.
    pub fn nearest(&self, time: f64) -> &Moment<T> {
        let distance = |m: &Moment<T>| (m.snapshot.time() - time).abs();
        let nearest = self.later.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.filter(|m| distance(m) <= distance(&self.start)).unwrap_or(&self.start)
    }

    /// The last moment before a time.
    pub fn before(&self, time: f64) -> &Moment<T> {
        self.later.iter().rev().find(|m| m.snapshot.time() < time).unwrap_or(&self.start)
    }

    /// The first moment after a time.
    pub fn after(&self, time: f64) -> Option<&Moment<T>> {
        self.later.iter().find(|m| m.snapshot.time() > time)
    }

    /// Forgets moments later than a time: they are no future of a world that goes on from there in another way.
    pub fn forget_after(&mut self, time: f64) {
        while self.later.back().is_some_and(|m| m.snapshot.time() > time) {
            self.bytes -= self.later.pop_back().map_or(0, |m| m.snapshot.bytes());
        }
    }
}

impl<T> Moment<T> {
    /// Puts the world back to this moment.
    pub fn restore(&self, world: &mut World) -> Result<(), SnapshotError> {
        world.restore(&self.snapshot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::Options;
    use pliant::scene::Body;

    fn falling(limit: u64) -> (World, History<u32>) {
        let mut world = World::new(Options { threads: 1, ..Options::default() }).unwrap();
        world.add(Body::ball(0.1)).unwrap();
        let mut history = History::new(&mut world, 0, 0.045, limit).unwrap();
        for k in 1..=20 {
            world.step().unwrap();
            if history.is_due(world.time()) {
                history.keep(&mut world, k).unwrap();
            }
        }
        (world, history)
    }

    #[test]
    fn moments_are_found_by_time_and_restore_the_same_bits() {
        let (mut world, mut history) = falling(1 << 20);
        // Steps of 10 ms: every fifth is the first that is due.
        assert_eq!(history.nearest(0.11).with, 10);
        assert_eq!(history.nearest(-1.0).with, 0);
        assert_eq!(history.nearest(9.0).with, 20);
        // Steps are single precision and 0.1 is not: "before" and "after" are asked with the moment's own time.
        let tenth = history.nearest(0.1).snapshot.time();
        assert_eq!(history.before(tenth).with, 5);
        assert_eq!(history.after(tenth).map(|m| m.with), Some(15));
        let end = world.hash();
        history.nearest(0.1).restore(&mut world).unwrap();
        world.step_many(10).unwrap();
        assert_eq!(world.hash(), end);
        history.forget_after(0.12);
        assert_eq!(history.last(), tenth);
    }

    #[test]
    fn the_oldest_moments_go_when_memory_is_short() {
        let (mut world, history) = falling(1);
        assert_eq!((history.first(), history.nearest(0.1).with), (history.last(), 20));
        // The beginning stays.
        assert_eq!(history.nearest(0.0).with, 0);
        history.start().restore(&mut world).unwrap();
        assert_eq!(world.time(), 0.0);
    }
}
