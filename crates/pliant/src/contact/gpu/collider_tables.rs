//! Tables of non-analytic colliders in `constants`, as read by `geometry/*.wgsl`.

use crate::contact::collider_contact::ColliderShape;
use crate::geometry::{DistanceField, Hull, Surface};
use crate::runtime::gpu::tables::{TableArena, Vector};
use std::sync::Arc;

/// Tables of a shape, independent of its pose; empty for an analytic shape.
pub fn tables(shape: &ColliderShape) -> Vec<Vector> {
    match shape {
        ColliderShape::Convex(hull) => of_surface(hull.surface(), Some(hull)),
        ColliderShape::Surface(surface) => of_surface(surface, None),
        ColliderShape::Field(field) => of_field(field),
        _ => Vec::new(),
    }
}

/// Writes the tables of all colliders, each once. Returns the start offset of each collider's tables.
pub(crate) fn put<'a>(shapes: impl Iterator<Item = &'a ColliderShape>, arena: &mut TableArena) -> Vec<u32> {
    let mut all: Vec<u32> = Vec::new();
    let mut with_tables: Vec<(usize, &ColliderShape)> = Vec::new();
    for (k, shape) in shapes.enumerate() {
        let before = with_tables.iter().find(|(_, other)| shares(other, shape));
        let at = before.map_or_else(|| arena.put_constants(tables(shape)), |&(known, _)| all[known]);
        if before.is_none() && shape.table_bounds().is_some() {
            with_tables.push((k, shape));
        }
        all.push(at);
    }
    all
}

/// Whether two shapes share their tables.
fn shares(a: &ColliderShape, b: &ColliderShape) -> bool {
    match (a, b) {
        (ColliderShape::Convex(a), ColliderShape::Convex(b)) => Arc::ptr_eq(a, b),
        (ColliderShape::Surface(a), ColliderShape::Surface(b)) => Arc::ptr_eq(a, b),
        (ColliderShape::Field(a), ColliderShape::Field(b)) => Arc::ptr_eq(a, b),
        _ => false,
    }
}

fn vector(v: glam::Vec3, w: u32) -> Vector {
    [v.x.to_bits(), v.y.to_bits(), v.z.to_bits(), w]
}

fn of_surface(surface: &Surface, hull: Option<&Hull>) -> Vec<Vector> {
    let (min, max) = surface.bounds();
    let planes = hull.map_or(&[][..], Hull::planes);
    let (nodes, triangles) = (surface.nodes().count(), surface.triangles().len());
    let first = 3 + 2 * nodes;
    let head = [nodes, first, first + 3 * triangles, planes.len()].map(|n| n as u32);
    let mut all = vec![vector(min, surface.radius(0.0).to_bits()), vector(max, 0), head];
    all.extend(surface.nodes().flat_map(|n| [vector(n.min, n.start), vector(n.max, n.count)]));
    let corners = surface.triangles().as_flattened();
    all.extend(corners.iter().map(|&v| vector(surface.positions()[v as usize], 0)));
    all.extend(planes.iter().map(|p| p.to_array().map(f32::to_bits)));
    all
}

fn of_field(field: &DistanceField) -> Vec<Vector> {
    let (min, max) = field.bounds();
    let [x, y, z] = field.dims();
    let mut all = vec![vector(min, field.edge().to_bits()), vector(max, 0), [x, y, z, 0]];
    let four = |values: &[f32]| std::array::from_fn(|k| values.get(k).map_or(0, |v| v.to_bits()));
    all.extend(field.distances().chunks(4).map(four));
    all
}
