//! Moves the state of a backend to a backend of an edited model on the device: rows, motion, poses, contacts and pressures
//! of what both have are copied without a transfer to the host.

use crate::integration::gpu::motion_arrays;
use crate::model::Model;
use crate::runtime::gpu::MOST_GROUPS;
use crate::runtime::gpu::device::UNIFORMS;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::shader_constants::{self, NONE};
use crate::shape_matching::gpu::constants::BODY_POSE_VECTORS;
use crate::solver::gpu::Gpu;
use crate::solver::gpu::pass_uniforms::CarryUniforms;
use crate::state::State;
use wgpu::{Buffer, BufferUsages};

const SHADER: &str = include_str!("device_carry.wgsl");

/// Words of a vector.
const VECTOR: u32 = 4;

/// Numbers of rows of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowCounts {
    particles: usize,
    /// Particles and orientations.
    solid: usize,
    /// Arrays of motion.
    arrays: usize,
    /// Multipliers of constraints, before those of inflatables.
    multipliers: usize,
    has_orders: bool,
}

impl RowCounts {
    pub(crate) fn of(state: &State) -> Self {
        Self {
            particles: state.particles,
            solid: state.velocities.len(),
            arrays: motion_arrays(state),
            multipliers: state.multipliers.iter().map(Vec::len).sum(),
            has_orders: !state.first_order.is_empty(),
        }
    }
}

/// Old numbers of the parts of a state, by their new numbers; [`NONE`] for new parts.
pub(crate) struct DeviceCarry {
    /// Rows, copies included.
    pub rows: Vec<u32>,
    /// Bodies.
    pub bodies: Vec<u32>,
    /// Colliders, by slot.
    pub colliders: Vec<u32>,
    /// Inflatables.
    pub inflatables: Vec<u32>,
    /// What was there before.
    pub before: RowCounts,
}

impl DeviceCarry {
    /// Everything stays where it is; only settings have changed.
    pub(crate) fn identity(model: &Model, state: &State) -> Self {
        let all = |count: usize| (0..count as u32).collect();
        Self {
            rows: all(state.rows.len()),
            bodies: all(state.shapes.as_ref().map_or(0, |shapes| shapes.len())),
            colliders: all(model.environments.slot_count(model.colliders.len())),
            inflatables: all(state.inflate_multipliers.len()),
            before: RowCounts::of(state),
        }
    }
}

/// A pass over elements of one buffer.
struct CarryPass {
    entry: &'static str,
    /// Before, after, map; then others.
    buffers: Vec<Buffer>,
    uniforms: CarryUniforms,
}

impl Gpu {
    /// Makes a backend for another model and state, and moves what this one has into it. `state` has what only the host
    /// knows; its positions and velocities may be old. All steps must be done.
    pub(crate) fn replaced(&self, model: &Model, state: &State, carry: &DeviceCarry) -> Result<Self, GpuError> {
        let next = Self::new(self.device.clone(), model, state)?;
        next.take_over(self, state, carry)?;
        Ok(next.in_place_of(self))
    }

    /// Takes over the caller's settings and the counters of the backend that this one replaces.
    pub(crate) fn in_place_of(mut self, old: &Self) -> Self {
        self.buffers.count_on(&old.buffers);
        self.profiling = old.profiling;
        self.submission_mode = old.submission_mode;
        self
    }

    fn take_over(&self, old: &Self, state: &State, carry: &DeviceCarry) -> Result<(), GpuError> {
        let (before, now) = (carry.before, RowCounts::of(state));
        let words: Vec<u32> = [&carry.rows, &carry.bodies, &carry.colliders].into_iter().flatten().copied().collect();
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let map = self.device.buffer("old rows", 4 * words.len() as u64, usage)?;
        self.buffers.write(&self.device, &map, 0, &words);
        let (bodies_at, colliders_at) = (carry.rows.len() as u32, (carry.rows.len() + carry.bodies.len()) as u32);
        let mut passes = Vec::new();
        let mut copy = |[from, to]: [&Buffer; 2], map_at: u32, elements: usize, stride: u32, at: [u64; 2]| {
            if elements > 0 {
                let count = elements as u32 * stride;
                let [from_at, to_at] = at.map(|at| at as u32);
                let uniforms = CarryUniforms { count, stride, from_at, to_at, map_at, ..CarryUniforms::default() };
                let buffers = vec![from.clone(), to.clone(), map.clone()];
                passes.push(CarryPass { entry: "carry_words", buffers, uniforms });
            }
        };
        let vectors = |at: usize| u64::from(VECTOR) * at as u64;
        copy([&old.buffers.rows, &self.buffers.rows], 0, carry.rows.len(), VECTOR, [0, 0]);
        for k in 0..before.arrays.min(now.arrays) {
            let at = [vectors(k * before.solid), vectors(k * now.solid)];
            copy([&old.buffers.motion, &self.buffers.motion], 0, now.solid, VECTOR, at);
        }
        if before.has_orders && now.has_orders {
            let at = [old, self].map(|gpu| u64::from(gpu.tables.integration.first_order));
            copy([&old.buffers.flags, &self.buffers.flags], 0, now.particles, 1, at);
        }
        if let (Some(from), Some(to)) = (&old.bodies, &self.bodies) {
            let stride = VECTOR * BODY_POSE_VECTORS;
            copy([from.poses(), to.poses()], bodies_at, carry.bodies.len(), stride, [0, 0]);
        }
        let carried = [old, self].map(|gpu| gpu.tables.fluid.carried);
        if carried.iter().all(|&at| at != NONE) {
            let at = carried.map(|at| vectors(at as usize));
            copy([&old.buffers.work, &self.buffers.work], 0, now.particles, VECTOR, at);
        }
        passes.extend(self.contacts_of(old, now.particles, colliders_at, &map));
        let mut encoder = self.device.device.create_command_encoder(&Default::default());
        for pass in &passes {
            self.encode_carry(&mut encoder, pass)?;
        }
        self.copy_multipliers(old, carry, now, &mut encoder);
        // Without the tables, and so after objects have changed, everything is awake.
        let [(from, count), (to, same)] = [old, self].map(|gpu| gpu.tables.sleep.words());
        if count > 0 && count == same {
            let at = [from, to].map(|word| 4 * u64::from(word));
            encoder.copy_buffer_to_buffer(&old.buffers.flags, at[0], &self.buffers.flags, at[1], 4 * count as u64);
        }
        self.device.queue.submit([encoder.finish()]);
        self.device.alive()
    }

