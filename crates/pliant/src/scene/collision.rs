//! Scene format: collision groups, self-collision and surface properties of objects.

use crate::collision::{CollisionGroups, Friction, GROUPS, ObjectContact};
use crate::error::SceneError;
use crate::scene::collider::FrictionSpec;
use crate::scene::validate::collision::surface;
use crate::scene::{Object, ObjectKind, Scene};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Collision groups: two objects touch if each is a member of a group that the other touches. That holds for an object and
/// itself, too, if it collides with itself at all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CollisionSpec {
    /// Groups that the object is a member of, 0 to 15; default all.
    pub groups: Option<Vec<u32>>,
    /// Groups whose members it touches, 0 to 15; default all. An empty list touches nothing.
    pub with: Option<Vec<u32>>,
    /// Whether its particles collide with each other; default `contact.itself`. Cloth, ropes, soft bodies and inflatables
    /// only.
    pub itself: Option<bool>,
}

impl CollisionSpec {
    /// As bits. Numbers that are no groups are ignored: [`Scene::validate`] refuses them.
    pub fn groups(&self) -> CollisionGroups {
        let bits = |list: &Option<Vec<u32>>| match list {
            Some(list) => list.iter().filter(|&&g| g < GROUPS).fold(0, |bits, &g| bits | 1 << g),
            None => u16::MAX,
        };
        CollisionGroups { memberships: bits(&self.groups), filter: bits(&self.with) }
    }

    /// The same self-collision with groups from bits; none where both are the default.
    pub(crate) fn with_groups(old: Option<&Self>, groups: CollisionGroups) -> Option<Self> {
        let list = |bits: u16| (bits != u16::MAX).then(|| (0..GROUPS).filter(|g| bits >> g & 1 == 1).collect());
        let itself = old.and_then(|old| old.itself);
        let spec = Self { groups: list(groups.memberships), with: list(groups.filter), itself };
        (spec != Self::default()).then_some(spec)
    }
}

fn own(collision: Option<&CollisionSpec>, friction: Option<FrictionSpec>, restitution: Option<f32>) -> ObjectContact {
    ObjectContact {
        groups: collision.map_or(CollisionGroups::ALL, CollisionSpec::groups),
        friction: friction
            .map(|f| Friction { static_friction: f.static_friction, kinetic_friction: f.kinetic_friction }),
        restitution,
    }
}

macro_rules! contact_of {
    ($object:expr) => {{
        let o = $object;
        own(o.collision.as_ref(), o.friction, o.restitution)
    }};
}

impl Object {
    /// What it has of its own in contacts; a collider its groups only.
    pub(crate) fn contact(&self) -> ObjectContact {
        match self {
            Self::Cloth(o) => contact_of!(o),
            Self::Rope(o) => contact_of!(o),
            Self::Soft(o) => contact_of!(o),
            Self::Inflatable(o) => contact_of!(o),
            Self::Grains(o) => contact_of!(o),
            Self::Body(o) if o.sensor => SENSOR,
            Self::Body(o) => contact_of!(o),
            Self::Liquid(o) => own(o.collision.as_ref(), None, o.restitution),
            Self::Collider(o) if o.sensor => SENSOR,
            Self::Collider(o) => own(o.collision.as_ref(), None, None),
            _ => ObjectContact::default(),
        }
    }
}

/// A sensor touches nothing.
const SENSOR: ObjectContact = ObjectContact { groups: CollisionGroups::NONE, friction: None, restitution: None };

impl Scene {
    /// What an object has of its own in contacts; a collider its groups only.
    pub(crate) fn contact_of(&self, kind: ObjectKind, index: usize) -> ObjectContact {
        match kind {
            ObjectKind::Cloth => contact_of!(&self.cloth[index]),
            ObjectKind::Rope => contact_of!(&self.rope[index]),
            ObjectKind::Soft => contact_of!(&self.soft[index]),
            ObjectKind::Inflatable => contact_of!(&self.inflatable[index]),
            ObjectKind::Grains => contact_of!(&self.grains[index]),
            ObjectKind::Body if self.body[index].sensor => SENSOR,
            ObjectKind::Body => contact_of!(&self.body[index]),
            ObjectKind::Liquid => own(self.liquid[index].collision.as_ref(), None, self.liquid[index].restitution),
            // What melts or freezes is as its liquid.
            ObjectKind::Melt => self.contact_of_liquid(&self.melt[index].liquid),
            ObjectKind::Freeze => self.contact_of_liquid(&self.freeze[index].liquid),
            ObjectKind::Collider if self.collider[index].sensor => SENSOR,
            ObjectKind::Collider => own(self.collider[index].collision.as_ref(), None, None),
            _ => ObjectContact::default(),
        }
    }

