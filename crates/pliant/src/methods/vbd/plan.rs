//! Which bodies are solved by descent, in which order their vertices move, and their coarse space.

use crate::constraints::ConstraintKind;
use crate::constraints::group::{BLOCK, Group, Raw};
use crate::math::RowData;
use crate::memory::of;
use crate::methods::vbd::coarse_space::{CoarseSpace, Kinds};
use crate::methods::vbd::element::{Element, at_row, is_elastic};
use crate::methods::vbd::graph::{Adjacency, greedy_colors};
use crate::partition::islands::{ELASTIC, UnionFind};
use glam::Vec3;
use std::collections::BTreeMap;
use std::ops::Range;

/// A connected body of elastic elements.
#[derive(Clone, Debug)]
pub struct ElasticBody {
    /// Rows of the body, by color. Everything below is numbered within this list.
    pub vertices: Vec<u32>,
    /// Vertices that share no element, color after color.
    pub colors: Vec<Range<usize>>,
    /// Elements.
    pub elements: Vec<Element>,
    /// Where the entries of each vertex start, plus their number.
    pub offsets: Vec<u32>,
    /// Element, and which of its rows the vertex is.
    pub entries: Vec<[u32; 2]>,
    /// Rest positions [m].
    pub rest: Vec<Vec3>,
    /// The coarse space.
    pub coarse: CoarseSpace,
    /// Runs of particles (`Model::runs`) of the body.
    pub runs: Vec<usize>,
}

impl ElasticBody {
    pub(crate) fn bytes(&self) -> u64 {
        let lists = of(&self.vertices) + of(&self.elements) + of(&self.offsets) + of(&self.entries) + of(&self.rest);
        lists + self.coarse.bytes()
    }
}

/// Which rows descent solves.
pub(crate) struct Eligible {
    /// By row.
    pub(crate) rows: Vec<bool>,
    /// A row of each body that has elastic elements, but is projected, and why.
    pub(crate) refused: Vec<(u32, &'static str)>,
}

/// Whether descent solves each row: its whole body has an elastic energy with a finite stiffness.
///
/// `body` is the connected component of each row. Rigid constraints, tethers and inflated surfaces keep multipliers, and so
/// does the body they belong to. `matched` are the rows of bodies of particles: what is attached to them meets them by
/// multipliers, too.
pub(crate) fn elastic_rows(
    constraints: &BTreeMap<ConstraintKind, Raw>,
    body: &[u32],
    inflated: impl Iterator<Item = Range<usize>>,
    matched: impl Iterator<Item = u32>,
) -> Eligible {
    let mut elastic = vec![false; body.len()];
    let mut stiff = vec![false; body.len()];
    let mut refused: Vec<Option<&'static str>> = vec![None; body.len()];
    for (&kind, raw) in constraints {
        let layout = kind.layout();
        // Those between elastic bodies get a stiffness afterwards.
        if kind == ConstraintKind::Attach {
            continue;
        }
        for (rows, params) in raw.rows.chunks_exact(layout.rows).zip(raw.params.chunks_exact(layout.params)) {
            let root = body[rows[0] as usize] as usize;
            elastic[root] = true;
            if !is_elastic(kind) {
                refused[root] = refused[root].or(Some(reason(kind)));
            } else if !has_stiffness(kind, params) {
                refused[root] = refused[root].or(Some("parts without compliance"));
            } else {
                stiff[root] = true;
            }
        }
    }
    inflated.flatten().for_each(|row| refused[body[row] as usize] = Some("an inflated surface"));
    matched.for_each(|row| refused[body[row as usize] as usize] = Some("attachments to bodies of particles"));
    // The matrix of rods is that of a chain; with a sheet or a solid at its end it would be wide.
    let (mut rods, mut wide) = (vec![false; body.len()], vec![false; body.len()]);
    for (&kind, raw) in constraints {
        let kinds = match kind {
            ConstraintKind::StretchShear | ConstraintKind::BendTwist => &mut rods,
            ConstraintKind::Attach => continue,
            _ => &mut wide,
        };
        raw.rows.chunks_exact(kind.layout().rows).for_each(|rows| kinds[body[rows[0] as usize] as usize] = true);
    }
    for root in (0..body.len()).filter(|&root| rods[root] && wide[root]) {
        refused[root] = refused[root].or(Some("a rod attached to a cloth, a soft body or a rope of springs"));
    }
    let rows = body.iter().map(|&root| elastic[root as usize] && refused[root as usize].is_none()).collect();
    let roots = 0..body.len() as u32;
    let why = |root: u32| refused[root as usize].filter(|_| stiff[root as usize]).map(|why| (root, why));
    Eligible { rows, refused: roots.filter_map(why).collect() }
}

fn reason(kind: ConstraintKind) -> &'static str {
    match kind {
        ConstraintKind::Tether => "tethers",
        ConstraintKind::FemTet => "the material \"st-venant-kirchhoff\"",
        _ => "constraints that have no energy",
    }
}

