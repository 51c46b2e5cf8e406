//! Double-precision lanes, a small random generator, and random configurations of every kind.

use glam::{DMat3, DQuat, DVec3};
use pliant::constraints::{Constraint, ConstraintKind, Row, Scales, Visitor};
use pliant::math::{Lane, V3};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A lane in double precision.
#[derive(Clone, Copy, Debug)]
pub struct Double(pub f64);

impl Add for Double {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self(self.0 + o.0)
    }
}
impl Sub for Double {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self(self.0 - o.0)
    }
}
impl Mul for Double {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self(self.0 * o.0)
    }
}
impl Div for Double {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        Self(self.0 / o.0)
    }
}
impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}
impl Lane for Double {
    fn splat(value: f32) -> Self {
        Self(f64::from(value))
    }
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
    fn pick_gt(a: Self, b: Self, yes: Self, no: Self) -> Self {
        if a.0 > b.0 { yes } else { no }
    }
}

/// A scalar lane that converts to and from `f64`.
pub trait Number: Lane {
    fn of(value: f64) -> Self;
    fn get(self) -> f64;
}
impl Number for Double {
    fn of(value: f64) -> Self {
        Self(value)
    }
    fn get(self) -> f64 {
        self.0
    }
}
impl Number for f32 {
    fn of(value: f64) -> Self {
        value as f32
    }
    fn get(self) -> f64 {
        f64::from(self)
    }
}

/// splitmix64: the same numbers on every machine.
pub struct Rng(pub u64);

impl Rng {
    /// Uniform in [low, high).
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        low + (high - low) * ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
    /// Uniform in a cube of half side `half`.
    pub fn cube(&mut self, half: f64) -> DVec3 {
        DVec3::new(self.range(-half, half), self.range(-half, half), self.range(-half, half))
    }
    /// A random rotation (not uniform, but with every direction).
    pub fn turn(&mut self) -> DQuat {
        let v = self.cube(1.0);
        DQuat::from_xyzw(v.x, v.y, v.z, self.range(0.2, 1.0)).normalize()
    }
}

/// One constraint: parameters and rows, all in `f64`.
#[derive(Clone, Debug)]
pub struct Sample {
    pub kind: ConstraintKind,
    pub params: Vec<f64>,
    pub rows: Vec<[f64; 4]>,
}

/// What a projection returned.
pub struct Outcome {
    pub rows: Vec<[f64; 4]>,
    pub lambda: Vec<f64>,
}

/// α̃/α and memory of a test: α̃ = α, XPBD.
pub const XPBD: (f64, f64) = (1.0, 1.0);