    /// The contacts with colliders, where their impulses are stored by particle.
    fn contacts_of(&self, old: &Self, particles: usize, map: u32, rows: &Buffer) -> Option<CarryPass> {
        let (from, to) = (&old.tables.contact.colliders, &self.tables.contact.colliders);
        let apart = old.tables.fused || self.tables.fused;
        (from.count > 0 && to.count > 0 && particles > 0 && !apart).then(|| CarryPass {
            entry: "carry_contacts",
            buffers: [&old.buffers.flags, &self.buffers.flags, rows, &old.buffers.work, &self.buffers.work]
                .map(Buffer::clone)
                .to_vec(),
            uniforms: CarryUniforms {
                count: particles as u32,
                from_at: from.masks,
                to_at: to.masks,
                colliders_before: from.count as u32,
                colliders: to.count as u32,
                impulses_before: VECTOR * from.impulses,
                impulses: VECTOR * to.impulses,
                collider_map: map,
                ..CarryUniforms::default()
            },
        })
    }

    /// Multipliers of the last substep, which callers may ask for: those of inflatables, and all of them if constraints are
    /// stored as before.
    fn copy_multipliers(&self, old: &Self, carry: &DeviceCarry, now: RowCounts, encoder: &mut wgpu::CommandEncoder) {
        let (from, to) = (&old.buffers.lambda, &self.buffers.lambda);
        let same = carry.rows.iter().zip(0..).all(|(&row, k)| row == k) && old.tables.fused == self.tables.fused;
        if same && from.size() == to.size() && carry.before == now {
            encoder.copy_buffer_to_buffer(from, 0, to, 0, to.size());
            return;
        }
        for (k, &origin) in carry.inflatables.iter().enumerate().filter(|(_, origin)| **origin != NONE) {
            let at = [carry.before.multipliers + origin as usize, now.multipliers + k].map(|at| 4 * at as u64);
            encoder.copy_buffer_to_buffer(from, at[0], to, at[1], 4);
        }
    }

    fn encode_carry(&self, encoder: &mut wgpu::CommandEncoder, pass: &CarryPass) -> Result<(), GpuError> {
        let device = &self.device;
        let text = shader_constants::wgsl(&[shader_constants::ALL]) + SHADER;
        // SAFETY: the map has a word per element, rows and bodies of it are those of the old buffers, and every loop runs over
        // the colliders of a table.
        let pipeline = unsafe { device.pipeline(pass.entry, pass.entry, text, None)? };
        let record = device.buffer("carry", size_of::<CarryUniforms>() as u64, UNIFORMS)?;
        self.buffers.write(device, &record, 0, &[pass.uniforms]);
        // The record comes fourth.
        let (first, others) = pass.buffers.split_at(3);
        let bound = first.iter().chain([&record]).chain(others);
        let entries: Vec<_> = (0_u32..)
            .zip(bound)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let layout = &pipeline.get_bind_group_layout(0);
        let group = device.attempt("the bindings of the carried state", || {
            device.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
        })?;
        let groups = (pass.uniforms.count as usize).div_ceil(shader_constants::SIZE as usize);
        let x = groups.clamp(1, MOST_GROUPS);
        let mut compute = encoder.begin_compute_pass(&Default::default());
        compute.set_pipeline(&pipeline);
        compute.set_bind_group(0, &group, &[]);
        compute.dispatch_workgroups(x as u32, groups.div_ceil(x) as u32, 1);
        Ok(())
    }
}
