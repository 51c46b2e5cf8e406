//! The MP4 container of one H.264 track: index first, then all samples in one chunk.
//!
//! Reference: ISO/IEC 14496-12 (boxes) and 14496-15 (AVC in boxes).

/// One encoded frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Length in bytes.
    pub size: u32,
    /// Decoding can start here.
    pub key: bool,
}

/// What the index says about the track.
#[derive(Clone, Copy, Debug)]
pub(super) struct Track<'a> {
    pub width: u16,
    pub height: u16,
    /// Ticks per second.
    pub timescale: u32,
    /// Ticks per frame.
    pub ticks: u32,
    /// Sequence and picture parameter sets, without start codes.
    pub sps: &'a [u8],
    pub pps: &'a [u8],
    pub samples: &'a [Sample],
}

/// Everything of the file that comes before the samples' bytes.
pub(super) fn header(track: &Track) -> Vec<u8> {
    let payload: u64 = track.samples.iter().map(|s| u64::from(s.size)).sum();
    let mut out = Vec::new();
    boxed(&mut out, b"ftyp", |b| {
        b.extend(b"isom");
        put32(b, 512);
        b.extend(b"isomiso2avc1mp41");
    });
    // The index holds the file offset of the samples, which depends on the length of the index: a first pass measures
    // it. Sizes near 4 GiB take the 64-bit forms.
    let wide = payload + (1 << 24) + 64 * track.samples.len() as u64 > u64::from(u32::MAX);
    let mdat = if wide { 16 } else { 8 };
    let measured = movie(track, 0, wide).len();
    let first = (out.len() + measured + mdat) as u64;
    out.extend(movie(track, first, wide));
    if wide {
        put32(&mut out, 1);
        out.extend(b"mdat");
        put64(&mut out, payload + 16);
    } else {
        put32(&mut out, payload as u32 + 8);
        out.extend(b"mdat");
    }
    out
}

fn movie(track: &Track, first: u64, wide: bool) -> Vec<u8> {
    let ticks = u64::from(track.ticks) * track.samples.len() as u64;
    let milliseconds = (ticks * 1000).div_ceil(u64::from(track.timescale)) as u32;
    let mut out = Vec::new();
    boxed(&mut out, b"moov", |b| {
        full(b, b"mvhd", 0, |b| {
            // Times of creation and change stay 0: the same frames give the same bytes.
            put32s(b, &[0, 0, 1000, milliseconds, 0x0001_0000]);
            b.extend([0x01, 0x00]);
            b.extend([0; 10]);
            matrix(b);
            b.extend([0; 24]);
            put32(b, 2);
        });
        boxed(b, b"trak", |b| {
            // Flags 3: enabled and part of the presentation.
            full(b, b"tkhd", 3, |b| {
                put32s(b, &[0, 0, 1, 0, milliseconds]);
                b.extend([0; 16]);
                matrix(b);
                put32s(b, &[u32::from(track.width) << 16, u32::from(track.height) << 16]);
            });
            boxed(b, b"mdia", |b| {
                full(b, b"mdhd", 0, |b| {
                    put32s(b, &[0, 0, track.timescale, ticks.min(u64::from(u32::MAX)) as u32]);
                    // Language "und", packed as three 5-bit letters.
                    put32(b, 0x55C4_0000);
                });
                full(b, b"hdlr", 0, |b| {
                    put32(b, 0);
                    b.extend(b"vide");
                    b.extend([0; 12]);
                    b.extend(b"video\0");
                });
                boxed(b, b"minf", |b| {
                    full(b, b"vmhd", 1, |b| b.extend([0; 8]));
                    boxed(b, b"dinf", |b| {
                        full(b, b"dref", 0, |b| {
                            put32(b, 1);
                            // Flag 1: the samples are in this file.
                            full(b, b"url ", 1, |_| {});
                        });
                    });
                    boxed(b, b"stbl", |b| sample_table(b, track, first, wide));
                });
            });
        });
    });
    out
}

