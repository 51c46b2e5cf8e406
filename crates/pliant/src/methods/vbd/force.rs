//! Elastic force on single vertices, for queries after a substep.

use crate::constraints::group::Group;
use crate::math::RowData;
use crate::methods::vbd::element::{force_at_row, params};
use crate::methods::vbd::plan::ElasticBody;
use glam::DVec3;

impl ElasticBody {
    /// Force of all elements on vertex `v` [N], a torque for an orientation [N·m].
    pub(crate) fn force_on(&self, groups: &[Group], rows: &[RowData], v: usize) -> DVec3 {
        let entries = &self.entries[self.offsets[v] as usize..self.offsets[v + 1] as usize];
        let force = |&[e, place]: &[u32; 2]| {
            let element = &self.elements[e as usize];
            let mut x = [[0.0; 4]; 4];
            for (x, &vertex) in x.iter_mut().zip(&element.rows[..element.kind.layout().rows]) {
                *x = rows[self.vertices[vertex as usize] as usize];
            }
            force_at_row(element.kind, &params(element, groups), &x, place as usize).as_dvec3()
        };
        entries.iter().map(force).sum()
    }
}
