//! Where rows of one state are in another.

use std::ops::Range;

/// A map of row numbers, by runs.
#[derive(Clone, Debug, Default)]
pub struct RowMap {
    /// Old rows, ascending, and the first new row of each run.
    runs: Vec<(Range<usize>, usize)>,
}

impl RowMap {
    /// From runs of old rows with their first new row.
    pub fn new(mut runs: Vec<(Range<usize>, usize)>) -> Self {
        runs.retain(|(old, _)| !old.is_empty());
        runs.sort_by_key(|(old, _)| old.start);
        Self { runs }
    }

    /// The new number of a row, if it has one.
    pub fn get(&self, old: usize) -> Option<usize> {
        let after = self.runs.partition_point(|(range, _)| range.start <= old);
        let (range, new) = self.runs.get(after.checked_sub(1)?)?;
        range.contains(&old).then(|| new + (old - range.start))
    }

    /// Copies the values of all rows that both have.
    pub fn copy<T: Copy>(&self, from: &[T], to: &mut [T]) {
        for (old, new) in &self.runs {
            let count = old.len().min(from.len().saturating_sub(old.start)).min(to.len().saturating_sub(*new));
            if count > 0 {
                to[*new..*new + count].copy_from_slice(&from[old.start..old.start + count]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RowMap;

    #[test]
    fn r05_rows_are_found_by_runs() {
        let map = RowMap::new(vec![(10..12, 0), (3..5, 7), (5..5, 1)]);
        let found: Vec<_> = [2, 3, 4, 5, 9, 10, 11, 12].iter().map(|&row| map.get(row)).collect();
        assert_eq!(found, [None, Some(7), Some(8), None, None, Some(0), Some(1), None]);
        let (from, mut to) = ((0..12).collect::<Vec<u32>>(), vec![99; 9]);
        map.copy(&from, &mut to);
        assert_eq!(to, [10, 11, 99, 99, 99, 99, 99, 3, 4]);
    }
}
