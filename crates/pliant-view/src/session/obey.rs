//! What commands do.

use crate::files::write_file;
use crate::session::{Catalog, Command, Held, Loaded, Past, Play, Session};
use glam::Vec3;
use pliant::scene::{Object, WindSpec};
use pliant::{AddOptions, EditError, GripOptions, Handle, Overlap};
use pliant_serve::playback::{History, Pace, Ray, Thrown, hit, release};
use std::path::Path;
use std::sync::Arc;

impl Session {
    /// Does what a command asks for. What is refused becomes a notice.
    pub fn obey(&mut self, command: Command) {
        if let Err(text) = self.try_to(command) {
            self.tell_error(text);
        }
        self.changed = true;
    }

    fn try_to(&mut self, command: Command) -> Result<(), String> {
        let text = |e: EditError| e.to_string();
        match command {
            Command::Play => self.set_play(Play::Running),
            Command::Pause => self.set_play(Play::Paused),
            Command::Replay => self.set_play(Play::Replaying),
            Command::Step if self.trouble.is_some() => {
                return Err("the simulation cannot go on from here: rewind".to_owned());
            }
            Command::Step => {
                self.set_play(Play::Paused);
                self.step().map_err(|e| e.to_string())?;
            }
            Command::Back => {
                self.set_play(Play::Paused);
                let before = self.history.before(self.world.time()).snapshot.time();
                self.restore(before)?;
            }
            Command::Restart => self.seek(0.0)?,
            Command::Seek(time) => {
                self.set_play(Play::Paused);
                self.seek(time)?;
            }
            Command::Speed(speed) => self.pace.set_speed(speed, self.world.time()),
            Command::Gravity(gravity) => self.world.set_gravity(gravity).map_err(text)?,
            Command::Wind(wind) => self.set_wind(wind).map_err(text)?,
            Command::Damping(damping) => self.world.set_damping(damping).map_err(text)?,
            Command::TimeStep(dt, substeps) => {
                self.world.set_time_step(dt, substeps).map_err(text)?;
                self.pace.restart(self.world.time());
            }
            Command::Iterations(iterations) => self.world.set_iterations(iterations).map_err(text)?,
            Command::Material(object, which, value) => {
                let catalog = Arc::make_mut(&mut self.catalog);
                catalog.change(&mut self.world, object, which, value).map_err(text)?;
                self.edited = true;
            }
            Command::Grab { ray, facing } => self.grab(&ray, facing)?,
            Command::Move(ray) => self.move_held(&ray)?,
            Command::Release => self.release()?,
            Command::Throw(ray, item) => {
                let object = item.thrown(&ray, self.drawn.size);
                let thrown = self.add(object)?;
                let removed = self.thrown.keep(&mut self.world, thrown).map_err(text)?;
                Arc::make_mut(&mut self.catalog).remove(&removed);
            }
            Command::Add(item, on) => {
                let object = item.placed(on, self.drawn.size, self.catalog.liquid_radius());
                let added = self.add(object)?;
                self.selected = Some(added);
            }
            Command::Remove(object) => self.remove(object)?,
            Command::RemoveAt(ray) => {
                if let Some(hit) = hit(&mut self.world, &ray, self.drawn.size).map_err(text)? {
                    self.remove(hit.object)?;
                }
            }
            Command::Select(object) => self.selected = object,
            Command::SelectAt(ray) => {
                let hit = self.world.ray_cast(ray.origin, ray.direction, 100.0 * self.drawn.size).map_err(text)?;
                self.selected = hit.map(|hit| hit.object);
            }
            Command::Observe(observed) => self.observed = observed,
            Command::SaveSnapshot(path) => {
                let bytes = self.world.snapshot().map_err(|e| e.to_string())?.to_bytes();
                self.save(&path, &bytes)?;
            }
            Command::SaveScene(path) => {
                let scene = self.catalog.scene(&mut self.world);
                let json = serde_json::to_string_pretty(&scene).map_err(|e| e.to_string())?;
                self.save(&path, json.as_bytes())?;
            }
            Command::Reload => self.reload(),
        }
        Ok(())
    }

    fn set_play(&mut self, play: Play) {
        self.play = if self.trouble.is_some() { Play::Paused } else { play };
        self.pace.restart(self.world.time());
        self.progress = (std::time::Instant::now(), self.world.time(), 0.0);
    }

