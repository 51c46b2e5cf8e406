//! The keys.

use egui::{Context, RichText};

/// Keys and what they do.
const KEYS: [(&str, &str); 24] = [
    ("left drag on an object", "pull it, with at most 20 times its weight"),
    ("left drag beside objects", "turn the view"),
    ("right or middle drag", "move the view"),
    ("wheel", "nearer, farther"),
    ("double click, F", "look at the point under the pointer"),
    ("Home", "see all of the scene"),
    ("Shift + click", "select an object"),
    ("Space", "play, pause"),
    (". (period)", "one step"),
    (", (comma)", "back to the kept moment before"),
    ("R", "restart"),
    ("P", "replay the kept moments that follow"),
    ("T", "throw"),
    ("X, Delete", "remove what is under the pointer"),
    ("C", "next coloring"),
    ("1 to 6", "panels"),
    ("Tab", "hide or show the panel"),
    ("S, Shift+S", "save a snapshot, a scene"),
    ("F12", "screenshot"),
    ("V", "begin or end a video"),
    ("F5", "read the scene again"),
    ("F11", "full screen"),
    ("Ctrl and +, -, 0", "size of panels"),
    ("Escape", "end what was begun; close this"),
];

pub fn show(ctx: &Context, open: &mut bool) {
    let space = ctx.content_rect();
    egui::Window::new("Keys")
        .open(open)
        .resizable(false)
        .collapsible(false)
        .anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0])
        .max_height((space.height() - 60.0).max(80.0))
        .vscroll(true)
        .show(ctx, |ui| {
            egui::Grid::new("keys").num_columns(2).spacing([18.0, 4.0]).show(ui, |ui| {
                for (key, what) in KEYS {
                    ui.label(RichText::new(key).strong());
                    ui.label(what);
                    ui.end_row();
                }
            });
        });
}
