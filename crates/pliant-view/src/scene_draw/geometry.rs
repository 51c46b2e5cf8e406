//! From a view to vertices: smooth normals, colors, tubes, spheres.

use crate::session::View;
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// Color of colliders, sRGB.
const COLLIDER: [u8; 3] = [176, 172, 166];

/// How objects are colored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coloring {
    /// By object.
    #[default]
    Object,
    /// By speed.
    Speed,
    /// By height.
    Height,
}

impl Coloring {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Object, Self::Speed, Self::Height];

    /// Name on buttons.
    pub fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Speed => "speed",
            Self::Height => "height",
        }
    }

    /// The one after this.
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|&c| c == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }
}

/// How a view is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Colors.
    pub coloring: Coloring,
    /// Whether liquids are surfaces; else they are spheres.
    pub liquid_surfaces: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self { coloring: Coloring::default(), liquid_surfaces: true }
    }
}

/// Vertex of a mesh.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct MeshVertex {
    position: [f32; 3],
    normal: [f32; 3],
    color: [u8; 4],
}

/// A segment of a rope: ends with radii.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Tube {
    a: [f32; 4],
    b: [f32; 4],
    color: [u8; 4],
}

/// A sphere: center with radius.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Sphere {
    center: [f32; 4],
    color: [u8; 4],
}

/// End of a line.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct LineVertex {
    position: [f32; 3],
    color: [u8; 4],
}

/// All that is drawn of a view.
#[derive(Clone, Debug, Default)]
pub struct Geometry {
    /// Vertices of objects.
    pub vertices: Vec<MeshVertex>,
    /// Corners of their triangles.
    pub indices: Vec<u32>,
    /// Vertices of colliders.
    pub collider_vertices: Vec<MeshVertex>,
    /// Corners of their triangles.
    pub collider_indices: Vec<u32>,
    /// Corners of the triangles of walls, among the vertices of colliders.
    pub wall_indices: Vec<u32>,
    /// Segments of ropes.
    pub tubes: Vec<Tube>,
    /// Particles, and the joints of ropes.
    pub spheres: Vec<Sphere>,
    /// Particles of liquids that are drawn as a surface.
    pub liquid: Vec<Sphere>,
    /// Largest of their radii [m].
    pub liquid_radius: f32,
    /// Lines of the overlay.
    pub lines: Vec<LineVertex>,
    /// Box around what is drawn, without the ground [m].
    pub low: Vec3,
    /// Its other corner.
    pub high: Vec3,
}

fn opaque([r, g, b]: [u8; 3]) -> [u8; 4] {
    [r, g, b, 255]
}

impl Geometry {
    /// Of a view.
    pub fn new(view: &View, look: Look) -> Self {
        let mut all = Self { low: view.drawn.low, high: view.drawn.high, ..Self::default() };
        let colors = colors(view, look.coloring);
        all.add_surfaces(view, &colors);
        all.add_ropes_and_particles(view, &colors);
        all.add_liquids(view, &colors, look);
        all.add_colliders(view);
        let end = |e: &crate::session::LineEnd| LineVertex { position: e.position.to_array(), color: opaque(e.color) };
        all.lines = view.lines.iter().map(end).collect();
        for &p in view.frame.positions.iter().filter(|p| p.is_finite()) {
            (all.low, all.high) = (all.low.min(p), all.high.max(p));
        }
        // What flies off must not take the resolution of the shadows with it.
        let (center, reach) = (0.5 * (view.drawn.low + view.drawn.high), Vec3::splat(1.5 * view.drawn.size));
        (all.low, all.high) = (all.low.max(center - reach), all.high.min(center + reach));
        all
    }

