//! Lines and numbers of text formats.

use super::input::{ParseError, checked_position};
use glam::Vec3;
use std::borrow::Cow;

/// Numbered lines of a file. Bytes that are not UTF-8 (names and comments of old files) are replaced, not an error.
#[derive(Clone)]
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    /// Number of the line last returned, from 1; 0 before the first.
    pub number: usize,
    comment: Option<u8>,
}

impl<'a> Lines<'a> {
    pub fn new(bytes: &'a [u8], comment: Option<u8>) -> Self {
        Self { rest: bytes, number: 0, comment }
    }

    /// Continues in the middle of a file, after `number` lines.
    pub fn resume(bytes: &'a [u8], number: usize) -> Self {
        Self { rest: bytes, number, comment: None }
    }

    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Next line that is not blank, without comment and surrounding white space.
    pub fn next(&mut self) -> Option<Cow<'a, str>> {
        while !self.rest.is_empty() {
            let end = self.rest.iter().position(|&b| b == b'\n').unwrap_or(self.rest.len());
            let line = &self.rest[..end];
            self.rest = self.rest.get(end + 1..).unwrap_or_default();
            self.number += 1;
            let code = self.comment.and_then(|mark| line.iter().position(|&b| b == mark)).unwrap_or(line.len());
            let line = line[..code].trim_ascii();
            if !line.is_empty() {
                return Some(String::from_utf8_lossy(line));
            }
        }
        None
    }

    /// Next line, or an error that names what is missing.
    pub fn expect(&mut self, wanted: impl FnOnce() -> String) -> Result<Cow<'a, str>, ParseError> {
        match self.next() {
            Some(line) => Ok(line),
            None => Err(self.error_at(format!("file ends here, but {} must follow", wanted()))),
        }
    }

    pub fn error_at(&self, what: impl Into<String>) -> ParseError {
        // An empty file fails at its first line.
        ParseError::line(self.number.max(1), what)
    }
}

/// Reads `x y z` of a vertex from the words that follow.
pub(super) fn position<'w>(vertex: usize, words: &mut impl Iterator<Item = &'w str>) -> Result<Vec3, String> {
    let mut xyz = [0.0; 3];
    for (count, slot) in xyz.iter_mut().enumerate() {
        let word = words.next().ok_or_else(|| format!("vertex {vertex} has {count} coordinates, but 3 are needed"))?;
        *slot = number(word).map_err(|what| format!("vertex {vertex}: {what}"))?;
    }
    checked_position(vertex, xyz)
}

/// A decimal number. Infinity and NaN parse here and are refused as coordinates.
pub(super) fn number(word: &str) -> Result<f64, String> {
    word.parse().map_err(|_| format!("{} is not a decimal number", quote(word)))
}

/// A whole number that is not negative.
pub(super) fn count(word: Option<&str>, what: &str) -> Result<u64, String> {
    let word = word.ok_or_else(|| format!("{what} is missing"))?;
    word.parse().map_err(|_| format!("{what} is {}, but a whole number is needed", quote(word)))
}

/// An integer wider than any index, so that an error can name a huge one.
pub(super) fn index(word: &str, what: &str) -> Result<i128, String> {
    word.parse().map_err(|_| format!("{what} is {}, but a whole number is needed", quote(word)))
}

/// The word in quotes, truncated after 40 characters for binary files read as text.
pub(super) fn quote(word: &str) -> String {
    match word.char_indices().nth(40) {
        Some((end, _)) => format!("{:?} and more", &word[..end]),
        None => format!("{word:?}"),
    }
}
