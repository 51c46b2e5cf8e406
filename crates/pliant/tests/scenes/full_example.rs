//! A scene that uses every key of the format, and a test that checks this.

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene, schema};
use pliant::{Options, World};
use serde_json::Value;
use std::collections::BTreeSet;

/// Every key but `mesh`, which needs files.
pub const FULL: &str = include_str!("full.toml");

pub fn table() -> toml::Table {
    toml::from_str(FULL).unwrap()
}

#[test]
fn r06_the_full_example_is_valid_builds_and_steps() {
    let scene = Scene::parse(FULL, Format::Toml).unwrap();
    let mut sim = World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap();
    for _ in 0..3 {
        sim.step().unwrap();
    }
}

#[test]
fn r06_toml_and_json_read_into_the_same_scene_and_back() {
    let scene = Scene::parse(FULL, Format::Toml).unwrap();
    let json = serde_json::to_string(&table()).unwrap();
    assert_eq!(Scene::parse(&json, Format::Json).unwrap(), scene);
    let written = toml::to_string(&scene).unwrap();
    assert_eq!(Scene::parse(&written, Format::Toml).unwrap(), scene);
}

/// Names of all properties that a schema allows anywhere.
fn properties(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Object(own)) = map.get("properties") {
                found.extend(own.keys().cloned());
            }
            map.values().for_each(|v| properties(v, found));
        }
        Value::Array(items) => items.iter().for_each(|v| properties(v, found)),
        _ => {}
    }
}

fn keys(value: &toml::Value, found: &mut BTreeSet<String>) {
    match value {
        toml::Value::Table(table) => table.iter().for_each(|(k, v)| {
            found.insert(k.clone());
            keys(v, found);
        }),
        toml::Value::Array(items) => items.iter().for_each(|v| keys(v, found)),
        _ => {}
    }
}

#[test]
fn r06_the_schema_holds_every_key_and_the_full_example_uses_them_all() {
    let (mut allowed, mut used) = (BTreeSet::new(), BTreeSet::new());
    properties(&schema(), &mut allowed);
    keys(&toml::Value::Table(table()), &mut used);
    let unknown: Vec<_> = used.difference(&allowed).collect();
    assert!(unknown.is_empty(), "not in the schema: {unknown:?}");
    // They need files. `tests/rigid_bodies/concave.rs` has bad values of `pieces`.
    for key in ["mesh", "pieces"] {
        allowed.remove(key);
    }
    let unused: Vec<_> = allowed.difference(&used).collect();
    assert!(unused.is_empty(), "not in the full example, so never tested with bad values: {unused:?}");
}
