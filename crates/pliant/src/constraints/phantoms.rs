//! Particle copies.

/// Copies of particles, so that more constraints on one particle can run concurrently (S12, S13).
///
/// They are rows of the state after all others and exist within the solve stage only: outputs and
/// statistics map them to the particles they represent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phantoms {
    /// Row of the first copy: the number of particles and orientations.
    pub first: usize,
    /// Particle that each copy represents.
    pub owners: Vec<u32>,
    /// Number of copies on seams between pieces, which come first; all kinds of a piece use them.
    pub seams: usize,
    /// Phantom constraints: the copies of one particle on a seam or for one kind.
    pub ties: Vec<Tie>,
}

impl Phantoms {
    /// Whether a row is a copy on a seam.
    #[inline]
    pub fn on_seam(&self, row: u32) -> bool {
        (self.first..self.first + self.seams).contains(&(row as usize))
    }

    /// Splits `owner`, a particle or a copy of one on a seam, for constraints that run concurrently. Returns the
    /// row of the first copy.
    pub(crate) fn split(&mut self, owner: u32, count: u32, inv_mass: f32) -> u32 {
        let first = (self.first + self.owners.len()) as u32;
        let particle = self.seen(owner);
        self.ties.push(Tie { owner, first, count, inv_mass });
        self.owners.extend(std::iter::repeat_n(particle, count as usize));
        first
    }

    /// The particle or orientation that a row represents.
    #[inline]
    pub fn seen(&self, row: u32) -> u32 {
        if (row as usize) < self.first { row } else { self.owners[row as usize - self.first] }
    }
}

/// One particle and its copies (D2 eq 7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tie {
    /// The particle, or its copy on a seam that is split again.
    pub owner: u32,
    /// Row of its first copy; the others follow.
    pub first: u32,
    /// Number of copies.
    pub count: u32,
    /// Inverse mass of a copy relative to the particle's: `count` if copies share its mass (E08).
    pub inv_mass: f32,
}
