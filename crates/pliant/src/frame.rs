//! Output data of a simulation: the constant [`Topology`] once, a [`Frame`] per image.
//!
//! Writers and renderers depend on these two types alone, never on the solver's own layout.

use glam::Vec3;

/// Constant part of the outputs: connectivity and objects.
///
/// All indices count points, in the order of [`Frame::positions`]: first all particles, then the vertices of skinned
/// meshes (S20).
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// Surface triangles (cloth, inflatables, surfaces of soft bodies), counter-clockwise from outside. Those of an object with
    /// a skinned mesh are the mesh's.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra of soft bodies, positive volume at rest.
    pub tets: Vec<[u32; 4]>,
    /// Segments of ropes and rods.
    pub lines: Vec<[u32; 2]>,
    /// Object index of each point, into `object_names`.
    pub objects: Vec<u32>,
    /// Radius of each point [m]; 0 for vertices of skinned meshes.
    pub radii: Vec<f32>,
    /// Names of the objects as the scene gave them; copies are numbered.
    pub object_names: Vec<String>,
    /// Color of each object (red, green, blue from 0 to 1), if the scene has one.
    pub colors: Vec<Option<[f32; 3]>>,
    /// Whether a skinned mesh replaces each object's particles in rendering; empty if no object has one.
    pub is_skinned: Vec<bool>,
    /// Emission time of each particle: the midpoint of its emission step [s]. Before, it is inactive and not rendered.
    /// Empty if all are active from the start.
    pub enters: Vec<f64>,
    /// Object of each rigid body.
    pub body_objects: Vec<u32>,
}

impl Topology {
    /// Points that are on no triangle, tetrahedron or line and that no skinned mesh stands for: they are drawn as spheres.
    pub fn free_points(&self) -> Vec<u32> {
        let mut drawn = vec![false; self.objects.len()];
        let corners = self.triangles.iter().flatten().chain(self.tets.iter().flatten());
        corners.chain(self.lines.iter().flatten()).for_each(|&p| drawn[p as usize] = true);
        let skinned = |p: u32| self.is_skinned.get(self.objects[p as usize] as usize).copied().unwrap_or(false);
        (0..drawn.len() as u32).filter(|&p| !drawn[p as usize] && !skinned(p)).collect()
    }

    /// Whether a particle is not yet emitted at a time [s].
    pub fn is_not_yet_emitted(&self, particle: usize, time: f64) -> bool {
        self.enters.get(particle).is_some_and(|&enters| time < enters)
    }
}

/// Time-dependent part of the outputs.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Frame index; 0 is the state before the first step.
    pub index: u64,
    /// Simulated time [s].
    pub time: f64,
    /// Positions of particles, then of skinned vertices [m].
    pub positions: Vec<Vec3>,
    /// Their velocities [m/s].
    pub velocities: Vec<Vec3>,
    /// Whether each particle is inactive: not yet emitted, drained, melted or frozen. Empty if all are always active.
    pub inactive: Vec<bool>,
    /// Rigid bodies, in the order of [`Topology::body_objects`].
    pub bodies: Vec<BodyFrame>,
}

/// A rigid body at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyFrame {
    /// Center of mass [m].
    pub position: [f64; 3],
    /// Orientation: x, y, z, w of a unit quaternion.
    pub orientation: [f64; 4],
    /// Velocity of the center of mass [m/s].
    pub velocity: [f64; 3],
    /// Angular velocity [rad/s].
    pub spin: [f64; 3],
}

impl Frame {
    /// Whether a point is inactive.
    pub fn is_inactive(&self, point: usize) -> bool {
        self.inactive.get(point).copied().unwrap_or(false)
    }
}
