//! The page in a headless Chromium, driven through its debugging protocol with real pointer events.
//!
//! Without a browser the test prints that it was skipped; with `PLIANT_REQUIRE_BROWSER` set it fails.

#[path = "../../pliant/tests/support/skip.rs"]
mod skip;

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};
use pliant_serve::{Listener, Session, SessionOptions};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tungstenite::{Message, WebSocket};

const SCENE: &str = r#"
    [[cloth]]
    name = "sheet"
    grid = { cells = [12, 12], size = [1, 1], plane = "xz" }
    transform = { translate = [-0.5, 1, -0.5] }
    density = 0.3
    stretch = { modulus = 500 }
    pin = [{ at = "left edge" }, { at = "right edge" }]
    [[rope]]
    name = "rope"
    path = [[1, 1, 0], [1, 0.4, 0]]
    segments = 10
    radius = 0.02
    pin = [{ particles = [0] }]
    [[grains]]
    radius = 0.04
    fill = { min = [-0.2, 0.04, 0.8], max = [0.2, 0.3, 1.0] }
    [[collider]]
    sphere = { center = [-1, 0.2, 0], radius = 0.2 }
    [[collider]]
    plane = {}
    [camera]
    eye = [0, 3, 3]
    target = [0, 0.6, 0]
"#;

