//! What commands of viewers do.

use super::{FromViewer, Session};
use crate::broadcast::ViewerId;
use crate::command::{self, Command};
use crate::playback::{Ray, ball, hit, release};
use glam::Vec3;
use pliant::scene::WindSpec;
use pliant::{EditError, GripOptions};
use serde_json::json;

impl Session {
    /// Does what a viewer asks for, and tells all what has come of it.
    pub(super) fn take(&mut self, viewer: ViewerId, message: FromViewer) {
        let done = match message {
            FromViewer::Left => self.release(viewer),
            FromViewer::Command(command) => self.obey(viewer, command),
        };
        if let Err(text) = done {
            self.link.broadcast.reply(viewer, super::message("error", &text));
        }
        self.link.broadcast.status(self.status());
    }

    /// Does what a command asks for; the error is for the viewer.
    pub fn obey(&mut self, viewer: ViewerId, command: Command) -> Result<(), String> {
        let text = |e: EditError| e.to_string();
        match command {
            Command::Play {} => self.play(true),
            Command::Pause {} => self.play(false),
            Command::Step {} if self.trouble.is_none() => {
                self.playing = false;
                self.step().map_err(|e| e.to_string())?;
            }
            Command::Step {} => return Err("the simulation cannot go on from here: rewind".to_owned()),
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
        let text = |e: EditError| e.to_string();
        let thrown = self.world.add(ball(&Ray::from(ray), self.drawing.size)).map_err(text)?;
        self.edited = true;
        self.thrown.keep(&mut self.world, thrown).map_err(text)?;
        Ok(())
    }
}
