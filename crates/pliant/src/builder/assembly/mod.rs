//! Joins copies of parts into one set of particles and constraints, then into model and state.
//!
//! [`Assembly::place`] adds objects, `pins` fixes some of their particles, `finish` builds the model.

mod elastic_rows;
pub mod finish;
pub mod pins;
mod runs;

use crate::aero::surfaces::AeroSurfaces;
use crate::builder::BuildError;
use crate::builder::layout::{Layout, ListLengths, Member, Placed, Source};
use crate::builder::liquid::fluid_volumes;
use crate::builder::part::{EmitterShape, Matching, ORIENTATION, Part};
use crate::builder::placement::copies;
use crate::builder::skinning::SkinnedMeshBuilder;
use crate::builder::surfaces::inflatable;
use crate::collision::{CollisionGroups, ObjectContact};
use crate::constraints::ConstraintKind;
use crate::constraints::group::Raw;
use crate::constraints::inflate::Inflatable;
use crate::contact::collider::Collider;
use crate::environments::Environments;
use crate::error::SceneError;
use crate::frame::Topology;
use crate::integration::pins::MovedPins;
use crate::math::RowData;
use crate::mesh::TriMesh;
use crate::neighbors::INACTIVE;
use crate::neighbors::LIQUID;
use crate::rigid_body::anchor::{Anchor, AnchorState};
use crate::rigid_body::bodies::{BodyParams, BodyState};
use crate::scene::{ArraySpec, FluidSpec, Pin, Scene};
use crate::transitions::drain::Drain;
use crate::transitions::emitter::Emitter;
use crate::transitions::freeze::Freeze;
use crate::transitions::melt::Melt;
use glam::{DVec3, Vec3};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// One copy of an object.
pub struct Copy {
    /// Name of the object, without the index of the copy.
    pub name: String,
    /// First particle.
    pub first: u32,
    /// Displacement from the part.
    pub shift: Vec3,
    /// Index of the part.
    pub part: usize,
}

/// The scene as assembled so far.
#[derive(Default)]
pub struct Assembly {
    /// Notes for the user.
    pub notes: Vec<String>,
    /// Parts as built, without their constraints (kept for attachments).
    pub parts: Vec<Arc<Part>>,
    /// Copies of parts.
    pub copies: Vec<Copy>,
    /// Positions and inverse masses.
    pub rows: Vec<RowData>,
    /// Positions at rest [m].
    rest: Vec<Vec3>,
    velocities: Vec<RowData>,
    phases: Vec<u32>,
    orientations: Vec<RowData>,
    spin_inv_inertias: Vec<f32>,
    /// Constraints by kind.
    pub constraints: BTreeMap<ConstraintKind, Raw>,
    pins: Vec<MovedPins>,
    /// Colliders.
    pub colliders: Vec<Collider>,
    /// Environments of a batch.
    pub environments: Environments,
    aero_surfaces: AeroSurfaces,
    inflatables: Vec<Inflatable>,
    shape: Topology,
    /// Shape-matched bodies.
    pub shapes: Vec<crate::shape_matching::BodyDef>,
    /// Rigid bodies with exact shapes, and where they are.
    pub rigid_bodies: Vec<(BodyParams, BodyState)>,
    /// Particles that are attached to them.
    pub anchors: Vec<(Anchor, AnchorState)>,
    /// Their surfaces.
    body_surfaces: Vec<Arc<TriMesh>>,
    /// Whether objects have a past.
    pub edited: bool,
    skinned_meshes: SkinnedMeshBuilder,
    /// Particles released later.
    pub emitters: Vec<Emitter>,
    /// Regions that remove particles.
    pub drains: Vec<Drain>,
    /// Bodies that turn into liquids.
    pub melts: Vec<Melt>,
    /// Liquids that turn into bodies.
    pub freezes: Vec<Freeze>,
    /// Whether the object that is placed collides with itself, and whether any does.
    pub itself: bool,
    any_itself: bool,
    /// As [`Model::fields`], up to the last body.
    pub fields: Vec<RowData>,
    /// Whether the particles of each object are loose.
    loose: Vec<bool>,
    /// Attached particles, each with the object that it is attached to.
    pub attachment_filter: Vec<(u32, u32)>,
    /// Settings common to liquids, if there are any.
    fluid: Option<FluidSpec>,
    /// Volume of each particle in liquids [m³], and its liquid, from 1; empty without liquids.
    fluid_volumes: Vec<f32>,
    liquids: Vec<u32>,
    /// Names of objects.
    names: HashSet<String>,
    /// Time at which the object that is placed was added [s].
    pub start: f64,
    /// Where objects are.
    pub placed: Vec<Placed>,
    /// Particles that each attachment joins.
    pub attachments: Vec<Vec<[Member; 2]>>,
    /// Collision groups and surfaces of objects, and groups of colliders.
    pub contacts: (Vec<ObjectContact>, Vec<CollisionGroups>),
}

