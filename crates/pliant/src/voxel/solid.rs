//! Exact voxelization of closed meshes: which voxel centers are inside (S27; D4 §4.3, [Schwarz and Seidel 2010]).
//!
//! Every triangle is projected along one axis; where the center of a column lies in the projection, the first voxel
//! behind the triangle is flipped. The prefix parity of flips along the column then marks the inside.
//!
//! Exact, unlike D4 (E24, Fig 7.1): vertices are snapped to fixed-point positions, all decisions are signs of
//! integers, and centers on a triangle, an edge or a vertex are decided by [`HalfOpen`]. A mesh that is
//! closed before snapping is closed after it, so no column can leak, for any triangles.
//!
//! Ranges: coordinates are below 2¹⁵. An edge function is twice the area of a triangle within the box of the
//! projected triangle wherever it is evaluated, so it fits in i32, even if its two products wrap around. The
//! depth of a crossing is decided by a sum of products of 31 and 15 bits, below 2⁴⁸: 64 bits here, two words in
//! a shader, which can step from voxel to voxel by additions instead of the division.

use crate::mesh::TriMesh;
use crate::voxel::{Grid, VoxelError, Voxels};
use glam::{DVec3, Vec3};

/// The rule for centers exactly on the surface: a center counts as if it were moved by (ε, ε², ε³) along x, y
/// and z, with infinitesimal ε. A box is therefore closed at its low sides and open at its high sides.
///
/// Every position is then on one side of every triangle and on no edge, so that exactly one of the two triangles of
/// an edge covers it, and the result does not depend on the axis of projection.
#[derive(Clone, Copy, Debug)]
pub struct HalfOpen;

impl HalfOpen {
    /// Sign of a linear function with the value `value`: that of the value, or of the first nonzero coefficient.
    #[inline]
    pub fn is_positive<T: PartialOrd + Default>(value: T, coefficients: impl IntoIterator<Item = T>) -> bool {
        let zero = T::default();
        if value != zero {
            return value > zero;
        }
        coefficients.into_iter().find(|c| *c != zero).is_some_and(|c| c > zero)
    }
}

/// Vertices of a mesh as fixed-point positions of the grid, with [`Grid::fraction_bits`].
pub fn snap(positions: &[Vec3], grid: &Grid) -> Result<Vec<[i32; 3]>, VoxelError> {
    positions.iter().enumerate().map(|(i, p)| grid.snap(*p).ok_or(VoxelError::Outside(i))).collect()
}

/// Voxels whose center is inside of a closed mesh.
///
/// Inside is a point enclosed by an odd number of surfaces: cavities are outside, and so is the overlap of two bodies
/// of one mesh. The winding of triangles does not matter. The mesh is not checked for holes (`mesh::repair` does
/// that), but a hole that lets a ray through is detected.
pub fn voxelize(mesh: &TriMesh, grid: &Grid) -> Result<Voxels, VoxelError> {
    let places = snap(&mesh.positions, grid)?;
    cast_all(mesh, &places, grid, projection_axis(&places))
}

/// The same along a given axis, 0 to 2. The result does not depend on the axis, but the time does.
pub fn voxelize_along(mesh: &TriMesh, grid: &Grid, axis: usize) -> Result<Voxels, VoxelError> {
    cast_all(mesh, &snap(&mesh.positions, grid)?, grid, axis)
}

fn cast_all(mesh: &TriMesh, places: &[[i32; 3]], grid: &Grid, axis: usize) -> Result<Voxels, VoxelError> {
    let mut voxels = Voxels::new(grid.dims());
    let caster = Caster::new(grid, axis);
    for t in &mesh.triangles {
        caster.cast(t.map(|v| places[v as usize]), &mut voxels);
    }
    voxels.accumulate(axis);
    match leak(&voxels, axis) {
        Some(at) => Err(leak_at(grid, axis, at)),
        None => Ok(voxels),
    }
}

/// The error of a column that is still inside at its last voxel.
pub(crate) fn leak_at(grid: &Grid, axis: usize, voxel: [u32; 3]) -> VoxelError {
    let center = grid.place(DVec3::from(voxel.map(f64::from)) + 0.5);
    VoxelError::Leak { axis: ['x', 'y', 'z'][axis], at: center.to_array() }
}

/// The projection axis: that of the shortest side, for which the projection of the box is largest (D4 4.35).
/// Ties go to the last, because parities along z are the fastest.
pub(crate) fn projection_axis(places: &[[i32; 3]]) -> usize {
    let side = |k: usize| {
        let (low, high) = places.iter().fold((i32::MAX, i32::MIN), |(l, h), p| (l.min(p[k]), h.max(p[k])));
        i64::from(high) - i64::from(low)
    };
    let sides = [side(0), side(1), side(2)];
    (0..3).fold(0, |best, k| if sides[k] <= sides[best] { k } else { best })
}

/// A column that is still inside at the end of the grid, where all voxels must be outside.
fn leak(voxels: &Voxels, axis: usize) -> Option<[u32; 3]> {
    let [nx, ny, nz] = voxels.dims();
    let mut first = [0; 3];
    first[axis] = voxels.dims()[axis] - 1;
    let [x0, y0, z0] = first;
    for z in z0..nz {
        for y in y0..ny {
            if let Some(x) = (x0..nx).find(|&x| voxels.get([x, y, z])) {
                return Some([x, y, z]);
            }
        }
    }
    None
}

/// Projects triangles onto the columns of a grid along one axis.
struct Caster {
    /// The axes of the projection in order, then the axis of the columns.
    axes: [usize; 3],
    dims: [u32; 3],
    bits: u32,
}

