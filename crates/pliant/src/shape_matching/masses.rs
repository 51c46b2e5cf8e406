//! Rest offsets and masses of bodies, and derived quantities. Runs when bodies are created and when masses change, in
//! double precision.

use crate::math::RowData;
use crate::shape_matching::bodies::{MatchedBody, ShapeMatch};
use crate::shape_matching::moments::LANES;
use crate::shape_matching::rest_moment::{pseudoinverse, pseudoinverse_f64};

/// Ratio of the second moment at rest of the pinned members of a body to that of the others, in its orientation. Larger
/// values would lose the others to rounding where pins leave an axis free.
pub const PIN_DOMINANCE: f64 = 256.0;

impl ShapeMatch {
    /// Updates masses from the rows' inverse masses; call again after they change.
    ///
    /// A particle in n bodies has the mass m/n in each, so that the mean of its goals conserves momentum. A pinned
    /// particle (inverse mass 0) is never moved. If a body has pins, its translation follows from them alone, as if
    /// they were infinitely heavy; one pin is a ball joint. In the orientation they weigh 256 times as much as all
    /// others together, by second moments at rest: two pins are a hinge, three hold the body to within 1/256 of the
    /// others' disagreement. A body of pins only does not move.
    ///
    /// # Panics
    /// Panics if there are fewer rows than the shapes were built with.
    pub fn set_masses(&mut self, rows: &[RowData]) {
        assert!(rows.len() >= self.rows, "{} rows, but shapes use {}", rows.len(), self.rows);
        self.pins.clear();
        self.shares.clear();
        self.shares.resize(self.rows, 0.0);
        for number in 0..self.bodies.len() {
            self.bodies[number].pins = (0, 0);
            self.set_masses_of(number, rows);
        }
    }

    /// The same for one body that has no pins.
    pub(crate) fn set_masses_of(&mut self, number: usize, rows: &[RowData]) {
        let mut members = self.members_of(&self.bodies[number], rows);
        let first_pin = self.pins.len();
        self.pins.extend(members.iter().filter(|m| m.pinned).map(|m| m.row));
        let held = self.pins.len() - first_pin;
        // Translation reference: the mean of the pins, or the center of mass.
        let pivot = center(&members, |m| if held > 0 { f64::from(u8::from(m.pinned)) } else { m.mass });
        let weight = pin_weight(&members, pivot);
        members.iter_mut().filter(|m| m.pinned).for_each(|m| m.mass = weight);
        let mut moment = [[0.0; 3]; 3];
        for m in &members {
            self.blocks[m.block][3][m.lane] = m.mass as f32;
            let d = [0, 1, 2].map(|j| m.offset[j] - pivot[j]);
            (0..9).for_each(|k| moment[k / 3][k % 3] += m.mass * d[k / 3] * d[k % 3]);
        }
        let sum = |of: &dyn Fn(&Member) -> f64| members.iter().map(of).sum::<f64>() as f32;
        let body = &mut self.bodies[number];
        body.pins = (first_pin, held);
        body.mass = sum(&|m| m.mass);
        body.first = [0, 1, 2].map(|j| sum(&|m| m.mass * m.offset[j]));
        body.pivot = pivot.map(|v| v as f32);
        (body.spread, body.flat) = pseudoinverse(moment);
        body.second = moment.map(|column| column.map(|v| v as f32));
        if body.in_run && body.is_rigid() {
            let mass: f64 = members.iter().map(|m| m.mass).sum();
            let (inverse, _) = pseudoinverse_f64(inertia(&moment));
            for m in &members {
                let arm = [0, 1, 2].map(|j| m.offset[j] - pivot[j]);
                let answer = 1.0 / mass + max_rotational_inverse_mass(&inverse, arm);
                self.shares[m.row as usize] = if m.mass > 0.0 { (m.mass * answer).min(1.0) as f32 } else { 0.0 };
            }
        }
    }

    /// For every row the inverse mass of its rigid body at that point, 1/M + (r×n)ᵀI⁻¹(r×n) in the direction n that
    /// maximizes it, over the inverse mass of the particle itself: at most 1. 0 for rows of other bodies, of bodies
    /// that are not runs, or of none.
    pub fn shares(&self) -> &[f32] {
        &self.shares
    }

    /// Sets rest offsets from the rows, relative to the center of mass; pinned particles have the average mass of the
    /// others there.
    pub(crate) fn set_rest(&mut self, rest: &[RowData]) {
        (0..self.bodies.len()).for_each(|number| self.set_rest_of(number, rest));
    }

