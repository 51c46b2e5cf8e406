//! Shows a running world in a browser and lets viewers steer it: `pliant serve`.
//!
//! ```text
//!  browser ◄── page, once ──────────── listener ── one thread per connection ──► viewer
//!     │ ▲                                                                          │  ▲
//!     │ └──── frames: positions in 16 bits, what changed since the last one ───────┘  │ Broadcast (latest frame)
//!     └────── commands: grab, play, rewind, gravity … ──► Session: steps the world ───┘
//! ```
//!
//! | file | contents |
//! | --- | --- |
//! | `session` | owns the world: commands (`obey`), stepping in real time, history |
//! | `playback` | moments to return to, real time, hands, what they have thrown: shared with the window |
//! | `command` | what a viewer may ask for, checked |
//! | `drawing` | what is drawn: triangles, tubes, spheres, colliders |
//! | `solid_mesh` | triangles of colliders |
//! | `encoding` | positions in 16 bits, messages |
//! | `broadcast` | the latest frame, from which each viewer takes what it has not seen |
//! | `listener`, `http`, `viewer` | connections: limits, page, WebSocket |
//! | `token` | the secret in the address |
//! | `recording` | a page that plays without the program |
//!
//! A viewer that reads slowly gets fewer frames; neither memory nor the simulation depends on it.

#![forbid(unsafe_code)]

mod broadcast;
mod command;
mod drawing;
mod encoding;
mod http;
mod listener;
pub mod playback;
mod recording;
mod session;
mod solid_mesh;
mod token;
mod viewer;

pub use crate::command::{Command, CommandError};
pub use crate::listener::{Listener, ServeError};
pub use crate::session::{Session, SessionError, SessionOptions};
pub use crate::solid_mesh::solid_mesh;
