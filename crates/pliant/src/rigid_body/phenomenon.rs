//! Pass of rigid bodies.

use crate::rigid_body::bodies::RigidBodyModel;
use crate::schedule::passes::Pass;
use crate::schedule::phenomenon::{Field, PassInfo, Phenomenon};

impl Phenomenon for RigidBodyModel {
    fn name(&self) -> &'static str {
        "rigid_body"
    }

    fn passes(&self) -> Vec<PassInfo> {
        if self.bodies.is_empty() {
            return Vec::new();
        }
        vec![PassInfo { pass: Pass::RigidBodies, reads: &[Field::RigidBodies], writes: &[Field::RigidBodies] }]
    }

    fn kept(&self) -> &'static [Field] {
        &[Field::RigidBodies]
    }
}

/// Forces of particles on rigid bodies.
pub(crate) struct BodyReactions {
    /// Whether there are both.
    pub(crate) acts: bool,
}

impl Phenomenon for BodyReactions {
    fn name(&self) -> &'static str {
        "body_reactions"
    }

    fn passes(&self) -> Vec<PassInfo> {
        use Field::{ContactImpulses, Positions, RigidBodies};
        let pass = PassInfo {
            pass: Pass::BodyReactions,
            reads: &[RigidBodies, Positions, ContactImpulses],
            writes: &[RigidBodies],
        };
        if self.acts { vec![pass] } else { Vec::new() }
    }

    fn kept(&self) -> &'static [Field] {
        &[]
    }
}
