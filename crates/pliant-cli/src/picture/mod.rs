//! Renders the frames of a simulation: converts engine data to pictures of `pliant-render`.

mod polylines;

use crate::args::LiquidLook;
use crate::failure::Failure;
use crate::liquid::{LiquidColoring, Liquids};
use glam::{Vec3, Vec3Swizzles};
use pliant::World;
use pliant::contact::collider_contact::ColliderShape;
use pliant::frame::{Frame, Topology};
use pliant::math::Pose;
use pliant::mesh::TriMesh;
use pliant::motion::Motion;
use pliant::scene::Scene;
use pliant_foam::{DiffuseKind, DiffuseParticle};
use pliant_render::{
    Camera, Color, GroundDraw, Image, LiquidDraw, MeshColor, MeshDraw, PALETTE, Picture, Renderer, SolidDraw,
    SphereDraw, TubeDraw,
};
use pliant_surface::SurfaceMesh;
use polylines::polylines;

/// Colliders.
const COLLIDER_COLOR: Color = Color::srgb8(150, 158, 168);

/// Spray, foam and bubbles.
const FOAM_COLOR: Color = Color::srgb8(250, 252, 255);

/// Renders the frames of one simulation.
pub struct FrameRenderer {
    renderer: Renderer,
    camera: Camera,
    bounds: Bounds,
    ground: Option<GroundDraw>,
    solids: Vec<(ColliderShape, Motion)>,
    /// Colliders with triangles.
    collider_meshes: Vec<ColliderMesh>,
    shape: Topology,
    /// By object number.
    colors: Vec<Color>,
    /// Triangles of cloth, drawn two-sided.
    sheets: Vec<[u32; 3]>,
    /// Triangles of closed bodies.
    bodies: Vec<[u32; 3]>,
    ropes: Vec<Vec<u32>>,
    /// Particles without elements and without a mesh, drawn as spheres.
    free_particles: Vec<u32>,
    /// Coloring of liquid particles, and which particles are liquid.
    colored_liquid: Option<(LiquidColoring, Vec<bool>)>,
    /// Colors of the liquid surfaces.
    surface_colors: Vec<Color>,
    /// Thickness of liquid that hides half of the background [m].
    attenuation_distance: f32,
    /// Radius of a diffuse particle [m].
    foam_radius: f32,
}

/// Data of one frame.
pub struct FrameContent<'a> {
    /// Positions and velocities.
    pub frame: &'a Frame,
    /// Densities of liquids relative to rest, if they are shown; else empty.
    pub densities: &'a [f32],
    /// Surfaces of liquids, if they are shown; else empty.
    pub surfaces: &'a [SurfaceMesh],
    /// Spray, foam and bubbles.
    pub foam: &'a [DiffuseParticle],
}

impl FrameRenderer {
    /// Chooses colors and a camera that does not move during the run.
    pub fn new(
        scene: &Scene,
        sim: &World,
        first: &Frame,
        liquids: Option<(&Liquids, LiquidLook)>,
    ) -> Result<Self, Failure> {
        let output = &scene.output;
        let renderer = Renderer::new(output.width, output.height)?;
        let shape = sim.topology().clone();
        let names = cloth_names(scene);
        let two_sided = |name: &String| names.iter().any(|s| s == name || original_of(name) == Some(s));
        let two_sided: Vec<bool> = shape.object_names.iter().map(two_sided).collect();
        let is_sheet = |t: &[u32; 3]| two_sided[shape.objects[t[0] as usize] as usize];
        let (sheets, bodies) = shape.triangles.iter().partition(|t| is_sheet(t));
        let colors: Vec<Color> = (0..shape.object_names.len()).map(|i| color(&shape, i)).collect();

        // Includes the first particle of emitters, so that they are in the picture.
        let first_entry = shape.enters.iter().copied().filter(|t| *t > 0.0).fold(f64::INFINITY, f64::min);
        let by = if first_entry < f64::INFINITY { first.time.max(first_entry) } else { first.time };
        let visible = first.positions.iter().enumerate().filter(|(i, _)| !shape.is_not_yet_emitted(*i, by));
        let mut bounds = Bounds::of(visible.map(|(_, p)| *p));
        let mut ground = None;
        let (mut solids, mut collider_meshes) = (Vec::new(), Vec::new());
        for collider in &sim.model().colliders {
            let pose = collider.motion.pose(first.time);
            let up = pose.rotation * Vec3::Y;
            if collider.shape == ColliderShape::Plane && up.y > 0.9999 && ground.is_none() {
                ground = Some(pose.position.dot(up));
                continue;
            }
            bounds.add_solid(&collider.shape, &pose);
            match ColliderMesh::of(&collider.shape, &collider.motion) {
                Some(mesh) => collider_meshes.push(mesh),
                None => solids.push((collider.shape.clone(), collider.motion.clone())),
            }
        }
        bounds.expand_for_motion(ground);
        let aspect = output.width as f32 / output.height as f32;
        let camera = camera(&scene.camera, &bounds, aspect);
        let ground = ground.map(|height| ground_at(height, &bounds, &camera));
        let (ropes, mut free_particles) = (polylines(&shape), shape.free_points());
        let mut is_liquid = vec![false; shape.objects.len()];
        liquids.iter().flat_map(|(l, _)| l.particles()).for_each(|p| is_liquid[p as usize] = true);
        let look = liquids.map(|(_, look)| look);
        let foam_radius = liquids.map_or(1.0, |(l, _)| l.foam_radius());
        let coloring = match look {
            Some(LiquidLook::Speed) => {
                let gravity = Vec3::from(scene.world.gravity).length();
                Some(LiquidColoring::speed(gravity, bounds.max.y - bounds.min.y, first))
            }
            Some(LiquidLook::Density) => Some(LiquidColoring::Density),
            _ => None,
        };
        let surfaces = liquids.filter(|_| look == Some(LiquidLook::Surface)).map(|(l, _)| l);
        if surfaces.is_some() {
            free_particles.retain(|&p| !is_liquid[p as usize]);
        }
        let attenuation_distance = surfaces.map_or(1.0, Liquids::attenuation_distance);
        let surface_colors = surfaces.map_or(Vec::new(), |l| l.groups.iter().map(|g| colors[g.object]).collect());
        let colored_liquid = coloring.map(|coloring| (coloring, is_liquid));
        Ok(Self {
            renderer,
            camera,
            bounds,
            ground,
            solids,
            collider_meshes,
            shape,
            colors,
            sheets,
            bodies,
            ropes,
            free_particles,
            colored_liquid,
            surface_colors,
            attenuation_distance,
            foam_radius,
        })
    }

