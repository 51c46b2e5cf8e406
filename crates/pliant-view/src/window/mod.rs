//! The window: events come in, commands go to the session, its latest view is drawn with the panels.

mod device;
mod error;
mod frame;
mod input;
mod save;
mod video;

pub use error::WindowError;

use crate::camera::Camera;
use crate::scene_draw::{Look, SceneRenderer};
use crate::session::{Command, Loaded, Notice, Observed, SceneSource, SessionOptions, SessionThread, View};
use crate::ui::{self, UiState, WindowInfo};
use crate::ui_paint::UiPainter;
use device::WindowDevice;
use egui::Rect;
use input::Pointer;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use video::Video;
use winit::application::ApplicationHandler;
use winit::dpi::LogicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy};
use winit::window::{Window, WindowId};

/// Options of a window.
#[derive(Clone, Debug)]
pub struct WindowOptions {
    /// Options of the session.
    pub session: SessionOptions,
    /// Folder of files that are written.
    pub folder: PathBuf,
    /// The window closes after this real time [s].
    pub seconds: Option<f64>,
}

/// There is something new to show.
#[derive(Clone, Copy, Debug)]
struct Wake;

/// Opens a window onto a scene, and returns when it is closed.
pub fn run(loaded: Loaded, source: Box<dyn SceneSource>, options: WindowOptions) -> Result<(), WindowError> {
    let event_loop = EventLoop::<Wake>::with_user_event().build().map_err(WindowError::no_display)?;
    let mut app = App {
        proxy: event_loop.create_proxy(),
        ends: options.seconds.map(|s| Instant::now() + Duration::from_secs_f64(s)),
        begin: Some((loaded, source)),
        options,
        open: None,
        failed: None,
    };
    event_loop.run_app(&mut app).map_err(WindowError::no_display)?;
    app.failed.map_or(Ok(()), Err)
}

/// The program before and while its window is open.
struct App {
    proxy: EventLoopProxy<Wake>,
    options: WindowOptions,
    begin: Option<(Loaded, Box<dyn SceneSource>)>,
    open: Option<OpenWindow>,
    ends: Option<Instant>,
    failed: Option<WindowError>,
}

impl App {
    fn open(&mut self, event_loop: &ActiveEventLoop) -> Result<(), WindowError> {
        let Some((loaded, source)) = self.begin.take() else { return Ok(()) };
        let attributes = Window::default_attributes()
            .with_title(format!("{} – Pliant", source.name()))
            .with_inner_size(LogicalSize::new(1280.0, 800.0));
        let window = event_loop.create_window(attributes).map_err(WindowError::no_display)?;
        let window = Arc::new(window);
        let device = WindowDevice::open(&window).map_err(WindowError::Device)?;
        let proxy = self.proxy.clone();
        // The window may be gone already; then nobody is to be woken.
        let wake = move || {
            let _ = proxy.send_event(Wake);
        };
        let session = SessionThread::start(loaded, source, self.options.session, wake).map_err(WindowError::Thread)?;
        self.open = Some(OpenWindow::new(window, device, session, self.options.folder.clone()));
        Ok(())
    }
}

