//! A session with real connections on the loopback interface.

mod support;

use glam::Vec3;
use pliant_serve::SessionOptions;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use support::{Viewer, address, session};
use tungstenite::Message;

const CLOTH: &str = r#"
    [[cloth]]
    name = "sheet"
    grid = { cells = [10, 10], size = [1, 1], plane = "xz" }
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

/// Reads until a text of a type comes.
fn text(viewer: &mut Viewer, kind: &str) -> Value {
    viewer.texts.clear();
    viewer.until(|v| v.texts.iter().any(|t| t["type"] == kind));
    viewer.texts.iter().find(|t| t["type"] == kind).unwrap().clone()
}

/// The middle of the sheet.
fn middle(viewer: &Viewer) -> Vec3 {
    viewer.positions[5 * 11 + 5]
}

#[test]
fn a_viewer_pulls_a_cloth_and_rewinds_to_the_same_positions() {
    session(CLOTH, SessionOptions { playing: false, ..SessionOptions::default() }, |url| {
        let mut viewer = Viewer::new(url);
        assert_eq!(viewer.description["objects"][0]["name"], "sheet");
        let beginning = viewer.positions.clone();
        let above = Vec3::new(0.01, 3.0, 0.02);
        viewer.send(json!({ "do": "grab", "ray": Viewer::ray(above, Vec3::NEG_Y) }));
        let grabbed = text(&mut viewer, "grabbed");
        assert_eq!(grabbed["object"], "sheet");
        viewer.send(json!({ "do": "move", "target": [0.0, 1.3, 0.0] }));
        viewer.send(json!({ "do": "play" }));
        viewer.until(|v| v.time > 0.6);
        assert!(middle(&viewer).y > 1.2, "pulled up to {}", middle(&viewer));
        viewer.send(json!({ "do": "release" }));
        let released = viewer.time;
        viewer.until(|v| v.time > released + 0.8);
        assert!(middle(&viewer).y < 1.1, "let go, it falls back to {}", middle(&viewer));
        viewer.send(json!({ "do": "restart" }));
        viewer.send(json!({ "do": "pause" }));
        viewer.until(|v| v.time < 0.3);
        viewer.send(json!({ "do": "rewind", "time": 0.0 }));
        viewer.until(|v| v.time == 0.0);
        assert_eq!(viewer.positions, beginning);
        // One step, and not more.
        viewer.send(json!({ "do": "step" }));
        viewer.until(|v| v.time > 0.0);
        assert!((viewer.time - 0.01).abs() < 1e-9, "{}", viewer.time);
    });
}

#[test]
fn two_viewers_pull_at_once_and_one_may_leave() {
    session(CLOTH, SessionOptions::default(), |url| {
        let (mut one, mut two) = (Viewer::new(url), Viewer::new(url));
        one.send(json!({ "do": "grab", "ray": Viewer::ray(Vec3::new(0.01, 3.0, 0.02), Vec3::NEG_Y) }));
        assert_eq!(text(&mut one, "grabbed")["object"], "sheet");
        two.send(json!({ "do": "grab", "ray": Viewer::ray(Vec3::new(2.0, 3.0, 0.0), Vec3::NEG_Y) }));
        assert_eq!(text(&mut two, "grabbed")["object"], "crate");
        one.send(json!({ "do": "move", "target": [0.0, 1.3, 0.0] }));
        two.send(json!({ "do": "move", "target": [2.0, 1.5, 0.0] }));
        let from = one.time;
        one.until(|v| v.time > from + 1.0);
        assert!(middle(&one).y > 1.2, "{}", middle(&one));
        let crate_ = |v: &Viewer| v.positions.iter().filter(|p| p.x > 1.0).map(|p| p.y).sum::<f32>() / 36.0;
        two.until(|v| v.time > from + 1.0);
        assert!(crate_(&two) > 0.8, "{}", crate_(&two));
        // Gone without a word, its grip is released.
        drop(two);
        let from = one.time;
        one.until(|v| v.time > from + 1.5);
        assert!(crate_(&one) < 0.3, "{}", crate_(&one));
    });
}