/// A browser with one page, and the socket of its debugger.
struct Browser {
    process: Child,
    socket: WebSocket<TcpStream>,
    next: u64,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts Chromium, if there is one.
    fn start() -> Option<Self> {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let profile = tempfile::tempdir().unwrap();
        let start = |name: &&str| {
            Command::new(name)
                .args(["--headless=new", "--no-sandbox", "--disable-gpu-sandbox", "--remote-debugging-port=0"])
                .args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--window-size=900,600"])
                .args(["--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage"])
                .arg(format!("--user-data-dir={}", profile.path().display()))
                .arg("about:blank")
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .ok()
        };
        let mut process = names.iter().find_map(start)?;
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
            line.strip_prefix("DevTools listening on ws://")
                .map(|rest| rest.split('/').next().unwrap_or_default().to_owned())
        })?;
        // A full pipe would stop the browser.
        std::thread::spawn(move || lines.for_each(drop));
        let page = page_address(&address);
        let stream = TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let (socket, _) = tungstenite::client(page, stream).unwrap();
        Some(Self { process, socket, next: 0, _profile: profile })
    }

    /// Calls a method of the debugging protocol.
    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let call = json!({ "id": self.next, "method": method, "params": parameters });
        self.socket.send(Message::text(call.to_string())).unwrap();
        loop {
            if let Message::Text(text) = self.socket.read().unwrap() {
                let answer: Value = serde_json::from_str(&text).unwrap();
                if answer["id"] == self.next {
                    assert!(answer["error"].is_null(), "{method}: {answer}");
                    return answer["result"].clone();
                }
            }
        }
    }

    /// Value of a JavaScript expression in the page.
    fn value(&mut self, expression: &str) -> Value {
        let result = self.call("Runtime.evaluate", json!({ "expression": expression, "returnByValue": true }));
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    fn number(&mut self, expression: &str) -> f64 {
        self.value(expression).as_f64().unwrap_or(f64::NAN)
    }

    /// Waits until an expression is true.
    fn until(&mut self, expression: &str) {
        let start = Instant::now();
        while self.value(expression) != json!(true) {
            assert!(start.elapsed() < Duration::from_secs(60), "never so: {expression}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn mouse(&mut self, kind: &str, [x, y]: [f64; 2]) {
        let (button, buttons) = ("left", i32::from(kind != "mouseReleased"));
        let event = json!({ "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1 });
        self.call("Input.dispatchMouseEvent", event);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Debugger address of the page, from the browser's list.
fn page_address(address: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /json/list HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    std::io::Read::read_exact(&mut reader, &mut body).unwrap();
    let pages: Value = serde_json::from_slice(&body).unwrap();
    let page = pages.as_array().unwrap().iter().find(|p| p["type"] == "page").unwrap();
    page["webSocketDebuggerUrl"].as_str().unwrap().to_owned()
}

#[test]
fn the_page_draws_and_a_mouse_pulls_the_cloth_and_rewinds() {
    let Some(mut browser) = Browser::start() else {
        assert!(std::env::var_os("PLIANT_REQUIRE_BROWSER").is_none(), "no Chromium");
        return skip::skipped("no Chromium");
    };
    let scene = Scene::parse(SCENE, Format::Toml).unwrap();
    let world = World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap();
    let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let (url, stop) = (listener.url(), Arc::new(AtomicBool::new(false)));
    let ended = stop.clone();
    std::thread::scope(|scope| {
        let running = scope.spawn(move || {
            let options = SessionOptions { playing: false, ..SessionOptions::default() };
            let mut session = Session::new(world, &scene, "browser", options).unwrap();
            session.run(listener, &ended).unwrap();
        });
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| play(&mut browser, &url)));
        stop.store(true, Ordering::Relaxed);
        running.join().unwrap();
        if let Err(panic) = played {
            std::panic::resume_unwind(panic);
        }
    });
}

fn play(browser: &mut Browser, url: &str) {
    browser.call("Page.enable", json!({}));
    browser.call("Page.navigate", json!({ "url": url }));
    browser.until("typeof frame !== 'undefined' && frame !== null && renderer.scene !== null");
    assert_eq!(browser.value("renderer.gl.getError()"), json!(0));
    // Something is drawn: the colors of the picture vary.
    browser.until("(renderer.draw(camera, 'object'), renderer.canvas.width > 100)");
    let pixels = "(() => { const gl = renderer.gl, n = 4 * gl.drawingBufferWidth * gl.drawingBufferHeight, p = new Uint8Array(n); \
                  gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, p); \
                  const seen = new Set(); for (let k = 0; k < n; k += 4) seen.add(p[k] << 16 | p[k + 1] << 8 | p[k + 2]); \
                  return seen.size; })()";
    let colors = browser.number(pixels);
    assert!(colors > 500.0, "{colors} colors");
    let start = browser.value("Array.from(renderer.scene.positions)");

    // The middle of the sheet is pulled up with the mouse.
    let height = "renderer.scene.positions[3 * (6 * 13 + 6) + 1]";
    let at = "(() => { const p = renderer.scene.positions, i = 3 * (6 * 13 + 6), d = sub([p[i], p[i + 1], p[i + 2]], camera.eye), a = axes(); \
              const t = Math.tan(camera.fov / 2), box = canvas.getBoundingClientRect(), w = -dot(d, a.z); \
              return [(dot(d, a.x) / w / t / (box.width / box.height) + 1) / 2 * box.width, (1 - dot(d, a.y) / w / t) / 2 * box.height]; })()";
    let place = browser.value(at);
    let [x, y] = [place[0].as_f64().unwrap(), place[1].as_f64().unwrap()];
    browser.mouse("mouseMoved", [x, y]);
    browser.mouse("mousePressed", [x, y]);
    browser.until("grip !== null && grip.held");
    assert_eq!(browser.value("grip.object"), json!("sheet"));
    browser.value("send({ do: 'play' })");
    for k in 1..=10 {
        browser.mouse("mouseMoved", [x, y - 6.0 * f64::from(k)]);
    }
    browser.until("frame.time > 0.8");
    let pulled = browser.number(height);
    assert!(pulled > 1.08, "pulled to {pulled} m");
    browser.mouse("mouseReleased", [x, y - 60.0]);
    browser.until("grip === null");

    // Dragging the background turns the view and grips nothing.
    let eye = browser.value("camera.eye");
    browser.mouse("mousePressed", [30.0, 120.0]);
    browser.until("grip !== null && (grip.missed || grip.held)");
    browser.mouse("mouseMoved", [90.0, 130.0]);
    browser.mouse("mouseMoved", [120.0, 140.0]);
    browser.mouse("mouseReleased", [120.0, 140.0]);
    assert_ne!(browser.value("camera.eye"), eye);

    // Back to the beginning: the same positions.
    browser.value("element('play').click()");
    browser.until("!status.playing");
    browser.value("send({ do: 'rewind', time: 0 })");
    browser.until("frame.time === 0");
    assert_eq!(browser.value("Array.from(renderer.scene.positions)"), start);

    // Every control does something without an error.
    for action in [
        "element('help-button').click()",
        "element('help-button').click()",
        "element('colors').value = 'speed', element('colors').onchange()",
        "element('gravity').value = -3, element('gravity').oninput({ target: element('gravity') })",
        "element('wind').value = 5, element('wind').oninput({ target: element('wind') })",
        "element('speed').value = -1, element('speed').oninput({ target: element('speed') })",
        "element('step').click()",
        "element('focus').click()",
    ] {
        browser.value(&format!("(() => {{ {action}; return true; }})()"));
    }
    browser.until("status.gravity[1] === -3 && status.speed === 0.5");
    browser.until("frame.time > 0");
    assert_eq!(browser.value("renderer.gl.getError()"), json!(0));
    // A lost connection is resumed.
    browser.value("socket.close()");
    browser.until("socket.readyState === 1 && element('notice').hidden");
    let now = browser.number("frame.time");
    browser.value("send({ do: 'step' })");
    browser.until(&format!("frame.time > {now}"));
    // A small screen.
    browser.call(
        "Emulation.setDeviceMetricsOverride",
        json!({ "width": 1, "height": 1, "deviceScaleFactor": 3, "mobile": true }),
    );
    browser.value("renderer.draw(camera, 'object')");
    assert_eq!(browser.value("renderer.gl.getError()"), json!(0));
}
