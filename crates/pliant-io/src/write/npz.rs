//! NumPy archives: `.npy` arrays in a zip file without compression, one `frame_*.npz` per frame and one `shape.npz`
//! with the topology. Inactive particles stay in the arrays; `away` marks them.
//!
//! The zip writer is part of this file: stored entries take a hundred lines, a crate would be a dependency.

use super::atomic::write_atomically;
use super::format::{FrameFormat, FrameWriter};
use glam::Vec3;
use pliant::frame::{BodyFrame, Frame, Topology};
use std::io::{self, Write};

pub(super) const FORMAT: FrameFormat = FrameFormat {
    name: "npz",
    extension: "npz",
    help: "NumPy arrays",
    index_file: None,
    open: |folder, shape| {
        write_atomically(&folder.join("shape.npz"), |out| write_shape(out, shape))?;
        Ok(Box::new(NpzWriter))
    },
};

#[derive(Debug)]
struct NpzWriter;

impl FrameWriter for NpzWriter {
    fn write(&self, out: &mut dyn Write, _: &Topology, frame: &Frame) -> io::Result<()> {
        write_frame(out, frame)
    }
}

fn write_frame(out: &mut dyn Write, frame: &Frame) -> io::Result<()> {
    let mut zip = Zip::new(out);
    zip.add("positions", &npy("<f4", &[frame.positions.len(), 3], vectors(&frame.positions)))?;
    zip.add("velocities", &npy("<f4", &[frame.velocities.len(), 3], vectors(&frame.velocities)))?;
    if !frame.inactive.is_empty() {
        // Skinned vertices follow the particles and are always active.
        let away = (0..frame.positions.len()).map(|i| u8::from(frame.is_inactive(i)));
        zip.add("away", &npy("|b1", &[frame.positions.len()], away))?;
    }
    if !frame.bodies.is_empty() {
        let n = frame.bodies.len();
        let numbers = |list: Vec<f64>| list.into_iter().flat_map(f64::to_le_bytes).collect::<Vec<u8>>();
        let all = |of: fn(&BodyFrame) -> &[f64]| numbers(frame.bodies.iter().flat_map(|b| of(b).to_vec()).collect());
        zip.add("body_positions", &npy("<f8", &[n, 3], all(|b| &b.position)))?;
        zip.add("body_orientations", &npy("<f8", &[n, 4], all(|b| &b.orientation)))?;
        zip.add("body_velocities", &npy("<f8", &[n, 3], all(|b| &b.velocity)))?;
        zip.add("body_spins", &npy("<f8", &[n, 3], all(|b| &b.spin)))?;
    }
    zip.add("time", &npy("<f8", &[], frame.time.to_le_bytes()))?;
    zip.add("index", &npy("<u8", &[], frame.index.to_le_bytes()))?;
    zip.finish()
}

fn write_shape(out: &mut dyn Write, shape: &Topology) -> io::Result<()> {
    let numbers = |list: &mut dyn Iterator<Item = &u32>| list.flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let mut zip = Zip::new(out);
    let data = numbers(&mut shape.triangles.iter().flatten());
    zip.add("triangles", &npy("<u4", &[shape.triangles.len(), 3], data))?;
    zip.add("tets", &npy("<u4", &[shape.tets.len(), 4], numbers(&mut shape.tets.iter().flatten())))?;
    zip.add("lines", &npy("<u4", &[shape.lines.len(), 2], numbers(&mut shape.lines.iter().flatten())))?;
    zip.add("objects", &npy("<u4", &[shape.objects.len()], numbers(&mut shape.objects.iter())))?;
    zip.add("radii", &npy("<f4", &[shape.radii.len()], shape.radii.iter().flat_map(|r| r.to_le_bytes())))?;
    if !shape.enters.is_empty() {
        zip.add("enters", &npy("<f8", &[shape.enters.len()], shape.enters.iter().flat_map(|t| t.to_le_bytes())))?;
    }
    if !shape.body_objects.is_empty() {
        zip.add("body_objects", &npy("<u4", &[shape.body_objects.len()], numbers(&mut shape.body_objects.iter())))?;
    }
    // The strings of a NumPy array have equal length, in UTF-32, padded with zeros.
    let width = shape.object_names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(1);
    let names = shape.object_names.iter().flat_map(|name| {
        name.chars().map(u32::from).chain(std::iter::repeat(0)).take(width).flat_map(u32::to_le_bytes)
    });
    zip.add("object_names", &npy(&format!("<U{width}"), &[shape.object_names.len()], names))?;
    zip.finish()
}

