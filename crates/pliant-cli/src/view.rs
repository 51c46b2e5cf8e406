//! `pliant view`: a running scene in a window.

use crate::args::{Overrides, ViewArgs};
use crate::failure::Failure;
use crate::run::snapshot_in;
use crate::scene_loader::{LoadedScene, Setting};
use crate::stderr;
use pliant::{Backend, World};
use pliant_view::{Loaded, SceneSource, SessionOptions, WindowError, WindowOptions};
use std::fs;
use std::path::{Path, PathBuf};

pub fn view(args: &ViewArgs) -> Result<(), Failure> {
    let settings: Vec<Setting> = args.overrides.sets.iter().map(|s| Setting::set(s)).collect();
    let loaded = LoadedScene::new(&args.scene, &settings, &args.overrides)?;
    let backend = args.processor.backend()?;
    let mut world = loaded.simulation(args.threads, backend)?;
    if !args.quiet {
        world.model().notes.iter().for_each(|note| stderr::note(&format!("note: {note}")));
    }
    if let Some(path) = &args.snapshot {
        restore(&mut world, path)?;
    }
    let options = WindowOptions {
        session: SessionOptions { playing: !args.paused, ..SessionOptions::default() },
        folder: args.out.clone().unwrap_or_else(|| Path::new("out").join(&loaded.name)),
        seconds: args.seconds,
    };
    let source = SceneFile {
        spec: args.scene.clone(),
        name: loaded.name.clone(),
        file: loaded.file().map(Path::to_path_buf),
        settings,
        overrides: args.overrides.clone(),
        threads: args.threads,
        backend,
    };
    let begin = Loaded { world, scene: loaded.scene };
    pliant_view::run(begin, Box::new(source), options).map_err(to_failure)
}

fn restore(world: &mut World, path: &Path) -> Result<(), Failure> {
    let place = || path.display().to_string();
    let bytes = fs::read(path).map_err(|e| Failure::io("cannot read the snapshot", &e).at(place()))?;
    let refuse = |e: pliant::SnapshotError| Failure::scene(e.to_string()).at(place());
    let snapshot = world.snapshot_from_bytes(snapshot_in(&bytes)).map_err(refuse)?;
    world.restore(&snapshot).map_err(refuse)
}

/// The scene as the command line names it.
struct SceneFile {
    spec: String,
    name: String,
    file: Option<PathBuf>,
    settings: Vec<Setting>,
    overrides: Overrides,
    threads: usize,
    backend: Backend,
}

impl SceneSource for SceneFile {
    fn name(&self) -> &str {
        &self.name
    }

    fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    fn load(&mut self) -> Result<Loaded, String> {
        let build = || {
            let mut loaded = LoadedScene::new(&self.spec, &self.settings, &self.overrides)?;
            loaded.quiet = true;
            let world = loaded.simulation(self.threads, self.backend)?;
            Ok(Loaded { world, scene: loaded.scene })
        };
        build().map_err(|failure: Failure| failure.text())
    }
}

fn to_failure(error: WindowError) -> Failure {
    let failure = Failure::resource(error.to_string().lines().collect::<Vec<_>>().join(" "));
    match error {
        WindowError::NoDisplay(_) => {
            failure.help("a window needs a display; without one watch in a browser: pliant serve SCENE")
        }
        WindowError::Device(_) => failure
            .help("install a Vulkan driver (on Debian: apt install mesa-vulkan-drivers), or watch in a browser: pliant serve SCENE"),
        WindowError::Thread(_) => failure,
    }
}
