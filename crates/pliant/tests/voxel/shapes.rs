//! Closed meshes and voxel sets for tests, from fixed seeds.

use glam::{DVec3, Quat, Vec3};
use pliant::builder::generate;
use pliant::mesh::TriMesh;
use pliant::mesh::repair::{SurfaceNeed, clean_surface};
use pliant::mesh::topology::boundary;
use pliant::scene::{BlockSpec, IcosphereSpec, Tessellation};
use pliant::voxel::{Grid, Voxels};

/// A small generator of numbers (xorshift).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From 0 to 1.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1_u64 << 24) as f32
    }

    pub fn within(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    pub fn rotation(&mut self) -> Quat {
        let axis = Vec3::new(self.within(-1.0, 1.0), self.within(-1.0, 1.0), self.within(-1.0, 1.0));
        Quat::from_axis_angle(axis.normalize_or(Vec3::X), self.within(0.0, 6.0))
    }
}

/// A sphere with bumps, stretched and turned.
pub fn potato(random: &mut Random, subdivisions: u32) -> TriMesh {
    let mut mesh = generate::icosphere(&IcosphereSpec { radius: 1.0, subdivisions });
    let waves: Vec<(Vec3, f32)> =
        (0..4).map(|_| (random.rotation() * Vec3::splat(random.within(1.0, 3.0)), random.within(0.0, 0.12))).collect();
    let stretch = Vec3::new(random.within(0.5, 1.5), random.within(0.5, 1.5), random.within(0.5, 1.5));
    let turn = random.rotation();
    for p in &mut mesh.positions {
        let bump: f32 = waves.iter().map(|(k, a)| a * k.dot(*p).sin()).sum();
        *p = turn * (*p * (1.0 + bump) * stretch);
    }
    mesh
}

/// A ring of round section, turned.
pub fn ring(random: &mut Random, around: u32, across: u32) -> TriMesh {
    let (thick, turn) = (random.within(0.2, 0.6), random.rotation());
    let mut mesh = TriMesh::default();
    for i in 0..around {
        for j in 0..across {
            let angle = |k: u32, n: u32| std::f32::consts::TAU * k as f32 / n as f32;
            let (a, b) = (angle(i, around), angle(j, across));
            let out = 1.0 + thick * b.cos();
            mesh.positions.push(turn * Vec3::new(out * a.cos(), thick * b.sin(), out * a.sin()));
            let at = |i: u32, j: u32| i % around * across + j % across;
            mesh.triangles.push([at(i, j), at(i, j + 1), at(i + 1, j)]);
            mesh.triangles.push([at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]);
        }
    }
    mesh
}

/// The surface of a block of cells, each side a grid of triangles.
pub fn block(cells: [u32; 3], size: [f32; 3], tets: Tessellation) -> TriMesh {
    let solid = generate::block(&BlockSpec { cells, size, tets });
    let triangles = boundary(solid.positions.len(), &solid.tets);
    let (mesh, notes) = clean_surface(TriMesh { positions: solid.positions, triangles }, SurfaceNeed::Closed).unwrap();
    assert!(notes.iter().all(|n| n.contains("no triangle uses")), "{notes:?}");
    mesh
}

/// |x| + |y| + |z| ≤ r around the origin.
pub fn octahedron(r: f32) -> TriMesh {
    let axes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let mut triangles = Vec::new();
    for corner in 0..8_u32 {
        let [x, y, z] = [corner & 1, 2 + (corner >> 1 & 1), 4 + (corner >> 2)];
        // An odd number of mirrorings turns a triangle over.
        triangles.push(if corner.count_ones() % 2 == 0 { [x, y, z] } else { [x, z, y] });
    }
    TriMesh { positions: axes.map(|a| a * r).to_vec(), triangles }
}

/// A grid of voxels of 1 m whose centers are at whole numbers, and which reaches from −`half` to `half` at least.
pub fn centered_grid(half: u32) -> Grid {
    Grid::new(DVec3::splat(-f64::from(half) - 2.5), 1.0, [2 * half + 1; 3], 2).unwrap()
}

/// All voxels of a grid.
pub fn all([nx, ny, nz]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
}

/// Voxels of which a function says that they are inside.
pub fn voxels(dims: [u32; 3], mut inside: impl FnMut([u32; 3]) -> bool) -> Voxels {
    let mut voxels = Voxels::new(dims);
    all(dims).filter(|&at| inside(at)).for_each(|at| voxels.flip(at));
    voxels
}

/// Balls that overlap at random, some of which take away.
pub fn blobs(random: &mut Random, dims: [u32; 3]) -> Voxels {
    let size = Vec3::from(dims.map(|d| d as f32));
    let balls: Vec<(Vec3, f32, bool)> = (0..6)
        .map(|i| {
            let center = size * Vec3::new(random.unit(), random.unit(), random.unit());
            (center, random.within(0.1, 0.45) * size.min_element(), i % 3 == 2)
        })
        .collect();
    voxels(dims, |at| {
        let p = Vec3::from(at.map(|c| c as f32 + 0.5));
        balls.iter().fold(false, |inside, (c, r, away)| if p.distance(*c) < *r { !away } else { inside })
    })
}
