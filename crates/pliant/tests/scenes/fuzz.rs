//! Fuzzing without a fuzzer: inputs from a corpus, changed at random with fixed seeds, in seconds. `PLIANT_FUZZ=1000000` runs
//! more of each.

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Override, Scene, samples};
use pliant::{Options, World};
use std::path::Path;

fn count(default: u64) -> u64 {
    std::env::var("PLIANT_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// Texts of the built-in scenes, and what once made trouble.
fn corpus() -> Vec<String> {
    let mut all = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in [root.join("../../scenes"), root.join("tests/scenes/corpus")] {
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        all.extend(files.iter().filter(|f| f.extension().is_some_and(|e| e == "toml")).map(|f| {
            let text = std::fs::read_to_string(f).unwrap();
            // Large inline meshes are all alike.
            text.chars().take(4000).collect::<String>()
        }));
    }
    assert!(all.len() > 20);
    all
}

/// Pieces that parsers and builders stumble over.
const WILD: [&str; 26] = [
    "0",
    "-1",
    "1e-45",
    "3.5e38",
    "1e400",
    "nan",
    "-inf",
    "4294967296",
    "9223372036854775807",
    "18446744073709551616",
    "[]",
    "{}",
    "[[]]",
    "\"\"",
    "true",
    "[0, 0, 0]",
    "[1e9, 1e9, 1e9]",
    "\\u0000",
    "=",
    ".",
    "[[",
    "]]",
    "\"\"\"",
    "#",
    "1979-05-27",
    "'",
];

/// A text of the corpus after a few changes: characters, numbers, lines, pieces of other texts.
fn changed(corpus: &[String], random: &mut Random) -> String {
    let mut lines: Vec<String> = corpus[random.below(corpus.len())].lines().map(str::to_owned).collect();
    for _ in 0..1 + random.below(4) {
        if lines.is_empty() {
            break;
        }
        let at = random.below(lines.len());
        match random.below(7) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[random.below(lines.len())].clone()),
            2 => {
                let other = &corpus[random.below(corpus.len())];
                let count = other.lines().count();
                lines.insert(at, other.lines().nth(random.below(count)).unwrap_or_default().to_owned());
            }
            3 | 4 => {
                // A number, by another one or by anything.
                let line = &lines[at];
                let digits: Vec<usize> =
                    line.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(i, _)| i).collect();
                if !digits.is_empty() {
                    let from = digits[random.below(digits.len())];
                    let end =
                        line[from..].find(|c: char| !c.is_ascii_digit() && c != '.').map_or(line.len(), |k| from + k);
                    lines[at] = format!("{}{}{}", &line[..from], WILD[random.below(WILD.len())], &line[end..]);
                }
            }
            5 => {
                let line: Vec<char> = lines[at].chars().collect();
                let (from, cut) = (random.below(line.len() + 1), random.below(6));
                let put = WILD[random.below(WILD.len())];
                let rest = &line[(from + cut).min(line.len())..];
                lines[at] = line[..from].iter().collect::<String>() + put + &rest.iter().collect::<String>();
            }
            _ => {
                if let Some((key, _)) = lines[at].split_once('=') {
                    lines[at] = format!("{key}= {}", WILD[random.below(WILD.len())]);
                }
            }
        }
    }
    lines.join("\n")
}

/// Particles of a scene, as far as they are known before it is built.
fn size(scene: &Scene) -> f64 {
    samples(scene).iter().map(|sample| sample.count).sum()
}

