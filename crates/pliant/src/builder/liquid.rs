//! Liquids, and the volume that solids occupy in them.

use crate::builder::part::{Matching, Outline, Part};
use crate::builder::{BuildError, MeshSource, grains};
use crate::fluid::boundary::{LargeParticle, setback};
use crate::fluid::parameters::{Fluid, LiquidKind};
use crate::fluid::projection::EXTRA_SWEEPS;
use crate::fluid::sph_kernels::{Smoothing, lattice};
use crate::fluid::vorticity::MOST;
use crate::math::{RowData, position};
use crate::neighbors::{Cloud, Finder, Pairs, Search};
use crate::runtime::cpu::Threads;
use crate::scene::{FluidMethod, FluidSpec, Integrator, Liquid, Scene, as_grains};
use crate::settings::Settings;
use crate::shape_matching::Stiffness;
use glam::Vec3;

/// Solid particles larger than this multiple of a liquid's are spheres: the kernel does not resolve them as points.
const MAX_POINT_RADIUS_RATIO: f32 = 1.5;

/// Adhesion, relative to a liquid's own pressure, from which a drop spreads over solids.
const WETTING_ADHESION: f32 = 0.2;

/// Maximum fraction of the last substep's pressure to start from with one iteration: with 0.5 a dam break with substeps
/// of 2.5 ms gains eighteen times its energy in three seconds, with 0.3 it loses as much as with more iterations.
const MAX_CARRY_SINGLE_ITERATION: f32 = 0.3;

/// Sweeps of the projection per layer of particles, where a liquid starts without pressure.
const SWEEPS_PER_LAYER: f32 = 6.0;

/// Layers beyond which no more sweeps are made.
const MOST_LAYERS: f32 = 200.0;

/// One copy of a liquid, transformed.
pub fn liquid(
    at: &str,
    number: usize,
    spec: &Liquid,
    f: &FluidSpec,
    meshes: &dyn MeshSource,
    notes: &mut Vec<String>,
) -> Result<Part, BuildError> {
    let mut part = grains::particles(at, &as_grains(spec, f.radius), false, meshes, notes)?;
    part.masses.fill(spec.density * (2.0 * f.radius).powi(3));
    part.volumes = vec![particle_volume(f); part.masses.len()];
    part.liquid = Some(number);
    Ok(part)
}

/// The particles that a body becomes when it melts into liquid `number`.
pub fn molten(number: usize, spec: &Liquid, f: &FluidSpec, positions: Vec<Vec3>, masses: &[f32]) -> Part {
    let mut part = Part::new(positions, masses.to_vec(), Outline::Body);
    part.radius = f.radius;
    part.loose = true;
    // Masses are the body's; the liquid's density gives the volume.
    let cube = spec.density * (2.0 * f.radius).powi(3);
    part.volumes = masses.iter().map(|mass| particle_volume(f) * (mass / cube)).collect();
    part.liquid = Some(number);
    part
}

/// The particles that a liquid becomes when it freezes to a density [kg/m³].
pub fn frozen(density: f32, f: &FluidSpec, positions: Vec<Vec3>, masses: &[f32]) -> Part {
    let mut part = Part::new(positions, masses.to_vec(), Outline::Body);
    part.radius = f.radius;
    // Volume as of a liquid of equal density, or frozen particles would repel the liquid around them.
    let cube = density * (2.0 * f.radius).powi(3);
    part.volumes = masses.iter().map(|mass| particle_volume(f) * (mass / cube)).collect();
    part.matching = Some(Matching { stiffness: Stiffness::Fraction(1.0), plastic: None, regions: Vec::new() });
    // Depths below the surface are computed when the body freezes.
    part.fields = vec![[0.0; 4]; masses.len()];
    part
}

/// Volume of a liquid particle in the sums [m³]: a cube of two radii, corrected for the kernel sum over a lattice.
fn particle_volume(f: &FluidSpec) -> f32 {
    (2.0 * f.radius).powi(3) / lattice(f.kernel, f.reach * f.radius, f.radius)
}