    /// Renders one frame.
    pub fn render(&self, content: &FrameContent) -> Image {
        let frame = content.frame;
        let ropes: Vec<Vec<Vec3>> =
            self.ropes.iter().map(|rope| rope.iter().map(|&p| frame.positions[p as usize]).collect()).collect();
        let collider_positions: Vec<Vec<Vec3>> =
            self.collider_meshes.iter().map(|mesh| mesh.world_positions(frame.time)).collect();
        let mut picture = Picture::new(self.camera);
        picture.ground = self.ground;
        for (mesh, positions) in self.collider_meshes.iter().zip(&collider_positions) {
            let draw = MeshDraw::new(positions, &mesh.mesh.triangles, COLLIDER_COLOR);
            picture.meshes.push(MeshDraw { two_sided: mesh.two_sided, ..draw });
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
        for p in self.free_particles.iter().map(|&p| p as usize).filter(|&p| !frame.is_inactive(p)) {
            let (center, radius) = (frame.positions[p], self.shape.radii[p]);
            picture.spheres.push(SphereDraw { center, radius, color: self.particle_color(p, content) });
        }
        for (mesh, &color) in content.surfaces.iter().zip(&self.surface_colors) {
            let SurfaceMesh { positions, normals, triangles } = mesh;
            picture.liquids.push(LiquidDraw {
                positions,
                normals,
                triangles,
                color,
                attenuation_distance: self.attenuation_distance,
            });
        }
        picture.foam.extend(content.foam.iter().map(|f| self.foam_sphere(f)));
        for (solid, motion) in &self.solids {
            picture.solids.extend(self.solid(solid, &motion.pose(frame.time)));
        }
        self.renderer.render(&picture)
    }

    fn foam_sphere(&self, particle: &DiffuseParticle) -> SphereDraw {
        let size = if particle.kind == DiffuseKind::Foam { 1.0 } else { 0.75 };
        SphereDraw { center: particle.position, radius: size * self.foam_radius, color: FOAM_COLOR }
    }

    fn particle_color(&self, p: usize, content: &FrameContent) -> Color {
        match &self.colored_liquid {
            Some((coloring, is_liquid)) if is_liquid[p] => {
                let density = content.densities.get(p).copied().unwrap_or(1.0);
                coloring.color(content.frame.velocities[p], density)
            }
            _ => self.color(p),
        }
    }

    fn color(&self, particle: usize) -> Color {
        let object = self.shape.objects.get(particle).map_or(0, |&o| o as usize);
        self.colors.get(object).copied().unwrap_or(PALETTE[0])
    }

    fn solid(&self, solid: &ColliderShape, pose: &Pose) -> Option<SolidDraw> {
        let color = COLLIDER_COLOR;
        Some(match *solid {
            ColliderShape::Sphere { radius } => SolidDraw::Sphere { center: pose.position, radius, color },
            ColliderShape::Capsule { half_length, radius } => {
                let end = |s: f32| pose.outward(Vec3::Y * (s * half_length));
                SolidDraw::Capsule { a: end(-1.0), b: end(1.0), radius, color }
            }
            ColliderShape::Box { half } => {
                SolidDraw::Box { center: pose.position, half, rotation: pose.rotation, color }
            }
            ColliderShape::Plane => return self.slab(pose),
            // Drawn as meshes.
            _ => return None,
        })
    }

    /// A plane that is not the ground: its part near the scene, unless the camera is behind it.
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
        Some(SolidDraw::Box { center: top - normal * thickness, half, rotation: pose.rotation, color: COLLIDER_COLOR })
    }
}

