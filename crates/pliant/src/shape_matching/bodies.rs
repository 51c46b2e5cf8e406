//! Bodies as flat arrays: members in blocks of eight, rest offsets, masses, and pose data.

use crate::math::RowData;
use crate::math::matrix::{IDENTITY, Mat3, Quat, UPRIGHT, Vec3, apply, matrix_of, multiply};
use crate::memory::{grow, of};
use crate::shape_matching::moments::{Block, CHUNK_BLOCKS, LANES};
use crate::shape_matching::plasticity::{Plastic, flow};
use crate::shape_matching::stiffness::Stiffness;

/// Definition of a body, before layout.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyDef {
    /// Row indices of its particles, each once. Shapes may share particles.
    pub members: Vec<u32>,
    /// Stiffness of the shape.
    pub stiffness: Stiffness,
    /// Plasticity of the rest shape, if any.
    pub plastic: Option<Plastic>,
}

impl BodyDef {
    /// A rigid body of consecutive rows.
    pub fn rigid(rows: std::ops::Range<u32>) -> Self {
        Self { members: rows.collect(), stiffness: Stiffness::Fraction(1.0), plastic: None }
    }
}

/// Invalid shape definition.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// No members.
    #[error("shape {0} has no particles")]
    Empty(usize),
    /// Row index out of range.
    #[error("shape {shape} names row {row}, but there are {rows}")]
    OutOfRange {
        /// Shape index.
        shape: usize,
        /// Row index.
        row: u32,
        /// Number of rows.
        rows: usize,
    },
    /// Duplicate row.
    #[error("shape {shape} names row {row} twice")]
    Twice {
        /// Shape index.
        shape: usize,
        /// Row index.
        row: u32,
    },
    /// A position or inverse mass that is not finite, or a negative inverse mass.
    #[error("row {0} of a shape is not finite or has a negative inverse mass")]
    Row(u32),
    /// A stiffness or plasticity parameter out of range.
    #[error("shape {0} has a stiffness outside 0 to 1, or a negative time, threshold, creep or bound")]
    Parameter(usize),
}

/// Constant data of a body. Lengths are relative to its rest center of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MatchedBody {
    /// Index of its first block.
    pub first_block: usize,
    /// Number of members.
    pub count: usize,
    /// Row of its first member.
    pub first_row: usize,
    /// Whether its members are consecutive rows that no other body has: then it is matched in place.
    pub in_run: bool,
    /// Index of its first pinned member in the list of pins, and their number.
    pub pins: (usize, usize),
    /// Σ m [kg], with the weights of pins.
    pub mass: f32,
    /// Σ m q [kg·m].
    pub first: Vec3,
    /// Rest offset of the translation reference: the center of mass, or of the pins [m].
    pub pivot: Vec3,
    /// Pseudoinverse of Σ m (q − pivot)(q − pivot)ᵀ [1/(kg·m²)].
    pub spread: Mat3,
    /// Projector onto the directions in which the body has no extent.
    pub flat: Mat3,
    /// Σ m (q − pivot)(q − pivot)ᵀ [kg·m²].
    pub second: Mat3,
    pub stiffness: Stiffness,
    pub plastic: Option<Plastic>,
    /// Share of the distance to the goals covered in one iteration of this substep.
    pub alpha: f32,
}

impl MatchedBody {
    pub fn blocks(&self) -> usize {
        self.count.div_ceil(LANES)
    }

    pub fn chunks(&self) -> usize {
        self.blocks().div_ceil(CHUNK_BLOCKS)
    }

    /// Whether it moves as a rigid body: rigid stiffness, no plasticity, no pins. Corrections of its particles then act
    /// as forces on it.
    pub fn is_rigid(&self) -> bool {
        self.stiffness.is_rigid() && self.plastic.is_none() && self.pins.1 == 0
    }
}

