//! A world that is watched and touched. Owns it, steps it in real time, obeys commands, and shows the result as one value.
//! No window types: tests and the window's thread use it alike.

mod catalog;
mod command;
mod drawn;
mod materials;
mod meter;
mod obey;
mod overlay;
mod palette;
mod source;
mod thread;
mod view;

pub use catalog::{Catalog, ObjectInfo};
pub use command::{Command, Observed};
pub use drawn::Drawn;
pub use materials::{Material, MaterialValue};
pub use meter::{Sample, stage_names};
pub use overlay::{LineEnd, colors};
pub use palette::Item;
pub use pliant_serve::playback::Ray;
pub use source::{FileWatch, Loaded, SceneSource};
pub use thread::SessionThread;
pub use view::{Notice, Play, Status, View};

use glam::Vec3;
use meter::Meter;
use overlay::{Sources, overlay};
use pliant::frame::Frame;
use pliant::{GripHandle, Handle, StepError, World};
use pliant_serve::playback::{History, Pace, Thrown, trouble};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Simulated time between kept moments [s].
const MOMENT: f64 = 0.05;

/// Shortest time between two measurements of energies and residuals.
const SAMPLE: Duration = Duration::from_millis(100);

/// Options of a session.
#[derive(Clone, Copy, Debug)]
pub struct SessionOptions {
    /// Whether time runs from the start; default true.
    pub playing: bool,
    /// Memory for moments to rewind to [bytes]; default 1 GiB.
    pub history_bytes: u64,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self { playing: true, history_bytes: 1 << 30 }
    }
}

/// What belongs to a kept moment beside the world.
#[derive(Clone, Debug)]
struct Past {
    catalog: Arc<Catalog>,
    grip: Option<GripHandle>,
    thrown: Thrown,
}

/// What the pointer holds.
#[derive(Clone, Debug)]
struct Held {
    grip: GripHandle,
    name: String,
    /// Where the point shall be, and the normal of the plane in which it is moved.
    target: Vec3,
    facing: Vec3,
}

/// A world that is watched and touched.
pub struct Session {
    world: World,
    source: Box<dyn SceneSource>,
    options: SessionOptions,
    catalog: Arc<Catalog>,
    history: History<Past>,
    pace: Pace,
    play: Play,
    held: Option<Held>,
    thrown: Thrown,
    selected: Option<Handle>,
    observed: Observed,
    meter: Meter,
    sampled: Instant,
    drawn: Arc<Drawn>,
    objects: Arc<Vec<ObjectInfo>>,
    loaded: u64,
    /// Whether something was changed since the last view.
    changed: bool,
    /// Whether objects or materials were changed since the list of objects was made.
    edited: bool,
    trouble: Option<String>,
    scene_error: Option<String>,
    notices: Vec<Notice>,
    step_seconds: f64,
    /// Real and simulated time at the last look at the speed, and what it was.
    progress: (Instant, f64, f64),
}

impl Session {
    /// Of a world at its beginning.
    pub fn new(loaded: Loaded, source: Box<dyn SceneSource>, options: SessionOptions) -> Result<Self, StepError> {
        let Loaded { mut world, scene } = loaded;
        world.sync()?;
        let catalog = Arc::new(Catalog::new(&mut world, &scene));
        let past = Past { catalog: catalog.clone(), grip: None, thrown: Thrown::default() };
        let history = History::new(&mut world, past, MOMENT, options.history_bytes)?;
        let time = world.time();
        Ok(Self {
            source,
            options,
            catalog,
            history,
            pace: Pace::new(time),
            play: if options.playing { Play::Running } else { Play::Paused },
            held: None,
            thrown: Thrown::default(),
            selected: None,
            observed: Observed::default(),
            meter: Meter::default(),
            sampled: Instant::now(),
            drawn: Arc::default(),
            objects: Arc::default(),
            loaded: 1,
            changed: true,
            edited: true,
            trouble: None,
            scene_error: None,
            notices: Vec::new(),
            step_seconds: 0.0,
            progress: (Instant::now(), time, 0.0),
            world,
        })
    }

    /// Whether time runs.
    pub fn is_playing(&self) -> bool {
        self.play != Play::Paused
    }

