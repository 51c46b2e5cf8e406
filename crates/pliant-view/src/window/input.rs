//! Pointer and keys: what is dragged, clicked and pressed becomes motion of the camera or commands.

use super::OpenWindow;
use crate::picking::{Picked, pick};
use crate::session::{Command, Item, Play, Ray};
use crate::ui::{Action, Panel};
use egui::Pos2;
use glam::Vec2;
use std::time::{Duration, Instant};
use winit::event::{ElementState, KeyEvent, MouseButton, MouseScrollDelta, WindowEvent};
use winit::keyboard::{Key, ModifiersState, NamedKey};
use winit::window::Fullscreen;

/// Longest time between the clicks of a double click.
const DOUBLE: Duration = Duration::from_millis(350);

/// Motion that a click may have [points].
const STILL: f32 = 5.0;

/// What a motion of the pointer does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Drag {
    #[default]
    Nothing,
    Orbit,
    Pan,
    Grip,
}

/// The pointer and the modifier keys.
#[derive(Debug, Default)]
pub struct Pointer {
    /// Where it is [points].
    at: Pos2,
    drag: Drag,
    modifiers: ModifiersState,
    /// The last click.
    clicked: Option<(Instant, Pos2)>,
}

impl OpenWindow {
    /// Whether an event is a key that no panel wants: only text is typed into panels.
    pub(super) fn is_key_of_ours(&self, event: &WindowEvent) -> bool {
        let modifiers = self.pointer.modifiers;
        matches!(event, WindowEvent::KeyboardInput { .. })
            && !self.egui.egui_ctx().text_edit_focused()
            && !modifiers.control_key()
            && !modifiers.super_key()
    }

    pub(super) fn take_key(&mut self, event: &WindowEvent) {
        let WindowEvent::KeyboardInput { event: KeyEvent { logical_key, state, repeat, .. }, .. } = event else {
            return;
        };
        if *state != ElementState::Pressed {
            return;
        }
        // Steps repeat while a key is held; everything else happens once.
        let stepping = matches!(logical_key, Key::Character(c) if matches!(c.as_str(), "." | ","));
        if *repeat && !stepping {
            return;
        }
        match logical_key {
            Key::Named(key) => self.take_named_key(*key),
            Key::Character(character) => self.take_character(character),
            _ => {}
        }
        self.window.request_redraw();
    }

    fn take_named_key(&mut self, key: NamedKey) {
        match key {
            NamedKey::Space => {
                let playing = self.view.status.play != Play::Paused;
                self.ask(if playing { Command::Pause } else { Command::Play });
            }
            NamedKey::F1 => self.ui.help = !self.ui.help,
            NamedKey::F5 => self.ask(Command::Reload),
            NamedKey::F11 => {
                let full = self.window.fullscreen().is_some();
                self.window.set_fullscreen((!full).then_some(Fullscreen::Borderless(None)));
            }
            NamedKey::F12 => self.act(Action::Screenshot),
            NamedKey::Home => self.act(Action::ShowAll),
            NamedKey::Tab => self.ui.toggle_panels(),
            NamedKey::Delete => self.remove_under_pointer(),
            NamedKey::Escape => {
                self.let_go();
                self.ui.help = false;
                self.ui.placing = None;
                self.ask(Command::Select(None));
            }
            _ => {}
        }
    }

    fn take_character(&mut self, character: &str) {
        match character {
            "." => self.ask(Command::Step),
            "," => self.ask(Command::Back),
            "S" => self.act(Action::SaveScene),
            "1" | "2" | "3" | "4" | "5" | "6" => {
                let number = character.parse::<usize>().unwrap_or(1);
                self.ui.toggle(Panel::ALL[number - 1]);
            }
            _ => match character.to_lowercase().as_str() {
                "r" => self.ask(Command::Restart),
                "p" => self.ask(Command::Replay),
                "s" => self.act(Action::SaveSnapshot),
                "v" => self.act(Action::Video),
                "c" => self.ui.look.coloring = self.ui.look.coloring.next(),
                "x" => self.remove_under_pointer(),
                "t" => {
                    if let Some(ray) = self.ray() {
                        self.ask(Command::Throw(ray, self.ui.thrown));
                    }
                }
                "f" => self.focus(),
                _ => {}
            },
        }
    }

    /// The ray under the pointer, if it is over the picture.
    fn ray(&self) -> Option<Ray> {
        self.place.contains(self.pointer.at).then(|| self.ray_at(self.pointer.at))
    }

    /// The ray through a point of the window, also beside the picture: things are dragged beyond its edge.
    fn ray_at(&self, at: Pos2) -> Ray {
        let from = at - self.place.center();
        let (width, height) = (self.place.width().max(1.0), self.place.height().max(1.0));
        self.camera.ray(Vec2::new(2.0 * from.x / width, -2.0 * from.y / height), self.aspect())
    }

