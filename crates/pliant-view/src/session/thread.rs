//! The session on a thread of its own: commands go in, the latest view comes out. However long a step takes, the window goes
//! on.

use crate::session::{Command, FileWatch, Session, SessionOptions, View};
use crate::session::{Loaded, SceneSource};
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Shortest time between two views.
const FRAME: Duration = Duration::from_millis(16);

/// Age at which a view that nobody has taken is made anew. Until then a window that draws slowly, or not at all, costs nothing.
const STALE: Duration = Duration::from_millis(100);

/// Time of stepping between two looks at commands, at least and at most.
const LEAST_BUSY: Duration = Duration::from_millis(20);
const MOST_BUSY: Duration = Duration::from_millis(120);

/// Longest time without steps while a software driver draws.
const LONGEST_YIELD: Duration = Duration::from_secs(1);

/// Time between two looks at the scene's file.
const WATCH: Duration = Duration::from_millis(300);

/// What the thread hands over: the latest view, or why there will be none.
#[derive(Default)]
struct Slot {
    view: Option<View>,
    ended: Option<String>,
    /// Until when the processor is left to the window, which draws in software.
    yields: Option<Instant>,
    /// How long it has drawn.
    drawn_for: Duration,
}

/// A session that runs.
pub struct SessionThread {
    commands: Option<Sender<Command>>,
    slot: Arc<Mutex<Slot>>,
    thread: Option<JoinHandle<()>>,
}

impl SessionThread {
    /// Starts a session. `wake` is called when there is something new to take.
    pub fn start(
        loaded: Loaded,
        source: Box<dyn SceneSource>,
        options: SessionOptions,
        wake: impl Fn() + Send + 'static,
    ) -> io::Result<Self> {
        let (commands, arriving) = channel();
        let slot = Arc::new(Mutex::new(Slot::default()));
        let handed = slot.clone();
        let run = move || {
            let ended = run(loaded, source, options, &arriving, &handed, &wake);
            if let Err(text) = ended {
                handed.lock().unwrap_or_else(PoisonError::into_inner).ended = Some(text);
                wake();
            }
        };
        let thread = std::thread::Builder::new().name("pliant-session".into()).spawn(run)?;
        Ok(Self { commands: Some(commands), slot, thread: Some(thread) })
    }

    /// Gives a command. One that comes after the end is lost.
    pub fn send(&self, command: Command) {
        if let Some(commands) = &self.commands {
            let _ = commands.send(command);
        }
    }

    /// The latest view, unless it was taken before.
    pub fn take(&self) -> Option<View> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner).view.take()
    }

    /// Asks the session to make no steps, or to go on. Where a software driver draws, both would share the processor's cores,
    /// and threads of a step that wait for each other would make it several times as long.
    pub fn set_yielding(&self, yielding: bool) {
        let mut slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if let (false, Some(until)) = (yielding, slot.yields) {
            slot.drawn_for = (now + LONGEST_YIELD).saturating_duration_since(until);
        }
        slot.yields = yielding.then(|| now + LONGEST_YIELD);
    }

    /// Why the session has ended by itself, if it has: the device is lost, or there was a panic.
    pub fn ended(&self) -> Option<String> {
        if let Some(text) = &self.slot.lock().unwrap_or_else(PoisonError::into_inner).ended {
            return Some(text.clone());
        }
        let finished = self.thread.as_ref().is_some_and(JoinHandle::is_finished);
        finished.then(|| "the simulation has ended because of a bug".to_owned())
    }
}

impl Drop for SessionThread {
    fn drop(&mut self) {
        // The thread ends when nobody can send to it, after the step it is in.
        drop(self.commands.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(
    loaded: Loaded,
    source: Box<dyn SceneSource>,
    options: SessionOptions,
    arriving: &Receiver<Command>,
    slot: &Mutex<Slot>,
    wake: &dyn Fn(),
) -> Result<(), String> {
    let file = source.file().map(ToOwned::to_owned);
    let mut watch = FileWatch::default();
    file.as_ref().map(|file| watch.has_changed(file));
    let mut session = Session::new(loaded, source, options).map_err(|e| e.to_string())?;
    let (mut shown, mut looked) = (None::<Instant>, Instant::now());
    loop {
        let wait = if session.is_playing() || session.has_changed() { 1 } else { 50 };
        match arriving.recv_timeout(Duration::from_millis(wait)) {
            Ok(first) => {
                let mut all = vec![first];
                while let Ok(command) = arriving.try_recv() {
                    match all.last_mut() {
                        Some(last) if command.replaces(last) => *last = command,
                        _ => all.push(command),
                    }
                }
                all.into_iter().for_each(|command| session.obey(command));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        if looked.elapsed() >= WATCH {
            looked = Instant::now();
            if file.as_ref().is_some_and(|file| watch.has_changed(file)) {
                session.reload();
            }
        }
        let (waiting, yields, drawn_for) = {
            let slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
            (slot.view.is_some(), slot.yields.is_some_and(|until| Instant::now() < until), slot.drawn_for)
        };
        if !yields {
            // As long as a software driver draws, the world is stepped.
            session.advance(drawn_for.clamp(LEAST_BUSY, MOST_BUSY)).map_err(|e| e.to_string())?;
        }
        let pause = if waiting { STALE } else { FRAME };
        if session.has_changed() && shown.is_none_or(|at| at.elapsed() >= pause) {
            shown = Some(Instant::now());
            let mut view = session.view().map_err(|e| e.to_string())?;
            let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
            // Messages of a view that nobody took are not lost.
            if let Some(missed) = slot.view.take() {
                view.notices.splice(0..0, missed.notices);
            }
            slot.view = Some(view);
            drop(slot);
            wake();
        }
    }
}
