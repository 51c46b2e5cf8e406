//! Passes of shape-matched bodies.

use crate::schedule::passes::Pass;
use crate::schedule::phenomenon::{Field, PassInfo, Phenomenon};
use crate::shape_matching::ShapeMatch;

impl Phenomenon for ShapeMatch {
    fn name(&self) -> &'static str {
        "shape_matching"
    }

    fn passes(&self) -> Vec<PassInfo> {
        use Field::*;
        let mut all = vec![
            PassInfo { pass: Pass::BeginBodies, reads: &[], writes: &[BodyStrains] },
            PassInfo { pass: Pass::BeginBodySolve, reads: &[], writes: &[BodyStrains] },
            PassInfo {
                pass: Pass::ShapeMatching,
                reads: &[Positions, BodyPoses, BodyStrains],
                writes: &[Positions, BodyPoses, BodyStrains],
            },
        ];
        if self.bodies.iter().any(|body| body.plastic.is_some()) {
            all.push(PassInfo { pass: Pass::Plasticity, reads: &[BodyPoses, BodyStrains], writes: &[BodyPoses] });
        }
        all
    }

    fn kept(&self) -> &'static [Field] {
        &[Field::BodyPoses]
    }
}
