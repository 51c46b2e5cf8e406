//! Collision groups and surface properties of objects: which pairs touch, and with which coefficients.
//!
//! Groups are those of other engines (Box2D, Rapier): an object is a member of some of 16 groups and touches members of
//! some; two objects touch if each touches the other. The friction of a pair is the geometric mean, its restitution the
//! maximum, as in Box2D. An object without own values has those of `contact` with other objects, and leaves a collider its
//! own.

/// Number of collision groups.
pub const GROUPS: u32 = 16;

/// Coulomb friction of a surface, or of a pair of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// Static coefficient.
    pub static_friction: f32,
    /// Kinetic coefficient.
    pub kinetic_friction: f32,
}

impl Friction {
    /// Of a pair of surfaces: the geometric mean of each coefficient.
    pub fn combined(self, other: Self) -> Self {
        Self {
            static_friction: mean(self.static_friction, other.static_friction),
            kinetic_friction: mean(self.kinetic_friction, other.kinetic_friction),
        }
    }
}

/// Geometric mean; exactly the number where both are equal.
fn mean(a: f32, b: f32) -> f32 {
    if a == b { a } else { (a * b).sqrt() }
}

/// Which objects an object touches: a bit for each of [`GROUPS`] groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CollisionGroups {
    /// Groups that it is a member of.
    pub memberships: u16,
    /// Groups whose members it touches.
    pub filter: u16,
}

impl CollisionGroups {
    /// Member of all groups, touches all: the default.
    pub const ALL: Self = Self { memberships: u16::MAX, filter: u16::MAX };
    /// Touches nothing.
    pub const NONE: Self = Self { memberships: 0, filter: 0 };

    /// A member of some groups that touches members of some, as bits.
    pub const fn new(memberships: u16, filter: u16) -> Self {
        Self { memberships, filter }
    }

    /// Whether two objects touch: each is a member of a group that the other touches.
    #[inline]
    pub const fn touches(self, other: Self) -> bool {
        self.memberships & other.filter != 0 && other.memberships & self.filter != 0
    }

    /// Both in one word: memberships below, filter above.
    pub fn word(self) -> u32 {
        u32::from(self.memberships) | u32::from(self.filter) << 16
    }
}

impl Default for CollisionGroups {
    fn default() -> Self {
        Self::ALL
    }
}

/// Collision groups, friction and restitution of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ObjectContact {
    /// Which objects it touches.
    pub groups: CollisionGroups,
    /// Its friction, if it has its own.
    pub friction: Option<Friction>,
    /// Its coefficient of restitution, if it has its own.
    pub restitution: Option<f32>,
}

/// What objects and colliders have of their own in contacts. Empty where none has anything: then all touch each other, with
/// the coefficients of colliders and scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactTable {
    /// By number of the object in the topology.
    objects: Vec<ObjectContact>,
    /// Colliders, which have no more than groups here; then pieces of rigid bodies, with the coefficients of their bodies.
    colliders: Vec<ObjectContact>,
    /// Different frictions of objects.
    frictions: Vec<Friction>,
    /// Place of each object's friction in that list, from 1; 0 where it has none.
    classes: Vec<u32>,
}

impl ContactTable {
    /// Of objects and colliders; empty if none has anything of its own. `pieces` are those of rigid bodies.
    pub fn new(objects: Vec<ObjectContact>, colliders: Vec<CollisionGroups>, pieces: Vec<ObjectContact>) -> Self {
        let own = |contact: &ObjectContact| *contact != ObjectContact::default();
        if !objects.iter().any(own) && colliders.iter().all(|&groups| groups == CollisionGroups::ALL) {
            return Self::default();
        }
        let mut frictions: Vec<Friction> = Vec::new();
        let classes = objects.iter().map(|own| class(&mut frictions, own.friction)).collect();
        let colliders = colliders.into_iter().map(|groups| ObjectContact { groups, ..ObjectContact::default() });
        Self { classes, frictions, colliders: colliders.chain(pieces).collect(), objects }
    }

