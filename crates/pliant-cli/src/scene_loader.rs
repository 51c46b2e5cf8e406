//! Loads a scene by name or path, and confines its meshes to a folder.
//!
//! Invariant: a scene reads meshes only below one folder: its own, or for built-in scenes the folder of models. Symbolic
//! links are resolved before the check.

use crate::args::Overrides;
use crate::builtin;
use crate::failure::Failure;
use crate::memory::{self, Activity};
use crate::progress::LongBuild;
use pliant::SceneError;
use pliant::builder::{BuildError, MeshSource};
use pliant::mesh::{TetMesh, TriMesh};
use pliant::scene::{Format, Override, Scene, place_of};
use pliant::{Backend, Options, World};
use pliant_io::{Caps, read_tets, read_triangles};
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Maximum size of a scene file [bytes]; meshes are separate files.
const MAX_BYTES: u64 = 16 << 20;

/// Characters of an error message that are shown.
const MOST_QUOTED: usize = 600;

/// A scene field set on the command line, with the option to quote in an error.
#[derive(Clone, Debug)]
pub struct Setting {
    text: String,
    option: String,
}

impl Setting {
    /// `--set text`.
    pub fn set(text: &str) -> Self {
        let short: String = text.chars().take(120).collect();
        Self { text: text.to_owned(), option: format!("--set {short}") }
    }

    /// A shortcut such as `--dt 0.005` for a key.
    pub fn shortcut(option: &str, key: &str, value: impl std::fmt::Display) -> Self {
        Self { text: format!("{key}={value}"), option: format!("--{option} {value}") }
    }

    /// A key that another option sets; `option` is that option as the user wrote it.
    pub fn from_option(key: &str, value: impl std::fmt::Display, option: &str) -> Self {
        Self { text: format!("{key}={value}"), option: option.to_owned() }
    }

    fn sets(&self, path: &str) -> bool {
        let plain = |s: &str| s.trim().replace('[', ".").replace(']', "");
        let (key, path) = (plain(self.text.split('=').next().unwrap_or_default()), plain(path));
        path == key || path.strip_prefix(&key).is_some_and(|rest| rest.starts_with('.'))
    }
}

/// A parsed and validated scene.
#[derive(Debug)]
pub struct LoadedScene {
    /// Name in summaries and file names.
    pub name: String,
    /// The scene.
    pub scene: Scene,
    settings: Vec<Setting>,
    source: SceneSource,
    meshes: MeshFolder,
    /// Whether a long build is silent.
    pub quiet: bool,
}

impl LoadedScene {
    /// Reads a scene by name or path, and sets the limit of memory.
    pub fn new(spec: &str, settings: &[Setting], overrides: &Overrides) -> Result<Self, Failure> {
        memory::limit(overrides.memory_limit);
        let source = SceneSource::find(spec)?;
        let meshes = match &source.folder {
            Some(folder) => MeshFolder::of_scene(folder),
            None => MeshFolder::of_models(overrides.models.as_deref()),
        };
        let scene = source.parse(settings)?;
        Ok(Self { name: source.name.clone(), scene, settings: settings.to_vec(), source, meshes, quiet: false })
    }

    /// The file of the scene; `None` for built-in scenes.
    #[cfg(feature = "view")]
    pub fn file(&self) -> Option<&Path> {
        self.source.folder.as_ref().map(|_| Path::new(&self.source.label))
    }

    /// Builds the simulation.
    pub fn simulation(&self, threads: usize, backend: Backend) -> Result<World, Failure> {
        let options = Options { threads, backend, ..Options::default() };
        let _shown = LongBuild::watch(&self.name, self.quiet);
        memory::set_activity(Activity::Building);
        memory::check(&self.scene, &self.meshes).map_err(|failure| failure.at(self.source.label.clone()))?;
        let built = World::from_scene(&self.scene, &self.meshes, options).map_err(|e| self.to_failure(e));
        memory::set_activity(Activity::Running);
        built
    }

