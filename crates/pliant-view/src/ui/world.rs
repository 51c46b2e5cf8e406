//! Settings of the world and of the solver.

use super::Action;
use crate::session::{Command, View};
use egui::{Slider, Ui};

pub fn show(ui: &mut Ui, view: &View, actions: &mut Vec<Action>) {
    let status = &view.status;
    let mut ask = |command| actions.push(Action::Session(command));
    ui.strong("Gravity [m/s²]");
    let mut gravity = status.gravity;
    if axes(ui, &mut gravity, 30.0) {
        ask(Command::Gravity(gravity));
    }
    ui.horizontal(|ui| {
        for (name, value) in [("Earth", -9.81), ("Moon", -1.62), ("none", 0.0)] {
            if ui.small_button(name).clicked() {
                ask(Command::Gravity([0.0, value, 0.0]));
            }
        }
    });
    ui.separator();
    ui.strong("Wind [m/s]");
    let mut wind = status.wind;
    if axes(ui, &mut wind, 30.0) {
        ask(Command::Wind(wind));
    }
    if ui.small_button("calm").clicked() {
        ask(Command::Wind([0.0; 3]));
    }
    ui.separator();
    ui.strong("Damping [1/s]");
    let mut damping = status.damping;
    if ui.add(Slider::new(&mut damping, 0.0..=10.0)).changed() {
        ask(Command::Damping(damping));
    }
    ui.separator();
    ui.strong("Time step [ms]");
    let mut step = 1e3 * status.dt;
    if ui.add(Slider::new(&mut step, 0.5..=40.0).logarithmic(true)).changed() {
        ask(Command::TimeStep(1e-3 * step, status.substeps));
    }
    ui.strong("Quality");
    let mut substeps = status.substeps;
    if ui.add(Slider::new(&mut substeps, 1..=64).logarithmic(true).text("substeps")).changed() {
        ask(Command::TimeStep(status.dt, substeps));
    }
    let mut iterations = status.iterations;
    if ui.add(Slider::new(&mut iterations, 1..=256).logarithmic(true).text("iterations")).changed() {
        ask(Command::Iterations(iterations));
    }
    ui.weak("Fewer substeps and iterations are faster, more are stiffer and more accurate.");
}

fn axes(ui: &mut Ui, value: &mut [f32; 3], most: f32) -> bool {
    let mut changed = false;
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let slider = Slider::new(&mut value[axis], -most..=most).text(name).max_decimals(2);
        changed |= ui.add(slider).changed();
    }
    changed
}
