//! Rigid bodies and particles: both push each other.

use crate::{body, run, world};
use glam::DVec3;

#[test]
fn a_crate_dropped_on_a_cloth_is_carried_by_it() {
    let mut world = world(
        "[[cloth]]\nname = \"cloth\"\ngrid = { cells = [20, 20], size = [1, 1], plane = \"xz\" }\ndensity = 0.5\n\
        stretch = { modulus = 20000 }\ntransform = { translate = [-0.5, 1, -0.5] }\n\
        pin = [{ at = \"left edge\" }, { at = \"right edge\" }, { at = \"top edge\" }, { at = \"bottom edge\" }]\n\
        [[body]]\nname = \"crate\"\nbox = [0.2, 0.2, 0.2]\ndensity = 300\ntransform = { translate = [0, 1.2, 0] }\n",
    );
    run(&mut world, 3.0);
    let crate_ = body(&world, 0);
    assert!(crate_.position.y > 0.8, "at {}", crate_.position);
    assert!(crate_.velocity.length() < 0.3, "still at {} m/s", crate_.velocity.length());
}

#[test]
fn grains_that_lie_on_a_plate_weigh_on_it() {
    // A plate on a stiff spring carries itself and the grains.
    let mut world = world(
        "[[body]]\nname = \"plate\"\nbox = [0.5, 0.1, 0.5]\ndensity = 1000\n\
        [[joint]]\nkind = \"slider\"\nbody = \"plate\"\naxis = [0, 1, 0]\n\
        [[joint]]\nkind = \"distance\"\nbody = \"plate\"\nanchor = [0, 0, 0]\nanchor_to = [0, 2, 0]\nstiffness = 20000\ndamping = 500\n\
        [[grains]]\nradius = 0.02\nfill = { min = [-0.1, 0.06, -0.1], max = [0.1, 0.14, 0.1] }\nvelocity = [0, 0, 0]\n",
    );
    run(&mut world, 0.01);
    let grains: f64 = world.probe().mass - 25.0;
    let mut mean = 0.0;
    run(&mut world, 1.0);
    for _ in 0..100 {
        run(&mut world, 0.01);
        mean -= body(&world, 0).position.y / 100.0;
    }
    let wanted = (25.0 + grains) * 9.81 / 20000.0;
    assert!(grains > 1.0);
    assert!((mean / wanted - 1.0).abs() < 0.02, "sinks by {mean} m instead of {wanted}");
}

#[test]
fn momentum_goes_from_grains_to_a_body_and_is_kept() {
    let mut world = world(
        "[world]\ngravity = [0, 0, 0]\nair_density = 0\n[[body]]\nbox = [0.2, 0.2, 0.2]\ntransform = { translate = [0.5, 0, 0] }\n\
        [[grains]]\nradius = 0.02\nfill = { min = [-0.04, -0.04, -0.04], max = [0.04, 0.04, 0.04] }\nvelocity = [3, 0, 0]\n",
    );
    let before = DVec3::from_array(world.probe().linear);
    run(&mut world, 1.0);
    let after = DVec3::from_array(world.probe().linear);
    assert!((after - before).length() < 1e-3 * before.length(), "{after} instead of {before}");
    assert!(body(&world, 0).velocity.x > 0.05, "the body moves at {}", body(&world, 0).velocity);
}
