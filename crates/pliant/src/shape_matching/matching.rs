//! One shape matching iteration over all bodies, on the CPU.
//!
//! Per body: sums (`moments`), rotation (`rotation`), goals. Results are bitwise independent of threads, instruction
//! set, and whether a body's rows are a run or a list.

use crate::bytes::{FNV, hash_word};
use crate::math::RowData;
use crate::math::matrix::{
    Mat3, Vec3, add_outer, add_scaled, apply, blend, cross, inverse, matrix_of, multiply, quat_of, scale, transpose,
};
use crate::runtime::cpu::Isa;
use crate::shape_matching::bodies::{Lists, MatchedBody, Pose, ShapeMatch};
use crate::shape_matching::moments::{Block, CHUNK_BLOCKS, LANES, Lanes, Sums, pairwise, total};
use crate::shape_matching::plasticity::{strain, stretch};
use crate::shape_matching::rotation::{Extraction, extract, gram_schmidt, polar};
use crate::shape_matching::simd::{
    Before, Goal, List, Run, Source, columns, move_rows, moves_of, sums, weight_chunk, weighted_sums,
};
#[cfg(target_arch = "x86_64")]
use crate::shape_matching::simd::{move_rows_avx2, sums_avx2};
use std::ops::Range;

/// Options of one iteration.
#[derive(Clone, Copy, Debug)]
pub struct MatchSettings<'a> {
    /// Rotation extraction method.
    pub extraction: Extraction,
    /// Factor on each row's mass ([`super::adaptive_weight`]), by row index. Plastic bodies ignore it, as their stretch
    /// is measured with their rest masses.
    pub weights: Option<&'a [f32]>,
    /// Pieces of more chunks than this may run on another thread of the current pool; [`usize::MAX`] uses one.
    pub grain: usize,
    /// Instructions to use.
    pub isa: Isa,
    /// Whether all displacements since the last match are forces, however large: rigid bodies then rotate by their
    /// torque only.
    pub forced: bool,
    /// Bodies that are left as they are; may be empty.
    pub skip: &'a [bool],
}

impl Default for MatchSettings<'_> {
    fn default() -> Self {
        Self {
            extraction: Extraction::Iterative,
            weights: None,
            grain: usize::MAX,
            isa: Isa::detect(),
            forced: false,
            skip: &[],
        }
    }
}

/// Matches every body once: xᵢ ← xᵢ + α(gᵢ − xᵢ), gᵢ = R·P·qᵢ + c (D4 4.7, 4.8), and sets the poses.
///
/// With all masses finite and no weights, Σ mᵢΔxᵢ = 0 and Σ mᵢ xᵢ×Δxᵢ = 0 for [`Extraction::Polar`] and
/// [`Extraction::Iterative`], up to rounding. Particles of several bodies move to the mean of their goals. Pinned
/// particles: see [`ShapeMatch::set_masses`].
///
/// # Panics
/// Panics if there are fewer rows, or weights, than the shapes were built with.
pub fn match_shapes(shapes: &mut ShapeMatch, rows: &mut [RowData], pass: &MatchSettings<'_>) {
    assert!(rows.len() >= shapes.rows, "{} rows, but shapes use {}", rows.len(), shapes.rows);
    assert!(pass.weights.is_none_or(|w| w.len() >= shapes.rows), "fewer weights than rows");
    let ShapeMatch { bodies, poses, blocks, members, pins, lists, .. } = shapes;
    let all = All {
        blocks,
        pins,
        weights: pass.weights,
        extraction: pass.extraction,
        grain: pass.grain,
        wide: wide(pass.isa),
        forced: pass.forced && pass.weights.is_none(),
    };
    let mut first = 0;
    for segment in bodies.chunk_by(|a, b| a.in_run == b.in_run) {
        let range = first..first + segment.len();
        let (poses, skip) = (&mut poses[range.clone()], pass.skip.get(range).unwrap_or_default());
        first += segment.len();
        match lists {
            Some(Lists { moves, .. }) if !segment[0].in_run => {
                let blocks: usize = segment.iter().map(MatchedBody::blocks).sum();
                let moves = &mut moves[segment[0].first_block..][..blocks];
                all.lists(segment, (poses, skip), members, moves, rows);
            }
            _ => all.runs(segment, (poses, skip), rows, 0),
        }
    }
    if let Some(Lists { starts, slots, moves }) = lists {
        join(starts, slots, moves, rows, 0, pass.grain);
    }
}

