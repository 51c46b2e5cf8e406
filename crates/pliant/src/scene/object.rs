//! Objects of a scene as one type, for worlds that change.

use crate::scene::{
    ArraySpec, Attach, Body, Cloth, Collider, Drain, Freeze, Grains, Inflatable, Joint, Liquid, Melt, PourSpec, Rope,
    Scene, Soft,
};

macro_rules! objects {
    ($($kind:ident $list:ident,)*) => {
        /// An object of any kind.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "short-lived: it is moved into a list of its kind")]
        pub enum Object {
            $(#[doc = concat!("An entry of [`Scene::", stringify!($list), "`].")] $kind($kind),)*
        }

        /// Kind of an object.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        #[serde(rename_all = "lowercase")]
        pub enum ObjectKind {
            $(#[doc = concat!("An entry of [`Scene::", stringify!($list), "`].")] $kind,)*
        }

        impl ObjectKind {
            /// All kinds.
            pub const ALL: [Self; 13] = [$(Self::$kind,)*];

            /// Name in scenes.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => stringify!($list),)*
                }
            }
        }

        impl Object {
            /// Its kind.
            pub fn kind(&self) -> ObjectKind {
                match self {
                    $(Self::$kind(_) => ObjectKind::$kind,)*
                }
            }
        }

        $(impl From<$kind> for Object {
            fn from(object: $kind) -> Self {
                Self::$kind(object)
            }
        })*

        impl Scene {
            /// Number of objects of a kind.
            pub(crate) fn count(&self, kind: ObjectKind) -> usize {
                match kind {
                    $(ObjectKind::$kind => self.$list.len(),)*
                }
            }

            /// Whether an object is the same in another scene.
            pub(crate) fn has_same(&self, other: &Self, kind: ObjectKind, index: usize) -> bool {
                match kind {
                    $(ObjectKind::$kind => self.$list.get(index) == other.$list.get(index),)*
                }
            }

            /// An object of a kind.
            pub(crate) fn object(&self, kind: ObjectKind, index: usize) -> Object {
                match kind {
                    $(ObjectKind::$kind => Object::$kind(self.$list[index].clone()),)*
                }
            }

            /// Puts an object in the place of another of its kind.
            pub(crate) fn replace(&mut self, index: usize, object: Object) {
                match object {
                    $(Object::$kind(object) => self.$list[index] = object,)*
                }
            }

            /// Appends an object and returns its index.
            pub(crate) fn push(&mut self, object: Object) -> usize {
                match object {
                    $(Object::$kind(object) => {
                        self.$list.push(object);
                        self.$list.len() - 1
                    })*
                }
            }

            /// Keeps the objects of a kind for whose index `keep` holds.
            pub(crate) fn retain(&mut self, kind: ObjectKind, keep: impl Fn(usize) -> bool) {
                let mut index = 0;
                let mut next = || {
                    index += 1;
                    keep(index - 1)
                };
                match kind {
                    $(ObjectKind::$kind => self.$list.retain(|_| next()),)*
                }
            }

            /// Removes all objects, in the order of their kinds.
            pub(crate) fn take_objects(&mut self) -> Vec<Object> {
                let mut all = Vec::new();
                $(all.extend(self.$list.drain(..).map(Object::$kind));)*
                all
            }
        }
    };
}

objects! {
    Cloth cloth,
    Rope rope,
    Soft soft,
    Inflatable inflatable,
    Grains grains,
    Body body,
    Liquid liquid,
    Collider collider,
    Drain drain,
    Melt melt,
    Freeze freeze,
    Attach attach,
    Joint joint,
}

impl ObjectKind {
    /// Kinds with particles, except liquids, in the order of their particles.
    pub(crate) const SOLIDS: [Self; 6] =
        [Self::Cloth, Self::Rope, Self::Soft, Self::Inflatable, Self::Grains, Self::Body];

    /// Whether an object of this kind refers to others by name.
    pub(crate) fn is_relation(self) -> bool {
        matches!(self, Self::Drain | Self::Melt | Self::Freeze | Self::Attach | Self::Joint)
    }

