//! Bodies and their poses on the device.

use crate::math::RowData;
use crate::runtime::gpu::bind_groups::own_group;
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::program::OwnGroup;
use crate::shape_matching::gpu::constants::BODY_POSE_VECTORS;
use crate::shape_matching::gpu::tables::ShapeMatchingTables;
use crate::shape_matching::{Pose, ShapeMatch};
use std::ops::Range;
use wgpu::{Buffer, BufferUsages};

/// Vectors of a pose.
const POSE: usize = BODY_POSE_VECTORS as usize;

/// Bindings of `shape_matching.wgsl`: bodies, poses.
pub static BODY_GROUP: OwnGroup = OwnGroup { name: "shape matching", read_only: &[true, false] };

/// Tables and poses on the device.
pub struct DeviceBodies {
    bodies: Buffer,
    poses: Buffer,
    /// Bind group of both.
    pub group: wgpu::BindGroup,
}

impl DeviceBodies {
    /// Creates and uploads them.
    pub fn new(
        device: &Device,
        layout: &wgpu::BindGroupLayout,
        tables: &ShapeMatchingTables,
        shapes: &ShapeMatch,
    ) -> Result<Self, GpuError> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
        let bodies = device.buffer("bodies", size_of_val(&tables.words[..]) as u64, usage)?;
        // Bodies that are still to come have poses, too.
        let poses = device.buffer("poses", 16 * (POSE as u64) * u64::from(tables.uniforms.body_count), usage)?;
        let group = device.attempt("shape matching bind group", || own_group(device, layout, &[&bodies, &poses]))?;
        let all = Self { bodies, poses, group };
        all.upload(device, tables);
        all.upload_poses(device, shapes);
        Ok(all)
    }

    /// Uploads the tables again, after masses have changed.
    pub fn upload(&self, device: &Device, tables: &ShapeMatchingTables) {
        device.queue.write_buffer(&self.bodies, 0, bytemuck::cast_slice(&tables.words));
    }

    /// Uploads some vectors of the tables.
    pub fn upload_some(&self, device: &Device, tables: &ShapeMatchingTables, vectors: Range<usize>) {
        device.queue.write_buffer(
            &self.bodies,
            16 * vectors.start as u64,
            bytemuck::cast_slice(&tables.words[vectors]),
        );
    }

    /// Poses.
    pub fn poses(&self) -> &Buffer {
        &self.poses
    }

    /// Uploads the poses of some bodies.
    pub fn upload_some_poses(&self, device: &Device, shapes: &ShapeMatch, bodies: Range<usize>) {
        let at = (bodies.start * size_of::<[RowData; POSE]>()) as u64;
        let poses: Vec<[RowData; POSE]> = shapes.poses()[bodies].iter().map(pack_pose).collect();
        device.queue.write_buffer(&self.poses, at, bytemuck::cast_slice(&poses));
    }

    /// Uploads the host's poses.
    pub fn upload_poses(&self, device: &Device, shapes: &ShapeMatch) {
        let poses: Vec<[RowData; POSE]> = shapes.poses().iter().map(pack_pose).collect();
        device.queue.write_buffer(&self.poses, 0, bytemuck::cast_slice(&poses));
    }

    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        self.bodies.size() + self.poses.size()
    }

    /// Memory of a pose [bytes].
    pub fn pose_bytes(&self) -> u64 {
        size_of::<[RowData; POSE]>() as u64
    }

    /// Reads the poses back; blocks until they arrive.
    pub fn download(&self, device: &Device, shapes: &mut ShapeMatch) -> Result<(), GpuError> {
        let all = 0..shapes.len();
        self.download_some(device, shapes, all)
    }

    /// The same for some bodies.
    pub fn download_some(
        &self,
        device: &Device,
        shapes: &mut ShapeMatch,
        bodies: Range<usize>,
    ) -> Result<(), GpuError> {
        let (at, size) = (self.pose_bytes() * bodies.start as u64, self.pose_bytes() * bodies.len() as u64);
        let words = device.download_some(&self.poses, at, size)?;
        let numbers: Vec<f32> = words.into_iter().map(f32::from_bits).collect();
        for (pose, from) in shapes.poses_mut()[bodies].iter_mut().zip(numbers.chunks_exact(4 * POSE)) {
            let vector = |k: usize| [from[4 * k], from[4 * k + 1], from[4 * k + 2]];
            pose.rotation = [from[0], from[1], from[2], from[3]];
            (pose.center, pose.strain) = (vector(1), from[7]);
            pose.shape = [vector(2), vector(3), vector(4)];
            pose.stretch = [vector(5), vector(6), vector(7)];
        }
        Ok(())
    }
}

fn pack_pose(pose: &Pose) -> [RowData; POSE] {
    let vector = |v: [f32; 3], w: f32| [v[0], v[1], v[2], w];
    let [s0, s1, s2] = pose.shape.map(|column| vector(column, 0.0));
    let [t0, t1, t2] = pose.stretch.map(|column| vector(column, 0.0));
    [pose.rotation, vector(pose.center, pose.strain), s0, s1, s2, t0, t1, t2]
}
