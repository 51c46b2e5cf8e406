//! Binary encoding of snapshots: little-endian numbers and counted lists.
//!
//! Readers trust nothing: every length is compared with what the world expects, or with the bytes that are left.

/// Why bytes are no snapshot of this world.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SnapshotError {
    /// Another kind of file.
    #[error("these are not the bytes of a snapshot")]
    NotASnapshot,
    /// Another version of the format.
    #[error("the snapshot has format {found}, but this version of Pliant reads format {expected}")]
    Version {
        /// Format of the snapshot.
        found: u32,
        /// Format that is read.
        expected: u32,
    },
    /// The bytes end too early, are too many, or do not have their checksum.
    #[error("the snapshot is damaged: {0}")]
    Damaged(String),
    /// It was made of another world.
    #[error("the snapshot is of another world: {0}")]
    Foreign(String),
}

/// A number of fixed size.
pub(crate) trait Number: Copy {
    fn put(self, to: &mut Vec<u8>);
    fn take(from: &mut Reader<'_>) -> Result<Self, SnapshotError>;
}

macro_rules! numbers {
    ($($number:ty),+) => {$(
        impl Number for $number {
            fn put(self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }
            fn take(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
                Ok(Self::from_le_bytes(from.bytes()?))
            }
        }
    )+};
}
numbers!(u8, u32, u64, f32, f64);

impl Number for bool {
    fn put(self, to: &mut Vec<u8>) {
        to.push(u8::from(self));
    }
    fn take(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        match u8::take(from)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(SnapshotError::Damaged(format!("{other} stands where 0 or 1 is expected"))),
        }
    }
}

impl<T: Number, const N: usize> Number for [T; N] {
    fn put(self, to: &mut Vec<u8>) {
        self.into_iter().for_each(|number| number.put(to));
    }
    fn take(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let mut all = [None; N];
        for number in &mut all {
            *number = Some(T::take(from)?);
        }
        // Every element was just set.
        Ok(all.map(|number| number.unwrap_or_else(|| unreachable!())))
    }
}

/// Appends numbers.
#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn put(&mut self, number: impl Number) {
        number.put(&mut self.bytes);
    }

    /// The length, then the numbers.
    pub(crate) fn list<T: Number>(&mut self, list: &[T]) {
        self.put(list.len() as u64);
        self.bytes.reserve(size_of_val(list));
        list.iter().for_each(|&number| number.put(&mut self.bytes));
    }
}

/// Takes numbers in the order in which they were written.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], SnapshotError> {
        let Some((first, rest)) = self.rest.split_first_chunk::<N>() else {
            return Err(SnapshotError::Damaged("it ends too early".into()));
        };
        self.rest = rest;
        Ok(*first)
    }

    pub(crate) fn take<T: Number>(&mut self) -> Result<T, SnapshotError> {
        T::take(self)
    }

    /// A list of at most `most` numbers.
    pub(crate) fn list<T: Number>(&mut self, what: &str, most: usize) -> Result<Vec<T>, SnapshotError> {
        let count = self.take::<u64>()?;
        if count > most as u64 {
            return Err(SnapshotError::Foreign(format!("it has {count} {what}, and at most {most} are possible")));
        }
        // Each takes a byte or more, so that a false count allocates no more than the file has.
        if count > self.rest.len() as u64 {
            return Err(SnapshotError::Damaged("it ends too early".into()));
        }
        (0..count).map(|_| self.take()).collect()
    }

    /// Overwrites a list by one of the same length.
    pub(crate) fn fill<T: Number>(&mut self, what: &str, list: &mut [T]) -> Result<(), SnapshotError> {
        let count = self.take::<u64>()?;
        if count != list.len() as u64 {
            return Err(SnapshotError::Foreign(format!("it has {count} {what}, but this world has {}", list.len())));
        }
        for number in list {
            *number = self.take()?;
        }
        Ok(())
    }

    /// Fails if anything is left.
    pub(crate) fn end(self) -> Result<(), SnapshotError> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(SnapshotError::Damaged(format!("{left} bytes follow its end"))),
        }
    }
}

/// 64-bit FNV-1a hash over words of eight bytes, the last one padded with zeros.
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let (words, tail) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..tail.len()].copy_from_slice(tail);
    let all = words.iter().chain(std::iter::once(&last)).map(|word| u64::from_le_bytes(*word));
    all.chain(std::iter::once(bytes.len() as u64)).fold(FNV, hash_word)
}

/// Start of a hash.
pub(crate) const FNV: u64 = 0xcbf2_9ce4_8422_2325;

/// Adds a word to a hash. The rotation spreads the high bits, which the multiplication moves only upward.
pub(crate) fn hash_word(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
}
