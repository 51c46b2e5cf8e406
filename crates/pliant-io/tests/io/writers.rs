//! Written frames, opened by readers that share no code with the writers.

use glam::Vec3;
use pliant::frame::{Frame, Topology};
use pliant_io::{
    CacheFormat, CacheWriter, Caps, FoamFrame, SurfaceFrame, read_triangles, write_atomically, write_foam,
    write_surface,
};
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use vtkio::model::{Attribute, CellType, DataSet, Piece, VertexNumbers};

/// A tetrahedron with its boundary, and a rope of two segments.
fn shape() -> Topology {
    Topology {
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
        tets: vec![[0, 1, 2, 3]],
        lines: vec![[4, 5], [5, 6]],
        objects: vec![0, 0, 0, 0, 1, 1, 1],
        radii: (0..7).map(|i| 0.5 + i as f32).collect(),
        object_names: vec!["body".into(), "Seil ü".into()],
        colors: vec![None, None],
        is_skinned: Vec::new(),
        enters: Vec::new(),
        body_objects: Vec::new(),
    }
}

fn frame(index: u64) -> Frame {
    let positions: Vec<Vec3> =
        (0..7).map(|i| Vec3::new(0.1 * i as f32, (i * i) as f32, -0.25 + index as f32)).collect();
    let velocities = positions.iter().map(|p| -3.0 * *p).collect();
    Frame { index, time: index as f64 / 30.0, positions, velocities, inactive: Vec::new(), bodies: Vec::new() }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn format(name: &str) -> CacheFormat {
    name.parse().unwrap()
}

/// Writes frames 0 and 1 and returns the folder.
fn write(format: CacheFormat) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("deep/cache");
    let mut writer = CacheWriter::create(&cache, format, &shape()).unwrap();
    for index in [0, 1] {
        let path = writer.write(&frame(index)).unwrap();
        assert_eq!(path, cache.join(format!("frame_0000{index}.{format}")));
    }
    writer.finish().unwrap();
    folder
}

#[test]
fn format_names_read_back() {
    for format in CacheFormat::all() {
        assert_eq!(format.to_string().parse(), Ok(format));
    }
    let error = "abc".parse::<CacheFormat>().unwrap_err().to_string();
    assert_eq!(error, "cache format \"abc\" is not one of ply, vtu, npz, obj");
}

#[test]
fn ply_and_obj_frames_read_back_exactly() {
    for format in [format("ply"), format("obj")] {
        let folder = write(format);
        let cache = folder.path().join("deep/cache");
        assert_eq!(names(&cache), [format!("frame_00000.{format}"), format!("frame_00001.{format}")]);
        let mesh = read_triangles(&cache.join(format!("frame_00001.{format}")), &Caps::default()).unwrap();
        assert_eq!(mesh.positions, frame(1).positions);
        assert_eq!(mesh.triangles, shape().triangles);
    }
    let folder = write(format("obj"));
    let text = fs::read_to_string(folder.path().join("deep/cache/frame_00000.obj")).unwrap();
    assert!(text.ends_with("\nl 5 6\nl 6 7\n"), "{text}");
}

#[test]
fn ply_frames_hold_velocities_and_ropes() {
    let folder = write(format("ply"));
    let bytes = fs::read(folder.path().join("deep/cache/frame_00001.ply")).unwrap();
    let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    let (_, rest) = bytes[end..].split_at(2 * 24);
    let floats: Vec<f32> = rest[..24].chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    let (p, v) = (frame(1).positions[2], frame(1).velocities[2]);
    assert_eq!(floats, [p.x, p.y, p.z, v.x, v.y, v.z]);
    let ropes: Vec<u32> =
        bytes[bytes.len() - 16..].chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!(ropes, [4, 5, 5, 6]);
}

#[test]
fn vtu_frames_open_in_an_independent_reader() {
    let folder = write(format("vtu"));
    let cache = folder.path().join("deep/cache");
    assert_eq!(names(&cache), ["frame_00000.vtu", "frame_00001.vtu", "frames.pvd"]);
    let vtk = vtkio::Vtk::import(cache.join("frame_00001.vtu")).unwrap();
    let DataSet::UnstructuredGrid { pieces, .. } = vtk.data else { panic!("not an unstructured grid") };
    let [Piece::Inline(piece)] = &pieces[..] else { panic!("not one piece with its data") };
    let flat = |vectors: &[Vec3]| vectors.iter().flat_map(|v| v.to_array()).collect::<Vec<f32>>();
    assert_eq!(piece.points.clone().cast_into::<f32>().unwrap(), flat(&frame(1).positions));

    let mut types = vec![CellType::Tetra];
    types.extend([CellType::Triangle; 4]);
    types.extend([CellType::Line; 2]);
    assert_eq!(piece.cells.types, types);
    let VertexNumbers::XML { connectivity, offsets } = &piece.cells.cell_verts else { panic!("not XML cells") };
    assert_eq!(offsets, &[4, 7, 10, 13, 16, 18, 20]);
    let wanted: Vec<u64> = [0, 1, 2, 3, 0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 4, 5, 5, 6].to_vec();
    assert_eq!(connectivity, &wanted);

    let data = |name: &str| {
        let found = piece.data.point.iter().find_map(|attribute| match attribute {
            Attribute::DataArray(array) if array.name == name => Some(array.data.clone()),
            _ => None,
        });
        found.unwrap_or_else(|| panic!("no point data {name}"))
    };
    assert_eq!(data("velocity").cast_into::<f32>().unwrap(), flat(&frame(1).velocities));
    assert_eq!(data("object").cast_into::<u32>().unwrap(), shape().objects);
    assert_eq!(data("radius").cast_into::<f32>().unwrap(), shape().radii);
}

