//! The world that viewers watch: steps it in real time and does what they ask for.

use crate::broadcast::{Broadcast, ViewerId};
use crate::command::{self, Command};
use crate::drawing::Drawing;
use crate::encoding::encode_chunk;
use crate::listener::{Link, Listener, ServeError};
use crate::playback::{History, Pace, Ray, ball, hit, release};
use crate::recording::Recording;
use glam::Vec3;
use pliant::frame::Frame;
use pliant::scene::{Scene, WindSpec};
use pliant::{EditError, GripHandle, GripOptions, StepError, World};
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
/// Longest time of stepping between two looks at commands.
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
    /// Moments to rewind to, with the grips that were held then.
    history: History<BTreeMap<ViewerId, GripHandle>>,
    grips: BTreeMap<ViewerId, GripHandle>,
    /// Why time stands still, if an error stopped it.
    trouble: Option<String>,
    step_time: f64,
    recording: Option<Recording>,
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
        let history = History::new(&mut world, BTreeMap::new(), MOMENT, options.history_bytes)?;
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
            trouble: None,
            step_time: 0.0,
            recording,
        };
        session.publish()?;
        Ok(session)
    }

    /// Serves viewers until `stop` is set. An error is one of the device; a world that diverges stands still and can be
    /// rewound.
    pub fn run(&mut self, listener: Listener, stop: &Arc<AtomicBool>) -> Result<(), SessionError> {
        let accepting = listener.start(self.link.clone(), stop.clone())?;
        let result = self.serve(stop);
        stop.store(true, Ordering::Relaxed);
        // It ends within a fraction of a second; a panic there has nothing to add.
        let _ = accepting.join();
        result
    }

    fn serve(&mut self, stop: &AtomicBool) -> Result<(), SessionError> {
        let (mut shown, mut told) = (Instant::now(), Instant::now() - STATUS);
        self.pace.restart(self.world.time());
        while !stop.load(Ordering::Relaxed) {
            let wait = if self.playing { Duration::from_millis(1) } else { Duration::from_millis(5) };
            match self.commands.recv_timeout(wait) {
                Ok((viewer, message)) => {
                    self.take(viewer, message);
                    while let Ok((viewer, message)) = self.commands.try_recv() {
                        self.take(viewer, message);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                // The session holds a sender itself.
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if self.playing {
                self.catch_up()?;
            }
            if self.changed && shown.elapsed() >= FRAME {
                shown = Instant::now();
                self.publish()?;
            }
            if told.elapsed() >= STATUS {
                told = Instant::now();
                self.link.broadcast.status(self.status());
            }
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
        self.remember()?;
        // Divergence on a device shows when the state is read.
        match self.world.step().and_then(|()| self.world.sync()) {
            Ok(()) => {}
            Err(error @ StepError::Diverged(_)) => {
                self.playing = false;
                self.trouble = Some(error.to_string());
            }
            Err(error) => return Err(error),
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
            self.history.keep(&mut self.world, self.grips.clone())?;
        }
        Ok(())
    }

    /// Goes back to the kept moment nearest to a time; later ones are forgotten.
    fn rewind(&mut self, time: f64) -> Result<(), String> {
        let moment = self.history.nearest(time);
        moment.restore(&mut self.world).map_err(|e| e.to_string())?;
        // Grips of that time have no viewer; those of later times do not exist then.
        for &grip in moment.with.values() {
            let _ = self.world.release(grip);
        }
        self.history.forget_after(self.world.time());
        self.grips.clear();
        (self.trouble, self.changed, self.edited) = (None, true, true);
        self.pace.restart(self.world.time());
        Ok(())
    }

    fn take(&mut self, viewer: ViewerId, message: FromViewer) {
        let done = match message {
            FromViewer::Left => self.release(viewer),
            FromViewer::Command(command) => self.obey(viewer, command),
        };
        if let Err(text) = done {
            self.link.broadcast.reply(viewer, self::message("error", &text));
        }
        self.link.broadcast.status(self.status());
    }

    fn obey(&mut self, viewer: ViewerId, command: Command) -> Result<(), String> {
        let text = |e: EditError| e.to_string();
        match command {
            Command::Play {} => self.play(true),
            Command::Pause {} => self.play(false),
            Command::Step {} if self.trouble.is_none() => {
                self.playing = false;
                self.step().map_err(|e| e.to_string())?;
            }
            Command::Step {} => return Err("the simulation has diverged: rewind".to_owned()),
            Command::Restart {} => self.rewind(0.0)?,
            Command::Rewind { time } => {
                self.playing = false;
                self.rewind(time)?;
            }
            Command::Speed { value } => self.pace.set_speed(f64::from(value), self.world.time()),
            Command::Gravity { value } => self.world.set_gravity(value).map_err(text)?,
            Command::Wind { value } => {
                let gusts = self.scene.world.wind.clone();
                let still = value == [0.0; 3];
                let own = gusts.map_or(WindSpec { velocity: value, gust: 0.3, period: 2.0 }, |w| WindSpec {
                    velocity: value,
                    ..w
                });
                self.world.set_wind((!still).then_some(own)).map_err(text)?;
            }
            Command::Grab { ray } => self.grab(viewer, ray)?,
            Command::Move { target } => {
                if let Some(&grip) = self.grips.get(&viewer) {
                    self.world.move_grip(grip, Vec3::from(target)).map_err(text)?;
                }
            }
            Command::Release {} => self.release(viewer)?,
            Command::Throw { ray } => self.throw(ray)?,
            Command::Remove { ray } => {
                if let Some(hit) = self.hit(ray)? {
                    self.world.remove(hit.object).map_err(text)?;
                    self.edited = true;
                }
            }
        }
        self.changed = true;
        Ok(())
    }

    fn play(&mut self, on: bool) {
        self.playing = on && self.trouble.is_none();
        self.pace.restart(self.world.time());
    }

    fn hit(&mut self, ray: command::Ray) -> Result<Option<pliant::Hit>, String> {
        hit(&mut self.world, &Ray::from(ray), self.drawing.size).map_err(|e| e.to_string())
    }

    fn grab(&mut self, viewer: ViewerId, ray: command::Ray) -> Result<(), String> {
        self.release(viewer)?;
        let Some(hit) = self.hit(ray)? else {
            self.link.broadcast.reply(viewer, json!({ "type": "missed" }).to_string());
            return Ok(());
        };
        let grip = self.world.grab(&hit, &GripOptions::default()).map_err(|e| e.to_string())?;
        self.grips.insert(viewer, grip);
        let name = self.world.name(hit.object).unwrap_or_default();
        let text = json!({ "type": "grabbed", "object": name, "point": hit.point.to_array() }).to_string();
        self.link.broadcast.reply(viewer, text);
        Ok(())
    }

    fn release(&mut self, viewer: ViewerId) -> Result<(), String> {
        let grip = self.grips.remove(&viewer);
        grip.map_or(Ok(()), |grip| release(&mut self.world, grip)).map_err(|e| e.to_string())
    }

    fn throw(&mut self, ray: command::Ray) -> Result<(), String> {
        self.world.add(ball(&Ray::from(ray), self.drawing.size)).map_err(|e| e.to_string())?;
        self.edited = true;
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
                self.trouble = Some(error.to_string());
                self.playing = false;
            }
            self.world.sync()?;
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
