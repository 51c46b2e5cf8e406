//! An X server without a screen, and a window on it that is used with real pointer and key events.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use x11rb::CURRENT_TIME;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ConfigureWindowAux, ConnectionExt, ImageFormat, InputFocus,
    KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MOTION_NOTIFY_EVENT, MapState, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// Size of the display [px].
pub const SIZE: (u16, u16) = (1280, 900);

/// Longest time for anything that is waited for: a software driver compiles its shaders at first use.
const PATIENCE: Duration = Duration::from_secs(40);

/// An X server.
pub struct Display {
    server: Child,
    name: String,
    x: RustConnection,
    root: Window,
}

impl Display {
    /// Starts Xvfb, if it is there.
    pub fn start() -> Option<Self> {
        let size = format!("{}x{}x24", SIZE.0, SIZE.1);
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", &size, "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut number = String::new();
        BufReader::new(server.stdout.take()?).read_line(&mut number).ok()?;
        let name = format!(":{}", number.trim());
        let (x, screen) = x11rb::connect(Some(&name)).expect("Xvfb runs, but refuses a connection");
        let root = x.setup().roots[screen].root;
        Some(Self { server, name, x, root })
    }

    /// Starts `pliant view` and waits for its window and its first picture.
    pub fn view(&self, folder: &Path, args: &[&str]) -> ViewWindow<'_> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        command.current_dir(folder).arg("view").args(args).args(["--quiet", "--out", "out"]);
        command.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        let program = command.stderr(Stdio::piped()).spawn().unwrap();
        let out = folder.join("out");
        let mut window = ViewWindow { display: self, program, window: 0, out, saved: 0 };
        wait_for("the window", || {
            assert!(window.program.try_wait().unwrap().is_none(), "the program has ended");
            window.window = self.mapped_window().unwrap_or(0);
            window.window != 0
        });
        // Where the test expects it, whatever the default size.
        let place = ConfigureWindowAux::new().x(0).y(0).width(u32::from(SIZE.0)).height(u32::from(SIZE.1));
        self.x.configure_window(window.window, &place).unwrap();
        self.x.set_input_focus(InputFocus::PARENT, window.window, CURRENT_TIME).unwrap();
        self.x.flush().unwrap();
        wait_for("the first picture", || {
            let image = self.image();
            let corner = image.at(SIZE.0 - 4, SIZE.1 - 4);
            corner != [0; 3] && image.at(SIZE.0 / 2, SIZE.1 / 2) != [0; 3]
        });
        window
    }

    fn mapped_window(&self) -> Option<Window> {
        let tree = self.x.query_tree(self.root).ok()?.reply().ok()?;
        tree.children.into_iter().find(|&child| {
            let attributes = self.x.get_window_attributes(child).ok().and_then(|c| c.reply().ok());
            let large = self.x.get_geometry(child).ok().and_then(|c| c.reply().ok()).is_some_and(|g| g.width > 200);
            large && attributes.is_some_and(|a| a.map_state == MapState::VIEWABLE)
        })
    }

    /// What is on the display.
    pub fn image(&self) -> Pixels {
        let all = !0;
        let reply = self.x.get_image(ImageFormat::Z_PIXMAP, self.root, 0, 0, SIZE.0, SIZE.1, all).unwrap();
        Pixels(reply.reply().unwrap().data)
    }

    fn fake(&self, kind: u8, detail: u8, at: (i16, i16)) {
        self.x.xtest_fake_input(kind, detail, CURRENT_TIME, self.root, at.0, at.1, 0).unwrap();
        self.x.sync_all();
    }
}

/// Waits until the server has done all that was asked.
trait Sync {
    fn sync_all(&self);
}

