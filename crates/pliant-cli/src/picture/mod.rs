//! What a moment of a simulation looks like: engine data to the renderer's picture.

mod polylines;

use crate::args::LiquidLook;
use crate::liquid::{Liquids, Tint};
use crate::failure::Failure;
use glam::{Vec3, Vec3Swizzles};
use pliant::Simulation;
use pliant::frame::{Frame, Shape};
use pliant::kernels::contact::{Pose, Solid};
use pliant::motion::Motion;
use pliant::scene::Scene;
use pliant_foam::{Fleck, Kind};
use pliant_render::{
    Camera, Color, GroundDraw, Image, LiquidDraw, MeshColor, MeshDraw, PALETTE, Picture, Renderer, SolidDraw,
    SphereDraw, TubeDraw,
};
use pliant_surface::SurfaceMesh;
use polylines::chains;

/// Everything but the particles: they stay in the background.
const COLLIDER: Color = Color::srgb8(150, 158, 168);

/// Foam and spray; bubbles are seen through the liquid besides.
const FOAM: Color = Color::srgb8(250, 252, 255);

/// Draws the frames of one simulation.
pub struct Painter {
    renderer: Renderer,
    camera: Camera,
    bounds: Bounds,
    ground: Option<GroundDraw>,
    solids: Vec<(Solid, Motion)>,
    /// Colliders of triangles.
    skins: Vec<Skin>,
    shape: Shape,
    /// By object number.
    colors: Vec<Color>,
    /// Triangles of sheets, seen from both sides.
    sheets: Vec<[u32; 3]>,
    /// Triangles of closed bodies.
    bodies: Vec<[u32; 3]>,
    ropes: Vec<Vec<u32>>,
    /// Particles that belong to nothing that is drawn otherwise.
    loose: Vec<u32>,
    /// Liquids that show something by their colors.
    tinted: Option<(Tint, Vec<bool>)>,
    /// Colors of liquids' surfaces.
    liquids: Vec<Color>,
    /// Way through a liquid that hides half of what is behind [m].
    clarity: f32,
    /// Radius of a fleck of foam [m].
    speck: f32,
}

/// A moment to draw.
pub struct Moment<'a> {
    /// Where everything is.
    pub frame: &'a Frame,
    /// Densities of liquids, where they are to be shown; else empty.
    pub densities: &'a [f32],
    /// Surfaces of liquids, where they are to be shown; else empty.
    pub surfaces: &'a [SurfaceMesh],
    /// Spray, foam and bubbles.
    pub flecks: &'a [Fleck],
}

impl Painter {
    /// Decides on colors and on the camera, which stays where it is over the run.
    pub fn new(
        scene: &Scene,
        sim: &Simulation,
        first: &Frame,
        liquids: Option<(&Liquids, LiquidLook)>,
    ) -> Result<Self, Failure> {
        let output = &scene.output;
        let renderer = Renderer::new(output.width, output.height)?;
        let shape = sim.shape().clone();
        let names = sheet_names(scene);
        let two_sided = |name: &String| names.iter().any(|s| s == name || copy_of(name) == Some(s));
        let two_sided: Vec<bool> = shape.object_names.iter().map(two_sided).collect();
        let is_sheet = |t: &[u32; 3]| two_sided[shape.objects[t[0] as usize] as usize];
        let (sheets, bodies) = shape.triangles.iter().partition(|t| is_sheet(t));
        let colors: Vec<Color> = (0..shape.object_names.len()).map(|i| color(&shape, i)).collect();

        // Of grains that come later the first, so that their mouth is in the picture.
        let soonest = shape.enters.iter().copied().filter(|t| *t > 0.0).fold(f64::INFINITY, f64::min);
        let by = if soonest < f64::INFINITY { first.time.max(soonest) } else { first.time };
        let seen = first.positions.iter().enumerate().filter(|(i, _)| !shape.waits(*i, by));
        let mut bounds = Bounds::of(seen.map(|(_, p)| *p));
        let mut ground = None;
        let (mut solids, mut skins) = (Vec::new(), Vec::new());
        for collider in &sim.model().colliders {
            let pose = collider.motion.pose(first.time);
            let up = pose.rotation * Vec3::Y;
            if collider.solid == Solid::Plane && up.y > 0.9999 && ground.is_none() {
                ground = Some(pose.position.dot(up));
                continue;
            }
            bounds.add_solid(&collider.solid, &pose);
            match Skin::of(&collider.solid, &collider.motion) {
                Some(skin) => skins.push(skin),
                None => solids.push((collider.solid.clone(), collider.motion.clone())),
            }
        }
        bounds.make_room(ground);
        let aspect = output.width as f32 / output.height as f32;
        let camera = camera(&scene.camera, &bounds, aspect);
        let ground = ground.map(|height| ground_at(height, &bounds, &camera));
        let (ropes, mut loose) = (chains(&shape), loose(&shape));
        let mut wet = vec![false; shape.objects.len()];
        liquids.iter().flat_map(|(l, _)| l.particles()).for_each(|p| wet[p as usize] = true);
        let look = liquids.map(|(_, look)| look);
        let speck = liquids.map_or(1.0, |(l, _)| l.speck());
        let tint = match look {
            Some(LiquidLook::Speed) => {
                let gravity = Vec3::from(scene.world.gravity).length();
                Some(Tint::speed(gravity, bounds.max.y - bounds.min.y, first))
            }
            Some(LiquidLook::Density) => Some(Tint::Density),
            _ => None,
        };
        let surfaces = liquids.filter(|_| look == Some(LiquidLook::Surface)).map(|(l, _)| l);
        if surfaces.is_some() {
            loose.retain(|&p| !wet[p as usize]);
        }
        let clarity = surfaces.map_or(1.0, Liquids::clarity);
        let liquids = surfaces.map_or(Vec::new(), |l| l.kinds.iter().map(|k| colors[k.object]).collect());
        let tinted = tint.map(|tint| (tint, wet));
        Ok(Self {
            renderer,
            camera,
            bounds,
            ground,
            solids,
            skins,
            shape,
            colors,
            sheets,
            bodies,
            ropes,
            loose,
            tinted,
            liquids,
            clarity,
            speck,
        })
    }