/// Fluid data from placed parts: the volume and the liquid of each particle. Liquids of a batch come in rows of `copies`
/// of the same material.
pub fn fluid(
    scene: &Scene,
    copies: usize,
    mut volumes: Vec<f32>,
    liquids: Vec<u32>,
    (rows, radii): (&[RowData], &[f32]),
) -> Option<Fluid> {
    if scene.liquid.is_empty() {
        return None;
    }
    let f = &scene.fluid;
    let own = particle_volume(f);
    let setback = setback(f.kernel, f.reach * f.radius, f.radius);
    let mut large_particles = Vec::new();
    if volumes.iter().any(|&v| v < 0.0) {
        let ball = |(&v, &radius): (&f32, &f32)| {
            if v < 0.0 { LargeParticle::new(radius, -v, setback) } else { LargeParticle::default() }
        };
        large_particles = volumes.iter().zip(radii).map(ball).collect();
        volumes.iter_mut().for_each(|v| *v = v.max(0.0));
    }
    // Viscosity must change a solid particle's velocity by no more than a liquid one's in a substep, for which the
    // bounds of its solver are derived: V·μ/m ≤ μ/ρ.
    let most = |of: fn(&Liquid) -> f32| scene.liquid.iter().map(of).fold(0.0, f32::max);
    let lightest = most(|l| l.viscosity / l.density) / most(|l| l.viscosity).max(1e-30);
    let limited_volume = |(&volume, row): (&f32, &RowData)| match row[3] > 0.0 {
        true => volume.min(lightest / row[3]),
        false => volume,
    };
    let viscous_volumes = volumes
        .iter()
        .zip(rows)
        .zip(&liquids)
        .map(|(pair, &l)| if l > 0 { *pair.0 } else { limited_volume(pair) })
        .collect();
    let carry = f.carry_or_default();
    Some(Fluid {
        radius: f.radius,
        reach: f.reach * f.radius,
        smoothing: f.kernel,
        setback,
        projects: false,
        first_sweeps: first_sweeps(scene, rows, &liquids),
        body_surfaces: Vec::new(),
        omega: f.omega_or_default(),
        carry: if scene.substeps_and_iterations().1 == 1 { carry.min(MAX_CARRY_SINGLE_ITERATION) } else { carry },
        relaxation: f.relaxation,
        compressibility: f.compressibility,
        xsph: f.xsph,
        artificial_pressure: f.spread,
        adhesion: WETTING_ADHESION * f.adhesion,
        vorticity: f.vorticity,
        volume: own,
        even: volumes.iter().zip(&liquids).all(|(&v, &l)| v == own && l > 0),
        volumes,
        viscous_volumes,
        large_particles,
        liquids,
        kinds: scene
            .liquid
            .iter()
            .step_by(copies)
            .map(|l| LiquidKind { density: l.density, viscosity: l.viscosity, tension: l.tension })
            .collect(),
    })
}

/// Sweeps for the pressure of liquids at the start: pressure is passed on by a fraction of a layer per sweep.
fn first_sweeps(scene: &Scene, rows: &[RowData], liquids: &[u32]) -> u32 {
    let down = Vec3::from(scene.world.gravity).normalize_or_zero();
    let depths = rows.iter().zip(liquids).filter(|(_, l)| **l > 0).map(|(row, _)| position(*row).dot(down));
    let (low, high) = depths.fold((f32::MAX, f32::MIN), |(low, high), d| (low.min(d), high.max(d)));
    let layers = ((high - low).max(0.0) / (2.0 * scene.fluid.radius)).min(MOST_LAYERS);
    scene.substeps_and_iterations().1 + EXTRA_SWEEPS + (SWEEPS_PER_LAYER * layers) as u32
}

/// Whether pressure is a projection of velocities, and a note where the scene asks for it in vain. `single`: the scene is no
/// batch.
pub fn projection(scene: &Scene, fluid: &Fluid, settings: &Settings, single: bool) -> (bool, Option<String>) {
    let one_density = fluid.kinds.iter().all(|kind| kind.density == fluid.kinds[0].density);
    let simple = settings.integrator == Integrator::Bdf1 && settings.sleep_speed == 0.0;
    let changes = !scene.melt.is_empty() || !scene.freeze.is_empty();
    let tension = fluid.surface_tension().is_some() || fluid.compressibility > 0.0;
    let possible = single && fluid.even && one_density && simple && !changes && !tension;
    let cubic = fluid.smoothing == Smoothing::Cubic;
    let possible = possible && cubic;
    match scene.fluid.method {
        FluidMethod::Density => (false, None),
        FluidMethod::Auto if scene.gives_steps() || !possible => (false, None),
        FluidMethod::Projection if !possible => {
            let why = "fluid.method \"projection\" needs liquids of one density without surface tension or compressibility, \
                       the cubic kernel, no other particles, no batch, and bdf1: density constraints are used";
            (false, Some(why.to_owned()))
        }
        _ => (true, None),
    }
}