    fn add_surfaces(&mut self, view: &View, colors: &[[u8; 4]]) {
        if view.drawn.triangles.is_empty() {
            return;
        }
        let positions = &view.frame.positions;
        let normals = smooth_normals(positions, &view.drawn.triangles);
        let vertex = |(i, &p): (usize, &Vec3)| MeshVertex {
            position: p.to_array(),
            normal: normals[i].to_array(),
            color: colors[i],
        };
        self.vertices.extend(positions.iter().enumerate().map(vertex));
        let is_whole = |t: &&[u32; 3]| t.iter().all(|&v| positions.get(v as usize).is_some_and(|p| p.is_finite()));
        self.indices.extend(view.drawn.triangles.iter().filter(is_whole).flatten());
    }

    fn add_ropes_and_particles(&mut self, view: &View, colors: &[[u8; 4]]) {
        let (drawn, frame) = (&view.drawn, &view.frame);
        // A rope without a thickness is still seen.
        let rope_radius = |i: u32| drawn.radii[i as usize].max(6e-4 * drawn.size);
        let with = |i: u32, radius: f32| frame.positions[i as usize].extend(radius).to_array();
        let is_shown = |i: u32| frame.positions[i as usize].is_finite() && !frame.is_inactive(i as usize);
        for &[a, b] in drawn.lines.iter().filter(|[a, b]| is_shown(*a) && is_shown(*b)) {
            let color = colors[a as usize];
            self.tubes.push(Tube { a: with(a, rope_radius(a)), b: with(b, rope_radius(b)), color });
            self.spheres.extend([a, b].map(|i| Sphere { center: with(i, rope_radius(i)), color }));
        }
        for &i in drawn.spheres.iter().filter(|&&i| is_shown(i)) {
            self.spheres.push(Sphere { center: with(i, drawn.radii[i as usize]), color: colors[i as usize] });
        }
    }

    /// A surface has one color; what is colored by particle is drawn as particles.
    fn add_liquids(&mut self, view: &View, colors: &[[u8; 4]], look: Look) {
        let (drawn, frame) = (&view.drawn, &view.frame);
        let shown = |&&i: &&u32| frame.positions[i as usize].is_finite() && !frame.is_inactive(i as usize);
        let radius = |i: u32| drawn.radii[i as usize];
        let sphere = |&i: &u32| Sphere {
            center: frame.positions[i as usize].extend(radius(i)).to_array(),
            color: colors[i as usize],
        };
        let spheres = drawn.liquid.iter().filter(shown).map(sphere);
        if look.coloring == Coloring::Object && look.liquid_surfaces {
            self.liquid.extend(spheres);
            self.liquid_radius = drawn.liquid.iter().map(|&i| radius(i)).fold(0.0, f32::max);
        } else {
            self.spheres.extend(spheres);
        }
    }

    fn add_colliders(&mut self, view: &View) {
        for (k, (mesh, pose)) in view.drawn.colliders.iter().zip(&view.poses).enumerate() {
            let first = self.collider_vertices.len() as u32;
            let normals = smooth_normals(&mesh.positions, &mesh.triangles);
            let vertices = mesh.positions.iter().zip(&normals).map(|(&p, &n)| MeshVertex {
                position: pose.outward(p).to_array(),
                normal: (pose.rotation * n).to_array(),
                color: opaque(COLLIDER),
            });
            self.collider_vertices.extend(vertices);
            let is_wall = view.drawn.walls.get(k).copied().unwrap_or(false);
            let indices = if is_wall { &mut self.wall_indices } else { &mut self.collider_indices };
            indices.extend(mesh.triangles.iter().flatten().map(|v| v + first));
        }
    }
}

/// Mean of the normals of the triangles around each point, weighted by area.
fn smooth_normals(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; positions.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| positions[v as usize]);
        let normal = (b - a).cross(c - a);
        triangle.iter().for_each(|&v| normals[v as usize] += normal);
    }
    normals.iter_mut().for_each(|n| *n = n.normalize_or(Vec3::Y));
    normals
}

