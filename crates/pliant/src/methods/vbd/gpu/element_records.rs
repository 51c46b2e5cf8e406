//! Elements as shaders read them: by vertex, and as the coarse matrix sums them.

use crate::constraints::ConstraintKind;
use crate::constraints::group::Group;
use crate::methods::vbd::assembly::LATERAL;
use crate::methods::vbd::element::{Element, params, stiffness, tet_shape, triangle_shape};
use crate::methods::vbd::gpu::constants::*;
use crate::methods::vbd::plan::ElasticBody;
use crate::methods::vbd::sheet::SheetStiffness;
use crate::runtime::gpu::tables::Vector;

pub(super) fn code(kind: ConstraintKind) -> u32 {
    match kind {
        ConstraintKind::Stretch | ConstraintKind::Attach => ELEMENT_SPRING,
        ConstraintKind::RopeBending | ConstraintKind::Isometric => ELEMENT_STENCIL,
        ConstraintKind::NeoHookeanTet => ELEMENT_TET,
        ConstraintKind::Membrane => ELEMENT_SHEET,
        ConstraintKind::Bend => ELEMENT_DIHEDRAL,
        ConstraintKind::Volume => ELEMENT_VOLUME,
        ConstraintKind::FemTriangle => ELEMENT_TRIANGLE,
        ConstraintKind::StretchShear => ELEMENT_STRETCH_SHEAR,
        ConstraintKind::BendTwist => ELEMENT_BEND_TWIST,
        other => unreachable!("{} has no energy", other.name()),
    }
}

/// Vectors of an element in the list of a vertex (`vertex_elements.wgsl`).
pub(super) fn entry_vectors(code: u32) -> usize {
    match code {
        ELEMENT_SPRING => 1,
        ELEMENT_STENCIL => 2,
        ELEMENT_TET => 4,
        _ => 3,
    }
}

/// An element as one of its vertices sees it: its code, and vectors that start with the code and the place.
pub(super) fn entry(element: &Element, place: usize, base: u32, p: &[f32; 12]) -> (u32, Vec<Vector>) {
    let code = code(element.kind);
    let head = code | (place as u32) << 8;
    let row = |k: usize| base + element.rows[k];
    let others: Vec<usize> = (0..4).filter(|&k| k != place).collect();
    let bits = |v: [f32; 4]| v.map(f32::to_bits);
    let vectors = match element.kind {
        ConstraintKind::Stretch => vec![[head, row(1 - place), p[0].to_bits(), stiffness(p[1]).to_bits()]],
        ConstraintKind::Attach => vec![[head, row(1 - place), 0.0_f32.to_bits(), stiffness(p[0]).to_bits()]],
        ConstraintKind::RopeBending | ConstraintKind::Isometric => {
            let [weights, [rest, k, ..]] = stencil(element.kind, p);
            let root = k.sqrt();
            let rope = element.kind == ConstraintKind::RopeBending;
            // A row that is not there has no weight; any number will do for it.
            let other = |k: usize| if rope && others[k] == 3 { row(0) } else { row(others[k]) };
            let weight = |k: usize| weights[others[k]] * root;
            vec![[head, other(0), other(1), other(2)], bits([weight(0), weight(1), weight(2), rest * root])]
        }
        ConstraintKind::NeoHookeanTet => {
            let shape = tet_shape(p);
            let own = shape[place];
            let sign = if place.is_multiple_of(2) { 1.0 } else { -1.0 };
            let weights: [f32; 3] = std::array::from_fn(|k| shape[others[k]].dot(own));
            let across = [1, 2, 0].map(|k: usize| shape[others[k]].dot(shape[others[(k + 1) % 3]]));
            let density = sign * shape[1].cross(shape[2]).dot(shape[3]);
            vec![
                [head, row(others[0]), row(others[1]), row(others[2])],
                bits([weights[0], weights[1], weights[2], density]),
                bits([across[0], across[1], across[2], 1.0 / p[9]]),
                bits([1.0 / p[10], p[11], 0.0, 0.0]),
            ]
        }
        ConstraintKind::Membrane => {
            let (shape, k) = (triangle_shape(p), SheetStiffness::new(p));
            let [a, b] = [shape[others[0]], shape[others[1]]];
            vec![
                [head, row(others[0]), row(others[1]), k.normal.to_bits()],
                bits([a[0], a[1], b[0], b[1]]),
                bits([k.cross, k.shear, 0.0, 0.0]),
            ]
        }
        _ => {
            let [mut first, second, third] = record(element, base, p, 0.0);
            first[0] = head;
            vec![first, second, third]
        }
    };
    (code, vectors)
}

