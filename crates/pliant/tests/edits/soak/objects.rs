//! Random objects of all kinds.

use super::random::Random;
use pliant::scene::{
    Attach, Body, BodyModel, Cloth, Collider, Drain, Elasticity, Freeze, Grains, Inflatable, Joint, JointAxis, Liquid,
    Melt, MotionSpec, MotorSpec, Place, PourSpec, Rope, Soft, SphereShape,
};
use pliant::{AddOptions, EditError, Handle, Overlap, World};

pub fn pour(random: &mut Random) -> PourSpec {
    let (from, velocity) = (random.vector().to_array(), [0.0, -1.0 - random.unit(), 0.0]);
    PourSpec { from, radius: random.size(), per_second: 200.0 * random.unit(), velocity, until: 0.3 }
}

pub fn motion(random: &mut Random) -> Option<MotionSpec> {
    match random.below(3) {
        0 => None,
        1 => {
            let amplitude = (0.1 * random.vector()).to_array();
            Some(MotionSpec::Oscillate { amplitude, period: random.of(&[0.5, 2.0, 0.0, f32::NAN]), phase: 0.25 })
        }
        _ => {
            let (axis, center) = (random.vector().to_array(), random.vector().to_array());
            Some(MotionSpec::Spin { axis, center, rate: 60.0 * random.unit() })
        }
    }
}

fn joint(random: &mut Random, names: [String; 2]) -> Joint {
    let [body, other] = names;
    let anchor = random.vector();
    let joint = match random.below(7) {
        0 => Joint::hinge(body).limits(-40.0 * random.unit(), 40.0 * random.unit() - 5.0),
        1 => Joint::hinge(body).motor(MotorSpec::velocity(random.unit() * 6.0, random.size())),
        2 => Joint::ball(body).friction(random.size()),
        3 => Joint::slider(body).motor(MotorSpec::position(0.2, 50.0, 2.0, 100.0 * random.size())),
        4 => Joint::fixed(body).breaks_at(Some(20.0 * random.size()), None),
        5 => Joint::distance(body, anchor.to_array(), random.vector().to_array()),
        _ => Joint::six(body).free(JointAxis::Rx, pliant::scene::AxisSpec::default()),
    };
    let joint = joint.anchor(anchor.to_array()).axis(random.vector().to_array());
    if random.below(3) == 0 { joint } else { joint.to(other) }
}

/// An object of any kind; `names` are those of living objects.
pub fn add(world: &mut World, random: &mut Random, names: &[String]) -> Result<Handle, EditError> {
    let (at, size) = (random.vector().to_array(), random.size());
    let options = AddOptions {
        overlap: random.of(&[None, Some(Overlap::Allow), Some(Overlap::MoveOut), Some(Overlap::Refuse)]),
        ..AddOptions::default()
    };
    let name = |random: &mut Random| names.get(random.below(names.len())).cloned().unwrap_or_default();
    match random.below(22) {
        0 => world.add_with(Body::cuboid([size; 3]).grid(2).at(at), &options),
        1 => world.add_with(Body::ball(size).grid(3).at(at), &options),
        2 => world.add_with(Cloth::flat([3, 4], [size, 0.3]).at(at).pin(Place::LeftEdge), &options),
        3 => world.add_with(Rope::along(&[at, [at[0] + size, at[1], at[2]]], 5).pin(Place::Start), &options),
        4 => world.add_with(Soft::block([1, 1, 2], [size; 3]).at(at), &options),
        5 => world.add_with(Inflatable::sphere(size, 1).at(at), &options),
        6 => world.add_with(Grains::fill(at, [at[0] + size, at[1] + size, at[2] + size], 0.05), &options),
        7 => world.add_with(Liquid::fill(at, [at[0] + 0.2, at[1] + 0.2, at[2] + 0.2]), &options),
        8 => world.add_with(Collider::sphere(at, size), &options),
        9 => world.add_with(Body::cuboid([size; 3]).at(at), &options),
        10 => world.add_with(Body::capsule(0.5 * size, size).at(at).model(BodyModel::Rigid), &options),
        11 => world.add_with(Body { sensor: true, ..Body::ball(size).at(at) }, &options),
        12 => world.add_with(Soft::block([1, 2, 1], [size; 3]).fem(1e5 * size, 0.3).at(at), &options),
        13 => {
            let stretch = Elasticity::Modulus(1000.0 * size);
            world.add_with(
                Cloth::flat([4, 3], [0.3, size]).stretch(stretch).bend(Elasticity::Modulus(1e-3)).at(at),
                &options,
            )
        }
        14 => world.add(Grains::pour(pour(random), 0.05)),
        15 => world.add(Liquid::pour(pour(random))),
        16 => world.add_with(Collider::cuboid(at, [size; 3]).restitution(random.unit()), &options),
        17 => world.add(Drain { sphere: Some(SphereShape { center: at, radius: size }), ..Drain::default() }),
        18 => {
            let pair = [name(random), name(random)];
            world.add(joint(random, pair))
        }
        19 => world.add(Melt { body: name(random), liquid: name(random), start: 0.0, speed: size }),
        20 => {
            let sphere = Some(SphereShape { center: at, radius: size });
            world.add(Freeze { liquid: name(random), sphere, speed: Some(size), ..Freeze::default() })
        }
        _ => world.add(Attach::objects(name(random), name(random), size)),
    }
}
