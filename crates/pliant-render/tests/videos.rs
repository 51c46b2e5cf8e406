//! Video files, read back by decoders that share no code with the writers.

use std::path::Path;

use glam::Vec3;
use openh264::decoder::Decoder;
use openh264::formats::YUVSource;
use pliant_render::{
    Camera, GifWriter, GroundDraw, Image, Mp4Writer, PALETTE, Picture, Renderer, SphereDraw, VideoError,
};

const SIZE: [u32; 2] = [320, 180];

/// A ball that moves to the right.
fn frame(index: usize) -> Image {
    let mut picture = Picture::new(Camera::look_at(Vec3::new(0.0, 2.0, 5.0), Vec3::Y * 0.5));
    picture.ground = Some(GroundDraw::default());
    let center = Vec3::new(index as f32 * 0.1 - 0.5, 0.5, 0.0);
    picture.spheres.push(SphereDraw { center, radius: 0.5, color: PALETTE[index % 2] });
    Renderer::new(SIZE[0], SIZE[1]).unwrap().render(&picture)
}

fn write_mp4(path: &Path, frames: usize) {
    let mut video = Mp4Writer::create(path, SIZE[0], SIZE[1], 30.0).unwrap();
    (0..frames).for_each(|i| video.push(&frame(i)).unwrap());
    video.finish().unwrap();
}

fn number(bytes: &[u8], at: usize) -> usize {
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

/// Kinds and bodies of the boxes in `bytes`, which they must fill exactly.
fn boxes(mut bytes: &[u8]) -> Vec<(String, &[u8])> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let length = number(bytes, 0);
        assert!(length >= 8 && length <= bytes.len(), "box of {length} in {} bytes", bytes.len());
        found.push((String::from_utf8(bytes[4..8].to_vec()).unwrap(), &bytes[8..length]));
        bytes = &bytes[length..];
    }
    found
}

/// Body of the box at the end of a path of kinds.
fn inside<'a>(bytes: &'a [u8], path: &[&str]) -> &'a [u8] {
    path.iter().fold(bytes, |body, kind| {
        boxes(body).into_iter().find(|(k, _)| k == kind).unwrap_or_else(|| panic!("no {kind}")).1
    })
}

/// Samples of the only track, cut out of the file by its own index.
fn samples(file: &[u8]) -> Vec<&[u8]> {
    let table = inside(file, &["moov", "trak", "mdia", "minf", "stbl"]);
    let mut at = number(inside(table, &["stco"]), 8);
    let sizes = inside(table, &["stsz"]);
    (0..number(sizes, 8))
        .map(|i| {
            let start = at;
            at += number(sizes, 12 + 4 * i);
            &file[start..at]
        })
        .collect()
}

