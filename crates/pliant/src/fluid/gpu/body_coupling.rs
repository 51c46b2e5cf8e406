//! Rigid bodies in the projection of velocities on the device: tables, the record of each substep, and dispatches.
//!
//! The host moves the bodies. For every substep it uploads how they move ([`BodyCouplingTables::write_records`]); the device
//! finds the impulses that pressure will give them in the next one, and the host reads them with those of contacts.

use crate::contact::gpu::shaders::ContactFeatures;
use crate::fluid::body_coupling::relaxation;
use crate::fluid::body_surface::PRIOR;
use crate::fluid::gpu::constants::{BODY_MOTION, BODY_RECORD};
use crate::fluid::gpu::neighbor_lists::FLUID_CELLS;
use crate::fluid::gpu::shaders::{FLUID_KERNELS, PROJECTION_BODIES, PROJECTION_KERNELS, projection_constants};
use crate::fluid::model::FluidModel;
use crate::fluid::parameters::Fluid;
use crate::math::RowData;
use crate::neighbors::gpu::CELLS;
use crate::rigid_body::bodies::BodyState;
use crate::rigid_body::integrate::world_inverse_inertia;
use crate::runtime::gpu::program::{Bindings, ShaderPart, ShaderSource, binding};
use crate::runtime::gpu::tables::TableArena;
use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3};
use std::ops::Range;

/// Record of the passes (`body_coupling.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct BodyCouplingUniforms {
    /// Flags of [`crate::fluid::gpu::constants`].
    pub mode: u32,
    /// First vector in `work` of the impulses of contacts, two for each part of each piece.
    pub sums: u32,
    /// Number of parts.
    pub parts: u32,
}

/// Offsets of the tables of bodies in a liquid; empty without projection or without bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodyCouplingTables {
    /// Number of bodies.
    pub bodies: usize,
    /// Number of points of all surfaces.
    pub points: usize,
    /// Points in `constants`.
    surface: u32,
    /// Body of each piece in `constants`.
    pieces: u32,
    /// By particle: gradient without walls, and the share of the exact gradient.
    plain: u32,
    /// By body: how it moves, and the impulses.
    motions: u32,
    /// By point: its fit and its pressure.
    fits: u32,
    /// Word of `flags`: whether a body touches a liquid.
    acting: u32,
}

impl BodyCouplingTables {
    /// Writes what is fixed.
    pub fn new(model: &FluidModel<'_>, fluid: &Fluid, n: usize, arena: &mut TableArena) -> Self {
        if !fluid.projects || fluid.body_surfaces.is_empty() {
            return Self::default();
        }
        let points: usize = fluid.body_surfaces.iter().map(Vec::len).sum();
        let vector = |v: DVec3, w: u32| {
            let [x, y, z] = v.as_vec3().to_array().map(f32::to_bits);
            [x, y, z, w]
        };
        let all = (0_u32..).zip(&fluid.body_surfaces).flat_map(|(k, points)| points.iter().map(move |p| (k, p)));
        let bodies = fluid.body_surfaces.len();
        Self {
            bodies,
            points,
            surface: arena.put_constants(all.flat_map(|(k, p)| [vector(p.place, k), vector(p.area, 0)])),
            pieces: arena.put_constants(model.body_colliders.iter().map(|piece| [piece.body, 0, 0, 0])),
            plain: arena.reserve_work(n),
            motions: arena.reserve_work(bodies * BODY_MOTION as usize),
            fits: arena.reserve_work(2 * points),
            acting: arena.reserve_flags(1),
        }
    }

    /// WGSL that declares where they are, for all passes of the projection.
    pub fn constants(&self, fluid: &Fluid) -> String {
        let words = [
            ("SURFACE", self.surface),
            ("PIECES", self.pieces),
            ("UNBOUNDED", self.plain),
            ("BODY_MOTIONS", self.motions),
            ("POINTS", self.fits),
            ("ACTING", self.acting),
            ("BODY_COUNT", self.bodies as u32),
            ("POINT_COUNT", self.points as u32),
        ];
        let words = words.map(|(name, value)| format!("const {name}: u32 = {value}u;\n")).concat();
        let (there, density) = (self.bodies > 0, fluid.kinds[0].density);
        format!(
            "{words}const BODIES: bool = {there};\nconst DENSITY: f32 = {density:?}f;\n\
             const SURFACE_PRIOR: f32 = {PRIOR:?}f;\n"
        )
    }