/// State of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Orientation of the rest shape.
    pub rotation: Quat,
    /// World position of the rest center of mass [m].
    pub center: Vec3,
    /// Plastic deformation of the rest shape, determinant 1.
    pub shape: Mat3,
    /// Stretch of the iteration of this substep with the largest strain; plastic bodies only.
    pub stretch: Mat3,
    /// ‖stretch − I‖.
    pub strain: f32,
}

impl Pose {
    /// Linear part of the motion of the rest shape: rotation times plastic shape.
    pub fn linear(&self) -> Mat3 {
        multiply(&matrix_of(self.rotation), &self.shape)
    }

    /// World position of a point of the rest shape, given relative to the rest center of mass [m]. Transforms a rigid
    /// body's visual mesh.
    pub fn place(&self, offset: Vec3) -> Vec3 {
        let v = apply(&self.linear(), offset);
        [0, 1, 2].map(|k| v[k] + self.center[k])
    }
}

/// Bodies whose members are not a run of rows, or share rows: displacements are stored per member, then each particle
/// moves by the mean of its members'.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lists {
    /// Start of the slots of each row, plus the end.
    pub starts: Vec<u32>,
    /// Member indices (8·block + lane) of each row.
    pub slots: Vec<u32>,
    /// Displacement of each member: x, y, z by block; unused for bodies that are runs.
    pub moves: Vec<[[f32; LANES]; 3]>,
}

/// Bodies that are matched together.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeMatch {
    pub(crate) bodies: Vec<MatchedBody>,
    pub(crate) poses: Vec<Pose>,
    /// Offsets and masses per member, body by body, each padded to whole blocks with zero masses.
    pub(crate) blocks: Vec<Block>,
    /// Row of each member, padded with the body's last one.
    pub(crate) members: Vec<[u32; LANES]>,
    /// Rows of pinned members, body by body.
    pub(crate) pins: Vec<u32>,
    /// Per row, the inverse mass of its rigid body relative to that of the particle ([`ShapeMatch::shares`]).
    pub(crate) shares: Vec<f32>,
    /// Per row, whether it was removed ([`ShapeMatch::leave`]); empty if none was.
    pub(crate) gone: Vec<bool>,
    /// Rows of bodies that are not runs, if there are such bodies.
    pub(crate) lists: Option<Lists>,
    pub(crate) rows: usize,
}

impl ShapeMatch {
    /// Lays out shapes whose rest positions are the rows: x, y, z [m], inverse mass [1/kg].
    pub fn new(shapes: &[BodyDef], rest: &[RowData]) -> Result<Self, ShapeError> {
        check(shapes, rest)?;
        let mut this = Self {
            bodies: Vec::with_capacity(shapes.len()),
            poses: Vec::with_capacity(shapes.len()),
            blocks: Vec::new(),
            members: Vec::new(),
            pins: Vec::new(),
            shares: Vec::new(),
            gone: Vec::new(),
            lists: None,
            rows: rest.len(),
        };
        for shape in shapes {
            this.lay_out(shape);
        }
        this.find_runs(shapes);
        if this.bodies.iter().any(|body| !body.in_run) {
            this.lists = Some(lists(shapes, &this.bodies, rest.len(), this.blocks.len()));
        }
        this.set_rest(rest);
        this.set_masses(rest);
        Ok(this)
    }

    /// Appends a body of consecutive rows behind all others, at rest where they are. `rows` are all rows.
    pub(crate) fn append(&mut self, shape: &BodyDef, rows: &[RowData]) {
        let (number, added) = (self.bodies.len(), rows.len() - self.rows);
        let blocks = shape.members.len().div_ceil(LANES);
        let (members, bodies) = (self.members.len() + blocks, number + 1);
        grow(&mut self.members, members);
        grow(&mut self.blocks, members);
        grow(&mut self.bodies, bodies);
        grow(&mut self.poses, bodies);
        grow(&mut self.shares, rows.len());
        self.lay_out(shape);
        self.bodies[number].in_run = true;
        self.rows = rows.len();
        self.shares.resize(self.rows, 0.0);
        if !self.gone.is_empty() {
            self.gone.resize(self.rows, false);
        }
        if let Some(lists) = &mut self.lists {
            let end = lists.starts.last().copied().unwrap_or(0);
            lists.starts.resize(lists.starts.len() + added, end);
            lists.moves.resize(self.blocks.len(), [[0.0; LANES]; 3]);
        }
        self.set_rest_of(number, rows);
        self.set_masses_of(number, rows);
    }

