//! Elements of a body as its vertices see them: each vertex has a contiguous list, with itself left out.
//!
//! A vertex needs of a tetrahedron only its volume and products of shape gradients, of a spring only its other end; both
//! are precomputed, so that a sweep reads each list once from front to back.

use crate::constraints::ConstraintKind;
use crate::constraints::group::Group;
use crate::math::{RowData, position};
use crate::memory::of;
use crate::methods::vbd::element::{self, TetConstants, at_row, outer, params, stiffness, tet_shape, triangle_shape};
use crate::methods::vbd::plan::Body;
use crate::methods::vbd::sheet::{SheetStiffness, Stretched};
use glam::{Mat3, Vec3};

/// A spring to another vertex.
#[derive(Clone, Copy, Debug)]
struct Spring {
    other: u32,
    /// Rest length [m].
    rest: f32,
    /// Stiffness [N/m].
    k: f32,
}

/// A stencil s = Σ wᵢxᵢ with Σ wᵢ = 0 and the energy ½k(|s| − rest)²: bending of ropes and of isometric hinges.
#[derive(Clone, Copy, Debug)]
struct Stencil {
    others: [u32; 3],
    /// Weights of the others; minus their sum is the vertex's own.
    weights: [f32; 3],
    rest: f32,
    k: f32,
}

/// A neo-Hookean tetrahedron, seen from one of its corners.
#[derive(Clone, Copy, Debug)]
struct Tet {
    others: [u32; 3],
    /// Products of the other shape gradients with the vertex's own [1/m²].
    weights: [f32; 3],
    /// Products of the other shape gradients: second and third, third and first, first and second [1/m²].
    across: [f32; 3],
    /// 1 / (e₁·(e₂ × e₃)) at rest [1/m³].
    density: f32,
    constants: TetConstants,
}

/// A membrane triangle, seen from one of its corners.
#[derive(Clone, Copy, Debug)]
struct Sheet {
    others: [u32; 2],
    /// Shape gradients of the others; minus their sum is the vertex's own [1/m].
    shape: [[f32; 2]; 2],
    stiffness: SheetStiffness,
}

/// Any other element.
#[derive(Clone, Copy, Debug)]
struct Other {
    kind: ConstraintKind,
    place: u32,
    rows: [u32; 4],
    params: [f32; 12],
}

/// Lists of one type, by vertex.
#[derive(Clone, Debug)]
struct Lists<T> {
    offsets: Vec<u32>,
    all: Vec<T>,
}

impl<T> Lists<T> {
    fn with_capacity(vertices: usize) -> Self {
        let mut offsets = Vec::with_capacity(vertices + 1);
        offsets.push(0);
        Self { offsets, all: Vec::new() }
    }

    fn close(&mut self) {
        self.offsets.push(self.all.len() as u32);
    }

    #[inline(always)]
    fn of(&self, v: usize) -> &[T] {
        &self.all[self.offsets[v] as usize..self.offsets[v + 1] as usize]
    }

    fn bytes(&self) -> u64 {
        of(&self.offsets) + of(&self.all)
    }
}

/// Elements by vertex.
#[derive(Clone, Debug)]
pub(super) struct Packed {
    springs: Lists<Spring>,
    stencils: Lists<Stencil>,
    tets: Lists<Tet>,
    sheets: Lists<Sheet>,
    others: Lists<Other>,
}

