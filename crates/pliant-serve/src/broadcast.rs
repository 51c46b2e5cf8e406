//! The latest frame, from which each viewer takes what it has not seen.
//!
//! Nothing is queued per viewer but short replies: memory does not depend on how slowly they read.

use crate::drawing::Drawing;
use crate::encoding::{EncodedChunk, FrameHeader, frame_message};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// Replies that wait for a viewer at most; older ones are dropped.
const MOST_REPLIES: usize = 32;

/// A message to a viewer.
#[derive(Clone, Debug, PartialEq)]
pub enum Outgoing {
    /// JSON.
    Text(String),
    /// Little-endian words.
    Binary(Vec<u8>),
}

/// Number of a viewer.
pub type ViewerId = u64;

#[derive(Default)]
struct Latest {
    drawing: Option<Arc<Drawing>>,
    frame: u64,
    playing: bool,
    time: f64,
    chunks: Vec<EncodedChunk>,
    poses: Vec<f32>,
    status: (u64, String),
    replies: BTreeMap<ViewerId, VecDeque<String>>,
}

/// What a viewer has seen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    drawing: u32,
    frame: u64,
    status: u64,
}

/// Shared by the session and all viewers.
#[derive(Default)]
pub struct Broadcast {
    latest: Mutex<Latest>,
    viewers: AtomicUsize,
}

impl Broadcast {
    fn latest(&self) -> MutexGuard<'_, Latest> {
        self.latest.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Viewers now.
    pub fn viewers(&self) -> usize {
        self.viewers.load(Ordering::Relaxed)
    }

    /// A viewer has come.
    pub fn enter(&self, viewer: ViewerId) {
        self.viewers.fetch_add(1, Ordering::Relaxed);
        self.latest().replies.insert(viewer, VecDeque::new());
    }

    /// A viewer has gone.
    pub fn leave(&self, viewer: ViewerId) {
        self.viewers.fetch_sub(1, Ordering::Relaxed);
        self.latest().replies.remove(&viewer);
    }

    /// Replaces the drawing; frames of the one before are void.
    pub fn draw(&self, drawing: Arc<Drawing>) {
        let mut latest = self.latest();
        latest.chunks.clear();
        latest.drawing = Some(drawing);
    }

    /// Publishes a frame: all of its chunks, encoded. Those that are as before keep the frame in which they changed.
    pub fn publish(&self, playing: bool, time: f64, encoded: Vec<Vec<u8>>, poses: Vec<f32>) {
        let mut latest = self.latest();
        latest.frame += 1;
        (latest.playing, latest.time, latest.poses) = (playing, time, poses);
        let frame = latest.frame;
        latest.chunks.truncate(encoded.len());
        for (k, bytes) in encoded.into_iter().enumerate() {
            match latest.chunks.get_mut(k) {
                Some(old) if *old.bytes == *bytes => {}
                Some(old) => *old = EncodedChunk { changed: frame, bytes: bytes.into() },
                None => latest.chunks.push(EncodedChunk { changed: frame, bytes: bytes.into() }),
            }
        }
    }

    /// Replaces the status.
    pub fn status(&self, text: String) {
        let status = &mut self.latest().status;
        *status = (status.0 + 1, text);
    }

    /// A message for one viewer.
    pub fn reply(&self, viewer: ViewerId, text: String) {
        if let Some(replies) = self.latest().replies.get_mut(&viewer) {
            if replies.len() == MOST_REPLIES {
                replies.pop_front();
            }
            replies.push_back(text);
        }
    }

    /// What a viewer has not seen, in order.
    pub fn take(&self, viewer: ViewerId, seen: &mut Seen) -> Vec<Outgoing> {
        let mut latest = self.latest();
        let mut all: Vec<Outgoing> = Vec::new();
        if let Some(replies) = latest.replies.get_mut(&viewer) {
            all.extend(replies.drain(..).map(Outgoing::Text));
        }
        if latest.status.0 > seen.status {
            seen.status = latest.status.0;
            all.push(Outgoing::Text(latest.status.1.clone()));
        }
        let Some(drawing) = latest.drawing.clone() else { return all };
        let fresh = drawing.version != seen.drawing;
        let mut frame = None;
        if !latest.chunks.is_empty() || drawing.chunks.is_empty() {
            let after = if fresh { 0 } else { seen.frame };
            if latest.frame > after {
                let new = latest.chunks.iter().filter(|c| c.changed > after).map(|c| c.bytes.clone());
                let header = FrameHeader {
                    version: drawing.version,
                    frame: latest.frame,
                    playing: latest.playing,
                    time: latest.time,
                };
                frame = Some((header, new.collect::<Vec<_>>(), latest.poses.clone()));
                seen.frame = latest.frame;
            }
        }
        drop(latest);
        if fresh {
            seen.drawing = drawing.version;
            all.push(Outgoing::Text(drawing.description.clone()));
            all.push(Outgoing::Binary(drawing.geometry.clone()));
        }
        all.extend(frame.map(|(header, chunks, poses)| Outgoing::Binary(frame_message(&header, &chunks, &poses))));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::Chunk;

    fn drawing(version: u32) -> Arc<Drawing> {
        let chunk = |start| Chunk { start, count: 1, object: 0 };
        let (description, geometry) = (String::from("{}"), vec![1]);
        Arc::new(Drawing { version, description, geometry, chunks: vec![chunk(0), chunk(1)], size: 1.0 })
    }

    fn sizes(all: &[Outgoing]) -> Vec<usize> {
        let size = |m: &Outgoing| match m {
            Outgoing::Text(t) => t.len(),
            Outgoing::Binary(b) => b.len(),
        };
        all.iter().map(size).collect()
    }

    #[test]
    fn a_viewer_gets_what_changed_since_it_last_looked() {
        let (hub, mut seen) = (Broadcast::default(), Seen::default());
        hub.enter(1);
        assert!(hub.take(1, &mut seen).is_empty());
        hub.draw(drawing(1));
        hub.publish(true, 0.0, vec![vec![0; 8], vec![1; 8]], vec![]);
        assert_eq!(sizes(&hub.take(1, &mut seen)), [2, 1, 32 + 16]);
        assert!(hub.take(1, &mut seen).is_empty());
        // Frames that were not taken are skipped, but not what they changed.
        hub.publish(true, 0.1, vec![vec![2; 8], vec![1; 8]], vec![]);
        hub.publish(true, 0.2, vec![vec![2; 8], vec![1; 8]], vec![0.0; 7]);
        assert_eq!(sizes(&hub.take(1, &mut seen)), [32 + 8 + 28]);
        // Another drawing begins anew.
        hub.draw(drawing(2));
        assert_eq!(sizes(&hub.take(1, &mut seen)), [2, 1]);
        hub.publish(true, 0.3, vec![vec![2; 8], vec![1; 8]], vec![]);
        assert_eq!(sizes(&hub.take(1, &mut seen)), [32 + 16]);
    }

    #[test]
    fn replies_are_bounded_and_end_with_their_viewer() {
        let (hub, mut seen) = (Broadcast::default(), Seen::default());
        hub.enter(1);
        (0..1000).for_each(|k| hub.reply(1, k.to_string()));
        (0..1000).for_each(|k| hub.reply(2, k.to_string()));
        let all = hub.take(1, &mut seen);
        assert_eq!(all.len(), MOST_REPLIES);
        assert_eq!(all.last(), Some(&Outgoing::Text("999".to_owned())));
        hub.leave(1);
        assert_eq!(hub.viewers(), 0);
        hub.reply(1, "late".to_owned());
        assert!(hub.take(1, &mut seen).is_empty());
    }
}
