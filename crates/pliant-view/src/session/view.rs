//! What a session shows: one value that is handed to the window, which never sees the world.

use crate::session::catalog::ObjectInfo;
use crate::session::drawn::Drawn;
use crate::session::meter::Sample;
use crate::session::overlay::LineEnd;
use pliant::frame::Frame;
use pliant::{Handle, Pose};
use std::sync::Arc;

/// Whether time runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Play {
    /// It stands still.
    #[default]
    Paused,
    /// The world is stepped.
    Running,
    /// Kept moments are shown.
    Replaying,
}

/// The session in numbers and words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// Name of the scene.
    pub name: String,
    /// Whether time runs.
    pub play: Play,
    /// Simulated time [s].
    pub time: f64,
    /// Earliest time that can be returned to, apart from the beginning [s].
    pub first: f64,
    /// Latest kept or present time [s].
    pub last: f64,
    /// Memory of kept moments [bytes].
    pub history_bytes: u64,
    /// Ratio of simulated to real time that is asked for.
    pub speed: f64,
    /// The ratio that is reached while time runs.
    pub reached: f64,
    /// Mean real time of a step [s].
    pub step_seconds: f64,
    /// Particles, and rigid bodies with exact shapes.
    pub particles: usize,
    /// Rigid bodies.
    pub bodies: usize,
    /// "cpu" or "gpu".
    pub backend: &'static str,
    /// Threads of the CPU.
    pub threads: usize,
    /// Gravity [m/s²].
    pub gravity: [f32; 3],
    /// Wind [m/s].
    pub wind: [f32; 3],
    /// Decay rate of velocities [1/s].
    pub damping: f32,
    /// Time step [s].
    pub dt: f32,
    /// Substeps per step.
    pub substeps: u32,
    /// Iterations per substep.
    pub iterations: u32,
    /// Why time stands still, if an error stopped it.
    pub trouble: Option<String>,
    /// What is wrong with the scene file, since it was saved.
    pub scene_error: Option<String>,
    /// The selected object.
    pub selected: Option<Handle>,
    /// Name of the object that is held.
    pub held: Option<String>,
}

/// A message to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What happened.
    pub text: String,
    /// Whether it is an error.
    pub error: bool,
}

/// The present, as the window shows it.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Number of times the scene was loaded: the camera looks anew at another scene.
    pub loaded: u64,
    /// Connectivity and colors.
    pub drawn: Arc<Drawn>,
    /// Positions.
    pub frame: Arc<Frame>,
    /// Poses of colliders.
    pub poses: Vec<Pose>,
    /// Lines over the picture, two ends each.
    pub lines: Arc<Vec<LineEnd>>,
    /// Numbers and words.
    pub status: Status,
    /// The objects.
    pub objects: Arc<Vec<ObjectInfo>>,
    /// Numbers over time.
    pub samples: Arc<Vec<Sample>>,
    /// The camera of the scene.
    pub camera: pliant::scene::Camera,
    /// Messages since the last view.
    pub notices: Vec<Notice>,
}
