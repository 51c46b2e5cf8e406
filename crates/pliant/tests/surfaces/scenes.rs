//! Nothing crosses in any frame; momentum; the same bits on any number of threads and after a snapshot.

use crate::momentum::momentum;
use crate::{advance_without_crossings, world};

const SPHERE: &str = "[[cloth]]\ngrid = { cells = [24, 24], size = [1, 1], plane = \"xz\" }\nradius = 0.006\ndensity = 0.3\n\
    stretch = { modulus = 2000 }\nbend = { modulus = 1e-5 }\ntransform = { translate = [-0.5, 0.36, -0.45] }\n\
    [[collider]]\nsphere = { center = [0, 0.2, 0], radius = 0.15 }\n[[collider]]\nplane = {}\n";

#[test]
fn v34_a_cloth_that_folds_over_a_sphere_crosses_itself_nowhere() {
    let mut sim = world(SPHERE, 1);
    advance_without_crossings(&mut sim, 70);
    assert!(sim.triangle_contacts().pushing > 0, "the cloth does not touch itself");
}

#[test]
fn v34_a_stack_of_cloths_on_a_capsule_stays_one() {
    let text = "[[cloth]]\ngrid = { cells = [12, 12], size = [0.5, 0.5], plane = \"xz\" }\nradius = 0.004\ndensity = 0.3\n\
                stretch = { modulus = 2000 }\narray = { count = [1, 6, 1], spacing = [0, 0.012, 0] }\n\
                transform = { translate = [-0.25, 0.22, -0.25] }\n\
                [[collider]]\ncapsule = { from = [-0.4, 0.1, 0], to = [0.4, 0.1, 0], radius = 0.1 }\n";
    let mut sim = world(text, 1);
    advance_without_crossings(&mut sim, 50);
}

#[test]
fn v34_tori_that_fall_on_each_other_do_not_mix() {
    let text = "[[soft]]\ntorus = { radius = 0.12, width = 0.06, cells = [14, 2] }\ndensity = 200\n\
                stretch = { modulus = 1e5 }\nvolume = { modulus = 1e5 }\n\
                array = { count = [1, 5, 1], spacing = [0.03, 0.1, 0.02] }\n\
                transform = { translate = [0, 0.15, 0], rotate = { axis = [1, 0, 0.4], degrees = 35 } }\n\
                [[collider]]\nplane = {}\n";
    let mut sim = world(text, 1);
    advance_without_crossings(&mut sim, 60);
}

#[test]
fn s10_cloths_that_collide_keep_their_momentum() {
    let cloth = |y: f32, v: f32, x: f32| {
        format!(
            "[[cloth]]\ngrid = {{ cells = [10, 10], size = [0.4, 0.4], plane = \"xz\" }}\nradius = 0.005\ndensity = {}\n\
             stretch = {{ modulus = 2000 }}\nvelocity = [0, {v}, 0]\ntransform = {{ translate = [{x}, {y}, 0.07] }}\n",
            0.3 + 0.2 * y
        )
    };
    let text =
        format!("[world]\ngravity = [0, 0, 0]\nair_density = 0\n{}{}", cloth(0.0, 1.0, 0.0), cloth(0.1, -1.5, 0.13));
    let mut sim = world(&text, 1);
    let before = momentum(&sim);
    let mut pushed = 0;
    for _ in 0..30 {
        sim.advance(1).unwrap();
        pushed += sim.triangle_contacts().pushing;
    }
    let after = momentum(&sim);
    assert!(pushed > 0, "they do not touch");
    // Found: 1.2e-5 and 1.7e-3. Pairs alone keep momentum to rounding; where the rest comes from is not known: contacts of
    // particles keep it to 1e-5 and 1e-3 (docs/surface-contact.md).
    assert!((after.0 - before.0).length() < 2e-5 * before.2, "{:?} became {:?} of {}", before.0, after.0, before.2);
    assert!((after.1 - before.1).length() < 3e-3 * before.3, "{:?} became {:?} of {}", before.1, after.1, before.3);
}

#[test]
fn r01_threads_and_snapshots_give_the_same_bits() {
    let mut one = world(SPHERE, 1);
    let mut two = world(SPHERE, 2);
    one.advance(40).unwrap();
    two.advance(40).unwrap();
    assert_eq!(one.hash(), two.hash(), "two threads differ from one");
    let snapshot = one.snapshot().unwrap();
    one.advance(10).unwrap();
    let expected = one.hash();
    one.restore(&snapshot).unwrap();
    one.advance(10).unwrap();
    assert_eq!(one.hash(), expected, "a restored world goes on otherwise");
}
