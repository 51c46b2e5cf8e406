//! Bodies packed for `shape_matching.wgsl`.

use crate::runtime::gpu::program::SIZE;
use crate::runtime::gpu::shader_constants::NONE;
use crate::shape_matching::gpu::constants::{
    BODY_VECTORS, GOAL_VECTORS, LISTED_BODY, PLASTIC_BODY, RIGID_BODY, SUMS_VECTORS,
};
use crate::shape_matching::gpu::uniforms::ShapeMatchingUniforms;
use crate::shape_matching::{Extraction, MatchedBody, ShapeMatch};
use std::ops::Range;

/// Members summed by one workgroup: sixteen per thread.
pub const PIECE: usize = 4096;

/// Vectors of a body.
const BODY: usize = BODY_VECTORS as usize;

/// Numbers of a step that the tables depend on.
#[derive(Clone, Copy, Debug)]
pub struct StepSettings {
    /// Length of a substep [s].
    pub h: f32,
    /// Iterations of a substep.
    pub iterations: u32,
    /// Rotation extraction method.
    pub extraction: Extraction,
}

/// Tables of the bodies, and the passes over them.
#[derive(Clone, Debug, Default)]
pub struct ShapeMatchingTables {
    /// Packed tables.
    pub words: Vec<[u32; 4]>,
    /// Uniform record of the passes.
    pub uniforms: ShapeMatchingUniforms,
    /// Pieces of bodies.
    pub pieces: usize,
    /// Whether every body is one piece of consecutive rows.
    pub whole: bool,
    /// Whether bodies share rows, or their rows are not runs.
    pub lists: bool,
    /// Whether any body is plastic.
    pub plastic: bool,
    /// Number of vectors in `work`.
    pub work: usize,
    /// Offsets of the tables of each body.
    places: Vec<BodyPlace>,
}

/// Offsets of the tables of a body.
#[derive(Clone, Copy, Debug)]
struct BodyPlace {
    /// Index of its first member.
    member: u32,
    /// Index of its first piece.
    piece: u32,
    /// Number of pieces.
    pieces: u32,
}

/// The vectors of a body.
fn packed(settings: StepSettings, body: &MatchedBody, place: BodyPlace) -> [[u32; 4]; BODY] {
    let h = settings.h;
    let bits = |v: [f32; 3], w: u32| [v[0].to_bits(), v[1].to_bits(), v[2].to_bits(), w];
    let alpha = body.stiffness.per_iteration(h, settings.iterations);
    let (threshold, creep, most) = match body.plastic {
        Some(p) => (p.threshold, -libm::expm1f(-h * p.creep), p.most),
        None => (0.0, 0.0, 0.0),
    };
    let mut at = [[0; 4]; BODY];
    let plastic = if body.plastic.is_some() { PLASTIC_BODY } else { 0 };
    let rigid = if body.in_run && body.is_rigid() { RIGID_BODY } else { 0 };
    let listed = if body.in_run { 0 } else { LISTED_BODY };
    at[0] = [place.member, body.count as u32, body.pins.1 as u32, plastic | rigid | listed];
    at[1] = [body.mass, alpha, threshold, creep].map(f32::to_bits);
    at[2] = bits(body.first, most.to_bits());
    at[3] = bits(body.pivot, body.first_row as u32);
    at[4..7].iter_mut().zip(&body.spread).for_each(|(to, column)| *to = bits(*column, 0));
    at[7..10].iter_mut().zip(&body.flat).for_each(|(to, column)| *to = bits(*column, 0));
    at[10..13].iter_mut().zip(&body.second).for_each(|(to, column)| *to = bits(*column, 0));
    at[4][3] = place.pieces;
    at[5][3] = place.piece;
    at
}

/// Rest offset and mass of the members of a body.
fn member_vectors<'a>(shapes: &'a ShapeMatch, body: &MatchedBody) -> impl Iterator<Item = [u32; 4]> + 'a {
    let first = body.first_block;
    (0..body.count).map(move |k| [0, 1, 2, 3].map(|n| shapes.blocks[first + k / 8][n][k % 8].to_bits()))
}

/// Bodies and members that are still to come, for which there is room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShapeRoom {
    /// Bodies, of one piece each.
    pub bodies: usize,
    /// Their members.
    pub members: usize,
}

