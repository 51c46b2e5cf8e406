//! Things to put into the scene, and to throw.

use super::UiState;
use crate::session::Item;
use egui::Ui;

pub fn show(ui: &mut Ui, state: &mut UiState) {
    ui.strong("Put into the scene");
    ui.weak("Choose one and click where it shall be. Escape ends.");
    egui::Grid::new("palette").num_columns(2).show(ui, |ui| {
        for (k, item) in Item::ALL.into_iter().enumerate() {
            let chosen = state.placing == Some(item);
            let button = egui::Button::new(item.name()).selected(chosen).min_size(egui::vec2(100.0, 26.0));
            if ui.add(button).clicked() {
                state.placing = (!chosen).then_some(item);
            }
            if k % 2 == 1 {
                ui.end_row();
            }
        }
    });
    ui.separator();
    ui.strong("Throw");
    ui.weak("T throws it from the eye toward the pointer.");
    ui.horizontal(|ui| {
        for item in Item::THROWN {
            ui.selectable_value(&mut state.thrown, item, item.name());
        }
    });
    ui.separator();
    ui.strong("Remove");
    ui.weak("X or Delete removes what is under the pointer.");
}
