//! The output folder of a run: which one it is, its lock, and what an earlier run has left in it.
//!
//! Results of an earlier run stay until the new run has written its first frame: they are set aside in a folder within
//! the output folder, and come back if the new run is refused.

use super::lock::{self, FolderLock};
use super::stats::CSV_SIGNATURE;
use crate::failure::Failure;
use crate::{interrupt, stderr};
use pliant_io::{CacheFormat, is_temporary};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Name of the folder within the output folder that holds the results of an earlier run until the new one is accepted.
const ASIDE: &str = ".pliant-earlier";

/// Its name from then on, while it is removed.
const GONE: &str = ".pliant-gone";

/// Highest number that is tried for a new folder.
const MOST_FOLDERS: u32 = 10_000;

/// An output folder, locked.
pub struct OutputFolder {
    path: PathBuf,
    /// Name of the scene, after which videos are named.
    scene: String,
    /// Folders that were made for this run, the innermost first: they go if the run is refused.
    created: Vec<PathBuf>,
    /// Whether results of an earlier run are in it, to be replaced.
    occupied: bool,
    /// Whether they are set aside.
    aside: bool,
    lock: Option<FolderLock>,
}

impl OutputFolder {
    /// The folder of a new run. Results in a folder that the user has named are replaced with `force` only; without a
    /// named folder the run gets one of its own then: `out/flags`, `out/flags-2`, and so on.
    pub fn for_new_run(named: Option<&Path>, scene: &str, force: bool, quiet: bool) -> Result<Self, Failure> {
        if let Some(path) = named {
            let folder = Self::open(path, scene)?;
            if folder.occupied && !force {
                return Err(Failure::new(format!("{} has the results of an earlier run", path.display()))
                    .help("add --force to replace them, or give another folder with --out"));
            }
            return Ok(folder);
        }
        let first = Path::new("out").join(scene);
        for number in 1..=MOST_FOLDERS {
            let path = if number == 1 { first.clone() } else { Path::new("out").join(format!("{scene}-{number}")) };
            let folder = Self::open(&path, scene)?;
            if folder.occupied && !force {
                continue;
            }
            if number > 1 && !quiet {
                let (first, path) = (first.display(), path.display());
                stderr::note(&format!("note: {first} keeps its results; this run goes into {path} (--force replaces)"));
            }
            return Ok(folder);
        }
        let help = "remove some, add --force to replace the results in the first, or name a folder with --out";
        Err(Failure::new(format!("{} and {MOST_FOLDERS} more folders have results", first.display())).help(help))
    }

    /// The folder of a run that goes on.
    pub fn for_resumed_run(path: &Path) -> Result<Self, Failure> {
        let path = fs::canonicalize(path).map_err(|e| {
            Failure::io(&format!("cannot open {}", path.display()), &e)
                .help("give the output folder of a run with --checkpoint")
        })?;
        let mut folder = Self::open(&path, "")?;
        // Its results are what it goes on with.
        folder.occupied = false;
        Ok(folder)
    }

