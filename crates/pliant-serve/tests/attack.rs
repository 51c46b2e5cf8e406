//! Those who mean harm: connections that say nothing or stop halfway, viewers that never read, random messages. The simulation
//! goes on, and memory stays bounded.
//!
//! `PLIANT_ATTACK=1` opens 1,000 connections instead of 300; `PLIANT_FUZZ=1000000` sets the number of messages.

mod support;

use glam::Vec3;
use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};
use pliant_serve::{Command, Session, SessionOptions};
use serde_json::json;
use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};
use support::{Viewer, address, connect, session};

const SCENE: &str = r#"
    [[cloth]]
    name = "sheet"
    grid = { cells = [6, 6], size = [1, 1], plane = "xz" }
    transform = { translate = [-0.5, 1, -0.5] }
    density = 0.3
    stretch = { modulus = 500 }
    pin = [{ at = "left edge" }, { at = "right edge" }]
    [[body]]
    name = "crate"
    box = [0.3, 0.3, 0.3]
    transform = { translate = [2, 0.15, 0] }
    [[collider]]
    plane = {}
"#;

/// Memory of moments in these sessions [bytes].
const HISTORY: u64 = 32 << 20;

/// What the process may take in addition [bytes]: moments with what their size does not count, objects, and what the
/// allocator keeps. Both tests of this file share the process.
const MOST_MORE: u64 = 400 << 20;

/// Resident memory of this process [bytes]; 0 where the system does not tell.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) << 10
}

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn silent_half_open_and_deaf_connections_do_not_stop_the_simulation() {
    let wanted = if number("PLIANT_ATTACK", 0) > 0 { 1000 } else { 300 };
    let options = SessionOptions { history_bytes: HISTORY, ..SessionOptions::default() };
    session(SCENE, options, |url| {
        let mut viewer = Viewer::new(url);
        let before = resident();
        // Viewers that never read what they are sent.
        let deaf: Vec<_> = (0..20).map(|_| connect(url).unwrap()).collect();
        let path = &url[url.rfind('/').unwrap()..];
        let parts = ["", "G", "GET / HT", &format!("GET {path} HTTP/1.1\r\nHost: {}\r\n", address(url)), "\u{0}\r\n"];
        let mut open = Vec::new();
        let start = Instant::now();
        for k in 0..wanted {
            let Ok(mut stream) = TcpStream::connect(address(url)) else {
                // Both ends are in this process, which may have no more: some for the viewers below.
                open.truncate(open.len().saturating_sub(50));
                break;
            };
            // One that was refused at once may be closed already.
            let _ = stream.write_all(parts[k % parts.len()].as_bytes());
            open.push(stream);
            if k % 50 == 0 {
                let time = viewer.time;
                viewer.until(|v| v.time > time);
            }
        }
        // All of them at once: whoever was there sees the world move on, and steers it.
        let time = viewer.time;
        viewer.until(|v| v.time > time + 0.3);
        viewer.send(json!({ "do": "throw", "ray": Viewer::ray(Vec3::new(2.0, 0.3, 4.0), Vec3::NEG_Z) }));
        viewer.until(|v| v.description["objects"].as_array().unwrap().len() == 3);
        // They have five seconds to say what they want. Then there is room for others, while they hold on to their end.
        let mut late = connect(url);
        while late.is_none() {
            assert!(start.elapsed() < Duration::from_secs(30), "no room for another viewer");
            let time = viewer.time;
            viewer.until(|v| v.time > time + 0.05);
            late = connect(url);
        }
        drop(late);
        let mut other = Viewer::new(url);
        let time = other.time;
        other.until(|v| v.time > time + 0.1);
        let more = resident().saturating_sub(before);
        assert!(more < MOST_MORE, "{} MiB more", more >> 20);
        drop((deaf, open));
    });
}

