//! Lines over the picture: contacts, forces, constraints, boxes around objects.

use crate::session::command::Observed;
use glam::Vec3;
use pliant::constraints::ConstraintKind;
use pliant::scene::ObjectKind;
use pliant::{GripHandle, Handle, World};

/// Most constraints that are drawn.
const MOST_CONSTRAINTS: usize = 200_000;

/// Most objects whose contacts are asked for: each asks for all of the world.
const MOST_OBJECTS: usize = 96;

/// End of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineEnd {
    /// Where it is [m].
    pub position: Vec3,
    /// Color, sRGB.
    pub color: [u8; 3],
}

/// Colors of the overlay, which the window names beside its switches.
pub mod colors {
    /// Points of contact and their normals.
    pub const CONTACT: [u8; 3] = [255, 210, 60];
    /// Forces.
    pub const FORCE: [u8; 3] = [255, 90, 80];
    /// The pull of the pointer.
    pub const GRIP: [u8; 3] = [120, 230, 255];
    /// Boxes.
    pub const BOUNDS: [u8; 3] = [150, 230, 130];
    /// The box around the selected object.
    pub const SELECTED: [u8; 3] = [255, 255, 255];
}

/// What the overlay is made of.
pub struct Sources<'a> {
    /// What is wanted.
    pub observed: Observed,
    /// The objects.
    pub objects: &'a [Handle],
    /// The selected one.
    pub selected: Option<Handle>,
    /// The grip, and where its point shall be.
    pub grip: Option<(GripHandle, Vec3)>,
    /// Size of the scene [m].
    pub size: f32,
}

/// All lines, two ends each. Objects that cannot answer are left out.
pub fn overlay(world: &mut World, sources: &Sources<'_>) -> Vec<LineEnd> {
    let mut lines = Lines(Vec::new());
    let observed = sources.observed;
    if observed.constraints {
        constraints(world, &mut lines);
    }
    if observed.bounds {
        sources.objects.iter().for_each(|&object| bounds(world, object, colors::BOUNDS, &mut lines));
    }
    if let Some(object) = sources.selected {
        bounds(world, object, colors::SELECTED, &mut lines);
    }
    if observed.contacts || observed.forces {
        contacts(world, sources, &mut lines);
    }
    if observed.forces {
        pins(world, sources, &mut lines);
    }
    if let Some((grip, target)) = sources.grip
        && let Ok(point) = world.grip_point(grip)
    {
        lines.add(point, target, colors::GRIP);
        lines.cross(target, 0.01 * sources.size, colors::GRIP);
    }
    lines.0
}

struct Lines(Vec<LineEnd>);

impl Lines {
    fn add(&mut self, from: Vec3, to: Vec3, color: [u8; 3]) {
        if from.is_finite() && to.is_finite() {
            self.0.extend([from, to].map(|position| LineEnd { position, color }));
        }
    }

    fn cross(&mut self, at: Vec3, half: f32, color: [u8; 3]) {
        Vec3::AXES.into_iter().for_each(|axis| self.add(at - axis * half, at + axis * half, color));
    }

    fn arrow(&mut self, from: Vec3, to: Vec3, color: [u8; 3]) {
        self.add(from, to, color);
        let way = to - from;
        let side = way.normalize_or(Vec3::Y).any_orthonormal_vector() * (0.12 * way.length());
        for side in [side, -side] {
            self.add(to, to - way * 0.22 + side, color);
        }
    }
}

/// Length of the arrow of a force [m]: a root, so that a crate and a grain are both seen.
fn length_of(force: f32, weight: f32, size: f32) -> f32 {
    0.08 * size * (force / weight.max(1e-9)).sqrt().min(5.0)
}

fn contacts(world: &mut World, sources: &Sources<'_>, lines: &mut Lines) {
    let weight = typical_weight(world, sources.objects);
    for &object in sources.objects.iter().take(MOST_OBJECTS) {
        let Ok(points) = world.contacts(object) else { continue };
        // Each contact comes twice, once from each side; from the objects beyond the limit it comes once.
        for point in points.iter().filter(|p| object < p.other || !sources.objects.contains(&p.other)) {
            if sources.observed.contacts {
                let half = 0.006 * sources.size;
                lines.cross(point.position, half, colors::CONTACT);
                lines.add(point.position, point.position + point.normal * (4.0 * half), colors::CONTACT);
            }
            if sources.observed.forces {
                let force = point.force();
                let way = force.normalize_or_zero() * length_of(force.length(), weight, sources.size);
                lines.arrow(point.position, point.position + way, colors::FORCE);
            }
        }
    }
}

