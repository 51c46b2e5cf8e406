//! The world that viewers watch: steps it in real time and does what they ask for.

mod obey;

use crate::broadcast::{Broadcast, ViewerId};
use crate::command::Command;
use crate::drawing::Drawing;
use crate::encoding::encode_chunk;
use crate::listener::{Link, Listener, ServeError};
use crate::playback::{History, Pace, Thrown, trouble};
use crate::recording::Recording;
use pliant::frame::Frame;
use pliant::scene::Scene;
use pliant::{GripHandle, StepError, World};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// Commands that may wait; a viewer's are dropped beyond that.
const MOST_COMMANDS: usize = 1024;
/// Shortest time between two published frames.
const FRAME: Duration = Duration::from_millis(16);
/// Longest time of stepping between two looks at commands, and of commands between two steps.
const BUSY: Duration = Duration::from_millis(25);
/// Simulated time between kept moments [s].
const MOMENT: f64 = 0.1;
/// Time between two status messages.
const STATUS: Duration = Duration::from_millis(250);

/// Options of a session.
#[derive(Clone, Copy, Debug)]
pub struct SessionOptions {
    /// Whether time runs from the start; default true.
    pub playing: bool,
    /// Whether to keep all frames for [`Session::recording`]; default false.
    pub record: bool,
    /// Memory for moments to rewind to [bytes]; default 512 MiB.
    pub history_bytes: u64,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self { playing: true, record: false, history_bytes: 512 << 20 }
    }
}

/// What comes from a viewer.
pub enum FromViewer {
    /// A command.
    Command(Command),
    /// It has gone.
    Left,
}

/// What belongs to a kept moment beside the world.
#[derive(Clone, Debug, Default)]
struct Past {
    grips: BTreeMap<ViewerId, GripHandle>,
    thrown: Thrown,
}

/// A world with viewers.
pub struct Session {
    world: World,
    scene: Scene,
    name: String,
    link: Link,
    commands: Receiver<(ViewerId, FromViewer)>,
    drawing: Arc<Drawing>,
    frame: Frame,
    /// Whether something was changed since the last published frame.
    changed: bool,
    /// Whether objects were added or removed since the drawing was made.
    edited: bool,
    playing: bool,
    pace: Pace,
    /// Moments to rewind to, with what was held and thrown then.
    history: History<Past>,
    grips: BTreeMap<ViewerId, GripHandle>,
    thrown: Thrown,
    /// Why time stands still, if an error stopped it.
    trouble: Option<String>,
    step_time: f64,
    recording: Option<Recording>,
    /// When the last frame and the last status were published.
    shown: Instant,
    told: Instant,
}

