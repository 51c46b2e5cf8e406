//! Grips: a compliant, force-limited pull of a point of an object toward a target.
//!
//! Rigid bodies are pulled in their own small steps (`rigid_body/grip.rs`). Everything else is particles:
//!
//! A cluster of particles is moved as one rigid piece: all of a body, or what is near the point of anything else. In every
//! iteration the cluster gets the correction of an XPBD constraint C = p − target with compliance α, with the inverse mass
//! of the cluster at the point, K = 1/M + [r]ᵀI⁻¹[r]. The accumulated multiplier is bounded by F·h², so that no target,
//! however far or fast, pulls harder than the limit; momentum changes by exactly the multiplier.

#[cfg(feature = "gpu")]
pub mod gpu;

use crate::math::{RowData, position};
use crate::rigid_body::bodies::BodyState;
use crate::rigid_body::grip::BodyGrip;
use crate::shape_matching::masses::inertia;
use crate::shape_matching::rest_moment::pseudoinverse_f64;
use glam::{DMat3, DVec3, Vec3};

/// A grip on particles of an object, or on a rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct Grip {
    /// Particles that move as one, ascending.
    pub cluster: Vec<u32>,
    /// Particles whose weighted mean is the gripped point; weights sum to 1.
    pub anchor: [(u32, f32); 3],
    /// Rigid body, and the gripped point relative to its center of mass in its axes [m].
    pub body: Option<(u32, DVec3)>,
    /// Where the point shall be [m].
    pub target: Vec3,
    /// Compliance [m/N].
    pub compliance: f32,
    /// Maximum force [N].
    pub max_force: f32,
    /// Distance beyond which the target is approached no faster [m].
    pub reach: f32,
}

/// Maximum particles of a cluster that is no run of particles.
pub const MOST_MEMBERS: usize = 1024;

/// Maximum rotation of a cluster by one correction [rad]: rotations are linear in it.
pub(crate) const MAX_ROTATION: f64 = 0.25;

impl Grip {
    /// A grip that holds nothing.
    pub fn released() -> Self {
        Self {
            cluster: Vec::new(),
            anchor: [(0, 0.0); 3],
            body: None,
            target: Vec3::ZERO,
            compliance: 0.0,
            max_force: 0.0,
            reach: 0.0,
        }
    }

    /// Whether it holds particles.
    pub fn holds_particles(&self) -> bool {
        !self.cluster.is_empty()
    }

    /// The grip as the solver of rigid bodies has it, if it is on one.
    pub fn on_body(&self) -> Option<BodyGrip> {
        let (body, local) = self.body?;
        Some(BodyGrip {
            body,
            local,
            target: self.target.as_dvec3(),
            compliance: f64::from(self.compliance),
            max_force: f64::from(self.max_force),
            reach: f64::from(self.reach),
        })
    }

    /// The gripped point of a body [m].
    pub fn body_point(&self, bodies: &[BodyState]) -> Option<DVec3> {
        let (body, local) = self.body?;
        bodies.get(body as usize).map(|b| b.position + b.rotation * local)
    }

    /// The gripped point of particles [m].
    pub fn point(&self, rows: &[RowData]) -> Vec3 {
        self.anchor.iter().map(|&(i, w)| position(rows[i as usize]) * w).sum()
    }

    /// One correction of the cluster in a substep of `h` seconds; `multiplier` is what it has accumulated [kg·m].
    pub fn project(&self, rows: &mut [RowData], multiplier: &mut DVec3, h: f32) {
        if !self.holds_particles() {
            return;
        }
        let free = || self.cluster.iter().map(|&i| i as usize).filter(|&i| rows[i][3] > 0.0);
        let at = |i: usize| position(rows[i]).as_dvec3();
        let mass: f64 = free().map(|i| 1.0 / f64::from(rows[i][3])).sum();
        if mass == 0.0 {
            return;
        }
        let center = free().map(|i| at(i) / f64::from(rows[i][3])).sum::<DVec3>() / mass;
        let mut second = [[0.0; 3]; 3];
        for i in free() {
            let (d, m) = ((at(i) - center).to_array(), 1.0 / f64::from(rows[i][3]));
            (0..9).for_each(|k| second[k / 3][k % 3] += m * d[k / 3] * d[k % 3]);
        }
        let (inverse, _) = pseudoinverse_f64(inertia(&second));
        let inverse = DMat3::from_cols_array_2d(&inverse);
        let point = self.point(rows).as_dvec3();
        let arm = point - center;
        let cross = DMat3::from_cols(
            DVec3::new(0.0, arm.z, -arm.y),
            DVec3::new(-arm.z, 0.0, arm.x),
            DVec3::new(arm.y, -arm.x, 0.0),
        );
        let soft = f64::from(self.compliance) / (f64::from(h) * f64::from(h));
        // [r]ᵀI⁻¹[r], with the matrix of r×.
        let effective = DMat3::from_diagonal(DVec3::splat(1.0 / mass + soft)) + cross.transpose() * inverse * cross;
        let away = (point - self.target.as_dvec3()).clamp_length_max(f64::from(self.reach));
        let change = effective.inverse() * -(away + soft * *multiplier);
        let limit = f64::from(self.max_force) * f64::from(h) * f64::from(h);
        let next = (*multiplier + change).clamp_length_max(limit);
        let change = next - *multiplier;
        *multiplier = next;
        let (shift, turn) = (change / mass, (inverse * arm.cross(change)).clamp_length_max(MAX_ROTATION));
        for &i in &self.cluster {
            let row = &mut rows[i as usize];
            if row[3] > 0.0 {
                let x = position(*row).as_dvec3();
                let moved = (x + shift + turn.cross(x - center)).as_vec3();
                row[..3].copy_from_slice(&moved.to_array());
            }
        }
    }
}
