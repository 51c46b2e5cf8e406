//! Tables of fluids, their offsets, and shader constants.

use crate::fluid::cpu::phase_of;
use crate::fluid::gpu::body_coupling::BodyCouplingTables;
use crate::fluid::model::FluidModel;
use crate::fluid::parameters::Fluid;
use crate::fluid::projection::lattice_diagonal;
use crate::fluid::sph_kernels::Smoothing;
use crate::math::RowData;
use crate::neighbors::Search;
use crate::runtime::gpu::buffers::{Buffers, read};
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::shader_constants::NONE;
use crate::runtime::gpu::tables::TableArena;
use crate::schedule::gpu::Substep;
use crate::state::State;
use std::ops::Range;

/// Offsets of fluid tables: vectors of `work`, except phases (`topology`) and radii (`params`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FluidTables {
    /// Displacements by pressure and multipliers; [`NONE`] without fluids.
    pub carried: u32,
    /// First fluid particle.
    pub wet: u32,
    /// Phases of the fluid search.
    pub phases: u32,
    /// Half the kernel radius for most particles, the radius for large solid particles.
    pub radii: u32,
    /// Positions with changes of multipliers.
    pub packed: u32,
    gradients: u32,
    properties: u32,
    /// Two sets of steps of viscosity. For projection, which comes after it, positions with changes of λ, and velocities.
    pub steps: [u32; 2],
    rest: u32,
    /// Corrections of gradients in two sets, and derivatives of rates of compression, for projection.
    matrices: [u32; 3],
    /// Search structure.
    pub search: Search,
    /// Rigid bodies in projected liquids.
    pub bodies: BodyCouplingTables,
}

impl Default for FluidTables {
    fn default() -> Self {
        Self {
            carried: NONE,
            wet: NONE,
            phases: 0,
            radii: 0,
            packed: 0,
            gradients: 0,
            properties: 0,
            steps: [0; 2],
            rest: 0,
            matrices: [0; 3],
            search: Search::Grid,
            bodies: BodyCouplingTables::default(),
        }
    }
}

impl FluidTables {
    /// Writes the tables of the particles, if some are fluid.
    pub fn new(model: &FluidModel<'_>, n: usize, arena: &mut TableArena) -> Self {
        let Some(fluid) = model.fluid else { return Self::default() };
        let mut set = |there: bool| arena.reserve_work(if there { n } else { 0 });
        let projects = fluid.projects;
        let sweeps = projects || fluid.viscosity(model.settings.substep()).sweeps > 0;
        let wet = fluid.liquids.iter().position(|&l| l > 0).unwrap_or(n);
        Self {
            carried: set(true),
            wet: wet as u32,
            packed: set(true),
            gradients: set(true),
            properties: set(!fluid.even || !is_single_fluid(fluid)),
            steps: [set(sweeps), set(sweeps)],
            rest: set(sweeps),
            matrices: [set(projects), set(projects), set(projects)],
            phases: arena.put_topology(std::iter::repeat_n(0, n)),
            radii: arena.put_params((0..n).map(|i| fluid.radius_of(i))),
            search: fluid.search(),
            bodies: BodyCouplingTables::new(model, fluid, n, arena),
        }
    }

    /// Writes what fluids tell every shader of a substep.
    pub fn fill(&self, record: &mut Substep) {
        record.carried = self.carried;
        record.wet = self.wet;
    }

    /// Shader constants of the fluids of a model.
    pub fn constants(&self, fluid: &Fluid, h: f32) -> String {
        let params = fluid.density_params(h);
        let (single, tension) = (is_single_fluid(fluid), fluid.surface_tension().unwrap_or_default());
        let confinement = fluid.confinement(h).unwrap_or_default();
        let number = |name: &str, value: f32| format!("const {name}: f32 = {value:?}f;\n");
        let word = |name: &str, value: u32| format!("const {name}: u32 = {value}u;\n");
        let flag = |name: &str, value: bool| format!("const {name}: bool = {value};\n");
        [
            flag("SPLINE", fluid.smoothing == Smoothing::Cubic),
            flag("EVEN", fluid.even),
            flag("PROJECTS", fluid.projects),
            flag("SINGLE_FLUID", single),
            flag("LARGE_PARTICLES", !fluid.large_particles.is_empty()),
            number("REACH", fluid.reach),
            number("RADIUS", fluid.radius),
            number("SETBACK", fluid.setback),
            number("VOLUME", fluid.volume),
            number("VISCOSITY", if single { fluid.kinds[0].viscosity } else { 0.0 }),
            number("XSPH_DRAG", fluid.xsph_drag()),
            number("WIDTH", fluid.viscosity(h).width),
            number("TENSION", if single { fluid.tension(&fluid.kinds[0], h) } else { 0.0 }),
            number("TENSION_NOISE", tension.noise),
            number("TENSION_SCALE", tension.scale),
            number("AIR", tension.air),
            number("CLOSE", tension.close),
            number("ADHESION", fluid.adhesion),
            number("OMEGA", params.omega),
            number("COMPLIANCE", params.compliance),
            number("RELAXATION", params.relaxation),
            number("CARRY", fluid.carry),
            number("ARTIFICIAL_PRESSURE", fluid.artificial_pressure().map_or(0.0, |s| s.strength)),
            number("ARTIFICIAL_PRESSURE_SCALE", fluid.artificial_pressure().map_or(0.0, |s| s.scale)),
            number("CONFINEMENT", confinement.strength),
            number("CONFINEMENT_NOISE", confinement.noise),
            word("CARRIED", self.carried),
            word("PACKED", self.packed),
            word("GRADIENTS", self.gradients),
            word("PROPERTIES", self.properties),
            word("REST", self.rest),
        ]
        .concat()
    }