    fn to_failure(&self, error: BuildError) -> Failure {
        let message = error.to_string();
        match error {
            BuildError::Scene(e) => self.source.to_failure(e, &self.settings),
            BuildError::Threads(_) => Failure::resource(message).help("ask for fewer: --threads 1"),
            BuildError::TooLarge { .. } => Failure::resource(message).at(self.source.label.clone()),
            BuildError::Mesh(_) => Failure::scene(message).at(self.source.label.clone()),
            #[cfg(feature = "gpu")]
            BuildError::Gpu(e) => e.into(),
        }
    }
}

/// The text of a scene and its origin.
#[derive(Debug)]
struct SceneSource {
    name: String,
    /// Name in error messages.
    label: String,
    text: String,
    format: Format,
    /// None for built-in scenes.
    folder: Option<PathBuf>,
}

impl SceneSource {
    fn find(spec: &str) -> Result<Self, Failure> {
        if let Some(scene) = builtin::find(spec) {
            let label = format!("built-in scene {spec}");
            return Ok(Self { name: spec.into(), label, text: scene.text.into(), format: Format::Toml, folder: None });
        }
        let path = Path::new(spec);
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let format = match extension.as_str() {
            "toml" => Format::Toml,
            "json" => Format::Json,
            _ if spec.contains(std::path::is_separator) || path.exists() => {
                let found =
                    if path.is_dir() { "it is a folder".into() } else { format!("its extension is {extension:?}") };
                return Err(Failure::scene(format!("a scene is a .toml or .json file, but {found}")).at(spec));
            }
            _ => return Err(unknown(spec)),
        };
        let text = read(path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(Self { name, label: spec.into(), text, format, folder: Some(folder.into()) })
    }

    fn parse(&self, settings: &[Setting]) -> Result<Scene, Failure> {
        let mut overrides = Vec::with_capacity(settings.len());
        for setting in settings {
            let parsed: Override = setting.text.parse().map_err(|e| self.to_failure(e, settings))?;
            overrides.push(parsed);
        }
        Scene::parse_with(&self.text, self.format, &overrides).map_err(|e| self.to_failure(e, settings))
    }

    fn to_failure(&self, error: SceneError, settings: &[Setting]) -> Failure {
        // A value is quoted as it was found, however long it is.
        let text = error.to_string();
        let short: String = text.chars().take(MOST_QUOTED).collect();
        let mut failure = Failure::scene(if short.len() < text.len() { format!("{short}…") } else { text });
        // A value from the command line is reported with its option, even if the file has the same key.
        let from_option = settings.iter().rev().find(|s| !error.path.is_empty() && s.sets(&error.path));
        let place = error.place.or_else(|| place_of(&self.text, self.format, &error.path));
        failure = match (from_option, place) {
            (Some(setting), _) => failure.at(setting.option.clone()),
            (None, Some((line, column))) => failure.at(format!("{}:{line}:{column}", self.label)),
            (None, None) => failure.at(self.label.clone()),
        };
        match error.help {
            Some(help) => failure.help(help),
            None => failure,
        }
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    let refuse = |what: String| Failure::scene(what).at(path.display().to_string());
    let unreadable = |e: std::io::Error| refuse(format!("cannot read the scene: {e}"));
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        let found = if metadata.is_dir() { "it is a folder" } else { "it is not a regular file" };
        return Err(refuse(format!("a scene is a .toml or .json file, but {found}")));
    }
    let mut bytes = Vec::new();
    // One byte more than allowed, as the file may have grown.
    fs::File::open(path).and_then(|f| f.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        let help = "put large meshes into files of their own and name them with mesh = \"...\"";
        return Err(refuse(format!("the scene is larger than {} MiB", MAX_BYTES >> 20)).help(help));
    }
    String::from_utf8(bytes).map_err(|e| {
        let before = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|&&b| b != b'\n').count() + 1;
        Failure::scene("the scene is not UTF-8 text").at(format!("{}:{line}:{column}", path.display()))
    })
}

