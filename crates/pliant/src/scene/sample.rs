//! Small samples of the objects of a scene, from which the memory of the whole is extrapolated before it is taken.

use crate::scene::{ArraySpec, BodyModel, FillSpec, Grains, Object, ObjectKind, Scene, TetrahedraSpec, as_grains};

/// Particles of a sample, about.
const FEW: f64 = 4e3;

/// Particles of the larger sample of an object that cannot be sampled by copies, about.
const MANY: f64 = 3e4;

/// An object of a scene, in small.
#[derive(Clone, Debug)]
pub struct ObjectSample {
    /// Where it is in the scene, as in `cloth[0]`.
    pub path: String,
    /// Particles of the object with all of its copies, or its copies if it has no particles; as far as they are known without
    /// reading meshes.
    pub count: f64,
    /// Scenes of a part of the object alone, the smaller first, each with what `count` is in it. One where memory is
    /// proportional to the number, two where a surface has its share; none if the object is not larger than a sample.
    pub parts: Vec<(Scene, f64)>,
    /// Dimensions of the lattice that it is made of.
    pub dimensions: u32,
}

impl ObjectSample {
    /// Extrapolates what the parts take, such as bytes, to the whole object.
    pub fn extrapolate(&self, taken: &[f64]) -> f64 {
        match (&self.parts[..], taken) {
            ([(_, n)], [t]) => t / n * self.count,
            ([(_, n), (_, m)], [t, u]) => {
                // t = a·n + b·n^p, with p of a surface.
                let p = (f64::from(self.dimensions) - 1.0) / f64::from(self.dimensions);
                let (s, r) = (n.powf(p), m.powf(p));
                let b = (t * m - u * n) / (s * m - r * n);
                let a = (t - b * s) / n;
                // A sample so small that this is noise counts by its larger part.
                let sum = a * self.count + b * self.count.powf(p);
                if a > 0.0 { sum } else { u / m * self.count }
            }
            _ => 0.0,
        }
    }
}

/// Samples of all objects of a scene that are larger than a sample.
pub fn samples(scene: &Scene) -> Vec<ObjectSample> {
    let mut all = Vec::new();
    for kind in ObjectKind::SOLIDS.into_iter().chain([ObjectKind::Liquid]) {
        for index in 0..scene.count(kind) {
            let object = scene.object(kind, index);
            all.push(sample(format!("{}[{index}]", kind.name()), &object, scene));
        }
    }
    all
}

fn sample(path: String, object: &Object, scene: &Scene) -> ObjectSample {
    let copies = array(object).map_or(1.0, |a| a.count.iter().map(|&c| f64::from(c)).product());
    let (each, dimensions) = particles(object, scene);
    let count = each.max(1.0) * copies;
    let mut sample = ObjectSample { path, count, parts: Vec::new(), dimensions };
    if count <= FEW {
        return sample;
    }
    if copies > 1.0 && each <= FEW {
        // A power of two less, so that lists which double have the same spare room.
        let wanted = (FEW / each.max(1.0)).max(1.0);
        let taken = copies / (copies / wanted).log2().max(0.0).round().exp2();
        let taken = taken.round().clamp(1.0, copies);
        let mut part = object.clone();
        set_array(&mut part, Some(ArraySpec { count: [taken as u32, 1, 1], spacing: [0.0, 0.0, 0.0] }), array(object));
        sample.parts.push((alone(part, scene), each.max(1.0) * taken));
        return sample;
    }
    for wanted in [FEW, MANY] {
        let mut part = object.clone();
        set_array(&mut part, None, None);
        if each > wanted && dimensions > 0 {
            shrink(&mut part, (wanted / each).powf(1.0 / f64::from(dimensions)));
        }
        let (n, _) = particles(&part, scene);
        sample.parts.push((alone(part, scene), n.max(1.0)));
        if dimensions <= 1 || each <= wanted {
            break;
        }
    }
    sample
}