impl ShapeMatchingTables {
    /// Packs the bodies; their sums are in `work` from `first` on. Bodies that are still to come have no members.
    pub fn new(settings: StepSettings, shapes: &ShapeMatch, room: ShapeRoom, particles: usize, first: usize) -> Self {
        let mut all = Self { lists: shapes.lists.is_some(), ..Self::default() };
        let count = shapes.bodies.len() + room.bodies;
        all.words.resize(BODY * count, [0; 4]);
        let (mut members, mut pieces) = (0, Vec::new());
        for (b, body) in shapes.bodies.iter().enumerate() {
            let own = body.count.div_ceil(PIECE);
            // Evenly sized pieces: a pass takes as long as its slowest workgroup.
            let size = body.count.div_ceil(own);
            let place = BodyPlace { member: members as u32, piece: pieces.len() as u32, pieces: own as u32 };
            pieces.extend(
                (0..body.count).step_by(size).map(|k| [b as u32, k as u32, size.min(body.count - k) as u32, 0]),
            );
            all.words[BODY * b..BODY * (b + 1)].copy_from_slice(&packed(settings, body, place));
            all.places.push(place);
            members += body.count;
            all.plastic |= body.plastic.is_some();
        }
        pieces.resize(pieces.len() + room.bodies, [0; 4]);
        all.pieces = pieces.len();
        all.whole = !all.lists && all.pieces == count;
        let piece_at = all.words.len() as u32;
        all.words.extend(pieces);
        let member_at = all.words.len() as u32;
        for body in &shapes.bodies {
            all.words.extend(member_vectors(shapes, body));
        }
        all.words.resize(all.words.len() + room.members, [0; 4]);
        all.uniforms = ShapeMatchingUniforms {
            body_count: count as u32,
            pieces: piece_at,
            piece_count: all.pieces as u32,
            members: member_at,
            member_rows: NONE,
            sums: first as u32,
            extraction: settings.extraction as u32,
            ..ShapeMatchingUniforms::default()
        };
        all.work = SUMS_VECTORS as usize * all.pieces + GOAL_VECTORS as usize * count;
        if all.lists {
            all.put_lists(shapes, particles);
            all.uniforms.moves = (first + all.work) as u32;
            all.work += members;
        }
        all
    }

    /// Packs one body, after it has changed or was appended behind the others, for which there must be room. Returns which
    /// vectors have changed.
    pub fn put_body(&mut self, settings: StepSettings, shapes: &ShapeMatch, number: usize) -> [Range<usize>; 3] {
        let body = &shapes.bodies[number];
        if number == self.places.len() {
            let last = self.places.last().map_or((0, 0), |p| (p.member, p.piece + p.pieces));
            let before = number.checked_sub(1).map_or(0, |k| shapes.bodies[k].count as u32);
            self.places.push(BodyPlace { member: last.0 + before, piece: last.1, pieces: 1 });
        }
        let place = self.places[number];
        let own = BODY * number..BODY * (number + 1);
        self.words[own.clone()].copy_from_slice(&packed(settings, body, place));
        let piece = self.uniforms.pieces as usize + place.piece as usize;
        if place.pieces == 1 {
            self.words[piece] = [number as u32, 0, body.count as u32, 0];
        }
        let member = self.uniforms.members as usize + place.member as usize;
        let members = member..member + body.count;
        self.words[members.clone()].iter_mut().zip(member_vectors(shapes, body)).for_each(|(to, own)| *to = own);
        [own, piece..piece + place.pieces as usize, members]
    }

    /// Row of each member, and members of each row: here of all bodies, those that are runs included.
    fn put_lists(&mut self, shapes: &ShapeMatch, particles: usize) {
        let mut sites = Vec::new();
        for body in &shapes.bodies {
            sites.extend((0..body.count).map(|k| shapes.members[body.first_block + k / 8][k % 8]));
        }
        let mut starts = vec![0_u32; particles.max(shapes.rows) + 1];
        sites.iter().for_each(|&row| starts[row as usize + 1] += 1);
        (1..starts.len()).for_each(|row| starts[row] += starts[row - 1]);
        let (mut next, mut slots) = (starts.clone(), vec![0; sites.len()]);
        for (member, &row) in sites.iter().enumerate() {
            slots[next[row as usize] as usize] = member as u32;
            next[row as usize] += 1;
        }
        self.uniforms.member_rows = self.pack(&sites);
        self.uniforms.row_starts = self.pack(&starts);
        self.uniforms.row_members = self.pack(&slots);
    }

    /// Appends words, four per vector; returns the index of the first.
    fn pack(&mut self, words: &[u32]) -> u32 {
        let at = self.words.len() as u32;
        self.words.extend(words.chunks(4).map(|four| {
            let mut vector = [0; 4];
            vector[..four.len()].copy_from_slice(four);
            vector
        }));
        at
    }

    /// Dispatches of one matching iteration: entry points with their workgroup counts.
    pub fn passes(&self, particles: usize) -> Vec<(&'static str, usize)> {
        let bodies = self.uniforms.body_count as usize;
        if self.whole {
            return vec![("shape_whole", bodies)];
        }
        let mut passes =
            vec![("shape_sums", self.pieces), ("shape_turn", bodies.div_ceil(SIZE)), ("shape_move", self.pieces)];
        if self.lists {
            passes.push(("shape_join", particles.div_ceil(SIZE)));
        }
        passes
    }
}