impl Session {
    /// Of a world at its beginning. `scene` gives the camera.
    pub fn new(mut world: World, scene: &Scene, name: &str, options: SessionOptions) -> Result<Self, StepError> {
        world.sync()?;
        let mut frame = Frame::default();
        world.write_frame(&mut frame);
        let drawing = Arc::new(Drawing::new(1, name, scene, &world, &frame));
        let (sender, commands) = sync_channel(MOST_COMMANDS);
        let broadcast = Arc::new(Broadcast::default());
        broadcast.draw(drawing.clone());
        let recording = options.record.then(|| Recording::new(&broadcast));
        let history = History::new(&mut world, Past::default(), MOMENT, options.history_bytes)?;
        let pace = Pace::new(world.time());
        let mut session = Self {
            world,
            scene: scene.clone(),
            name: name.to_owned(),
            link: Link { broadcast, commands: sender },
            commands,
            drawing,
            frame,
            changed: true,
            edited: false,
            playing: options.playing,
            pace,
            history,
            grips: BTreeMap::new(),
            thrown: Thrown::default(),
            trouble: None,
            step_time: 0.0,
            recording,
            shown: Instant::now(),
            told: Instant::now(),
        };
        session.publish()?;
        session.link.broadcast.status(session.status());
        Ok(session)
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Why time stands still, if an error has stopped it: until a rewind.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Serves viewers until `stop` is set. An error is one of the device; a world that diverges, or whose objects cannot be
    /// built together, stands still and can be rewound.
    pub fn run(&mut self, listener: Listener, stop: &Arc<AtomicBool>) -> Result<(), SessionError> {
        let accepting = listener.start(self.link.clone(), stop.clone())?;
        let result = self.serve(stop);
        stop.store(true, Ordering::Relaxed);
        // It ends within a fraction of a second; a panic there has nothing to add.
        let _ = accepting.join();
        result
    }

    fn serve(&mut self, stop: &AtomicBool) -> Result<(), SessionError> {
        self.pace.restart(self.world.time());
        while !stop.load(Ordering::Relaxed) {
            let wait = if self.playing { Duration::from_millis(1) } else { Duration::from_millis(5) };
            match self.commands.recv_timeout(wait) {
                Ok((viewer, message)) => {
                    let begun = Instant::now();
                    self.take(viewer, message);
                    // Many viewers could send commands faster than they are obeyed: time goes on between them.
                    while begun.elapsed() < BUSY
                        && let Ok((viewer, message)) = self.commands.try_recv()
                    {
                        self.take(viewer, message);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                // The session holds a sender itself.
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            self.advance()?;
        }
        Ok(())
    }

    /// Does what is due: steps until simulated time is where real time is, or some time has been spent, and publishes.
    ///
    /// An error is one of the device.
    pub fn advance(&mut self) -> Result<(), StepError> {
        if self.playing {
            self.catch_up()?;
        }
        if self.changed && self.shown.elapsed() >= FRAME {
            self.shown = Instant::now();
            self.publish()?;
        }
        if self.told.elapsed() >= STATUS {
            self.told = Instant::now();
            self.link.broadcast.status(self.status());
        }
        Ok(())
    }

    /// The recording as a page, if one was asked for, and whether frames were left out for its size.
    pub fn recording(&self) -> Option<(String, bool)> {
        self.recording.as_ref().map(|r| (r.html(), r.full))
    }

    /// Steps until simulated time is where real time is, or some time has been spent.
    fn catch_up(&mut self) -> Result<(), StepError> {
        let begun = Instant::now();
        while self.playing && begun.elapsed() < BUSY {
            let step = f64::from(self.world.solver_settings().dt);
            if !self.pace.is_due(self.world.time(), step) {
                return Ok(());
            }
            self.step()?;
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), StepError> {
        let begun = Instant::now();
        // Divergence on a device shows when the state is read.
        let done = self.remember().and_then(|()| self.world.step()).and_then(|()| self.world.sync());
        if let Some(reason) = trouble(done)? {
            self.stand_still(reason);
        }
        self.step_time += 0.1 * (begun.elapsed().as_secs_f64() - self.step_time);
        self.changed = true;
        if let Some(recording) = self.recording.as_ref().filter(|r| r.is_due(self.world.time())) {
            debug_assert!(!recording.full);
            self.publish()?;
        }
        Ok(())
    }

    /// Keeps the present moment, if one is due.
    fn remember(&mut self) -> Result<(), StepError> {
        if self.history.is_due(self.world.time()) {
            let past = Past { grips: self.grips.clone(), thrown: self.thrown.clone() };
            self.history.keep(&mut self.world, past)?;
        }
        Ok(())
    }

    /// Stops time, and tells viewers why.
    fn stand_still(&mut self, reason: String) {
        self.playing = false;
        self.trouble = Some(reason);
        self.link.broadcast.status(self.status());
    }

    /// Goes back to the kept moment nearest to a time; later ones are forgotten.
    fn rewind(&mut self, time: f64) -> Result<(), String> {
        let moment = self.history.nearest(time);
        moment.restore(&mut self.world).map_err(|e| e.to_string())?;
        // Grips of that time have no viewer; those of later times do not exist then.
        for &grip in moment.with.grips.values() {
            let _ = self.world.release(grip);
        }
        self.thrown = moment.with.thrown.clone();
        self.history.forget_after(self.world.time());
        self.grips.clear();
        (self.trouble, self.changed, self.edited) = (None, true, true);
        self.pace.restart(self.world.time());
        Ok(())
    }

    /// Sends the present state to all viewers, and to the recording.
    fn publish(&mut self) -> Result<(), StepError> {
        self.changed = false;
        let due = self.recording.as_ref().is_some_and(|r| r.is_due(self.world.time()));
        if self.link.broadcast.viewers() == 0 && !due && !self.edited {
            // The next viewer must see the present.
            self.changed = true;
            return Ok(());
        }
        if std::mem::take(&mut self.edited) {
            if let Err(error) = self.world.apply_edits() {
                self.stand_still(error.to_string());
            }
            // A state that has diverged is shown as it is.
            if let Some(reason) = trouble(self.world.sync())? {
                self.stand_still(reason);
            }
            self.world.write_frame(&mut self.frame);
            let version = self.drawing.version + 1;
            self.drawing = Arc::new(Drawing::new(version, &self.name, &self.scene, &self.world, &self.frame));
            self.link.broadcast.draw(self.drawing.clone());
        } else {
            self.world.write_frame(&mut self.frame);
        }
        let frame = &self.frame;
        let chunks = self.drawing.chunks.iter().enumerate().map(|(k, chunk)| encode_chunk(k, chunk, frame)).collect();
        let mut poses = Vec::new();
        for collider in &self.world.model().colliders {
            let pose = collider.motion.pose(frame.time);
            poses.extend(pose.position.to_array().into_iter().chain(pose.rotation.to_array()));
        }
        self.link.broadcast.publish(self.playing, frame.time, chunks, poses);
        if let Some(recording) = self.recording.as_mut().filter(|_| due) {
            recording.keep(&self.link.broadcast, self.world.time());
        }
        Ok(())
    }

    fn status(&self) -> String {
        let settings = self.world.world_settings();
        json!({
            "type": "status",
            "playing": self.playing,
            "time": self.world.time(),
            "first": self.history.start().snapshot.time(),
            "speed": self.pace.speed(),
            "step_ms": 1000.0 * self.step_time,
            "particles": self.world.particles(),
            "viewers": self.link.broadcast.viewers() - usize::from(self.recording.is_some()),
            "gravity": settings.gravity,
            "trouble": self.trouble,
        })
        .to_string()
    }
}

/// A JSON message with a text.
pub fn message(kind: &str, text: &str) -> String {
    json!({ "type": kind, "message": text }).to_string()
}

/// Why a session ended.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The page cannot be served.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// The world cannot go on.
    #[error(transparent)]
    Step(#[from] StepError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::Options;
    use pliant::builder::NoMeshes;
    use pliant::scene::{Format, Rope};

    /// A liquid that freezes much later. The body that it becomes has a name which no handle has: another object of that name
    /// is accepted, but cannot be built.
    const FREEZING: &str = r#"
        [[liquid]]
        name = "water"
        fill = { min = [0, 0, 0], max = [0.2, 0.2, 0.2] }
        [[freeze]]
        liquid = "water"
        start = 1000
        [fluid]
        radius = 0.03
    "#;

    fn session() -> Session {
        let scene = Scene::parse(FREEZING, Format::Toml).unwrap();
        let world = World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap();
        Session::new(world, &scene, "test", SessionOptions { playing: false, ..SessionOptions::default() }).unwrap()
    }

    #[test]
    fn objects_that_cannot_be_built_together_stop_time_but_not_the_session() {
        // A step finds it, a moment that is kept before the step, or a frame before both.
        for (kept, shown) in [(false, false), (true, false), (false, true)] {
            let mut session = session();
            session.obey(1, Command::Step {}).unwrap();
            while kept && !session.history.is_due(session.world.time()) {
                session.obey(1, Command::Step {}).unwrap();
            }
            let rope = Rope::along(&[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], 2);
            session.world.add(Rope { name: "freeze 0".into(), ..rope }).unwrap();
            session.edited = true;
            if shown {
                session.publish().unwrap();
            } else {
                session.playing = true;
                session.step().unwrap();
            }
            let trouble = session.trouble().unwrap();
            assert!(trouble.contains("freeze 0") && !session.playing, "{trouble}");
            assert!(session.status().contains("is taken by another object"), "{}", session.status());
            assert!(session.obey(1, Command::Step {}).unwrap_err().contains("rewind"));
            session.publish().unwrap();
            session.obey(1, Command::Restart {}).unwrap();
            session.obey(1, Command::Step {}).unwrap();
            assert!(session.trouble().is_none() && session.world.time() > 0.0);
        }
    }
}