    /// The same for one body.
    pub(crate) fn set_rest_of(&mut self, number: usize, rest: &[RowData]) {
        let members = self.members_of(&self.bodies[number], rest);
        let free = || members.iter().filter(|m| !m.pinned);
        let average = match free().count() {
            0 => 1.0,
            n => free().map(|m| m.mass).sum::<f64>() / n as f64,
        };
        let places: Vec<Member> = members.iter().map(|m| Member { offset: place(rest, m.row), ..*m }).collect();
        let center = center(&places, |m| if m.pinned { average } else { m.mass });
        for m in &places {
            (0..3).for_each(|j| self.blocks[m.block][j][m.lane] = (m.offset[j] - center[j]) as f32);
        }
        self.poses[number].center = center.map(|c| c as f32);
    }

    fn members_of(&self, body: &MatchedBody, rows: &[RowData]) -> Vec<Member> {
        let member = |k: usize| {
            let (block, lane) = (body.first_block + k / LANES, k % LANES);
            let row = self.members[block][lane];
            let share = match &self.lists {
                Some(lists) if !body.in_run => lists.starts[row as usize + 1] - lists.starts[row as usize],
                _ => 1,
            };
            let inverse = rows[row as usize][3];
            let gone = self.gone.get(row as usize).copied().unwrap_or(false);
            let pinned = inverse <= 0.0 && !gone;
            let mass = if pinned || gone { 0.0 } else { 1.0 / (f64::from(inverse) * f64::from(share)) };
            let offset = [0, 1, 2].map(|j| f64::from(self.blocks[block][j][lane]));
            Member { block, lane, row, offset, mass, pinned }
        };
        (0..body.count).map(member).collect()
    }
}

/// One member of a body.
#[derive(Clone, Copy)]
struct Member {
    block: usize,
    lane: usize,
    row: u32,
    /// Relative to the rest center of mass [m].
    offset: [f64; 3],
    /// Its share of the particle's mass [kg].
    mass: f64,
    pinned: bool,
}

fn place(rows: &[RowData], row: u32) -> [f64; 3] {
    [0, 1, 2].map(|j| f64::from(rows[row as usize][j]))
}

fn center(members: &[Member], weight: impl Fn(&Member) -> f64) -> [f64; 3] {
    let total: f64 = members.iter().map(&weight).sum();
    // Avoids 0/0 for a body whose members were all removed.
    let total = if total > 0.0 { total } else { 1.0 };
    [0, 1, 2].map(|j| members.iter().map(|m| weight(m) * m.offset[j]).sum::<f64>() / total)
}

/// Tensor of inertia from a second moment [kg·m²].
pub(crate) fn inertia(second: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let trace = second[0][0] + second[1][1] + second[2][2];
    let mut tensor = second.map(|column| column.map(|v| -v));
    (0..3).for_each(|k| tensor[k][k] += trace);
    tensor
}

/// Largest nᵀ[r]ᵀI⁻¹[r]n over all directions n [1/kg]: rotational part of the inverse mass at `arm`.
fn max_rotational_inverse_mass(inverse: &[[f64; 3]; 3], [x, y, z]: [f64; 3]) -> f64 {
    let cross = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]];
    let times = |a: &[[f64; 3]; 3], i: usize, j: usize| -> f64 { (0..3).map(|k| a[k][i] * cross[j][k]).sum() };
    let turned: [[f64; 3]; 3] = [0, 1, 2].map(|j| [0, 1, 2].map(|i| times(inverse, i, j)));
    let m: [[f64; 3]; 3] = [0, 1, 2].map(|j| [0, 1, 2].map(|i| (0..3).map(|k| cross[i][k] * turned[j][k]).sum()));
    // One of its three eigenvalues is 0, with the arm itself as eigenvector.
    let trace = m[0][0] + m[1][1] + m[2][2];
    let minor = |a: usize, b: usize| m[a][a] * m[b][b] - m[a][b] * m[b][a];
    let product = minor(0, 1) + minor(0, 2) + minor(1, 2);
    0.5 * (trace + (trace * trace - 4.0 * product).max(0.0).sqrt())
}

/// Weight of each pin in the orientation [kg].
fn pin_weight(members: &[Member], pivot: [f64; 3]) -> f64 {
    let apart = |m: &Member| (0..3).map(|j| (m.offset[j] - pivot[j]).powi(2)).sum::<f64>();
    let mass: f64 = members.iter().map(|m| m.mass).sum();
    let free: f64 = members.iter().map(|m| m.mass * apart(m)).sum();
    let held: f64 = members.iter().filter(|m| m.pinned).map(apart).sum();
    if mass == 0.0 {
        1.0
    } else if held > 1e-9 * free / mass {
        PIN_DOMINANCE * free / held
    } else {
        // One pin, or several coincident ones: they do not constrain the orientation.
        0.0
    }
}
