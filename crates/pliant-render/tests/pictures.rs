//! Pictures of the software renderer against numbers derived from the scene.

use std::f32::consts::PI;

use glam::{Quat, Vec3};
use pliant_render::{
    Camera, Color, EdgeLines, GroundDraw, Image, LiquidDraw, MeshColor, MeshDraw, PALETTE, Picture, Renderer, Sky,
    SolidDraw, SphereDraw, TubeDraw,
};

const RED: Color = Color::srgb8(255, 0, 0);
const BLUE: Color = Color::srgb8(0, 0, 255);

/// A picture on a black background, so that every other pixel was drawn.
fn on_black<'a>(camera: Camera) -> Picture<'a> {
    let black = Color(Vec3::ZERO);
    Picture { sky: Sky { horizon: black, zenith: black }, ..Picture::new(camera) }
}

fn draw(picture: &Picture, width: u32, height: u32) -> Image {
    Renderer::new(width, height).unwrap().render(picture)
}

fn covered(image: &Image) -> usize {
    image.pixels.chunks(3).filter(|p| p.iter().any(|v| *v > 0)).count()
}

fn camera() -> Camera {
    Camera::look_at(Vec3::new(0.0, 0.0, 5.0), Vec3::ZERO)
}

/// A square of side 2·half at height z, facing +z.
fn square(half: f32, z: f32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let corners = [(-half, -half), (half, -half), (half, half), (-half, half)];
    (corners.map(|(x, y)| Vec3::new(x, y, z)).to_vec(), vec![[0, 1, 2], [0, 2, 3]])
}

#[test]
fn a_sphere_covers_the_area_its_projection_predicts() {
    // On the axis the outline is a circle of radius f·r/√(d² − r²) with f = 120/tan(17.5°) = 380.6 px:
    // 380.6/√24 = 77.69 px, area 18961 px². Pixels touched by any sample add about a third of a pixel
    // around the outline, 2π·77.7·0.35 = 171 px².
    let mut picture = on_black(camera());
    picture.spheres.push(SphereDraw { center: Vec3::ZERO, radius: 1.0, color: RED });
    let area = covered(&draw(&picture, 320, 240)) as f32;
    let focal = 120.0 / 17.5f32.to_radians().tan();
    let radius = focal / 24f32.sqrt();
    let expected = PI * radius * radius + 2.0 * PI * radius * 0.35;
    assert!((area / expected - 1.0).abs() < 0.01, "{area} px against {expected} px");
}

#[test]
fn a_square_covers_the_area_its_projection_predicts() {
    // Side f·2/5 = 152.2 px; samples reach half a pixel past the outline at most.
    let (points, triangles) = square(1.0, 0.0);
    let mut picture = on_black(camera());
    picture.meshes.push(MeshDraw::new(&points, &triangles, RED));
    let side = (covered(&draw(&picture, 320, 240)) as f32).sqrt();
    let expected = 120.0 / 17.5f32.to_radians().tan() * 0.4;
    assert!((side - expected).abs() < 1.0, "{side} px against {expected} px");
}

#[test]
fn nearer_surfaces_hide_farther_ones_in_any_order() {
    let (near, triangles) = square(0.5, 1.0);
    let (far, _) = square(0.5, -1.0);
    for order in [[0, 1], [1, 0]] {
        let mut picture = on_black(camera());
        for i in order {
            let (points, color) = [(&near, RED), (&far, BLUE)][i];
            picture.meshes.push(MeshDraw::new(points, &triangles, color));
        }
        let [r, _, b] = draw(&picture, 64, 48).pixel(32, 24);
        assert!(r > 2 * b, "order {order:?} shows ({r}, {b})");
    }
}

