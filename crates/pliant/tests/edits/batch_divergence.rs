//! A copy of a batch that diverges: the batch stops, or resets it while all others go on as if nothing had happened.

use crate::{options, parse};
use glam::Vec3;
use pliant::{Batch, BatchOptions, OnDivergence, StepError};

const SCENE: &str = r#"
solver = { iterations = 4, substeps = 2 }
[[cloth]]
name = "cloth"
grid = { cells = [6, 5], size = [1, 1], plane = "xz" }
transform = { translate = [0, 0.3, 0] }
[[body]]
name = "crate"
box = [0.2, 0.2, 0.2]
transform = { translate = [3, 0.4, 0] }
[[collider]]
plane = {}
"#;

fn batch(on_divergence: OnDivergence) -> Batch {
    let options = BatchOptions { world: options(), on_divergence, ..BatchOptions::default() };
    Batch::new(&parse(SCENE), 4, &options).unwrap()
}

/// Positions of the cloth and velocities of the crate, by copy.
fn bits(batch: &mut Batch) -> Vec<Vec<u32>> {
    let (cloth, body) = (batch.object("cloth").unwrap(), batch.object("crate").unwrap());
    let each = batch.particles(cloth).unwrap();
    let rows =
        batch.positions(cloth).unwrap().chunks(each).map(|rows| rows.as_flattened().to_vec()).collect::<Vec<_>>();
    let velocities = batch.body_velocities(body).unwrap();
    let numbers = rows.into_iter().zip(velocities).map(|(mut rows, (linear, angular))| {
        rows.extend(linear.to_array().iter().chain(&angular.to_array()));
        rows
    });
    numbers.map(|numbers| numbers.into_iter().map(f32::to_bits).collect()).collect()
}

/// Throws an object of some copies out of all bounds.
fn throw(batch: &mut Batch, name: &str, copies: &[usize]) {
    let object = batch.object(name).unwrap();
    let velocities: Vec<Vec3> = (0..4).map(|k| if copies.contains(&k) { Vec3::X * 1e7 } else { Vec3::ZERO }).collect();
    batch.set_velocities(object, &velocities).unwrap();
}

#[test]
fn r09_copies_that_diverge_are_reset_and_all_others_go_on_to_the_bit() {
    for name in ["cloth", "crate"] {
        let (mut disturbed, mut calm) = (batch(OnDivergence::Reset), batch(OnDivergence::Reset));
        for batch in [&mut disturbed, &mut calm] {
            batch.step_many(5).unwrap();
            assert_eq!(batch.diverged(), [0_usize; 0]);
        }
        throw(&mut disturbed, name, &[1, 3]);
        throw(&mut calm, name, &[]);
        disturbed.step_many(3).unwrap();
        assert_eq!(disturbed.diverged(), [1, 3], "{name}");
        calm.reset_many(&[1, 3]).unwrap();
        calm.step_many(3).unwrap();
        assert_eq!(bits(&mut disturbed), bits(&mut calm), "{name}");
        // And it goes on.
        disturbed.step_many(10).unwrap();
        calm.step_many(10).unwrap();
        assert_eq!(disturbed.diverged(), [0_usize; 0]);
        assert_eq!(bits(&mut disturbed), bits(&mut calm), "{name}");
    }
}

#[test]
fn r09_a_batch_stops_with_an_error_that_names_the_copy_unless_it_resets() {
    let mut batch = batch(OnDivergence::Stop);
    throw(&mut batch, "crate", &[2]);
    let Err(StepError::Diverged(error)) = batch.step() else { panic!("it went on") };
    assert_eq!(error.copy, Some(2), "{error}");
    assert!(error.object.contains("crate#2"), "{error}");
}

#[test]
fn r09_a_copy_that_diverges_from_its_start_is_an_error_even_with_resets() {
    let mut scene = parse(SCENE);
    // Within a step it is faster than any scene allows.
    scene.cloth[0].velocity = [9990.0, 0.0, 0.0];
    scene.world.gravity = [1e4, 0.0, 0.0];
    let options = BatchOptions { world: options(), on_divergence: OnDivergence::Reset, ..BatchOptions::default() };
    let Err(StepError::Diverged(error)) = Batch::new(&scene, 2, &options).unwrap().step() else { panic!("it went on") };
    assert!(error.copy.is_some(), "{error}");
}