impl Packed {
    /// From the parameters as they are now.
    pub(super) fn new(body: &Body, groups: &[Group]) -> Self {
        let n = body.vertices.len();
        let mut it = Self {
            springs: Lists::with_capacity(n),
            stencils: Lists::with_capacity(n),
            tets: Lists::with_capacity(n),
            sheets: Lists::with_capacity(n),
            others: Lists::with_capacity(n),
        };
        for v in 0..n {
            for &[e, place] in &body.entries[body.offsets[v] as usize..body.offsets[v + 1] as usize] {
                let element = &body.elements[e as usize];
                let (rows, p) = (element.rows, params(element, groups));
                let others = |place: u32| {
                    let mut others = (0..4).filter(|&k| k != place as usize);
                    std::array::from_fn::<usize, 3, _>(|_| others.next().unwrap_or(0))
                };
                let places = others(place);
                match element.kind {
                    ConstraintKind::Stretch => {
                        let other = rows[1 - place as usize];
                        it.springs.all.push(Spring { other, rest: p[0], k: stiffness(p[1]) });
                    }
                    ConstraintKind::RopeBending | ConstraintKind::Isometric => {
                        let rope = element.kind == ConstraintKind::RopeBending;
                        let weights = if rope { [1.0, -2.0, 1.0, 0.0] } else { [p[0], p[1], p[2], p[3]] };
                        let (rest, softness) = if rope { (p[0], p[1]) } else { (p[4], p[5]) };
                        // A row that is not there has no weight; any number will do for it.
                        let others = places.map(|k| if rope && k == 3 { rows[0] } else { rows[k] });
                        let weights = places.map(|k| weights[k]);
                        it.stencils.all.push(Stencil { others, weights, rest, k: stiffness(softness) });
                    }
                    ConstraintKind::NeoHookeanTet => {
                        let shape = tet_shape(&p);
                        let own = shape[place as usize];
                        let sign = if place % 2 == 0 { 1.0 } else { -1.0 };
                        it.tets.all.push(Tet {
                            others: places.map(|k| rows[k]),
                            weights: places.map(|k| shape[k].dot(own)),
                            across: [1, 2, 0].map(|k| shape[places[k]].dot(shape[places[(k + 1) % 3]])),
                            density: sign * shape[1].cross(shape[2]).dot(shape[3]),
                            constants: TetConstants::new(&p),
                        });
                    }
                    ConstraintKind::Membrane => {
                        let shape = triangle_shape(&p);
                        it.sheets.all.push(Sheet {
                            others: [rows[places[0]], rows[places[1]]],
                            shape: [shape[places[0]], shape[places[1]]],
                            stiffness: SheetStiffness::new(&p),
                        });
                    }
                    kind => it.others.all.push(Other { kind, place, rows, params: p }),
                }
            }
            it.springs.close();
            it.stencils.close();
            it.tets.close();
            it.sheets.close();
            it.others.close();
        }
        it
    }

    pub(super) fn bytes(&self) -> u64 {
        self.springs.bytes() + self.stencils.bytes() + self.tets.bytes() + self.sheets.bytes() + self.others.bytes()
    }

    /// Elastic force on a vertex.
    #[inline]
    pub(super) fn force(&self, x: &[RowData], v: usize) -> Vec3 {
        let at = position(x[v]);
        let mut force = Vec3::ZERO;
        for s in self.springs.of(v) {
            let d = at - position(x[s.other as usize]);
            let length = d.length().max(1e-12);
            force -= d * (s.k * (length - s.rest) / length);
        }
        for s in self.stencils.of(v) {
            let way = s.way(x, at);
            let length = way.length().max(1e-12);
            force -= way * (s.own() * s.k * (length - s.rest) / length);
        }
        for t in self.tets.of(v) {
            force -= t.local(x, at).gradient;
        }
        for s in self.sheets.of(v) {
            force -= Stretched::new(s.gradient(x, at), &s.stiffness).gradient(s.own());
        }
        for o in self.others.of(v) {
            force += at_row(o.kind, &o.params, &o.rows.map(|r| x[r as usize]), o.place as usize).0;
        }
        force
    }

    /// Elastic force on a vertex, and its Hessian.
    #[inline]
    pub(super) fn local(&self, x: &[RowData], v: usize) -> (Vec3, Mat3) {
        let at = position(x[v]);
        let (mut force, mut hessian, mut even) = (Vec3::ZERO, Mat3::ZERO, 0.0);
        for s in self.springs.of(v) {
            let d = at - position(x[s.other as usize]);
            let length = d.length().max(1e-12);
            let along = d * (1.0 / length);
            let lateral = s.k * (1.0 - s.rest / length).max(0.0);
            force -= along * (s.k * (length - s.rest));
            hessian += outer(along * (s.k - lateral), along);
            even += lateral;
        }
        for s in self.stencils.of(v) {
            let (way, own) = (s.way(x, at), s.own());
            let length = way.length().max(1e-12);
            let along = way * (own / length);
            let lateral = if s.rest > 0.0 { s.k * (1.0 - s.rest / length).max(0.0) } else { s.k };
            force -= along * (s.k * (length - s.rest));
            hessian += outer(along * (s.k - lateral), along);
            even += lateral * own * own;
        }
        for t in self.tets.of(v) {
            let tet = t.local(x, at);
            force -= tet.gradient;
            hessian +=
                outer(tet.volume * t.constants.lambda, tet.volume) + outer(tet.shape * tet.stiffening, tet.shape);
            even -= (t.weights[0] + t.weights[1] + t.weights[2]) * tet.shear;
        }
        for s in self.sheets.of(v) {
            let (it, n) = (Stretched::new(s.gradient(x, at), &s.stiffness), s.own());
            force -= it.gradient(n);
            hessian += it.block(n, &s.stiffness);
            let [s00, s11, s01] = it.tension();
            even += n[0] * n[0] * s00 + n[1] * n[1] * s11 + 2.0 * n[0] * n[1] * s01;
        }
        for o in self.others.of(v) {
            let (f, h) = at_row(o.kind, &o.params, &o.rows.map(|r| x[r as usize]), o.place as usize);
            force += f;
            hessian += h;
        }
        (force, hessian + Mat3::from_diagonal(Vec3::splat(even)))
    }

