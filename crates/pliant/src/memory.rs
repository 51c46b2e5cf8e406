//! How much memory a simulation holds on the host: what was asked of the allocator, not what is in use of it.

/// Bytes of a list, with the room that it has beyond its length.
pub(crate) fn of<T>(list: &Vec<T>) -> u64 {
    (list.capacity() * size_of::<T>()) as u64
}

/// Makes room for so many elements and an eighth more: doubling, as a list does by itself, would waste up to half.
pub(crate) fn reserve<T>(list: &mut Vec<T>, needed: usize) {
    if list.capacity() < needed {
        list.reserve_exact(needed + needed / 8 - list.len());
    }
}

/// Bytes of lists in a list.
pub(crate) fn nested<T>(lists: &Vec<Vec<T>>) -> u64 {
    of(lists) + lists.iter().map(of).sum::<u64>()
}
