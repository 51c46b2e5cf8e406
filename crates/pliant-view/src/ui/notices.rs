//! Messages over the picture: errors stay until they are mended, others for a while.

use super::{UiState, WindowInfo};
use crate::session::{Notice, View};
use egui::{Align2, Area, Color32, Frame, Id, Order, Rect, RichText, Ui, vec2};
use std::time::Duration;

/// Time for which a message is shown.
const SHOWN: Duration = Duration::from_secs(7);

/// Messages that are shown at once.
const MOST: usize = 5;

pub fn show(ui: &mut Ui, place: Rect, state: &mut UiState, view: &View, info: &WindowInfo) {
    state.log.retain(|(since, _)| since.elapsed() < SHOWN);
    let surplus = state.log.len().saturating_sub(MOST);
    state.log.drain(..surplus);
    if !state.log.is_empty() {
        // They go by themselves.
        ui.ctx().request_repaint_after(Duration::from_millis(500));
    }
    let status = &view.status;
    let width = (place.width() - 24.0).clamp(60.0, 620.0);
    Area::new(Id::unique("notices"))
        .order(Order::Foreground)
        .interactable(false)
        .constrain_to(place)
        .fixed_pos(place.left_top() + vec2(10.0, 10.0))
        .pivot(Align2::LEFT_TOP)
        .show(ui.ctx(), |ui| {
            ui.set_max_width(width);
            let lasting = [
                info.ended.as_ref().map(|text| format!("The simulation has ended: {text}")),
                status.trouble.as_ref().map(|text| format!("{text}\nRewind by the timeline, or restart with R.")),
                status.scene_error.as_ref().map(|text| format!("The scene file has an error:\n{text}")),
            ];
            for text in lasting.into_iter().flatten() {
                message(ui, &Notice { text, error: true });
            }
            for (_, notice) in &state.log {
                message(ui, notice);
            }
            if let Some(name) = &status.held {
                message(ui, &Notice { text: format!("holding {name}"), error: false });
            }
            if let Some(item) = state.placing {
                let text = format!("click where the new {} shall be; Escape ends", item.name().to_lowercase());
                message(ui, &Notice { text, error: false });
            }
            if view.loaded > 0 && view.objects.is_empty() {
                let text = "The scene has no objects: press 3 to add some.".to_owned();
                message(ui, &Notice { text, error: false });
            }
        });
}

fn message(ui: &mut Ui, notice: &Notice) {
    let fill =
        if notice.error { Color32::from_rgb(112, 32, 30) } else { Color32::from_rgba_unmultiplied(24, 26, 30, 215) };
    Frame::new().fill(fill).corner_radius(5.0).inner_margin(8.0).show(ui, |ui| {
        ui.label(RichText::new(&notice.text).color(Color32::from_gray(240)));
    });
}
