//! The built-in scenes: the files of `scenes/`, compiled into the binary.

/// A scene that is part of the program.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Name on the command line.
    pub name: &'static str,
    /// TOML.
    pub text: &'static str,
}

/// The files of `scenes/` under their names.
macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        &[$(Builtin { name: $name, text: include_str!(concat!("../../../scenes/", $name, ".toml")) }),*]
    };
}

/// All built-in scenes, the default first.
pub const SCENES: &[Builtin] = scenes![
    "flags",
    "arch",
    "balloon",
    "block100",
    "boat",
    "boat_crates",
    "bowl",
    "bowl_water",
    "bridge",
    "bunnies",
    "bunny",
    "capsule",
    "car",
    "cards",
    "cover",
    "cradle",
    "crane",
    "crater",
    "cube",
    "curtain",
    "dam",
    "dent",
    "dominoes",
    "double_dam",
    "drop_boxes",
    "drop_crates",
    "drop_grains",
    "drops",
    "flat_body",
    "floats",
    "fountain",
    "freezing",
    "graph8",
    "gripper",
    "heap",
    "honey",
    "hourglass",
    "jelly",
    "jenga",
    "linkage",
    "marbles",
    "melting",
    "obstacles",
    "omotondo",
    "peer_boxes",
    "peer_cloth",
    "peer_fluid",
    "peer_grains",
    "peer_many",
    "peer_tet",
    "pendulum",
    "plane",
    "plush",
    "pour",
    "ragdolls",
    "rain",
    "rings",
    "shapes",
    "sheet",
    "silt",
    "soft_bunny",
    "sponge",
    "squishy",
    "stars",
    "stiffness",
    "stretched",
    "thrown",
    "tori",
    "tube",
    "wrecking",
    "wrecking_ball"
];

/// Finds a scene by name.
pub fn find(name: &str) -> Option<Builtin> {
    SCENES.iter().find(|s| s.name == name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::scene::{Format, Scene};

    #[test]
    fn every_scene_file_is_built_in() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
        let files = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path());
        let scenes = files.filter(|f| f.extension().is_some_and(|e| e == "toml"));
        for path in scenes {
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(find(name).is_some(), "add {name:?} to builtin::SCENES");
        }
    }

    #[test]
    fn every_built_in_scene_is_valid_and_has_a_title() {
        for s in SCENES {
            let scene = Scene::parse(s.text, Format::Toml).unwrap_or_else(|e| panic!("{}: {e}", s.name));
            assert!(!scene.title.is_empty(), "{} has no title", s.name);
        }
    }
}
