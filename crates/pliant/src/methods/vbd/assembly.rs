//! Elements as the coarse matrix sums them: in groups that the same modes deform, with the parts of the modes known.

use crate::constraints::ConstraintKind;
use crate::constraints::group::Group;
use crate::math::RowData;
use crate::memory::of;
use crate::methods::vbd::assembly_lanes::{LaneSums, Lines, MODES, Scalars, Single, Triangles, add_all, part};
use crate::methods::vbd::element::{linear, params, stiffness, triangle_shape};
use crate::methods::vbd::linear::Mode;
use crate::methods::vbd::plan::ElasticBody;
use crate::methods::vbd::sheet::SheetStiffness;
use crate::runtime::cpu::isa::Isa;
use glam::Mat3;
use std::collections::BTreeMap;

/// Least lateral stiffness of springs in the matrix of a sheet without bending stiffness, relative to that along them.
pub(super) const LATERAL: f32 = 0.05;

/// Elements that the same modes deform: those within an aggregate, or between the same few.
#[derive(Default)]
pub(super) struct ElementGroup {
    /// Unknowns of the modes, ascending.
    pub(super) unknowns: Vec<u32>,
    /// Hessian blocks of all pairs of modes, row by row of the lower triangle.
    pub(super) sums: Vec<Mat3>,
    lines: Lines,
    triangles: Triangles,
    angles: Scalars,
    volumes: Scalars,
    /// Numbers of the other elements.
    others: Vec<u32>,
    /// Lateral stiffness that springs and sheets have at least, relative to that along them.
    least: f32,
}

/// Elements of a group while they are collected.
#[derive(Default)]
struct Collected {
    lines: Vec<Single<4, 7, 1>>,
    triangles: Vec<Single<3, 7, 2>>,
    angles: Vec<Single<4, 1, 4>>,
    volumes: Vec<Single<4, 1, 4>>,
    others: Vec<u32>,
}

impl ElementGroup {
    /// Groups of all elements of a body that is not a chain. Tetrahedra are left out.
    pub(super) fn all(body: &ElasticBody, groups: &[Group]) -> Vec<Self> {
        use ConstraintKind::{Attach, Bend, Isometric, Membrane, NeoHookeanTet, RopeBending, Stretch, Volume};
        // A flat sheet without tension or bending has no lateral stiffness; a little keeps steps of the matrix short.
        let plain = body.elements.iter().all(|e| matches!(e.kind, Stretch | Attach | Membrane | NeoHookeanTet));
        let least = if plain { LATERAL } else { 0.0 };
        let mut found: BTreeMap<Vec<u32>, Collected> = BTreeMap::new();
        for (number, element) in body.elements.iter().enumerate().filter(|(_, e)| e.kind != NeoHookeanTet) {
            let p = params(element, groups);
            let rows = &element.rows[..element.kind.layout().rows];
            let mut terms: Vec<(u32, [f32; 4])> = modes_of(body, rows).collect();
            terms.sort_by_key(|(unknown, _)| *unknown);
            let unknowns: Vec<u32> = terms.iter().map(|(unknown, _)| *unknown).collect();
            let group = found.entry(unknowns).or_default();
            match element.kind {
                Stretch | Attach | RopeBending | Isometric => {
                    let (w, rest, k, least) = match element.kind {
                        Stretch => ([1.0, -1.0, 0.0, 0.0], p[0], p[1], least),
                        Attach => ([1.0, -1.0, 0.0, 0.0], 0.0, p[0], 0.0),
                        RopeBending => ([1.0, -2.0, 1.0, 0.0], p[0], p[1], 0.0),
                        _ => ([p[0], p[1], p[2], p[3]], p[4], p[5], 0.0),
                    };
                    let parts: Vec<_> = terms.iter().map(|(_, mode)| [part(&w, mode)]).collect();
                    if parts.iter().any(|part| *part != [0.0]) {
                        let numbers = [w[0], w[1], w[2], w[3], rest, stiffness(k), least];
                        group.lines.push(Single { rows: element.rows, numbers, parts });
                    }
                }
                Membrane => {
                    let (shape, k) = (triangle_shape(&p), SheetStiffness::new(&p));
                    let along = |w: &[f32; 4], axis: usize| part(&shape.map(|n| n[axis]), w);
                    let parts = terms.iter().map(|(_, w)| [along(w, 0), along(w, 1)]).collect();
                    let [_, b, c] = shape;
                    let numbers = [b[0], b[1], c[0], c[1], k.normal, k.cross, k.shear];
                    group.triangles.push(Single { rows: [rows[0], rows[1], rows[2]], numbers, parts });
                }
                Bend | Volume => {
                    // Moving as a whole changes neither angle nor volume.
                    let moves = |w: &[f32; 4]| w.iter().all(|part| *part == w[0]);
                    let parts = terms.iter().map(|(_, w)| if moves(w) { [0.0; 4] } else { *w }).collect();
                    let one = Single { rows: element.rows, numbers: [stiffness(p[1])], parts };
                    if element.kind == Bend { group.angles.push(one) } else { group.volumes.push(one) }
                }
                _ => group.others.push(number as u32),
            }
        }
        let finish = |(unknowns, all): (Vec<u32>, Collected)| Self {
            sums: vec![Mat3::ZERO; unknowns.len() * (unknowns.len() + 1) / 2],
            unknowns,
            lines: Lines::new(&all.lines),
            triangles: Triangles::new(&all.triangles),
            angles: Scalars::new(&all.angles),
            volumes: Scalars::new(&all.volumes),
            others: all.others,
            least,
        };
        found.into_iter().map(finish).collect()
    }

