//! Rigid bodies with exact shapes.

use crate::builder::part::{Outline, Part, RigidPart};
use crate::builder::placement::rotation;
use crate::builder::{BuildError, MeshSource, collider, generate, named};
use crate::contact::collider::{BodyCollider, Collider};
use crate::contact::collider_contact::{ColliderShape, Friction};
use crate::error::SceneError;
use crate::geometry::convex_parts::{PartLimits, cached_convex_parts};
use crate::math::Pose;
use crate::mesh::TriMesh;
use crate::mesh::repair::{SurfaceNeed, clean_surface};
use crate::rigid_body::bodies::{BodyParams, BodyShape, ColliderGeometry, Piece, RigidBodyModel, SurfaceLaw};
use crate::rigid_body::mass::MassProperties;
use crate::rigid_body::polytope::Polytope;
use crate::rigid_body::shape::{Convex, Frame};
use crate::scene::{Body, BodyModel, BodyPart, IcosphereSpec, RoundSpec, Scene};
use glam::{DVec3, Vec3};
use std::sync::Arc;

/// Segments around the axis of round shapes that are drawn.
const SEGMENTS: usize = 48;

/// Most convex pieces of a mesh, unless the scene says otherwise.
const PIECES: usize = 32;
/// Volume that pieces may have beside their mesh, relative to it.
const EXCESS: f64 = 0.03;
/// Volume beside a mesh from which on a note says what to do.
const COARSE_EXCESS: f64 = 0.1;
/// Most corners of a piece of several: contacts walk over all of them.
const PIECE_CORNERS: usize = 64;

/// Whether a body of a scene is rigid with an exact shape.
pub fn is_rigid(scene: &Scene, index: usize) -> bool {
    let body = &scene.body[index];
    let name = named(&body.name, "body", index);
    let is_named = scene.melt.iter().any(|m| m.body == name)
        || scene.attach.iter().any(|a| a.from.object == name || a.to.object == name);
    match body.model {
        Some(model) => model == BodyModel::Rigid,
        None => body.has_rigid_shape() || !body.names_particles() && !is_named,
    }
}

