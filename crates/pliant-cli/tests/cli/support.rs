//! Helpers of the command-line tests.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A small cloth pinned at two corners above a ground, with small pictures.
pub const SMALL: &str = r#"
title = "A small cloth"

[solver]
dt = 0.01
iterations = 4

[output]
seconds = 0.2
width = 64
height = 48

[[cloth]]
name = "rag"
grid = { cells = [4, 4], size = [1, 1] }
stretch = { compliance = 1e-4 }
pin = [{ at = "top left" }, { at = "top right" }]

[[collider]]
plane = { offset = -2 }
"#;

/// A temporary folder with a scene file.
pub struct SceneDir {
    pub dir: TempDir,
}

impl SceneDir {
    pub fn with_scene(text: &str) -> Self {
        let scene_dir = Self { dir: tempfile::tempdir().unwrap() };
        scene_dir.write("scene.toml", text);
        scene_dir
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        command.current_dir(self.dir.path()).env_remove("PLIANT_MODELS").args(args);
        command
    }

    pub fn pliant(&self, args: &[&str]) -> CommandResult {
        CommandResult::new(self.command(args).output().unwrap())
    }
}

/// Exit code and output of a finished command.
pub struct CommandResult {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl CommandResult {
    pub fn new(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self {
            code: output.status.code().expect("the command was killed"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Asserts the exit code.
    pub fn code(self, wanted: i32) -> Self {
        assert_eq!(self.code, wanted, "\nstdout: {}\nstderr: {}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self
    }

    /// Asserts that stderr contains all of these texts.
    pub fn stderr_has(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is missing in: {}", self.stderr);
        }
        self
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e} in {}", self.stdout))
    }
}

/// Keys of a JSON object, sorted.
pub fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().expect("not an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Names of the files in a folder, sorted.
pub fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