#[test]
fn objects_are_thrown_and_removed_and_settings_change() {
    session(CLOTH, SessionOptions::default(), |url| {
        let mut viewer = Viewer::new(url);
        let points = viewer.positions.len();
        let aim = Viewer::ray(Vec3::new(2.0, 0.3, 4.0), Vec3::NEG_Z);
        viewer.send(json!({ "do": "throw", "ray": aim }));
        viewer.until(|v| v.positions.len() > points && v.frames > 0);
        assert_eq!(viewer.description["objects"].as_array().unwrap().len(), 3);
        viewer.send(json!({ "do": "remove", "ray": Viewer::ray(Vec3::new(0.01, 3.0, 0.02), Vec3::NEG_Y) }));
        viewer.until(|v| v.description["objects"].as_array().unwrap().len() == 2);
        viewer.send(json!({ "do": "gravity", "value": [0, 3, 0] }));
        viewer.until(|v| v.texts.iter().any(|t| t["gravity"][1] == 3.0));
        viewer.send(json!({ "do": "wind", "value": [4, 0, 0] }));
        viewer.send(json!({ "do": "speed", "value": 0.5 }));
        viewer.until(|v| v.texts.iter().any(|t| t["speed"] == 0.5));
        // The moment before the edits comes back with its objects.
        viewer.send(json!({ "do": "restart" }));
        viewer.until(|v| v.description["objects"].as_array().unwrap().len() == 2 && v.positions.len() == points);
    });
}

#[test]
fn a_world_that_diverges_stands_still_and_can_be_rewound() {
    // Almost as fast as the engine computes with, 10⁴ m/s: a gravity of 1000 m/s² gets it there within a second.
    let scene = "[[body]]\nname = \"it\"\nball = 0.1\nvelocity = [0, 9500, 0]\n[world]\ngravity = [0, 0, 0]\n";
    session(scene, SessionOptions { playing: false, ..SessionOptions::default() }, |url| {
        let mut viewer = Viewer::new(url);
        let start = viewer.positions[0];
        viewer.send(json!({ "do": "gravity", "value": [0, 1000, 0] }));
        viewer.send(json!({ "do": "speed", "value": 4 }));
        viewer.send(json!({ "do": "play" }));
        viewer.until(|v| v.texts.iter().any(|t| t["trouble"].is_string()));
        let status = viewer.texts.iter().rfind(|t| t["trouble"].is_string()).unwrap().clone();
        let trouble = status["trouble"].as_str().unwrap();
        assert!(trouble.contains("diverged") && status["playing"] == false, "{status}");
        let stopped = status["time"].as_f64().unwrap();
        assert!((0.4..0.7).contains(&stopped), "500 m/s more at 1000 m/s² take 0.5 s, not {stopped} s");
        // It does not go on: a step is refused, and so is playing; a throw may be, and changes no time.
        viewer.send(json!({ "do": "step" }));
        assert!(text(&mut viewer, "error")["message"].as_str().unwrap().contains("rewind"));
        viewer.send(json!({ "do": "throw", "ray": Viewer::ray(start + Vec3::Z, Vec3::NEG_Z) }));
        viewer.send(json!({ "do": "play" }));
        viewer.send(json!({ "do": "speed", "value": 0.5 }));
        viewer.texts.clear();
        viewer.until(|v| v.texts.iter().any(|t| t["speed"] == 0.5));
        let status = viewer.texts.iter().rfind(|t| t["speed"] == 0.5).unwrap();
        assert!(status["playing"] == false && status["time"] == stopped && status["trouble"].is_string(), "{status}");
        // A moment before it, and the beginning, are as they were; time runs again.
        viewer.send(json!({ "do": "rewind", "time": 0.2 }));
        viewer.texts.clear();
        viewer.until(|v| v.time < 0.3 && v.texts.iter().any(|t| t["type"] == "status" && t["trouble"].is_null()));
        viewer.send(json!({ "do": "restart" }));
        viewer.until(|v| v.time == 0.0);
        assert_eq!(viewer.positions[0], start);
        viewer.send(json!({ "do": "gravity", "value": [0, 0, 0] }));
        viewer.send(json!({ "do": "speed", "value": 4 }));
        viewer.send(json!({ "do": "play" }));
        viewer.until(|v| v.time > stopped + 0.5);
    });
}