/// One copy of a rigid body: no particles, but a shape.
pub fn rigid_body(at: &str, spec: &Body, meshes: &dyn MeshSource, notes: &mut Vec<String>) -> Result<Part, BuildError> {
    let (scale, density) = (f64::from(spec.transform.scale), f64::from(spec.density));
    let (mut pieces, mut mass, mut surface) = (Vec::new(), MassProperties::ZERO, TriMesh::default());
    let flat = |at: &str| SceneError::new(at, "has no volume: all of its points lie in one plane");
    if let Some(path) = &spec.mesh {
        let found = meshes.triangles(path).map_err(|e| SceneError::new(format!("{at}.mesh"), e))?;
        let cleaned = clean_surface(found, SurfaceNeed::Closed).map_err(|e| SceneError::new(at, e.to_string()))?;
        notes.extend(cleaned.1.into_iter().map(|note| format!("{at}: {note}")));
        surface = cleaned.0;
        let limits = PartLimits {
            parts: spec.pieces.map_or(PIECES, |pieces| pieces as usize),
            excess: EXCESS,
            corners: PIECE_CORNERS,
        };
        // Before it is scaled, so that bodies of all sizes share the work.
        let points: Vec<DVec3> = surface.positions.iter().map(|p| p.as_dvec3()).collect();
        let parts = cached_convex_parts(&points, &surface.triangles, &limits);
        surface.positions.iter_mut().for_each(|p| *p *= spec.transform.scale);
        let points: Vec<DVec3> = surface.positions.iter().map(|p| p.as_dvec3()).collect();
        let hull = Polytope::hull(&points).ok_or_else(|| flat(at))?;
        mass = MassProperties::of_mesh(&points, surface.triangles.iter().copied(), density);
        let scaled = |part: &Vec<DVec3>| part.iter().map(|&p| p * scale).collect::<Vec<_>>();
        let hulls = match &parts {
            Some(found) => found.parts.iter().filter_map(|part| Polytope::hull(&scaled(part))).collect(),
            None => vec![hull],
        };
        if let Some(found) = &parts {
            let more = if found.excess > COARSE_EXCESS { "; a larger `pieces` comes closer" } else { "" };
            notes.push(format!(
                "{at}: the mesh collides as {} convex pieces, whose volume differs by {:.1} %{more}",
                hulls.len(),
                100.0 * found.excess
            ));
        }
        let piece = |hull| Piece { frame: Frame::IDENTITY, shape: Convex::Hull(Arc::new(hull)) };
        pieces.extend(hulls.into_iter().map(piece));
    } else {
        let whole = BodyPart {
            cuboid: spec.cuboid,
            ball: spec.ball,
            capsule: spec.capsule,
            cylinder: spec.cylinder,
            cone: spec.cone,
            convex: spec.convex.clone(),
            ..BodyPart::default()
        };
        let all = if spec.parts.is_empty() { std::slice::from_ref(&whole) } else { &spec.parts[..] };
        for part in all {
            let shape = convex(part, scale).ok_or_else(|| flat(at))?;
            let position = Vec3::from(part.translate).as_dvec3() * scale;
            let frame = Frame { position, rotation: rotation(part.rotate).as_dquat().normalize() };
            mass = mass.joined(&MassProperties::of_convex(&shape, density).placed(&frame));
            draw(&shape, &frame, &mut surface);
            pieces.push(Piece { frame, shape });
        }
    }
    let shape = BodyShape::new(pieces, mass).ok_or_else(|| {
        SceneError::new(at, "has no mass or inertia that can be computed with")
            .help("its volume or density is too small")
    })?;
    let center = mass.center;
    surface.positions.iter_mut().for_each(|p| *p = (p.as_dvec3() - center).as_vec3());
    let turn = rotation(spec.transform.rotate).as_dquat().normalize();
    let position = turn * center + Vec3::from(spec.transform.translate).as_dvec3();
    let mut part = Part::new(Vec::new(), Vec::new(), Outline::Body);
    part.velocity = Vec3::from(spec.velocity);
    part.rigid = Some(RigidPart {
        shape: Arc::new(shape),
        frame: Frame { position, rotation: turn },
        surface: Arc::new(surface),
    });
    Ok(part)
}

fn convex(part: &BodyPart, scale: f64) -> Option<Convex> {
    let round = |r: RoundSpec| (0.5 * f64::from(r.length) * scale, f64::from(r.radius) * scale);
    if let Some(size) = part.cuboid {
        return Some(Convex::cuboid(Vec3::from(size).as_dvec3() * (0.5 * scale)));
    }
    if let Some(radius) = part.ball {
        return Some(Convex::Sphere { radius: f64::from(radius) * scale });
    }
    if let Some((half_length, radius)) = part.capsule.map(round) {
        return Some(Convex::Capsule { half_length, radius });
    }
    if let Some((half_length, radius)) = part.cylinder.map(round) {
        return Some(Convex::Cylinder { half_length, radius });
    }
    if let Some((half_length, radius)) = part.cone.map(round) {
        return Some(Convex::Cone { half_length, radius });
    }
    let points: Vec<DVec3> = part.convex.iter().flatten().map(|p| Vec3::from(*p).as_dvec3() * scale).collect();
    Polytope::hull(&points).map(|hull| Convex::Hull(Arc::new(hull)))
}