fn unknown(spec: &str) -> Failure {
    let failure = Failure::scene(format!("there is no built-in scene {spec:?}"));
    let near = builtin::SCENES.iter().map(|s| (edit_distance(spec, s.name), s.name)).min();
    match near.filter(|(d, name)| *d <= 1 + name.len() / 3) {
        Some((_, name)) => failure.help(format!("did you mean {name:?}? `pliant scenes` lists all of them")),
        None => failure.help("`pliant scenes` lists the built-in scenes; a scene of your own ends in .toml or .json"),
    }
}

/// Levenshtein distance of two words.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Mesh source that reads files below one folder only.
#[derive(Debug)]
struct MeshFolder {
    root: Option<PathBuf>,
    what: &'static str,
}

impl MeshFolder {
    fn of_scene(folder: &Path) -> Self {
        Self { root: Some(folder.into()), what: "the scene's folder" }
    }

    fn of_models(models: Option<&Path>) -> Self {
        let from_env = || std::env::var_os("PLIANT_MODELS").filter(|v| !v.is_empty()).map(PathBuf::from);
        Self { root: models.map(Path::to_path_buf).or_else(from_env), what: "the folder of models" }
    }

    fn resolve(&self, name: &str) -> Result<PathBuf, String> {
        let root = self.root.as_ref().ok_or_else(|| {
            format!("{name:?} is not part of the program; set its folder with --models DIR or PLIANT_MODELS")
        })?;
        let path = Path::new(name);
        let inside = path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        if !inside || name.is_empty() {
            return Err(format!("{name:?} is not allowed: a mesh must be a file below {}", self.what));
        }
        let path = root.join(path);
        // TetGen meshes are two files, of which the scene names one.
        let tetgen = path.extension().is_some_and(|e| e == "node" || e == "ele");
        let files =
            if tetgen { vec![path.with_extension("node"), path.with_extension("ele")] } else { vec![path.clone()] };
        for file in files {
            self.check_inside(root, &file, name)?;
        }
        Ok(path)
    }

    /// Refuses a file outside the folder after symbolic links are resolved. The reader reports missing files.
    fn check_inside(&self, root: &Path, file: &Path, name: &str) -> Result<(), String> {
        let Ok(real) = file.canonicalize() else { return Ok(()) };
        let root = root.canonicalize().map_err(|e| format!("{}: {e}", root.display()))?;
        if real.starts_with(root) {
            return Ok(());
        }
        Err(format!("{name:?} is not allowed: it leads out of {}", self.what))
    }
}

impl MeshSource for MeshFolder {
    fn triangles(&self, name: &str) -> Result<TriMesh, String> {
        read_triangles(&self.resolve(name)?, &Caps::default()).map_err(|e| e.to_string())
    }

    fn tets(&self, name: &str) -> Result<TetMesh, String> {
        read_tets(&self.resolve(name)?, &Caps::default()).map_err(|e| e.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_counts_edits() {
        for (a, b, edits) in [("flags", "flags", 0), ("flag", "flags", 1), ("falgs", "flags", 2), ("", "abc", 3)] {
            assert_eq!(edit_distance(a, b), edits, "{a:?} to {b:?}");
        }
    }

    #[test]
    fn a_setting_covers_its_key_and_subkeys() {
        let setting = Setting::set("cloth[0].grid={ cells = [0, 1], size = [1, 1] }");
        assert!(setting.sets("cloth[0].grid"));
        assert!(setting.sets("cloth[0].grid.cells[0]"));
        assert!(!setting.sets("cloth[0].gridlock"));
    }

    #[test]
    fn names_that_leave_the_folder_are_refused() {
        let folder = MeshFolder::of_scene(Path::new("."));
        for name in ["../a.obj", "/etc/passwd", "a/../../b.obj", ""] {
            assert!(folder.resolve(name).is_err(), "{name:?}");
        }
        assert!(folder.resolve("meshes/a.obj").is_ok());
    }
}