    /// Whether nothing has anything of its own.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.colliders.is_empty()
    }

    /// Whether some pairs do not touch.
    pub fn filters(&self) -> bool {
        self.objects.iter().chain(&self.colliders).any(|o| o.groups != CollisionGroups::ALL)
    }

    /// Whether an object has a coefficient of restitution above 0.
    pub fn has_restitution(&self) -> bool {
        self.objects.iter().any(|o| o.restitution.is_some_and(|e| e > 0.0))
    }

    /// Whether an object has a coefficient of restitution of its own.
    pub fn has_own_restitution(&self) -> bool {
        self.objects.iter().any(|o| o.restitution.is_some())
    }

    /// What an object has of its own.
    #[inline]
    pub fn object(&self, number: u32) -> ObjectContact {
        self.objects.get(number as usize).copied().unwrap_or_default()
    }

    /// The same of a collider or a piece of a rigid body.
    #[inline]
    pub fn collider(&self, number: usize) -> ObjectContact {
        self.colliders.get(number).copied().unwrap_or_default()
    }

    /// Different frictions of objects.
    pub fn frictions(&self) -> &[Friction] {
        &self.frictions
    }

    /// Place of an object's friction in [`Self::frictions`], from 1; 0 where it has none of its own.
    #[inline]
    pub fn friction_class(&self, object: u32) -> u32 {
        self.classes.get(object as usize).copied().unwrap_or(0)
    }

    /// Friction of two objects, where objects without their own have that of the scene.
    pub fn friction_between(&self, a: u32, b: u32, scene: Friction) -> Friction {
        let own = |object: u32| self.object(object).friction.unwrap_or(scene);
        own(a).combined(own(b))
    }

    /// Coefficient of restitution of two objects, where objects without their own have that of the scene.
    pub fn restitution_between(&self, a: u32, b: u32, scene: f32) -> f32 {
        let own = |object: u32| self.object(object).restitution.unwrap_or(scene);
        own(a).max(own(b))
    }

    /// The same of an object and a collider with the coefficient `law`, which holds for objects without their own.
    pub fn restitution_with(&self, object: u32, collider: usize, law: f32) -> f32 {
        let Some(own) = self.object(object).restitution else { return law };
        own.max(self.collider(collider).restitution.unwrap_or(law))
    }

    /// What an object has that was added to a model with a table, which must not be empty if that is anything.
    pub fn put(&mut self, number: u32, own: ObjectContact) {
        if self.is_empty() {
            return;
        }
        let count = self.objects.len().max(number as usize + 1);
        self.objects.resize(count, ObjectContact::default());
        self.classes.resize(count, 0);
        self.objects[number as usize] = own;
        self.classes[number as usize] = class(&mut self.frictions, own.friction);
    }

    /// Adds a piece of a rigid body behind all others, unless nothing has anything of its own.
    pub fn append_piece(&mut self, own: ObjectContact) {
        if !self.is_empty() {
            self.colliders.push(own);
        }
    }

    /// Removes pieces of rigid bodies.
    pub fn remove_pieces(&mut self, numbers: std::ops::Range<usize>) {
        if !self.is_empty() {
            self.colliders.drain(numbers);
        }
    }

    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        let own = (self.objects.capacity() + self.colliders.capacity()) * size_of::<ObjectContact>();
        (own + self.classes.capacity() * size_of::<u32>()) as u64
    }
}

/// Place of a friction in a list, from 1, to which it is added; 0 without one.
fn class(frictions: &mut Vec<Friction>, own: Option<Friction>) -> u32 {
    let Some(own) = own else { return 0 };
    let place = frictions.iter().position(|f| *f == own).unwrap_or_else(|| {
        frictions.push(own);
        frictions.len() - 1
    });
    place as u32 + 1
}

/// Which particles and colliders touch.
#[derive(Clone, Copy, Debug)]
pub struct ContactPairs<'a> {
    /// What objects have of their own.
    pub table: &'a ContactTable,
    /// Object of each particle.
    pub objects: &'a [u32],
}

impl ContactPairs<'_> {
    /// Whether two particles touch.
    #[inline]
    pub fn touch(&self, i: usize, j: usize) -> bool {
        let groups = |k: usize| self.table.object(self.objects[k]).groups;
        groups(i).touches(groups(j))
    }

    /// Friction of two particles, where objects without their own have that of the scene.
    #[inline]
    pub fn friction(&self, i: usize, j: usize, scene: Friction) -> Friction {
        self.table.friction_between(self.objects[i], self.objects[j], scene)
    }

    /// Whether a particle touches a collider or a piece of a rigid body.
    #[inline]
    pub fn touches_collider(&self, particle: usize, collider: usize) -> bool {
        self.table.is_empty()
            || self.table.object(self.objects[particle]).groups.touches(self.table.collider(collider).groups)
    }
}
