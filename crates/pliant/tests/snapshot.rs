//! Snapshots: returning to a moment, in memory and through bytes (R05, R08).
#![allow(missing_docs, clippy::print_stdout, reason = "a test")]

#[path = "support/small_scenes.rs"]
mod small_scenes;

use pliant::builder::NoMeshes;
use pliant::constraints::{ConstraintKind, Softness};
use pliant::scene::{Format, Override, Scene};
use pliant::{Options, SnapshotError, World};
use small_scenes::SCENES;
use std::time::Instant;

/// Splitmix64.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// A random scene: any of the small ones, with a random solver.
fn world(rng: &mut Rng) -> (String, World) {
    let (name, text) = SCENES[rng.below(SCENES.len() as u64) as usize];
    let mut set = Vec::new();
    if rng.below(3) == 0 {
        set.push(["solver.integrator=bdf1", "solver.integrator=bdf2"][rng.below(2) as usize]);
    }
    if rng.below(3) == 0 {
        set.push(["solver.iterations=1", "solver.iterations=9", "solver.substeps=3"][rng.below(3) as usize]);
    }
    if rng.below(4) == 0 && name != "volume tets" {
        set.push(
            ["solver.partition=color", "solver.partition=jacobi", "solver.partition=shared-patch"]
                [rng.below(3) as usize],
        );
    }
    let overrides: Vec<Override> = set.iter().map(|s| s.parse().unwrap()).collect();
    let scene = Scene::parse_with(text, Format::Toml, &overrides).unwrap_or_else(|e| panic!("{name} {set:?}: {e}"));
    let threads = 1 + rng.below(2) as usize;
    let world = World::from_scene(&scene, &NoMeshes, Options { threads, ..Options::default() }).unwrap();
    (format!("{name} {set:?}"), world)
}

/// Something that a caller may do between steps.
fn disturb(world: &mut World, rng: &mut Rng) {
    match rng.below(5) {
        0 => drop(world.set_pressure(0, 1.0 + rng.below(100) as f32 / 100.0)),
        1 => drop(world.set_softness(0, ConstraintKind::Stretch, Softness::compliance(1e-5))),
        2 => world.state_mut().velocities.iter_mut().for_each(|v| v[1] += 0.5),
        3 => world.state_mut().rows.iter_mut().for_each(|row| row[0] += if row[3] > 0.0 { 0.01 } else { 0.0 }),
        _ => {}
    }
}

fn cases(count: u64, seed: u64) {
    let mut rng = Rng(seed);
    let mut diverged = 0;
    for case in 0..count {
        let (name, mut world) = world(&mut rng);
        if rng.below(3) == 0 {
            disturb(&mut world, &mut rng);
        }
        // Some of these settings are too coarse for what was disturbed.
        if world.advance(rng.below(70) as u32).is_err() {
            diverged += 1;
            continue;
        }
        if rng.below(4) == 0 {
            disturb(&mut world, &mut rng);
        }
        let saved = world.snapshot().unwrap();
        let more = 1 + rng.below(12) as u32;
        let ended = world.advance(more).map_err(|e| e.to_string());
        let (hash, then) = (world.hash(), world.snapshot().unwrap().to_bytes());
        disturb(&mut world, &mut rng);
        // A world that was disturbed may diverge, and is brought back all the same.
        let _ = world.advance(rng.below(5) as u32);
        let through_bytes = rng.below(2) == 0;
        if through_bytes {
            let read = world.snapshot_from_bytes(&saved.to_bytes()).unwrap();
            world.restore(&read).unwrap();
        } else {
            world.restore(&saved).unwrap();
        }
        assert!(world.snapshot().unwrap().to_bytes() == saved.to_bytes(), "case {case}, {name}: not the same moment");
        if rng.below(2) == 0 {
            let _ = world.state_mut();
        }
        let again = world.advance(more).map_err(|e| e.to_string());
        assert_eq!(again, ended, "case {case}, {name}");
        assert_eq!(world.hash(), hash, "case {case}, {name}: other bits after {more} steps, bytes {through_bytes}");
        assert!(world.snapshot().unwrap().to_bytes() == then, "case {case}, {name}: the state differs");
    }
    println!("{count} cases, {diverged} of them diverged before the snapshot");
    assert!(diverged <= count / 50, "{diverged} of {count} cases diverged");
}

#[test]
fn r05_a_restored_world_goes_on_with_the_same_bits() {
    cases(150, 5);
}

#[test]
#[ignore = "a soak of minutes, see docs/testing.md"]
fn r05_a_restored_world_goes_on_with_the_same_bits_in_10000_cases() {
    cases(10_000, 55);
}

/// The same substep twice in a row: elastic bodies were left out the second time.
#[test]
fn r05_a_single_substep_is_taken_again_with_the_same_bits() {
    let text = "[solver]\nsubsteps = 1\n[[cloth]]\ngrid = { cells = [8, 8], size = [1, 1] }\ndensity = 0.2\n\
                stretch = { modulus = 500 }\npin = [{ at = \"top edge\" }]\n";
    let scene = Scene::parse(text, Format::Toml).unwrap();
    let mut world = World::from_scene(&scene, &NoMeshes, Options::default()).unwrap();
    world.advance(3).unwrap();
    let snapshot = world.snapshot().unwrap();
    world.advance(1).unwrap();
    let once = world.hash();
    for _ in 0..2 {
        world.restore(&snapshot).unwrap();
        world.advance(1).unwrap();
        assert_eq!(world.hash(), once);
    }
}