/// Color of each point.
fn colors(view: &View, coloring: Coloring) -> Vec<[u8; 4]> {
    let (drawn, frame) = (&view.drawn, &view.frame);
    let count = frame.positions.len();
    match coloring {
        Coloring::Object => {
            let of = |i: usize| drawn.objects.get(i).and_then(|&o| drawn.colors.get(o as usize)).copied();
            (0..count).map(|i| opaque(of(i).unwrap_or(COLLIDER))).collect()
        }
        Coloring::Speed => {
            // What falls through half the scene has the last color.
            let gravity = Vec3::from(view.status.gravity).length().max(0.1);
            let most = (gravity * drawn.size).sqrt();
            let speed = |i: usize| frame.velocities.get(i).map_or(0.0, |v| v.length());
            (0..count).map(|i| opaque(gradient(speed(i) / most))).collect()
        }
        Coloring::Height => {
            let range = (drawn.high.y - drawn.low.y).max(1e-6);
            (0..count).map(|i| opaque(gradient((frame.positions[i].y - drawn.low.y) / range))).collect()
        }
    }
}

/// From blue by green and yellow to red.
fn gradient(t: f32) -> [u8; 3] {
    const STOPS: [[f32; 3]; 5] =
        [[48.0, 70.0, 150.0], [40.0, 140.0, 170.0], [90.0, 180.0, 90.0], [235.0, 195.0, 60.0], [215.0, 65.0, 50.0]];
    let at = if t.is_finite() { t.clamp(0.0, 1.0) * 4.0 } else { 4.0 };
    let k = (at as usize).min(3);
    let f = at - k as f32;
    std::array::from_fn(|c| (STOPS[k][c] + (STOPS[k + 1][c] - STOPS[k][c]) * f) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Drawn;
    use pliant::frame::Frame;
    use std::sync::Arc;

    fn sheet(positions: Vec<Vec3>) -> View {
        let drawn = Drawn {
            triangles: vec![[0, 1, 2]],
            lines: vec![[0, 1]],
            spheres: vec![2],
            radii: vec![0.1; 3],
            objects: vec![0; 3],
            colors: vec![[1, 2, 3]],
            size: 1.0,
            ..Drawn::default()
        };
        View { drawn: Arc::new(drawn), frame: Arc::new(Frame { positions, ..Frame::default() }), ..View::default() }
    }

    #[test]
    fn every_kind_of_thing_is_drawn() {
        for coloring in Coloring::ALL {
            let all = Geometry::new(&sheet(vec![Vec3::ZERO, Vec3::Z, Vec3::X]), Look { coloring, ..Look::default() });
            assert_eq!((all.vertices.len(), all.indices.len(), all.tubes.len(), all.spheres.len()), (3, 3, 1, 3));
            assert_eq!(all.vertices[0].normal, [0.0, 1.0, 0.0]);
        }
    }

    #[test]
    fn positions_that_are_no_numbers_are_left_out() {
        let all = Geometry::new(&sheet(vec![Vec3::NAN; 3]), Look::default());
        assert!(all.indices.is_empty() && all.tubes.is_empty() && all.spheres.is_empty());
        assert!(all.low.is_finite() && all.high.is_finite());
    }

    #[test]
    fn liquids_are_surfaces_where_they_have_one_color() {
        let mut view = sheet(vec![Vec3::ZERO, Vec3::Z, Vec3::X]);
        let drawn = Drawn { spheres: Vec::new(), liquid: vec![2], ..Drawn::clone(&view.drawn) };
        view.drawn = Arc::new(drawn);
        for coloring in Coloring::ALL {
            for liquid_surfaces in [true, false] {
                let all = Geometry::new(&view, Look { coloring, liquid_surfaces });
                let surface = liquid_surfaces && coloring == Coloring::Object;
                // The rope has a sphere at each end.
                assert_eq!((all.spheres.len(), all.liquid.len()), if surface { (2, 1) } else { (3, 0) });
                assert_eq!(all.liquid_radius, if surface { 0.1 } else { 0.0 });
            }
        }
    }

    #[test]
    fn the_gradient_takes_any_number() {
        assert_eq!(gradient(-1.0), [48, 70, 150]);
        assert_eq!(gradient(f32::INFINITY), gradient(2.0));
        assert_eq!(gradient(f32::NAN), gradient(2.0));
    }
}
