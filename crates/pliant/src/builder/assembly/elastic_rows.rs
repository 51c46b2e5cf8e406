//! Constraints of rows that descent solves are kept out of the partition, and put back behind it.

use crate::constraints::ConstraintKind;
use crate::constraints::group::Raw;
use crate::partition::islands::{ELASTIC, GLOBAL, components};
use crate::partition::{Plan, Set};
use std::collections::BTreeMap;

/// Body of each row that descent solves, or [`GLOBAL`].
pub(super) fn body_of(of_descent: &BTreeMap<ConstraintKind, Raw>, elastic: &[bool]) -> Vec<u32> {
    let root = components(of_descent, elastic.len());
    (0..elastic.len()).map(|i| if elastic[i] { root[i] } else { GLOBAL }).collect()
}

/// Constraints that are partitioned, and those of elastic rows, which descent solves.
pub(super) fn split(
    all: BTreeMap<ConstraintKind, Raw>,
    elastic: &[bool],
) -> (BTreeMap<ConstraintKind, Raw>, BTreeMap<ConstraintKind, Raw>) {
    if !elastic.contains(&true) {
        return (all, BTreeMap::new());
    }
    let mut lists = [BTreeMap::new(), BTreeMap::new()];
    for (kind, raw) in all {
        let layout = kind.layout();
        for (rows, params) in raw.rows.chunks_exact(layout.rows).zip(raw.params.chunks_exact(layout.params)) {
            let own: &mut Raw = lists[usize::from(elastic[rows[0] as usize])].entry(kind).or_default();
            own.rows.extend_from_slice(rows);
            own.params.extend_from_slice(params);
        }
    }
    let [partitioned, of_descent] = lists;
    (partitioned, of_descent)
}

/// All constraints again, those of descent behind the others of their kind, in a set that no pass runs.
pub(super) fn join(
    partitioned: BTreeMap<ConstraintKind, Raw>,
    of_descent: BTreeMap<ConstraintKind, Raw>,
    plan: &mut Plan,
) -> BTreeMap<ConstraintKind, Raw> {
    if of_descent.is_empty() {
        return partitioned;
    }
    let planned: Vec<ConstraintKind> = partitioned.keys().copied().collect();
    let mut all = partitioned;
    let mut added: BTreeMap<ConstraintKind, Set> = BTreeMap::new();
    for (kind, raw) in of_descent {
        let whole = all.entry(kind).or_default();
        let first = (whole.rows.len() / kind.layout().rows) as u32;
        let count = (raw.rows.len() / kind.layout().rows) as u32;
        whole.rows.extend(raw.rows);
        whole.params.extend(raw.params);
        added.insert(kind, Set { patch: ELASTIC, color: 0, members: (first..first + count).collect() });
    }
    // Kinds that only descent has shift the numbers of the groups.
    let kinds: Vec<ConstraintKind> = all.keys().copied().collect();
    let number = |old: usize| kinds.iter().position(|kind| *kind == planned[old]).unwrap_or(old);
    plan.ties.iter_mut().for_each(|tie| tie.group = tie.group.map(number));
    if let Some(exchange) = &mut plan.seam_exchange {
        exchange.group = number(exchange.group);
    }
    let mut sets: BTreeMap<ConstraintKind, Vec<Set>> =
        planned.into_iter().zip(std::mem::take(&mut plan.sets)).collect();
    plan.sets = kinds.iter().map(|kind| sets.remove(kind).unwrap_or_default()).collect();
    plan.sets.iter_mut().zip(&kinds).for_each(|(sets, kind)| sets.extend(added.remove(kind)));
    all
}