    fn picked(&self) -> Option<Picked> {
        pick(&self.view, &self.ray()?)
    }

    /// Whether the pointer is over the picture, with no window or menu between.
    fn is_over_picture(&self) -> bool {
        let layer = self.egui.egui_ctx().layer_id_at(self.pointer.at);
        self.place.contains(self.pointer.at) && layer.is_none_or(|layer| layer.order == egui::Order::Background)
    }

    pub(super) fn take_pointer(&mut self, event: &WindowEvent) {
        match event {
            WindowEvent::ModifiersChanged(modifiers) => self.pointer.modifiers = modifiers.state(),
            WindowEvent::CursorMoved { position, .. } => {
                let scale = self.egui.egui_ctx().pixels_per_point();
                self.moved_to(Pos2::new(position.x as f32 / scale, position.y as f32 / scale));
            }
            WindowEvent::MouseInput { state: ElementState::Pressed, button, .. } => self.pressed(*button),
            WindowEvent::MouseInput { state: ElementState::Released, .. } => self.let_go(),
            // Its release would go to another window.
            WindowEvent::Focused(false) => self.let_go(),
            WindowEvent::MouseWheel { delta, .. } if self.is_over_picture() => {
                let notches = match delta {
                    MouseScrollDelta::LineDelta(_, y) => *y,
                    MouseScrollDelta::PixelDelta(by) => by.y as f32 / 40.0,
                };
                let toward = self.picked().map(|p| p.point);
                self.camera.zoom(notches.clamp(-10.0, 10.0), toward.filter(|_| notches > 0.0));
                self.window.request_redraw();
            }
            _ => {}
        }
    }

    fn moved_to(&mut self, at: Pos2) {
        let by = at - self.pointer.at;
        self.pointer.at = at;
        let by = Vec2::new(by.x, by.y) / self.place.height().max(1.0);
        match self.pointer.drag {
            Drag::Nothing => return,
            Drag::Orbit => self.camera.orbit(by),
            Drag::Pan => self.camera.pan(by),
            Drag::Grip => {
                let ray = self.ray_at(at);
                self.ask(Command::Move(ray));
            }
        }
        self.window.request_redraw();
    }

    fn pressed(&mut self, button: MouseButton) {
        if !self.is_over_picture() {
            return;
        }
        match button {
            MouseButton::Left => self.pressed_left(),
            MouseButton::Right | MouseButton::Middle => self.pointer.drag = Drag::Pan,
            _ => {}
        }
    }

    fn pressed_left(&mut self) {
        let Some(ray) = self.ray() else { return };
        let at = self.pointer.at;
        let before = self.pointer.clicked.replace((Instant::now(), at));
        if let Some(item) = self.ui.placing {
            self.place_item(item);
            return;
        }
        if self.pointer.modifiers.shift_key() {
            self.ask(Command::SelectAt(ray));
            return;
        }
        if before.is_some_and(|(when, where_)| when.elapsed() < DOUBLE && where_.distance(at) < STILL) {
            self.pointer.clicked = None;
            self.focus();
            return;
        }
        let on_object = self.picked().is_some_and(|p| p.particle.is_some());
        self.pointer.drag = if on_object {
            self.ask(Command::Grab { ray, facing: self.camera.forward() });
            Drag::Grip
        } else {
            Drag::Orbit
        };
    }

    fn place_item(&mut self, item: Item) {
        // Where nothing is under the pointer, at the distance of what is looked at.
        let point = self.picked().map(|p| p.point).or_else(|| {
            let ray = self.ray()?;
            Some(ray.origin + ray.direction * self.camera.distance)
        });
        if let Some(point) = point {
            self.ask(Command::Add(item, point));
        }
        if !self.pointer.modifiers.shift_key() {
            self.ui.placing = None;
        }
    }

    fn let_go(&mut self) {
        if self.pointer.drag == Drag::Grip {
            self.ask(Command::Release);
        }
        self.pointer.drag = Drag::Nothing;
    }

    fn remove_under_pointer(&mut self) {
        match (self.ray(), self.view.status.selected) {
            (Some(ray), _) => self.ask(Command::RemoveAt(ray)),
            (None, Some(selected)) => self.ask(Command::Remove(selected)),
            (None, None) => {}
        }
    }

    /// Looks at the point under the pointer.
    fn focus(&mut self) {
        if let Some(picked) = self.picked() {
            self.camera.focus(picked.point, Some(0.6 * picked.distance));
            self.window.request_redraw();
        }
    }
}