/// Without the keys whose value is null.
fn without_nulls(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::Object(map) => {
            map.into_iter().filter(|(_, v)| !v.is_null()).map(|(key, v)| (key, without_nulls(v))).collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

#[test]
fn r08_changed_scenes_are_read_or_refused_and_small_ones_run() {
    let (corpus, mut random) = (corpus(), Random(7));
    let (mut read, mut built) = (0, 0);
    for _ in 0..count(1500) {
        let text = changed(&corpus, &mut random);
        let scene = match Scene::parse(&text, Format::Toml) {
            Ok(scene) => scene,
            Err(e) => {
                assert!(!e.message.is_empty() && e.message.len() < 3000, "{text}");
                continue;
            }
        };
        read += 1;
        // As JSON it is the same scene; scene files have no null.
        let json = without_nulls(serde_json::to_value(&scene).unwrap()).to_string();
        assert_eq!(Scene::parse(&json, Format::Json).unwrap_or_else(|e| panic!("{e}: {json}")), scene);
        let fields = scene.collider.iter().any(|c| c.sdf.is_some());
        if size(&scene) > 300.0 || fields {
            continue;
        }
        let options = Options { threads: 1, ..Options::default() };
        if let Ok(mut world) = World::from_scene(&scene, &NoMeshes, options) {
            built += 1;
            if world.model().settings.substeps <= 40 && world.step().is_ok() {
                assert!(world.state().rows.iter().flatten().all(|x| x.is_finite()), "{text}");
            }
        }
    }
    assert!(read > 0 && built > 0, "{read} read, {built} built");
}

#[test]
fn r08_overrides_are_read_or_refused() {
    let (corpus, mut random) = (corpus(), Random(11));
    let keys = ["solver", "cloth", "0", "world", "gravity", "[0]", "grid", "dt", "", "output", "x", "contact", "wind"];
    for _ in 0..count(2000) {
        let path: Vec<&str> = (0..1 + random.below(5)).map(|_| keys[random.below(keys.len())]).collect();
        let text = format!("{}={}", path.join("."), WILD[random.below(WILD.len())]);
        if let Ok(set) = text.parse::<Override>() {
            let _ = Scene::parse_with(&corpus[random.below(corpus.len())], Format::Toml, &[set]);
        }
    }
}

/// The checksum of snapshots, so that what they refuse is refused for its content.
fn sum(bytes: &[u8]) -> u64 {
    let (words, tail) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..tail.len()].copy_from_slice(tail);
    let all = words.iter().chain(std::iter::once(&last)).map(|word| u64::from_le_bytes(*word));
    let step = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    all.chain(std::iter::once(bytes.len() as u64)).fold(0xcbf2_9ce4_8422_2325, step)
}

#[test]
fn r08_damaged_snapshots_are_refused_and_forged_ones_do_no_harm() {
    let text = r#"
[[cloth]]
grid = { cells = [4, 4], size = [1, 1] }
pin = [{ at = "top left" }]
[[body]]
box = [0.3, 0.3, 0.3]
grid = 3
transform = { translate = [0, 1, 0] }
[[body]]
ball = 0.2
transform = { translate = [0.5, 2, 0] }
[[grains]]
radius = 0.1
fill = { min = [2, 0, 0], max = [2.6, 0.4, 0.4] }
[[collider]]
plane = { offset = -1 }
"#;
    let scene = Scene::parse(text, Format::Toml).unwrap();
    let mut world = World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap();
    world.advance(3).unwrap();
    let (good, home) = (world.snapshot().unwrap().to_bytes(), world.snapshot().unwrap());
    // Magic, version, hash of the world, and the scene as JSON, of which changes are other scenes.
    let archive = u64::from_le_bytes(good[20..28].try_into().unwrap()) as usize;
    let state = 28 + archive;
    assert!(good.len() > state + 1000);
    let mut random = Random(13);
    let (mut accepted, mut refused) = (0, 0);
    for k in 0..count(600) {
        let mut bytes = good.clone();
        let changes = 1 + random.below(3);
        for _ in 0..changes {
            let at = state + random.below(bytes.len() - 8 - state);
            match random.below(3) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at] = [0, 1, 127, 128, 255][random.below(5)],
                _ => {
                    let word =
                        [f32::NAN.to_le_bytes(), f32::INFINITY.to_le_bytes(), [0xff; 4], [0; 4]][random.below(4)];
                    let end = (at + 4).min(bytes.len() - 8);
                    bytes[at..end].copy_from_slice(&word[..end - at]);
                }
            }
        }
        if k % 10 == 0 {
            bytes.truncate(state + random.below(bytes.len() - state));
        }
        if bytes == good {
            continue;
        }
        assert!(world.snapshot_from_bytes(&bytes).is_err(), "a damaged snapshot was accepted");
        let end = bytes.len().saturating_sub(8);
        let forged = sum(&bytes[..end]).to_le_bytes();
        bytes[end..].copy_from_slice(&forged);
        match world.snapshot_from_bytes(&bytes) {
            Ok(snapshot) => {
                accepted += 1;
                // Debug assertions check every index that the release relies on.
                if world.restore(&snapshot).is_ok() {
                    let _ = world.step();
                }
                world.restore(&home).unwrap();
            }
            Err(_) => refused += 1,
        }
    }
    assert!(accepted > 0 && refused > 0, "{accepted} accepted, {refused} refused");
}