    /// Which objects a sensor reports; `None` of what is no sensor.
    pub(crate) fn sensor_of(&self, kind: ObjectKind, index: usize) -> Option<CollisionGroups> {
        let (sensor, spec) = match kind {
            ObjectKind::Body => (self.body[index].sensor, self.body[index].collision.as_ref()),
            ObjectKind::Collider => (self.collider[index].sensor, self.collider[index].collision.as_ref()),
            _ => return None,
        };
        sensor.then(|| own(spec, None, None).groups)
    }

    /// Whether the particles of an elastic object collide with each other.
    pub(crate) fn collides_with_itself(&self, kind: ObjectKind, index: usize) -> bool {
        let own = match kind {
            ObjectKind::Cloth => &self.cloth[index].collision,
            ObjectKind::Rope => &self.rope[index].collision,
            ObjectKind::Soft => &self.soft[index].collision,
            ObjectKind::Inflatable => &self.inflatable[index].collision,
            _ => return false,
        };
        own.as_ref().and_then(|own| own.itself).unwrap_or(self.contact.itself)
    }

    fn contact_of_liquid(&self, name: &str) -> ObjectContact {
        let is_named = |i: usize| match self.liquid[i].name.as_str() {
            "" => name == format!("{} {i}", ObjectKind::Liquid.name()),
            own => own == name,
        };
        let found = (0..self.liquid.len()).find(|&i| is_named(i));
        found.map_or(ObjectContact::default(), |i| self.contact_of(ObjectKind::Liquid, i))
    }

    /// Collision groups of an object, to be changed; none for kinds that touch nothing.
    pub(crate) fn collision_mut(&mut self, kind: ObjectKind, index: usize) -> Option<&mut Option<CollisionSpec>> {
        Some(match kind {
            ObjectKind::Cloth => &mut self.cloth[index].collision,
            ObjectKind::Rope => &mut self.rope[index].collision,
            ObjectKind::Soft => &mut self.soft[index].collision,
            ObjectKind::Inflatable => &mut self.inflatable[index].collision,
            ObjectKind::Grains => &mut self.grains[index].collision,
            ObjectKind::Body => &mut self.body[index].collision,
            ObjectKind::Liquid => &mut self.liquid[index].collision,
            ObjectKind::Collider => &mut self.collider[index].collision,
            _ => return None,
        })
    }

    /// Friction of an object with particles or a rigid body, to be changed; none for other kinds.
    pub(crate) fn friction_mut(&mut self, kind: ObjectKind, index: usize) -> Option<&mut Option<FrictionSpec>> {
        Some(match kind {
            ObjectKind::Cloth => &mut self.cloth[index].friction,
            ObjectKind::Rope => &mut self.rope[index].friction,
            ObjectKind::Soft => &mut self.soft[index].friction,
            ObjectKind::Inflatable => &mut self.inflatable[index].friction,
            ObjectKind::Grains => &mut self.grains[index].friction,
            ObjectKind::Body => &mut self.body[index].friction,
            _ => return None,
        })
    }

    /// The same of the coefficient of restitution.
    pub(crate) fn restitution_mut(&mut self, kind: ObjectKind, index: usize) -> Option<&mut Option<f32>> {
        Some(match kind {
            ObjectKind::Cloth => &mut self.cloth[index].restitution,
            ObjectKind::Rope => &mut self.rope[index].restitution,
            ObjectKind::Soft => &mut self.soft[index].restitution,
            ObjectKind::Inflatable => &mut self.inflatable[index].restitution,
            ObjectKind::Grains => &mut self.grains[index].restitution,
            ObjectKind::Body => &mut self.body[index].restitution,
            ObjectKind::Liquid => &mut self.liquid[index].restitution,
            _ => return None,
        })
    }
    /// Checks the collision groups and the surface of an object, and nothing else of it.
    pub(crate) fn validate_surface(&mut self, kind: ObjectKind, index: usize) -> Result<(), SceneError> {
        let collision = self.collision_mut(kind, index).cloned().flatten();
        let friction = self.friction_mut(kind, index).copied().flatten();
        let restitution = self.restitution_mut(kind, index).copied().flatten();
        surface(kind.name(), collision.as_ref(), friction.as_ref(), restitution)
    }
}
