//! Boxes of primitives and tree nodes over a substep, relative to the mean motion of their surface.

use crate::surface_contact::model::{Surface, SurfaceModel};
use crate::surface_contact::motion::Motion;
use glam::Vec3;

/// Least and largest corner [m].
pub(super) type Bounds = [Vec3; 2];

pub(super) fn overlap(a: &Bounds, b: &Bounds) -> bool {
    a[0].cmple(b[1]).all() && b[0].cmple(a[1]).all()
}

/// `a` moved by up to `way`.
pub(super) fn swept(a: &Bounds, way: Vec3) -> Bounds {
    [a[0] + way.min(Vec3::ZERO), a[1] + way.max(Vec3::ZERO)]
}

pub(super) fn union(a: Bounds, b: &Bounds) -> Bounds {
    [a[0].min(b[0]), a[1].max(b[1])]
}

pub(super) const NOTHING: Bounds = [Vec3::INFINITY, Vec3::NEG_INFINITY];

/// Unit normals of triangles whose vertices move by less than a tenth of an edge relative to the surface.
pub(super) fn find_normals(
    model: &SurfaceModel,
    surface: &Surface,
    motion: &Motion,
    drift: Vec3,
    normals: &mut [Vec3],
) {
    let still = |&v: &u32| {
        let v = v as usize;
        (motion.way[v] - drift).length() + motion.slack[v] < 0.1 * surface.edge
    };
    for (normal, primitive) in normals.iter_mut().zip(&model.primitives[surface.primitives.clone()]) {
        let [a, b, c] = primitive.corners.map(|v| motion.start[v as usize]);
        let found = (b - a).cross(c - a).normalize_or_zero();
        *normal = if primitive.corners.iter().all(still) { found } else { Vec3::ZERO };
    }
}

/// Bounds of a vertex over the substep, relative to a drift.
pub(super) fn around(motion: &Motion, v: usize, drift: Vec3) -> Bounds {
    let (x, way) = (motion.start[v], motion.way[v] - drift);
    let room = Vec3::splat(motion.radii[v] + motion.cores[v] + motion.slack[v]);
    [x + way.min(Vec3::ZERO) - room, x + way.max(Vec3::ZERO) + room]
}

/// Fits the boxes of one surface to those of its vertices.
pub(super) fn fit_surface(
    model: &SurfaceModel,
    surface: &Surface,
    vertices: &[Bounds],
    nodes: &mut [Bounds],
    boxes: &mut [Bounds],
) {
    for (bounds, primitive) in boxes.iter_mut().zip(&model.primitives[surface.primitives.clone()]) {
        let corners = primitive.corners.iter().map(|&v| &vertices[v as usize - surface.vertices.start]);
        *bounds = corners.fold(NOTHING, union);
    }
    // Children follow their parents.
    let tree = &model.nodes[surface.nodes.clone()];
    for n in (0..tree.len()).rev() {
        nodes[n] = if tree[n].count > 0 {
            let leaves = tree[n].start as usize..(tree[n].start + tree[n].count) as usize;
            boxes[leaves].iter().fold(NOTHING, union)
        } else {
            union(nodes[n + 1], &nodes[tree[n].start as usize])
        };
    }
}
