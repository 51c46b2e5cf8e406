//! Host memory of a simulation: allocated capacity, not length in use.

/// Bytes of a list: its capacity, not its length.
pub(crate) fn of<T>(list: &Vec<T>) -> u64 {
    (list.capacity() * size_of::<T>()) as u64
}

/// Reserves the given number of elements plus an eighth: doubling, the default growth, would waste up to half.
pub(crate) fn reserve<T>(list: &mut Vec<T>, needed: usize) {
    if list.capacity() < needed {
        list.reserve_exact(needed + needed / 8 - list.len());
    }
}

/// Bytes of nested lists.
pub(crate) fn nested<T>(lists: &Vec<Vec<T>>) -> u64 {
    of(lists) + lists.iter().map(of).sum::<u64>()
}
