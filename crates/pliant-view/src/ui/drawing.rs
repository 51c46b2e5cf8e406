//! Colors, and what is drawn over the picture.

use super::UiState;
use super::style::color;
use crate::scene_draw::{Coloring, ground_spacing};
use crate::session::{View, colors};
use egui::{RichText, Ui};

pub fn show(ui: &mut Ui, state: &mut UiState, view: &View) {
    ui.strong("Color by");
    ui.horizontal(|ui| {
        for coloring in Coloring::ALL {
            ui.selectable_value(&mut state.look.coloring, coloring, coloring.name());
        }
    });
    let of_objects = state.look.coloring == Coloring::Object;
    let surfaces = egui::Checkbox::new(&mut state.look.liquid_surfaces, "liquids as surfaces");
    ui.add_enabled(of_objects, surfaces).on_disabled_hover_text("other colors are those of particles");
    ui.separator();
    ui.strong("Over the picture");
    let observed = &mut state.observed;
    let switches = [
        (&mut observed.contacts, "contacts", colors::CONTACT, "points and normals where objects touch"),
        (
            &mut observed.forces,
            "forces",
            colors::FORCE,
            "of contacts and pins, on the object; length is the root of the force",
        ),
        (
            &mut observed.constraints,
            "constraints",
            [120, 200, 120],
            "edges from blue (short) to red (5 % long), others gray",
        ),
        (&mut observed.bounds, "bounds", colors::BOUNDS, "boxes around objects"),
    ];
    for (on, name, tint, what) in switches {
        ui.checkbox(on, RichText::new(name).color(color(tint))).on_hover_text(what);
        ui.indent(name, |ui| ui.weak(what));
    }
    ui.weak("Lines behind surfaces are faint. On a GPU each picture with them waits for the simulation.");
    ui.separator();
    ui.strong("Scale");
    if view.drawn.ground.is_some() {
        ui.label(format!("A square of the ground is {} wide.", length(ground_spacing(view.drawn.size))));
    }
    ui.label(format!("The scene is {} across.", length(view.drawn.size)));
}

/// A length with a unit that suits it.
pub fn length(meters: f32) -> String {
    let [value, unit] = match meters {
        m if m < 0.0095 => [format!("{:.1}", 1e3 * m), "mm".to_owned()],
        m if m < 0.95 => [format!("{:.0}", 1e2 * m), "cm".to_owned()],
        m if m < 9.5 => [format!("{m:.1}"), "m".to_owned()],
        m => [format!("{m:.0}"), "m".to_owned()],
    };
    format!("{} {unit}", value.trim_end_matches(".0"))
}

#[cfg(test)]
mod tests {
    use super::length;

    #[test]
    fn lengths_have_suitable_units() {
        assert_eq!([0.002, 0.05, 0.5, 1.0, 2.5, 20.0].map(length), ["2 mm", "5 cm", "50 cm", "1 m", "2.5 m", "20 m"]);
    }
}
