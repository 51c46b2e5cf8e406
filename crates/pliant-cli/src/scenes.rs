//! `pliant scenes`: the list of built-in scenes; `gallery.rs` draws them.

use crate::args::{Overrides, ScenesArgs};
use crate::builtin::{Builtin, SCENES};
use crate::failure::Failure;
use crate::formatting;
use crate::gallery::gallery;
use crate::scene_loader::LoadedScene;
use crate::stdout;
use pliant::Backend;
use pliant::scene::{Scene, Soft};
use pliant::schedule::stats::Counts;
use serde::Serialize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

#[derive(Serialize)]
struct SceneEntry {
    name: &'static str,
    title: String,
    particles: Option<usize>,
    constraints: Option<Counts>,
    /// Reason for missing counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

pub fn scenes(args: &ScenesArgs) -> Result<(), Failure> {
    if let Some(folder) = &args.gallery {
        return gallery(args, folder);
    }
    if args.processor.backend()? != Backend::Cpu {
        return Err(Failure::usage("--backend says what draws a gallery").help("add --gallery DIR"));
    }
    let entries = build_all(args.models.as_deref())?;
    if args.json {
        return stdout::json(&entries);
    }
    let width = entries.iter().map(|e| e.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for entry in &entries {
        text.push_str(&format!("{:width$}  {}\n", entry.name, entry.title));
        let line = match (&entry.note, entry.particles, &entry.constraints) {
            (None, Some(n), Some(c)) => {
                format!("{} particles; constraints: {}", formatting::grouped(n), formatting::counts(c))
            }
            (Some(note), Some(n), _) => format!("{} particles; {note}", formatting::grouped(n)),
            (note, _, _) => format!("not available: {}", note.as_deref().unwrap_or_default()),
        };
        text.push_str(&format!("{:width$}    {line}\n", ""));
    }
    text.push_str("\nNext: pliant run NAME, or pliant check NAME\n");
    stdout::text(&text)
}

/// Scenes with more particles are not built for the list.
pub const MAX_LISTED_PARTICLES: u64 = 500_000;

/// Builds all scenes, on all cores.
fn build_all(models: Option<&Path>) -> Result<Vec<SceneEntry>, Failure> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(SCENES.len()));
    let work = || {
        while let Some(scene) = SCENES.get(next.fetch_add(1, Ordering::Relaxed)) {
            let entry = entry(scene, models);
            done.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(SCENES.len());
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // This thread is a worker too, so an error here only makes the list slower.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let mut entries =
        done.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(|e| SCENES.iter().position(|s| s.name == e.name));
    Ok(entries)
}

fn entry(scene: &Builtin, models: Option<&Path>) -> Result<SceneEntry, Failure> {
    let overrides = Overrides { models: models.map(Path::to_path_buf), ..Overrides::default() };
    let mut loaded = LoadedScene::new(scene.name, &[], &overrides)?;
    loaded.quiet = true;
    let title = loaded.scene.title.clone();
    let name = scene.name;
    let blocks = block_particles(&loaded.scene);
    if blocks > MAX_LISTED_PARTICLES {
        let note = Some(format!("large; `pliant check {name}` counts its constraints"));
        return Ok(SceneEntry { name, title, particles: usize::try_from(blocks).ok(), constraints: None, note });
    }
    Ok(match loaded.simulation(1, Backend::Cpu) {
        Ok(sim) => {
            SceneEntry { name, title, particles: Some(sim.particles()), constraints: Some(sim.counts()), note: None }
        }
        Err(failure) => {
            SceneEntry { name, title, particles: None, constraints: None, note: Some(failure.message().to_owned()) }
        }
    })
}

/// Number of particles of the soft blocks of a scene, which all large scenes consist of.
pub fn block_particles(scene: &Scene) -> u64 {
    let product = |numbers: [u32; 3], more: u64| numbers.iter().map(|&n| u64::from(n) + more).product::<u64>();
    let particles = |s: &Soft| {
        let copies = s.array.map_or(1, |a| product(a.count, 0));
        s.block.map_or(0, |b| product(b.cells, 1).saturating_mul(copies))
    };
    scene.soft.iter().map(particles).fold(0, u64::saturating_add)
}