/// Stretch of an inextensible chain, in units of the way that it falls in a substep.
pub(super) const CHAIN_STRETCH: f32 = 0.01;

/// Gives the segments of inextensible ropes the smallest compliance that single precision can resolve.
///
/// The exact solve of a chain carries any load over any number of segments, but forces are differences of positions: with
/// the compliance 0.01·h²/M, where M is the mass of the rope, a segment that carries all of it is longer by a hundredth of
/// g·h², and rounding of positions of a meter moves its force by less than 1 % of the weight. `inv_masses` are the inverse
/// masses of rows [1/kg].
pub(crate) fn resolve_chains(
    constraints: &mut BTreeMap<ConstraintKind, Raw>,
    body: &[u32],
    inv_masses: &[f32],
    h: f32,
) {
    const STRETCH: ConstraintKind = ConstraintKind::Stretch;
    let mut ends = vec![0_u8; body.len()];
    let mut chain = vec![true; body.len()];
    for (&kind, raw) in constraints.iter() {
        for rows in raw.rows.chunks_exact(kind.layout().rows) {
            let root = body[rows[0] as usize] as usize;
            match kind {
                STRETCH => {
                    for &row in rows {
                        ends[row as usize] = ends[row as usize].saturating_add(1);
                        chain[root] &= ends[row as usize] <= 2;
                    }
                }
                ConstraintKind::RopeBending => {}
                _ => chain[root] = false,
            }
        }
    }
    let mut masses = vec![0.0_f32; body.len()];
    let movable = body.iter().zip(inv_masses).filter(|(_, inv_mass)| **inv_mass > 0.0);
    movable.for_each(|(&root, inv_mass)| masses[root as usize] += 1.0 / inv_mass);
    let Some(raw) = constraints.get_mut(&STRETCH) else { return };
    for (rows, params) in raw.rows.chunks_exact(2).zip(raw.params.chunks_exact_mut(STRETCH.layout().params)) {
        let root = body[rows[0] as usize] as usize;
        if chain[root] && masses[root] > 0.0 && params[1] == 0.0 {
            params[1] = CHAIN_STRETCH * h * h / masses[root];
        }
    }
}

/// Stiffness of a rigid attachment, relative to that of the stiffer of its ends.
///
/// A vertex follows the other end of a much stiffer spring, and sweeps would move such a pair slowly. With 30 the gap is a
/// thirtieth of what the force through the attachment stretches the elements beside it.
pub(super) const RIGID_ATTACHMENT: f32 = 30.0;

/// Gives attachments without compliance between `elastic` rows one that descent resolves. `rows` are positions and inverse
/// masses [1/kg].
pub(crate) fn resolve_attachments(
    constraints: &mut BTreeMap<ConstraintKind, Raw>,
    elastic: &[bool],
    rows: &[RowData],
    h: f32,
) {
    const ATTACH: ConstraintKind = ConstraintKind::Attach;
    let rigid = |raw: &Raw| raw.params.contains(&0.0);
    if !constraints.get(&ATTACH).is_some_and(rigid) {
        return;
    }
    let mut stiffness = vec![0.0_f32; rows.len()];
    for (&kind, raw) in constraints.iter().filter(|(kind, _)| **kind != ATTACH && is_elastic(**kind)) {
        let layout = kind.layout();
        for (own, params) in raw.rows.chunks_exact(layout.rows).zip(raw.params.chunks_exact(layout.params)) {
            if !has_stiffness(kind, params) || own.iter().any(|&r| !elastic[r as usize]) {
                continue;
            }
            let p = std::array::from_fn(|k| params.get(k).copied().unwrap_or(0.0));
            let x = std::array::from_fn(|k| rows[own[k.min(layout.rows - 1)] as usize]);
            for (place, &r) in own.iter().enumerate() {
                let h = at_row(kind, &p, &x, place).1;
                stiffness[r as usize] += (h.x_axis.x + h.y_axis.y + h.z_axis.z) / 3.0;
            }
        }
    }
    let Some(raw) = constraints.get_mut(&ATTACH) else { return };
    for (own, softness) in raw.rows.chunks_exact(2).zip(&mut raw.params) {
        let of = |r: u32| {
            let inverse = rows[r as usize][3];
            stiffness[r as usize] + if inverse > 0.0 { 1.0 / (inverse * h * h) } else { 0.0 }
        };
        let most = of(own[0]).max(of(own[1]));
        if elastic[own[0] as usize] && *softness == 0.0 && most > 0.0 && most.is_finite() {
            *softness = 1.0 / (RIGID_ATTACHMENT * most);
        }
    }
}