    /// Draws a moment.
    pub fn paint(&self, moment: &Moment) -> Image {
        let frame = moment.frame;
        let ropes: Vec<Vec<Vec3>> =
            self.ropes.iter().map(|rope| rope.iter().map(|&p| frame.positions[p as usize]).collect()).collect();
        let placed: Vec<Vec<Vec3>> = self.skins.iter().map(|skin| skin.placed(frame.time)).collect();
        let mut picture = Picture::new(self.camera);
        picture.ground = self.ground;
        for (skin, positions) in self.skins.iter().zip(&placed) {
            let draw = MeshDraw::new(positions, &skin.triangles, COLLIDER);
            picture.meshes.push(MeshDraw { two_sided: skin.two_sided, ..draw });
        }
        let mesh = |triangles, two_sided| MeshDraw {
            positions: &frame.positions,
            triangles,
            color: MeshColor::PerObject { objects: &self.shape.objects, palette: &self.colors },
            two_sided,
            edges: None,
        };
        if !self.sheets.is_empty() {
            picture.meshes.push(mesh(&self.sheets, true));
        }
        if !self.bodies.is_empty() {
            picture.meshes.push(mesh(&self.bodies, false));
        }
        for (points, rope) in ropes.iter().zip(&self.ropes) {
            let first = rope[0] as usize;
            picture.tubes.push(TubeDraw { points, radius: self.shape.radii[first], color: self.color(first) });
        }
        for p in self.loose.iter().map(|&p| p as usize).filter(|&p| !frame.is_away(p)) {
            let (center, radius) = (frame.positions[p], self.shape.radii[p]);
            picture.spheres.push(SphereDraw { center, radius, color: self.particle_color(p, moment) });
        }
        for (mesh, &color) in moment.surfaces.iter().zip(&self.liquids) {
            let SurfaceMesh { positions, normals, triangles } = mesh;
            picture.liquids.push(LiquidDraw { positions, normals, triangles, color, clarity: self.clarity });
        }
        picture.specks.extend(moment.flecks.iter().map(|f| self.fleck(f)));
        for (solid, motion) in &self.solids {
            picture.solids.extend(self.solid(solid, &motion.pose(frame.time)));
        }
        self.renderer.render(&picture)
    }

    fn fleck(&self, fleck: &Fleck) -> SphereDraw {
        let size = if fleck.kind == Kind::Foam { 1.0 } else { 0.75 };
        SphereDraw { center: fleck.position, radius: size * self.speck, color: FOAM }
    }

    fn particle_color(&self, p: usize, moment: &Moment) -> Color {
        match &self.tinted {
            Some((tint, wet)) if wet[p] => {
                let density = moment.densities.get(p).copied().unwrap_or(1.0);
                tint.color(moment.frame.velocities[p], density)
            }
            _ => self.color(p),
        }
    }