/// A scene of one object, with the settings of another.
fn alone(object: Object, scene: &Scene) -> Scene {
    let mut part = Scene {
        solver: scene.solver.clone(),
        fluid: scene.fluid.clone(),
        world: scene.world.clone(),
        ..Scene::default()
    };
    part.contact = scene.contact.clone();
    if scene.collides() {
        // Other objects make all of them collide.
        part.contact.between = part.contact.between.or(Some(true));
    }
    part.push(object);
    part
}

fn array(object: &Object) -> Option<ArraySpec> {
    match object {
        Object::Cloth(o) => o.array,
        Object::Rope(o) => o.array,
        Object::Soft(o) => o.array,
        Object::Inflatable(o) => o.array,
        Object::Grains(o) => o.array,
        Object::Body(o) => o.array,
        Object::Liquid(o) => o.array,
        _ => None,
    }
}

/// Sets the copies; they keep the spacing of `like`, along its first direction with more than one.
fn set_array(object: &mut Object, array: Option<ArraySpec>, like: Option<ArraySpec>) {
    let array = array.map(|mut a| {
        let spacing = like.map_or([0.0; 3], |l| {
            let along = (0..3).find(|&k| l.count[k] > 1).unwrap_or(0);
            let step = l.spacing[along];
            // Far copies would leave the allowed range.
            [step.clamp(-1e5 / a.count[0] as f32, 1e5 / a.count[0] as f32), 0.0, 0.0]
        });
        a.spacing = spacing;
        a
    });
    let place = match object {
        Object::Cloth(o) => &mut o.array,
        Object::Rope(o) => &mut o.array,
        Object::Soft(o) => &mut o.array,
        Object::Inflatable(o) => &mut o.array,
        Object::Grains(o) => &mut o.array,
        Object::Body(o) => &mut o.array,
        Object::Liquid(o) => &mut o.array,
        _ => return,
    };
    *place = array;
}

/// Particles that an object made from a mesh file counts as, before the file is read.
const OF_A_MESH: f64 = 2e4;

/// Tetrahedra for each particle of a filled surface, about.
const TETS_OF_A_PARTICLE: f64 = 4.6;

/// Particles of one copy, as far as known, and dimensions of their lattice; 0 if it has no size to shrink.
fn particles(object: &Object, scene: &Scene) -> (f64, u32) {
    let points = |cells: u32| f64::from(cells) + 1.0;
    let grains = |g: &Grains| {
        let spacing = f64::from(g.distance.unwrap_or(2.0 * g.radius));
        let scale = f64::from(g.transform.scale);
        if let Some(fill) = &g.fill {
            let along = |k: usize| (f64::from(fill.max[k] - fill.min[k]) * scale / spacing).max(1.0);
            return (along(0) * along(1) * along(2), 3);
        }
        g.pour.as_ref().map_or((OF_A_MESH, 0), |p| (p.count() as f64, 1))
    };
    match object {
        Object::Cloth(c) => match (&c.grid, &c.inline) {
            (Some(g), _) => (points(g.cells[0]) * points(g.cells[1]), 2),
            (_, Some(mesh)) => (mesh.points.len() as f64, 0),
            _ => (OF_A_MESH, 0),
        },
        Object::Rope(r) => (points(r.segments), 1),
        Object::Soft(s) => {
            if let Some(b) = &s.block {
                return (b.cells.iter().map(|&c| points(c)).product(), 3);
            }
            if let Some(b) = &s.ball {
                return (0.52 * points(b.cells).powi(3), 3);
            }
            if let Some(t) = &s.torus {
                let layers = t.layers.unwrap_or(t.cells[1]);
                return (f64::from(t.cells[0]) * points(t.cells[1]) * points(layers), 3);
            }
            if s.has_surface() {
                let spec = s.tetrahedra.unwrap_or_default();
                let known = spec.count.or(spec.size.is_none().then_some(TetrahedraSpec::COUNT));
                return known.map_or((OF_A_MESH, 0), |count| (f64::from(count) / TETS_OF_A_PARTICLE, 3));
            }
            let lattice = s.urchin.as_ref().map(|u| u.cells + 2 * u.spikes.cells[1]);
            let lattice = lattice.or(s.figure.as_ref().map(|f| f.cells));
            lattice.map_or((OF_A_MESH, 0), |cells| (0.3 * points(cells).powi(3), 3))
        }
        Object::Inflatable(b) => {
            b.sphere.as_ref().map_or((OF_A_MESH, 0), |s| (10.0 * 4_f64.powi(s.subdivisions as i32) + 2.0, 2))
        }
        Object::Grains(g) => grains(g),
        Object::Liquid(l) => grains(&as_grains(l, scene.fluid.radius)),
        Object::Body(b) if b.model == Some(BodyModel::Particles) || b.names_particles() => {
            let n = f64::from(b.particles_across());
            let shares = b.cuboid.map_or(0.52, |size| {
                let longest = size.iter().fold(f32::MIN_POSITIVE, |m, s| m.max(*s));
                size.iter().map(|s| f64::from(s / longest)).product()
            });
            (n.powi(3) * shares, 3)
        }
        // A rigid body has no particles.
        Object::Body(b) => (if b.mesh.is_some() { OF_A_MESH } else { 0.0 }, 0),
        _ => (0.0, 0),
    }
}