#[test]
fn the_pvd_index_is_complete_after_every_frame() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = CacheWriter::create(folder.path(), format("vtu"), &shape()).unwrap();
    for index in 0..3 {
        writer.write(&frame(index)).unwrap();
        let list = fs::read_to_string(folder.path().join("frames.pvd")).unwrap();
        assert_eq!(list.matches("<DataSet ").count() as u64, index + 1);
        let last = format!("timestep=\"{}\" part=\"0\" file=\"frame_0000{index}.vtu\"/>", index as f64 / 30.0);
        assert!(list.contains(&last) && list.ends_with("</VTKFile>\n"), "{list}");
    }
}

/// Header text and data of an array in a zip archive; the reader checks the CRCs.
fn npy(path: &Path, name: &str) -> (String, Vec<u8>) {
    let mut archive = zip::ZipArchive::new(fs::File::open(path).unwrap()).unwrap();
    let mut bytes = Vec::new();
    archive.by_name(&format!("{name}.npy")).unwrap().read_to_end(&mut bytes).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!((10 + length) % 64, 0, "NumPy requires aligned data");
    let data = bytes.split_off(10 + length);
    (String::from_utf8(bytes.split_off(10)).unwrap().trim_end().to_owned(), data)
}

#[test]
fn npz_frames_open_in_an_independent_zip_reader() {
    let folder = write(format("npz"));
    let cache = folder.path().join("deep/cache");
    assert_eq!(names(&cache), ["frame_00000.npz", "frame_00001.npz", "shape.npz"]);
    let path = cache.join("frame_00001.npz");
    for (name, wanted) in [("positions", frame(1).positions), ("velocities", frame(1).velocities)] {
        let (header, data) = npy(&path, name);
        assert_eq!(header, "{'descr': '<f4', 'fortran_order': False, 'shape': (7,3,), }");
        let found: Vec<f32> = data.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
        assert_eq!(found, wanted.iter().flat_map(|v| v.to_array()).collect::<Vec<f32>>());
    }
    let (header, data) = npy(&path, "time");
    assert_eq!(header, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }");
    assert_eq!(data, frame(1).time.to_le_bytes());

    let shape_path = cache.join("shape.npz");
    for (name, columns, wanted) in [
        ("triangles", "4,3,", shape().triangles.concat()),
        ("tets", "1,4,", shape().tets.concat()),
        ("lines", "2,2,", shape().lines.concat()),
        ("objects", "7,", shape().objects),
    ] {
        let (header, data) = npy(&shape_path, name);
        assert_eq!(header, format!("{{'descr': '<u4', 'fortran_order': False, 'shape': ({columns}), }}"));
        let found: Vec<u32> = data.chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
        assert_eq!(found, wanted, "{name}");
    }
    let (header, data) = npy(&shape_path, "object_names");
    assert_eq!(header, "{'descr': '<U6', 'fortran_order': False, 'shape': (2,), }");
    let text: String =
        data.chunks(4).filter_map(|b| char::from_u32(u32::from_le_bytes(b.try_into().unwrap()))).collect();
    assert_eq!(text, "body\0\0Seil ü");
}

#[test]
fn equal_frames_give_equal_files() {
    for format in CacheFormat::all() {
        let (one, two) = (write(format), write(format));
        let (one, two) = (one.path().join("deep/cache"), two.path().join("deep/cache"));
        for name in names(&one) {
            assert_eq!(fs::read(one.join(&name)).unwrap(), fs::read(two.join(&name)).unwrap(), "{name}");
        }
    }
}