    fn color(&self, particle: usize) -> Color {
        let object = self.shape.objects.get(particle).map_or(0, |&o| o as usize);
        self.colors.get(object).copied().unwrap_or(PALETTE[0])
    }

    fn solid(&self, solid: &Solid, pose: &Pose) -> Option<SolidDraw> {
        let color = COLLIDER;
        Some(match *solid {
            Solid::Sphere { radius } => SolidDraw::Sphere { center: pose.position, radius, color },
            Solid::Capsule { half_length, radius } => {
                let end = |s: f32| pose.outward(Vec3::Y * (s * half_length));
                SolidDraw::Capsule { a: end(-1.0), b: end(1.0), radius, color }
            }
            Solid::Box { half } => SolidDraw::Box { center: pose.position, half, rotation: pose.rotation, color },
            Solid::Plane => return self.slab(pose),
            // Drawn as meshes.
            Solid::Convex(_) | Solid::Surface(_) | Solid::Field(_) => return None,
        })
    }

    /// A plane that is no ground: the piece of it near the scene, unless it would hide the scene.
    fn slab(&self, pose: &Pose) -> Option<SolidDraw> {
        let normal = pose.rotation * Vec3::Y;
        let distance = |p: Vec3| (p - pose.position).dot(normal);
        if distance(self.camera.eye) < 0.0 {
            return None;
        }
        let (center, size) = (self.bounds.center(), self.bounds.diagonal());
        let thickness = size * 0.01;
        let top = center - normal * distance(center);
        let half = Vec3::new(size * 0.75, thickness, size * 0.75);
        Some(SolidDraw::Box { center: top - normal * thickness, half, rotation: pose.rotation, color: COLLIDER })
    }
}

/// A collider of triangles, in its own frame.
struct Skin {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Whether both sides can be seen.
    two_sided: bool,
    motion: Motion,
}

impl Skin {
    fn of(solid: &Solid, motion: &Motion) -> Option<Self> {
        let (positions, triangles) = solid.skin()?;
        let two_sided = matches!(solid, Solid::Surface(_));
        let motion = motion.clone();
        if matches!(solid, Solid::Convex(_)) {
            // Faces of a hull are flat: no vertex is shared, so that none is shaded as round.
            let corners = triangles.iter().flatten().map(|&v| positions[v as usize]).collect();
            let triangles = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
            return Some(Self { positions: corners, triangles, two_sided, motion });
        }
        Some(Self { positions: positions.to_vec(), triangles: triangles.to_vec(), two_sided, motion })
    }

    fn placed(&self, time: f64) -> Vec<Vec3> {
        let pose = self.motion.pose(time);
        self.positions.iter().map(|&p| pose.outward(p)).collect()
    }
}

/// Color of an object: the scene's, or one of the palette, so that copies differ.
fn color(shape: &Shape, object: usize) -> Color {
    let byte = |v: f32| (v.clamp(0.0, 1.0) * 255.0).round() as u8;
    match shape.colors.get(object) {
        Some(Some(color)) => {
            let [r, g, b] = color.map(byte);
            Color::srgb8(r, g, b)
        }
        _ => PALETTE[object % PALETTE.len()],
    }
}

/// Names of the objects that have two sides.
fn sheet_names(scene: &Scene) -> Vec<String> {
    let name = |(i, name): (usize, &String)| if name.is_empty() { format!("cloth {i}") } else { name.clone() };
    scene.cloth.iter().map(|c| &c.name).enumerate().map(name).collect()
}

/// `flag` for its copy `flag[3]`.
fn copy_of(name: &str) -> Option<&str> {
    name.strip_suffix(']').and_then(|n| n.rsplit_once('[')).map(|(original, _)| original)
}

/// A box around what is to be seen.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    min: Vec3,
    max: Vec3,
}

