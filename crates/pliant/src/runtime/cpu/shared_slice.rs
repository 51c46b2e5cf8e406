//! Slices that several threads write at once, without locks, because they never write the same element.

use std::marker::PhantomData;
use std::ops::Range;

/// A mutable slice that can be shared between threads.
///
/// Sound only under the promise of the pass that uses it: no element is touched by two threads. Batches
/// share no row, and patches of one pass share neither rows nor multipliers; `builder::packing` proves both for
/// every model before the first step.
pub struct Shared<'a, T> {
    base: *mut T,
    len: usize,
    life: PhantomData<&'a mut [T]>,
}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<'_, T> {}

// SAFETY: elements are only reached through unsafe methods, under the invariant above.
unsafe impl<T: Send> Send for Shared<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    /// Borrows the slice for one pass.
    pub fn new(data: &'a mut [T]) -> Self {
        Self { base: data.as_mut_ptr(), len: data.len(), life: PhantomData }
    }

    /// All elements.
    #[inline(always)]
    pub fn all(self) -> *mut [T] {
        std::ptr::slice_from_raw_parts_mut(self.base, self.len)
    }

    /// One element.
    ///
    /// # Safety
    /// No other reference to the element may exist meanwhile.
    #[inline(always)]
    pub unsafe fn get(self, i: usize) -> &'a mut T {
        assert!(i < self.len);
        // SAFETY: in range as asserted, unshared as the caller guarantees.
        unsafe { &mut *self.base.add(i) }
    }

    /// A run of elements.
    ///
    /// # Safety
    /// No other reference to these elements may exist meanwhile.
    #[inline(always)]
    pub unsafe fn slice(self, range: Range<usize>) -> &'a mut [T] {
        assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: in range as asserted, unshared as the caller guarantees.
        unsafe { std::slice::from_raw_parts_mut(self.base.add(range.start), range.len()) }
    }
}