/// Weights of a stencil; its rest length and stiffness.
fn stencil(kind: ConstraintKind, p: &[f32; 12]) -> [[f32; 4]; 2] {
    match kind {
        ConstraintKind::RopeBending => [[1.0, -2.0, 1.0, 0.0], [p[0], stiffness(p[1]), 0.0, 0.0]],
        _ => [[p[0], p[1], p[2], p[3]], [p[4], stiffness(p[5]), 0.0, 0.0]],
    }
}

/// All elements as the coarse matrix reads them.
pub(super) fn records(bodies: &[ElasticBody], groups: &[Group]) -> Vec<Vector> {
    let mut all = Vec::new();
    let mut base = 0;
    for body in bodies {
        let plain = |e: &Element| {
            use ConstraintKind::{Attach, Membrane, NeoHookeanTet, Stretch};
            matches!(e.kind, Stretch | Attach | Membrane | NeoHookeanTet)
        };
        // A flat sheet without tension or bending has no lateral stiffness; a little keeps steps of the matrix short.
        let least = if body.coarse.exact || !body.elements.iter().all(plain) { 0.0 } else { LATERAL };
        for element in &body.elements {
            all.extend(record(element, base, &params(element, groups), least));
        }
        base += body.vertices.len() as u32;
    }
    all
}

/// Code, vertices and parameters; `least` is the lateral stiffness that springs and sheets have at least.
fn record(element: &Element, base: u32, p: &[f32; 12], least: f32) -> [Vector; ELEMENT_VECTORS as usize] {
    let row = |k: usize| base + element.rows[k];
    let (numbers, fourth) = match element.kind {
        ConstraintKind::Stretch => ([p[0], stiffness(p[1]), least, 0.0, 0.0, 0.0, 0.0], row(0)),
        ConstraintKind::Attach => ([0.0, stiffness(p[0]), 0.0, 0.0, 0.0, 0.0, 0.0], row(0)),
        ConstraintKind::RopeBending | ConstraintKind::Isometric => {
            let [w, [rest, k, ..]] = stencil(element.kind, p);
            let fourth = if element.kind == ConstraintKind::Isometric { row(3) } else { row(0) };
            ([w[0], w[1], w[2], w[3], rest, k, 0.0], fourth)
        }
        ConstraintKind::Membrane => {
            let k = SheetStiffness::new(p);
            ([p[0], p[1], p[2], p[3], k.normal, k.cross, k.shear], (least * k.normal).to_bits())
        }
        ConstraintKind::FemTriangle => {
            let k = SheetStiffness::new(p);
            ([p[0], p[1], p[2], p[3], k.normal, k.cross, k.shear], 0)
        }
        ConstraintKind::StretchShear => ([1.0 / p[0], stiffness(p[2]), 0.0, 0.0, 0.0, 0.0, 0.0], row(0)),
        ConstraintKind::BendTwist => ([p[2], p[3], p[4], p[5], stiffness(p[6]), stiffness(p[7]), 0.0], row(0)),
        ConstraintKind::Bend | ConstraintKind::Volume => ([p[0], stiffness(p[1]), 0.0, 0.0, 0.0, 0.0, 0.0], row(3)),
        _ => ([0.0; 7], row(0)),
    };
    let n = numbers.map(f32::to_bits);
    [[code(element.kind), row(0), row(1), row(2)], [fourth, n[0], n[1], n[2]], [n[3], n[4], n[5], n[6]]]
}
