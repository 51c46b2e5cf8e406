//! Parses a scene, with overrides from the command line, and reports the location of errors.

use crate::error::SceneError;
use crate::scene::locate::locate;
use crate::scene::strict::Strict;
use crate::scene::{Scene, validate};
use serde::Deserialize;

/// Format of a scene's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// TOML.
    Toml,
    /// JSON.
    Json,
}

/// Maximum length of the path of an override. The deepest field of a scene has six keys; TOML and JSON texts have limits of
/// their own, 80 and 128 levels.
const MOST_KEYS: usize = 16;

/// Override of one field: `solver.dt=0.005`, `cloth.0.density=0.3`.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    keys: Vec<String>,
    value: toml::Value,
}

impl std::str::FromStr for Override {
    type Err = SceneError;

    fn from_str(text: &str) -> Result<Self, SceneError> {
        let wrong = |what: &str| {
            let short: String = text.chars().take(60).collect();
            SceneError::new("", format!("override {short:?} {what}"))
                .help("write path.to.key=value, as in solver.dt=0.005")
        };
        let (path, value) = text.split_once('=').ok_or_else(|| wrong("has no '='"))?;
        let keys: Vec<String> = path.trim().replace('[', ".").replace(']', "").split('.').map(str::to_owned).collect();
        if keys.len() > MOST_KEYS {
            // Not quoted: it may be very long.
            let what = format!("an override has a path of {} keys, but at most {MOST_KEYS} are possible", keys.len());
            return Err(SceneError::new("", what).help("write path.to.key=value, as in solver.dt=0.005"));
        }
        if keys.iter().any(String::is_empty) {
            return Err(wrong("has an empty key"));
        }
        // A value that is not TOML is read as a string: `solver.method=pbd`.
        let quoted = || toml::Value::String(value.trim().to_owned());
        let value = toml::from_str::<toml::Table>(&format!("v = {value}")).ok().and_then(|mut t| t.remove("v"));
        Ok(Self { keys, value: value.unwrap_or_else(quoted) })
    }
}

impl Override {
    /// Sets the field, creating missing tables.
    fn apply(&self, root: &mut toml::Table) -> Result<(), SceneError> {
        let missing =
            |key: &str, what: String| SceneError::new(self.keys.join("."), format!("cannot set {key:?}: {what}"));
        let (last, way) = self.keys.split_last().ok_or_else(|| SceneError::new("", "an override needs a key"))?;
        let first = way.first().unwrap_or(last);
        if way.is_empty() {
            root.insert(last.clone(), self.value.clone());
            return Ok(());
        }
        let mut here = root.entry(first.clone()).or_insert_with(|| toml::Value::Table(toml::Table::new()));
        for key in way.iter().skip(1).chain([last]) {
            let is_last = std::ptr::eq(key, last);
            here = match here {
                toml::Value::Array(items) => {
                    let count = items.len();
                    let index = key.parse::<usize>().ok().filter(|&i| i < count);
                    let index = index.ok_or_else(|| missing(key, format!("the list has {count} entries, from 0")))?;
                    &mut items[index]
                }
                toml::Value::Table(table) => {
                    table.entry(key.clone()).or_insert_with(|| toml::Value::Table(toml::Table::new()))
                }
                other => return Err(missing(key, format!("its parent is a {}", other.type_str()))),
            };
            if is_last {
                *here = self.value.clone();
            }
        }
        Ok(())
    }
}

impl Scene {
    /// Parses and validates a scene.
    pub fn parse(text: &str, format: Format) -> Result<Self, SceneError> {
        Self::parse_with(text, format, &[])
    }

    /// Parses a scene, applies overrides, and validates it.
    pub fn parse_with(text: &str, format: Format, overrides: &[Override]) -> Result<Self, SceneError> {
        let mut root = match format {
            Format::Toml => toml::from_str::<toml::Table>(text).map_err(|e| {
                let mut error = SceneError::new("", e.message().to_owned());
                error.place = e.span().map(|span| line_and_column(text, span.start));
                error
            })?,
            Format::Json => serde_json::from_str::<toml::Table>(text).map_err(|e| {
                let mut error = SceneError::new("", e.to_string());
                error.place = Some((e.line(), e.column()));
                error
            })?,
        };
        for o in overrides {
            o.apply(&mut root)?;
        }
        let place = |mut error: SceneError| {
            error.place = error.place.or_else(|| place_of(text, format, &error.path));
            error
        };
        let mut track = serde_path_to_error::Track::new();
        let value = Strict(toml::Value::Table(root));
        let scene = Self::deserialize(serde_path_to_error::Deserializer::new(value, &mut track)).map_err(|e| {
            let path = track.path().to_string();
            let path = if path == "." { String::new() } else { path };
            place(SceneError::new(path, e.to_string().trim_end().to_owned()))
        })?;
        validate::validate(&scene).map_err(place)?;
        Ok(scene)
    }

    /// Validates a scene built in code.
    pub fn validate(&self) -> Result<(), SceneError> {
        validate::validate(self)
    }
}

/// Line and column, from 1, of a key such as `cloth[0].density` in a scene's text, or of its nearest parent
/// in the text. `None` for JSON.
pub fn place_of(text: &str, format: Format, path: &str) -> Option<(usize, usize)> {
    if format == Format::Json {
        return None;
    }
    locate(text, path).map(|at| line_and_column(text, at))
}

fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..at.min(text.len())];
    let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|&&b| b != b'\n').count() + 1;
    (line, column)
}