#[test]
fn spheres_and_triangles_share_one_depth() {
    // The square cuts the sphere in half: outside it nothing changes, at its middle the sphere is in front.
    let (points, triangles) = square(2.0, 0.0);
    let mut picture = on_black(camera());
    picture.meshes.push(MeshDraw::new(&points, &triangles, BLUE));
    picture.spheres.push(SphereDraw { center: Vec3::ZERO, radius: 0.4, color: RED });
    let image = draw(&picture, 64, 48);
    assert!(image.pixel(32, 24)[0] > image.pixel(32, 24)[2]);
    assert!(image.pixel(50, 24)[0] < image.pixel(50, 24)[2]);
}

#[test]
fn a_closed_mesh_has_no_holes() {
    // A strip of many thin triangles in front of black: inside the outline every pixel is drawn fully.
    let columns = 97u32;
    let at = |i: u32, y: f32| Vec3::new(-1.0 + 2.0 * i as f32 / columns as f32, y, 0.3 * (i as f32).sin() * 0.1);
    let points: Vec<Vec3> = (0..=columns).flat_map(|i| [at(i, -1.0), at(i, 1.0)]).collect();
    let triangles: Vec<[u32; 3]> =
        (0..columns).flat_map(|i| [[2 * i, 2 * i + 2, 2 * i + 1], [2 * i + 1, 2 * i + 2, 2 * i + 3]]).collect();
    let mut picture = on_black(camera());
    picture.meshes.push(MeshDraw::new(&points, &triangles, RED));
    let image = draw(&picture, 320, 240);
    for y in 60..180 {
        for x in 95..225 {
            // One missing sample of four would drop the byte by an eighth of its range at least.
            assert!(image.pixel(x, y)[0] > 100, "hole at ({x}, {y}): {:?}", image.pixel(x, y));
        }
    }
}

#[test]
fn a_triangle_through_the_camera_plane_is_clipped() {
    // A floor strip 2 m wide, 1 m below the eye, from far ahead to far behind. It must cover exactly the
    // pixels whose rays hit it: |x| ≤ 1 where the ray meets y = −1.
    let points = [(-1.0, 50.0), (1.0, 50.0), (1.0, -50.0), (-1.0, -50.0)].map(|(x, z)| Vec3::new(x, -1.0, z));
    let camera = Camera { near: 0.01, ..Camera::look_at(Vec3::ZERO, Vec3::NEG_Z) };
    let mut picture = on_black(camera);
    picture.meshes.push(MeshDraw::cloth(&points, &[[0, 1, 2], [0, 2, 3]], RED));
    let image = draw(&picture, 200, 200);
    let focal = 100.0 / 17.5f32.to_radians().tan();
    let mut wrong = 0;
    for y in 0..200 {
        for x in 0..200 {
            let (across, down) = ((x as f32 - 99.5) / focal, (y as f32 - 99.5) / focal);
            let hits = down > 1.0 / 50.0 && (across / down).abs() <= 1.0;
            wrong += usize::from(hits != (image.pixel(x, y)[0] > 60));
        }
    }
    // Only pixels on the outline, of about 2·100·√2 + 10 pixels, may differ.
    assert!(wrong < 250, "{wrong} pixels differ");
    assert!(covered(&image) > 5000);
}

#[test]
fn triangles_with_nan_or_infinite_vertices_are_skipped() {
    let (mut points, mut triangles) = square(1.0, 0.0);
    let mut picture = on_black(camera());
    picture.meshes.push(MeshDraw::new(&points, &triangles, RED));
    let clean = draw(&picture, 160, 120);
    points.extend([Vec3::NAN, Vec3::new(f32::INFINITY, 0.0, 0.0), Vec3::splat(f32::MAX)]);
    triangles.extend([[0, 1, 4], [5, 1, 2], [0, 6, 2], [0, 1, 99]]);
    let broken = [Vec3::ZERO, Vec3::NAN, Vec3::X];
    let mut picture = on_black(camera());
    picture.meshes.push(MeshDraw::new(&points, &triangles, RED));
    picture.spheres.push(SphereDraw { center: Vec3::NAN, radius: 1.0, color: RED });
    picture.spheres.push(SphereDraw { center: Vec3::ZERO, radius: f32::NAN, color: RED });
    picture.tubes.push(TubeDraw { points: &broken, radius: 0.1, color: RED });
    picture.solids.push(SolidDraw::Capsule { a: Vec3::NAN, b: Vec3::ONE, radius: 0.1, color: RED });
    assert!(draw(&picture, 160, 120) == clean);
}