    /// Whether objects of this kind are named.
    pub(crate) fn is_named(self) -> bool {
        !self.is_relation()
    }
}

impl Object {
    /// Its name; empty where none was given, and for kinds without names.
    pub fn name(&self) -> &str {
        match self {
            Self::Cloth(o) => &o.name,
            Self::Rope(o) => &o.name,
            Self::Soft(o) => &o.name,
            Self::Inflatable(o) => &o.name,
            Self::Grains(o) => &o.name,
            Self::Body(o) => &o.name,
            Self::Liquid(o) => &o.name,
            Self::Collider(o) => &o.name,
            _ => "",
        }
    }

    /// Gives it a name, if objects of its kind have names.
    pub(crate) fn set_name(&mut self, name: &str) {
        let own = match self {
            Self::Cloth(o) => &mut o.name,
            Self::Rope(o) => &mut o.name,
            Self::Soft(o) => &mut o.name,
            Self::Inflatable(o) => &mut o.name,
            Self::Grains(o) => &mut o.name,
            Self::Body(o) => &mut o.name,
            Self::Liquid(o) => &mut o.name,
            Self::Collider(o) => &mut o.name,
            _ => return,
        };
        name.clone_into(own);
    }

    /// Its copies, if it has several.
    pub(crate) fn array(&self) -> Option<&ArraySpec> {
        match self {
            Self::Cloth(o) => o.array.as_ref(),
            Self::Rope(o) => o.array.as_ref(),
            Self::Soft(o) => o.array.as_ref(),
            Self::Inflatable(o) => o.array.as_ref(),
            Self::Grains(o) => o.array.as_ref(),
            Self::Body(o) => o.array.as_ref(),
            Self::Liquid(o) => o.array.as_ref(),
            _ => None,
        }
    }

    /// Translates it before it is placed; false for kinds without a transform.
    pub(crate) fn translate(&mut self, by: [f32; 3]) -> bool {
        let transform = match self {
            Self::Cloth(o) => &mut o.transform,
            Self::Rope(o) => &mut o.transform,
            Self::Soft(o) => &mut o.transform,
            Self::Inflatable(o) => &mut o.transform,
            Self::Grains(o) => &mut o.transform,
            Self::Body(o) => &mut o.transform,
            _ => return false,
        };
        (0..3).for_each(|axis| transform.translate[axis] += by[axis]);
        true
    }
}

impl Scene {
    /// Copies of an object, if it has several.
    pub(crate) fn array(&self, kind: ObjectKind, index: usize) -> Option<&ArraySpec> {
        match kind {
            ObjectKind::Cloth => self.cloth[index].array.as_ref(),
            ObjectKind::Rope => self.rope[index].array.as_ref(),
            ObjectKind::Soft => self.soft[index].array.as_ref(),
            ObjectKind::Inflatable => self.inflatable[index].array.as_ref(),
            ObjectKind::Grains => self.grains[index].array.as_ref(),
            ObjectKind::Body => self.body[index].array.as_ref(),
            ObjectKind::Liquid => self.liquid[index].array.as_ref(),
            _ => None,
        }
    }

    /// Name of an object, to be read or given; none for kinds without names.
    pub(crate) fn name_mut(&mut self, kind: ObjectKind, index: usize) -> Option<&mut String> {
        Some(match kind {
            ObjectKind::Cloth => &mut self.cloth[index].name,
            ObjectKind::Rope => &mut self.rope[index].name,
            ObjectKind::Soft => &mut self.soft[index].name,
            ObjectKind::Inflatable => &mut self.inflatable[index].name,
            ObjectKind::Grains => &mut self.grains[index].name,
            ObjectKind::Body => &mut self.body[index].name,
            ObjectKind::Liquid => &mut self.liquid[index].name,
            ObjectKind::Collider => &mut self.collider[index].name,
            _ => return None,
        })
    }
}

impl Scene {
    /// The emitter of an object.
    pub(crate) fn pour(&self, kind: ObjectKind, index: usize) -> Option<PourSpec> {
        match kind {
            ObjectKind::Grains => self.grains.get(index)?.pour,
            ObjectKind::Liquid => self.liquid.get(index)?.pour,
            _ => None,
        }
    }
}
