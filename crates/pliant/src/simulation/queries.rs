//! What can be seen of a simulation: sizes, frames, energies, errors, forces, times.

use crate::constraints::ConstraintKind;
use crate::constraints::group::BLOCK;
use crate::frame::{Frame, Topology};
use crate::schedule::stats::{ContactPair, Counts, INFLATE, LiquidProbe, Probe, Residuals, Times};
#[cfg(feature = "gpu")]
use crate::simulation::Readback;
use crate::simulation::Simulation;
use glam::Vec3;

/// One constraint as a caller sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintView {
    /// Rows it joins: particle numbers, then orientations (from the number of particles on).
    pub rows: Vec<u32>,
    /// Its parameters, as its kernel documents them.
    pub params: Vec<f32>,
    /// Its multipliers λ after the last substep. The constraint force is λ/h²·∇C under XPBD (9λ/(4h²)·∇C with BDF2,
    /// E12). PBD does not read them, and there a GPU keeps none.
    pub multipliers: Vec<f32>,
}

impl Simulation {
    /// Number of particles.
    pub fn particles(&self) -> usize {
        self.model.topology.objects.len()
    }

    /// Memory on the host [bytes]: model, state, and what passes have needed so far, which contacts make grow. The threads'
    /// stacks come on top; what a GPU holds is counted by `Gpu::shape`.
    ///
    /// # Panics
    /// As [`Self::state`].
    pub fn bytes(&self) -> u64 {
        self.model.bytes() + self.state().bytes() + self.cpu.bytes()
    }

    /// Memory on the host that it will hold later on [bytes], once it has taken a step; within a tenth for grains and
    /// bodies.
    ///
    /// # Panics
    /// As [`Self::state`].
    pub fn bytes_expected(&self) -> u64 {
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            // Lists of contacts are on the device.
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
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &self.gpu {
            return gpu.time();
        }
        self.state().time
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

    /// What outputs see of the fixed half: particles, then the vertices of meshes that follow them.
    pub fn topology(&self) -> &Topology {
        self.model.skinned_meshes.as_ref().map_or(&self.model.topology, |skinned_meshes| &skinned_meshes.topology)
    }

    /// Copies positions and velocities into `frame`, reusing its memory; meshes that follow particles are put in place
    /// (S20).
    pub fn write_frame(&self, frame: &mut Frame) {
        let n = self.state().particles;
        frame.time = self.state().time;
        frame.away.clear();
        if self.model.changes() {
            frame.away.extend((0..n).map(|i| self.state().is_away(i)));
        }
        for (rows, out) in
            [(&self.state().rows, &mut frame.positions), (&self.state().velocities, &mut frame.velocities)]
        {
            out.clear();
            out.extend(rows[..n].iter().map(|r| Vec3::new(r[0], r[1], r[2])));
            for coat in self.model.skinned_meshes.iter().flat_map(|skinned_meshes| &skinned_meshes.all) {
                coat.skin.extend(&rows[..n], coat.first, out);
            }
        }
    }

    /// Density of every particle of a liquid, over that at rest; NaN for all others, empty where there is no liquid.
    pub fn densities(&self) -> Vec<f32> {
        self.cpu.densities(&self.model, self.state())
    }

    /// Mean and greatest relative error by kind.
    pub fn residuals(&self) -> Residuals {
        self.measure().0
    }

    /// Energies and momenta.
    pub fn probe(&self) -> Probe {
        let probe = self.cpu.probe(&self.model, self.state());
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            let count = |readback: &Readback| readback.contacts.len() as u64 + readback.pairs;
            return Probe { contacts: self.fetch().map_or(0, |(_, readback)| count(readback)), ..probe };
        }
        probe
    }

    /// Pressure of each particle of a liquid in the last substep [Pa], 0 for all others; empty where there are no liquids.
    /// That of one particle is rough: take the mean of some.
    pub fn pressures(&self) -> Vec<f32> {
        self.cpu.pressures(&self.model, self.state())
    }

    /// Pressure, volume and mixing of liquids, where there are any.
    pub fn probe_liquids(&self) -> Option<LiquidProbe> {
        self.measure().1
    }

    /// [`Self::residuals`] and [`Self::probe_liquids`] for the price of one.
    pub fn measure(&self) -> (Residuals, Option<LiquidProbe>) {
        self.cpu.measure(&self.model, self.state())
    }

    /// Volume of each inflatable [m³].
    pub fn volumes(&self) -> Vec<f64> {
        self.cpu.volumes(&self.model, self.state())
    }

    /// Times by stage since the last call: wall times on the CPU; on a GPU its own, where it was asked to take
    /// them.
    pub fn take_times(&mut self) -> Times {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            return gpu.take_times();
        }
        self.cpu.take_times()
    }

    /// Fingerprint of positions and velocities, bit for bit.
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

    /// All constraints of a kind with their multipliers, in the order in which they run.
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

    /// Particles of different objects, or grains, that pushed each other in the last substep. From a GPU they are read
    /// back at every call.
    ///
    /// # Panics
    /// As [`Self::state`].
    pub fn contact_pairs(&self) -> Vec<ContactPair> {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &self.gpu {
            self.state();
            return gpu.contact_pairs(&self.model).unwrap_or_else(|e| panic!("{e}"));
        }
        self.cpu.contact_pairs(&self.model)
    }

    /// Force of all particles on each collider in the last substep [N], in the order of the scene.
    ///
    /// # Panics
    /// As [`Self::state`].
    pub fn collider_forces(&self) -> Vec<glam::Vec3> {
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            return match self.fetch() {
                Ok((state, readback)) => crate::contact::cpu::collider_contacts::forces(
                    &self.model.contact(),
                    state,
                    readback.contacts.iter(),
                ),
                Err(e) => panic!("{e}"),
            };
        }
        self.cpu.collider_forces(&self.model, self.state())
    }
}
