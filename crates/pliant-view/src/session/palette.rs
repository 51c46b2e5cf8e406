//! Things to add to a scene, in sizes that suit it.

use glam::Vec3;
use pliant::scene::{Body, Cloth, Collider, Elasticity, Grains, Inflatable, Liquid, Object, Rope, Soft};
use pliant_serve::playback::{Ray, ball};

/// A thing to add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A rigid ball.
    Ball,
    /// A rigid box.
    Crate,
    /// A rigid capsule.
    Capsule,
    /// An elastic block.
    Jelly,
    /// A rope.
    Rope,
    /// A sheet of cloth.
    Cloth,
    /// A closed surface with air.
    Balloon,
    /// Loose grains.
    Grains,
    /// A liquid.
    Water,
    /// A box that does not move.
    Block,
}

impl Item {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Ball,
        Self::Crate,
        Self::Capsule,
        Self::Jelly,
        Self::Rope,
        Self::Cloth,
        Self::Balloon,
        Self::Grains,
        Self::Water,
        Self::Block,
    ];

    /// Those that can be thrown.
    pub const THROWN: [Self; 2] = [Self::Ball, Self::Crate];

    /// Name on buttons.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ball => "Ball",
            Self::Crate => "Crate",
            Self::Capsule => "Capsule",
            Self::Jelly => "Jelly",
            Self::Rope => "Rope",
            Self::Cloth => "Cloth",
            Self::Balloon => "Balloon",
            Self::Grains => "Grains",
            Self::Water => "Water",
            Self::Block => "Fixed block",
        }
    }

    /// The thing on a point [m]. `size` is that of the scene, `liquid` the radius of its liquid particles [m].
    pub fn placed(self, on: Vec3, size: f32, liquid: f32) -> Object {
        let s = (0.1 * size).clamp(0.01, 2.0);
        let above = |height: f32| (on + Vec3::Y * height).to_array();
        match self {
            Self::Ball => Body::ball(0.5 * s).density(600.0).at(above(0.55 * s)).into(),
            Self::Crate => Body::cuboid([s; 3]).density(500.0).at(above(0.55 * s)).into(),
            Self::Capsule => Body::capsule(0.3 * s, s).density(600.0).at(above(0.85 * s)).into(),
            Self::Jelly => {
                Soft::block([4; 3], [s; 3]).fem(2e4, 0.4).density(1000.0).radius(0.05 * s).at(above(0.6 * s)).into()
            }
            Self::Rope => {
                let [x, y, z] = above(1.5 * s);
                Rope::along(&[[x - s, y, z], [x + s, y, z]], 24)
                    .radius(0.04 * s)
                    .stretch(Elasticity::Compliance(1e-6))
                    .into()
            }
            Self::Cloth => Cloth::flat([16; 2], [2.0 * s; 2])
                .stretch(Elasticity::Compliance(1e-5))
                .radius(0.03 * s)
                .at((on + Vec3::new(-s, 1.5 * s, -s)).to_array())
                .into(),
            Self::Balloon => Inflatable::sphere(0.5 * s, 3)
                .pressure(1.2)
                .stretch(Elasticity::Compliance(1e-4))
                .radius(0.03 * s)
                .at(above(0.7 * s))
                .into(),
            Self::Grains => {
                let radius = 0.08 * s;
                Grains::fill(
                    (on + Vec3::new(-0.5, 0.1, -0.5) * s).to_array(),
                    (on + Vec3::new(0.5, 1.1, 0.5) * s).to_array(),
                    radius,
                )
                .density(1600.0)
                .into()
            }
            Self::Water => {
                // Ten particles along each side, whatever the size of the scene.
                let half = 10.0 * liquid;
                let low = on + Vec3::new(-half, liquid, -half);
                Liquid::fill(low.to_array(), (low + Vec3::splat(2.0 * half)).to_array()).into()
            }
            Self::Block => Collider::cuboid(above(0.5 * s), [s; 3]).into(),
        }
    }

    /// The thing in flight along a ray.
    pub fn thrown(self, ray: &Ray, size: f32) -> Object {
        let body = ball(ray, size);
        match self {
            Self::Crate => {
                let side = 0.045 * size;
                Body { ball: None, cuboid: Some([side; 3]), density: 500.0, color: Some([0.72, 0.5, 0.28]), ..body }
                    .into()
            }
            _ => body.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::{Options, World};

    #[test]
    fn every_item_can_be_added_and_moves_on() {
        for item in Item::ALL {
            for size in [0.5, 3.0, 40.0] {
                let mut world = World::new(Options { threads: 1, ..Options::default() }).unwrap();
                world.add(Collider::plane()).unwrap();
                let object = item.placed(Vec3::new(0.3, 0.0, 0.0), size, 0.02);
                world.add(object).unwrap_or_else(|e| panic!("{item:?} in a scene of {size} m: {e}"));
                world.step_many(3).unwrap_or_else(|e| panic!("{item:?} in a scene of {size} m: {e}"));
            }
        }
    }

    #[test]
    fn thrown_things_fly_along_the_ray() {
        let ray = Ray { origin: Vec3::Y, direction: Vec3::X };
        for item in Item::THROWN {
            let mut world = World::new(Options { threads: 1, ..Options::default() }).unwrap();
            let body = world.add(item.thrown(&ray, 4.0)).unwrap();
            let start = world.pose(body).unwrap().position;
            world.step_many(10).unwrap();
            // 8 m/s for 0.1 s.
            let flown = world.pose(body).unwrap().position - start;
            assert!((flown.x - 0.8).abs() < 0.05 && flown.z.abs() < 1e-3, "{item:?}: {flown}");
        }
    }
}
