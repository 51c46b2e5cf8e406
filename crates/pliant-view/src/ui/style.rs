//! Looks of panels.

use egui::{Color32, Context, CornerRadius, Stroke, Theme, Visuals};

/// Dark, with little decoration.
pub fn set_style(ctx: &Context) {
    ctx.set_theme(Theme::Dark);
    let mut visuals = Visuals::dark();
    visuals.panel_fill = Color32::from_rgb(28, 30, 34);
    visuals.window_fill = Color32::from_rgb(32, 34, 39);
    visuals.override_text_color = Some(Color32::from_rgb(222, 224, 228));
    visuals.window_corner_radius = CornerRadius::same(6);
    visuals.window_stroke = Stroke::new(1.0, Color32::from_rgb(60, 64, 72));
    visuals.selection.bg_fill = Color32::from_rgb(44, 98, 156);
    ctx.set_visuals_of(Theme::Dark, visuals);
    ctx.style_mut_of(Theme::Dark, |style| {
        style.spacing.item_spacing = egui::vec2(6.0, 5.0);
        style.spacing.slider_width = 120.0;
    });
}

/// Display bytes as a color of egui.
pub fn color([r, g, b]: [u8; 3]) -> Color32 {
    Color32::from_rgb(r, g, b)
}
