//! Surface voxels (sites), and the squared distance of every voxel to the nearest of them (S28; D4 Alg 4.1–4.6).
//!
//! A site is a voxel with at least one of its 26 neighbors on the other side. Half the distance to the nearest of
//! those, ½, √2/2 or √3/2 voxels, is the distance of its center from the surface: its class 0, 1 or 2.
//!
//! Where D4 passes the position of the nearest site from pass to pass, we pass one number, 4·d² + class: its
//! minimum is the nearest site, and among equally near ones the one nearest to the surface. No
//! square root, no ties, and mirror images have mirrored distances.

use crate::voxel::Voxels;
use crate::voxel::envelope::{Column, each_column};

/// Code of a voxel without a known site (E25: D4 compares with infinite sites, which gives NaN).
pub const EMPTY: u32 = INSIDE - 1;

/// Bit that marks the codes of inside voxels.
pub const INSIDE: u32 = 1 << 31;

/// Voxels that need distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// All voxels.
    Everywhere,
    /// Inside voxels, and the sites around them: sufficient for particles. The others stay [`EMPTY`].
    Inside,
}

/// Distance of a site from the surface by its class [voxels]; D4 Alg 4.1.
pub const SITE_DISTANCE: [f32; 3] = [0.5, std::f32::consts::FRAC_1_SQRT_2, 0.866_025_4];

/// 4·d² + class of the nearest site for every voxel, x fastest, with the bit [`INSIDE`]; all [`EMPTY`] if there is
/// no surface.
///
/// Five passes, as in D4: nearest sites within rows, then along y and along z each the entries that are nearest
/// anywhere, and their evaluation.
pub fn site_codes(voxels: &Voxels, reach: Reach) -> Vec<u32> {
    let [nx, ny, nz] = voxels.dims().map(|d| d as usize);
    let mut codes = vec![EMPTY; nx * ny * nz];
    let mut finder = Finder::new(voxels);
    for (at, row) in codes.chunks_exact_mut(nx).enumerate() {
        finder.find((at % ny) as u32, (at / ny) as u32);
        finder.nearest(row, reach);
    }
    let mut column = Column::new(ny.max(nz));
    for slice in codes.chunks_exact_mut(nx * ny) {
        each_column(slice, nx, reach, |c| column.pass(c, reach));
    }
    each_column(&mut codes, nx * ny, reach, |c| column.pass(c, reach));
    codes
}

/// Finds the sites of a row, 32 voxels at a time.
struct Finder<'a> {
    voxels: &'a Voxels,
    /// Positions along x and classes, ascending; the classes of inside sites have the bit [`INSIDE`].
    sites: Vec<(u32, u32)>,
    nothing: Vec<u32>,
}

impl<'a> Finder<'a> {
    fn new(voxels: &'a Voxels) -> Self {
        Self { voxels, sites: Vec::new(), nothing: vec![0; voxels.words_per_row()] }
    }

    fn find(&mut self, y: u32, z: u32) {
        self.sites.clear();
        let [nx, ny, nz] = self.voxels.dims();
        let row = |dy: u32, dz: u32| {
            let (y, z) = (y.wrapping_add(dy).wrapping_sub(1), z.wrapping_add(dz).wrapping_sub(1));
            if y < ny && z < nz { self.voxels.row(y, z) } else { &self.nothing }
        };
        let own = row(1, 1);
        let near = [row(0, 1), row(2, 1), row(1, 0), row(1, 2)];
        let far = [row(0, 0), row(2, 0), row(0, 2), row(2, 2)];
        for (i, &word) in own.iter().enumerate() {
            let differs = |rows: &[&[u32]]| rows.iter().fold(0, |d, r| d | (r[i] ^ word));
            let differs_beside =
                |rows: &[&[u32]]| rows.iter().fold(0, |d, r| d | (left(r, i) ^ word) | (right(r, i) ^ word));
            let faces = differs_beside(&[own]) | differs(&near);
            let edges = differs_beside(&near) | differs(&far);
            let corners = differs_beside(&far);
            let mut all = faces | edges | corners;
            if i + 1 == own.len() && !nx.is_multiple_of(32) {
                all &= (1 << (nx & 31)) - 1;
            }
            while all != 0 {
                let bit = all.trailing_zeros();
                all &= all - 1;
                let class = u32::from(faces >> bit & 1 == 0) * (1 + u32::from(edges >> bit & 1 == 0));
                self.sites.push((32 * i as u32 + bit, class | (word >> bit & 1) << 31));
            }
        }
    }

    /// First pass: every voxel of the row compares the sites before and after it (D4 Alg 4.2). Between two sites
    /// there is no surface, so all voxels are on the side of both.
    fn nearest(&self, row: &mut [u32], reach: Reach) {
        let code = |x: u32, (at, class): (u32, u32)| 4 * x.abs_diff(at) * x.abs_diff(at) + class;
        let wanted = |class: u32| reach == Reach::Everywhere || class & INSIDE != 0;
        for &(x, class) in &self.sites {
            row[x as usize] = class;
        }
        for pair in self.sites.windows(2).filter(|pair| wanted(pair[0].1)) {
            for x in pair[0].0 + 1..pair[1].0 {
                row[x as usize] = code(x, pair[0]).min(code(x, pair[1]));
            }
        }
        let (Some(&first), Some(&last)) = (self.sites.first(), self.sites.last()) else { return };
        for x in (0..first.0).filter(|_| wanted(first.1)) {
            row[x as usize] = code(x, first);
        }
        for x in (last.0 + 1..row.len() as u32).filter(|_| wanted(last.1)) {
            row[x as usize] = code(x, last);
        }
    }
}

/// The neighbors at x − 1 of the voxels of a word.
fn left(row: &[u32], word: usize) -> u32 {
    row[word] << 1 | if word > 0 { row[word - 1] >> 31 } else { 0 }
}

/// The neighbors at x + 1.
fn right(row: &[u32], word: usize) -> u32 {
    row[word] >> 1 | row.get(word + 1).map_or(0, |next| next << 31)
}