/// Random numbers; the same at each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }

    fn float(&mut self, most: f32) -> f32 {
        most * (self.below(2001) as f32 / 1000.0 - 1.0)
    }

    fn vector(&mut self, most: f32) -> [f32; 3] {
        [0; 3].map(|_| self.float(most))
    }

    /// A command with numbers that are mostly allowed.
    fn command(&mut self) -> String {
        let most = [1.0, 3.0, 100.0, 1e5, 1e30][self.below(5)];
        let ray = match self.below(3) {
            0 => json!({ "origin": self.vector(most), "direction": self.vector(most) }),
            // At the objects.
            1 => json!({ "origin": [self.float(0.5), 3, self.float(0.5)], "direction": [0, -1, 0] }),
            _ => json!({ "origin": [2.0 + self.float(0.3), 3, 0], "direction": [0, -1, 0] }),
        };
        let command = match self.below(16) {
            0 => json!({ "do": "play" }),
            1 => json!({ "do": "pause" }),
            2 | 3 => json!({ "do": "step" }),
            4 => json!({ "do": "restart" }),
            5 => json!({ "do": "rewind", "time": self.float(2.0 * most).abs() }),
            6 => json!({ "do": "speed", "value": self.float(4.0).abs() }),
            7 => json!({ "do": "gravity", "value": self.vector(most) }),
            8 => json!({ "do": "wind", "value": self.vector(most) }),
            9 | 10 => json!({ "do": "grab", "ray": ray }),
            11 => json!({ "do": "move", "target": self.vector(most) }),
            12 => json!({ "do": "release" }),
            13 | 14 => json!({ "do": "throw", "ray": ray }),
            _ => json!({ "do": "remove", "ray": ray }),
        };
        command.to_string()
    }

    /// A command that was cut, or some of whose bytes are others.
    fn damaged(&mut self) -> String {
        let mut bytes = self.command().into_bytes();
        if self.below(2) == 0 {
            bytes.truncate(self.below(bytes.len()));
        }
        for _ in 0..self.below(4) {
            if !bytes.is_empty() {
                let at = self.below(bytes.len());
                bytes[at] = self.below(256) as u8;
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[test]
fn random_messages_neither_stop_the_simulation_nor_fill_the_memory() {
    let scene = Scene::parse(SCENE, Format::Toml).unwrap();
    let world = World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap();
    let options = SessionOptions { history_bytes: HISTORY, ..SessionOptions::default() };
    let mut session = Session::new(world, &scene, "test", options).unwrap();
    let (mut random, messages) = (Random(11), number("PLIANT_FUZZ", 100_000));
    let (mut obeyed, mut stepped, mut stopped) = (0, 0, 0);
    let before = resident();
    for k in 0..messages {
        let text = if random.below(20) == 0 { random.command() } else { random.damaged() };
        let time = session.world().time();
        if let Ok(command) = Command::parse(&text) {
            obeyed += 1;
            // Ten viewers take turns.
            let _ = session.obey(k as u64 % 10, command);
        }
        if k % 100 == 0 {
            session.advance().unwrap_or_else(|e| panic!("message {k}, {text:?}: {e}"));
        }
        stepped += usize::from(session.world().time() > time);
        if session.trouble().is_some() && k % 500 == 0 {
            stopped += 1;
            session.obey(0, Command::Restart {}).unwrap();
        }
        if k % 10_000 == 0 {
            let more = resident().saturating_sub(before);
            assert!(more < MOST_MORE, "{} MiB more after {k} messages", more >> 20);
        }
    }
    assert!(obeyed > messages / 50 && stepped > messages / 1000, "{obeyed} obeyed, {stepped} steps, {stopped} stops");
    // Whatever has come, the beginning is there again, and time goes on.
    session.obey(0, Command::Restart {}).unwrap();
    session.obey(0, Command::Gravity { value: [0.0, -9.81, 0.0] }).unwrap();
    for k in 1..=20 {
        session.obey(0, Command::Step {}).unwrap();
        assert_eq!(session.trouble(), None);
        assert!((session.world().time() - 0.01 * f64::from(k)).abs() < 1e-6, "{}", session.world().time());
    }
    let more = resident().saturating_sub(before);
    assert!(more < MOST_MORE, "{} MiB more", more >> 20);
}
