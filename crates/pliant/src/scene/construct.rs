//! Objects in code: a constructor per shape, then one call per property. All lengths in meters, all units SI.
//!
//! ```
//! use pliant::scene::{Body, Cloth, Collider, Place};
//!
//! let floor = Collider::plane();
//! let flag = Cloth::grid([60, 20], [3.0, 1.0]).density(0.2).pin(Place::LeftEdge);
//! let crate_ = Body::cuboid([0.4; 3]).density(500.0).at([0.0, 2.0, 0.0]);
//! # let _ = (floor, flag, crate_);
//! ```

use crate::collision::CollisionGroups;
use crate::scene::collider::{BoxShape, CapsuleShape, Collider, CylinderShape, FrictionSpec, PlaneShape, SphereShape};
use crate::scene::collision::CollisionSpec;
use crate::scene::placement::{Pin, Place};
use crate::scene::soft::{BallSpec, BlockSpec, Tessellation};
use crate::scene::{
    Attach, Body, BodyModel, Cloth, Drain, Elasticity, Fem, FillSpec, Grains, GridSpec, IcosphereSpec, Inflatable,
    InlineMesh, Liquid, MotionSpec, PourSpec, Rope, Rotate, RoundSpec, Select, Soft, TetrahedraSpec,
};

macro_rules! placed {
    ($($kind:ident)*) => {$(
        impl $kind {
            /// Gives it a name, by which it can be found.
            pub fn named(self, name: impl Into<String>) -> Self {
                Self { name: name.into(), ..self }
            }

            /// Translates it [m].
            pub fn at(mut self, translate: [f32; 3]) -> Self {
                self.transform.translate = translate;
                self
            }

            /// Rotates it about an axis through its origin [degrees].
            pub fn rotated(mut self, axis: [f32; 3], degrees: f32) -> Self {
                self.transform.rotate = Some(Rotate { axis, degrees });
                self
            }

            /// Initial velocity [m/s].
            pub fn velocity(self, velocity: [f32; 3]) -> Self {
                Self { velocity, ..self }
            }

            /// Density: [kg/m³] for solids and liquids, [kg/m²] for cloth and inflatables, [kg/m] for ropes.
            pub fn density(self, density: f32) -> Self {
                Self { density, ..self }
            }

            /// Color: red, green, blue from 0 to 1.
            pub fn color(self, color: [f32; 3]) -> Self {
                Self { color: Some(color), ..self }
            }
        }
    )*};
}

placed! { Cloth Rope Soft Inflatable Grains Body Liquid }

macro_rules! grouped {
    ($($kind:ident)*) => {$(
        impl $kind {
            /// Which objects it touches.
            pub fn collision_groups(self, groups: CollisionGroups) -> Self {
                Self { collision: CollisionSpec::with_groups(self.collision.as_ref(), groups), ..self }
            }
        }
    )*};
}

grouped! { Cloth Rope Soft Inflatable Grains Body Liquid Collider }

macro_rules! surfaced {
    ($($kind:ident)*) => {$(
        impl $kind {
            /// Coefficients of static and kinetic friction of its surface.
            pub fn friction(self, static_friction: f32, kinetic_friction: f32) -> Self {
                Self { friction: Some(FrictionSpec { static_friction, kinetic_friction }), ..self }
            }

            /// Coefficient of restitution of its surface, 0 to 1.
            pub fn restitution(self, restitution: f32) -> Self {
                Self { restitution: Some(restitution), ..self }
            }
        }
    )*};
}

surfaced! { Cloth Rope Soft Inflatable Grains Body }

macro_rules! pinned {
    ($($kind:ident)*) => {$(
        impl $kind {
            /// Fixes a named part of it.
            pub fn pin(mut self, place: Place) -> Self {
                self.pin.push(Pin { at: Some(place), ..Pin::default() });
                self
            }

            /// Fixes particles by number.
            pub fn pin_particles(mut self, particles: &[u32]) -> Self {
                self.pin.push(Pin { particles: Some(particles.to_vec()), ..Pin::default() });
                self
            }

            /// Stretch elasticity: a modulus, a compliance or a stiffness.
            pub fn stretch(self, stretch: Elasticity) -> Self {
                Self { stretch, ..self }
            }

            /// Radius of its particles in contacts [m].
            pub fn radius(self, radius: f32) -> Self {
                Self { radius, ..self }
            }
        }
    )*};
}

pinned! { Cloth Rope Soft Inflatable }

impl Cloth {
    /// A rectangle with this many cells and this size [m] along x and y.
    pub fn grid(cells: [u32; 2], size: [f32; 2]) -> Self {
        Self { grid: Some(GridSpec { cells, size, plane: Default::default() }), ..Self::default() }
    }