#[test]
fn the_same_picture_has_the_same_bytes_for_any_thread_count() {
    let points: Vec<Vec3> = (0..41 * 41)
        .map(|i| (i % 41, i / 41))
        .map(|(i, j)| Vec3::new(i as f32 * 0.05 - 1.0, 0.6 + 0.1 * (i as f32 * 0.4).sin(), j as f32 * 0.05 - 1.0))
        .collect();
    let triangles: Vec<[u32; 3]> = (0..40 * 40)
        .map(|k| k % 40 + k / 40 * 41)
        .flat_map(|k| [[k, k + 41, k + 1], [k + 1, k + 41, k + 42]])
        .collect();
    let rope: Vec<Vec3> = (0..9).map(|i| Vec3::new(i as f32 * 0.2 - 0.8, 0.1, (i as f32).cos())).collect();
    let mut picture = Picture::new(Camera::frame_bounds(Vec3::new(-1.0, 0.0, -1.0), Vec3::ONE, 1.5));
    picture.ground = Some(GroundDraw::default());
    picture.meshes.push(MeshDraw::cloth(&points, &triangles, PALETTE[0]));
    picture.tubes.push(TubeDraw { points: &rope, radius: 0.05, color: PALETTE[1] });
    for i in 0..50 {
        let center = Vec3::new((i % 7) as f32 * 0.3 - 1.0, 0.1, (i / 7) as f32 * 0.3 - 1.0);
        picture.spheres.push(SphereDraw { center, radius: 0.08, color: PALETTE[i % 8] });
    }
    let (positions, normals, triangles) = slab(0.7, -0.5, 0.9);
    let liquid = LiquidDraw {
        positions: &positions,
        normals: &normals,
        triangles: &triangles,
        color: BLUE,
        attenuation_distance: 1.0,
    };
    picture.liquids.push(liquid);
    let images: Vec<Image> = [1, 2, 5]
        .map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap())
        .map(|pool| pool.install(|| draw(&picture, 300, 200)))
        .to_vec();
    assert!(images[0] == images[1] && images[0] == images[2]);
}

#[test]
fn objects_above_the_ground_cast_shadows_on_it() {
    let camera = Camera::look_at(Vec3::new(0.0, 6.0, 4.0), Vec3::ZERO);
    let mut picture = Picture::new(camera);
    picture.light.to_sun = Vec3::Y;
    picture.ground = Some(GroundDraw { color: PALETTE[1], alternate: PALETTE[1], ..GroundDraw::default() });
    let open = draw(&picture, 160, 120);
    picture.solids.push(SolidDraw::Box {
        center: Vec3::new(0.0, 3.0, 0.0),
        half: Vec3::new(0.3, 0.01, 0.3),
        rotation: Quat::IDENTITY,
        color: PALETTE[0],
    });
    let shaded = draw(&picture, 160, 120);
    // Straight below the box, at the origin, the sun is gone; at the border nothing changes.
    let sum = |image: &Image, x, y| image.pixel(x, y).iter().map(|v| u32::from(*v)).sum::<u32>();
    assert!(sum(&shaded, 80, 60) * 10 < sum(&open, 80, 60) * 8);
    assert_eq!(shaded.pixel(5, 110), open.pixel(5, 110));
}