impl ShapeMatch {
    /// Hash of the rows and velocities of each body. Poses and masses belong to those with these hashes.
    pub fn row_hashes(&self, rows: &[RowData], velocities: &[RowData]) -> Vec<u64> {
        let hash_row = |hash: u64, row: u32| {
            [rows, velocities].iter().fold(hash, |hash, of| {
                let [x, y, z, w] = of[row as usize].map(|v| u64::from(v.to_bits()));
                hash_word(hash_word(hash, x << 32 | y), z << 32 | w)
            })
        };
        let members = |body: &MatchedBody| self.members[body.first_block..][..body.blocks()].iter().flatten();
        self.bodies.iter().map(|body| members(body).fold(FNV, |hash, &row| hash_row(hash, row))).collect()
    }

    /// Updates masses, and poses of rigid bodies, of bodies that no longer have the hashes `known`. Returns for every
    /// row whether a changed body holds it; empty if no body has changed.
    pub fn refit(&mut self, known: &[u64], rows: &[RowData], velocities: &[RowData]) -> Vec<bool> {
        let changed: Vec<bool> =
            self.row_hashes(rows, velocities).iter().enumerate().map(|(b, hash)| known.get(b) != Some(hash)).collect();
        if !changed.contains(&true) {
            return Vec::new();
        }
        let members = |body: &MatchedBody| &self.members[body.first_block..][..body.blocks()];
        let mut touched = vec![false; self.rows];
        for (body, _) in self.bodies.iter().zip(&changed).filter(|(_, changed)| **changed) {
            members(body).iter().flatten().for_each(|&row| touched[row as usize] = true);
        }
        self.set_masses(rows);
        let (mut rows, poses) = (rows.to_vec(), self.poses.clone());
        match_shapes(self, &mut rows, &MatchSettings::default());
        let bodies = self.bodies.iter().zip(&changed);
        for ((pose, before), (body, changed)) in self.poses.iter_mut().zip(poses).zip(bodies) {
            if !(*changed && body.is_rigid()) {
                *pose = before;
            }
        }
        touched
    }
}

/// Inputs of all bodies in an iteration.
#[derive(Clone, Copy)]
struct All<'a> {
    blocks: &'a [Block],
    pins: &'a [u32],
    weights: Option<&'a [f32]>,
    extraction: Extraction,
    grain: usize,
    wide: bool,
    /// Whether rigid bodies rotate by their torque only.
    forced: bool,
}