/// Triangles of a collider in its local frame.
struct ColliderMesh {
    mesh: TriMesh,
    /// Whether both sides are drawn.
    two_sided: bool,
    motion: Motion,
}

impl ColliderMesh {
    fn of(solid: &ColliderShape, motion: &Motion) -> Option<Self> {
        let two_sided = matches!(solid, ColliderShape::Surface(_));
        Some(Self { mesh: solid.drawn()?, two_sided, motion: motion.clone() })
    }

    fn world_positions(&self, time: f64) -> Vec<Vec3> {
        let pose = self.motion.pose(time);
        self.mesh.positions.iter().map(|&p| pose.outward(p)).collect()
    }
}

/// Color of an object: from the scene, or from the palette by object number.
fn color(shape: &Topology, object: usize) -> Color {
    let byte = |v: f32| (v.clamp(0.0, 1.0) * 255.0).round() as u8;
    match shape.colors.get(object) {
        Some(Some(color)) => {
            let [r, g, b] = color.map(byte);
            Color::srgb8(r, g, b)
        }
        _ => PALETTE[object % PALETTE.len()],
    }
}

/// Names of the cloth objects.
fn cloth_names(scene: &Scene) -> Vec<String> {
    let name = |(i, name): (usize, &String)| if name.is_empty() { format!("cloth {i}") } else { name.clone() };
    scene.cloth.iter().map(|c| &c.name).enumerate().map(name).collect()
}

/// Name of the original of a copy: `flag` for `flag[3]`.
fn original_of(name: &str) -> Option<&str> {
    name.strip_suffix(']').and_then(|n| n.rsplit_once('[')).map(|(original, _)| original)
}

/// Bounding box of the visible objects.
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

    fn add_solid(&mut self, solid: &ColliderShape, pose: &Pose) {
        if let Some((positions, _)) = solid.skin() {
            positions.iter().for_each(|&p| self.add(pose.outward(p), Vec3::ZERO));
        } else if let ColliderShape::Sphere { radius } = solid {
            self.add(pose.position, Vec3::splat(*radius));
        } else if let ColliderShape::Capsule { half_length, radius } = *solid {
            for s in [-1.0, 1.0] {
                self.add(pose.outward(Vec3::Y * (s * half_length)), Vec3::splat(radius));
            }
        } else if let Some((low, high)) = solid.bounds() {
            for corner in 0..8 {
                let side = |bit: u32| if corner >> bit & 1 == 0 { low } else { high };
                self.add(pose.outward(Vec3::new(side(0).x, side(1).y, side(2).z)), Vec3::ZERO);
            }
        }
    }

    /// Adds space for motion: down to a near ground, up or down for flat scenes that may rise or swing, and a margin to the
    /// sides.
    fn expand_for_motion(&mut self, ground: Option<f32>) {
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
    // The framing is for the default field of view; another one changes the distance.
    let fov_y = wanted.fov.to_radians();
    let offset = (camera.eye - camera.target) * ((camera.fov_y * 0.5).tan() / (fov_y * 0.5).tan());
    let target = wanted.target.map_or(camera.target, Vec3::from);
    let eye = wanted.eye.map_or(target + offset, Vec3::from);
    camera = Camera::look_at(eye, target);
    camera.fov_y = fov_y;
    camera
}

/// A ground with checker size and fade distance for the size of the scene.
fn ground_at(height: f32, bounds: &Bounds, camera: &Camera) -> GroundDraw {
    let wanted = bounds.diagonal() * 0.12;
    let power = 10f32.powf(wanted.log10().floor());
    let spacing = [1.0, 2.0, 5.0, 10.0].map(|s| s * power).into_iter().find(|s| *s >= wanted).unwrap_or(wanted);
    let fade = (bounds.diagonal() * 6.0).max(camera.eye.distance(camera.target) * 4.0);
    GroundDraw { height, spacing, fade, ..GroundDraw::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(particles: usize, lines: &[[u32; 2]]) -> Topology {
        Topology { lines: lines.to_vec(), objects: vec![0; particles], ..Topology::default() }
    }

    #[test]
    fn particles_without_elements_are_free() {
        assert_eq!(lines(4, &[[0, 2]]).free_points(), [1, 3]);
    }

    #[test]
    fn skinned_particles_are_not_drawn() {
        let objects = vec![0, 0, 1, 1, 1, 1, 1];
        let shape =
            Topology { objects, triangles: vec![[4, 5, 6]], is_skinned: vec![false, true], ..Topology::default() };
        assert_eq!(shape.free_points(), [0, 1]);
    }

    #[test]
    fn copies_have_the_name_of_their_original() {
        assert_eq!(original_of("flag[3]"), Some("flag"));
        assert_eq!(original_of("flag"), None);
    }
}
