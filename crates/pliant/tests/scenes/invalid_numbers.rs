//! Every number of the full example replaced by invalid ones.

use crate::full_example::table;
use pliant::scene::{Format, Scene};
use toml::Value;

/// One step of the way to a value.
#[derive(Clone, Debug)]
enum Key {
    Name(String),
    Index(usize),
}

/// Ways to all values for which `pick` says yes.
fn ways(value: &Value, way: &mut Vec<Key>, pick: &impl Fn(&Value) -> bool, found: &mut Vec<Vec<Key>>) {
    if pick(value) {
        found.push(way.clone());
    }
    let mut down = |key: Key, v: &Value| {
        way.push(key);
        ways(v, way, pick, found);
        way.pop();
    };
    match value {
        Value::Table(t) => t.iter().for_each(|(k, v)| down(Key::Name(k.clone()), v)),
        Value::Array(a) => a.iter().enumerate().for_each(|(i, v)| down(Key::Index(i), v)),
        _ => {}
    }
}

/// As error messages write it: `cloth[0].grid.cells[1]`.
fn written(way: &[Key]) -> String {
    way.iter().fold(String::new(), |path, key| match key {
        Key::Name(name) if path.is_empty() => name.clone(),
        Key::Name(name) => format!("{path}.{name}"),
        Key::Index(i) => format!("{path}[{i}]"),
    })
}

fn replaced(way: &[Key], new: Value) -> String {
    let mut root = Value::Table(table());
    let mut here = &mut root;
    for key in way {
        here = match key {
            Key::Name(name) => &mut here[name.as_str()],
            Key::Index(i) => &mut here[*i],
        };
    }
    *here = new;
    toml::to_string(&root).unwrap()
}

fn numbers() -> Vec<Vec<Key>> {
    let mut found = Vec::new();
    ways(&Value::Table(table()), &mut Vec::new(), &|v| matches!(v, Value::Float(_) | Value::Integer(_)), &mut found);
    assert!(found.len() > 200, "only {} numbers found", found.len());
    found
}

/// Last name on the way: what kind of number it is.
fn name(way: &[Key]) -> &str {
    way.iter().rev().find_map(|k| if let Key::Name(n) = k { Some(n.as_str()) } else { None }).unwrap()
}

/// Particle numbers are checked by the build, which has the particle count (see `build.rs`).
fn is_particle_number(way: &[Key]) -> bool {
    name(way) == "particles"
}

/// The error must name the number, or a parent of it (the size of a whole grid, both corners of a box).
fn assert_refused(way: &[Key], new: Value) {
    let path = written(way);
    let text = replaced(way, new.clone());
    match Scene::parse(&text, Format::Toml) {
        Ok(_) => panic!("{path} = {new} is accepted"),
        Err(e) => {
            let names_it = !e.path.is_empty() && path.starts_with(&e.path);
            // kinetic friction is bounded by static friction: either may be named.
            let pair = path.contains(".friction.") && e.path.contains(".friction.");
            // Keys in order of time: the later of two is named. A rope's equal points likewise.
            let order = path.contains(".frames[") && e.path.ends_with(".time");
            // Copies times particles of one are too many: either may be named.
            let many = path.contains(".array.count") && e.message.contains("particles");
            assert!(names_it || pair || order || many, "{path} = {new} is refused at {:?}: {e}", e.path);
            let (line, column) = e.place.unwrap_or_else(|| panic!("{path} = {new}: no line: {e}"));
            assert!(line >= 1 && line <= text.lines().count() && column >= 1);
        }
    }
}

#[test]
fn r06_not_a_number_and_infinity_are_refused_everywhere_with_the_path() {
    for way in numbers() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_refused(&way, Value::Float(bad));
        }
    }
}

