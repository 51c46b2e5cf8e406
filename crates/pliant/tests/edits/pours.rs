//! Emitters of living objects.

use crate::{parse, world};
use pliant::scene::{Drain, Grains, Liquid, PourSpec};
use pliant::{EditError, Handle, World};

const SAND: &str = "solver = { substeps = 2 }\n[[grains]]\nname = \"sand\"\nradius = 0.02\npour = { from = [0, 1, 0], radius = 0.1, per_second = 100, velocity = [0, -1, 0], until = 1 }\n[[cloth]]\ngrid = { cells = [4, 4], size = [1, 1], plane = \"xz\" }\ntransform = { translate = [-0.5, 0.4, -0.5] }\npin = [{ at = \"corners\" }]\n[[collider]]\nplane = {}";

const ELSEWHERE: PourSpec =
    PourSpec { from: [0.5, 1.2, 0.0], radius: 0.06, per_second: 50.0, velocity: [0.0, -1.5, 0.0], until: 2.0 };

/// Active particles of an object, and how many of them are right of a place.
fn there(world: &mut World, object: Handle, right_of: f32) -> (usize, usize) {
    let rows = world.positions(object).unwrap();
    let active = || rows.iter().filter(|row| row[3] > 0.0);
    (active().count(), active().filter(|row| row[0] > right_of).count())
}

#[test]
fn an_emitter_is_stopped_begun_and_changed_and_its_particles_stay() {
    let mut world = world(&parse(SAND));
    let sand = world.find("sand").unwrap();
    world.advance(20).unwrap();
    let (before, _) = there(&mut world, sand, 0.3);
    assert!((19..=22).contains(&before), "{before} after 0.2 s");
    let hash = world.hash();
    world.set_pour(sand, None).unwrap();
    world.set_pour(sand, None).unwrap();
    world.apply_edits().unwrap();
    assert_eq!(there(&mut world, sand, 0.3).0, before, "{hash}");
    world.advance(10).unwrap();
    assert_eq!(there(&mut world, sand, 0.3).0, before);
    // Elsewhere, with its own times from now on.
    world.set_pour(sand, Some(ELSEWHERE)).unwrap();
    world.record_events(1000);
    world.advance(20).unwrap();
    let (all, right) = there(&mut world, sand, 0.3);
    assert!((10..=12).contains(&right) && all == before + right, "{all} {right}");
    let emitted: usize = world
        .events()
        .all
        .iter()
        .map(|(_, e)| {
            if let pliant::Event::Emitted { object, count } = e {
                assert_eq!(*object, sand);
                *count
            } else {
                0
            }
        })
        .sum();
    assert_eq!(emitted, right);
    // Changed while it runs.
    world.set_pour(sand, Some(PourSpec { per_second: 100.0, ..ELSEWHERE })).unwrap();
    world.advance(20).unwrap();
    let (more, _) = there(&mut world, sand, 0.3);
    assert!((19..=22).contains(&(more - all)), "{all} {more}");
}

#[test]
fn objects_that_fill_a_box_are_poured_too_and_drains_take_what_comes() {
    let mut world = world(&parse("fluid = { radius = 0.02 }\n[[collider]]\nplane = {}"));
    let water = world.add(Liquid::fill([0.0; 3], [0.2, 0.2, 0.2]).named("water")).unwrap();
    let grains = world.add(Grains::fill([1.0, 0.0, 0.0], [1.2, 0.2, 0.2], 0.02)).unwrap();
    world.add(Drain::cuboid([0.5, 1.0, 0.0], [0.4, 0.2, 0.4])).unwrap();
    world.advance(5).unwrap();
    let before = [water, grains].map(|object| there(&mut world, object, -9.0).0);
    for object in [water, grains] {
        world.set_pour(object, Some(ELSEWHERE)).unwrap();
    }
    world.advance(40).unwrap();
    let after = [water, grains].map(|object| there(&mut world, object, -9.0).0);
    assert!(world.state().drained > 10, "{}", world.state().drained);
    for (a, b) in before.iter().zip(after) {
        assert!(b >= *a && b < a + 15, "{a} {b}");
    }
}

/// Sand whose emitter was changed twice.
fn changed() -> World {
    let mut world = world(&parse(SAND));
    let sand = world.find("sand").unwrap();
    world.advance(15).unwrap();
    world.set_pour(sand, Some(ELSEWHERE)).unwrap();
    world.advance(15).unwrap();
    world
}

#[test]
fn r05_changed_emitters_stay_through_edits_snapshots_and_bytes() {
    let mut still = changed();
    still.advance(30).unwrap();
    let hash = still.hash();
    let mut first = changed();
    let saved = first.snapshot().unwrap();
    let sand = first.find("sand").unwrap();
    first.set_pour(sand, None).unwrap();
    first.advance(10).unwrap();
    let stopped = first.snapshot().unwrap();
    first.advance(10).unwrap();
    let stopped_hash = first.hash();
    first.restore(&saved).unwrap();
    first.advance(30).unwrap();
    assert_eq!(first.hash(), hash, "a snapshot");
    first.restore(&stopped).unwrap();
    first.advance(10).unwrap();
    assert_eq!(first.hash(), stopped_hash, "of the stopped emitter");
    for (moment, steps, expected) in [(&saved, 30, hash), (&stopped, 10, stopped_hash)] {
        let mut other = world(&parse(SAND));
        let read = other.snapshot_from_bytes(&moment.to_bytes()).unwrap();
        other.restore(&read).unwrap();
        other.advance(steps).unwrap();
        assert_eq!(other.hash(), expected, "bytes");
    }
    let mut edited = changed();
    let far = edited.add(pliant::scene::Collider::sphere([0.0, 99.0, 0.0], 1.0)).unwrap();
    edited.step().unwrap();
    edited.remove(far).unwrap();
    edited.advance(29).unwrap();
    assert_eq!(edited.hash(), hash, "edits");
}

#[test]
fn wrong_emitters_are_refused_and_nothing_changes() {
    let copies = "[[grains]]\nname = \"rows\"\nradius = 0.02\nfill = { min = [5, 0, 0], max = [5.1, 0.1, 0.1] }\narray = { count = [2, 1, 1], spacing = [1, 0, 0] }";
    let mut world = world(&parse(&format!("{SAND}\n{copies}")));
    world.advance(5).unwrap();
    let (hash, sand) = (world.hash(), world.find("sand").unwrap());
    for wrong in [
        PourSpec { radius: 0.0, ..ELSEWHERE },
        PourSpec { per_second: f32::NAN, ..ELSEWHERE },
        PourSpec { velocity: [0.0; 3], ..ELSEWHERE },
        PourSpec { until: -1.0, ..ELSEWHERE },
        PourSpec { from: [f32::INFINITY; 3], ..ELSEWHERE },
        PourSpec { until: 1e6, per_second: 1e8, ..ELSEWHERE },
    ] {
        assert!(world.set_pour(sand, Some(wrong)).is_err(), "{wrong:?}");
    }
    let (rows, cloth) = (world.find("rows").unwrap(), world.find("cloth 0").unwrap());
    assert!(matches!(world.set_pour(rows, Some(ELSEWHERE)), Err(EditError::Unsuitable(_))));
    assert!(matches!(world.set_pour(cloth, Some(ELSEWHERE)), Err(EditError::Unsuitable(_))));
    assert_eq!(world.hash(), hash);
    world.remove(sand).unwrap();
    assert_eq!(world.set_pour(sand, None), Err(EditError::Stale));
    world.step().unwrap();
}
