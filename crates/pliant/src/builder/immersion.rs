//! Liquids around rigid bodies at the start: particles in their place are inactive, those beside them fit their surface.

use crate::fluid::body_surface::surface_points;
use crate::fluid::boundary::solid_share;
use crate::fluid::parameters::Fluid;
use crate::math::{RowData, position};
use crate::mesh::TriMesh;
use crate::neighbors::{Cloud, Finder, INACTIVE, Pairs, Search};
use crate::rigid_body::bodies::{BodyParams, BodyState};
use crate::runtime::cpu::Threads;
use crate::state::State;
use glam::Vec3;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Sweeps of [`settle`].
const SWEEPS: usize = 60;
/// Sweeps between searches for neighbors, and how far two particles may approach until then, in radii.
const SEARCH: (usize, f32) = (6, 0.5);
/// Particles up to this distance from a body move, in kernel radii: its edge cuts the lattice of those within one.
const RANGE: f32 = 1.5;
/// Relaxation of a sweep: all particles move at once.
const RELAXATION: f32 = 0.4;
/// How far a particle is moved at most, in radii: what is crowded beyond repair stays near its place.
const FARTHEST: f32 = 3.0;
/// Relaxation of constraints, as of [`Fluid::relaxation`].
const SOFTNESS: f32 = 0.02;

/// Prepares a projected liquid for rigid bodies: points of their surfaces and, where objects have no past, the liquid
/// particles in their place made inactive.
pub fn immerse(fluid: &mut Fluid, surfaces: &[Arc<TriMesh>], bodies: &[BodyParams], state: &mut State, past: bool) {
    fluid.body_surfaces = surfaces.iter().map(|mesh| surface_points(mesh, fluid.radius)).collect();
    if !past {
        for i in displaced(fluid, bodies, state) {
            (state.rows[i][3], state.velocities[i], state.phases[i]) = (0.0, [0.0; 4], INACTIVE);
        }
        settle(fluid, bodies, state);
    }
}

/// Active liquid particles by x, so that those near a body are found without a look at all.
struct Liquid(Vec<(f32, u32)>);

impl Liquid {
    fn new(fluid: &Fluid, state: &State) -> Self {
        let active = |(i, row): &(usize, &RowData)| fluid.liquids.get(*i).is_some_and(|&l| l > 0) && row[3] > 0.0;
        let rows = state.rows[..state.particles].iter().enumerate().filter(active);
        let mut all: Vec<(f32, u32)> = rows.map(|(i, row)| (row[0], i as u32)).collect();
        all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Self(all)
    }

    /// Those within `far` of the sphere around a body, ascending [m].
    fn near(&self, rows: &[RowData], params: &BodyParams, body: &BodyState, far: f32) -> Vec<u32> {
        let (center, far) = (body.position.as_vec3(), params.shape.reach as f32 + far);
        let from = self.0.partition_point(|(x, _)| *x < center.x - far);
        let run = self.0[from..].iter().take_while(|(x, _)| *x <= center.x + far).map(|&(_, i)| i);
        let mut found: Vec<u32> = run.filter(|&i| position(rows[i as usize]).distance(center) < far).collect();
        found.sort_unstable();
        found
    }
}

/// Liquid particles whose place bodies take at the start: as many as the bodies displace. The share of a particle is carried
/// over to the next one, so that of those that are half inside every other is taken.
fn displaced(fluid: &Fluid, bodies: &[BodyParams], state: &State) -> Vec<usize> {
    let (mut taken, liquid) = (Vec::new(), Liquid::new(fluid, state));
    for (params, body) in bodies.iter().zip(&state.rigid_bodies.bodies) {
        let distance = |x: Vec3| pieces(params, body, x).map(|(distance, _)| distance).fold(f32::MAX, f32::min);
        let mut share = 0.0;
        for i in liquid.near(&state.rows, params, body, 2.0 * fluid.radius) {
            share += share_inside(position(state.rows[i as usize]), fluid.radius, distance);
            if share >= 1.0 {
                share -= 1.0;
                taken.push(i as usize);
            }
        }
    }
    taken
}

/// Share of a particle's cube inside of a solid, of 64 points: `distance` is that of its surface [m], negative inside.
///
/// With eight, a cube whose faces lie a quarter of a layer beside the lattice would take a tenth too few particles away.
fn share_inside(x: Vec3, radius: f32, distance: impl Fn(Vec3) -> f32) -> f32 {
    let middle = distance(x);
    if middle.abs() > 1.8 * radius {
        return f32::from(u8::from(middle < 0.0));
    }
    let at = |k: u32| Vec3::from([0, 2, 4].map(|shift| ((k >> shift & 3) as f32 - 1.5) * 0.5 * radius));
    (0..64).filter(|&k| distance(x + at(k)) < 0.0).count() as f32 / 64.0
}

/// Signed distance [m] of the surface of each piece of a body from `x`, and the outward normal there.
fn pieces(params: &BodyParams, body: &BodyState, x: Vec3) -> impl Iterator<Item = (f32, Vec3)> {
    let frame = body.frame();
    let local = frame.inward(x.as_dvec3());
    params.shape.pieces.iter().map(move |piece| {
        let (distance, normal) = piece.shape.signed_distance(piece.frame.inward(local));
        (distance as f32, (frame.rotation * (piece.frame.rotation * normal)).as_vec3())
    })
}