impl All<'_> {
    /// Bodies of consecutive rows; the first of `rows` has index `base`.
    fn runs(&self, bodies: &[MatchedBody], (poses, skip): (&mut [Pose], &[bool]), rows: &mut [RowData], base: usize) {
        if bodies.len() > 1 && self.heavy(bodies) {
            let middle = bodies.len() / 2;
            let cut = bodies[middle].first_row;
            let (left, right) = rows.split_at_mut(cut - base);
            let (left_poses, right_poses) = poses.split_at_mut(middle);
            let (left_skip, right_skip) = skip.split_at(middle.min(skip.len()));
            rayon::join(
                || self.runs(&bodies[..middle], (left_poses, left_skip), left, base),
                || self.runs(&bodies[middle..], (right_poses, right_skip), right, cut),
            );
            return;
        }
        for (k, (body, pose)) in bodies.iter().zip(poses).enumerate() {
            if skip.get(k) == Some(&true) {
                continue;
            }
            let own = body.first_row - base..body.first_row - base + body.count;
            let source = Run { rows: &rows[own.clone()], weights: self.weights.map(|w| &w[body.first_row..]) };
            let pinned = |row: u32| rows[row as usize - base];
            let goal = self.goal(body, pose, &source, rows[own.start], &pinned);
            let blocks = &self.blocks[body.first_block..][..body.blocks()];
            self.move_run(&goal, blocks, &mut rows[own]);
        }
    }

    fn move_run(&self, goal: &Goal, blocks: &[Block], rows: &mut [RowData]) {
        if blocks.len() / CHUNK_BLOCKS > self.grain {
            let middle = blocks.len() / 2;
            let (left, right) = rows.split_at_mut(middle * LANES);
            rayon::join(
                || self.move_run(goal, &blocks[..middle], left),
                || self.move_run(goal, &blocks[middle..], right),
            );
        } else if self.wide {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `wide` is set only for an `Isa` of AVX2, which exists only where the processor has it.
            unsafe {
                move_rows_avx2(goal, blocks, rows);
            }
        } else {
            move_rows(goal, blocks, rows);
        }
    }

    /// Bodies with row lists: computes displacements per member, without writing rows.
    fn lists(
        &self,
        bodies: &[MatchedBody],
        (poses, skip): (&mut [Pose], &[bool]),
        members: &[[u32; LANES]],
        moves: &mut [[Lanes; 3]],
        rows: &[RowData],
    ) {
        if bodies.len() > 1 && self.heavy(bodies) {
            let middle = bodies.len() / 2;
            let (left, right) = moves.split_at_mut(bodies[middle].first_block - bodies[0].first_block);
            let (left_poses, right_poses) = poses.split_at_mut(middle);
            let (left_skip, right_skip) = skip.split_at(middle.min(skip.len()));
            rayon::join(
                || self.lists(&bodies[..middle], (left_poses, left_skip), members, left, rows),
                || self.lists(&bodies[middle..], (right_poses, right_skip), members, right, rows),
            );
            return;
        }
        let mut moves = moves.iter_mut();
        for (k, (body, pose)) in bodies.iter().zip(poses).enumerate() {
            if skip.get(k) == Some(&true) {
                moves.by_ref().take(body.blocks()).for_each(|out| *out = [[0.0; LANES]; 3]);
                continue;
            }
            let source = List { rows, members: &members[body.first_block..], weights: self.weights };
            let goal = self.goal(body, pose, &source, rows[body.first_row], &|row| rows[row as usize]);
            for (b, out) in (0..body.blocks()).zip(&mut moves) {
                *out = moves_of(&goal, &self.blocks[body.first_block + b], &columns(&source.fetch(b)));
            }
        }
    }

    fn heavy(&self, bodies: &[MatchedBody]) -> bool {
        // Stops summing at the limit: this is evaluated at every level of the bisection.
        let mut chunks = 0;
        self.grain < usize::MAX
            && bodies.iter().any(|body| {
                chunks += body.chunks();
                chunks > self.grain
            })
    }

    /// Sums, rotation and pose of a body.
    fn goal<S: Source>(
        &self,
        body: &MatchedBody,
        pose: &mut Pose,
        source: &S,
        first: RowData,
        row: &dyn Fn(u32) -> RowData,
    ) -> Goal {
        let blocks = &self.blocks[body.first_block..][..body.blocks()];
        let linear = if body.plastic.is_some() { pose.linear() } else { matrix_of(pose.rotation) };
        // The first member is the origin: close enough, wherever the body has moved. Pins do not take up momentum;
        // measuring from a pin loses less precision to their weight.
        let free = body.pins.1 == 0;
        let arm = if free { apply(&linear, [0, 1, 2].map(|k| blocks[0][k][0])) } else { [0.0; 3] };
        let origin = [0, 1, 2].map(|k| first[k] - arm[k]);
        let before = Before { origin, linear };
        let weighted = self.weights.is_some() && body.plastic.is_none();
        let range = |chunk: usize| chunk * CHUNK_BLOCKS..((chunk + 1) * CHUNK_BLOCKS).min(blocks.len());
        let sums = pairwise(0..body.chunks(), self.grain, &|c| self.chunk(source, blocks, range(c), &before, weighted));
        let (off, second) = sums.total();
        let (mass, first_moment) = if weighted {
            pairwise(0..body.chunks(), self.grain, &|c| weight_chunk(source, blocks, range(c))).total()
        } else {
            (body.mass, body.first)
        };
        let by_mass = |v: Vec3| if mass > 0.0 { v.map(|x| x / mass) } else { [0.0; 3] };
        // Σ m p = Σ m d + L·Σ m q, of which the latter is nearly 0.
        let carried = apply(&linear, first_moment);
        let moment = [0, 1, 2].map(|k| off[k] + carried[k]);
        // From the origin to the pivot.
        let (way, pivot) = match body.pins {
            (_, 0) => (by_mass(moment), if weighted { by_mass(first_moment) } else { body.pivot }),
            (from, count) => (pin_center(&self.pins[from..from + count], origin, row), body.pivot),
        };
        // Σ m (p − way)(q − pivot)ᵀ, expanded.
        let a = add_outer(&second, scale(moment, -1.0), pivot);
        let a = add_outer(&a, scale(way, -1.0), add_scaled(first_moment, -mass, pivot));
        let a = if self.forced && body.in_run && body.is_rigid() { rotational_moment(body, &linear, &a) } else { a };
        let rotation = self.turn(body, pose, &a);
        if body.plastic.is_some() {
            let s = stretch(&a, &rotation, &pose.shape, &body.spread, &body.flat);
            let found = strain(&s);
            if found > pose.strain {
                (pose.stretch, pose.strain) = (s, found);
            }
        }
        let linear = if body.plastic.is_some() { multiply(&rotation, &pose.shape) } else { rotation };
        let arm = apply(&linear, pivot);
        let shift = [0, 1, 2].map(|k| way[k] - arm[k]);
        pose.center = [0, 1, 2].map(|k| origin[k] + shift[k]);
        Goal { linear, shift, origin, alpha: body.alpha }
    }

    /// New orientation for the moment A about the undeformed rest shape.
    fn turn(&self, body: &MatchedBody, pose: &mut Pose, a: &Mat3) -> Mat3 {
        // The rest shape is P q, so its moment is A Pᵀ.
        let moment = multiply(a, &transpose(&pose.shape));
        let rotation = match self.extraction {
            Extraction::Iterative => {
                pose.rotation = extract(&moment, pose.rotation);
                return matrix_of(pose.rotation);
            }
            Extraction::Polar => polar(&moment),
            Extraction::GramSchmidt => match self.deformation(body, pose, a) {
                Some(f) => gram_schmidt(&f),
                None => polar(&moment),
            },
        };
        pose.rotation = quat_of(&rotation);
        rotation
    }

    /// D4's linear transformation, A A_qq⁻¹ (4.6), relative to the plastic rest shape.
    ///
    /// The factor A_qq⁻¹ may be omitted before a polar decomposition, but not before Gram–Schmidt: if A_qq is not
    /// diagonal that would rotate an undeformed body. None if A_qq is unknown, because weights have changed it, or is
    /// ill-conditioned, as for rods.
    fn deformation(&self, body: &MatchedBody, pose: &Pose, a: &Mat3) -> Option<Mat3> {
        let missing = body.flat[0][0] + body.flat[1][1] + body.flat[2][2];
        if missing > 1.5 || (self.weights.is_some() && body.plastic.is_none()) {
            return None;
        }
        let mut f = multiply(a, &body.spread);
        if missing > 0.5 {
            // A plate: its cofactors are the normal in the deformed and the rest shape.
            f = blend(&f, 1.0, &[cross(f[1], f[2]), cross(f[2], f[0]), cross(f[0], f[1])]);
        }
        inverse(&pose.shape).map(|back| multiply(&f, &back))
    }

    #[inline(always)]
    fn chunk<S: Source>(
        &self,
        source: &S,
        blocks: &[Block],
        range: Range<usize>,
        before: &Before,
        weighted: bool,
    ) -> Sums {
        if weighted {
            return weighted_sums(source, blocks, range, before);
        }
        #[cfg(target_arch = "x86_64")]
        if self.wide {
            // SAFETY: `wide` is set only for an `Isa` of AVX2, which exists only where the processor has it.
            return unsafe { sums_avx2(source, blocks, range, before) };
        }
        sums(source, blocks, range, before)
    }
}