/// Mean weight of the objects [N].
fn typical_weight(world: &mut World, objects: &[Handle]) -> f32 {
    let mut masses = Vec::new();
    for &h in objects.iter().take(MOST_OBJECTS) {
        if world.kind(h).is_ok_and(|kind| kind != ObjectKind::Collider)
            && let Ok(momentum) = world.momentum(h)
        {
            masses.push(momentum.mass);
        }
    }
    let mean = masses.iter().sum::<f64>() / (masses.len().max(1) as f64);
    (9.81 * mean) as f32
}

fn pins(world: &mut World, sources: &Sources<'_>, lines: &mut Lines) {
    let weight = typical_weight(world, sources.objects);
    for &object in sources.objects.iter().take(MOST_OBJECTS) {
        let Ok(pull) = world.pin_force(object) else { continue };
        if pull.particles == 0 || pull.force.length() == 0.0 {
            continue;
        }
        // The point of the force's line that is nearest to the object's center.
        let Ok((low, high)) = world.bounds(object) else { continue };
        let (center, force) = (0.5 * (low + high), pull.force);
        let axis = force.cross(pull.torque) / force.length_squared();
        let at = axis + force * ((center - axis).dot(force) / force.length_squared());
        let way = force.normalize() * length_of(force.length(), weight, sources.size);
        lines.arrow(at, at + way, colors::FORCE);
    }
}

fn bounds(world: &mut World, object: Handle, color: [u8; 3], lines: &mut Lines) {
    let Ok((low, high)) = world.bounds(object) else { return };
    let corner = |k: usize| Vec3::new([low.x, high.x][k & 1], [low.y, high.y][k >> 1 & 1], [low.z, high.z][k >> 2]);
    for k in 0..8 {
        for bit in [1, 2, 4] {
            if k & bit == 0 {
                lines.add(corner(k), corner(k | bit), color);
            }
        }
    }
}

/// Lines between the particles of each constraint: those that stretch from blue (short) by green to red (long), others gray.
fn constraints(world: &World, lines: &mut Lines) {
    let (state, mut count) = (world.state(), 0);
    let at = |row: u32| Vec3::from_slice(&state.rows[row as usize][..3]);
    for kind in ConstraintKind::ALL {
        for view in world.constraints(kind) {
            let rows: Vec<u32> = view.rows.iter().copied().filter(|&r| (r as usize) < state.particles).collect();
            if rows.len() < 2 {
                continue;
            }
            count += 1;
            if count > MOST_CONSTRAINTS {
                return;
            }
            let color = match (kind, &view.params[..]) {
                (ConstraintKind::Stretch, [rest, ..]) => strain_color(at(rows[0]).distance(at(rows[1])) / rest - 1.0),
                (ConstraintKind::Stretch | ConstraintKind::StretchShear, _) => [120, 190, 120],
                (ConstraintKind::Bend | ConstraintKind::Isometric, _) => {
                    // Its last two particles are across the edge of its first two.
                    lines.add(at(rows[rows.len() - 2]), at(rows[rows.len() - 1]), [110, 110, 150]);
                    continue;
                }
                _ => [150, 150, 160],
            };
            rows.windows(2).for_each(|pair| lines.add(at(pair[0]), at(pair[1]), color));
        }
    }
}

/// Full color at a twentieth.
fn strain_color(strain: f32) -> [u8; 3] {
    let t = (20.0 * strain).clamp(-1.0, 1.0);
    let mix = |a: f32, b: f32| (a + (b - a) * t.abs()) as u8;
    let end = if t > 0.0 { [255.0, 70.0, 60.0] } else { [80.0, 130.0, 255.0] };
    [mix(120.0, end[0]), mix(200.0, end[1]), mix(120.0, end[2])]
}
