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

/// Capacity for `needed` elements of a list with one element per particle or object. It grows by a thirty-second: where a
/// world gets one more body, doubling would take twice the memory of a fresh build.
pub(crate) fn grow<T>(list: &mut Vec<T>, needed: usize) {
    let now = list.capacity();
    if now < needed {
        list.reserve_exact(needed.max(now + now / 32) - list.len());
    }
}

/// Resizes a list as [`grow`] does.
pub(crate) fn resize<T: Clone>(list: &mut Vec<T>, len: usize, value: T) {
    grow(list, len);
    list.resize(len, value);
}

/// Replaces the contents of a list, which grows as [`grow`] does.
pub(crate) fn replace<T>(list: &mut Vec<T>, with: impl ExactSizeIterator<Item = T>) {
    list.clear();
    grow(list, with.len());
    list.extend(with);
}

/// Bytes of nested lists.
pub(crate) fn nested<T>(lists: &Vec<Vec<T>>) -> u64 {
    of(lists) + lists.iter().map(of).sum::<u64>()
}
