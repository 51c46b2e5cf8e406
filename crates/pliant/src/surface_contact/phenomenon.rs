//! Passes of contact between triangles.

use crate::schedule::passes::Pass;
use crate::schedule::phenomenon::{Field, PassInfo, Phenomenon};

/// Contact between triangles, as the schedule sees it.
pub(crate) struct SurfaceContactPhenomenon {
    /// Whether it is on.
    pub(crate) acts: bool,
}

impl Phenomenon for SurfaceContactPhenomenon {
    fn name(&self) -> &'static str {
        "surface_contact"
    }

    fn passes(&self) -> Vec<PassInfo> {
        use Field::*;
        if !self.acts {
            return Vec::new();
        }
        let find: &[Field] = &[Positions, SavedPositions, ParticleKinds];
        let solve: &[Field] = &[TrianglePairs, Positions, SavedPositions];
        vec![
            PassInfo { pass: Pass::SavePositions, reads: &[Positions], writes: &[SavedPositions] },
            PassInfo { pass: Pass::TrianglePairs, reads: find, writes: &[TrianglePairs] },
            PassInfo { pass: Pass::TriangleContacts, reads: solve, writes: &[Positions] },
            PassInfo { pass: Pass::LimitTriangles, reads: solve, writes: &[Positions] },
        ]
    }

    fn kept(&self) -> &'static [Field] {
        &[]
    }
}
