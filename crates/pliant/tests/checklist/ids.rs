//! Definition of a requirement, and the list of all.

use crate::{errata, reliability, scenes, systems, validation};

/// How far a requirement is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Tests assert all of it.
    Met,
    /// Tests assert a part of it; the note says what is missing.
    Partial,
    /// No test asserts it; the note says what there is.
    Open,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Partial => "partial",
            Self::Open => "open",
        }
    }
}

/// One requirement.
#[derive(Clone, Copy, Debug)]
pub struct Requirement {
    /// Letter and two digits, as `S01`.
    pub id: &'static str,
    /// What is required, in one sentence.
    pub says: &'static str,
    pub status: Status,
    /// What is missing or must be known; empty where nothing is.
    pub note: &'static str,
}

pub const fn met(id: &'static str, says: &'static str) -> Requirement {
    Requirement { id, says, status: Status::Met, note: "" }
}

pub const fn met_with(id: &'static str, says: &'static str, note: &'static str) -> Requirement {
    Requirement { id, says, status: Status::Met, note }
}

pub const fn partial(id: &'static str, says: &'static str, note: &'static str) -> Requirement {
    Requirement { id, says, status: Status::Partial, note }
}

pub const fn open(id: &'static str, says: &'static str, note: &'static str) -> Requirement {
    Requirement { id, says, status: Status::Open, note }
}

/// Families in the order of the page: title, what they are, their requirements.
pub const FAMILIES: [(&str, &str, &[Requirement]); 5] = [
    ("S: systems and algorithms", "What the engine must be able to do.", systems::ALL),
    (
        "T: scenes, tables and figures",
        "What of the documents' experiments must be reproduced; counts of particles and constraints exactly.",
        scenes::ALL,
    ),
    (
        "E: errata",
        "Where a document is wrong. `tests/errata` states each printed formula, shows what it violates, and asserts that \
         the engine does not.",
        errata::ALL,
    ),
    (
        "V: validation",
        "Closed forms, experiments and conservation laws that simulations are compared with.",
        validation::ALL,
    ),
    ("R: reliability", "What holds under load, faults and bad input.", reliability::ALL),
];

/// All requirements.
pub fn all() -> impl Iterator<Item = &'static Requirement> {
    FAMILIES.into_iter().flat_map(|(_, _, list)| list)
}
