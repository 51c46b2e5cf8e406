//! The secret in the address of the page.

use std::fmt::Write;

/// A random secret of 128 bits.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// From the system's source of randomness.
    pub fn new() -> Result<Self, getrandom::Error> {
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Self(hex(&bytes)))
    }

    /// As it stands in the address.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether `other` is this token. The time does not depend on where they differ.
    pub fn is(&self, other: &str) -> bool {
        let (a, b) = (self.0.as_bytes(), other.as_bytes());
        let differences = a.iter().zip(b).fold(0, |sum, (x, y)| sum | (x ^ y));
        a.len() == b.len() && std::hint::black_box(differences) == 0
    }
}

/// Lowercase hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_match_only_themselves() {
        let (a, b) = (Token::new().unwrap(), Token::new().unwrap());
        assert_eq!(a.text().len(), 32);
        assert_ne!(a.text(), b.text());
        assert!(a.is(a.text()) && !a.is(b.text()));
        assert!(!a.is("") && !a.is(&a.text()[1..]) && !a.is(&format!("{}0", a.text())));
    }
}
