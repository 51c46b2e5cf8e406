//! Panels. They read the latest view and answer with what the user asks for; they change nothing themselves.

mod add;
mod drawing;
mod files;
mod graphs;
mod help;
mod notices;
mod objects;
mod style;
mod transport;
mod world;

pub use style::set_style;

use crate::scene_draw::Look;
use crate::session::{Command, Item, Notice, Observed, View};
use egui::{Rect, Ui};
use std::time::Instant;

/// Narrower windows begin without a panel [points].
const WIDE: f32 = 760.0;

/// A panel at the side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// Gravity, wind, time step, quality.
    World,
    /// Objects and their materials.
    Objects,
    /// Things to add and throw.
    Add,
    /// Colors and what is drawn over the picture.
    Drawing,
    /// Numbers over time.
    Graphs,
    /// Saving, pictures, videos.
    Files,
}

impl Panel {
    /// All of them, in the order of their keys from 1 on.
    pub const ALL: [Self; 6] = [Self::World, Self::Objects, Self::Add, Self::Drawing, Self::Graphs, Self::Files];

    /// Name of its tab.
    pub fn name(self) -> &'static str {
        match self {
            Self::World => "World",
            Self::Objects => "Objects",
            Self::Add => "Add",
            Self::Drawing => "Draw",
            Self::Graphs => "Graphs",
            Self::Files => "Files",
        }
    }
}

/// What the user asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Of the session.
    Session(Command),
    /// Show all of the scene.
    ShowAll,
    /// Save the present state as a snapshot.
    SaveSnapshot,
    /// Save it as a scene.
    SaveScene,
    /// Save the picture.
    Screenshot,
    /// Begin or end a video.
    Video,
}

/// What panels remember between frames.
#[derive(Debug)]
pub struct UiState {
    /// The open panel; `None` before the first frame, when the width of the window decides.
    panel: Option<Option<Panel>>,
    /// Whether the keys are shown.
    pub help: bool,
    /// Colors, and whether liquids are surfaces.
    pub look: Look,
    /// What is drawn over the picture.
    pub observed: Observed,
    /// The item that the next click puts into the scene.
    pub placing: Option<Item>,
    /// What is thrown.
    pub thrown: Item,
    /// Messages and when they came.
    log: Vec<(Instant, Notice)>,
    /// Filter of the list of objects.
    filter: String,
}

impl Default for UiState {
    fn default() -> Self {
        Self {
            panel: None,
            help: false,
            look: Look::default(),
            observed: Observed::default(),
            placing: None,
            thrown: Item::Ball,
            log: Vec::new(),
            filter: String::new(),
        }
    }
}

/// What panels show beside the view.
#[derive(Clone, Debug, Default)]
pub struct WindowInfo {
    /// Name of the adapter that draws.
    pub adapter: String,
    /// Whether it is a software driver.
    pub software: bool,
    /// Mean time between pictures [s].
    pub frame_seconds: f64,
    /// Length of the video that is being written [s].
    pub video: Option<f64>,
    /// Folder of files that are written.
    pub folder: String,
    /// Why the simulation has ended, if it has.
    pub ended: Option<String>,
}

impl UiState {
    /// Opens or closes a panel.
    pub fn toggle(&mut self, panel: Panel) {
        let open = self.panel.flatten();
        self.panel = Some(if open == Some(panel) { None } else { Some(panel) });
    }

    /// Closes the panel that is open, or opens the first one.
    pub fn toggle_panels(&mut self) {
        self.panel = Some(if self.panel.flatten().is_some() { None } else { Some(Panel::World) });
    }

    /// The open panel.
    pub fn open_panel(&self) -> Option<Panel> {
        self.panel.flatten()
    }

    /// Takes over messages.
    pub fn tell(&mut self, notices: impl IntoIterator<Item = Notice>) {
        self.log.extend(notices.into_iter().map(|notice| (Instant::now(), notice)));
    }

    /// What of the session is to be measured: graphs cost time, and are made while they are seen.
    pub fn wanted(&self) -> Observed {
        Observed { graphs: self.open_panel() == Some(Panel::Graphs), ..self.observed }
    }
}

/// Shows all panels. Returns what the user asks for, and the part of the window that is left for the picture [points].
pub fn show(ui: &mut Ui, state: &mut UiState, view: &View, info: &WindowInfo) -> (Vec<Action>, Rect) {
    let mut actions = Vec::new();
    let width = ui.available_width();
    let panel = *state.panel.get_or_insert((width >= WIDE).then_some(Panel::World));
    transport::show(ui, state, view, info, &mut actions);
    if let Some(panel) = panel {
        // A panel leaves at least half of the window to the picture.
        let most = (0.5 * width).max(120.0);
        egui::Panel::right("panel")
            .resizable(true)
            .default_size(290.0f32.min(most))
            .size_range(120.0..=most)
            .show(ui, |ui| side_panel(ui, panel, state, view, info, &mut actions));
    }
    let left = ui.available_rect_before_wrap();
    notices::show(ui, left, state, view, info);
    if state.help {
        help::show(ui.ctx(), &mut state.help);
    }
    (actions, left)
}

fn side_panel(
    ui: &mut Ui,
    panel: Panel,
    state: &mut UiState,
    view: &View,
    info: &WindowInfo,
    actions: &mut Vec<Action>,
) {
    ui.add_space(4.0);
    ui.horizontal_wrapped(|ui| {
        for tab in Panel::ALL {
            if ui.selectable_label(tab == panel, tab.name()).clicked() {
                state.toggle(tab);
            }
        }
    });
    ui.separator();
    egui::ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| match panel {
        Panel::World => world::show(ui, view, actions),
        Panel::Objects => objects::show(ui, &mut state.filter, view, actions),
        Panel::Add => add::show(ui, state),
        Panel::Drawing => drawing::show(ui, state, view),
        Panel::Graphs => graphs::show(ui, view),
        Panel::Files => files::show(ui, view, info, actions),
    });
}
