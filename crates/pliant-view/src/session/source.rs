//! Where a scene comes from, so that it can be read again when its file is saved.

use pliant::World;
use pliant::scene::Scene;
use std::path::Path;
use std::time::SystemTime;

/// A scene and the world built from it.
pub struct Loaded {
    /// The world at its beginning.
    pub world: World,
    /// What it was built from.
    pub scene: Scene,
}

/// Reads a scene.
pub trait SceneSource: Send {
    /// Name of the scene.
    fn name(&self) -> &str;

    /// Its file, if it has one.
    fn file(&self) -> Option<&Path>;

    /// Reads and builds it. The error is for the user, with file, line and column where they are known.
    fn load(&mut self) -> Result<Loaded, String>;
}

/// Tells when a file was written.
#[derive(Debug, Default)]
pub struct FileWatch {
    seen: Option<(SystemTime, u64)>,
}

impl FileWatch {
    /// Whether the file is another one than at the last call. A file that is missing for a moment, as while an editor
    /// replaces it, has not changed.
    pub fn has_changed(&mut self, file: &Path) -> bool {
        let Some(now) = std::fs::metadata(file).ok().and_then(|m| Some((m.modified().ok()?, m.len()))) else {
            return false;
        };
        let before = self.seen.replace(now);
        before.is_some_and(|before| before != now)
    }
}
