//! Queries of a simulation: sizes, frames, energies, errors, forces, times.

use crate::constraints::ConstraintKind;
use crate::constraints::group::BLOCK;
use crate::contact::cpu::collider_contacts;
use crate::contact::force_scale::ForceScale;
use crate::frame::{BodyFrame, Frame, Topology};
use crate::model::Carrier;
use crate::rigid_body::bodies::BodyState;
use crate::schedule::stats::{ContactPair, Counts, INFLATE, Imbalances, LiquidProbe, Probe, Residuals, Times};
use crate::surface_contact::limit::Limited;
use crate::world::World;
use glam::Vec3;

/// Copy of one constraint.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintView {
    /// Its rows: particle indices, then orientations (from the number of particles on).
    pub rows: Vec<u32>,
    /// Parameters, as documented by its kernel.
    pub params: Vec<f32>,
    /// Multipliers λ after the last substep. The constraint force is λ/h²·∇C under XPBD (9λ/(4h²)·∇C with BDF2, E12).
    /// PBD does not use them, and the GPU does not store them there.
    pub multipliers: Vec<f32>,
}

impl World {
    /// Number of particles.
    pub fn particles(&self) -> usize {
        self.model.topology.objects.len()
    }

    /// Memory on the host [bytes]: model, state, and scratch buffers so far, which grow with contacts. Excludes thread
    /// stacks; GPU memory is counted by `Gpu::shape`.
    ///
    /// # Panics
    /// As [`Self::state`].
    pub fn bytes(&self) -> u64 {
        self.model.bytes() + self.state().bytes() + self.cpu.bytes() + self.meshes.bytes()
    }