/// Moment of a rigid body, reduced to its rotational part: L·Σ m q qᵀ and the antisymmetric part of A Lᵀ, L its last
/// orientation.
///
/// Contacts move single particles by what the body needs, which may exceed the size of the body and pass through its
/// center: the nearest rotation would flip it. To first order, which is the effect of forces, the two agree; beyond,
/// the angle stays below 90°.
fn rotational_moment(body: &MatchedBody, linear: &Mat3, a: &Mat3) -> Mat3 {
    let here = multiply(a, &transpose(linear));
    let odd = blend(&here, -1.0, &transpose(&here));
    blend(&multiply(linear, &body.second), 0.5, &multiply(&odd, linear))
}

/// Whether eight lanes at a time are wanted, which are there then.
fn wide(isa: Isa) -> bool {
    #[cfg(target_arch = "x86_64")]
    let wide = isa.width() == crate::runtime::cpu::isa::LaneWidth::Avx2;
    #[cfg(not(target_arch = "x86_64"))]
    let wide = {
        // Other targets compile to baseline vectors.
        let _ = isa;
        false
    };
    wide
}

/// Mean of pinned positions, from the origin: lane l takes pins l, l+8, …, then lanes as in all sums.
fn pin_center(pins: &[u32], origin: Vec3, row: &dyn Fn(u32) -> RowData) -> Vec3 {
    let mut sums = [[0.0; LANES]; 3];
    for (i, &pin) in pins.iter().enumerate() {
        let r = row(pin);
        (0..3).for_each(|k| sums[k][i % LANES] += r[k] - origin[k]);
    }
    sums.map(|lanes| total(&lanes) / pins.len() as f32)
}

/// Moves every row by the mean displacement of its members, in the order of the bodies.
fn join(starts: &[u32], slots: &[u32], moves: &[[Lanes; 3]], rows: &mut [RowData], first: usize, grain: usize) {
    let count = rows.len().min(starts.len() - 1 - first);
    if grain < usize::MAX && count / (LANES * CHUNK_BLOCKS) > grain {
        let middle = count / 2;
        let (left, right) = rows[..count].split_at_mut(middle);
        rayon::join(
            || join(starts, slots, moves, left, first, grain),
            || join(starts, slots, moves, right, first + middle, grain),
        );
        return;
    }
    for (i, row) in rows[..count].iter_mut().enumerate() {
        let own = &slots[starts[first + i] as usize..starts[first + i + 1] as usize];
        if own.is_empty() {
            continue;
        }
        let mut sum = [0.0; 3];
        for &slot in own {
            let block = &moves[slot as usize / LANES];
            (0..3).for_each(|k| sum[k] += block[k][slot as usize % LANES]);
        }
        (0..3).for_each(|k| row[k] += sum[k] / own.len() as f32);
    }
}