/// Appends the triangles of a shape for drawing.
fn draw(shape: &Convex, frame: &Frame, surface: &mut TriMesh) {
    let mesh = match shape {
        Convex::Sphere { radius } => generate::icosphere(&IcosphereSpec { radius: *radius as f32, subdivisions: 4 }),
        Convex::Box { polytope, .. } | Convex::Hull(polytope) => {
            // Faces share no vertices, so that edges are sharp.
            let mut mesh = TriMesh::default();
            for face in &polytope.faces {
                let first = mesh.positions.len() as u32;
                mesh.positions.extend(face.corners.iter().map(|&k| polytope.corners[k as usize].as_vec3()));
                mesh.triangles.extend((1..face.corners.len() as u32 - 1).map(|k| [first, first + k, first + k + 1]));
            }
            mesh
        }
        Convex::Cylinder { half_length: h, radius: r } => revolve(&[[0.0, *h], [*r, *h], [*r, -h], [0.0, -h]], true),
        Convex::Cone { half_length: h, radius: r } => revolve(&[[0.0, *h], [*r, -h], [0.0, -h]], true),
        Convex::Capsule { half_length: h, radius: r } => {
            let arc = |k: usize| {
                let angle = std::f64::consts::FRAC_PI_2 * (1.0 - k as f64 / 8.0);
                let y = if k <= 8 { *h } else { -h };
                [r * libm::cos(angle), y + r * libm::sin(angle)]
            };
            // The equator counts twice: once at each end of the tube.
            let profile: Vec<[f64; 2]> = (0..=8)
                .map(arc)
                .chain((8..=16).map(|k| {
                    let [x, y] = arc(k.max(8));
                    if k == 8 { [x, y - 2.0 * h] } else { [x, y] }
                }))
                .collect();
            revolve(&profile, false)
        }
    };
    let first = surface.positions.len() as u32;
    surface.positions.extend(mesh.positions.iter().map(|p| frame.outward(p.as_dvec3()).as_vec3()));
    surface.triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| v + first)));
}

/// Surface of revolution about y of a profile (r, y) from top to bottom; with `sharp`, its pieces share no vertices.
fn revolve(profile: &[[f64; 2]], sharp: bool) -> TriMesh {
    let mut mesh = TriMesh::default();
    let ring = |mesh: &mut TriMesh, [r, y]: [f64; 2]| {
        let first = mesh.positions.len() as u32;
        mesh.positions.extend((0..SEGMENTS).map(|k| {
            let angle = std::f64::consts::TAU * k as f64 / SEGMENTS as f64;
            DVec3::new(r * libm::sin(angle), y, r * libm::cos(angle)).as_vec3()
        }));
        first
    };
    let mut last = None;
    for pair in profile.windows(2) {
        let above = last.filter(|_| !sharp).unwrap_or_else(|| ring(&mut mesh, pair[0]));
        let below = ring(&mut mesh, pair[1]);
        for k in 0..SEGMENTS as u32 {
            let next = (k + 1) % SEGMENTS as u32;
            if pair[1][0] > 0.0 {
                mesh.triangles.push([above + k, below + k, below + next]);
            }
            if pair[0][0] > 0.0 {
                mesh.triangles.push([above + k, below + next, above + next]);
            }
        }
        last = Some(below);
    }
    mesh
}

/// A collider's shape as rigid bodies see it.
pub fn collider_geometry(collider: &Collider) -> ColliderGeometry {
    collider.shape.rigid_geometry()
}

/// Contact between the rigid bodies of a scene.
pub fn between(scene: &Scene) -> SurfaceLaw {
    let c = &scene.contact;
    SurfaceLaw {
        static_friction: f64::from(c.friction.static_friction),
        kinetic_friction: f64::from(c.friction.kinetic_friction),
        restitution: f64::from(c.restitution),
        rolling: f64::from(c.rolling),
    }
}