    /// Creates and locks a folder, and removes what a killed run has left.
    fn open(path: &Path, scene: &str) -> Result<Self, Failure> {
        let created = create(path).map_err(|e| Failure::io(&format!("cannot create folder {}", path.display()), &e))?;
        let mut folder =
            Self { path: path.into(), scene: scene.into(), created, occupied: false, aside: false, lock: None };
        folder.lock = Some(FolderLock::take(path)?);
        interrupt::leave_nothing(&folder.created, &path.join(lock::FILE));
        folder.clean();
        folder.occupied = has_results(path);
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the temporary files of killed processes, and sorts out results that one of them had set aside. A window
    /// may be writing a video into the same folder: what is being written stays.
    fn clean(&self) {
        for name in names(&self.path).filter(|name| is_temporary(name)) {
            lock::remove_unless_held(&self.path.join(name));
        }
        let _ = fs::remove_dir_all(self.path.join(GONE));
        if self.path.join(ASIDE).is_dir() {
            // It was killed before its first frame was complete.
            self.bring_back();
        }
    }

    /// Sets the results of an earlier run aside. Call it when nothing but the file system can refuse the run.
    pub fn set_aside(&mut self) -> Result<(), Failure> {
        if !self.occupied {
            return Ok(());
        }
        let aside = self.path.join(ASIDE);
        let cannot = |e| Failure::io(&format!("cannot replace the results in {}", self.path.display()), &e);
        fs::create_dir(&aside).map_err(cannot)?;
        self.aside = true;
        for name in self.outputs() {
            fs::rename(self.path.join(&name), aside.join(&name)).map_err(cannot)?;
        }
        Ok(())
    }

    /// The run is accepted: its first frame is on disk, and the earlier results go.
    pub fn accept(&mut self) {
        let gone = self.path.join(GONE);
        if std::mem::take(&mut self.aside) && fs::rename(self.path.join(ASIDE), &gone).is_ok() {
            // What an error leaves is removed by the next run.
            let _ = fs::remove_dir_all(gone);
        }
        self.occupied = false;
        self.created.clear();
    }

    /// Removes the frames that an earlier run has written after `last`.
    pub fn remove_frames_after(&self, last: u64) {
        for name in names(&self.path).filter(|name| frame_number(name).is_some_and(|number| number > last)) {
            let _ = fs::remove_file(self.path.join(name));
        }
    }

    /// Replaces the outputs of a run that was refused by those that it had set aside.
    fn bring_back(&self) {
        for name in self.outputs() {
            let _ = fs::remove_file(self.path.join(name));
        }
        let aside = self.path.join(ASIDE);
        for name in names(&aside) {
            let _ = fs::rename(aside.join(&name), self.path.join(&name));
        }
        let _ = fs::remove_dir(aside);
    }

    /// Names of the files that runs of this scene have written.
    fn outputs(&self) -> impl Iterator<Item = String> {
        let scene = self.scene.clone();
        names(&self.path).filter(move |name| is_output(name) || is_video(name, &scene))
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        if self.aside {
            self.bring_back();
        }
        drop(self.lock.take());
        // Those that are empty.
        self.created.iter().for_each(|path| drop(fs::remove_dir(path)));
    }
}

/// Creates a folder and its missing parents, and returns those that were missing, the innermost first.
fn create(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    let missing = |p: &&Path| !p.as_os_str().is_empty() && fs::symlink_metadata(p).is_err();
    let missing: Vec<PathBuf> = path.ancestors().take_while(missing).map(Path::to_path_buf).collect();
    fs::create_dir_all(path)?;
    Ok(missing)
}

fn names(folder: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect::<Vec<_>>().into_iter()
}

/// Whether a folder holds the results of a run: a `stats.csv` of this program.
fn has_results(folder: &Path) -> bool {
    let stats = folder.join("stats.csv");
    let mut start = [0; CSV_SIGNATURE.len()];
    fs::symlink_metadata(&stats).is_ok_and(|m| m.is_file())
        && fs::File::open(&stats).and_then(|mut f| f.read_exact(&mut start)).is_ok()
        && start == CSV_SIGNATURE.as_bytes()
}

/// Whether a run of this program writes a file of this name.
fn is_output(name: &str) -> bool {
    const SINGLE: [&str; 5] = ["run.json", "still.png", "stats.csv", "shape.npz", super::checkpoint::FILE];
    SINGLE.contains(&name) || is_index(name) || frame_number(name).is_some()
}

/// Whether a file is a video of a scene: `flags.mp4`, or `flags_from_00042.mp4` of a run that went on.
fn is_video(name: &str, scene: &str) -> bool {
    let Some((stem, "mp4" | "gif")) = name.rsplit_once('.') else { return false };
    let Some(rest) = stem.strip_prefix(scene).filter(|_| !scene.is_empty()) else { return false };
    rest.is_empty() || rest.strip_prefix("_from_").is_some_and(|number| number_of(number).is_some())
}

/// Whether a file lists the frames of a format, such as `frames.pvd`.
fn is_index(name: &str) -> bool {
    CacheFormat::all().any(|format| format.index_file() == Some(name))
}

/// Number of the frame that a file is an output of: `frame_00042.ply`, `surface_water_00042.ply` or `foam_00042.ply`.
fn frame_number(name: &str) -> Option<u64> {
    let (stem, extension) = name.rsplit_once('.')?;
    let (number, known) = if let Some((_, number)) = stem.strip_prefix("surface_").and_then(|s| s.rsplit_once('_')) {
        (number, extension == "ply")
    } else if let Some(number) = stem.strip_prefix("foam_") {
        (number, extension == "ply")
    } else {
        let number = stem.strip_prefix("frame_")?;
        (number, extension == "png" || CacheFormat::all().any(|f| f.extension() == extension))
    };
    number_of(number).filter(|_| known)
}

/// A number as in file names: five digits or more.
fn number_of(text: &str) -> Option<u64> {
    text.parse().ok().filter(|_| text.len() >= 5 && text.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::{frame_number, is_video};

    #[test]
    fn only_output_names_are_frames() {
        let outputs = ["frame_00001.ply", "frame_00001.vtu", "frame_00001.png", "surface_sea_water_00001.ply"];
        for name in outputs.into_iter().chain(["foam_00001.ply"]) {
            assert_eq!(frame_number(name), Some(1), "{name}");
        }
        assert_eq!(frame_number("frame_123456.vtu"), Some(123_456));
        let others = ["frame_1.ply", "frame_00000.txt", "frame_0000a.ply", "my_frame_00000.ply", "frame_.ply"];
        for name in others.into_iter().chain([
            "surface_00001.ply",
            "surface_water_1.ply",
            "surface_water_00001.png",
            "foam_1.ply",
            "frame_+0001.ply",
        ]) {
            assert_eq!(frame_number(name), None, "{name}");
        }
    }

    #[test]
    fn only_videos_of_the_scene_are_its_videos() {
        for name in ["dam.mp4", "dam.gif", "dam_from_00012.mp4"] {
            assert!(is_video(name, "dam"), "{name}");
        }
        for name in ["dams.mp4", "holiday.mp4", "dam.avi", "dam_from_home.mp4", ".mp4"] {
            assert!(!is_video(name, "dam"), "{name}");
        }
        assert!(!is_video(".mp4", ""));
    }
}
