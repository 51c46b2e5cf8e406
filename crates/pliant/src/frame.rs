//! What an output sees of a simulation: the fixed [`Shape`] once, a moving [`Frame`] per picture.
//!
//! Writers and renderers depend on these two types alone, never on the solver's own layout.

use glam::Vec3;

/// The part of the outputs that does not move: who is joined to whom, and what it belongs to.
///
/// All indices count particles, in the order of [`Frame::positions`].
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// Surface triangles (cloth, inflatables, skins of soft bodies), counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra of soft bodies, positive volume at rest.
    pub tets: Vec<[u32; 4]>,
    /// Segments of ropes and rods.
    pub lines: Vec<[u32; 2]>,
    /// Object number of each particle: an index into `object_names`.
    pub objects: Vec<u32>,
    /// Radius of each particle [m].
    pub radii: Vec<f32>,
    /// Names of the objects as the scene gave them; copies are numbered.
    pub object_names: Vec<String>,
    /// Color of each object (red, green, blue from 0 to 1) where the scene gave one.
    pub colors: Vec<Option<[f32; 3]>>,
}

/// The moving part: one moment of the simulation.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Number of the frame; 0 is the state before the first step.
    pub index: u64,
    /// Simulated time [s].
    pub time: f64,
    /// Particle positions [m].
    pub positions: Vec<Vec3>,
    /// Particle velocities [m/s].
    pub velocities: Vec<Vec3>,
}