#[test]
fn a_failed_write_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    let error = write_atomically(&path, |out| {
        out.write_all(&[b'x'; 1 << 20])?;
        Err(io::Error::from(io::ErrorKind::StorageFull))
    })
    .unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert!(error.to_string().starts_with(&path.display().to_string()));
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn a_failed_or_panicking_write_keeps_the_older_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stats.csv");
    write_atomically(&path, |out| out.write_all(b"old")).unwrap();
    write_atomically(&path, |out| out.write_all(b"new").and(Err(io::Error::other("no")))).unwrap_err();
    let panicked = std::panic::catch_unwind(|| {
        let _ = write_atomically(&path, |_| panic!("on purpose"));
    });
    assert!(panicked.is_err());
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["stats.csv"]);
    write_atomically(&path, |out| out.write_all(b"new")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[cfg(target_os = "linux")]
#[test]
fn an_unwritable_folder_is_an_error_that_names_it() {
    let error = CacheWriter::create(Path::new("/proc/none"), format("ply"), &shape()).unwrap_err();
    assert!(error.to_string().starts_with("/proc/none: "), "{error}");
}

#[test]
fn mismatched_shapes_and_frames_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = shape();
    wrong.lines.push([0, 7]);
    let error = CacheWriter::create(folder.path(), format("obj"), &wrong).unwrap_err();
    assert_eq!(error.to_string(), "shape names particle 7, but has 7 particles");
    let mut writer = CacheWriter::create(folder.path(), format("obj"), &shape()).unwrap();
    let mut short = frame(3);
    short.velocities.pop();
    let error = writer.write(&short).unwrap_err();
    assert_eq!(error.to_string(), "frame 3 has 6 velocities, but 7 particles");
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn surfaces_have_normals_and_may_be_empty() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("surface.ply");
    let (positions, normals) = (frame(0).positions[..4].to_vec(), vec![Vec3::Y; 4]);
    let triangles = shape().triangles;
    let whole = SurfaceFrame { time: 0.5, positions: &positions, normals: &normals, triangles: &triangles };
    write_surface(&path, &whole).unwrap();
    let bytes = fs::read(&path).unwrap();
    let mesh = read_triangles(&path, &Caps::default()).unwrap();
    assert_eq!(mesh.positions, positions);
    assert_eq!(mesh.triangles, triangles);
    let header = String::from_utf8_lossy(&bytes);
    assert!(header.contains("comment time 0.5\n") && header.contains("property float nz\n"));
    // 24 bytes per vertex, 13 per triangle.
    let body = bytes.len() - header.find("end_header\n").unwrap() - 11;
    assert_eq!(body, 4 * 24 + 4 * 13);

    let nothing = SurfaceFrame { positions: &[], normals: &[], triangles: &[], ..whole };
    write_surface(&path, &nothing).unwrap();
    assert!(
        fs::read(&path).unwrap().ends_with(b"element face 0\nproperty list uchar int vertex_indices\nend_header\n")
    );
    for wrong in [SurfaceFrame { normals: &[], ..whole }, SurfaceFrame { triangles: &[[0, 1, 4]], ..whole }] {
        assert_eq!(write_surface(&path, &wrong).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}

#[test]
fn foam_is_points_with_velocity_age_and_kind() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("foam_00003.ply");
    let (positions, velocities) =
        (vec![Vec3::new(1.0, 2.0, 3.0), Vec3::X], vec![Vec3::new(0.0, -4.0, 0.0), Vec3::ZERO]);
    let whole =
        FoamFrame { time: 0.25, positions: &positions, velocities: &velocities, ages: &[0.5, 1.5], kinds: &[2, 0] };
    write_foam(&path, &whole).unwrap();
    let bytes = fs::read(&path).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("comment time 0.25\n") && text.contains("element vertex 2\n"), "{text}");
    assert!(text.contains("property float age\nproperty uchar kind\nend_header\n"), "{text}");
    // Seven floats and one byte per particle.
    let wanted: Vec<u8> = [([1.0, 2.0, 3.0, 0.0, -4.0, 0.0, 0.5_f32], 2_u8), ([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.5], 0)]
        .into_iter()
        .flat_map(|(numbers, kind)| numbers.into_iter().flat_map(f32::to_le_bytes).chain([kind]))
        .collect();
    assert!(bytes.ends_with(&wanted));
    let none = FoamFrame { positions: &[], velocities: &[], ages: &[], kinds: &[], ..whole };
    write_foam(&path, &none).unwrap();
    assert!(fs::read(&path).unwrap().ends_with(b"end_header\n"));
    for wrong in [FoamFrame { ages: &[], ..whole }, FoamFrame { kinds: &[1], ..whole }] {
        assert_eq!(write_foam(&path, &wrong).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}

#[test]
fn a_file_that_is_being_written_is_locked_until_it_has_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frame_00000.ply");
    write_atomically(&path, |out| {
        out.write_all(b"half")?;
        let [live] = &names(folder.path())[..] else { panic!("one temporary file") };
        assert!(pliant_io::is_temporary(live));
        let other = fs::File::options().read(true).write(true).open(folder.path().join(live))?;
        assert!(matches!(other.try_lock(), Err(fs::TryLockError::WouldBlock)));
        out.write_all(b" and half")
    })
    .unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"half and half");
    // Nothing holds the complete file.
    fs::File::open(&path).unwrap().try_lock().unwrap();
}
