//! Forces at pins and attachments by handle, against weights and gas pressure.

use crate::{parse, world};
use glam::Vec3;
use pliant::constraints::{ConstraintKind, Softness};
use pliant::{EditError, World};

/// Weight of the free particles of an object [N].
fn weight(world: &mut World, name: &str) -> f32 {
    let handle = world.find(name).unwrap();
    let range = world.particles_of(handle).unwrap();
    let free = world.state().rows[range].iter().filter(|row| row[3] > 0.0);
    9.81 * free.map(|row| 1.0 / row[3]).sum::<f32>()
}

/// The only attachment.
fn knot(world: &World) -> pliant::Handle {
    let is_attachment = |handle: &pliant::Handle| world.kind(*handle) == Ok(pliant::scene::ObjectKind::Attach);
    world.objects().into_iter().find(is_attachment).unwrap()
}

fn scene(solver: &str, objects: &str) -> World {
    world(&parse(&format!("solver = {{ {solver} }}\nworld = {{ damping = 4, air_density = 0 }}\n{objects}")))
}

const CLOTH: &str = "[[cloth]]\nname = \"sheet\"\ngrid = { cells = [8, 8], size = [1, 1], plane = \"xz\" }\ntransform = { translate = [-0.5, 0, -0.5] }\ndensity = 0.3
    stretch = { modulus = 400 }\npin = [{ at = \"corners\" }]\n";
const ROPE: &str = "[[rope]]\nname = \"line\"\npath = [[5, 2, 0], [6, 2, 0]]\nsegments = 12\nparticle_mass = 0.02
    pin = [{ at = \"start\" }]\n";

#[test]
fn what_hangs_pulls_at_its_pins_with_its_weight_in_every_method() {
    for solver in ["", "method = \"xpbd\", substeps = 4, iterations = 20", "integrator = \"bdf2\""] {
        let mut world = scene(solver, &format!("{CLOTH}{ROPE}"));
        world.advance(400).unwrap();
        for (name, pins) in [("sheet", 4), ("line", 1)] {
            let (wanted, handle) = (weight(&mut world, name), world.find(name).unwrap());
            let found = world.pin_force(handle).unwrap();
            println!("{solver:?} {name}: {} N, weight {wanted} N", found.force);
            assert_eq!(found.particles, pins);
            assert!(
                (found.force - Vec3::NEG_Y * wanted).length() < 0.02 * wanted,
                "{name} {solver}: {found:?}, {wanted} N"
            );
        }
        // The sheet is symmetric about the origin, the rope hangs five meters beside it.
        let (line, sheet) = (world.find("line").unwrap(), world.find("sheet").unwrap());
        let (line, sheet) = (world.pin_force(line).unwrap(), world.pin_force(sheet).unwrap());
        assert!(sheet.torque.length() < 0.02 * sheet.force.length(), "{sheet:?}");
        assert!((line.torque.z / (5.0 * line.force.y) - 1.0).abs() < 0.02, "{line:?}");
    }
}

#[test]
fn a_balloon_hangs_by_its_weight_though_gas_presses_on_its_pins() {
    // The cap around the top is pinned: gas and skin pull at it in opposite directions.
    let text =
        "[[inflatable]]\nname = \"ball\"\nsphere = { radius = 0.3, subdivisions = 3 }\npressure = 1.2\ndensity = 0.2
        stretch = { compliance = 5e-2 }\npin = [{ inside = { min = [-1, 0.2, -1], max = [1, 1, 1] } }]\n";
    let mut world = scene("method = \"xpbd\", substeps = 8, iterations = 10", text);
    world.advance(300).unwrap();
    let (wanted, ball) = (weight(&mut world, "ball"), world.find("ball").unwrap());
    let found = world.pin_force(ball).unwrap();
    println!("{} N, weight {wanted} N", found.force);
    assert!(found.particles > 40, "{found:?}");
    assert!((found.force + Vec3::Y * wanted).length() < 0.05 * wanted, "{found:?}, {wanted} N");
}

#[test]
fn an_attachment_carries_what_hangs_from_it() {
    let objects = "[[rope]]\nname = \"upper\"\npath = [[0, 3, 0], [0, 2, 0]]\nsegments = 10\nparticle_mass = 0.02
        pin = [{ at = \"start\" }]
        [[rope]]\nname = \"lower\"\npath = [[0, 2, 0], [0, 1, 0]]\nsegments = 10\nparticle_mass = 0.05
        [[attach]]\nfrom = { object = \"upper\", at = \"end\" }\nto = { object = \"lower\", at = \"start\" }\n";
    for solver in ["", "method = \"xpbd\", substeps = 4, iterations = 40"] {
        let mut world = scene(solver, objects);
        world.advance(400).unwrap();
        let (below, knot) = (weight(&mut world, "lower"), knot(&world));
        let found = world.attachment_force(knot).unwrap();
        println!("{solver:?}: {found} N, weight {below} N");
        assert!((found - Vec3::NEG_Y * below).length() < 0.02 * below, "{solver}: {found}, {below} N");
        let upper = world.find("upper").unwrap();
        assert!(matches!(world.attachment_force(upper), Err(EditError::Unsuitable(_))));
        let all = below + weight(&mut world, "upper");
        let top = world.pin_force(upper).unwrap();
        assert!((top.force + Vec3::Y * all).length() < 0.02 * all, "{solver}: {top:?}, {all} N");
    }
}

#[test]
fn pbd_has_no_forces_and_says_so() {
    let mut world = scene("method = \"pbd\", iterations = 8", CLOTH);
    world.advance(10).unwrap();
    let sheet = world.find("sheet").unwrap();
    let error = world.pin_force(sheet).unwrap_err();
    assert!(error.to_string().contains("PBD"), "{error}");
    world.remove(sheet).unwrap();
    assert_eq!(world.pin_force(sheet), Err(EditError::Stale));
}

#[test]
fn an_elastic_attachment_that_is_made_rigid_carries_the_same_weight() {
    let objects = |compliance: &str| {
        format!("[[rope]]\nname = \"upper\"\npath = [[0, 3, 0], [0, 2, 0]]\nsegments = 6\nparticle_mass = 0.02
        stretch = {{ modulus = 5e6 }}\npin = [{{ at = \"start\" }}]
        [[rope]]\nname = \"lower\"\npath = [[0, 2, 0], [0, 1, 0]]\nsegments = 6\nparticle_mass = 0.05\nstretch = {{ modulus = 5e6 }}
        [[attach]]\nfrom = {{ object = \"upper\", at = \"end\" }}\nto = {{ object = \"lower\", at = \"start\" }}\n{compliance}")
    };
    let mut ends = Vec::new();
    for compliance in ["", "compliance = 1e-3"] {
        let mut world = scene("", &objects(compliance));
        world.advance(10).unwrap();
        if !compliance.is_empty() {
            for object in 0..2 {
                world.set_softness(object, ConstraintKind::Attach, Softness::RIGID).unwrap();
            }
        }
        let (below, knot) = (weight(&mut world, "lower"), knot(&world));
        let softness: Vec<f32> = world.constraints(ConstraintKind::Attach).map(|c| c.params[0]).collect();
        world.advance(400).unwrap();
        let found = world.attachment_force(knot).unwrap();
        println!("{compliance:?}: {softness:?} m/N, {found} N, weight {below} N");
        assert!((found - Vec3::NEG_Y * below).length() < 0.02 * below, "{compliance}: {found}, {below} N");
        // A build repeats the change.
        let rope = "[[rope]]\nname = \"far\"\npath = [[9, 9, 9], [9, 8, 9]]\nsegments = 2\nparticle_mass = 0.02\nstretch = { modulus = 5e6 }";
        world.add_text(rope, pliant::scene::Format::Toml, &pliant::builder::NoMeshes).unwrap();
        world.apply_edits().unwrap();
        let lower = world.find("lower").unwrap();
        ends.push(world.positions(lower).unwrap().last().unwrap()[1]);
        world.advance(300).unwrap();
        let again = world.attachment_force(knot).unwrap();
        assert!((again - Vec3::NEG_Y * below).length() < 0.02 * below, "{compliance}: {again}, {below} N");
    }
    // As one that was rigid from the start.
    assert!((ends[0] - ends[1]).abs() < 1e-4, "{ends:?}");
}

#[test]
fn elastic_objects_that_are_made_rigid_have_finite_forces() {
    let mut world = scene("", &format!("{CLOTH}{ROPE}"));
    for object in 0..2 {
        for kind in ConstraintKind::ALL {
            for softness in [Softness::RIGID, Softness::stiffness(0.5), Softness::compliance(1e-30)] {
                world.set_softness(object, kind, softness).unwrap();
            }
            world.set_softness(object, kind, Softness::RIGID).unwrap();
        }
    }
    world.advance(300).unwrap();
    for name in ["sheet", "line"] {
        let (wanted, handle) = (weight(&mut world, name), world.find(name).unwrap());
        let found = world.pin_force(handle).unwrap();
        println!("{name}: {found:?}, {wanted} N");
        assert!(found.force.is_finite() && found.torque.is_finite(), "{name}: {found:?}");
        // Bending stiffness of a sheet without compliance is beyond what its positions resolve.
        let close = (found.force - Vec3::NEG_Y * wanted).length() < 0.03 * wanted;
        assert!(close || name == "sheet", "{name}: {found:?}, {wanted} N");
    }
}
