//! The list of objects, and the materials of the selected one.

use super::Action;
use super::transport::grouped;
use crate::session::{Command, ObjectInfo, View};
use egui::{RichText, Slider, Ui};

/// Rows of the list that are shown; the filter finds the others.
const MOST_ROWS: usize = 200;

pub fn show(ui: &mut Ui, filter: &mut String, view: &View, actions: &mut Vec<Action>) {
    let objects = &view.objects;
    let selected = objects.iter().find(|o| Some(o.handle) == view.status.selected);
    match selected {
        Some(object) => materials(ui, object, actions),
        None => {
            ui.weak("Click an object in the list, or with Shift in the picture, to see its materials.");
        }
    }
    ui.separator();
    ui.horizontal(|ui| {
        ui.strong(format!("{} objects", grouped(objects.len())));
        ui.add(egui::TextEdit::singleline(filter).hint_text("filter").desired_width(90.0));
    });
    let wanted = filter.to_lowercase();
    let matches = |o: &&ObjectInfo| wanted.is_empty() || o.name.to_lowercase().contains(&wanted);
    let mut shown = 0;
    for object in objects.iter().filter(matches) {
        shown += 1;
        if shown > MOST_ROWS {
            ui.weak("more: use the filter");
            break;
        }
        let is_selected = Some(object.handle) == view.status.selected;
        let text = format!("{}   ({})", object.name, object.kind.name());
        if ui.selectable_label(is_selected, text).clicked() {
            let next = (!is_selected).then_some(object.handle);
            actions.push(Action::Session(Command::Select(next)));
        }
    }
    if objects.is_empty() {
        ui.weak("The scene has no objects. The panel Add has some.");
    }
}

fn materials(ui: &mut Ui, object: &ObjectInfo, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(&object.name).strong().size(16.0));
        if ui.small_button("delete").on_hover_text("X removes what is under the pointer").clicked() {
            actions.push(Action::Session(Command::Remove(object.handle)));
        }
    });
    for material in &object.materials {
        ui.label(material.label);
        let mut value = material.value;
        let range = material.range.0..=material.range.1;
        let slider = Slider::new(&mut value, range).logarithmic(material.logarithmic).smallest_positive(1e-10);
        if ui.add(slider).changed() {
            actions.push(Action::Session(Command::Material(object.handle, material.which, value)));
        }
    }
    if object.materials.is_empty() {
        ui.weak("Objects of this kind have no materials.");
    }
}
