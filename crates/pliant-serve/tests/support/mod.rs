//! A session with a listener, and viewers on real connections.

use glam::Vec3;
use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};
use pliant_serve::{Listener, Session, SessionOptions};
use serde_json::{Value, json};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// Runs `play` against a session, and ends it.
pub fn session(text: &str, options: SessionOptions, play: impl FnOnce(&str)) -> Session {
    let scene = Scene::parse(text, Format::Toml).unwrap();
    let world = World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap();
    let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let (url, stop) = (listener.url(), Arc::new(AtomicBool::new(false)));
    let ended = stop.clone();
    std::thread::scope(|scope| {
        let running = scope.spawn(move || {
            let mut session = Session::new(world, &scene, "test", options).unwrap();
            session.run(listener, &ended).unwrap();
            session
        });
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| play(&url)));
        stop.store(true, Ordering::Relaxed);
        let session = running.join().unwrap();
        if let Err(panic) = played {
            std::panic::resume_unwind(panic);
        }
        session
    })
}

pub fn address(url: &str) -> SocketAddr {
    url.strip_prefix("http://").unwrap().split('/').next().unwrap().parse().unwrap()
}

/// Opens a WebSocket as the page does; none where the server has no room for more.
pub fn connect(url: &str) -> Option<WebSocket<TcpStream>> {
    let stream = TcpStream::connect(address(url)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut request = url.replace("http://", "ws://").replace("/?", "/socket?").into_client_request().unwrap();
    let origin = format!("http://{}", address(url));
    request.headers_mut().insert("Origin", origin.parse().unwrap());
    tungstenite::client(request, stream).ok().map(|(socket, _)| socket)
}

/// A viewer as the page is one: it keeps all positions up to date.
pub struct Viewer {
    pub socket: WebSocket<TcpStream>,
    pub description: Value,
    chunks: Vec<[u32; 3]>,
    pub positions: Vec<Vec3>,
    pub time: f64,
    pub frames: u64,
    pub texts: Vec<Value>,
}

impl Viewer {
    pub fn new(url: &str) -> Self {
        let (chunks, positions) = (Vec::new(), Vec::new());
        let socket = connect(url).unwrap();
        let mut new =
            Self { socket, description: Value::Null, chunks, positions, time: -1.0, frames: 0, texts: Vec::new() };
        new.until(|v| v.frames > 0);
        new
    }

    pub fn send(&mut self, message: Value) {
        self.socket.send(Message::text(message.to_string())).unwrap();
    }

    pub fn ray(origin: Vec3, direction: Vec3) -> Value {
        json!({ "origin": origin.to_array(), "direction": direction.to_array() })
    }

    pub fn read(&mut self) {
        match self.socket.read().unwrap() {
            Message::Text(text) => {
                let value: Value = serde_json::from_str(&text).unwrap();
                if value["type"] == "scene" {
                    self.description = value;
                } else {
                    self.texts.push(value);
                }
            }
            Message::Binary(bytes) => self.decode(&bytes),
            _ => {}
        }
    }

    fn decode(&mut self, bytes: &[u8]) {
        let word = |at: usize| u32::from_le_bytes(bytes[4 * at..4 * at + 4].try_into().unwrap());
        if word(0) == 1 {
            let [points, triangles, lines, spheres, chunks] = [2, 3, 4, 5, 6].map(|k| word(k) as usize);
            let first = 8 + 3 * triangles + 2 * lines + spheres;
            self.chunks = (0..chunks).map(|k| [0, 1, 2].map(|i| word(first + 3 * k + i))).collect();
            self.positions = vec![Vec3::ZERO; points];
            return;
        }
        self.frames += 1;
        self.time = f64::from_le_bytes(bytes[16..24].try_into().unwrap());
        let mut at = 32;
        for _ in 0..word(6) {
            let float = |k: usize| f32::from_bits(word(at / 4 + k));
            let (low, size) = (Vec3::new(float(1), float(2), float(3)), Vec3::new(float(4), float(5), float(6)));
            let [start, count, _] = self.chunks[word(at / 4) as usize].map(|w| w as usize);
            for i in 0..count {
                let q = [0, 2, 4].map(|k| {
                    let from = at + 28 + 6 * i + k;
                    f32::from(u16::from_le_bytes(bytes[from..from + 2].try_into().unwrap()))
                });
                self.positions[start + i] = low + size * Vec3::from(q) / 65_534.0;
            }
            at += 28 + (6 * count).next_multiple_of(4);
        }
        assert_eq!(at + 28 * word(7) as usize, bytes.len());
    }

    /// Reads until something is so.
    pub fn until(&mut self, mut so: impl FnMut(&Self) -> bool) {
        let start = Instant::now();
        while !so(self) {
            self.read();
            assert!(start.elapsed() < Duration::from_secs(20), "{:?}", self.texts.last());
        }
    }
}