    /// Begins a substep of h seconds with `iterations` calls of [`super::match_shapes`].
    pub fn begin(&mut self, h: f32, iterations: u32) {
        for (body, pose) in self.bodies.iter_mut().zip(&mut self.poses) {
            body.alpha = body.stiffness.per_iteration(h, iterations);
            (pose.stretch, pose.strain) = (IDENTITY, 0.0);
        }
    }

    /// Ends a substep of h seconds: plastic bodies strained beyond their threshold change their rest shape, by the
    /// iteration with the largest strain. Once per substep, or creep would depend on the iteration count.
    pub fn flow(&mut self, h: f32) {
        for (body, pose) in self.bodies.iter().zip(&mut self.poses) {
            if let Some(plastic) = &body.plastic {
                pose.shape = flow(plastic, h, &pose.stretch, &pose.shape);
            }
        }
    }

    /// Removes a row from all bodies: it has no mass there any more and does not act as a pin. Its inverse mass must be
    /// 0, or it would still follow its bodies. Takes effect with the next [`Self::set_masses`].
    pub fn leave(&mut self, row: usize) {
        self.gone.resize(self.rows, false);
        self.gone[row] = true;
    }

    /// Poses of the bodies, in the order of the shapes.
    pub fn poses(&self) -> &[Pose] {
        &self.poses
    }

    /// Mutable poses: matching starts from the rotation given here.
    pub fn poses_mut(&mut self) -> &mut [Pose] {
        &mut self.poses
    }

    /// Goal positions of the members of a body in the last match, in their order.
    pub(crate) fn goals(&self, body: usize) -> impl Iterator<Item = Vec3> + '_ {
        let (body, pose) = (&self.bodies[body], &self.poses[body]);
        let linear = pose.linear();
        (0..body.count).map(move |k| {
            let block = &self.blocks[body.first_block + k / LANES];
            let turned = apply(&linear, [0, 1, 2].map(|axis| block[axis][k % LANES]));
            [0, 1, 2].map(|axis| turned[axis] + pose.center[axis])
        })
    }

    /// Indices and rows of the bodies that are runs of consecutive rows, which no other body has.
    pub fn runs(&self) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> + '_ {
        let runs = self.bodies.iter().enumerate().filter(|(_, body)| body.in_run);
        runs.map(|(number, body)| (number, body.first_row..body.first_row + body.count))
    }

    /// Rows of a body that is a run of consecutive rows.
    pub(crate) fn run_of(&self, body: usize) -> std::ops::Range<usize> {
        let body = &self.bodies[body];
        body.first_row..body.first_row + body.count
    }

    /// Rows of the members of a body.
    pub(crate) fn members_of_body(&self, body: usize) -> impl Iterator<Item = u32> + '_ {
        let MatchedBody { first_block, count, .. } = self.bodies[body];
        (0..count).map(move |k| self.members[first_block + k / LANES][k % LANES])
    }

    /// Hash of the members of all bodies (64-bit FNV-1a over words), which no step changes.
    pub(crate) fn layout_hash(&self) -> u64 {
        let counts = self.bodies.iter().flat_map(|b| [b.first_block as u64, b.count as u64, b.first_row as u64]);
        let members = self.members.iter().flatten().map(|&row| u64::from(row));
        let sizes = [self.rows as u64, self.poses.len() as u64, self.blocks.len() as u64];
        let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        sizes.into_iter().chain(counts).chain(members).fold(0xcbf2_9ce4_8422_2325, mix)
    }

    /// Memory that they hold [bytes].
    pub(crate) fn bytes(&self) -> u64 {
        let lists = self.lists.as_ref().map_or(0, |l| of(&l.starts) + of(&l.slots) + of(&l.moves));
        of(&self.bodies)
            + of(&self.poses)
            + of(&self.blocks)
            + of(&self.members)
            + of(&self.pins)
            + of(&self.shares)
            + of(&self.gone)
            + lists
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    fn lay_out(&mut self, shape: &BodyDef) {
        let first_block = self.blocks.len();
        let last = shape.members[shape.members.len() - 1];
        for piece in shape.members.chunks(LANES) {
            let mut rows = [last; LANES];
            rows[..piece.len()].copy_from_slice(piece);
            self.members.push(rows);
            self.blocks.push([[0.0; LANES]; 4]);
        }
        self.bodies.push(MatchedBody {
            first_block,
            count: shape.members.len(),
            first_row: shape.members[0] as usize,
            in_run: false,
            pins: (0, 0),
            mass: 0.0,
            first: [0.0; 3],
            pivot: [0.0; 3],
            spread: IDENTITY,
            flat: IDENTITY,
            second: IDENTITY,
            stiffness: shape.stiffness,
            plastic: shape.plastic,
            alpha: shape.stiffness.per_iteration(0.0, 1),
        });
        let (center, shape) = ([0.0; 3], IDENTITY);
        self.poses.push(Pose { rotation: UPRIGHT, center, shape, stretch: IDENTITY, strain: 0.0 });
    }

    /// Finds the bodies that can be matched in place: runs, in ascending order.
    fn find_runs(&mut self, shapes: &[BodyDef]) {
        let mut uses = vec![0_u8; self.rows];
        shapes.iter().flat_map(|s| &s.members).for_each(|&row| {
            uses[row as usize] = uses[row as usize].saturating_add(1);
        });
        let mut end = 0;
        for (body, shape) in self.bodies.iter_mut().zip(shapes) {
            let members = &shape.members;
            let run = members.windows(2).all(|pair| pair[0] + 1 == pair[1]);
            body.in_run = run && body.first_row >= end && members.iter().all(|&row| uses[row as usize] == 1);
            if body.in_run {
                end = body.first_row + body.count;
            }
        }
    }
}

