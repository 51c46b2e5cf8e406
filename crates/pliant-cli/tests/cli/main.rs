//! The command as its users see it: exit codes, streams and files.

mod bench;
mod errors;
mod foam;
mod gpu;
mod meshes;
mod partition;
mod run;
mod say;
#[path = "../../../pliant/tests/support/skip.rs"]
mod skip;
mod study;
mod surface;
mod voxelize;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A small cloth that hangs by two corners above a ground, with small pictures.
const SMALL: &str = r#"
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

/// A folder that holds a scene of the given text.
struct Room {
    dir: TempDir,
}

impl Room {
    fn with(text: &str) -> Self {
        let room = Self { dir: tempfile::tempdir().unwrap() };
        room.put("scene.toml", text);
        room
    }

    fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        command.current_dir(self.dir.path()).env_remove("PLIANT_MODELS").args(args);
        command
    }

    fn pliant(&self, args: &[&str]) -> Done {
        Done::new(self.command(args).output().unwrap())
    }
}

/// A finished command.
struct Done {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Done {
    fn new(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self {
            code: output.status.code().expect("the command was killed"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Stops the test unless the command ended with this code.
    fn code(self, wanted: i32) -> Self {
        assert_eq!(self.code, wanted, "\nstdout: {}\nstderr: {}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self
    }

    /// Stops the test unless stderr holds all of these.
    fn says(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is missing in: {}", self.stderr);
        }
        self
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e} in {}", self.stdout))
    }
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().expect("not an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Names of the files in a folder, in order.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
