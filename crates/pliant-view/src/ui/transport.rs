//! The bar below: time, speed, timeline.

use super::{Action, UiState, WindowInfo};
use crate::session::{Command, Play, View};
use egui::{RichText, Slider, Ui};

/// Speeds that are offered.
const SPEEDS: [f64; 6] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.0];

pub fn show(ui: &mut Ui, state: &mut UiState, view: &View, info: &WindowInfo, actions: &mut Vec<Action>) {
    let status = &view.status;
    let mut ask = |command| actions.push(Action::Session(command));
    egui::Panel::bottom("time").resizable(false).show(ui, |ui| {
        ui.add_space(3.0);
        ui.horizontal_wrapped(|ui| {
            let (label, command) = match status.play {
                Play::Paused => ("Play", Command::Play),
                _ => ("Pause", Command::Pause),
            };
            let can_play = status.trouble.is_none();
            let play = ui.add_enabled(can_play, egui::Button::new(label).min_size(egui::vec2(48.0, 0.0)));
            if play.on_hover_text("Space").clicked() {
                ask(command);
            }
            if ui.button("Step").on_hover_text(". (period)").clicked() {
                ask(Command::Step);
            }
            if ui.button("Back").on_hover_text(", (comma): the kept moment before").clicked() {
                ask(Command::Back);
            }
            if ui.button("Restart").on_hover_text("R").clicked() {
                ask(Command::Restart);
            }
            let later = status.last > status.time + 1e-9;
            let replay = ui.add_enabled(later && can_play, egui::Button::new("Replay"));
            if replay.on_hover_text("P: shows the kept moments that follow, as they were").clicked() {
                ask(Command::Replay);
            }
            let mut speed = status.speed;
            egui::ComboBox::from_id_salt("speed").width(52.0).selected_text(format!("{speed}×")).show_ui(ui, |ui| {
                for value in SPEEDS {
                    ui.selectable_value(&mut speed, value, format!("{value}×"));
                }
            });
            if speed != status.speed {
                ask(Command::Speed(speed));
            }
            ui.label(RichText::new(format!("{:.2} s", status.time)).monospace());
            let mut time = status.time;
            let last = status.last.max(1e-3);
            // What is left of the row beside the label of the end, or the next row where that is little.
            let left = ui.available_size_before_wrap().x - 64.0;
            ui.spacing_mut().slider_width = if left > 100.0 { left } else { (ui.max_rect().width() - 70.0).max(40.0) };
            let timeline = ui.add(Slider::new(&mut time, 0.0..=last).show_value(false));
            if timeline.on_hover_text("kept moments; drag to rewind").changed() {
                ask(Command::Seek(time));
            }
            ui.label(RichText::new(format!("{last:.1} s")).weak());
        });
        ui.horizontal_wrapped(|ui| {
            let on =
                if status.backend == "gpu" { "GPU".to_owned() } else { format!("CPU, {} threads", status.threads) };
            let drawing = if info.software { format!("{} (software)", info.adapter) } else { info.adapter.clone() };
            let mut parts = vec![format!("{} particles", grouped(status.particles))];
            if status.bodies > 0 {
                parts.push(format!("{} bodies", grouped(status.bodies)));
            }
            parts.push(format!("step {:.1} ms", 1e3 * status.step_seconds));
            if status.play == Play::Running && status.reached > 0.0 && status.reached < 0.9 * status.speed {
                parts.push(format!("slow motion {:.2}×", status.reached));
            }
            parts.push(format!("solver: {on}"));
            parts.push(format!("drawing: {drawing}"));
            if info.frame_seconds > 0.0 {
                parts.push(format!("{:.0} ms per picture", 1e3 * info.frame_seconds));
            }
            if let Some(seconds) = info.video {
                parts.push(format!("video {seconds:.1} s"));
            }
            ui.label(RichText::new(parts.join("  ·  ")).small().weak());
            if ui.link(RichText::new("F1 keys").small()).clicked() {
                state.help = !state.help;
            }
        });
        ui.add_space(2.0);
    });
}

/// 12,345.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_separated() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
