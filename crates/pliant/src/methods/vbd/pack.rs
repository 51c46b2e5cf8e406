//! Elements of a body as its vertices see them, eight vertices at a time.
//!
//! Vertices of one color that stand next to each other form a block. For each kind of element a block has rounds: one
//! element of each of its vertices, the vertex itself left out. A vertex with fewer elements than others has elements
//! without stiffness in the last rounds. A vertex needs of a tetrahedron only its volume and products of shape gradients,
//! of a spring only its other end; both are precomputed, so that a sweep reads each list once from front to back.

use crate::constraints::ConstraintKind;
use crate::constraints::group::Group;
use crate::math::BLOCK;
use crate::memory::of;
use crate::methods::vbd::element::{Element, TetConstants, params, stiffness, tet_shape, triangle_shape};
use crate::methods::vbd::plan::ElasticBody;
use crate::methods::vbd::sheet::SheetStiffness;
use std::ops::Range;

/// A number for each vertex of a block.
pub(super) type Numbers = [f32; BLOCK];
/// A vertex for each vertex of a block.
pub(super) type Indices = [u32; BLOCK];

/// One element of each vertex of a block. `I` vertices beside the own one, `P` numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round<const I: usize, const P: usize> {
    pub(super) others: [Indices; I],
    pub(super) numbers: [Numbers; P],
}

/// Springs, and attachments, whose rest length is 0: other end; rest length [m], stiffness [N/m].
pub(super) type Spring = Round<1, 2>;
/// Stencils s = Σ wᵢxᵢ with Σ wᵢ = 0 and the energy ½k(|s| − rest)², bending of ropes and of isometric hinges: the others;
/// their weights (minus their sum is the vertex's own), rest, k, and the share of the energy.
pub(super) type Stencil = Round<3, 6>;
/// Neo-Hookean tetrahedra: the others; products of their shape gradients with the vertex's own [1/m²]; products of second
/// and third, third and first, first and second; 1/(e₁·(e₂ × e₃)) at rest [1/m³]; μ, λ, α.
pub(super) type Tet = Round<3, 10>;
/// Membrane triangles, those of a vertex around it one after the other: the others; their shape gradients (minus their sum is the vertex's own) [1/m]; stiffness: normal,
/// cross, shear.
pub(super) type Sheet = Round<2, 7>;
/// Dihedral angles as an opposite corner sees them: the other opposite corner, then the edge, in the order that makes the
/// vertex the first corner of the constraint; rest angle [rad], stiffness [J]. Or as an end of the edge does: the opposite
/// corners and the other end, in the order that makes the vertex the third corner.
pub(super) type Hinge = Round<3, 2>;

/// Any other element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Other {
    pub(super) kind: ConstraintKind,
    pub(super) place: u32,
    pub(super) rows: [u32; 4],
    pub(super) params: [f32; 12],
}

/// Up to eight vertices of one color, and where their rounds are.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Vertices; the last is repeated.
    pub(super) vertices: Indices,
    pub(super) count: usize,
    pub(super) springs: Range<usize>,
    pub(super) stencils: Range<usize>,
    pub(super) tets: Range<usize>,
    pub(super) sheets: Range<usize>,
    /// Dihedral angles that the vertices are opposite to.
    pub(super) wings: Range<usize>,
    /// Dihedral angles with an edge at the vertices.
    pub(super) edges: Range<usize>,
    /// Other elements, each with the lane of its vertex.
    pub(super) others: Range<usize>,
}

/// Elements by block.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    pub(super) blocks: Vec<Block>,
    /// Blocks of each color.
    pub(super) colors: Vec<Range<usize>>,
    /// Block and lane of each vertex.
    pub(super) slots: Vec<[u32; 2]>,
    pub(super) springs: Vec<Spring>,
    pub(super) stencils: Vec<Stencil>,
    pub(super) tets: Vec<Tet>,
    pub(super) sheets: Vec<Sheet>,
    /// Whether the first of the others is the second of the round before, for all vertices of the block.
    pub(super) chained: Vec<bool>,
    pub(super) wings: Vec<Hinge>,
    pub(super) edges: Vec<Hinge>,
    pub(super) others: Vec<(usize, Other)>,
}

/// One element of a vertex, as it is packed.
enum Entry {
    Spring([u32; 1], [f32; 2]),
    Stencil([u32; 3], [f32; 6]),
    Tet([u32; 3], [f32; 10]),
    Sheet([u32; 2], [f32; 7]),
    Wing([u32; 3], [f32; 2]),
    Edge([u32; 3], [f32; 2]),
    Other(Other),
}