impl Sync for RustConnection {
    fn sync_all(&self) {
        self.get_input_focus().unwrap().reply().unwrap();
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Pixels of the display: blue, green, red and nothing.
#[derive(PartialEq)]
pub struct Pixels(Vec<u8>);

impl Pixels {
    /// Red, green and blue.
    pub fn at(&self, x: u16, y: u16) -> [u8; 3] {
        let at = 4 * (usize::from(y) * usize::from(SIZE.0) + usize::from(x));
        [self.0[at + 2], self.0[at + 1], self.0[at]]
    }

    /// How many pixels of a rectangle are of a color, nearly.
    pub fn count(&self, (x, y, width, height): (u16, u16, u16, u16), color: [u8; 3]) -> usize {
        let near = |p: [u8; 3]| p.iter().zip(color).all(|(a, b)| a.abs_diff(b) < 12);
        (y..y + height).flat_map(|y| (x..x + width).map(move |x| (x, y))).filter(|&(x, y)| near(self.at(x, y))).count()
    }

    /// How many pixels differ.
    pub fn differences(&self, other: &Self) -> usize {
        self.0.chunks_exact(4).zip(other.0.chunks_exact(4)).filter(|(a, b)| a[..3] != b[..3]).count()
    }
}

/// A running `pliant view`.
pub struct ViewWindow<'a> {
    display: &'a Display,
    program: Child,
    window: Window,
    out: PathBuf,
    saved: usize,
}

impl ViewWindow<'_> {
    /// Moves the pointer.
    pub fn point(&self, x: i16, y: i16) {
        self.display.fake(MOTION_NOTIFY_EVENT, 0, (x, y));
        std::thread::sleep(Duration::from_millis(20));
    }

    /// Presses a button of the mouse.
    pub fn press(&self, button: u8) {
        self.display.fake(BUTTON_PRESS_EVENT, button, (0, 0));
    }

    /// Lets it go.
    pub fn release(&self, button: u8) {
        self.display.fake(BUTTON_RELEASE_EVENT, button, (0, 0));
    }

    /// Presses and lets go a key by its symbol: Latin letters are their own codes.
    pub fn key(&self, symbol: u32) {
        let x = &self.display.x;
        let (low, high) = (x.setup().min_keycode, x.setup().max_keycode);
        let map = x.get_keyboard_mapping(low, high - low + 1).unwrap().reply().unwrap();
        let per = usize::from(map.keysyms_per_keycode);
        let place = map.keysyms.chunks(per).position(|symbols| symbols[0] == symbol).expect("no such key");
        let code = low + place as u8;
        self.display.fake(KEY_PRESS_EVENT, code, (0, 0));
        self.display.fake(KEY_RELEASE_EVENT, code, (0, 0));
    }

    /// Saves a snapshot by its key and returns its bytes.
    pub fn snapshot(&mut self) -> Vec<u8> {
        self.key(u32::from(b's'));
        self.saved += 1;
        let path = self.out.join(format!("scene-{:03}.snapshot", self.saved));
        wait_for("the snapshot", || path.exists());
        std::fs::read(&path).unwrap()
    }

    /// Resizes the window.
    pub fn resize(&self, width: u32, height: u32) {
        let size = ConfigureWindowAux::new().width(width).height(height);
        self.display.x.configure_window(self.window, &size).unwrap();
        self.display.x.sync_all();
    }

    /// Takes the window off the display, as a window manager does with minimized ones.
    pub fn hide(&self) {
        self.display.x.unmap_window(self.window).unwrap();
        self.display.x.sync_all();
    }

    /// Puts it back.
    pub fn show(&self) {
        self.display.x.map_window(self.window).unwrap();
        self.display.x.set_input_focus(InputFocus::PARENT, self.window, CURRENT_TIME).unwrap();
        self.display.x.sync_all();
    }

    /// The window, when it looks as wanted.
    pub fn seen(&self, what: &str, wanted: impl Fn(&Pixels) -> bool) -> Pixels {
        let mut image = self.display.image();
        wait_for(what, || {
            image = self.display.image();
            wanted(&image)
        });
        image
    }

    /// Asserts that the program still runs.
    pub fn assert_open(&mut self) {
        assert!(self.program.try_wait().unwrap().is_none(), "the program has ended");
    }
}

impl Drop for ViewWindow<'_> {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// Waits, but not forever.
pub fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < PATIENCE, "{what} did not come within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
