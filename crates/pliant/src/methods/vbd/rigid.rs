//! Elements that a caller has made rigid: descent needs a compliance, and gets the smallest that it resolves.

use crate::constraints::ConstraintKind;
use crate::constraints::group::Group;
use crate::math::RowData;
use crate::methods::vbd::element::{Element, at_row, params};
use crate::methods::vbd::plan::{CHAIN_STRETCH, ElasticBody, RIGID_ATTACHMENT};

/// An element whose compliance must not be smaller.
pub(crate) struct LeastCompliance {
    /// Group of the element.
    pub group: usize,
    /// Block × 8 + lane within the group.
    pub slot: usize,
    /// Compliance [m/N].
    pub least: f32,
}

impl ElasticBody {
    /// The smallest compliances of its elements of a kind: those that rigid ones get when a scene is built. `rows` have the
    /// inverse masses [1/kg], `h` is the substep [s].
    pub(crate) fn least_compliances(
        &self,
        kind: ConstraintKind,
        groups: &[Group],
        rows: &[RowData],
        h: f32,
    ) -> Vec<LeastCompliance> {
        let own = || self.elements.iter().filter(|element| element.kind == kind);
        if own().next().is_none() {
            return Vec::new();
        }
        let mass = |vertex: usize| match rows[self.vertices[vertex] as usize][3] {
            inv_mass if inv_mass > 0.0 => 1.0 / inv_mass,
            _ => 0.0,
        };
        let whole: f32 = (0..self.vertices.len()).map(mass).sum();
        use ConstraintKind::{Attach, RopeBending, Stretch};
        let chain = self.elements.iter().all(|e| matches!(e.kind, Stretch | RopeBending | Attach));
        let least = |element: &Element| match kind {
            Attach => {
                let end = |v: u32| self.stiffness_at_rest(groups, v as usize) + mass(v as usize) / (h * h);
                1.0 / (RIGID_ATTACHMENT * end(element.rows[0]).max(end(element.rows[1])))
            }
            Stretch if chain => CHAIN_STRETCH * h * h / whole,
            // `stiffness` bounds it.
            _ => 0.0,
        };
        own()
            .map(|element| LeastCompliance {
                group: element.group as usize,
                slot: element.slot as usize,
                least: Some(least(element)).filter(|least| least.is_finite()).unwrap_or(0.0),
            })
            .collect()
    }

    /// Mean stiffness of the elements at a vertex [N/m], attachments left out.
    fn stiffness_at_rest(&self, groups: &[Group], vertex: usize) -> f32 {
        let entries = &self.entries[self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize];
        let one = |&[e, place]: &[u32; 2]| {
            let element = &self.elements[e as usize];
            if element.kind == ConstraintKind::Attach {
                return 0.0;
            }
            let mut x = [[0.0, 0.0, 0.0, 1.0]; 4];
            for (x, &v) in x.iter_mut().zip(&element.rows[..element.kind.layout().rows]) {
                x[..3].copy_from_slice(&self.rest[v as usize].to_array());
            }
            let stiffness = at_row(element.kind, &params(element, groups), &x, place as usize).1;
            (stiffness.x_axis.x + stiffness.y_axis.y + stiffness.z_axis.z) / 3.0
        };
        entries.iter().map(one).sum()
    }
}
