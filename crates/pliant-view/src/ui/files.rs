//! What is written to files.

use super::transport::grouped;
use super::{Action, WindowInfo};
use crate::session::{Command, View};
use egui::Ui;

pub fn show(ui: &mut Ui, view: &View, info: &WindowInfo, actions: &mut Vec<Action>) {
    ui.label(format!("Files go to {}", info.folder));
    ui.separator();
    let mut button = |ui: &mut Ui, label: &str, what: &str, action: Action| {
        if ui.add(egui::Button::new(label).min_size(egui::vec2(160.0, 24.0))).clicked() {
            actions.push(action);
        }
        ui.weak(what);
        ui.add_space(4.0);
    };
    button(
        ui,
        "Save snapshot   S",
        "All of the state, to the bit. --snapshot FILE goes on from it.",
        Action::SaveSnapshot,
    );
    button(
        ui,
        "Save scene   Shift+S",
        "Objects and settings as they are now, single bodies where they are; all others begin where they began.",
        Action::SaveScene,
    );
    button(ui, "Screenshot   F12", "The picture without panels, as PNG.", Action::Screenshot);
    let video = if info.video.is_some() { "End video   V" } else { "Begin video   V" };
    button(ui, video, "The picture without panels, 30 per second, as MP4.", Action::Video);
    ui.separator();
    button(ui, "Read the scene again", "Done by itself when its file is saved.", Action::Session(Command::Reload));
    ui.separator();
    ui.label(format!("Kept moments: {} MiB", grouped((view.status.history_bytes >> 20) as usize)));
}
