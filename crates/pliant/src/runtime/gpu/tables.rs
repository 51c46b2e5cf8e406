//! Flat arrays that shaders look up. Each phenomenon appends its tables and keeps the offsets where they start.

/// A vector of a table.
pub type Vector = [u32; 4];

/// The contents of the read-only buffers, and the sizes of the others.
#[derive(Clone, Debug, Default)]
pub struct TableArena {
    /// Buffer `topology`.
    pub topology: Vec<u32>,
    /// Buffer `params`.
    pub params: Vec<f32>,
    /// The part of buffer `constants` that is the same in all substeps.
    pub constants: Vec<Vector>,
    /// Numbers in buffer `lambda`.
    pub lambda: usize,
    /// Vectors in buffer `work`.
    pub work: usize,
    /// Words in buffer `flags`.
    pub flags: usize,
    /// Vectors in buffer `motion`.
    pub motion: usize,
}

impl TableArena {
    /// Appends words to `topology`; returns the offset of the first.
    pub fn put_topology(&mut self, words: impl IntoIterator<Item = u32>) -> u32 {
        let at = self.topology.len() as u32;
        self.topology.extend(words);
        at
    }

    /// Appends numbers to `params`; returns the offset of the first.
    pub fn put_params(&mut self, numbers: impl IntoIterator<Item = f32>) -> u32 {
        let at = self.params.len() as u32;
        self.params.extend(numbers);
        at
    }

    /// Appends vectors to `constants`; returns the offset of the first.
    pub fn put_constants(&mut self, vectors: impl IntoIterator<Item = Vector>) -> u32 {
        let at = self.constants.len() as u32;
        self.constants.extend(vectors);
        at
    }

    /// Reserves numbers of `lambda`; returns the offset of the first.
    pub fn reserve_lambda(&mut self, count: usize) -> u32 {
        reserve(&mut self.lambda, count)
    }

    /// Reserves vectors of `work`; returns the offset of the first.
    pub fn reserve_work(&mut self, count: usize) -> u32 {
        reserve(&mut self.work, count)
    }

    /// Reserves words of `flags`; returns the offset of the first.
    pub fn reserve_flags(&mut self, count: usize) -> u32 {
        reserve(&mut self.flags, count)
    }

    /// Reserves vectors of `motion`; returns the offset of the first.
    pub fn reserve_motion(&mut self, count: usize) -> u32 {
        reserve(&mut self.motion, count)
    }
}

fn reserve(size: &mut usize, count: usize) -> u32 {
    let at = *size as u32;
    *size += count;
    at
}
