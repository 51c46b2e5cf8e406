//! What may be asked of a session.

use crate::session::materials::Material;
use crate::session::palette::Item;
use glam::Vec3;
use pliant::Handle;
use pliant_serve::playback::Ray;
use std::path::PathBuf;

/// A request. Those that refer to objects which are gone are answered by a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Let time run.
    Play,
    /// Stop time.
    Pause,
    /// Show the kept moments that follow, as they were.
    Replay,
    /// One step; time stands still then.
    Step,
    /// Back to the last kept moment before the present.
    Back,
    /// Back to the beginning.
    Restart,
    /// To the kept moment nearest to a time [s]; time stands still then.
    Seek(f64),
    /// Ratio of simulated to real time.
    Speed(f64),
    /// Gravity [m/s²].
    Gravity([f32; 3]),
    /// Wind [m/s]; zero is still air.
    Wind([f32; 3]),
    /// Decay rate of all velocities [1/s].
    Damping(f32),
    /// Time step [s] and its substeps.
    TimeStep(f32, u32),
    /// Iterations per substep.
    Iterations(u32),
    /// Changes a material of an object.
    Material(Handle, Material, f32),
    /// Takes hold of what a ray hits. It is then moved in the plane through the point that has this normal.
    Grab {
        /// The ray.
        ray: Ray,
        /// Normal of the plane of motion: the direction of view.
        facing: Vec3,
    },
    /// Moves what is held to where a ray meets its plane.
    Move(Ray),
    /// Lets go.
    Release,
    /// Throws an item of the palette along a ray.
    Throw(Ray, Item),
    /// Puts an item of the palette on a point [m].
    Add(Item, Vec3),
    /// Removes an object.
    Remove(Handle),
    /// Removes what a ray hits.
    RemoveAt(Ray),
    /// Selects an object, or none.
    Select(Option<Handle>),
    /// Selects what a ray hits.
    SelectAt(Ray),
    /// What is to be drawn and measured beside the objects.
    Observe(Observed),
    /// Writes a snapshot.
    SaveSnapshot(PathBuf),
    /// Writes a scene file.
    SaveScene(PathBuf),
    /// Reads the scene again.
    Reload,
}

impl Command {
    /// Whether this one makes an earlier one superfluous that was given directly before it. Sliders and pointers give many.
    pub fn replaces(&self, earlier: &Self) -> bool {
        match (self, earlier) {
            (Self::Material(a, which, _), Self::Material(b, before, _)) => a == b && which == before,
            (Self::Seek(_), Self::Seek(_))
            | (Self::Speed(_), Self::Speed(_))
            | (Self::Gravity(_), Self::Gravity(_))
            | (Self::Wind(_), Self::Wind(_))
            | (Self::Damping(_), Self::Damping(_))
            | (Self::TimeStep(..), Self::TimeStep(..))
            | (Self::Iterations(_), Self::Iterations(_))
            | (Self::Move(_), Self::Move(_))
            | (Self::Observe(_), Self::Observe(_)) => true,
            _ => false,
        }
    }
}

/// What is drawn and measured beside the objects. All of it costs time, and is made only while it is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// Points of contact.
    pub contacts: bool,
    /// Forces of contacts, pins and grips.
    pub forces: bool,
    /// Constraints.
    pub constraints: bool,
    /// Boxes around objects.
    pub bounds: bool,
    /// Energies and residuals over time.
    pub graphs: bool,
}