#[test]
fn an_mp4_has_its_index_first_and_every_frame_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ball.mp4");
    write_mp4(&path, 7);
    let file = std::fs::read(&path).unwrap();
    let order: Vec<String> = boxes(&file).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(order, ["ftyp", "moov", "mdat"]);
    let track = inside(&file, &["moov", "trak"]);
    // 30 frames/s as 30,000 ticks/s with 1000 ticks per frame; 7 frames last 7000 ticks.
    let times = inside(track, &["mdia", "mdhd"]);
    assert_eq!((number(times, 12), number(times, 16)), (30_000, 7000));
    let table = inside(track, &["mdia", "minf", "stbl"]);
    let deltas = inside(table, &["stts"]);
    assert_eq!([4, 8, 12].map(|at| number(deltas, at)), [1, 7, 1000]);
    assert_eq!(number(inside(table, &["stss"]), 8), 1, "the first frame must be a key frame");
    let header = inside(track, &["tkhd"]);
    assert_eq!((number(header, 76) >> 16, number(header, 80) >> 16), (320, 180));
    let samples = samples(&file);
    assert_eq!(samples.len(), 7);
    assert_eq!(samples.iter().map(|s| s.len()).sum::<usize>(), inside(&file, &["mdat"]).len());
    for sample in samples {
        let mut rest = sample;
        while !rest.is_empty() {
            rest = &rest[4 + number(rest, 0)..];
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file may stay");
}

#[test]
fn the_first_frame_of_an_mp4_decodes_to_what_was_pushed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ball.mp4");
    write_mp4(&path, 1);
    let file = std::fs::read(&path).unwrap();
    let entry = inside(&file, &["moov", "trak", "mdia", "minf", "stbl", "stsd"]);
    // Past version, flags, count, the box header of avc1 and its fixed 78 bytes.
    let config = inside(&entry[8 + 8 + 78..], &["avcC"]);
    let sps = 8 + u16::from_be_bytes([config[6], config[7]]) as usize;
    let pps = sps + 3 + u16::from_be_bytes([config[sps + 1], config[sps + 2]]) as usize;
    let mut stream = [&[0, 0, 0, 1], &config[8..sps], &[0, 0, 0, 1], &config[sps + 3..pps]].concat();
    let sample = samples(&file)[0];
    stream.extend([&[0, 0, 0, 1], &sample[4..]].concat());
    let mut decoder = Decoder::new().unwrap();
    let picture = decoder.decode(&stream).unwrap().expect("one frame");
    assert_eq!(picture.dimensions(), (320, 180));

    // Inverse of BT.709 limited range; chroma is held over each 2×2 block.
    let (stride_y, stride_u, _) = picture.strides();
    let source = frame(0);
    let mut error = 0f64;
    for y in 0..180 {
        for x in 0..320 {
            let luma = 255.0 / 219.0 * (f64::from(picture.y()[y * stride_y + x]) - 16.0);
            let at = y / 2 * stride_u + x / 2;
            let [u, v] = [picture.u()[at], picture.v()[at]].map(|c| (f64::from(c) - 128.0) * 255.0 / 224.0);
            let rgb = [luma + 1.5748 * v, luma - 0.1873 * u - 0.4681 * v, luma + 1.8556 * u];
            for (value, byte) in rgb.iter().zip(source.pixel(x as u32, y as u32)) {
                error += (value.clamp(0.0, 255.0) - f64::from(byte)).powi(2);
            }
        }
    }
    let psnr = 10.0 * (255f64.powi(2) / (error / (320.0 * 180.0 * 3.0))).log10();
    assert!(psnr > 30.0, "PSNR is {psnr:.1} dB");
}

#[test]
fn invalid_sizes_rates_and_frames_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.mp4");
    assert!(matches!(Mp4Writer::create(&path, 321, 180, 30.0), Err(VideoError::Size { width: 321, .. })));
    assert!(matches!(Mp4Writer::create(&path, 320, 180, 0.0), Err(VideoError::FrameRate { .. })));
    assert!(matches!(Mp4Writer::create(&path, 320, 180, f64::NAN), Err(VideoError::FrameRate { .. })));
    let mut video = Mp4Writer::create(&path, 320, 180, 30.0).unwrap();
    assert!(matches!(video.push(&Image::new(64, 64)), Err(VideoError::FrameSize { index: 0, width: 64, .. })));
    assert!(matches!(video.finish(), Err(VideoError::NoFrames { .. })));
    let gif = GifWriter::create(folder.path().join("x.gif"), 320, 180, 30.0).unwrap();
    assert!(matches!(gif.finish(), Err(VideoError::NoFrames { .. })));
    drop(Mp4Writer::create(&path, 320, 180, 30.0).unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "failed videos leave nothing behind");
    assert!(matches!(Mp4Writer::create(folder.path().join("no/x.mp4"), 320, 180, 30.0), Err(VideoError::Io { .. })));
}

#[test]
fn a_gif_reads_back_with_its_size_time_and_colors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ball.gif");
    let mut video = GifWriter::create_with_width(&path, SIZE[0], SIZE[1], 60.0, 160).unwrap();
    let frames: Vec<Image> = (0..6).map(frame).collect();
    frames.iter().for_each(|f| video.push(f).unwrap());
    video.finish().unwrap();
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut reader = options.read_info(std::fs::File::open(&path).unwrap()).unwrap();
    assert_eq!((reader.width(), reader.height()), (160, 90));
    let (mut count, mut hundredths) = (0, 0);
    while let Some(shown) = reader.read_next_frame().unwrap() {
        let expected = frames[2 * count].resized(160, 90);
        let pairs = shown.buffer.chunks(4).zip(expected.pixels.chunks(3));
        let error: u32 = pairs.flat_map(|(a, b)| (0..3).map(|i| u32::from(a[i].abs_diff(b[i])))).sum();
        // 256 colors for a picture of few hues: 6 steps of 255 on average is already visible banding.
        assert!(error < 6 * 3 * 160 * 90, "frame {count} is off by {error}");
        (count, hundredths) = (count + 1, hundredths + u32::from(shown.delay));
    }
    // 60 frames/s are shown as 30: half of the frames, 6/60 s in all.
    assert_eq!((count, hundredths), (3, 10));
}
