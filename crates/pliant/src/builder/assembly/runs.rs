//! Runs of particles, whose contacts are lists of their own.

use crate::builder::assembly::finish::RUN;
use crate::environments::Environments;
use crate::partition::islands::GLOBAL;
use std::ops::Range;

/// Runs of particles: islands first, then bodies of descent, then all others in pieces, each within one of
/// `environments`, if given.
///
/// The particles of a run of descent belong to one body: `elastic` has the body of each particle, or [`GLOBAL`].
pub(super) fn runs(
    islands: Vec<Range<usize>>,
    elastic: &[u32],
    environments: Option<&Environments>,
) -> Vec<Range<usize>> {
    let mut all = islands;
    let (mut bodies, mut rest) = (Vec::new(), Vec::new());
    let mut at = 0;
    let same = |a: usize, b: usize| elastic[a] == elastic[b] && environments.is_none_or(|e| e.of(a) == e.of(b));
    for run in all.iter().cloned().chain(std::iter::once(elastic.len()..elastic.len())) {
        let mut first = at;
        while first < run.start {
            let most = (first + RUN).min(run.start);
            let end = (first..most).find(|&i| !same(i, first)).unwrap_or(most);
            let list = if elastic[first] == GLOBAL { &mut rest } else { &mut bodies };
            list.push(first..end);
            first = end;
        }
        at = run.end;
    }
    all.extend(bodies);
    all.extend(rest);
    all
}
