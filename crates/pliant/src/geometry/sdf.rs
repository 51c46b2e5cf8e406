//! A solid as a signed distance field on a grid.

use crate::memory::of;
use crate::mesh::TriMesh;
use glam::Vec3;

/// Signed distances at the points of a cubic grid, interpolated trilinearly.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceField {
    dims: [u32; 3],
    origin: Vec3,
    edge: f32,
    phi: Vec<f32>,
    skin: TriMesh,
}

impl DistanceField {
    /// Distances `phi` [m], negative inside, x fastest, on a grid that starts at `origin` with spacing `edge` [m]; at
    /// least two points along each axis, and no negative distance at the border. `skin` is the mesh for rendering.
    pub fn new(dims: [u32; 3], origin: Vec3, edge: f32, phi: Vec<f32>, skin: TriMesh) -> Self {
        assert!(dims.iter().all(|&d| d >= 2), "a field has two points along each axis");
        assert_eq!(phi.len(), dims.iter().map(|&d| d as usize).product::<usize>(), "a distance for every point");
        Self { dims, origin, edge, phi, skin }
    }

    /// Memory on the host [bytes].
    pub(crate) fn bytes(&self) -> u64 {
        of(&self.phi) + of(&self.skin.positions) + of(&self.skin.triangles)
    }

    /// Points along each axis.
    pub fn dims(&self) -> [u32; 3] {
        self.dims
    }

    /// Grid spacing [m].
    pub fn edge(&self) -> f32 {
        self.edge
    }

    /// Signed distances at all points [m], x fastest.
    pub fn distances(&self) -> &[f32] {
        &self.phi
    }

    /// The surface it was built from.
    pub fn skin(&self) -> &TriMesh {
        &self.skin
    }

    /// Lowest and highest corner of the grid [m].
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let size = Vec3::from(self.dims.map(|d| (d - 1) as f32)) * self.edge;
        (self.origin, self.origin + size)
    }

    /// Signed distance [m] and outward normal: trilinear, and its exact gradient.
    ///
    /// Cells at the border have one-sided gradients. Outside of the grid the distance and normal
    /// are extrapolated from the nearest border point.
    pub fn signed_distance(&self, p: Vec3) -> (f32, Vec3) {
        let (min, max) = self.bounds();
        let held = p.clamp(min, max);
        let (distance, normal) = self.within(held);
        if held == p {
            return (distance, normal);
        }
        let away = p - (held - normal * distance);
        let length = away.length();
        (length, if length > 0.0 { away / length } else { normal })
    }

    /// At a point inside the grid's box.
    fn within(&self, p: Vec3) -> (f32, Vec3) {
        let at = (p - self.origin) / self.edge;
        let cell = |k: usize| (at[k] as i32).clamp(0, self.dims[k] as i32 - 2) as usize;
        let first = [cell(0), cell(1), cell(2)];
        let t = at - Vec3::from(first.map(|c| c as f32));
        let (nx, ny) = (self.dims[0] as usize, self.dims[1] as usize);
        let corner = (first[2] * ny + first[1]) * nx + first[0];
        let value = |dx: usize, dy: usize, dz: usize| self.phi[corner + (dz * ny + dy) * nx + dx];
        let mix = |a: f32, b: f32, s: f32| a + (b - a) * s;
        // Interpolates along x first; then the four differences give the slope along x, and so on.
        let along = |dy: usize, dz: usize| mix(value(0, dy, dz), value(1, dy, dz), t.x);
        let rise = |dy: usize, dz: usize| value(1, dy, dz) - value(0, dy, dz);
        let (near, far) = (mix(along(0, 0), along(1, 0), t.y), mix(along(0, 1), along(1, 1), t.y));
        let slope = Vec3::new(
            mix(mix(rise(0, 0), rise(1, 0), t.y), mix(rise(0, 1), rise(1, 1), t.y), t.z),
            mix(along(1, 0) - along(0, 0), along(1, 1) - along(0, 1), t.z),
            far - near,
        );
        let length = slope.length();
        // A distance increases by up to `edge` per grid step. If slopes cancel, any direction is valid.
        let normal = if length > 1e-4 * self.edge { slope / length } else { Vec3::Y };
        (mix(near, far, t.z), normal)
    }
}