    /// The same along x and z: it lies flat.
    pub fn flat(cells: [u32; 2], size: [f32; 2]) -> Self {
        Self { grid: Some(GridSpec { cells, size, plane: crate::scene::GridPlane::Xz }), ..Self::default() }
    }

    /// Bending elasticity.
    pub fn bend(self, bend: Elasticity) -> Self {
        Self { bend: Some(bend), ..self }
    }
}

impl Rope {
    /// A rope along points [m], with this many segments.
    pub fn along(path: &[[f32; 3]], segments: u32) -> Self {
        Self { path: path.to_vec(), segments, ..Self::default() }
    }

    /// Bending elasticity.
    pub fn bend(self, bend: Elasticity) -> Self {
        Self { bend: Some(bend), ..self }
    }
}

impl Soft {
    /// A block with this many cells and this size [m].
    pub fn block(cells: [u32; 3], size: [f32; 3]) -> Self {
        Self { block: Some(BlockSpec { cells, size, tets: Tessellation::default() }), ..Self::default() }
    }

    /// A ball [m] with this many cells across.
    pub fn ball(radius: f32, cells: u32) -> Self {
        Self { ball: Some(BallSpec { radius, cells }), ..Self::default() }
    }

    /// A tetrahedral mesh from a file.
    pub fn mesh(file: impl Into<String>) -> Self {
        Self { mesh: Some(file.into()), ..Self::default() }
    }

    /// A closed surface from a file, filled with about this many tetrahedra.
    pub fn surface(file: impl Into<String>, tetrahedra: u32) -> Self {
        let spec = TetrahedraSpec { count: Some(tetrahedra), ..TetrahedraSpec::default() };
        Self { mesh: Some(file.into()), tetrahedra: Some(spec), ..Self::default() }
    }

    /// A closed surface of points [m] and triangles, counter-clockwise from outside, filled with tetrahedra.
    pub fn inline(points: Vec<[f32; 3]>, triangles: Vec<[u32; 3]>) -> Self {
        Self { inline: Some(InlineMesh { points, triangles, masses: None }), ..Self::default() }
    }

    /// Tetrahedra that fill its surface.
    pub fn tetrahedra(self, tetrahedra: TetrahedraSpec) -> Self {
        Self { tetrahedra: Some(tetrahedra), ..self }
    }

    /// A continuum: Young's modulus [Pa] and Poisson's ratio.
    pub fn fem(self, young: f32, poisson: f32) -> Self {
        Self { fem: Some(Fem { young, poisson, material: None }), ..self }
    }
}

impl Inflatable {
    /// A sphere [m]; each subdivision has four times the triangles of the one before.
    pub fn sphere(radius: f32, subdivisions: u32) -> Self {
        Self { sphere: Some(IcosphereSpec { radius, subdivisions }), ..Self::default() }
    }

    /// Pressure: volume that it tends to, relative to its own.
    pub fn pressure(self, pressure: f32) -> Self {
        Self { pressure, ..self }
    }
}

impl Grains {
    /// Grains of a radius that fill a box [m].
    pub fn fill(min: [f32; 3], max: [f32; 3], radius: f32) -> Self {
        Self { fill: Some(FillSpec { min, max }), radius, ..Self::default() }
    }

    /// Grains of a radius [m] that are poured.
    pub fn pour(pour: PourSpec, radius: f32) -> Self {
        Self { pour: Some(pour), radius, ..Self::default() }
    }
}

impl Liquid {
    /// A liquid that fills a box [m].
    pub fn fill(min: [f32; 3], max: [f32; 3]) -> Self {
        Self { fill: Some(FillSpec { min, max }), ..Self::default() }
    }

    /// A liquid that is poured.
    pub fn pour(pour: PourSpec) -> Self {
        Self { pour: Some(pour), ..Self::default() }
    }

    /// Coefficient of restitution with solids, 0 to 1.
    pub fn restitution(self, restitution: f32) -> Self {
        Self { restitution: Some(restitution), ..self }
    }

    /// Dynamic viscosity [Pa·s].
    pub fn viscosity(self, viscosity: f32) -> Self {
        Self { viscosity, ..self }
    }
}

impl Body {
    /// A box of this size [m].
    pub fn cuboid(size: [f32; 3]) -> Self {
        Self { cuboid: Some(size), ..Self::default() }
    }

    /// A ball [m].
    pub fn ball(radius: f32) -> Self {
        Self { ball: Some(radius), ..Self::default() }
    }