#[test]
fn r06_huge_numbers_are_refused_everywhere_with_the_path() {
    for way in numbers() {
        // Beyond every range, beyond f32, and beyond u32.
        for bad in [Value::Float(1e30), Value::Float(-1e30), Value::Float(1e300), Value::Integer(i64::MAX)] {
            assert_refused(&way, bad);
        }
        if !is_particle_number(&way) {
            let whole = matches!(value_at(&way), Value::Integer(_));
            // 4,294,967,295 is a number of cells that fits the type; as a length it is just as absurd,
            // but moduli of rigid objects and compliances are allowed to be large.
            if whole || !matches!(name(&way), "modulus" | "young" | "compliance") {
                assert_refused(&way, Value::Integer(i64::from(u32::MAX)));
            }
        }
    }
}

fn value_at(way: &[Key]) -> Value {
    way.iter().fold(Value::Table(table()), |here, key| match key {
        Key::Name(name) => here[name.as_str()].clone(),
        Key::Index(i) => here[*i].clone(),
    })
}

#[test]
fn r06_negative_numbers_are_refused_where_a_sign_means_nothing() {
    // Vectors, angles and times that may point either way.
    let signed = [
        "gravity",
        "velocity",
        "translate",
        "axis",
        "degrees",
        "spacing",
        "amplitude",
        "phase",
        "center",
        "rate",
        "path",
        "time",
        "min",
        "max",
        "normal",
        "offset",
        "from",
        "to",
        "eye",
        "target",
        "points",
        "convex",
        "anchor",
        "anchor_to",
        "axis2",
    ];
    for way in numbers() {
        // Rotation rates may have either sign, but the foam rate is a count per second.
        // A motor turns either way; the lower limit of a joint is negative.
        let either = written(&way).ends_with(".motor.speed") || written(&way).ends_with(".limits[0]");
        if either || signed.contains(&name(&way)) && written(&way) != "output.foam.rate" {
            let text = replaced(&way, Value::Float(-0.1));
            if let Err(e) = Scene::parse(&text, Format::Toml) {
                // Corners of a box and times of keys are ordered.
                let ordered = written(&way).contains(".inside.") || name(&way) == "time";
                assert!(ordered && written(&way).starts_with(&e.path), "{}: {e}", written(&way));
            }
        } else {
            assert_refused(&way, Value::Float(-0.1));
            assert_refused(&way, Value::Integer(-1));
        }
    }
}

#[test]
fn r06_zero_is_refused_where_something_is_divided_by_it() {
    let positive = [
        "dt",
        "period",
        "cells",
        "size",
        "scale",
        "count",
        "density",
        "particle_mass",
        "masses",
        "omega",
        "modulus",
        "stiffness",
        "young",
        "thickness",
        "tether",
        "segments",
        "slack",
        "squash",
        "width",
        "within",
        "fov",
        "fps",
        "height",
        "layers",
        "length",
        "gap",
    ];
    let radii = ["torus.radius", "ball.radius", "urchin.radius", "sphere.radius"];
    for way in numbers() {
        let path = written(&way);
        if positive.contains(&name(&way)) || radii.iter().any(|r| path.contains(r)) {
            let zero = if matches!(value_at(&way), Value::Integer(_)) { Value::Integer(0) } else { Value::Float(0.0) };
            assert_refused(&way, zero);
        }
    }
}

#[test]
fn r06_values_of_the_wrong_type_are_refused_everywhere_with_the_path() {
    let mut all = Vec::new();
    ways(&Value::Table(table()), &mut Vec::new(), &|_| true, &mut all);
    for way in all.into_iter().filter(|w| !w.is_empty()) {
        let wrong = match value_at(&way) {
            Value::Table(_) | Value::Array(_) => vec![Value::Integer(7), Value::Boolean(true)],
            Value::String(_) => vec![Value::Integer(7), Value::Array(vec![Value::Integer(1)])],
            Value::Boolean(_) => vec![Value::String("yes".to_owned()), Value::Integer(1), Value::Array(Vec::new())],
            _ => vec![Value::String("seven".to_owned()), Value::Boolean(true), Value::Array(Vec::new())],
        };
        wrong.into_iter().for_each(|w| assert_refused(&way, w));
    }
}