#[test]
fn convex_bodies_have_no_self_shadow() {
    // With the sun behind the camera the whole visible side of a sphere is lit: brightness falls from
    // the middle outward without dark spots.
    let mut picture = on_black(camera());
    picture.light.to_sun = Vec3::Z;
    picture.spheres.push(SphereDraw { center: Vec3::ZERO, radius: 1.0, color: RED });
    let image = draw(&picture, 320, 240);
    let row: Vec<u8> = (160..235).map(|x| image.pixel(x, 120)[0]).collect();
    assert!(row.windows(2).all(|w| w[1] <= w[0] + 1), "{row:?}");
}

#[test]
fn objects_of_one_mesh_take_their_palette_colors_and_edges_are_drawn() {
    let (mut points, mut triangles) = square(0.5, 0.0);
    points.iter_mut().for_each(|p| p.x -= 0.6);
    let (right, more) = square(0.5, 0.0);
    points.extend(right.iter().map(|p| *p + Vec3::X * 0.6));
    triangles.extend(more.iter().map(|t| t.map(|v| v + 4)));
    let objects = [0, 0, 0, 0, 1, 1, 1, 1];
    let mut picture = on_black(camera());
    let color = MeshColor::PerObject { objects: &objects, palette: &[RED, BLUE] };
    picture.meshes.push(MeshDraw { color, ..MeshDraw::new(&points, &triangles, RED) });
    let image = draw(&picture, 320, 240);
    let (left, right) = (image.pixel(110, 115), image.pixel(200, 115));
    assert!(left[0] > left[2] && right[2] > right[0], "{left:?} {right:?}");
    // The diagonal passes through the middle of the left square, 0.6·380.6/5 = 45.7 px from the center.
    picture.meshes[0].edges = Some(EdgeLines { color: Color(Vec3::ZERO), width: 3.0 });
    let lined = draw(&picture, 320, 240);
    assert!(lined.pixel(114, 120)[0] + 60 < image.pixel(114, 120)[0]);
}

#[test]
fn invalid_sizes_are_errors() {
    assert!(Renderer::new(0, 10).is_err());
    assert!(Renderer::new(10, 5000).is_err());
    assert_eq!(draw(&Picture::new(camera()), 1, 1).pixels.len(), 3);
}

/// The closed surface of a box around the z axis from `back` to `front`, with normals.
fn slab(half: f32, back: f32, front: f32) -> (Vec<Vec3>, Vec<Vec3>, Vec<[u32; 3]>) {
    let corner = |i: u32| {
        let side = |bit: u32| if i >> bit & 1 == 0 { -half } else { half };
        Vec3::new(side(0), side(1), if i < 4 { back } else { front })
    };
    let positions: Vec<Vec3> = (0..8).map(corner).collect();
    // Front normals face the camera, so that the front is shaded as a plane.
    let normals = (0..8).map(|i| if i < 4 { Vec3::NEG_Z } else { Vec3::Z }).collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    (positions, normals, triangles)
}

/// Red and blue in the middle of a picture of a red square behind `deep` meters of blue liquid.
fn center_color_through(deep: f32, square_z: f32) -> [i32; 2] {
    let (points, triangles) = square(3.0, square_z);
    let (positions, normals, faces) = slab(1.0, -deep, 0.0);
    let mut picture = on_black(camera());
    picture.meshes.push(MeshDraw::new(&points, &triangles, RED));
    let liquid = LiquidDraw {
        positions: &positions,
        normals: &normals,
        triangles: &faces,
        color: BLUE,
        attenuation_distance: 0.5,
    };
    picture.liquids.push(liquid);
    let image = draw(&picture, 65, 65);
    let middle = &image.pixels[(32 * 65 + 32) * 3..][..3];
    [i32::from(middle[0]), i32::from(middle[2])]
}