fn check(shapes: &[BodyDef], rest: &[RowData]) -> Result<(), ShapeError> {
    let mut seen = vec![usize::MAX; rest.len()];
    for (number, shape) in shapes.iter().enumerate() {
        if shape.members.is_empty() {
            return Err(ShapeError::Empty(number));
        }
        if !shape.stiffness.is_valid() || !shape.plastic.is_none_or(Plastic::is_valid) {
            return Err(ShapeError::Parameter(number));
        }
        for &row in &shape.members {
            let Some(last) = seen.get_mut(row as usize) else {
                return Err(ShapeError::OutOfRange { shape: number, row, rows: rest.len() });
            };
            if *last == number {
                return Err(ShapeError::Twice { shape: number, row });
            }
            *last = number;
            let r = rest[row as usize];
            if !(r.iter().all(|v| v.is_finite()) && r[3] >= 0.0) {
                return Err(ShapeError::Row(row));
            }
        }
    }
    Ok(())
}

/// Members of each row in bodies that are not runs.
fn lists(shapes: &[BodyDef], bodies: &[MatchedBody], rows: usize, blocks: usize) -> Lists {
    let listed = || shapes.iter().zip(bodies).filter(|(_, body)| !body.in_run);
    let mut starts = vec![0_u32; rows + 1];
    listed().flat_map(|(shape, _)| &shape.members).for_each(|&r| starts[r as usize + 1] += 1);
    (0..rows).for_each(|r| starts[r + 1] += starts[r]);
    let mut next = starts.clone();
    let mut slots = vec![0; starts[rows] as usize];
    for (shape, body) in listed() {
        for (k, &row) in shape.members.iter().enumerate() {
            slots[next[row as usize] as usize] = (LANES * body.first_block + k) as u32;
            next[row as usize] += 1;
        }
    }
    Lists { starts, slots, moves: vec![[[0.0; LANES]; 3]; blocks] }
}