/// Stiffness of a sheet's vertices, relative to m/h², that one substep still moves as it should: the mesh has no waves that are
/// too fast for it.
///
/// Measured on a sheet of 30 × 30 cells that falls from two corners: with 200 N/m, 360 m/h² at 10 ms, one substep loses within
/// half a second 0.12 of the energy more than 64 do.
const STIFF_VERTEX: f32 = 400.0;
/// The same of a sheet as a whole, its modulus relative to its mass/h². From here on substeps grow with its root.
///
/// A square meter of 2,000 N/m and 0.2 kg, whose waves cross it in 10 ms, needs three for the same loss, with 30 × 30 cells as
/// with 100 × 100: 0.07 and 0.08 of the energy within 0.5 and 0.6 s more than many substeps lose; one loses 0.47 more, two 0.19.
const STIFF_SHEET: f32 = 0.15;
/// Substeps that stiff sheets get at most.
const MOST_SUBSTEPS: u32 = 5;

/// Sums over the triangles and vertices of a sheet.
#[derive(Clone, Copy, Default)]
struct SheetSums {
    /// Of stiffness by vertex, and of moduli [N/m].
    stiffness: f32,
    modulus: f32,
    triangles: f32,
    /// [kg].
    mass: f32,
}

impl SheetSums {
    /// Substeps of a step of `dt` seconds.
    fn substeps(&self, dt: f32) -> f32 {
        if self.mass <= 0.0 || self.triangles == 0.0 {
            return 1.0;
        }
        let per_mass = dt * dt / self.mass;
        let (vertices, sheet) = (self.stiffness * per_mass, self.modulus / self.triangles * per_mass);
        (vertices / STIFF_VERTEX).min(sheet / STIFF_SHEET).sqrt().ceil()
    }
}

/// Substeps of a step of `dt` seconds that the sheets among the bodies of descent need. Slack sheets buckle: their
/// stiffness changes within a step, which iterations of one substep follow slowly.
pub(crate) fn sheet_substeps(
    constraints: &BTreeMap<ConstraintKind, Raw>,
    body: &[u32],
    elastic: &[bool],
    inv_masses: &[f32],
    dt: f32,
) -> u32 {
    let mut sums = vec![SheetSums::default(); body.len()];
    let kinds = [ConstraintKind::Membrane, ConstraintKind::FemTriangle];
    for (kind, raw) in kinds.iter().filter_map(|kind| constraints.get_key_value(kind)) {
        let layout = kind.layout();
        for (rows, p) in raw.rows.chunks_exact(layout.rows).zip(raw.params.chunks_exact(layout.params)) {
            let normal = p[4] / (p[4] * p[4] - p[5] * p[5]);
            let shape = [[p[0] + p[2], p[1] + p[3]], [p[0], p[1]], [p[2], p[3]]];
            let own = &mut sums[body[rows[0] as usize] as usize];
            own.stiffness += shape.iter().map(|n| normal * (n[0] * n[0] + n[1] * n[1])).sum::<f32>();
            // The stiffness is that of the strain, the modulus times the area; edges are the inverse of the shape gradients.
            own.modulus += 2.0 * normal * (p[0] * p[3] - p[1] * p[2]).abs();
            own.triangles += 1.0;
        }
    }
    for (row, inv_mass) in inv_masses.iter().enumerate().filter(|(row, inv_mass)| elastic[*row] && **inv_mass > 0.0) {
        sums[body[row] as usize].mass += 1.0 / inv_mass;
    }
    let most = sums.iter().map(|sum| sum.substeps(dt)).fold(1.0, f32::max);
    (most as u32).clamp(1, MOST_SUBSTEPS)
}

fn has_stiffness(kind: ConstraintKind, params: &[f32]) -> bool {
    let softness = |place: usize| params[place] > 0.0;
    match kind {
        ConstraintKind::BendTwist => softness(6) && softness(7),
        _ => kind.layout().softness.is_none_or(softness),
    }
}