/// A liquid particle near bodies.
struct Neighbor {
    row: u32,
    /// Whether it moves.
    free: bool,
    start: Vec3,
    /// Bodies that it may come near to.
    bodies: Vec<u32>,
}

/// Moves liquid particles near bodies to where their density is that at rest.
///
/// A body cuts the lattice of a liquid anywhere: of the particles beside its faces some are nearer than their radius, and
/// others leave gaps, into which the liquid would fall. Until they have closed, a cube under water carries 5 to 12 % less
/// than it displaces, as much as it weighs more than water. Here particles are pushed out of bodies, and density constraints
/// push them from where they are crowded into the gaps.
fn settle(fluid: &Fluid, bodies: &[BodyParams], state: &mut State) {
    let (reach, radius, volume) = (fluid.reach, fluid.radius, fluid.volume);
    let moving = state.rigid_bodies.bodies.clone();
    // Signed distances of pieces of some bodies within `far` of a place.
    let near = |own: &[u32], x: Vec3, far: f32| -> Vec<(f32, Vec3)> {
        let own = own.iter().map(|&k| (&bodies[k as usize], &moving[k as usize]));
        own.flat_map(|(params, body)| pieces(params, body, x)).filter(|(distance, _)| *distance < far).collect()
    };
    let liquid = Liquid::new(fluid, state);
    let mut found: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (k, (params, body)) in (0_u32..).zip(bodies.iter().zip(&moving)) {
        for row in liquid.near(&state.rows, params, body, (RANGE + 1.0) * reach + FARTHEST * radius) {
            found.entry(row).or_default().push(k);
        }
    }
    let mut all = Vec::new();
    for (row, bodies) in found {
        let start = position(state.rows[row as usize]);
        let close = near(&bodies, start, (RANGE + 1.0) * reach);
        if let Some(distance) = close.iter().map(|(distance, _)| *distance).reduce(f32::min) {
            all.push(Neighbor { row, free: distance < RANGE * reach, start, bodies });
        }
    }
    let mut x: Vec<Vec3> = all.iter().map(|n| n.start).collect();
    let radii = vec![0.5 * reach; all.len()];
    let mut multipliers = vec![0.0_f32; all.len()];
    let mut walls = vec![Vec3::ZERO; all.len()];
    let mut finder = Finder::new(Search::Grid);
    let (center, ratio) = (fluid.smoothing.at(reach, 0.0).0, SOFTNESS / (radius * radius));
    let mut lists: Vec<Vec<u32>> = Vec::new();
    for sweep in 0..SWEEPS {
        for (n, x) in all.iter().zip(&mut x).filter(|(n, _)| n.free) {
            for (distance, normal) in near(&n.bodies, *x, radius) {
                *x += normal * (radius - distance);
            }
            *x = n.start + (*x - n.start).clamp_length_max(FARTHEST * radius);
        }
        if sweep % SEARCH.0 == 0 {
            let rows: Vec<RowData> = x.iter().map(|x| [x.x, x.y, x.z, 1.0]).collect();
            let cloud = Cloud { rows: &rows, radii: &radii, phases: &[] };
            let found = finder.find(&Threads::one(), cloud, SEARCH.1 * radius, Pairs::Both);
            lists = (0..all.len()).map(|i| found.of(i).to_vec()).collect();
        }
        for i in 0..all.len() {
            let (mut density, mut gradient, mut squares, mut wall) = (volume * center, Vec3::ZERO, 0.0, Vec3::ZERO);
            for &j in &lists[i] {
                let apart = x[i] - x[j as usize];
                let (value, slope) = fluid.smoothing.at(reach, apart.length_squared());
                let by = apart * (slope * volume);
                (density, gradient, squares) = (density + value * volume, gradient + by, squares + by.length_squared());
            }
            for (distance, normal) in near(&all[i].bodies, x[i], reach) {
                let (share, rate) = solid_share(fluid.smoothing, reach, distance + fluid.setback, 0.0);
                (density, wall) = (density + share, wall + normal * rate);
            }
            let denominator = squares + (gradient + wall).length_squared() + ratio;
            (multipliers[i], walls[i]) = ((density - 1.0).max(0.0) / denominator, wall);
        }
        let before = x.clone();
        for i in (0..all.len()).filter(|&i| all[i].free) {
            let mut push = walls[i] * multipliers[i];
            for &j in &lists[i] {
                let apart = before[i] - before[j as usize];
                let slope = fluid.smoothing.at(reach, apart.length_squared()).1;
                push += apart * (slope * volume * (multipliers[i] + multipliers[j as usize]));
            }
            x[i] -= (push * RELAXATION).clamp_length_max(SEARCH.1 * radius / (2.0 * SEARCH.0 as f32));
        }
    }
    for (n, x) in all.iter().zip(&x) {
        let row = n.row as usize;
        (0..3).for_each(|c| state.rows[row][c] = x[c]);
        state.previous[row] = state.rows[row];
    }
}