fn vectors(list: &[Vec3]) -> impl Iterator<Item = u8> {
    list.iter().flat_map(|v| v.to_array()).flat_map(f32::to_le_bytes)
}

/// One array in the `.npy` format 1.0.
fn npy(dtype: &str, dimensions: &[usize], data: impl IntoIterator<Item = u8>) -> Vec<u8> {
    let shape: String = dimensions.iter().map(|d| format!("{d},")).collect();
    let mut header = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({shape}), }}");
    // Magic, version and length take 10 bytes, the line break one; the data starts at a multiple of 64 bytes.
    let padding = (64 - (header.len() + 11) % 64) % 64;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

/// A zip file of stored entries, up to 4 GiB.
struct Zip<'a> {
    out: &'a mut dyn Write,
    written: u64,
    directory: Vec<u8>,
    entries: u16,
}

impl<'a> Zip<'a> {
    fn new(out: &'a mut dyn Write) -> Self {
        Self { out, written: 0, directory: Vec::new(), entries: 0 }
    }

    fn add(&mut self, name: &str, data: &[u8]) -> io::Result<()> {
        let name = format!("{name}.npy");
        let (offset, size) = (checked_u32(self.written)?, checked_u32(data.len() as u64)?);
        // Version, flags, method (stored), then 1980-01-01 as time and date so that equal frames give equal files.
        let mut entry: Vec<u8> = Vec::new();
        for half in [20_u16, 0, 0, 0, 0x21] {
            entry.extend(half.to_le_bytes());
        }
        for word in [crc32(data), size, size] {
            entry.extend(word.to_le_bytes());
        }
        entry.extend((name.len() as u16).to_le_bytes());
        entry.extend(0_u16.to_le_bytes());

        let local = [b"PK\x03\x04", entry.as_slice(), name.as_bytes()].concat();
        self.out.write_all(&local)?;
        self.out.write_all(data)?;
        self.written += (local.len() + data.len()) as u64;

        self.directory.extend(b"PK\x01\x02\x14\x00");
        self.directory.extend(entry);
        // Comment, disk and attributes are empty.
        self.directory.extend([0; 10]);
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.entries += 1;
        Ok(())
    }

    fn finish(self) -> io::Result<()> {
        let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
        end.extend(self.entries.to_le_bytes());
        end.extend(self.entries.to_le_bytes());
        end.extend(checked_u32(self.directory.len() as u64)?.to_le_bytes());
        end.extend(checked_u32(self.written)?.to_le_bytes());
        end.extend([0; 2]);
        self.out.write_all(&self.directory)?;
        self.out.write_all(&end)
    }
}

/// Sizes in a zip file without the ZIP64 extension are 32 bits wide.
fn checked_u32(size: u64) -> io::Result<u32> {
    u32::try_from(size).map_err(|_| {
        io::Error::new(io::ErrorKind::InvalidInput, "frame is larger than the 4 GiB that an npz file can hold")
    })
}

/// CRC-32 of the zip format (reflected polynomial 0xEDB88320).
fn crc32(data: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut i = 0;
        while i < 256 {
            let (mut value, mut bit) = (i as u32, 0);
            while bit < 8 {
                value = if value & 1 == 1 { value >> 1 ^ 0xedb8_8320 } else { value >> 1 };
                bit += 1;
            }
            table[i] = value;
            i += 1;
        }
        table
    };
    !data.iter().fold(!0, |crc, &byte| crc >> 8 ^ TABLE[(crc as u8 ^ byte) as usize])
}
