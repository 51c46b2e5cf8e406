//! A page that plays without the program: the page of the server with all frames inside.

use crate::broadcast::{Broadcast, Outgoing, Seen, ViewerId};
use crate::listener::page;

/// Viewer number of the recorder; those of connections begin at 1.
const RECORDER: ViewerId = 0;
/// Most bytes of a recording; later frames are left out.
const MOST_BYTES: usize = 192 << 20;
/// Simulated time between two frames [s].
const INTERVAL: f64 = 1.0 / 30.0;

/// Messages as a viewer that never misses a frame would get them.
pub struct Recording {
    seen: Seen,
    next: f64,
    /// Length and kind (0 text, 1 binary) as words before each message.
    bytes: Vec<u8>,
    /// Whether frames were left out.
    pub full: bool,
}

impl Recording {
    /// An empty one.
    pub fn new(broadcast: &Broadcast) -> Self {
        broadcast.enter(RECORDER);
        Self { seen: Seen::default(), next: 0.0, bytes: Vec::new(), full: false }
    }

    /// Whether a frame of this time is due [s].
    pub fn is_due(&self, time: f64) -> bool {
        !self.full && time >= self.next
    }

    /// Keeps the frame that was just published.
    pub fn keep(&mut self, broadcast: &Broadcast, time: f64) {
        self.next = time + INTERVAL - 1e-9;
        for message in broadcast.take(RECORDER, &mut self.seen) {
            let (kind, bytes) = match &message {
                Outgoing::Text(text) => (0_u32, text.as_bytes()),
                Outgoing::Binary(bytes) => (1, &bytes[..]),
            };
            if self.bytes.len() + bytes.len() > MOST_BYTES {
                self.full = true;
                return;
            }
            self.bytes.extend((bytes.len() as u32).to_le_bytes());
            self.bytes.extend(kind.to_le_bytes());
            self.bytes.extend_from_slice(bytes);
            // The next one begins at a word.
            self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        }
    }

    /// The page.
    pub fn html(&self) -> String {
        page("", &base64(&self.bytes))
    }
}

/// Base64 with padding (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let word = part.iter().fold(0_u32, |w, &b| w << 8 | u32::from(b)) << (8 * (3 - part.len()));
        for k in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * k) & 63) as usize];
            text.push(if k > part.len() { '=' } else { digit as char });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_of_the_standard() {
        for (plain, code) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(plain.as_bytes()), code);
        }
    }
}