#[test]
fn r05_looking_at_the_state_through_state_mut_changes_nothing() {
    for (name, text) in SCENES {
        let scene = Scene::parse(text, Format::Toml).unwrap();
        let [mut quiet, mut asked] =
            [0, 1].map(|_| World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap());
        for _ in 0..40 {
            quiet.step().unwrap();
            let _ = asked.state_mut();
            asked.step().unwrap();
        }
        assert_eq!(quiet.hash(), asked.hash(), "{name}");
    }
}

fn build(name: &str) -> World {
    let (_, text) = SCENES.iter().find(|(n, _)| *n == name).unwrap();
    let scene = Scene::parse(text, Format::Toml).unwrap();
    let mut world = World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap();
    world.advance(20).unwrap();
    world
}

#[test]
fn r05_r08_snapshots_of_other_worlds_and_damaged_bytes_are_refused_by_name() {
    let (mut bodies, mut cloth) = (build("bodies"), build("cloth"));
    let saved = bodies.snapshot().unwrap();
    let bytes = saved.to_bytes();
    assert!(matches!(cloth.restore(&saved), Err(SnapshotError::Foreign(_))));
    assert!(matches!(cloth.snapshot_from_bytes(&bytes), Err(SnapshotError::Foreign(_))));
    assert_eq!(bodies.snapshot_from_bytes(b"").unwrap_err(), SnapshotError::NotASnapshot);
    assert_eq!(bodies.snapshot_from_bytes(b"solid cube of a mesh file").unwrap_err(), SnapshotError::NotASnapshot);
    let mut other = bytes.clone();
    other[8] = 77;
    assert_eq!(bodies.snapshot_from_bytes(&other).unwrap_err(), SnapshotError::Version { found: 77, expected: 8 });
    let mut rng = Rng(8);
    for _ in 0..300 {
        let mut bad = bytes.clone();
        match rng.below(3) {
            0 => bad.truncate(12 + rng.below(bytes.len() as u64 - 12) as usize),
            1 => bad.extend((0..=rng.below(30)).map(|b| b as u8)),
            _ => {
                let at = 12 + rng.below(bytes.len() as u64 - 12) as usize;
                bad[at] ^= 1 << rng.below(8);
            }
        }
        let refused = bodies.snapshot_from_bytes(&bad).unwrap_err();
        assert!(matches!(refused, SnapshotError::Damaged(_)), "{refused}");
    }
    // Nothing of this has changed the world.
    assert!(bodies.snapshot().unwrap().to_bytes() == bytes);
}

/// The checksum of a snapshot's bytes.
fn checksum(bytes: &[u8]) -> u64 {
    let (words, tail) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..tail.len()].copy_from_slice(tail);
    let all = words.iter().chain([&last]).map(|word| u64::from_le_bytes(*word)).chain([bytes.len() as u64]);
    all.fold(0xcbf2_9ce4_8422_2325, |hash, word| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23))
}

/// `count` forged snapshots of every small scene, or as many as fit into so many seconds.
fn forge(count: u64, seed: u64, seconds: u64) {
    let mut rng = Rng(seed);
    let (clock, mut times, mut cases) = (Instant::now(), [0.0; 3], 0);
    for (name, _) in SCENES {
        let mut world = build(name);
        let bytes = world.snapshot().unwrap().to_bytes();
        let mut read = 0;
        for _ in 0..count {
            if clock.elapsed().as_secs() >= seconds && read > 0 {
                break;
            }
            cases += 1;
            let mut bad = bytes[..bytes.len() - 8].to_vec();
            for _ in 0..=rng.below(3) {
                let at = 20 + rng.below(bad.len() as u64 - 20) as usize;
                match rng.below(3) {
                    0 => bad[at] = rng.next() as u8,
                    1 => bad[at..].iter_mut().take(8).for_each(|b| *b = 0xff),
                    _ => bad[at..].iter_mut().take(4).zip(f32::NAN.to_le_bytes()).for_each(|(b, nan)| *b = nan),
                }
            }
            let sum = checksum(&bad).to_le_bytes();
            bad.extend(sum);
            // Numbers may be anything, indices and lengths may not: it is refused, or it runs or diverges.
            let mut lap = Instant::now();
            let mut time =
                |what: usize| times[what] += std::mem::replace(&mut lap, Instant::now()).elapsed().as_secs_f64();
            let forged = world.snapshot_from_bytes(&bad);
            time(0);
            if let Ok(forged) = forged {
                world.restore(&forged).unwrap();
                time(1);
                read += 1;
                // It may diverge, but not panic.
                let _ = world.step();
                time(2);
            }
        }
        assert!(read > 0, "{name}: nothing but positions was changed in no case");
    }
    let [reading, restoring, stepping] = times;
    println!("{cases} cases: {reading:.1} s reading, {restoring:.1} s restoring, {stepping:.1} s stepping");
}

#[test]
fn r08_forged_snapshots_with_a_right_checksum_neither_panic_nor_break_the_engine() {
    forge(60, 88, u64::MAX);
}

#[test]
#[ignore = "a soak of minutes, see docs/testing.md"]
fn r08_forged_snapshots_soak() {
    // As many of them as the time that is given allows [s].
    let seconds = std::env::var("PLIANT_SECONDS").ok().and_then(|n| n.parse().ok()).unwrap_or(u64::MAX);
    forge(20_000, 888, seconds);
}