/// Maximum row and slot index: the mark bit must stay free.
const MOST: usize = ORIENTATION as usize - 1;

impl Assembly {
    /// An empty assembly for a scene.
    pub fn new(scene: &Scene) -> Self {
        let fluid = (!scene.liquid.is_empty()).then(|| scene.fluid.clone());
        Self { fluid, ..Self::default() }
    }

    /// Adds all copies of a part.
    pub fn place(
        &mut self,
        at: &str,
        name: &str,
        mut part: Arc<Part>,
        array: Option<&ArraySpec>,
        pins: &[Pin],
        color: Option<[f32; 3]>,
    ) -> Result<(), BuildError> {
        if !self.names.insert(name.to_owned()) {
            return Err(SceneError::new(format!("{at}.name"), format!("{name:?} is taken by another object")).into());
        }
        let shifts = copies(array);
        let fluid_volumes = self.fluid.as_ref().map_or(Vec::new(), |f| fluid_volumes(&part, f));
        let total = self.rows.len() + part.positions.len() * shifts.len();
        if total > MOST {
            return Err(BuildError::TooLarge { what: "particles", found: total, most: MOST });
        }
        let many = shifts.len() > 1;
        let number = self.parts.len();
        for (k, &shift) in shifts.iter().enumerate() {
            let object = self.shape.object_names.len() as u32;
            let label = if many { format!("{name}[{k}]") } else { name.to_owned() };
            self.shape.object_names.push(label);
            self.loose.push(part.loose);
            self.shape.colors.push(color);
            self.copies.push(Copy { name: name.to_owned(), first: self.rows.len() as u32, shift, part: number });
            self.place_one(at, &part, shift, object, pins)?;
            self.fluid_volumes.extend_from_slice(&fluid_volumes);
            self.liquids.resize(self.fluid_volumes.len(), part.liquid.map_or(0, |l| l as u32 + 1));
        }
        if let Some(own) = Arc::get_mut(&mut part) {
            own.constraints.clear();
        }
        self.parts.push(part);
        Ok(())
    }

    /// Lengths of all lists.
    pub fn counts(&self) -> ListLengths {
        ListLengths {
            particles: self.rows.len(),
            orientations: self.orientations.len(),
            objects: self.shape.object_names.len(),
            bodies: self.shapes.len(),
            rigid_bodies: self.rigid_bodies.len(),
            emitters: self.emitters.len(),
            inflatables: self.inflatables.len(),
            pins: self.pins.len(),
            melts: self.melts.len(),
            freezes: self.freezes.len(),
        }
    }

    /// Records where an object is, which was placed after the lists had the lengths `from`. Its particles are where
    /// `rows` has them, if it was in a world before.
    pub fn record(&mut self, source: Source, from: ListLengths, rows: Option<&[RowData]>) {
        self.placed.push(Placed { source, from, to: self.counts() });
        for (own, row) in self.rows[from.particles..].iter_mut().zip(rows.unwrap_or_default()) {
            own[..3].copy_from_slice(&row[..3]);
        }
    }

    /// Where all objects are.
    pub fn layout(&mut self) -> Layout {
        Layout::new(std::mem::take(&mut self.placed), std::mem::take(&mut self.attachments))
    }

    /// Translates a copy of an object without pins.
    pub fn move_copy(&mut self, copy: usize, way: Vec3) {
        let copy = &mut self.copies[copy];
        let particles = copy.first as usize..copy.first as usize + self.parts[copy.part].positions.len();
        copy.shift += way;
        for (row, rest) in self.rows[particles.clone()].iter_mut().zip(&mut self.rest[particles]) {
            *rest += way;
            (0..3).for_each(|axis| row[axis] += way[axis]);
        }
    }

    /// Index of the object of a particle.
    pub fn object_of(&self, particle: u32) -> u32 {
        self.shape.objects[particle as usize]
    }