    /// Expected memory on the host later on [bytes], after at least one step; within a tenth for grains and bodies.
    ///
    /// # Panics
    /// As [`Self::state`].
    pub fn bytes_expected(&self) -> u64 {
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            // Contact lists are on the device.
            return self.bytes();
        }
        crate::model::expected(&self.model, self.state(), self.bytes())
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.cpu.thread_count()
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        // Not through `state`, which prepares for changes by the caller. What the host has is never older: it may be a moment
        // that was restored, which the device learns of with the next step.
        #[cfg(feature = "gpu")]
        if let Some(gpu) = self.gpu.as_ref().filter(|_| self.state.peek().is_none()) {
            return gpu.time();
        }
        self.state.peek().map_or(0.0, |state| state.time)
    }

    /// Position of a particle [m].
    pub fn position(&self, particle: usize) -> Vec3 {
        let [x, y, z, _] = self.state().rows[particle];
        Vec3::new(x, y, z)
    }

    /// Velocity of a particle [m/s].
    pub fn velocity(&self, particle: usize) -> Vec3 {
        let [x, y, z, _] = self.state().velocities[particle];
        Vec3::new(x, y, z)
    }

    /// Constant data for outputs: particles, then the vertices of skinned meshes.
    pub fn topology(&self) -> &Topology {
        self.model.skinned_meshes.as_ref().map_or(&self.model.topology, |skinned_meshes| &skinned_meshes.topology)
    }

    /// Copies positions and velocities into `frame`, reusing its memory; evaluates skinned meshes (S20).
    pub fn write_frame(&self, frame: &mut Frame) {
        let n = self.state().particles;
        frame.time = self.state().time;
        frame.inactive.clear();
        if self.model.changes() || self.gaps > 0 || self.appended {
            frame.inactive.extend((0..n).map(|i| self.state().is_inactive(i)));
        }
        for (rows, out) in
            [(&self.state().rows, &mut frame.positions), (&self.state().velocities, &mut frame.velocities)]
        {
            out.clear();
            out.extend(rows[..n].iter().map(|r| Vec3::new(r[0], r[1], r[2])));
            for mesh in self.model.skinned_meshes.iter().flat_map(|skinned_meshes| &skinned_meshes.all) {
                if let Carrier::Particles { skin, first } = &mesh.carrier {
                    skin.extend(&rows[..n], *first, out);
                } else {
                    out.resize(out.len() + mesh.vertices(), Vec3::ZERO);
                }
            }
        }
        frame.bodies.clear();
        frame.bodies.extend(self.state().rigid_bodies.bodies.iter().map(body_frame));
        let mut at = n;
        for mesh in self.model.skinned_meshes.iter().flat_map(|skinned_meshes| &skinned_meshes.all) {
            if let Carrier::Body { surface, body } = &mesh.carrier {
                let body = &self.state().rigid_bodies.bodies[*body];
                for (k, &local) in surface.positions.iter().enumerate() {
                    let arm = body.rotation * local.as_dvec3();
                    frame.positions[at + k] = (body.position + arm).as_vec3();
                    frame.velocities[at + k] = (body.velocity + body.spin.cross(arm)).as_vec3();
                }
            }
            at += mesh.vertices();
        }
    }

    /// Density of every fluid particle, over rest density; NaN for all others, empty without fluids.
    pub fn densities(&self) -> Vec<f32> {
        self.cpu.densities(&self.model, self.state())
    }

    /// Mean and maximum relative error by kind.
    pub fn residuals(&self) -> Residuals {
        self.measure().0
    }

    /// What contact between triangles did in the last substep.
    pub fn triangle_contacts(&self) -> Limited {
        self.cpu.triangle_contacts()
    }

    /// How far the elastic bodies that descent solves are from the implicit step of the last substep, by kind of element: the
    /// forces that are left, over the mean of inertial and elastic ones. Empty before the first step and after a restored
    /// snapshot, and on a GPU, where it is not measured.
    pub fn imbalances(&self) -> Imbalances {
        self.cpu.imbalances(&self.model, self.state())
    }

    /// Energies and momenta.
    pub fn probe(&self) -> Probe {
        let probe = self.cpu.probe(&self.model, self.state());
        if let Some(pairs) = &self.pairs {
            let pushing = pairs.iter().filter(|pair| pair.force > 0.0).count() as u64;
            return Probe { contacts: probe.contacts - self.cpu.particle_contacts() + pushing, ..probe };
        }
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            let pairs = self.fetch().map_or(0, |(_, readback)| readback.pairs);
            return Probe { contacts: probe.contacts + pairs, ..probe };
        }
        probe
    }

    /// Pressure of each fluid particle in the last substep [Pa], 0 for all others; empty without fluids. Single values
    /// are noisy: average over several particles.
    pub fn pressures(&self) -> Vec<f32> {
        self.cpu.pressures(&self.model, self.state())
    }

    /// Pressure, volume and mixing of fluids, if any.
    pub fn probe_liquids(&self) -> Option<LiquidProbe> {
        self.measure().1
    }

    /// [`Self::residuals`] and [`Self::probe_liquids`] in one pass.
    pub fn measure(&self) -> (Residuals, Option<LiquidProbe>) {
        self.cpu.measure(&self.model, self.state())
    }

    /// Volume of each inflatable [m³].
    pub fn volumes(&self) -> Vec<f64> {
        self.cpu.volumes(&self.model, self.state())
    }

    /// Times by stage since the last call: wall times on the CPU; device times on a GPU, if enabled.
    pub fn take_times(&mut self) -> Times {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            return gpu.take_times();
        }
        self.cpu.take_times()
    }

    /// Bitwise hash of positions and velocities.
    pub fn hash(&self) -> u64 {
        self.state().hash()
    }

    /// Constraints by kind; inflatables under "inflate".
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::new();
        for kind in ConstraintKind::ALL {
            let n = self.model.count(kind);
            if n > 0 {
                counts.insert(kind.name(), n);
            }
        }
        if !self.model.inflatables.is_empty() {
            counts.insert(INFLATE, self.model.inflatables.len());
        }
        counts
    }

    /// All constraints of a kind with their multipliers, in execution order.
    pub fn constraints(&self, kind: ConstraintKind) -> impl Iterator<Item = ConstraintView> + '_ {
        let groups = self.model.groups.iter().zip(&self.state().multipliers).filter(move |(g, _)| g.kind == kind);
        let phantoms = &self.model.phantoms;
        groups.flat_map(move |(group, lambda)| {
            let layout = group.layout();
            let pick = |data: &[f32], n: usize, block: usize, lane: usize| {
                (0..n).map(|k| data[(block * n + k) * BLOCK + lane]).collect()
            };
            group.slots().map(move |(block, lane)| ConstraintView {
                rows: group.rows_of(block, lane).map(|r| phantoms.seen(r)).collect(),
                params: pick(&group.params, layout.params, block, lane),
                multipliers: pick(lambda, layout.multipliers, block, lane),
            })
        })
    }

    /// Contact pairs of the last substep, between different objects or grains. Read back at every call on a GPU. After a
    /// restore those of its moment, except after one within a GPU ([`crate::SnapshotRing`]): there those of the last substep
    /// that ran.
    ///
    /// # Panics
    /// As [`Self::state`].
    pub fn contact_pairs(&self) -> Vec<ContactPair> {
        if let Some(pairs) = &self.pairs {
            return pairs.to_vec();
        }
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &self.gpu {
            self.state();
            let pairs = gpu.contact_pairs(&self.model).unwrap_or_else(|e| panic!("{e}"));
            return self.scaled(pairs);
        }
        self.scaled(self.cpu.contact_pairs(&self.model))
    }

    fn scaled(&self, pairs: Vec<ContactPair>) -> Vec<ContactPair> {
        let scale = ForceScale::new(&self.model.contact(), self.state());
        pairs.into_iter().map(|pair| scale.pair(pair)).collect()
    }

    /// Force of all particles and rigid bodies on each collider [N], friction included, in the order of the scene: the mean
    /// over the last substep, not over the step.
    ///
    /// # Panics
    /// As [`Self::state`].
    pub fn collider_forces(&self) -> Vec<glam::Vec3> {
        let state = self.state();
        let mut forces = collider_contacts::forces(&self.model.contact(), state);
        collider_contacts::add_rigid_forces(&state.rigid_bodies, &mut forces);
        forces
    }
}

fn body_frame(body: &BodyState) -> BodyFrame {
    let q = body.rotation;
    BodyFrame {
        position: body.position.to_array(),
        orientation: [q.x, q.y, q.z, q.w],
        velocity: body.velocity.to_array(),
        spin: body.spin.to_array(),
    }
}