/// Notes on settings that need shorter substeps than `h` [s].
pub fn notes(fluid: &Fluid, h: f32) -> Vec<String> {
    let mut notes = Vec::new();
    if fluid.viscosity(h).is_limited() {
        let note = "a liquid is too viscous for its substeps: its viscosity is reduced; use more substeps";
        notes.push(note.to_owned());
    }
    let reach = fluid.reach / fluid.radius;
    let calm = FluidSpec::calm_omega(reach);
    if reach > 4.0 && fluid.omega > 1.1 * calm {
        notes.push(format!("a liquid may oscillate with a fluid.reach of {reach}: use a fluid.omega of {calm:.2}"));
    }
    if fluid.smoothing == Smoothing::Poly6 && fluid.carry > 0.0 {
        notes.push("with the kernel \"poly6\" a liquid at rest gains energy: use a fluid.carry of 0".to_owned());
    }
    if fluid.vorticity * h > MOST {
        notes.push(format!(
            "fluid.vorticity of {} /s is too large for substeps of {:.3} ms: it is reduced to {:.3} /s; use more substeps",
            fluid.vorticity,
            1e3 * h,
            MOST / h
        ));
    }
    for kind in fluid.kinds.iter().filter(|kind| fluid.tension(kind, h) < kind.tension) {
        let (found, wanted) = (fluid.tension(kind, h), kind.tension);
        let times = (wanted / found).sqrt().ceil();
        notes.push(format!(
            "a surface tension of {wanted} N/m is too much for substeps of {:.3} ms: it will be {found:.3} N/m; take {times} \
             times as many substeps",
            1e3 * h
        ));
    }
    notes
}

/// Volume of each particle of a part in the sums of a liquid [m³]; negative for large ones, which are spheres.
///
/// Solid bodies have the volume they were sampled with. Sheets and ropes have none: their particles get the volume
/// that completes the kernel, 1/Σ W over their own neighbors at rest (Akinci et al. 2012), so that density has no
/// deficit behind them.
pub fn fluid_volumes(part: &Part, f: &FluidSpec) -> Vec<f32> {
    let radius = f.radius;
    let n = part.positions.len();
    let of = |i: usize| part.radii.get(i).copied().unwrap_or(part.radius);
    let full = part.volumes.len() == n;
    let mut volumes = if full { part.volumes.clone() } else { sheet_volumes(&part.rest, f.kernel, f.reach * radius) };
    for (i, volume) in volumes.iter_mut().enumerate() {
        if part.liquid.is_none() && of(i) > MAX_POINT_RADIUS_RATIO * radius {
            // Particles of a sheet or rope are no separate spheres: if large, they only have contacts.
            *volume = if full { -*volume } else { 0.0 };
        }
    }
    volumes
}

fn sheet_volumes(rest: &[Vec3], smoothing: Smoothing, reach: f32) -> Vec<f32> {
    let rows: Vec<RowData> = rest.iter().map(|p| [p.x, p.y, p.z, 0.0]).collect();
    let radii = vec![0.5 * reach; rows.len()];
    let mut finder = Finder::new(Search::Grid);
    let near = finder.find(&Threads::one(), Cloud { rows: &rows, radii: &radii, phases: &[] }, 0.0, Pairs::Both);
    let value = |square: f32| smoothing.at(reach, square).0;
    let sum = |i: usize| {
        let others = near.of(i).iter().map(|&j| value(rest[i].distance_squared(rest[j as usize])));
        value(0.0) + others.sum::<f32>()
    };
    (0..rows.len()).map(|i| 1.0 / sum(i)).collect()
}