    fn place_one(&mut self, at: &str, part: &Part, shift: Vec3, object: u32, pins: &[Pin]) -> Result<(), BuildError> {
        let (first, n) = (self.rows.len() as u32, part.positions.len());
        let first_turn = self.orientations.len() as u32;
        let v = part.velocity;
        for (p, &m) in part.positions.iter().zip(&part.masses) {
            let p = *p + shift;
            self.rows.push([p.x, p.y, p.z, 1.0 / m]);
            self.velocities.push([v.x, v.y, v.z, 0.0]);
        }
        if !part.fields.is_empty() {
            self.fields.resize(first as usize, [0.0; 4]);
            self.fields.extend_from_slice(&part.fields);
        }
        self.shape.radii.extend_from_slice(&part.radii);
        self.rest.extend(part.rest.iter().map(|&p| p + shift));
        self.shape.radii.resize(self.rows.len(), part.radius);
        self.shape.objects.resize(self.rows.len(), object);
        // Objects are numbered from 1 in phases; 0 marks those with self-collision.
        let itself = part.loose || self.itself;
        self.any_itself |= self.itself;
        let phase = match part.liquid {
            Some(_) => LIQUID,
            None if itself => 0,
            None => object + 1,
        };
        self.phases.resize(self.rows.len(), phase);
        if let Some(Matching { stiffness, plastic, regions }) = &part.matching {
            let (stiffness, plastic) = (*stiffness, *plastic);
            let shape = |members| crate::shape_matching::BodyDef { members, stiffness, plastic };
            match regions.is_empty() {
                true => self.shapes.push(shape((first..first + n as u32).collect())),
                false => self.shapes.extend(regions.iter().map(|r| shape(r.iter().map(|i| i + first).collect()))),
            }
        }
        if let Some(skinned_surface) = &part.skinned_surface {
            self.skinned_meshes.add(skinned_surface, first as usize, object);
        }
        if let Some(rigid) = &part.rigid {
            self.skinned_meshes.add_rigid(&rigid.surface, self.rigid_bodies.len(), object);
            self.body_surfaces.push(rigid.surface.clone());
            let position = rigid.frame.position + shift.as_dvec3();
            let (rotation, velocity) = (rigid.frame.rotation, v.as_dvec3());
            let body = BodyState { position, rotation, velocity, spin: DVec3::ZERO, push: [DVec3::ZERO; 2] };
            self.shape.body_objects.push(object);
            self.rigid_bodies.push((
                BodyParams { shape: rigid.shape.clone(), object, environment: 0, contact: ObjectContact::default() },
                body,
            ));
        }
        if let Some(shape) = &part.emitter {
            self.deactivate_emitted(part, shape, shift, first as usize + shape.first);
        }
        self.orientations.extend(part.orientations.iter().map(|q| q.to_array()));
        self.spin_inv_inertias.extend_from_slice(&part.spin_inv_inertias);
        let row = |r: u32| if r & ORIENTATION == 0 { r + first } else { r + first_turn };
        for (&kind, raw) in &part.constraints {
            let whole = self.constraints.entry(kind).or_default();
            whole.rows.extend(raw.rows.iter().map(|&r| row(r)));
            whole.params.extend_from_slice(&raw.params);
        }
        let pinned = self.pin(at, part, shift, first, first_turn, pins)?;
        if let Some(slack) = part.tether {
            self.tether(part, first, &pinned, slack);
        }
        self.shape.triangles.extend(part.triangles.iter().map(|t| t.map(row)));
        self.shape.tets.extend(part.tets.iter().map(|t| t.map(row)));
        self.shape.lines.extend(part.lines.iter().map(|l| l.map(row)));
        if let Some(air) = part.air {
            let known = self.aero_surfaces.airs.iter().position(|a| *a == air).unwrap_or(self.aero_surfaces.airs.len());
            if known == self.aero_surfaces.airs.len() {
                self.aero_surfaces.airs.push(air);
            }
            let number = u16::try_from(known).map_err(|_| BuildError::TooLarge {
                what: "pairs of drag and lift",
                found: known,
                most: 65_535,
            })?;
            self.aero_surfaces.triangles.extend(part.triangles.iter().map(|t| t.map(row)));
            self.aero_surfaces.air.resize(self.aero_surfaces.triangles.len(), number);
        }
        if let Some(inside) = &part.inside {
            self.inflatables.push(inflatable(part, inside, first, n, object));
        }
        Ok(())
    }

    /// Deactivates grains that are released later.
    fn deactivate_emitted(&mut self, part: &Part, shape: &EmitterShape, shift: Vec3, first: usize) {
        let emitter = Emitter {
            first,
            places: shape.places.iter().map(|&p| p + shift).collect(),
            velocity: part.velocity,
            inv_mass: self.rows[first][3],
            phase: self.phases[first],
            start: self.start,
            per_second: shape.per_second,
            across: shape.across,
            endless: false,
        };
        self.deactivate_from(first);
        self.emitters.push(emitter);
    }

    /// Deactivates all particles from `first` on.
    pub fn deactivate_from(&mut self, first: usize) {
        for i in first..self.rows.len() {
            (self.rows[i][3], self.velocities[i], self.phases[i]) = (0.0, [0.0; 4], INACTIVE);
        }
    }
}