impl ApplicationHandler<Wake> for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if let Err(error) = self.open(event_loop) {
            self.failed = Some(error);
            event_loop.exit();
        }
    }

    fn user_event(&mut self, _: &ActiveEventLoop, _: Wake) {
        if let Some(open) = &self.open {
            open.window.request_redraw();
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(open) = &mut self.open else { return };
        match event {
            WindowEvent::CloseRequested | WindowEvent::Destroyed => event_loop.exit(),
            WindowEvent::RedrawRequested => {
                if let Err(error) = open.redraw() {
                    self.failed = Some(error);
                    event_loop.exit();
                }
            }
            event => open.take_event(&event),
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let now = Instant::now();
        if self.ends.is_some_and(|at| now >= at) {
            event_loop.exit();
            return;
        }
        let repaint = self.open.as_mut().and_then(|open| open.next_repaint(now));
        let next = [self.ends, repaint].into_iter().flatten().min();
        event_loop.set_control_flow(next.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        if let Some(open) = &mut self.open {
            // A video that is being written is completed.
            open.end_video();
        }
        // The session ends after its step, and the surface goes before the window.
        self.open = None;
    }
}

/// An open window.
struct OpenWindow {
    window: Arc<Window>,
    device: WindowDevice,
    session: SessionThread,
    renderer: SceneRenderer,
    painter: UiPainter,
    egui: egui_winit::State,
    ui: UiState,
    info: WindowInfo,
    folder: PathBuf,
    view: View,
    camera: Camera,
    pointer: Pointer,
    video: Option<Video>,
    /// The part of the window that shows the picture [points].
    place: Rect,
    /// What the picture was drawn with, to draw it again only when it changes.
    drawn: Option<Drawn>,
    /// What the session was asked to measure.
    asked: Observed,
    repaint_at: Option<Instant>,
    /// When a picture that was drawn coarsely, as it moved, is drawn again.
    refine_at: Option<Instant>,
    hidden: bool,
}

/// What a picture was drawn with.
#[derive(Clone, Copy, PartialEq)]
struct Drawn {
    camera: Camera,
    look: Look,
    size: (u32, u32),
}

impl OpenWindow {
    fn new(window: Arc<Window>, device: WindowDevice, session: SessionThread, folder: PathBuf) -> Self {
        let ctx = egui::Context::default();
        ui::set_style(&ctx);
        let side = device.device.limits().max_texture_dimension_2d as usize;
        let scale = Some(window.scale_factor() as f32);
        let egui = egui_winit::State::new(ctx, egui::ViewportId::ROOT, &window, scale, None, Some(side));
        let info = WindowInfo {
            adapter: device.name.clone(),
            software: device.software,
            folder: folder.display().to_string(),
            ..WindowInfo::default()
        };
        let mut this = Self {
            renderer: SceneRenderer::new(&device.device, &device.queue, device.software),
            painter: UiPainter::new(&device.device, &device.queue, device.format),
            egui,
            ui: UiState::default(),
            info,
            folder,
            view: View::default(),
            camera: Camera::default(),
            pointer: Pointer::default(),
            video: None,
            place: Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(1280.0, 800.0)),
            drawn: None,
            asked: Observed::default(),
            repaint_at: None,
            refine_at: None,
            hidden: false,
            window,
            device,
            session,
        };
        if this.info.software {
            let text = format!("There is no GPU: {} draws in software, which is slow.", this.info.adapter);
            this.tell(text, false);
        }
        this.window.request_redraw();
        this
    }

    fn tell(&mut self, text: String, error: bool) {
        self.ui.tell([Notice { text, error }]);
        self.window.request_redraw();
    }

    fn ask(&self, command: Command) {
        self.session.send(command);
    }

    /// When the window is to be drawn again without an event. What is due is requested.
    fn next_repaint(&mut self, now: Instant) -> Option<Instant> {
        let at = [self.repaint_at, self.refine_at].into_iter().flatten().min()?;
        if now >= at {
            self.repaint_at = None;
            self.window.request_redraw();
            return None;
        }
        Some(at)
    }

    fn take_event(&mut self, event: &WindowEvent) {
        match event {
            WindowEvent::Resized(size) => {
                // A minimized window has no pixels.
                self.hidden = size.width == 0 || size.height == 0;
                if !self.hidden {
                    self.device.resize(size.width, size.height);
                    self.window.request_redraw();
                }
            }
            WindowEvent::Occluded(hidden) => {
                self.hidden = *hidden;
                if !hidden {
                    self.window.request_redraw();
                }
            }
            _ => {}
        }
        if self.is_key_of_ours(event) {
            self.take_key(event);
            return;
        }
        let response = self.egui.on_window_event(&self.window, event);
        if response.repaint {
            self.window.request_redraw();
        }
        self.take_pointer(event);
    }
}