impl Bounds {
    fn of(points: impl Iterator<Item = Vec3>) -> Self {
        let mut bounds = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };
        points.for_each(|p| bounds.add(p, Vec3::ZERO));
        bounds
    }

    fn add(&mut self, center: Vec3, reach: Vec3) {
        self.min = self.min.min(center - reach);
        self.max = self.max.max(center + reach);
    }

    fn add_solid(&mut self, solid: &Solid, pose: &Pose) {
        match *solid {
            Solid::Plane => {}
            Solid::Sphere { radius } => self.add(pose.position, Vec3::splat(radius)),
            Solid::Capsule { half_length, radius } => {
                for s in [-1.0, 1.0] {
                    self.add(pose.outward(Vec3::Y * (s * half_length)), Vec3::splat(radius));
                }
            }
            Solid::Box { half } => {
                for corner in 0..8 {
                    let sign = |bit: u32| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
                    self.add(pose.outward(half * Vec3::new(sign(0), sign(1), sign(2))), Vec3::ZERO);
                }
            }
            Solid::Convex(_) | Solid::Surface(_) | Solid::Field(_) => {
                let (positions, _) = solid.skin().unwrap_or_default();
                positions.iter().for_each(|&p| self.add(pose.outward(p), Vec3::ZERO));
            }
        }
    }

    /// Adds the space that things will move into: down to a ground that is not far away; for what starts
    /// out flat as high as it may rise from the ground, or as low as it may swing; and a little to the sides.
    fn make_room(&mut self, ground: Option<f32>) {
        let size = self.max - self.min;
        let (wide, flat) = (size.xz().max_element(), size.y < 0.4 * size.xz().max_element());
        match ground.filter(|&y| y <= self.min.y + 0.1 * wide) {
            Some(y) if self.min.y - y < 1.5 * size.max_element() => {
                self.min.y = self.min.y.min(y);
                if flat {
                    self.max.y = self.max.y.max(y + 0.4 * wide);
                }
            }
            _ if flat => self.min.y = self.min.y.min(self.max.y - 0.5 * wide),
            _ => {}
        }
        let side = Vec3::new(0.08 * wide, 0.0, 0.08 * wide);
        (self.min, self.max) = (self.min - side, self.max + side);
    }

    fn center(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    fn diagonal(&self) -> f32 {
        (self.max - self.min).length().clamp(1e-3, 1e5)
    }
}

fn camera(wanted: &pliant::scene::Camera, bounds: &Bounds, aspect: f32) -> Camera {
    let mut camera = Camera::frame_bounds(bounds.min, bounds.max, aspect);
    // The frame was made for the default lens: another one stands nearer or farther off.
    let fov_y = wanted.fov.to_radians();
    let away = (camera.eye - camera.target) * ((camera.fov_y * 0.5).tan() / (fov_y * 0.5).tan());
    let target = wanted.target.map_or(camera.target, Vec3::from);
    let eye = wanted.eye.map_or(target + away, Vec3::from);
    camera = Camera::look_at(eye, target);
    camera.fov_y = fov_y;
    camera
}

/// A ground whose squares and horizon fit the size of the scene.
fn ground_at(height: f32, bounds: &Bounds, camera: &Camera) -> GroundDraw {
    let wanted = bounds.diagonal() * 0.12;
    let power = 10f32.powf(wanted.log10().floor());
    let spacing = [1.0, 2.0, 5.0, 10.0].map(|s| s * power).into_iter().find(|s| *s >= wanted).unwrap_or(wanted);
    let fade = (bounds.diagonal() * 6.0).max(camera.eye.distance(camera.target) * 4.0);
    GroundDraw { height, spacing, fade, ..GroundDraw::default() }
}

fn loose(shape: &Shape) -> Vec<u32> {
    let mut drawn = vec![false; shape.objects.len()];
    let corners = shape.triangles.iter().flatten().chain(shape.tets.iter().flatten());
    corners.chain(shape.lines.iter().flatten()).for_each(|&p| drawn[p as usize] = true);
    let coated = |p: u32| shape.coated.get(shape.objects[p as usize] as usize).copied().unwrap_or(false);
    (0..drawn.len() as u32).filter(|&p| !drawn[p as usize] && !coated(p)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(particles: usize, lines: &[[u32; 2]]) -> Shape {
        Shape { lines: lines.to_vec(), objects: vec![0; particles], ..Shape::default() }
    }

    #[test]
    fn particles_without_any_element_are_loose() {
        assert_eq!(loose(&lines(4, &[[0, 2]])), [1, 3]);
    }

    #[test]
    fn particles_that_a_mesh_stands_for_are_not_drawn() {
        let objects = vec![0, 0, 1, 1, 1, 1, 1];
        let shape = Shape { objects, triangles: vec![[4, 5, 6]], coated: vec![false, true], ..Shape::default() };
        assert_eq!(loose(&shape), [0, 1]);
    }

    #[test]
    fn copies_are_known_by_the_name_of_their_original() {
        assert_eq!(copy_of("flag[3]"), Some("flag"));
        assert_eq!(copy_of("flag"), None);
    }
}
