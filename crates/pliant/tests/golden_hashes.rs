//! A table of small scenes and the hash of each after 60 steps (R01, R02): the quickest test that nothing has changed.
//!
//! Every feature that changes positions is in one of them. Hashes are the same in debug and in release, for any number of
//! threads and any lane width. They are those of the CPU; a GPU rounds otherwise.
#![allow(missing_docs, reason = "a test")]

#[path = "support/small_scenes.rs"]
mod small_scenes;

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Isa, Options, World};
use small_scenes::SCENES;
use std::fmt::Write;

const STEPS: u32 = 60;

/// When a hash may be replaced.
const UPDATE: &str = "update the table only in a change that is meant to change motion (physics, defaults, the order of sums, how \
                      scenes are built), and say so in CHANGELOG.md; anything else that changes a hash is a bug";

/// Hash of each scene's state at the end.
const HASHES: [(&str, u64); 12] = [
    ("cloth", 0x9f4a_14ea_6b4a_84fe),
    ("ropes", 0x193e_372d_9c78_bbcf),
    ("fem tets", 0xc906_28e3_06b6_7c53),
    ("volume tets", 0xdc97_6b86_1daa_af66),
    ("inflatable", 0x01ad_db8d_1ef1_c478),
    ("grains", 0x99ce_cb04_ffab_3465),
    ("bodies", 0xd36b_5576_c378_aaa3),
    ("plastic", 0xb5b3_76ed_7db9_cb97),
    ("dam", 0x0a41_6853_826a_c003),
    ("melt and freeze", 0x176b_f10a_2fef_c8ac),
    ("emitter and drain", 0x65b5_bb84_c666_a0e2),
    ("rigid bodies", 0xb88a_7950_51d2_92de),
];

fn hash(text: &str, threads: usize, isa: Isa) -> u64 {
    let scene = Scene::parse(text, Format::Toml).unwrap();
    let mut sim = World::from_scene(&scene, &NoMeshes, Options { threads, isa, ..Options::default() }).unwrap();
    sim.advance(STEPS).unwrap();
    sim.hash()
}

#[test]
fn r01_r02_hashes_of_small_scenes_are_those_of_the_table() {
    let (mut table, mut changed) = (String::new(), Vec::new());
    for ((name, text), expected) in SCENES.into_iter().zip(HASHES) {
        let found = hash(text, 1, Isa::SCALAR);
        for isa in Isa::available() {
            assert_eq!(hash(text, 2, isa), found, "{name}: two threads with {isa:?} differ from one that is scalar");
        }
        if (name, found) != expected {
            changed.push(name);
        }
        let digits = format!("{found:016x}");
        let groups: Vec<&str> = (0..4).map(|k| &digits[4 * k..4 * k + 4]).collect();
        writeln!(table, "    ({name:?}, 0x{}),", groups.join("_")).unwrap();
    }
    assert!(changed.is_empty(), "{} changed; {UPDATE}. HASHES would be:\n{table}", changed.join(", "));
}