impl Sample {
    /// Which rows are orientations.
    pub fn turns(&self) -> &'static [usize] {
        match self.kind {
            ConstraintKind::StretchShear => &[2],
            ConstraintKind::BendTwist => &[0, 1],
            _ => &[],
        }
    }

    /// Which parameter is the weight of orientation `row`.
    fn spin_slot(&self, row: usize) -> usize {
        if self.kind == ConstraintKind::StretchShear { 1 } else { row }
    }

    /// Inverse mass, of a particle or an orientation.
    pub fn weight(&self, row: usize) -> f64 {
        if self.turns().contains(&row) { self.params[self.spin_slot(row)] } else { self.rows[row][3] }
    }

    /// Sets the inverse mass of every row.
    pub fn set_weights(&mut self, mut weight: impl FnMut(usize) -> f64) {
        for k in 0..self.rows.len() {
            let slot = self.spin_slot(k);
            let place = if self.turns().contains(&k) { &mut self.params[slot] } else { &mut self.rows[k][3] };
            *place = weight(k);
        }
    }

    /// Sets the compliance; scales that of a continuum element.
    pub fn set_compliance(&mut self, alpha: f64) {
        match self.kind {
            ConstraintKind::FemTriangle | ConstraintKind::Membrane => {
                self.params[4..].copy_from_slice(&[alpha, -0.3 * alpha, 2.6 * alpha]);
            }
            ConstraintKind::FemTet => self.params[9..].copy_from_slice(&[alpha, -0.3 * alpha, 2.6 * alpha]),
            // μ/λ such that it is at rest undeformed.
            ConstraintKind::NeoHookeanTriangle => self.params[4..6].copy_from_slice(&[alpha, 0.50625 * alpha]),
            ConstraintKind::NeoHookeanTet => self.params[9..11].copy_from_slice(&[alpha, 0.48 * alpha]),
            ConstraintKind::BendTwist => self.params[6..].fill(alpha),
            _ => self.params[self.kind.layout().softness.unwrap()] = alpha,
        }
    }

    pub fn point(&self, row: usize) -> DVec3 {
        DVec3::from_slice(&self.rows[row][..3])
    }

    pub fn no_lambda(&self) -> Vec<f64> {
        vec![0.0; self.kind.layout().multipliers]
    }

    pub fn evaluate<F: Number>(&self) -> Vec<f64> {
        struct Run<'a, F>(&'a Sample, std::marker::PhantomData<F>);
        impl<F: Number> Visitor for Run<'_, F> {
            type Output = Vec<f64>;
            fn visit<K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(self) -> Vec<f64> {
                let (params, rows) = self.0.arrays::<F, N, P>();
                K::evaluate(&params, &rows).map(F::get).to_vec()
            }
        }
        self.kind.visit(Run::<F>(self, std::marker::PhantomData))
    }

    /// Residual and energy.
    pub fn measure<F: Number>(&self) -> [f64; 2] {
        struct Run<'a, F>(&'a Sample, std::marker::PhantomData<F>);
        impl<F: Number> Visitor for Run<'_, F> {
            type Output = [f64; 2];
            fn visit<K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(self) -> [f64; 2] {
                let (params, rows) = self.0.arrays::<F, N, P>();
                [K::residual(&params, &rows).get(), K::energy(&params, &rows).get()]
            }
        }
        self.kind.visit(Run::<F>(self, std::marker::PhantomData))
    }

    pub fn project<F: Number>(&self, (inv_h2, memory): (f64, f64), lambda: &[f64]) -> Outcome {
        struct Run<'a, F>(&'a Sample, Scales<F>, &'a [f64]);
        impl<F: Number> Visitor for Run<'_, F> {
            type Output = Outcome;
            fn visit<K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(self) -> Outcome {
                let (params, rows) = self.0.arrays::<F, N, P>();
                let lambda: [F; M] = std::array::from_fn(|m| F::of(self.2[m]));
                let update = K::project(&self.1, &params, &rows, &lambda);
                Outcome {
                    rows: update.rows.map(|r| [r.v.x.get(), r.v.y.get(), r.v.z.get(), r.w.get()]).to_vec(),
                    lambda: update.lambda.map(F::get).to_vec(),
                }
            }
        }
        self.kind.visit(Run(self, Scales { inv_h2: F::of(inv_h2), memory: F::of(memory) }, lambda))
    }

    /// Moves the rows as a backend does.
    pub fn apply(&mut self, outcome: &Outcome) {
        for k in 0..self.rows.len() {
            let last = if self.turns().contains(&k) { 4 } else { 3 };
            (0..last).for_each(|c| self.rows[k][c] += outcome.rows[k][c]);
        }
    }

    fn arrays<F: Number, const N: usize, const P: usize>(&self) -> ([F; P], [Row<F>; N]) {
        let params = std::array::from_fn(|p| F::of(self.params[p]));
        let rows = std::array::from_fn(|k| {
            let [x, y, z, w] = self.rows[k].map(F::of);
            Row { v: V3::new(x, y, z), w }
        });
        (params, rows)
    }
}

/// Whether C = 0 is possible: the two constraints of a neo-Hookean element press against each other at rest.
pub fn can_be_rigid(kind: ConstraintKind) -> bool {
    !matches!(kind, ConstraintKind::NeoHookeanTriangle | ConstraintKind::NeoHookeanTet)
}

