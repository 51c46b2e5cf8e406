//! What an output sees of a simulation: the fixed [`Topology`] once, a moving [`Frame`] per picture.
//!
//! Writers and renderers depend on these two types alone, never on the solver's own layout.

use glam::Vec3;

/// The part of the outputs that does not move: who is joined to whom, and what it belongs to.
///
/// All indices count points, in the order of [`Frame::positions`]: first all particles, then the vertices of meshes that
/// follow particles (S20).
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// Surface triangles (cloth, inflatables, skins of soft bodies), counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra of soft bodies, positive volume at rest.
    pub tets: Vec<[u32; 4]>,
    /// Segments of ropes and rods.
    pub lines: Vec<[u32; 2]>,
    /// Object number of each point: an index into `object_names`.
    pub objects: Vec<u32>,
    /// Radius of each point [m]; 0 for vertices that are no particles.
    pub radii: Vec<f32>,
    /// Names of the objects as the scene gave them; copies are numbered.
    pub object_names: Vec<String>,
    /// Color of each object (red, green, blue from 0 to 1) where the scene gave one.
    pub colors: Vec<Option<[f32; 3]>>,
    /// Whether a mesh stands for each object's particles in pictures; empty where no object has one.
    pub coated: Vec<bool>,
    /// When each particle comes into the world: the middle of the step in which it does [s]. Before, it waits where nothing
    /// meets it and is not to be seen. Empty where all are there from the start.
    pub enters: Vec<f64>,
}

impl Topology {
    /// Whether a particle is not in the world yet at a time [s].
    pub fn waits(&self, particle: usize, time: f64) -> bool {
        self.enters.get(particle).is_some_and(|&enters| time < enters)
    }
}

/// The moving part: one moment of the simulation.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Number of the frame; 0 is the state before the first step.
    pub index: u64,
    /// Simulated time [s].
    pub time: f64,
    /// Positions of particles, then of vertices that follow them [m].
    pub positions: Vec<Vec3>,
    /// Their velocities [m/s].
    pub velocities: Vec<Vec3>,
    /// Whether each particle is not in the world: it waits, or was taken away, or has melted or frozen. Empty where all always are.
    pub away: Vec<bool>,
}

impl Frame {
    /// Whether a point is not in the world.
    pub fn is_away(&self, point: usize) -> bool {
        self.away.get(point).copied().unwrap_or(false)
    }
}