impl Packed {
    /// From the parameters as they are now.
    pub(super) fn new(body: &ElasticBody, groups: &[Group]) -> Self {
        let mut it = Self { slots: vec![[0; 2]; body.vertices.len()], ..Self::default() };
        for color in &body.colors {
            let first = it.blocks.len();
            for start in color.clone().step_by(BLOCK) {
                it.put_block(body, groups, start..color.end.min(start + BLOCK));
            }
            it.colors.push(first..it.blocks.len());
        }
        it
    }

    fn put_block(&mut self, body: &ElasticBody, groups: &[Group], vertices: Range<usize>) {
        let last = vertices.end - 1;
        let own: Indices = std::array::from_fn(|lane| (vertices.start + lane).min(last) as u32);
        let mut rounds = Rounds::default();
        let first_other = self.others.len();
        for (lane, v) in vertices.clone().enumerate() {
            self.slots[v] = [self.blocks.len() as u32, lane as u32];
            rounds.begin();
            let mut fan = Vec::new();
            for &[e, place] in &body.entries[body.offsets[v] as usize..body.offsets[v + 1] as usize] {
                let element = &body.elements[e as usize];
                match entry(element, place, &params(element, groups)) {
                    Entry::Spring(others, numbers) => rounds.springs.put(lane, &own, others, numbers),
                    Entry::Stencil(others, numbers) => rounds.stencils.put(lane, &own, others, numbers),
                    Entry::Tet(others, numbers) => rounds.tets.put(lane, &own, others, numbers),
                    Entry::Sheet(others, numbers) => fan.push((others, numbers)),
                    Entry::Wing(others, numbers) => rounds.wings.put(lane, &own, others, numbers),
                    Entry::Edge(others, numbers) => rounds.edges.put(lane, &own, others, numbers),
                    Entry::Other(other) => self.others.push((lane, other)),
                }
            }
            for (others, numbers) in around(fan) {
                rounds.sheets.put(lane, &own, others, numbers);
            }
        }
        let sheets = &mut rounds.sheets.all;
        for k in 1..sheets.len() {
            let last = sheets[k - 1].others[1];
            let round = &mut sheets[k];
            for lane in 0..BLOCK {
                // Those without stiffness go on from anywhere.
                if round.numbers.iter().all(|numbers| numbers[lane] == 0.0) {
                    round.others[0][lane] = last[lane];
                }
            }
        }
        let chained = |k: usize| k > 0 && sheets[k].others[0] == sheets[k - 1].others[1];
        self.chained.extend((0..sheets.len()).map(chained));
        self.blocks.push(Block {
            vertices: own,
            count: vertices.len(),
            springs: append(&mut self.springs, rounds.springs.all),
            stencils: append(&mut self.stencils, rounds.stencils.all),
            tets: append(&mut self.tets, rounds.tets.all),
            sheets: append(&mut self.sheets, rounds.sheets.all),
            wings: append(&mut self.wings, rounds.wings.all),
            edges: append(&mut self.edges, rounds.edges.all),
            others: first_other..self.others.len(),
        });
    }

    pub(super) fn bytes(&self) -> u64 {
        let rounds = of(&self.springs) + of(&self.stencils) + of(&self.tets) + of(&self.sheets) + of(&self.chained);
        let rounds = rounds + of(&self.wings) + of(&self.edges);
        of(&self.blocks) + of(&self.slots) + rounds + of(&self.others)
    }
}

fn append<T>(all: &mut Vec<T>, more: Vec<T>) -> Range<usize> {
    let first = all.len();
    all.extend(more);
    first..all.len()
}

/// Rounds of a block while its vertices are added.
#[derive(Default)]
struct Rounds {
    springs: Column<1, 2>,
    stencils: Column<3, 6>,
    tets: Column<3, 10>,
    sheets: Column<2, 7>,
    wings: Column<3, 2>,
    edges: Column<3, 2>,
}

impl Rounds {
    /// The next vertex starts at the first round.
    fn begin(&mut self) {
        (self.springs.next, self.stencils.next, self.tets.next) = (0, 0, 0);
        (self.sheets.next, self.wings.next, self.edges.next) = (0, 0, 0);
    }
}

struct Column<const I: usize, const P: usize> {
    all: Vec<Round<I, P>>,
    next: usize,
}

impl<const I: usize, const P: usize> Default for Column<I, P> {
    fn default() -> Self {
        Self { all: Vec::new(), next: 0 }
    }
}