    fn seek(&mut self, time: f64) -> Result<(), String> {
        self.restore(time)?;
        self.pace.restart(self.world.time());
        Ok(())
    }

    /// A wind of its own has gusts; the scene's keeps those that it has.
    fn set_wind(&mut self, velocity: [f32; 3]) -> Result<(), EditError> {
        let still = velocity == [0.0; 3];
        let before = self.world.world_settings().wind.clone();
        let wind = before.unwrap_or(WindSpec { velocity, gust: 0.3, period: 2.0 });
        self.world.set_wind((!still).then_some(WindSpec { velocity, ..wind }))
    }

    fn grab(&mut self, ray: &Ray, facing: Vec3) -> Result<(), String> {
        self.release()?;
        let Some(hit) = hit(&mut self.world, ray, self.drawn.size).map_err(|e| e.to_string())? else {
            return Ok(());
        };
        let grip = self.world.grab(&hit, &GripOptions::default()).map_err(|e| e.to_string())?;
        let name = self.world.name(hit.object).unwrap_or_default().to_owned();
        self.held = Some(Held { grip, name, target: hit.point, facing });
        Ok(())
    }

    fn move_held(&mut self, ray: &Ray) -> Result<(), String> {
        let Some(held) = &mut self.held else { return Ok(()) };
        let along = ray.direction.dot(held.facing);
        // A ray beside the plane has no point on it.
        if along.abs() < 1e-3 {
            return Ok(());
        }
        let distance = (held.target - ray.origin).dot(held.facing) / along;
        if !(0.0..1e5).contains(&distance) {
            return Ok(());
        }
        held.target = ray.origin + ray.direction * distance;
        match self.world.move_grip(held.grip, held.target) {
            // Its object is gone.
            Err(EditError::Stale) => self.held = None,
            done => done.map_err(|e| e.to_string())?,
        }
        Ok(())
    }

    fn release(&mut self) -> Result<(), String> {
        let held = self.held.take();
        held.map_or(Ok(()), |held| release(&mut self.world, held.grip)).map_err(|e| e.to_string())
    }

    fn add(&mut self, object: Object) -> Result<Handle, String> {
        let body = matches!(object, Object::Body(_));
        let options = AddOptions { overlap: body.then_some(Overlap::MoveOut), ..AddOptions::default() };
        let added = self.world.add_with(object.clone(), &options).map_err(|e| e.to_string())?;
        Arc::make_mut(&mut self.catalog).add(&mut self.world, added, object);
        self.edited = true;
        Ok(added)
    }

    fn remove(&mut self, object: Handle) -> Result<(), String> {
        let removed = self.world.remove(object).map_err(|e| e.to_string())?;
        let catalog = Arc::make_mut(&mut self.catalog);
        catalog.remove(&removed);
        catalog.remove(&[object]);
        self.edited = true;
        Ok(())
    }

    fn save(&mut self, path: &Path, bytes: &[u8]) -> Result<(), String> {
        write_file(path, bytes).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
        self.tell(format!("wrote {}", path.display()));
        Ok(())
    }

    /// Reads the scene again. The old world stays where the new one cannot be built.
    pub(super) fn reload(&mut self) {
        match self.source.load() {
            Ok(loaded) => match self.replace(loaded) {
                Ok(()) => self.tell("the scene was read again"),
                Err(text) => self.scene_error = Some(text),
            },
            Err(text) => self.scene_error = Some(text),
        }
        self.changed = true;
    }

    fn replace(&mut self, loaded: Loaded) -> Result<(), String> {
        let Loaded { mut world, scene } = loaded;
        world.sync().map_err(|e| e.to_string())?;
        let catalog = Arc::new(Catalog::new(&mut world, &scene));
        let past = Past { catalog: catalog.clone(), grip: None, thrown: Thrown::default() };
        let history = History::new(&mut world, past, super::MOMENT, self.options.history_bytes);
        self.history = history.map_err(|e| e.to_string())?;
        let (speed, time) = (self.pace.speed(), world.time());
        (self.world, self.catalog, self.pace) = (world, catalog, Pace::new(time));
        self.pace.set_speed(speed, time);
        (self.held, self.selected, self.trouble, self.scene_error) = (None, None, None, None);
        self.thrown = Thrown::default();
        self.meter.clear();
        self.loaded += 1;
        (self.changed, self.edited, self.step_seconds) = (true, true, 0.0);
        Ok(())
    }
}