    /// Those that only projection of velocities has.
    pub fn projection_constants(&self, fluid: &Fluid) -> String {
        let full = lattice_diagonal(fluid.smoothing, fluid.reach, fluid.radius, fluid.volume);
        let [matrix, across, slopes] = self.matrices;
        let words = [("MATRIX", matrix), ("MATRIX_ACROSS", across), ("SLOPES", slopes), ("SMOOTHED", self.steps[1])];
        let words = words.map(|(name, at)| format!("const {name}: u32 = {at}u;\n")).concat();
        format!("{words}const LATTICE_DIAGONAL: f32 = {full:?}f;\n{}", self.bodies.constants(fluid))
    }

    /// Uploads displacements by pressure, multipliers, and properties.
    pub fn upload(&self, device: &Device, buffers: &Buffers, model: &FluidModel<'_>, state: &State) {
        let Some(fluid) = model.fluid else { return };
        let row = size_of::<RowData>() as u64;
        self.upload_carried(device, buffers, state, 0..state.particles);
        if !fluid.even || !is_single_fluid(fluid) {
            let h = model.settings.substep();
            let property = |i: usize| {
                let (viscosity, tension) = fluid.kind(i).map_or((-1.0, 0.0), |k| (k.viscosity, fluid.tension(k, h)));
                match fluid.large_particle(i) {
                    Some(ball) => [-ball.radius, viscosity, 0.0, ball.scale],
                    None => [fluid.volumes[i], viscosity, fluid.viscous_volumes[i], tension],
                }
            };
            let all: Vec<RowData> = (0..state.particles).map(property).collect();
            buffers.write(device, &buffers.work, u64::from(self.properties) * row, &all);
        }
        self.upload_phases(device, buffers, fluid, state, 0..state.particles);
    }

    /// Uploads displacements by pressure and multipliers of some particles.
    pub fn upload_carried(&self, device: &Device, buffers: &Buffers, state: &State, range: Range<usize>) {
        let at = (u64::from(self.carried) + range.start as u64) * size_of::<RowData>() as u64;
        let join = |(shift, &lambda): (&RowData, &f32)| [shift[0], shift[1], shift[2], lambda];
        let both = state.carried[range.clone()].iter().zip(&state.pressures[range]);
        buffers.write(device, &buffers.work, at, &both.map(join).collect::<Vec<_>>());
    }

    /// Reads both back.
    pub fn read_carried(
        &self,
        device: &Device,
        buffers: &Buffers,
        state: &mut State,
        range: Range<usize>,
    ) -> Result<(), GpuError> {
        let mut seen = vec![[0.0; 4]; range.len()];
        read(device, &buffers.work, self.carried as usize + range.start, &mut seen)?;
        for (i, kept) in range.zip(seen) {
            (state.carried[i], state.pressures[i]) = ([kept[0], kept[1], kept[2], 0.0], kept[3]);
        }
        Ok(())
    }

    /// Uploads phases of some particles.
    pub fn upload_phases(&self, device: &Device, buffers: &Buffers, fluid: &Fluid, state: &State, range: Range<usize>) {
        let phases: Vec<u32> = range.clone().map(|i| phase_of(fluid, state, i)).collect();
        buffers.write(device, &buffers.topology, 4 * (u64::from(self.phases) + range.start as u64), &phases);
    }

    /// Displacements by pressure of `n` particles, from a readback of `work`.
    pub fn seen<'a>(&self, n: usize, work: &'a [RowData]) -> &'a [RowData] {
        if self.carried == NONE { &[] } else { &work[self.carried as usize..][..n] }
    }

    /// Copies them into a state.
    pub fn download(seen: &[RowData], state: &mut State) {
        let arrays = state.carried.iter_mut().zip(&mut state.pressures);
        for ((shift, lambda), kept) in arrays.zip(seen) {
            *shift = [kept[0], kept[1], kept[2], 0.0];
            *lambda = kept[3];
        }
    }
}

/// Whether all particles are of a single fluid.
fn is_single_fluid(fluid: &Fluid) -> bool {
    fluid.kinds.len() == 1 && fluid.liquids.iter().all(|&l| l == 1)
}
