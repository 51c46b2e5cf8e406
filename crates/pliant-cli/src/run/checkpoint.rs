//! Checkpoints of a run: its command line, the frame that it has reached, and a snapshot of the world, in one file that is
//! replaced atomically.

use crate::args::{Command, Pliant, RunArgs};
use crate::failure::Failure;
use clap::Parser;
use pliant::{Snapshot, World};
use pliant_io::write_atomically;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// Name of the file in the output folder.
pub const FILE: &str = "checkpoint.pliant";

/// First bytes of the file; the last digit is the version.
const MAGIC: &[u8; 8] = b"PLCHECK1";

/// Largest header [bytes].
const MOST_HEADER: u64 = 1 << 20;

/// Header of the file, before the snapshot.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Header {
    /// The command line of the run, without the name of the program.
    arguments: Vec<String>,
    /// Folder in which it was started.
    directory: PathBuf,
    /// The last frame that is written.
    frame: u64,
    /// Length of `stats.csv` then [bytes].
    stats: u64,
}

/// Writes checkpoints of a run.
pub struct Checkpoints {
    path: PathBuf,
    header: Header,
    /// Simulated time between two of them [s].
    interval: f64,
    next: f64,
}

impl Checkpoints {
    /// Of a run in `folder`, with this command line.
    pub fn new(folder: &Path, interval: f64, arguments: Vec<String>, time: f64) -> Result<Self, Failure> {
        let directory = std::env::current_dir().map_err(|e| Failure::io("cannot tell the current folder", &e))?;
        let header = Header { arguments, directory, frame: 0, stats: 0 };
        Ok(Self { path: folder.join(FILE), header, interval, next: time + interval })
    }

    /// Whether one is due at a time [s].
    pub fn is_due(&self, time: f64) -> bool {
        // Times of frames are sums of steps: a millionth of the interval is rounding.
        time >= self.next - 1e-6 * self.interval
    }

    /// Writes one, after all outputs up to `frame` are on disk.
    pub fn write(&mut self, world: &mut World, frame: u64, stats: u64) -> Result<(), Failure> {
        (self.header.frame, self.header.stats) = (frame, stats);
        let header = serde_json::to_vec(&self.header).map_err(|e| Failure::new(e.to_string()))?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend((header.len() as u64).to_le_bytes());
        bytes.extend(&header);
        bytes.extend(hash(&header).to_le_bytes());
        bytes.extend(world.snapshot()?.to_bytes());
        write_atomically(&self.path, |file| file.write_all(&bytes))?;
        self.next = world.time() + self.interval;
        Ok(())
    }
}

/// A checkpoint that was read.
pub struct Checkpoint {
    header: Header,
    snapshot: Vec<u8>,
    folder: PathBuf,
}

impl Checkpoint {
    /// Reads the checkpoint of an output folder.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(FILE);
        let help = "give the output folder of a run with --checkpoint";
        let bytes =
            fs::read(&path).map_err(|e| Failure::io(&format!("cannot read {}", path.display()), &e).help(help))?;
        let folder =
            fs::canonicalize(folder).map_err(|e| Failure::io(&format!("cannot open {}", folder.display()), &e))?;
        let damaged =
            || Failure::new(format!("{} is damaged, or no checkpoint of this version", path.display())).help(help);
        let (header, snapshot) = split(&bytes).ok_or_else(damaged)?;
        let header = serde_json::from_slice(header).map_err(|_| damaged())?;
        Ok(Self { header, snapshot: snapshot.to_vec(), folder })
    }

    /// The options of the run, with the folder and the end that `now` asks for. Relative paths are those of the run.
    pub fn options(&self, now: &RunArgs) -> Result<RunArgs, Failure> {
        let from = &self.header.directory;
        std::env::set_current_dir(from)
            .map_err(|e| Failure::io(&format!("cannot enter {}, where the run was started", from.display()), &e))?;
        let line = std::iter::once("pliant".to_owned()).chain(self.header.arguments.iter().cloned());
        let command = Pliant::try_parse_from(line).map_err(|e| Failure::new(format!("its command line: {e}")))?.command;
        let mut args = match command {
            Some(Command::Run(args)) => args,
            None => RunArgs::default(),
            _ => return Err(Failure::new("the checkpoint is not of a run")),
        };
        args.out = Some(self.folder.clone());
        if now.frames.is_some() || now.seconds.is_some() {
            (args.frames, args.seconds) = (now.frames, now.seconds);
        }
        args.quiet |= now.quiet;
        args.json |= now.json;
        Ok(args)
    }

    /// The command line of the run.
    pub fn arguments(&self) -> Vec<String> {
        self.header.arguments.clone()
    }

    /// The last frame that is written.
    pub fn frame(&self) -> u64 {
        self.header.frame
    }

    /// Length of `stats.csv` then [bytes].
    pub fn stats(&self) -> u64 {
        self.header.stats
    }

    /// Brings a world, built from the same scene, to where the run was.
    pub fn restore(&self, world: &mut World) -> Result<(), Failure> {
        let changed = |e: pliant::SnapshotError| {
            Failure::new(format!("the run cannot go on: {e}"))
                .help("the scene, its meshes, the options and the backend must be those of the run")
        };
        let snapshot: Snapshot = world.snapshot_from_bytes(&self.snapshot).map_err(changed)?;
        world.restore(&snapshot).map_err(changed)
    }
}

/// Header and snapshot of a checkpoint's bytes, unless they are damaged.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
    let length = u64::from_le_bytes(*length);
    if length > MOST_HEADER || length + 8 > rest.len() as u64 {
        return None;
    }
    let (header, rest) = rest.split_at(length as usize);
    let (sum, snapshot) = rest.split_first_chunk::<8>()?;
    (u64::from_le_bytes(*sum) == hash(header)).then_some((header, snapshot))
}

/// The snapshot in the bytes of a checkpoint; other bytes as they are.
#[cfg(feature = "view")]
pub fn snapshot_in(bytes: &[u8]) -> &[u8] {
    split(bytes).map_or(bytes, |(_, snapshot)| snapshot)
}

/// 64-bit FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &b| (hash ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}