impl<const I: usize, const P: usize> Column<I, P> {
    fn put(&mut self, lane: usize, own: &Indices, others: [u32; I], numbers: [f32; P]) {
        if self.next == self.all.len() {
            // Without stiffness, and with indices that are in range.
            self.all.push(Round { others: [*own; I], numbers: [[0.0; BLOCK]; P] });
        }
        let round = &mut self.all[self.next];
        round.others.iter_mut().zip(others).for_each(|(to, other)| to[lane] = other);
        round.numbers.iter_mut().zip(numbers).for_each(|(to, number)| to[lane] = number);
        self.next += 1;
    }
}

/// The two others of a membrane triangle, and its numbers.
type Triangle = ([u32; 2], [f32; 7]);

/// The triangles of a vertex in such an order that each goes on where the last ended, as far as they do.
fn around(mut all: Vec<Triangle>) -> Vec<Triangle> {
    let turned = |([a, b], [n0, n1, n2, n3, k0, k1, k2]): Triangle| ([b, a], [n2, n3, n0, n1, k0, k1, k2]);
    let mut order: Vec<Triangle> = Vec::new();
    while !all.is_empty() {
        let end = order.last().map(|t| t.0[1]);
        let next = all.iter().position(|(others, _)| end.is_some_and(|end| others.contains(&end)));
        let at = next.unwrap_or_else(|| {
            // From an end of an open fan.
            let once = |v: u32| all.iter().filter(|(others, _)| others.contains(&v)).count() == 1;
            all.iter().position(|(others, _)| once(others[0]) || once(others[1])).unwrap_or(0)
        });
        let once = |v: u32| all.iter().filter(|(others, _)| others.contains(&v)).count() == 1;
        let backward = match (next, end) {
            (Some(at), Some(end)) => all[at].0[0] != end,
            _ => !once(all[at].0[0]) && once(all[at].0[1]),
        };
        let found = all.remove(at);
        order.push(if backward { turned(found) } else { found });
    }
    order
}

/// An element as one of its vertices sees it.
fn entry(element: &Element, place: u32, p: &[f32; 12]) -> Entry {
    let rows = element.rows;
    let own = place as usize;
    let mut others = (0..4).filter(|&k| k != own);
    let places: [usize; 3] = std::array::from_fn(|_| others.next().unwrap_or(0));
    match element.kind {
        ConstraintKind::Stretch => Entry::Spring([rows[1 - own]], [p[0], stiffness(p[1])]),
        ConstraintKind::Attach => Entry::Spring([rows[1 - own]], [0.0, stiffness(p[0])]),
        ConstraintKind::RopeBending | ConstraintKind::Isometric => {
            let rope = element.kind == ConstraintKind::RopeBending;
            let weights = if rope { [1.0, -2.0, 1.0, 0.0] } else { [p[0], p[1], p[2], p[3]] };
            let (rest, softness) = if rope { (p[0], p[1]) } else { (p[4], p[5]) };
            // A row that is not there has no weight; any number will do for it.
            let others = places.map(|k| if rope && k == 3 { rows[0] } else { rows[k] });
            let [a, b, c] = places.map(|k| weights[k]);
            let share = 1.0 / element.kind.layout().rows as f32;
            Entry::Stencil(others, [a, b, c, rest, stiffness(softness), share])
        }
        ConstraintKind::NeoHookeanTet => {
            let shape = tet_shape(p);
            let sign = if own.is_multiple_of(2) { 1.0 } else { -1.0 };
            let [a, b, c] = places.map(|k| shape[k].dot(shape[own]));
            let [d, e, f] = [1, 2, 0].map(|k| shape[places[k]].dot(shape[places[(k + 1) % 3]]));
            let density = sign * shape[1].cross(shape[2]).dot(shape[3]);
            let TetConstants { mu, lambda, alpha } = TetConstants::new(p);
            Entry::Tet(places.map(|k| rows[k]), [a, b, c, d, e, f, density, mu, lambda, alpha])
        }
        ConstraintKind::Membrane => {
            let (shape, k) = (triangle_shape(p), SheetStiffness::new(p));
            let ([a, b], [c, d]) = (shape[places[0]], shape[places[1]]);
            Entry::Sheet([rows[places[0]], rows[places[1]]], [a, b, c, d, k.normal, k.cross, k.shear])
        }
        ConstraintKind::Bend => {
            let numbers = [p[0], stiffness(p[1])];
            // Seen from behind, the corners change places, and so do the ends of the edge; the angle stays.
            match own {
                0 => Entry::Wing([rows[1], rows[2], rows[3]], numbers),
                1 => Entry::Wing([rows[0], rows[3], rows[2]], numbers),
                2 => Entry::Edge([rows[0], rows[1], rows[3]], numbers),
                _ => Entry::Edge([rows[1], rows[0], rows[2]], numbers),
            }
        }
        kind => Entry::Other(Other { kind, place, rows, params: *p }),
    }
}