    /// Vectors of the records of one substep.
    pub fn record_vectors(&self) -> usize {
        self.bodies * BODY_RECORD as usize
    }

    /// Offset of the motion of the bodies in `work`, for the host.
    pub fn motions(&self) -> Range<usize> {
        let first = self.motions as usize;
        first..first + self.bodies * BODY_MOTION as usize
    }

    /// Impulses and angular impulses on each body, from that part of `work`: of the first solution in the first substep, and
    /// of the last one.
    pub fn impulses(seen: &[RowData]) -> impl Iterator<Item = [[DVec3; 2]; 2]> + '_ {
        let vector = |row: RowData| Vec3::new(row[0], row[1], row[2]).as_dvec3();
        seen.chunks_exact(BODY_MOTION as usize)
            .map(move |own| [[own[7], own[8]], [own[5], own[6]]].map(|pair| pair.map(vector)))
    }

    /// Writes the records of a substep: `expected` are the changes of velocity and spin that bodies have from all but
    /// liquids, `first` says that it is the first substep.
    pub fn write_records(
        &self,
        model: &FluidModel<'_>,
        (bodies, expected): (&[BodyState], &[[DVec3; 2]]),
        first: bool,
        to: &mut Vec<RowData>,
    ) {
        to.clear();
        let Some(fluid) = model.fluid.filter(|_| self.bodies > 0) else { return };
        let density = f64::from(fluid.kinds[0].density);
        let row = |v: DVec3, w: f64| v.as_vec3().extend(w as f32).to_array();
        let (mut piece, mut point) = (0, 0);
        for (k, (params, body)) in model.rigid_bodies.bodies.iter().zip(bodies).enumerate() {
            let shape = &params.shape;
            let [gained, gained_spin] = expected.get(k).copied().unwrap_or_default();
            let inertia = world_inverse_inertia(shape, body.rotation).to_cols_array();
            let (pieces, points) = (shape.pieces.len() as u32, fluid.body_surfaces[k].len() as u32);
            let [push, torque] = body.push;
            to.extend([
                row(body.position, relaxation(shape, density)),
                row(body.velocity, 1.0 / shape.mass.mass),
                row(body.spin, 0.0),
                row(gained, 0.0),
                row(gained_spin, 0.0),
                row(DVec3::new(inertia[0], inertia[4], inertia[8]), 0.0),
                row(DVec3::new(inertia[1], inertia[2], inertia[5]), 0.0),
                [piece, pieces, point, points].map(f32::from_bits),
                row(push, f64::from(u8::from(first))),
                row(torque, 0.0),
                body.rotation.as_quat().to_array(),
            ]);
            piece += pieces;
            point += points;
        }
    }
}

/// Rows, work, flags and constants beside the cells of the neighbor search.
const BINDINGS: Bindings = Bindings {
    shared: &[binding::ROWS, binding::WORK, binding::FLAGS, binding::CONSTANTS, binding::SUBSTEP, binding::UNIFORMS],
    own: Some(&FLUID_CELLS),
};

/// A pass over bodies or points of their surfaces, named by its entry point in `body_coupling.wgsl`. `constants` is WGSL that
/// declares the parameters of the fluids and of their projection.
pub fn body_pass(entry: &'static str, constants: String, contact: &ContactFeatures) -> ShaderSource {
    let mut parts: Vec<ShaderPart> = FLUID_KERNELS.map(ShaderPart::from).to_vec();
    parts.extend(contact.collider_contacts());
    parts.push(constants.into());
    parts.push(projection_constants().into());
    parts.extend(
        [PROJECTION_KERNELS, PROJECTION_BODIES, CELLS, include_str!("body_coupling.wgsl")].map(ShaderPart::from),
    );
    ShaderSource::new(entry, BINDINGS, parts)
}
