//! `pliant serve`: a running scene in a browser.

use crate::args::ServeArgs;
use crate::failure::Failure;
use crate::scene_loader::{LoadedScene, Setting};
use crate::{stderr, stdout};
use pliant_serve::{Listener, ServeError, Session, SessionError, SessionOptions};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub fn serve(args: &ServeArgs) -> Result<(), Failure> {
    let settings: Vec<Setting> = args.overrides.sets.iter().map(|s| Setting::set(s)).collect();
    let loaded = LoadedScene::new(&args.scene, &settings, &args.overrides)?;
    let world = loaded.simulation(args.threads, args.processor.backend()?)?;
    if !args.quiet {
        world.model().notes.iter().for_each(|note| stderr::note(&format!("note: {note}")));
    }
    let listener = Listener::bind(SocketAddr::new(args.bind, args.port)).map_err(|e| to_failure(e.into()))?;
    let options = SessionOptions { playing: !args.paused, record: args.record.is_some(), ..SessionOptions::default() };
    let mut session = Session::new(world, &loaded.scene, &loaded.name, options)?;
    if listener.is_public() {
        stderr::note("warning: other machines can connect, unencrypted, if they know the address with its secret");
    }
    stdout::text(&format!("{}\n", listener.url()))?;
    if !args.quiet {
        stderr::note("open this address in a browser; Ctrl-C ends");
    }
    let stop = Arc::new(AtomicBool::new(false));
    stop_on_interrupt(&stop)?;
    if let Some(seconds) = args.seconds {
        let stop = stop.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs_f64(seconds));
            stop.store(true, Ordering::Relaxed);
        });
    }
    let end = session.run(listener, &stop).map_err(to_failure);
    // What was seen is kept also where the session failed.
    if let (Some(path), Some((page, full))) = (&args.record, session.recording()) {
        pliant_io::write_atomically(path, |file| file.write_all(page.as_bytes()))?;
        if full {
            stderr::note("note: the recording is full; what came later is left out");
        }
        if !args.quiet {
            stderr::note(&format!("wrote {}", path.display()));
        }
    }
    end
}

/// The first Ctrl-C ends the session, the second the process.
fn stop_on_interrupt(stop: &Arc<AtomicBool>) -> Result<(), Failure> {
    let stop = stop.clone();
    let handler = ctrlc::set_handler(move || {
        if stop.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    handler.map_err(|e| Failure::resource(format!("cannot listen for Ctrl-C: {e}")))
}

fn to_failure(error: SessionError) -> Failure {
    match error {
        SessionError::Step(error) => error.into(),
        SessionError::Serve(error @ ServeError::Address(..)) => {
            Failure::resource(error.to_string()).help("take another --port, or 0 for a free one")
        }
        SessionError::Serve(error) => Failure::resource(error.to_string()),
    }
}
