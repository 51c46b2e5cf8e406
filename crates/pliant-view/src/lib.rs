//! A native window onto a running world: `pliant view`.
//!
//! ```text
//!  events ─► window ──── commands ────► session thread: owns the world, steps it in real time
//!              │  ▲                          │
//!              │  └──── latest view ◄────────┘   positions, colors, lines, numbers; nothing queues up
//!              ├─► ui          panels, read the view, answer with what is asked for
//!              ├─► scene_draw  the picture, on the device
//!              └─► ui_paint    both into the window
//! ```
//!
//! | folder or file | contents |
//! | --- | --- |
//! | `session` | commands, stepping, history, materials, measurements; no window types |
//! | `camera`, `picking` | the eye; what is under the pointer |
//! | `files` | how files are written |
//! | `scene_draw` | shadow map, sky, ground, meshes, tubes, spheres, liquids, lines |
//! | `ui`, `ui_paint` | panels, and how they are painted |
//! | `window` | events, surface, screenshots, videos |
//!
//! The window never waits for the simulation: a view is handed over when it is there, and commands queue.

#![forbid(unsafe_code)]

mod camera;
mod files;
mod picking;
mod scene_draw;
pub mod session;
mod ui;
mod ui_paint;
mod window;

pub use session::{Loaded, SceneSource, SessionOptions};
pub use window::{WindowError, WindowOptions, run};