impl Caster {
    fn new(grid: &Grid, axis: usize) -> Self {
        let axes = [[1, 2, 0], [0, 2, 1], [0, 1, 2]][axis];
        Self { axes, dims: grid.dims(), bits: grid.fraction_bits() }
    }

    fn cast(&self, corners: [[i32; 3]; 3], voxels: &mut Voxels) {
        let [u, v, w] = self.axes;
        let [first_u, last_u] = self.centers(corners.map(|c| c[u]), u);
        let [first_v, last_v] = self.centers(corners.map(|c| c[v]), v);
        // Most triangles of a fine mesh lie between centers.
        if first_u > last_u || first_v > last_v {
            return;
        }
        let Some((sides, plane)) = self.set_up(corners) else { return };
        let (pu, pv) = (self.center(first_u), self.center(first_v));
        let mut row = sides.map(|s| s.at(pu, pv));
        for j in first_v..=last_v {
            let mut here = row;
            for i in first_u..=last_u {
                // Edge functions include the fill rule: incremented by one where ties are inside.
                if here[0] > 0 && here[1] > 0 && here[2] > 0 {
                    let depth = plane.first_behind(self.center(i), self.center(j));
                    if depth < self.dims[w] {
                        let mut at = [0; 3];
                        (at[u], at[v], at[w]) = (i as u32, j as u32, depth);
                        voxels.flip(at);
                    }
                }
                for k in 0..3 {
                    here[k] = here[k].wrapping_add(sides[k].du << self.bits);
                }
            }
            for k in 0..3 {
                row[k] = row[k].wrapping_add(sides[k].dv << self.bits);
            }
        }
    }

    /// First and last voxel whose center lies between the minimum and maximum coordinate, inclusive.
    fn centers(&self, c: [i32; 3], axis: usize) -> [i32; 2] {
        let (low, high) = (c[0].min(c[1]).min(c[2]), c[0].max(c[1]).max(c[2]));
        let (one, half) = (1 << self.bits, 1 << (self.bits - 1));
        let first = (low - half + one - 1) >> self.bits;
        let last = (high - half) >> self.bits;
        [first.max(0), last.min(self.dims[axis] as i32 - 1)]
    }

    fn center(&self, voxel: i32) -> i32 {
        (voxel << self.bits) + (1 << (self.bits - 1))
    }

    /// Edge functions and plane, or `None` for a triangle seen edge-on, which no ray displaced by ε can hit (E24).
    fn set_up(&self, [a, mut b, mut c]: [[i32; 3]; 3]) -> Option<([Side; 3], Plane)> {
        let [u, v, w] = self.axes;
        let cross = |b: [i32; 3], c: [i32; 3], i: usize, j: usize| {
            let product = |x: i32, y: i32| i64::from(x) * i64::from(y);
            product(b[i] - a[i], c[j] - a[j]) - product(b[j] - a[j], c[i] - a[i])
        };
        let area = cross(b, c, u, v);
        if area == 0 {
            return None;
        }
        if area < 0 {
            // From here on the projection is counter-clockwise, and the plane's normal points along the columns.
            (b, c) = (c, b);
        }
        let sides = [Side::new(a, b, u, v), Side::new(b, c, u, v), Side::new(c, a, u, v)];
        let mut normal = [0; 3];
        (normal[u], normal[v], normal[w]) = (cross(b, c, v, w), cross(b, c, w, u), area.abs());
        let plane = Plane {
            normal: [normal[u], normal[v], normal[w]],
            through: [a[u], a[v], a[w]],
            bits: self.bits,
            // In the order of the rule, x, y, z, and not in that of the projection.
            tie_is_behind: HalfOpen::is_positive(0, normal),
        };
        Some((sides, plane))
    }
}

/// The edge function of a side of a projected triangle, positive to the left (D4 4.27).
#[derive(Clone, Copy)]
struct Side {
    du: i32,
    dv: i32,
    from: [i32; 2],
    /// 1 if positions on the edge are inside.
    tie: i32,
}

impl Side {
    fn new(from: [i32; 3], to: [i32; 3], u: usize, v: usize) -> Self {
        let (du, dv) = (from[v] - to[v], to[u] - from[u]);
        Self { du, dv, from: [from[u], from[v]], tie: i32::from(HalfOpen::is_positive(0, [du, dv])) }
    }

    fn at(&self, u: i32, v: i32) -> i32 {
        let across = self.du.wrapping_mul(u - self.from[0]);
        across.wrapping_add(self.dv.wrapping_mul(v - self.from[1])).wrapping_add(self.tie)
    }
}

/// The plane of a triangle, with its normal along the columns.
struct Plane {
    normal: [i64; 3],
    through: [i32; 3],
    bits: u32,
    tie_is_behind: bool,
}

impl Plane {
    /// Index of the first voxel of a column whose center is behind the plane (D4 4.32, but exact).
    #[inline]
    fn first_behind(&self, u: i32, v: i32) -> u32 {
        let first = [u, v, 1 << (self.bits - 1)];
        // Distance of the first center before the plane, and its decrease per voxel.
        let before: i64 = (0..3).map(|k| self.normal[k] * i64::from(self.through[k] - first[k])).sum();
        let step = self.normal[2] << self.bits;
        // Behind means before < 0 after k steps, or = 0 for a tie.
        let needed = before + i64::from(!self.tie_is_behind);
        if needed <= 0 { 0 } else { ((needed + step - 1) / step) as u32 }
    }
}