#[test]
fn absorption_grows_with_the_thickness_of_the_liquid() {
    let seen: Vec<[i32; 2]> = [0.05, 0.25, 1.0, 4.0].map(|deep| center_color_through(deep, -5.0)).to_vec();
    for pair in seen.windows(2) {
        assert!(pair[1][0] < pair[0][0] && pair[1][1] > pair[0][1], "{seen:?}");
    }
    // A liquid's own color is 15 % gray: 0.05 of a third channel in light of about 1, which is displayed as 63.
    assert!(seen[0][0] > 120 && seen[3][0] < 63, "{seen:?}");
    // Only liquid in front of the square counts: with the square 1 m inside, 4 m of liquid act as 1 m.
    let inside = center_color_through(4.0, -1.0);
    let behind = center_color_through(1.0, -1.001);
    assert!((inside[0] - behind[0]).abs() <= 2 && (inside[1] - behind[1]).abs() <= 2, "{inside:?} {behind:?}");
    // A square in front of the liquid hides it.
    let before = center_color_through(4.0, 0.5);
    assert!(before[0] > 120 && before[1] < 40, "{before:?}");
}

#[test]
fn liquids_cast_no_shadow_and_invalid_ones_are_omitted() {
    let camera = Camera::look_at(Vec3::new(0.0, 3.0, 5.0), Vec3::ZERO);
    let mut picture = Picture::new(camera);
    picture.ground = Some(GroundDraw::default());
    let empty = draw(&picture, 160, 120);
    let (positions, normals, triangles) = slab(0.5, -0.5, 0.5);
    let lost: Vec<Vec3> = positions.iter().map(|_| Vec3::NAN).collect();
    let liquid = LiquidDraw {
        positions: &lost,
        normals: &normals,
        triangles: &triangles,
        color: BLUE,
        attenuation_distance: 0.5,
    };
    picture.liquids = vec![liquid, LiquidDraw { attenuation_distance: f32::NAN, positions: &positions, ..liquid }];
    picture.liquids.push(LiquidDraw { normals: &[], positions: &positions, ..liquid });
    assert_eq!(draw(&picture, 160, 120).pixels, empty.pixels);
    // Above and behind the camera: only its shadow could be visible.
    let away: Vec<Vec3> = positions.iter().map(|p| *p + Vec3::new(-5.5, 9.5, 4.5)).collect();
    picture.liquids = vec![LiquidDraw { positions: &away, ..liquid }];
    assert_eq!(draw(&picture, 160, 120).pixels, empty.pixels);
}

#[test]
fn foam_is_shaded_isotropically_and_casts_no_shadow() {
    let camera = Camera::look_at(Vec3::new(0.0, 3.0, 5.0), Vec3::ZERO);
    let ground = GroundDraw { height: -1.0, ..GroundDraw::default() };
    let picture = Picture { ground: Some(ground), ..Picture::new(camera) };
    let ball = SphereDraw { center: Vec3::ZERO, radius: 0.4, color: Color(Vec3::ONE) };
    let empty = draw(&picture, 320, 240);
    let foam = draw(&Picture { foam: vec![ball], ..picture.clone() }, 320, 240);
    let solid = draw(&Picture { spheres: vec![ball], ..picture.clone() }, 320, 240);
    let differ = |a: &Image, b: &Image| a.pixels.chunks(3).zip(b.pixels.chunks(3)).filter(|(a, b)| a != b).count();
    // f·r/√(d² − r²) with f = 380.6 px and d² = 34: 26.1 px, area 2,145 px² and some touched pixels at the outline.
    let area = differ(&empty, &foam);
    assert!((2_100..2_300).contains(&area), "{area}");
    // A sphere casts a shadow in addition.
    assert!(differ(&empty, &solid) > area + 500);
    let at = |image: &Image, y: usize| image.pixels[(y * 320 + 160) * 3];
    let (low, high) = (at(&foam, 142), at(&foam, 98));
    assert!(low > 200 && high > 200 && low.abs_diff(high) < 10, "{low} {high}");
    assert!(at(&solid, 142).abs_diff(at(&solid, 98)) > 20);
    let invalid = SphereDraw { center: Vec3::NAN, ..ball };
    assert_eq!(draw(&Picture { foam: vec![invalid], ..picture }, 320, 240).pixels, empty.pixels);
}