/// A random, rigid configuration of a kind, away from its rest and from degeneracy.
pub fn sample(kind: ConstraintKind, rng: &mut Rng) -> Sample {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let hinge = [DVec3::new(0.5, 1.0, 0.3), DVec3::new(0.5, -1.0, 0.3), DVec3::ZERO, DVec3::X];
    // α of a neo-Hookean element; its shear compliance elsewhere.
    let rest = if can_be_rigid(kind) { 0.0 } else { 1.45 };
    let (shape, params): (Vec<DVec3>, Vec<f64>) = match kind {
        ConstraintKind::Stretch => (corners[..2].to_vec(), vec![rng.range(0.3, 2.5), 0.0]),
        ConstraintKind::Tether => (corners[..2].to_vec(), vec![rng.range(0.1, 0.3), 0.0]),
        ConstraintKind::Attach => (corners[..2].to_vec(), vec![0.0]),
        ConstraintKind::Bend => (hinge.to_vec(), vec![rng.range(-0.5, 0.5), 0.0]),
        ConstraintKind::Isometric => {
            let k = [rng.range(-2.0, -1.0), rng.range(-2.0, -1.0), rng.range(1.0, 2.0)];
            (hinge.to_vec(), vec![k[0], k[1], k[2], -(k[0] + k[1] + k[2]), rng.range(0.0, 0.4), 0.0, 1.0])
        }
        ConstraintKind::Volume => (corners.to_vec(), vec![rng.range(0.1, 0.3), 0.0]),
        ConstraintKind::FemTriangle | ConstraintKind::Membrane | ConstraintKind::NeoHookeanTriangle => {
            let (l, x, y) = (rng.range(0.7, 1.2), rng.range(-0.2, 0.3), rng.range(0.7, 1.2));
            (corners[..3].to_vec(), vec![1.0 / l, -x / (l * y), 0.0, 1.0 / y, 0.0, 0.0, rest])
        }
        ConstraintKind::FemTet | ConstraintKind::NeoHookeanTet => {
            let edges = [DVec3::X, DVec3::Y, DVec3::Z].map(|e| e + rng.cube(0.2));
            let inverse = DMat3::from_cols(edges[0], edges[1], edges[2]).inverse();
            let rows = (0..3).flat_map(|k| inverse.row(k).to_array());
            (corners.to_vec(), rows.chain([0.0, 0.0, rest]).collect())
        }
        ConstraintKind::RopeBending => {
            (vec![DVec3::ZERO, DVec3::X, DVec3::new(1.9, 0.6, 0.0)], vec![rng.range(0.0, 0.3), 0.0, 1.0])
        }
        ConstraintKind::StretchShear => (corners[..2].to_vec(), vec![rng.range(0.7, 1.3), rng.range(0.2, 5.0), 0.0]),
        ConstraintKind::BendTwist => (Vec::new(), vec![0.0; 8]),
    };
    let turn = rng.turn();
    let shift = rng.cube(3.0);
    let mut rows: Vec<[f64; 4]> = Vec::new();
    for p in shape {
        let p = turn * (p + rng.cube(0.2)) + shift;
        rows.push([p.x, p.y, p.z, 1.0]);
    }
    let mut made = Sample { kind, params, rows };
    let orient = DQuat::from_rotation_arc(DVec3::Z, turn * DVec3::X);
    if kind == ConstraintKind::StretchShear {
        made.rows.push((DQuat::from_scaled_axis(rng.cube(0.4)) * orient).to_array());
    }
    if kind == ConstraintKind::BendTwist {
        let step = DQuat::from_scaled_axis(rng.cube(0.5));
        let rest = step * DQuat::from_scaled_axis(rng.cube(0.4));
        made.rows = vec![orient.to_array(), (orient * step).to_array()];
        made.params[2..6].copy_from_slice(&rest.to_array());
    }
    made.set_weights(|_| rng.range(0.2, 5.0));
    made
}