    pub(super) fn bytes(&self) -> u64 {
        let scalars = self.angles.bytes() + self.volumes.bytes();
        let elements = self.lines.bytes() + self.triangles.bytes() + scalars + of(&self.others);
        of(&self.unknowns) + of(&self.sums) + elements
    }

    /// Sums the Hessians at the positions `x`. `lanes` is scratch.
    pub(super) fn sum(&mut self, isa: Isa, body: &ElasticBody, groups: &[Group], x: &[RowData], lanes: &mut LaneSums) {
        self.sums.fill(Mat3::ZERO);
        let batches = (&self.lines, &self.triangles, &self.angles, &self.volumes);
        add_all(isa, x, batches, self.least, lanes, &mut self.sums);
        let rows_of = |rows: [u32; 4]| rows.map(|r| x[r as usize]);
        for &number in &self.others {
            let element = &body.elements[number as usize];
            let own = linear(element.kind, &params(element, groups), &rows_of(element.rows), Mat3::IDENTITY);
            let mut modes: [Option<(u32, Mode)>; MODES] = [const { None }; MODES];
            let rows = &element.rows[..element.kind.layout().rows];
            let found = modes_of(body, rows).map(|(unknown, weights)| Some((unknown, own.mode(&weights))));
            modes.iter_mut().zip(found).for_each(|(own, mode)| *own = mode);
            let modes = &mut modes[..self.unknowns.len()];
            modes.sort_by_key(|mode| mode.as_ref().map(|(unknown, _)| *unknown));
            let mut sums = self.sums.iter_mut();
            for (m, first) in modes.iter().enumerate() {
                for (second, sum) in modes[..=m].iter().zip(&mut sums) {
                    if let (Some((_, first)), Some((_, second))) = (first, second) {
                        *sum += own.modes(first, second);
                    }
                }
            }
        }
    }
}

/// Unknowns that move an element, each with its weights at the element's rows.
pub(super) fn modes_of<'a>(body: &'a ElasticBody, rows: &'a [u32]) -> impl Iterator<Item = (u32, [f32; 4])> + 'a {
    let space = &body.coarse;
    let aggregate = move |k: usize| space.aggregate[rows[k] as usize];
    let new = move |k: &usize| (0..*k).all(|j| aggregate(j) != aggregate(*k));
    (0..rows.len()).filter(new).flat_map(move |k| {
        let own = aggregate(k);
        (0..space.counts[own as usize]).map(move |m| {
            let weight = |j: usize| {
                let moves = j < rows.len() && aggregate(j) == own;
                if moves { space.modes[rows[j] as usize][m as usize] } else { 0.0 }
            };
            (space.unknowns[own as usize] + 3 * m, std::array::from_fn(weight))
        })
    })
}