    /// The vertex's share of the elastic energy [J].
    #[inline]
    pub(super) fn energy(&self, x: &[RowData], v: usize) -> f64 {
        let at = position(x[v]);
        let mut sum = 0.0;
        for s in self.springs.of(v) {
            let c = (at - position(x[s.other as usize])).length() - s.rest;
            sum += 0.25 * f64::from(s.k * c * c);
        }
        for s in self.stencils.of(v) {
            let c = s.way(x, at).length() - s.rest;
            let rows = 1 + s.weights.iter().filter(|w| **w != 0.0).count();
            sum += 0.5 * f64::from(s.k * c * c) / rows as f64;
        }
        for t in self.tets.of(v) {
            sum += 0.25 * f64::from(t.energy(x, at));
        }
        for s in self.sheets.of(v) {
            sum += f64::from(Stretched::new(s.gradient(x, at), &s.stiffness).energy()) / 3.0;
        }
        for o in self.others.of(v) {
            let rows = o.kind.layout().rows as f64;
            sum += f64::from(element::energy(o.kind, &o.params, &o.rows.map(|r| x[r as usize]))) / rows;
        }
        sum
    }
}

impl Stencil {
    #[inline(always)]
    fn own(&self) -> f32 {
        -(self.weights[0] + self.weights[1] + self.weights[2])
    }

    /// s, relative to the vertex: far from the origin the sum would lose the small curvature.
    #[inline(always)]
    fn way(&self, x: &[RowData], at: Vec3) -> Vec3 {
        let part = |k: usize| (position(x[self.others[k] as usize]) - at) * self.weights[k];
        part(0) + part(1) + part(2)
    }
}

impl Sheet {
    #[inline(always)]
    fn own(&self) -> [f32; 2] {
        [-(self.shape[0][0] + self.shape[1][0]), -(self.shape[0][1] + self.shape[1][1])]
    }

    /// Columns of the deformation gradient.
    #[inline(always)]
    fn gradient(&self, x: &[RowData], at: Vec3) -> [Vec3; 2] {
        let e = [position(x[self.others[0] as usize]) - at, position(x[self.others[1] as usize]) - at];
        [e[0] * self.shape[0][0] + e[1] * self.shape[1][0], e[0] * self.shape[0][1] + e[1] * self.shape[1][1]]
    }
}

impl Tet {
    #[inline(always)]
    fn edges(&self, x: &[RowData], at: Vec3) -> [Vec3; 3] {
        let [a, b, c] = self.others;
        [position(x[a as usize]) - at, position(x[b as usize]) - at, position(x[c as usize]) - at]
    }

    /// I = |F|², from the edges of the tetrahedron.
    #[inline(always)]
    fn invariant(&self, e: &[Vec3; 3]) -> f32 {
        let own = (0..3).fold(0.0, |sum, k| sum - self.weights[k] * e[k].length_squared());
        let across = [e[1] - e[2], e[2] - e[0], e[0] - e[1]];
        (0..3).fold(own, |sum, k| sum - self.across[k] * across[k].length_squared())
    }

    #[inline(always)]
    fn local(&self, x: &[RowData], at: Vec3) -> TetLocal {
        let e = self.edges(x, at);
        let (a, b, c) = (e[1].cross(e[2]), e[2].cross(e[0]), e[0].cross(e[1]));
        let j = e[0].dot(a) * self.density;
        let volume = (a + b + c) * -self.density;
        let shape = e[0] * self.weights[0] + e[1] * self.weights[1] + e[2] * self.weights[2];
        let [shear, stiffening] = self.constants.shear(self.invariant(&e));
        let pressure = self.constants.lambda * (j - self.constants.alpha);
        TetLocal { gradient: shape * shear + volume * pressure, volume, shape, shear, stiffening }
    }

    /// Above that of the rest shape; differences of squares in factors, or single precision would lose them.
    #[inline(always)]
    fn energy(&self, x: &[RowData], at: Vec3) -> f32 {
        let e = self.edges(x, at);
        let (j, i) = (e[0].dot(e[1].cross(e[2])) * self.density, self.invariant(&e));
        let TetConstants { mu, lambda, alpha } = self.constants;
        let hydrostatic = (j - 1.0) * (j + 1.0 - 2.0 * alpha) * lambda;
        0.5 * (hydrostatic + (i - 3.0) * (4.0 * i + 3.0) / (4.0 * (1.0 + i)) * mu)
    }
}

/// A tetrahedron near the current position of one of its corners.
struct TetLocal {
    /// Of the energy [N].
    gradient: Vec3,
    /// Of the relative volume J.
    volume: Vec3,
    /// Half that of I.
    shape: Vec3,
    shear: f32,
    stiffening: f32,
}