    /// A closed mesh from a file.
    pub fn mesh(file: impl Into<String>) -> Self {
        Self { mesh: Some(file.into()), ..Self::default() }
    }

    /// The same with at most so many convex pieces of its mesh; 1 is its convex hull.
    #[must_use]
    pub fn pieces(self, pieces: u32) -> Self {
        Self { pieces: Some(pieces), ..self }
    }

    /// A capsule along y: radius and length without its ends [m].
    pub fn capsule(radius: f32, length: f32) -> Self {
        Self { capsule: Some(RoundSpec { radius, length }), ..Self::default() }
    }

    /// A cylinder along y [m].
    pub fn cylinder(radius: f32, length: f32) -> Self {
        Self { cylinder: Some(RoundSpec { radius, length }), ..Self::default() }
    }

    /// A cone along y [m].
    pub fn cone(radius: f32, length: f32) -> Self {
        Self { cone: Some(RoundSpec { radius, length }), ..Self::default() }
    }

    /// The convex hull of points [m].
    pub fn convex(points: &[[f32; 3]]) -> Self {
        Self { convex: Some(points.to_vec()), ..Self::default() }
    }

    /// Particles along its longest side: makes it a body of particles.
    pub fn grid(self, grid: u32) -> Self {
        Self { grid, ..self }
    }

    /// How it is simulated.
    pub fn model(self, model: BodyModel) -> Self {
        Self { model: Some(model), ..self }
    }
}

impl Collider {
    /// The ground: all below y = 0.
    pub fn plane() -> Self {
        Self::half_space([0.0, 1.0, 0.0], 0.0)
    }

    /// All points p with p·normal ≤ offset [m].
    pub fn half_space(normal: [f32; 3], offset: f32) -> Self {
        Self { plane: Some(PlaneShape { normal, offset }), ..Self::default() }
    }

    /// A sphere [m].
    pub fn sphere(center: [f32; 3], radius: f32) -> Self {
        Self { sphere: Some(SphereShape { center, radius }), ..Self::default() }
    }

    /// A box [m].
    pub fn cuboid(center: [f32; 3], size: [f32; 3]) -> Self {
        Self { cuboid: Some(BoxShape { center, size, rotate: None }), ..Self::default() }
    }

    /// A capsule between two points [m].
    pub fn capsule(from: [f32; 3], to: [f32; 3], radius: f32) -> Self {
        Self { capsule: Some(CapsuleShape { from, to, radius }), ..Self::default() }
    }

    /// A cylinder between two points [m].
    pub fn cylinder(from: [f32; 3], to: [f32; 3], radius: f32) -> Self {
        Self { cylinder: Some(CylinderShape { from, to, radius }), ..Self::default() }
    }

    /// Gives it a name, by which it can be found.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Coefficients of static and kinetic friction.
    pub fn friction(self, static_friction: f32, kinetic_friction: f32) -> Self {
        Self { friction: FrictionSpec { static_friction, kinetic_friction }, ..self }
    }

    /// Coefficient of restitution, 0 to 1.
    pub fn restitution(self, restitution: f32) -> Self {
        Self { restitution, ..self }
    }

    /// A prescribed motion.
    pub fn motion(self, motion: MotionSpec) -> Self {
        Self { motion: Some(motion), ..self }
    }
}

impl Drain {
    /// Removes what comes into a sphere [m].
    pub fn sphere(center: [f32; 3], radius: f32) -> Self {
        Self { sphere: Some(SphereShape { center, radius }), ..Self::default() }
    }

    /// Removes what comes into a box [m].
    pub fn cuboid(center: [f32; 3], size: [f32; 3]) -> Self {
        Self { cuboid: Some(BoxShape { center, size, rotate: None }), ..Self::default() }
    }

    /// Removes particles of one liquid or of one object of grains only.
    pub fn of(self, object: impl Into<String>) -> Self {
        Self { object: Some(object.into()), ..self }
    }

    /// Returns particles that were poured to their emitter, which emits them again.
    pub fn recycle(self) -> Self {
        Self { recycle: true, ..self }
    }

    /// A motion by prescription.
    pub fn motion(self, motion: MotionSpec) -> Self {
        Self { motion: Some(motion), ..self }
    }
}

impl Attach {
    /// Joins particles of two objects that are nearest to each other, within a distance [m].
    pub fn objects(from: impl Into<String>, to: impl Into<String>, within: f32) -> Self {
        let all = |object: String| Select { object, ..Select::default() };
        Self { from: all(from.into()), to: all(to.into()), within, compliance: 0.0 }
    }
}