/// Pieces of rigid bodies as particles see them. Copies of a body share their tables.
pub fn body_colliders(scene: &Scene, model: &RigidBodyModel) -> Result<Vec<BodyCollider>, BuildError> {
    let friction = &scene.contact.friction;
    let friction = Friction { static_friction: friction.static_friction, kinetic_friction: friction.kinetic_friction };
    let mut all: Vec<BodyCollider> = Vec::new();
    let mut last: Option<(&Arc<BodyShape>, Vec<ColliderShape>)> = None;
    for (number, params) in model.bodies.iter().enumerate() {
        let known = last.take().filter(|(shape, _)| Arc::ptr_eq(shape, &params.shape));
        let shapes = match known {
            Some((_, shapes)) => shapes,
            None => params.shape.pieces.iter().map(|p| collider_shape(&p.shape)).collect::<Result<_, _>>()?,
        };
        all.extend(pieces_of(number, params, &shapes, friction));
        last = Some((&params.shape, shapes));
    }
    sort_by_environment(model, &mut all);
    Ok(all)
}

/// Pieces of a body as particles see them.
fn pieces_of(
    number: usize,
    params: &BodyParams,
    shapes: &[ColliderShape],
    friction: Friction,
) -> impl Iterator<Item = BodyCollider> {
    let object = params.object;
    params.shape.pieces.iter().zip(shapes).map(move |(piece, shape)| BodyCollider {
        body: number as u32,
        object,
        place: Pose { position: piece.frame.position.as_vec3(), rotation: piece.frame.rotation.as_quat() },
        shape: shape.clone(),
        friction,
        restitution: None,
    })
}

/// Pieces of a body that is added to a world; number and surface of the body are for the model to fill in.
pub(crate) fn added_pieces(params: &BodyParams) -> Result<Vec<BodyCollider>, BuildError> {
    let shapes = params.shape.pieces.iter().map(|p| collider_shape(&p.shape)).collect::<Result<Vec<_>, _>>()?;
    let friction = Friction { static_friction: 0.0, kinetic_friction: 0.0 };
    Ok(pieces_of(0, params, &shapes, friction).collect())
}

/// Puts the pieces of all environments of a batch that correspond to each other side by side.
fn sort_by_environment(model: &RigidBodyModel, pieces: &mut [BodyCollider]) {
    let count = model.bodies.iter().map(|b| b.environment + 1).max().unwrap_or(1);
    let mut next = vec![0_u32; count as usize];
    // Number of each piece among those of its environment, in the order of bodies.
    let mut keys: Vec<(u32, u32, usize)> = Vec::with_capacity(pieces.len());
    for (k, piece) in pieces.iter().enumerate() {
        let environment = model.bodies[piece.body as usize].environment;
        keys.push((next[environment as usize], environment, k));
        next[environment as usize] += 1;
    }
    keys.sort_unstable();
    let sorted: Vec<BodyCollider> = keys.iter().map(|&(_, _, k)| pieces[k].clone()).collect();
    pieces.clone_from_slice(&sorted);
}

fn collider_shape(shape: &Convex) -> Result<ColliderShape, BuildError> {
    let single = |v: f64| v as f32;
    Ok(match shape {
        Convex::Sphere { radius } => ColliderShape::Sphere { radius: single(*radius) },
        Convex::Capsule { half_length, radius } => {
            ColliderShape::Capsule { half_length: single(*half_length), radius: single(*radius) }
        }
        Convex::Cylinder { half_length, radius } => {
            ColliderShape::Cylinder { half_length: single(*half_length), radius: single(*radius) }
        }
        Convex::Box { half, .. } => ColliderShape::Box { half: half.as_vec3() },
        Convex::Cone { half_length, radius } => {
            let rim = (0..SEGMENTS).map(|k| {
                let angle = std::f64::consts::TAU * k as f64 / SEGMENTS as f64;
                DVec3::new(radius * libm::sin(angle), -half_length, radius * libm::cos(angle)).as_vec3()
            });
            let points: Vec<Vec3> = rim.chain([Vec3::new(0.0, *half_length as f32, 0.0)]).collect();
            ColliderShape::Convex(Arc::new(collider::hull("body", &points)?))
        }
        Convex::Hull(polytope) => {
            let points: Vec<Vec3> = polytope.corners.iter().map(|p| p.as_vec3()).collect();
            ColliderShape::Convex(Arc::new(collider::hull("body", &points)?))
        }
    })
}