/// Reduces an object to a share of its extent along each axis, with particles as dense as before.
fn shrink(object: &mut Object, share: f64) {
    let fewer = |cells: &mut u32, least: u32| -> f32 {
        let before = (*cells).max(1);
        *cells = ((f64::from(before) * share).round() as u32).clamp(least.min(before), before);
        *cells as f32 / before as f32
    };
    let shorter = |fill: &mut FillSpec| {
        for k in 0..3 {
            fill.max[k] = fill.min[k] + ((fill.max[k] - fill.min[k]) as f64 * share) as f32;
        }
    };
    match object {
        Object::Cloth(c) => {
            c.pin.clear();
            if let Some(g) = &mut c.grid {
                (0..2).for_each(|k| g.size[k] *= fewer(&mut g.cells[k], 1));
            }
        }
        Object::Rope(r) => {
            r.pin.clear();
            fewer(&mut r.segments, 1);
        }
        Object::Soft(s) => {
            s.pin.clear();
            if let Some(b) = &mut s.block {
                (0..3).for_each(|k| b.size[k] *= fewer(&mut b.cells[k], 1));
            }
            if let Some(b) = &mut s.ball {
                b.radius *= fewer(&mut b.cells, 2);
            }
            if s.has_surface() {
                let spec = s.tetrahedra.get_or_insert_default();
                let count = f64::from(spec.count.unwrap_or(TetrahedraSpec::COUNT)) * share.powi(3);
                spec.count = Some((count as u32).max(1000));
            }
            if let Some(t) = &mut s.torus {
                let mut layers = t.layers.unwrap_or(t.cells[1]);
                fewer(&mut layers, 1);
                t.layers = Some(layers);
                fewer(&mut t.cells[1], 1);
                fewer(&mut t.cells[0], 3);
            }
            if let Some(f) = &mut s.figure {
                fewer(&mut f.cells, 12);
            }
            if let Some(u) = &mut s.urchin {
                // Spikes keep their shape: a smaller one has fewer.
                fewer(&mut u.cells, 2 * (u.spikes.cells[0] + u.spikes.gap));
            }
        }
        Object::Inflatable(b) => {
            b.pin.clear();
            if let Some(s) = &mut b.sphere {
                let fewer = (-(share.log2())).round().max(0.0) as u32;
                s.subdivisions = s.subdivisions.saturating_sub(fewer);
            }
        }
        Object::Grains(g) => {
            g.fill.iter_mut().for_each(shorter);
            g.pour.iter_mut().for_each(|p| p.until *= share as f32);
        }
        Object::Liquid(l) => {
            l.fill.iter_mut().for_each(shorter);
            l.pour.iter_mut().for_each(|p| p.until *= share as f32);
        }
        Object::Body(b) => {
            b.grid = ((f64::from(b.particles_across()) * share).round() as u32).max(2);
        }
        _ => {}
    }
}