#[test]
fn messages_that_are_no_commands_change_nothing() {
    session(CLOTH, SessionOptions { playing: false, ..SessionOptions::default() }, |url| {
        let mut viewer = Viewer::new(url);
        viewer.send(json!({ "do": "fly" }));
        assert!(text(&mut viewer, "error")["message"].as_str().unwrap().contains("fly"));
        // Random bytes and cut messages, below the limit of their rate.
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize
        };
        let whole = json!({ "do": "grab", "ray": Viewer::ray(Vec3::ONE, Vec3::NEG_Y) }).to_string();
        for _ in 0..100 {
            let mut text: Vec<u8> = whole[..random() % whole.len()].into();
            let bytes = text.len();
            if bytes > 0 {
                text[random() % bytes] = (32 + random() % 90) as u8;
            }
            viewer.socket.send(Message::text(String::from_utf8(text).unwrap())).unwrap();
            viewer.socket.send(Message::binary(vec![random() as u8; random() % 64])).unwrap();
            std::thread::sleep(Duration::from_millis(9));
        }
        viewer.send(json!({ "do": "step" }));
        viewer.until(|v| v.time > 0.0);
        // Too long a message, and too many, end their connection only.
        let mut long = Viewer::new(url);
        let _ = long.socket.send(Message::text("x".repeat(10_000)));
        assert!((0..1000).any(|_| long.socket.read().is_err()));
        let mut flood = Viewer::new(url);
        assert!((0..100_000).any(|_| flood.socket.send(Message::text("{}")).is_err()));
        let time = viewer.time;
        viewer.send(json!({ "do": "step" }));
        viewer.until(|v| v.time > time);
    });
}

#[test]
fn strangers_are_refused_and_half_open_connections_do_not_block() {
    session(CLOTH, SessionOptions::default(), |url| {
        let ask = |head: String| {
            let mut stream = TcpStream::connect(address(url)).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            let mut answer = String::new();
            let _ = stream.read_to_string(&mut answer);
            answer
        };
        let path = &url[url.rfind('/').unwrap()..];
        let page = ask(format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", address(url)));
        assert!(
            page.starts_with("HTTP/1.1 200") && page.contains("Content-Security-Policy") && page.contains("</html>")
        );
        assert!(page.len() < 150_000, "{} bytes", page.len());
        assert!(!page.contains("src=\"http") && !page.contains("{script}") && !page.contains("{nonce}"));
        assert!(ask(format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", address(url))).starts_with("HTTP/1.1 403"));
        assert!(ask(format!("GET {path} HTTP/1.1\r\nHost: evil.example\r\n\r\n")).starts_with("HTTP/1.1 403"));
        // Connections that say nothing, more than there is room for.
        let silent: Vec<_> = (0..80).map(|_| TcpStream::connect(address(url)).unwrap()).collect();
        std::thread::sleep(Duration::from_millis(300));
        drop(silent);
        std::thread::sleep(Duration::from_millis(300));
        let mut viewer = Viewer::new(url);
        let time = viewer.time;
        viewer.until(|v| v.time > time + 0.1);
    });
}

#[test]
fn a_viewer_that_does_not_read_slows_nobody_and_misses_frames_only() {
    session(CLOTH, SessionOptions::default(), |url| {
        let mut slow = Viewer::new(url);
        let mut quick = Viewer::new(url);
        let from = quick.time;
        quick.until(|v| v.time > from + 2.0);
        let (seen, now) = (quick.frames, quick.time);
        assert!(seen > 30, "{seen} frames");
        // It catches up with the present in far fewer frames than there were steps.
        let before = slow.frames;
        slow.until(|v| v.time >= now);
        assert!(slow.frames > before);
    });
}

#[test]
fn a_recording_is_a_page_that_holds_its_frames() {
    let options = SessionOptions { record: true, ..SessionOptions::default() };
    let session = session(CLOTH, options, |url| {
        let mut viewer = Viewer::new(url);
        viewer.until(|v| v.time > 0.5);
    });
    let (page, full) = session.recording().unwrap();
    assert!(!full);
    let code = page.split("id=\"recording\">").nth(1).unwrap().split('<').next().unwrap();
    // Half a second at 30 frames a second, of 121 + 36 points.
    assert!(code.len() > 15 * 121 * 6 && page.contains("</html>"), "{} bytes", code.len());
}
