//! Frames without the particles that are not in the world, for formats that have no word for that.

use pliant::frame::{Frame, Shape};

/// Shape and frame of those that are there; nothing where all are. Elements with a corner that is not are left out.
pub(super) fn present(shape: &Shape, frame: &Frame) -> Option<(Shape, Frame)> {
    if !frame.away.contains(&true) {
        return None;
    }
    let points = frame.positions.len();
    let here: Vec<usize> = (0..points).filter(|&i| !frame.is_away(i)).collect();
    let mut number = vec![u32::MAX; points];
    here.iter().enumerate().for_each(|(new, &old)| number[old] = new as u32);
    let shape = Shape {
        triangles: kept(&shape.triangles, &number),
        tets: kept(&shape.tets, &number),
        lines: kept(&shape.lines, &number),
        objects: here.iter().map(|&i| shape.objects[i]).collect(),
        radii: here.iter().map(|&i| shape.radii[i]).collect(),
        object_names: shape.object_names.clone(),
        colors: shape.colors.clone(),
        coated: shape.coated.clone(),
        enters: Vec::new(),
    };
    let frame = Frame {
        index: frame.index,
        time: frame.time,
        positions: here.iter().map(|&i| frame.positions[i]).collect(),
        velocities: here.iter().map(|&i| frame.velocities[i]).collect(),
        away: Vec::new(),
    };
    Some((shape, frame))
}

fn kept<const N: usize>(elements: &[[u32; N]], number: &[u32]) -> Vec<[u32; N]> {
    let renumbered = elements.iter().map(|element| element.map(|v| number[v as usize]));
    renumbered.filter(|element| !element.contains(&u32::MAX)).collect()
}
