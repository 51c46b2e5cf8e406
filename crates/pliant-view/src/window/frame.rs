//! One picture of the window: the latest view, the panels, and what they ask for.

use super::{Drawn, OpenWindow, WindowError};
use crate::camera::Camera;
use crate::session::Command;
use crate::ui::{self, Action};
use crate::ui_paint::Screen;
use std::time::{Duration, Instant};

/// Time without motion after which a picture is drawn with all of its resolution.
const REFINE: Duration = Duration::from_millis(300);

impl OpenWindow {
    /// Draws the window. An error is one of the device, which is lost.
    pub(super) fn redraw(&mut self) -> Result<(), WindowError> {
        if self.hidden {
            return Ok(());
        }
        if let Some(text) = self.device.trouble() {
            return Err(WindowError::Device(text));
        }
        let begun = Instant::now();
        let fresh = self.take_view();
        if self.info.software {
            self.session.set_yielding(true);
        }
        let input = self.egui.take_egui_input(&self.window);
        let ctx = self.egui.egui_ctx().clone();
        let (mut actions, mut place) = (Vec::new(), self.place);
        let mut output = ctx.run_ui(input, |ui| {
            let (asked, left) = ui::show(ui, &mut self.ui, &self.view, &self.info);
            actions.extend(asked);
            place = left;
        });
        self.place = place;
        self.egui.handle_platform_output(&self.window, std::mem::take(&mut output.platform_output));
        self.painter.set_textures(&output.textures_delta);
        actions.into_iter().for_each(|action| self.act(action));
        let wanted = self.ui.wanted();
        if wanted != self.asked {
            self.asked = wanted;
            self.ask(Command::Observe(wanted));
        }
        self.draw_picture(fresh);
        let primitives = ctx.tessellate(std::mem::take(&mut output.shapes), output.pixels_per_point);
        let screen = Screen { pixels: self.device.size(), scale: output.pixels_per_point };
        let pixels = self.place * output.pixels_per_point;
        let picture = self.renderer.picture();
        let painter = &mut self.painter;
        let done = self.device.present(|target| painter.paint(target, screen, (&picture, pixels), &primitives));
        self.painter.free_textures(&output.textures_delta);
        output.textures_delta.clear();
        self.film();
        if self.info.software {
            // The picture is there when its last pixel is.
            let _ = self.device.device.poll(wgpu::PollType::wait_indefinitely());
            self.session.set_yielding(false);
        }
        let delay = output.viewport_output.values().map(|v| v.repaint_delay).min().unwrap_or(Duration::MAX);
        self.repaint_at = match (done, delay) {
            // The surface was not ready.
            (false, _) => Some(begun + Duration::from_millis(30)),
            (true, Duration::ZERO) => Some(Instant::now()),
            (true, delay) => Instant::now().checked_add(delay),
        };
        if fresh {
            let spent = begun.elapsed().as_secs_f64();
            let share = if self.info.frame_seconds == 0.0 { 1.0 } else { 0.1 };
            self.info.frame_seconds += share * (spent - self.info.frame_seconds);
        }
        Ok(())
    }

    /// Takes over what the session shows; whether there was something new.
    fn take_view(&mut self) -> bool {
        self.info.ended = self.session.ended();
        let Some(mut view) = self.session.take() else { return false };
        self.ui.tell(std::mem::take(&mut view.notices));
        let first = self.view.loaded == 0;
        self.view = view;
        if first {
            let drawn = &self.view.drawn;
            self.camera = Camera::of_scene(&self.view.camera, drawn.low, drawn.high, self.aspect());
        }
        self.camera.size = self.view.drawn.size;
        true
    }

    /// Width of the picture over its height.
    pub(super) fn aspect(&self) -> f32 {
        let (width, height) = (self.place.width().max(1.0), self.place.height().max(1.0));
        width / height
    }

    fn draw_picture(&mut self, fresh: bool) {
        let now = Instant::now();
        let moved = self.drawn.is_some_and(|drawn| drawn.camera != self.camera);
        // A software driver draws moving pictures with half the resolution, and the last one with all of it.
        let moving = fresh || moved || self.refine_at.is_some_and(|at| now < at);
        let coarse = self.info.software && moving && self.video.is_none() && self.drawn.is_some();
        if fresh || moved || !coarse {
            self.refine_at = coarse.then(|| now + REFINE);
        }
        let scale = self.egui.egui_ctx().pixels_per_point() * if coarse { 0.5 } else { 1.0 };
        let pixels = |points: f32| (points * scale).round().max(1.0) as u32;
        self.renderer.resize((pixels(self.place.width()), pixels(self.place.height())));
        let wanted = Drawn { camera: self.camera, look: self.ui.look, size: self.renderer.size() };
        let colored = self.drawn.is_none_or(|drawn| drawn.look != wanted.look);
        if fresh || colored {
            self.renderer.set_view(&self.view, self.ui.look);
        }
        if fresh || self.drawn != Some(wanted) {
            self.renderer.draw(&self.camera);
            self.drawn = Some(wanted);
        }
    }

    /// Draws the picture with all of its resolution, for a file.
    pub(super) fn refine(&mut self) {
        let scale = self.egui.egui_ctx().pixels_per_point();
        let pixels = |points: f32| (points * scale).round().max(1.0) as u32;
        self.renderer.resize((pixels(self.place.width()), pixels(self.place.height())));
        self.renderer.draw(&self.camera);
        self.drawn = None;
    }

    /// Does what a panel or a key asks for.
    pub(super) fn act(&mut self, action: Action) {
        match action {
            Action::Session(command) => self.ask(command),
            Action::ShowAll => {
                let aspect = self.aspect();
                self.camera.show_all(self.view.drawn.low, self.view.drawn.high, aspect);
            }
            Action::SaveSnapshot => self.ask(Command::SaveSnapshot(self.free_path("snapshot"))),
            Action::SaveScene => self.ask(Command::SaveScene(self.free_path("json"))),
            Action::Screenshot => self.screenshot(),
            Action::Video => self.toggle_video(),
        }
        self.window.request_redraw();
    }
}
