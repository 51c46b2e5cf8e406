//! One viewer: commands in, frames out, on a socket that never blocks.

use crate::broadcast::{Outgoing, Seen, ViewerId};
use crate::command::Command;
use crate::listener::Link;
use crate::session::FromViewer;
use std::io;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::TrySendError;
use std::time::{Duration, Instant};
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

/// Largest message from a viewer [bytes].
const MOST_BYTES: usize = 4096;
/// Messages per second of a viewer, and how many it may save up.
const RATE: f64 = 240.0;
const BURST: f64 = 240.0;
/// A viewer that takes nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(20);
/// Pause when there is nothing to do.
const PAUSE: Duration = Duration::from_millis(2);
/// Between two frames to one viewer.
const FRAME: Duration = Duration::from_millis(15);

/// Serves a viewer until it leaves, breaks the rules, or `stop` is set.
pub fn run(stream: TcpStream, id: ViewerId, link: &Link, stop: &AtomicBool) -> io::Result<()> {
    stream.set_nonblocking(true)?;
    let config = WebSocketConfig::default().max_message_size(Some(MOST_BYTES)).max_frame_size(Some(MOST_BYTES));
    let mut socket = WebSocket::from_raw_socket(stream, Role::Server, Some(config));
    let mut budget = Budget::new();
    let (mut seen, mut sent, mut idle_since) = (Seen::default(), Instant::now() - FRAME, Instant::now());
    // Whether the socket has taken all that was written.
    let mut flushed = true;
    while !stop.load(Ordering::Relaxed) {
        let mut busy = false;
        match socket.read() {
            Ok(Message::Text(text)) => {
                busy = true;
                if !budget.take() {
                    return Err(io::Error::other("too many messages"));
                }
                match Command::parse(&text) {
                    Ok(command) => match link.commands.try_send((id, FromViewer::Command(command))) {
                        Ok(()) | Err(TrySendError::Full(_)) => {}
                        Err(TrySendError::Disconnected(_)) => return Ok(()),
                    },
                    Err(error) => link.broadcast.reply(id, crate::session::message("error", &error.to_string())),
                }
            }
            Ok(Message::Close(_)) => return Ok(()),
            Ok(_) if !budget.take() => return Err(io::Error::other("too many messages")),
            Ok(_) => busy = true,
            Err(e) if would_block(&e) => {}
            Err(_) => return Ok(()),
        }
        if !flushed {
            match socket.flush() {
                Ok(()) => flushed = true,
                Err(e) if would_block(&e) => {}
                Err(_) => return Ok(()),
            }
        }
        if flushed {
            idle_since = Instant::now();
            if sent.elapsed() >= FRAME {
                for outgoing in link.broadcast.take(id, &mut seen) {
                    busy = true;
                    sent = Instant::now();
                    let message = match outgoing {
                        Outgoing::Text(text) => Message::text(text),
                        Outgoing::Binary(bytes) => Message::binary(bytes),
                    };
                    match socket.send(message) {
                        Ok(()) => {}
                        Err(e) if would_block(&e) => flushed = false,
                        Err(_) => return Ok(()),
                    }
                }
            }
        } else if idle_since.elapsed() > PATIENCE {
            return Err(io::ErrorKind::TimedOut.into());
        }
        if !busy {
            std::thread::sleep(PAUSE);
        }
    }
    let _ = socket.close(None);
    let _ = socket.flush();
    Ok(())
}

fn would_block(error: &Error) -> bool {
    matches!(error, Error::Io(e) if e.kind() == io::ErrorKind::WouldBlock)
}

/// Messages that a viewer may send: a rate, and what it has saved up.
struct Budget {
    left: f64,
    last: Instant,
}

impl Budget {
    fn new() -> Self {
        Self { left: BURST, last: Instant::now() }
    }

    /// Whether one more is within the limit.
    fn take(&mut self) -> bool {
        let now = Instant::now();
        self.left = (self.left + RATE * now.duration_since(self.last).as_secs_f64()).min(BURST);
        self.last = now;
        self.left -= 1.0;
        self.left >= 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_messages_exceeds_the_budget() {
        let mut budget = Budget::new();
        assert!((0..BURST as usize).all(|_| budget.take()));
        assert!((0..1000).any(|_| !budget.take()));
    }
}