    /// Whether there is something new to show.
    pub fn has_changed(&self) -> bool {
        self.changed || !self.notices.is_empty()
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Does what is due: steps until simulated time is where real time is, or `busy` has been spent.
    ///
    /// An error is one of the device. A world that diverges, or whose objects cannot be built together, stands still, and can
    /// be rewound.
    pub fn advance(&mut self, busy: Duration) -> Result<(), StepError> {
        let begun = Instant::now();
        match self.play {
            Play::Paused => {}
            Play::Replaying => self.replay(),
            Play::Running => {
                while self.play == Play::Running && begun.elapsed() < busy {
                    let step = f64::from(self.world.model().settings.dt);
                    if !self.pace.is_due(self.world.time(), step) {
                        break;
                    }
                    self.step()?;
                }
                let (since, from, _) = self.progress;
                if since.elapsed() > Duration::from_millis(500) {
                    let reached = (self.world.time() - from) / since.elapsed().as_secs_f64();
                    self.progress = (Instant::now(), self.world.time(), reached);
                }
            }
        }
        if self.observed.graphs && self.sampled.elapsed() >= SAMPLE {
            self.sampled = Instant::now();
            self.meter.sample(&mut self.world, self.step_seconds);
        }
        Ok(())
    }

    /// One step. What was kept of another future is forgotten.
    fn step(&mut self) -> Result<(), StepError> {
        let begun = Instant::now();
        self.history.forget_after(self.world.time());
        // Divergence on a device shows when the state is read.
        let done = self.remember().and_then(|()| self.world.step()).and_then(|()| self.world.sync());
        if let Some(reason) = trouble(done)? {
            self.play = Play::Paused;
            self.trouble = Some(reason);
        }
        let spent = begun.elapsed().as_secs_f64();
        self.step_seconds += (if self.step_seconds == 0.0 { 1.0 } else { 0.1 }) * (spent - self.step_seconds);
        self.meter.stepped();
        self.changed = true;
        Ok(())
    }

    /// Keeps the present moment, if one is due.
    fn remember(&mut self) -> Result<(), StepError> {
        if self.history.is_due(self.world.time()) {
            let grip = self.held.as_ref().map(|held| held.grip);
            let past = Past { catalog: self.catalog.clone(), grip, thrown: self.thrown.clone() };
            self.history.keep(&mut self.world, past)?;
        }
        Ok(())
    }

    /// Shows the kept moment that is due.
    fn replay(&mut self) {
        let due = self.pace.due();
        let now = self.world.time();
        let next = self.history.after(now).map(|m| m.snapshot.time());
        match next {
            None => self.play = Play::Paused,
            Some(next) if due >= next => {
                let target = self.history.before(due + 1e-9).snapshot.time().max(next);
                if let Err(text) = self.restore(target) {
                    self.play = Play::Paused;
                    self.tell_error(text);
                }
            }
            Some(_) => {}
        }
    }

    /// Goes to the kept moment nearest to a time.
    fn restore(&mut self, time: f64) -> Result<(), String> {
        let moment = self.history.nearest(time);
        moment.restore(&mut self.world).map_err(|e| e.to_string())?;
        // The pointer does not hold what it held then.
        if let Some(grip) = moment.with.grip {
            let _ = self.world.release(grip);
        }
        (self.catalog, self.thrown) = (moment.with.catalog.clone(), moment.with.thrown.clone());
        self.held = None;
        (self.trouble, self.changed, self.edited) = (None, true, true);
        self.progress = (Instant::now(), self.world.time(), 0.0);
        Ok(())
    }

    /// What there is to see now.
    ///
    /// An error is one of the device.
    pub fn view(&mut self) -> Result<View, StepError> {
        self.changed = false;
        if self.edited
            && let Err(error) = self.world.apply_edits()
        {
            // Objects that cannot be built together are gone.
            self.tell_error(error.to_string());
        }
        // A diverged state is shown as it is; `step` has reported it.
        trouble(self.world.sync())?;
        let mut frame = Frame::default();
        self.world.write_frame(&mut frame);
        if std::mem::take(&mut self.edited) {
            self.selected = self.selected.filter(|&object| self.world.contains(object));
            self.drawn = Arc::new(Drawn::new(self.drawn.version + 1, &self.world, &frame));
            self.objects = Arc::new(self.catalog.list(&self.world));
        }
        let poses = self.world.model().colliders.iter().map(|c| c.motion.pose(frame.time)).collect();
        let handles: Vec<Handle> = self.objects.iter().map(|o| o.handle).collect();
        let sources = Sources {
            observed: self.observed,
            objects: &handles,
            selected: self.selected,
            grip: self.held.as_ref().map(|held| (held.grip, held.target)),
            size: self.drawn.size,
        };
        let lines = if self.trouble.is_none() { overlay(&mut self.world, &sources) } else { Vec::new() };
        Ok(View {
            loaded: self.loaded,
            drawn: self.drawn.clone(),
            frame: Arc::new(frame),
            poses,
            lines: Arc::new(lines),
            status: self.status(),
            objects: self.objects.clone(),
            samples: Arc::new(if self.observed.graphs { self.meter.samples() } else { Vec::new() }),
            camera: self.catalog.camera().clone(),
            notices: std::mem::take(&mut self.notices),
        })
    }

    fn status(&self) -> Status {
        let (settings, own) = (&self.world.model().settings, self.world.world_settings());
        Status {
            name: self.source.name().to_owned(),
            play: self.play,
            time: self.world.time(),
            first: self.history.first(),
            last: self.history.last().max(self.world.time()),
            history_bytes: self.history.bytes(),
            speed: self.pace.speed(),
            reached: self.progress.2,
            step_seconds: self.step_seconds,
            particles: self.world.particles(),
            bodies: self.world.state().rigid_bodies.bodies.len(),
            backend: self.world.backend(),
            threads: self.world.threads(),
            gravity: own.gravity,
            wind: own.wind.as_ref().map_or([0.0; 3], |wind| wind.velocity),
            damping: own.damping,
            dt: settings.dt,
            substeps: settings.substeps,
            iterations: settings.iterations,
            trouble: self.trouble.clone(),
            scene_error: self.scene_error.clone(),
            selected: self.selected,
            held: self.held.as_ref().map(|held| held.name.clone()),
        }
    }

    fn tell(&mut self, text: impl Into<String>) {
        self.notices.push(Notice { text: text.into(), error: false });
    }

    fn tell_error(&mut self, text: impl Into<String>) {
        self.notices.push(Notice { text: text.into(), error: true });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::Options;
    use pliant::builder::NoMeshes;
    use pliant::scene::{Format, Rope, Scene};
    use std::path::Path;

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

    struct Nothing;

    impl SceneSource for Nothing {
        fn name(&self) -> &str {
            "freezing"
        }

        fn file(&self) -> Option<&Path> {
            None
        }

        fn load(&mut self) -> Result<Loaded, String> {
            Err("there is only one".to_owned())
        }
    }

    #[test]
    fn objects_that_cannot_be_built_together_stop_time_but_not_the_session() {
        // A step finds it, or a moment that is kept before the step.
        for kept in [false, true] {
            let scene = Scene::parse(FREEZING, Format::Toml).unwrap();
            let world = World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap();
            let options = SessionOptions { playing: false, ..SessionOptions::default() };
            let mut session = Session::new(Loaded { world, scene }, Box::new(Nothing), options).unwrap();
            session.obey(Command::Step);
            while kept && !session.history.is_due(session.world.time()) {
                session.obey(Command::Step);
            }
            let rope = Rope::along(&[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], 2);
            session.world.add(Rope { name: "freeze 0".into(), ..rope }).unwrap();
            session.edited = true;
            session.play = Play::Running;
            session.step().unwrap();
            let status = session.view().unwrap().status;
            assert!(status.trouble.is_some_and(|text| text.contains("freeze 0")) && status.play == Play::Paused);
            session.obey(Command::Restart);
            session.obey(Command::Step);
            let status = session.view().unwrap().status;
            assert!(status.trouble.is_none() && status.time > 0.0, "{:?}", status.trouble);
        }
    }
}
