//! Frames without inactive particles, for formats that cannot mark them.

use pliant::frame::{Frame, Topology};
use std::borrow::Cow;

/// Topology and frame of the active particles, renumbered; borrowed where all are active. Elements with an inactive
/// vertex are omitted.
pub(super) fn omit_inactive<'a>(shape: &'a Topology, frame: &'a Frame) -> (Cow<'a, Topology>, Cow<'a, Frame>) {
    if !frame.inactive.contains(&true) {
        return (Cow::Borrowed(shape), Cow::Borrowed(frame));
    }
    let points = frame.positions.len();
    let active: Vec<usize> = (0..points).filter(|&i| !frame.is_inactive(i)).collect();
    let mut new_index = vec![u32::MAX; points];
    active.iter().enumerate().for_each(|(new, &old)| new_index[old] = new as u32);
    let shape = Topology {
        triangles: renumber(&shape.triangles, &new_index),
        tets: renumber(&shape.tets, &new_index),
        lines: renumber(&shape.lines, &new_index),
        objects: active.iter().map(|&i| shape.objects[i]).collect(),
        radii: active.iter().map(|&i| shape.radii[i]).collect(),
        object_names: shape.object_names.clone(),
        colors: shape.colors.clone(),
        is_skinned: shape.is_skinned.clone(),
        enters: Vec::new(),
        body_objects: shape.body_objects.clone(),
    };
    let frame = Frame {
        index: frame.index,
        time: frame.time,
        positions: active.iter().map(|&i| frame.positions[i]).collect(),
        velocities: active.iter().map(|&i| frame.velocities[i]).collect(),
        inactive: Vec::new(),
        bodies: frame.bodies.clone(),
    };
    (Cow::Owned(shape), Cow::Owned(frame))
}

/// Elements whose vertices are all active, with their new numbers.
fn renumber<const N: usize>(elements: &[[u32; N]], new_index: &[u32]) -> Vec<[u32; N]> {
    let renumbered = elements.iter().map(|element| element.map(|v| new_index[v as usize]));
    renumbered.filter(|element| !element.contains(&u32::MAX)).collect()
}
