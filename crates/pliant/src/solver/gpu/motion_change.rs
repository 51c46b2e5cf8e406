//! Impulses and velocities of whole objects, applied on the device: nothing is read back.

use crate::integration::gpu::motion_arrays;
use crate::runtime::gpu::device::UNIFORMS;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::shader_constants::{self, NONE, shader_constants};
use crate::solver::gpu::Gpu;
use crate::solver::gpu::pass_uniforms::MotionChangeUniforms;
use crate::state::State;
use glam::Vec3;
use std::ops::Range;

shader_constants! {
    /// Threads of the workgroup.
    THREADS = 256;
    /// The velocity is set, instead of added.
    SETS_VELOCITY = 1;
    /// The object turns, too.
    TURNS = 2;
    /// There is an impulse at a point.
    AT_POINT = 4;
}

/// How the motion of an object changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum MotionChange {
    /// A velocity is added to all particles [m/s], and an angular impulse about the center of mass [N·m·s].
    Add { linear: Vec3, angular: Vec3 },
    /// A velocity is added to all particles [m/s]: that of an impulse [N·s], which acts at a point [m] and so turns them, too.
    Push { linear: Vec3, impulse: Vec3, point: Vec3 },
    /// The object moves at a velocity [m/s], and turns about its center of mass at an angular velocity [rad/s].
    Set { linear: Vec3, angular: Vec3 },
}

impl Gpu {
    /// Changes the velocities of free particles. All earlier steps must be done. `state` has the sizes of arrays; contacts of
    /// bodies with colliders are dropped, as these would be warm-started.
    pub(crate) fn change_motion(
        &self,
        state: &State,
        range: Range<usize>,
        change: MotionChange,
    ) -> Result<(), GpuError> {
        if range.is_empty() {
            return Ok(());
        }
        let four = |v: Vec3| v.extend(0.0).to_array();
        let colliders = &self.tables.contact.colliders;
        let warm = self.tables.contact.mass_splitting.is_some();
        let mut record = MotionChangeUniforms {
            first: range.start as u32,
            count: range.len() as u32,
            rows: state.velocities.len() as u32,
            arrays: motion_arrays(state) as u32,
            orders: if state.first_order.is_empty() { NONE } else { self.tables.integration.first_order },
            masks: colliders.masks,
            mask_words: if warm { colliders.count.div_ceil(32) as u32 } else { 0 },
            ..MotionChangeUniforms::default()
        };
        let turns = |angular: Vec3| if angular == Vec3::ZERO { 0 } else { TURNS };
        match change {
            MotionChange::Add { linear, angular } => {
                (record.linear, record.angular, record.mode) = (four(linear), four(angular), turns(angular));
            }
            MotionChange::Push { linear, impulse, point } => {
                (record.linear, record.impulse, record.point) = (four(linear), four(impulse), four(point));
                record.mode = TURNS | AT_POINT;
            }
            MotionChange::Set { linear, angular } => {
                (record.linear, record.angular) = (four(linear), four(angular));
                record.mode = SETS_VELOCITY | turns(angular);
            }
        }
        let device = &self.device;
        let text = shader_constants::wgsl(&[shader_constants::ALL, ALL]) + include_str!("motion_change.wgsl");
        // SAFETY: rows, velocities, orders and masks are those of particles of the state that the buffers were made for, and
        // every loop runs over their number.
        let pipeline = unsafe { device.pipeline("change of motion", "change_motion", text, None)? };
        let uniforms = device.buffer("change of motion", size_of_val(&record) as u64, UNIFORMS)?;
        self.buffers.write(device, &uniforms, 0, &[record]);
        let bound = [&self.buffers.rows, &self.buffers.motion, &self.buffers.flags, &uniforms];
        let entries: Vec<_> = (0_u32..)
            .zip(bound)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let layout = &pipeline.get_bind_group_layout(0);
        let group = device.attempt("the bindings of a change of motion", || {
            device.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
        })?;
        let mut encoder = device.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        drop(pass);
        device.queue.submit([encoder.finish()]);
        device.alive()
    }
}