/// The bodies of all constraints in [`ELASTIC`] batches. `rest` has the rest positions of all rows [m], `free` whether a
/// row can move.
pub(crate) fn bodies(groups: &[Group], rest: &[Vec3], free: &[bool], runs: &[Range<usize>]) -> Vec<ElasticBody> {
    let mut by_root: BTreeMap<u32, Vec<Element>> = BTreeMap::new();
    let mut components = UnionFind::new(rest.len());
    let mut all = Vec::new();
    for (g, group) in groups.iter().enumerate() {
        for (block, lane) in group.batches.iter().filter(|b| b.patch == ELASTIC).flat_map(|b| b.slots()) {
            let mut rows = [0; 4];
            rows.iter_mut().zip(group.rows_of(block, lane)).for_each(|(own, r)| *own = r);
            let count = group.layout().rows;
            all.push(Element { kind: group.kind, group: g as u16, slot: (block * BLOCK + lane) as u32, rows });
            for k in 1..count {
                components.join(rows[0], rows[k]);
            }
        }
    }
    for element in all {
        by_root.entry(components.root(element.rows[0])).or_default().push(element);
    }
    by_root.into_values().map(|elements| body(elements, rest, free, runs)).collect()
}

fn body(mut elements: Vec<Element>, rest: &[Vec3], free: &[bool], runs: &[Range<usize>]) -> ElasticBody {
    let count = |e: &Element| e.kind.layout().rows;
    let mut rows: Vec<u32> = elements.iter().flat_map(|e| e.rows[..count(e)].to_vec()).collect();
    rows.sort_unstable();
    rows.dedup();
    let local = |r: u32| rows.partition_point(|&own| own < r) as u32;
    for e in &mut elements {
        let n = count(e);
        e.rows[..n].iter_mut().for_each(|r| *r = local(*r));
        e.rows[n..].fill(0);
    }
    let adjacency = Adjacency::new(rows.len(), elements.iter().map(|e| &e.rows[..count(e)]));
    let colors = greedy_colors(&adjacency);
    // Vertices by color, so that those that move together lie side by side, and those with as many elements together: lanes
    // then have equal work.
    let mut valence = vec![0_u32; rows.len()];
    elements.iter().for_each(|e| e.rows[..count(e)].iter().for_each(|&r| valence[r as usize] += 1));
    let mut order: Vec<u32> = (0..rows.len() as u32).collect();
    order.sort_by_key(|&v| (colors[v as usize], valence[v as usize]));
    let mut number = vec![0; rows.len()];
    order.iter().enumerate().for_each(|(new, &old)| number[old as usize] = new as u32);
    for e in &mut elements {
        let n = count(e);
        e.rows[..n].iter_mut().for_each(|r| *r = number[*r as usize]);
    }
    let mut ranges = Vec::new();
    let mut at = 0;
    for run in order.chunk_by(|&a, &b| colors[a as usize] == colors[b as usize]) {
        ranges.push(at..at + run.len());
        at += run.len();
    }
    let vertices: Vec<u32> = order.iter().map(|&v| rows[v as usize]).collect();
    let mut offsets = vec![0_u32; vertices.len() + 1];
    elements.iter().for_each(|e| e.rows[..count(e)].iter().for_each(|&r| offsets[r as usize + 1] += 1));
    for v in 0..vertices.len() {
        offsets[v + 1] += offsets[v];
    }
    let mut next = offsets.clone();
    let mut entries = vec![[0; 2]; offsets[vertices.len()] as usize];
    for (number, e) in elements.iter().enumerate() {
        for (place, &r) in e.rows[..count(e)].iter().enumerate() {
            entries[next[r as usize] as usize] = [number as u32, place as u32];
            next[r as usize] += 1;
        }
    }
    let adjacency = Adjacency::new(vertices.len(), elements.iter().map(|e| &e.rows[..count(e)]));
    let rest: Vec<Vec3> = vertices.iter().map(|&r| rest[r as usize]).collect();
    let any = |holds: fn(ConstraintKind) -> bool| elements.iter().any(|e| holds(e.kind));
    let kinds = Kinds {
        turns: any(|kind| kind.layout().turns),
        bends: any(|kind| matches!(kind, ConstraintKind::Bend | ConstraintKind::Isometric)),
    };
    let movable: Vec<bool> = vertices.iter().map(|&r| free[r as usize]).collect();
    let coarse = CoarseSpace::new(&adjacency, &rest, &movable, kinds);
    let held = |run: &Range<usize>| rows.binary_search(&(run.start as u32)).is_ok();
    let runs = runs.iter().enumerate().filter(|(_, run)| held(run)).map(|(number, _)| number).collect();
    ElasticBody { vertices, colors: ranges, elements, offsets, entries, rest, coarse, runs }
}