fn sample_table(b: &mut Vec<u8>, track: &Track, first: u64, wide: bool) {
    let count = track.samples.len() as u32;
    full(b, b"stsd", 0, |b| {
        put32(b, 1);
        boxed(b, b"avc1", |b| sample_entry(b, track));
    });
    full(b, b"stts", 0, |b| put32s(b, &[1, count, track.ticks]));
    full(b, b"stss", 0, |b| {
        let keys: Vec<u32> = (1..).zip(track.samples).filter(|(_, s)| s.key).map(|(i, _)| i).collect();
        put32(b, keys.len() as u32);
        put32s(b, &keys);
    });
    full(b, b"stsc", 0, |b| put32s(b, &[1, 1, count, 1]));
    full(b, b"stsz", 0, |b| {
        put32s(b, &[0, count]);
        track.samples.iter().for_each(|s| put32(b, s.size));
    });
    if wide {
        full(b, b"co64", 0, |b| {
            put32(b, 1);
            put64(b, first);
        });
    } else {
        full(b, b"stco", 0, |b| put32s(b, &[1, first as u32]));
    }
}

fn sample_entry(b: &mut Vec<u8>, track: &Track) {
    b.extend([0, 0, 0, 0, 0, 0, 0, 1]);
    b.extend([0; 16]);
    b.extend(track.width.to_be_bytes());
    b.extend(track.height.to_be_bytes());
    // 72 dpi both ways, then one frame per sample, an empty name, and 24 bits per pixel.
    put32s(b, &[0x0048_0000, 0x0048_0000, 0]);
    b.extend([0, 1]);
    b.extend([0; 32]);
    b.extend([0x00, 0x18, 0xFF, 0xFF]);
    boxed(b, b"avcC", |b| {
        // Version, then profile, compatibility and level as the stream itself states them.
        b.push(1);
        b.extend(track.sps.get(1..4).unwrap_or(&[66, 0, 31]));
        // Lengths of 4 bytes; one sequence set; one picture set.
        b.extend([0xFF, 0xE1]);
        b.extend((track.sps.len() as u16).to_be_bytes());
        b.extend(track.sps);
        b.push(1);
        b.extend((track.pps.len() as u16).to_be_bytes());
        b.extend(track.pps);
    });
    boxed(b, b"colr", |b| {
        // BT.709 primaries, curve and matrix; limited range.
        b.extend(b"nclx");
        b.extend([0, 1, 0, 1, 0, 1, 0]);
    });
}

/// A box: length, kind, body.
fn boxed(out: &mut Vec<u8>, kind: &[u8; 4], body: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    put32(out, 0);
    out.extend(kind);
    body(out);
    let length = (out.len() - start) as u32;
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
}

/// A box with version 0 and flags.
fn full(out: &mut Vec<u8>, kind: &[u8; 4], flags: u32, body: impl FnOnce(&mut Vec<u8>)) {
    boxed(out, kind, |b| {
        put32(b, flags);
        body(b);
    });
}

/// The identity transform in the container's fixed point.
fn matrix(out: &mut Vec<u8>) {
    put32s(out, &[0x0001_0000, 0, 0, 0, 0x0001_0000, 0, 0, 0, 0x4000_0000]);
}

fn put32(out: &mut Vec<u8>, value: u32) {
    out.extend(value.to_be_bytes());
}

fn put32s(out: &mut Vec<u8>, values: &[u32]) {
    values.iter().for_each(|v| put32(out, *v));
}

fn put64(out: &mut Vec<u8>, value: u64) {
    out.extend(value.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_past_four_gibibytes_use_wide_offsets() {
        let samples = vec![Sample { size: 1 << 30, key: true }; 5];
        let track = Track {
            width: 64,
            height: 64,
            timescale: 30,
            ticks: 1,
            sps: &[0x67, 66, 0, 31],
            pps: &[0x68],
            samples: &samples,
        };
        let bytes = header(&track);
        let find = |kind: &[u8]| bytes.windows(4).position(|w| w == kind);
        assert!(find(b"stco").is_none());
        let at = find(b"co64").unwrap() + 12;
        assert_eq!(u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap()), bytes.len() as u64);
        assert_eq!(bytes[bytes.len() - 8..], (16u64 + 5 * (1 << 30)).to_be_bytes());
    }
}
