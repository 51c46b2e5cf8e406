//! Skinned meshes.

use crate::support::{Random, Row, block, moved, shaken};
use pliant::math::matrix::{Vec3, apply, matrix_of};
use pliant::shape_matching::{BodyDef, MatchSettings, ShapeMatch, Skin, match_shapes};

fn positions(rows: &[Row]) -> Vec<Vec3> {
    rows.iter().map(|r| [r[0], r[1], r[2]]).collect()
}

/// Vertices in and a little around the block.
fn vertices(random: &mut Random, size: f32) -> Vec<Vec3> {
    (0..500).map(|_| [0; 3].map(|_| random.within(-0.05, size + 0.05))).collect()
}

fn distance(a: Vec3, b: Vec3) -> f32 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f32>().sqrt()
}

#[test]
fn s20_skinning_follows_every_affine_motion_exactly() {
    let mut random = Random(60);
    for (name, rest) in [("grid", block([6, 6, 6])), ("scattered", shaken(&block([6, 6, 6]), &mut Random(61), 0.03))] {
        let vertices = vertices(&mut random, 0.5);
        for k in [4, 8, 12] {
            let skin = Skin::bind(&vertices, &positions(&rest), k);
            assert!(skin.error() < 1e-6, "{name}, {k}: {}", skin.error());
            for _ in 0..10 {
                let m = [0; 3].map(|_| random.vector());
                let shift = random.vector();
                let rows = moved(&rest, &m, shift);
                let mut out = vec![[0.0; 3]; vertices.len()];
                skin.evaluate(&rows, 0, &mut out);
                for (v, found) in vertices.iter().zip(&out) {
                    let goal = apply(&m, *v);
                    // Places of up to 2 m, and weights that may be a few times 1 outside of the particles.
                    assert!(distance([0, 1, 2].map(|j| goal[j] + shift[j]), *found) < 5e-6, "{name}, {k}: {v:?}");
                }
            }
        }
    }
}

#[test]
fn s20_skin_weights_add_up_to_one_stay_moderate_and_name_each_particle_once() {
    let mut random = Random(62);
    let rest = shaken(&block([6, 6, 6]), &mut random, 0.03);
    let vertices = vertices(&mut random, 0.5);
    for k in [1, 2, 4, 9] {
        let skin = Skin::bind(&vertices, &positions(&rest), k);
        for v in 0..vertices.len() {
            let (particles, weights) = skin.vertex(v);
            assert_eq!(particles.len(), k);
            assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(weights.iter().all(|w| w.abs() < 20.0), "{k}: {weights:?}");
            assert!((0..k).all(|i| !particles[..i].contains(&particles[i])));
        }
    }
}

#[test]
fn s20_a_vertex_at_a_particle_is_that_particle_to_the_bit() {
    let mut random = Random(63);
    let rest = shaken(&block([5, 5, 5]), &mut random, 0.03);
    let skin = Skin::bind(&positions(&rest), &positions(&rest), 8);
    // Rows of another body come before.
    let mut rows = vec![[7.0, 7.0, 7.0, 1.0]; 3];
    rows.extend(shaken(&rest, &mut random, 5.0));
    let mut out = vec![[0.0; 3]; rest.len()];
    skin.evaluate(&rows, 3, &mut out);
    assert_eq!(out, positions(&rows[3..]));
}

#[test]
fn s20_a_vertex_whose_nearest_particles_lie_in_a_plane_gets_one_off_it() {
    // Over the middle of a face of the grid the four nearest are its corners, and five to eight lie in the same plane.
    let rest = positions(&block([6, 6, 3]));
    let over = [[0.25, 0.25, 0.24], [0.05, 0.45, -0.03], [0.25, 0.21, 0.2]];
    for k in [4, 5, 8] {
        let skin = Skin::bind(&over, &rest, k);
        assert!(skin.error() < 1e-6, "{k}: {}", skin.error());
        for v in 0..over.len() {
            let heights: Vec<f32> = skin.vertex(v).0.iter().map(|&i| rest[i as usize][2]).collect();
            assert!(heights.iter().any(|h| *h != heights[0]), "{k}: {heights:?}");
        }
    }
    // A sheet of particles has nothing off its plane: the skin reports its error.
    let sheet = positions(&block([6, 6, 1]));
    let skin = Skin::bind(&[[0.22, 0.27, 0.04]], &sheet, 6);
    assert!((skin.error() - 0.04).abs() < 1e-6, "{}", skin.error());
    // No particles, and no vertices.
    assert_eq!(Skin::bind(&[], &sheet, 4).error(), 0.0);
    Skin::bind(&over, &[], 4).evaluate(&[], 0, &mut [[0.0; 3]; 3]);
}

#[test]
fn s20_the_skin_of_a_rigid_body_follows_its_pose() {
    let mut random = Random(64);
    let rest = block([5, 5, 5]);
    let vertices = vertices(&mut random, 0.4);
    let skin = Skin::bind(&vertices, &positions(&rest), 8);
    let mut shapes = ShapeMatch::new(&[BodyDef::rigid(0..125)], &rest).unwrap();
    let center = shapes.poses()[0].center;
    let mut rows = shaken(&moved(&rest, &matrix_of(random.quat()), random.vector()), &mut random, 0.05);
    match_shapes(&mut shapes, &mut rows, &MatchSettings::default());
    let mut out = vec![[0.0; 3]; vertices.len()];
    skin.evaluate(&rows, 0, &mut out);
    for (v, found) in vertices.iter().zip(&out) {
        let placed = shapes.poses()[0].place([0, 1, 2].map(|k| v[k] - center[k]));
        assert!(distance(placed, *found) < 3e-6, "{v:?}");
    }
}
