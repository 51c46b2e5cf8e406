//! Passes of time integration.

use crate::integration::predict::IntegrationModel;
use crate::schedule::passes::Pass;
use crate::schedule::phenomenon::{Field, PassInfo, Phenomenon};

impl Phenomenon for IntegrationModel<'_> {
    fn name(&self) -> &'static str {
        "integration"
    }

    fn passes(&self) -> Vec<PassInfo> {
        use Field::*;
        vec![
            PassInfo {
                pass: Pass::Predict,
                reads: &[Positions, Velocities, History, IntegrationOrders],
                writes: &[Positions, StartPositions, Velocities, History, Multipliers],
            },
            PassInfo {
                pass: Pass::Finalize,
                reads: &[Positions, StartPositions, Velocities, History, IntegrationOrders],
                writes: &[Positions, Velocities, IntegrationOrders],
            },
        ]
    }

    fn kept(&self) -> &'static [Field] {
        // Start positions are kept because BDF2 makes them its history.
        &[Field::Positions, Field::StartPositions, Field::Velocities, Field::History, Field::IntegrationOrders]
    }
}
