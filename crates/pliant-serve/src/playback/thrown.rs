//! What hands have thrown into a world: many objects, but not ever more.

use pliant::{EditError, Handle, World};
use std::collections::VecDeque;
use std::sync::Arc;

/// Most thrown objects in a world at a time.
pub const MOST_THROWN: usize = 200;

/// Thrown objects, the oldest first. It belongs to a moment as the objects do: whoever returns to a moment takes the queue of
/// that time along, or objects that come back would not be counted. Copies share memory until one of them is changed.
#[derive(Clone, Debug, Default)]
pub struct Thrown {
    queue: Arc<VecDeque<Handle>>,
}

impl Thrown {
    /// Counts an object that was just thrown. The oldest beyond [`MOST_THROWN`] are removed from the world; returns what went,
    /// with what could not be without it.
    pub fn keep(&mut self, world: &mut World, object: Handle) -> Result<Vec<Handle>, EditError> {
        let queue = Arc::make_mut(&mut self.queue);
        queue.push_back(object);
        if queue.len() > MOST_THROWN {
            // Those that somebody has removed take no place.
            queue.retain(|&thrown| world.contains(thrown));
        }
        let mut removed = Vec::new();
        while queue.len() > MOST_THROWN {
            let Some(oldest) = queue.pop_front() else { break };
            match world.remove(oldest) {
                Ok(all) => removed.extend(all),
                Err(EditError::Stale) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(removed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playback::{Ray, ball};
    use glam::Vec3;
    use pliant::Options;

    /// Throws a ball to a place of its own.
    fn throw(world: &mut World, thrown: &mut Thrown, number: usize) -> (Handle, usize) {
        let origin = Vec3::new((number % 32) as f32, (number / 32) as f32, 0.0);
        let object = world.add(ball(&Ray { origin, direction: Vec3::Z }, 1.0)).unwrap();
        let removed = thrown.keep(world, object).unwrap();
        (object, removed.len())
    }

    #[test]
    fn beyond_the_most_thrown_objects_the_oldest_goes() {
        let mut world = World::new(Options { threads: 1, ..Options::default() }).unwrap();
        let mut thrown = Thrown::default();
        let all: Vec<Handle> = (0..MOST_THROWN + 20).map(|k| throw(&mut world, &mut thrown, k).0).collect();
        assert_eq!(world.objects().len(), MOST_THROWN);
        assert!(all.iter().enumerate().all(|(k, &object)| world.contains(object) == (k >= 20)));
        // One that somebody has removed makes room.
        world.remove(all[100]).unwrap();
        assert_eq!(throw(&mut world, &mut thrown, MOST_THROWN + 20).1, 0);
        assert_eq!(throw(&mut world, &mut thrown, MOST_THROWN + 21).1, 1);
        world.step().unwrap();
        assert_eq!(world.objects().len(), MOST_THROWN);
    }

    #[test]
    fn a_rewind_brings_objects_and_their_queue_back() {
        let mut world = World::new(Options { threads: 1, ..Options::default() }).unwrap();
        let mut thrown = Thrown::default();
        let early: Vec<Handle> = (0..MOST_THROWN).map(|k| throw(&mut world, &mut thrown, k).0).collect();
        let (moment, then) = (world.snapshot().unwrap(), thrown.clone());
        // All of them are replaced by others, and come back.
        (0..MOST_THROWN).for_each(|k| assert_eq!(throw(&mut world, &mut thrown, MOST_THROWN + k).1, 1));
        assert!(early.iter().all(|&object| !world.contains(object)));
        world.restore(&moment).unwrap();
        thrown = then;
        assert!(early.iter().all(|&object| world.contains(object)));
        (0..10).for_each(|k| assert_eq!(throw(&mut world, &mut thrown, MOST_THROWN + k).1, 1));
        assert_eq!(world.objects().len(), MOST_THROWN);
    }
}
