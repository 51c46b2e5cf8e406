//! Statistics measured while stepping.

use crate::schedule::Stage;
use serde::Serialize;
use std::collections::BTreeMap;

/// Wall time by stage since it was last taken [s].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// Seconds per stage, in the order of [`Stage::ALL`].
    pub stages: [f64; Stage::ALL.len()],
    /// Seconds of the solve stage per group.
    pub groups: Vec<f64>,
    /// Host time for encoding and submitting GPU commands [s].
    pub encode: f64,
    /// Substeps timed.
    pub substeps: u64,
    /// Device time by pass of a GPU, by name; filled while passes are profiled.
    pub passes: BTreeMap<String, PassTimes>,
}

/// Device time of a pass of a GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PassTimes {
    /// How often it ran.
    pub count: u64,
    /// Workgroups of all runs.
    pub workgroups: u64,
    /// Seconds of all runs.
    pub seconds: f64,
}

impl Times {
    /// Seconds of one stage.
    pub fn stage(&self, stage: Stage) -> f64 {
        self.stages[stage as usize]
    }
}

/// Mean and maximum relative error of a kind of constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Residual {
    /// Mean.
    pub mean: f64,
    /// Maximum.
    pub max: f64,
}

/// Residual by kind, inflatables under "inflate".
pub type Residuals = BTreeMap<&'static str, Residual>;

/// Forces that are left in the implicit step of elastic bodies, relative to those that balance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Imbalance {
    /// Of all bodies together.
    pub mean: f64,
    /// Of the body that is farthest from balance.
    pub max: f64,
    /// An object of that body.
    pub object: u32,
}

/// Imbalance by kind of element.
pub type Imbalances = BTreeMap<&'static str, Imbalance>;

/// Energies [J] and momenta of all free particles, summed in f64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Probe {
    /// ½mv².
    pub kinetic: f64,
    /// −m·g·x.
    pub gravitational: f64,
    /// Energy of all constraints with a compliance.
    pub elastic: f64,
    /// Σ m·v [kg·m/s].
    pub linear: [f64; 3],
    /// Σ x × m·v about the origin [kg·m²/s].
    pub angular: [f64; 3],
    /// Σ m·x / Σ m [m].
    pub center: [f64; 3],
    /// Σ m of free particles [kg].
    pub mass: f64,
    /// Contacts in the last substep.
    pub contacts: u64,
}

/// Statistics of fluids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LiquidProbe {
    /// Mean pressure [Pa].
    pub pressure_mean: f64,
    /// Maximum pressure [Pa].
    pub pressure_max: f64,
    /// Volume [m³]: of all particles, minus their compression.
    pub volume: f64,
    /// Degree of mixing: share of other fluids among the neighbors of a particle, over that in a perfect mixture; 0
    /// with a single fluid.
    pub mixing: f64,
}

/// Number of constraints of each kind.
pub type Counts = BTreeMap<&'static str, usize>;

/// Two particles in contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPair {
    /// The smaller index.
    pub a: u32,
    /// The larger index.
    pub b: u32,
    /// Normal force over the last substep [N].
    pub force: f32,
}

/// Key of fluids in residuals.
pub const DENSITY: &str = "density";

/// Key of inflatables in counts and residuals.
pub const INFLATE: &str = "inflate";
