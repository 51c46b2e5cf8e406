//! Radix sort of (key, index) pairs: stable, with the same order on every platform.

use crate::memory::{of, resize};

/// Bits of a digit: six passes for 63 bits, and the counters of a pass fit the L1 cache.
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;
const PASSES: usize = u64::BITS.div_ceil(DIGIT_BITS) as usize;

/// Sorts keys with their values. Owns its second buffers and counters.
#[derive(Clone, Debug, Default)]
pub struct RadixSort {
    /// Keys; ascending after [`Self::sort`].
    pub keys: Vec<u64>,
    /// Value of each key.
    pub values: Vec<u32>,
    other_keys: Vec<u64>,
    other_values: Vec<u32>,
    counts: Vec<u32>,
}

impl RadixSort {
    /// Memory [bytes].
    pub(crate) fn bytes(&self) -> u64 {
        let keys = of(&self.keys) + of(&self.other_keys);
        keys + of(&self.values) + of(&self.other_values) + of(&self.counts)
    }

    /// Sorts by key, least significant digit first. Stable, so values given in ascending order stay ascending among
    /// equal keys. Digits that all keys share are skipped.
    pub fn sort(&mut self) {
        let Self { keys, values, other_keys, other_values, counts } = self;
        assert_eq!(keys.len(), values.len(), "one value per key");
        let n = keys.len();
        resize(other_keys, n, 0);
        resize(other_values, n, 0);
        counts.clear();
        counts.resize(PASSES * DIGITS, 0);
        for &key in keys.iter() {
            for pass in 0..PASSES {
                counts[pass * DIGITS + digit(key, pass)] += 1;
            }
        }
        for pass in 0..PASSES {
            let counts = &mut counts[pass * DIGITS..(pass + 1) * DIGITS];
            if keys.first().is_none_or(|&key| counts[digit(key, pass)] as usize == n) {
                continue;
            }
            let mut sum = 0;
            for c in counts.iter_mut() {
                sum += std::mem::replace(c, sum);
            }
            for (&key, &value) in keys.iter().zip(values.iter()) {
                let at = &mut counts[digit(key, pass)];
                other_keys[*at as usize] = key;
                other_values[*at as usize] = value;
                *at += 1;
            }
            std::mem::swap(keys, other_keys);
            std::mem::swap(values, other_values);
        }
    }
}

#[inline(always)]
fn digit(key: u64, pass: usize) -> usize {
    (key >> (pass as u32 * DIGIT_BITS)) as usize & (DIGITS - 1)
}
