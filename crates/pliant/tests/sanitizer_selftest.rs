//! Mistakes on purpose, for `scripts/sanitize` alone: a sanitizer must report the first two and not the third. Empty in any other
//! build.

#![cfg(pliant_selftest)]
#![allow(missing_docs, reason = "a test")]

use pliant::runtime::cpu::sanitizer_selftest::{read_out_of_bounds, write_one_row_twice, write_two_rows};

#[test]
#[ignore = "a mistake on purpose: scripts/sanitize"]
fn address_a_row_is_read_out_of_bounds() {
    assert!(!read_out_of_bounds().is_nan());
}

#[test]
#[ignore = "a mistake on purpose: scripts/sanitize"]
fn thread_two_threads_write_one_row() {
    assert_eq!(write_one_row_twice(), 2);
}

#[test]
fn two_threads_write_two_rows() {
    assert_eq!(write_two_rows(), 2);
}
