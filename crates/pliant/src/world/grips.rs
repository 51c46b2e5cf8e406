//! Grabbing objects at a point found by a ray, moving them and letting go.

use crate::grip::{Grip, MOST_MEMBERS};
use crate::math::{Pose, position};
use crate::scene::ObjectKind;
use crate::world::World;
use crate::world::definition::{Handle, next_generation};
use crate::world::edit::EditError;
use crate::world::objects::momentum;
use crate::world::spatial::{Feature, Hit};
use glam::Vec3;

/// How an object is gripped.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GripOptions {
    /// Compliance [m/N]; default a millimeter under the object's own weight.
    pub compliance: Option<f32>,
    /// Maximum force [N]; default 20 times the object's weight.
    pub max_force: Option<f32>,
    /// Radius around the point within which particles of cloth, ropes, soft bodies and liquids move as one [m]; default a
    /// tenth of the object's size, at least three of its particle radii. Bodies move as a whole.
    pub radius: Option<f32>,
}

/// A grip. It stays valid until it is released or its object is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GripHandle {
    slot: u32,
    generation: u64,
}

/// What a slot for grips holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GripSlot {
    generation: u64,
    held: Option<Held>,
}

#[derive(Clone, Debug, PartialEq)]
enum Held {
    /// The grip of the model with the number of the slot, on particles or a rigid body of an object.
    Object(Handle),
    /// A collider, and the gripped point in its frame.
    Collider(Handle, Vec3),
}

/// Weight of a kilogram [N], for defaults.
const WEIGHT: f32 = 9.81;

impl World {
    /// Grips an object at a point that a query has found. The point stays where it is until [`Self::move_grip`]. A
    /// collider follows exactly; everything else is pulled by a force. A GPU reads back the positions of this object
    /// only.
    pub fn grab(&mut self, hit: &Hit, options: &GripOptions) -> Result<GripHandle, EditError> {
        for (what, value) in
            [("compliance", options.compliance), ("force", options.max_force), ("radius", options.radius)]
        {
            if value.is_some_and(|v| !(v >= 0.0 && v.is_finite())) {
                return Err(EditError::Value(format!(
                    "the {what} of a grip is {value:?}, but must be finite and not negative"
                )));
            }
        }
        if !hit.point.is_finite() {
            return Err(EditError::Value(format!("{} is no point", hit.point)));
        }
        let kind = self.source(hit.object)?.kind;
        self.apply_edits()?;
        let (grip, held) = if kind == ObjectKind::Collider {
            let local = self.pose(hit.object)?.inward(hit.point);
            (Grip::released(), Held::Collider(hit.object, local))
        } else {
            let grip = match hit.feature {
                Feature::Body(body) => self.body_grip(hit, body, options)?,
                _ => self.particle_grip(hit, kind, options)?,
            };
            (grip, Held::Object(hit.object))
        };
        let slot = self.grips.iter().position(|s| s.held.is_none());
        let slot = slot.unwrap_or_else(|| {
            self.grips.push(GripSlot { generation: 0, held: None });
            self.grips.len() - 1
        });
        self.grips[slot] = GripSlot { generation: next_generation(), held: Some(held) };
        self.model.grips.resize(self.grips.len(), Grip::released());
        self.model.grips[slot] = grip;
        self.wake_gripped(slot);
        self.grip_changed(slot)?;
        Ok(GripHandle { slot: slot as u32, generation: self.grips[slot].generation })
    }

    fn particle_grip(&mut self, hit: &Hit, kind: ObjectKind, options: &GripOptions) -> Result<Grip, EditError> {
        let range = self.particles_of(hit.object)?;
        let objects = self.model.topology.objects[range.clone()].to_vec();
        let state = self.read_rows(range.clone(), false)?;
        let known = |i: u32| range.contains(&(i as usize)).then_some(i);
        let stale = || EditError::Unsuitable("the point is not on the object any more: query again".to_owned());
        let anchor = match hit.feature {
            Feature::Particle(i) => {
                let i = known(i).ok_or_else(stale)?;
                [(i, 1.0), (i, 0.0), (i, 0.0)]
            }
            Feature::Triangle { particles: [a, b, c], weights: [u, v, w] } => {
                let finite = [u, v, w].iter().all(|w| w.is_finite() && w.abs() <= 2.0);
                let all = [a, b, c].map(known);
                match all {
                    [Some(a), Some(b), Some(c)] if finite => [(a, u), (b, v), (c, w)],
                    _ => return Err(stale()),
                }
            }
            Feature::Collider | Feature::Body(_) => return Err(stale()),
        };
        let point: Vec3 = anchor.iter().map(|&(i, w)| position(state.rows[i as usize]) * w).sum();
        let first = anchor[0].0 as usize;
        let bounds = range.clone().filter(|&i| !state.is_inactive(i)).map(|i| position(state.rows[i]));
        let (low, high) = bounds.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        let size = (high - low).max_element().max(2.0 * state.radii[first]);
        let radius = options.radius.unwrap_or((0.1 * size).max(3.0 * state.radii[first]));
        let near = |i: &usize| position(state.rows[*i]).distance(point) <= radius;
        let object = objects[first - range.start];
        let own = range.clone().filter(|&i| objects[i - range.start] == object && !state.is_inactive(i));
        let mut cluster: Vec<u32> = match kind {
            ObjectKind::Body => own.map(|i| i as u32).collect(),
            ObjectKind::Grains => vec![first as u32],
            _ => own.filter(near).map(|i| i as u32).collect(),
        };
        let run = cluster.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        if !run && cluster.len() > MOST_MEMBERS - 3 {
            // The nearest of them.
            let apart = |i: &u32| position(state.rows[*i as usize]).distance_squared(point);
            cluster.sort_by(|i, j| apart(i).total_cmp(&apart(j)).then(i.cmp(j)));
            cluster.truncate(MOST_MEMBERS - 3);
            cluster.sort_unstable();
        }
        for (i, _) in anchor {
            if let Err(at) = cluster.binary_search(&i) {
                cluster.insert(at, i);
            }
        }
        let grains = kind == ObjectKind::Grains || kind == ObjectKind::Liquid;
        let members = cluster.iter().map(|&i| i as usize);
        let free = |i: usize| if state.rows[i][3] > 0.0 { 1.0 / state.rows[i][3] } else { 0.0 };
        let mass: f32 = match grains {
            true => members.map(free).sum(),
            false => momentum(state, range.clone()).mass as f32,
        };
        if !cluster.iter().any(|&i| state.rows[i as usize][3] > 0.0) {
            return Err(EditError::Unsuitable("all particles there are fixed".to_owned()));
        }
        let weight = mass * WEIGHT;
        let compliance = options.compliance.unwrap_or(1e-3 / weight);
        let max_force = options.max_force.unwrap_or(20.0 * weight);
        // Beyond α·F the force is at its limit.
        let reach = 0.5 * size + compliance * max_force;
        Ok(Grip { cluster, anchor, body: None, target: point, compliance, max_force, reach })
    }

    fn body_grip(&mut self, hit: &Hit, body: u32, options: &GripOptions) -> Result<Grip, EditError> {
        let own = self.rigid_bodies_of(hit.object)?;
        if !own.contains(&(body as usize)) {
            return Err(EditError::Unsuitable("the point is not on the body any more: query again".to_owned()));
        }
        let state = self.rigid_state()?.bodies[body as usize];
        let shape = &self.model.rigid_bodies.bodies[body as usize].shape;
        let weight = shape.mass.mass as f32 * WEIGHT;
        let compliance = options.compliance.unwrap_or(1e-3 / weight);
        let max_force = options.max_force.unwrap_or(20.0 * weight);
        let local = state.rotation.conjugate() * (hit.point.as_dvec3() - state.position);
        let reach = shape.reach as f32 + compliance * max_force;
        Ok(Grip { body: Some((body, local)), target: hit.point, compliance, max_force, reach, ..Grip::released() })
    }

    /// Moves the target of a grip to a point [m]; the object follows from the next step on.
    pub fn move_grip(&mut self, grip: GripHandle, target: Vec3) -> Result<(), EditError> {
        if !(target.is_finite() && target.abs().max_element() <= 1e6) {
            return Err(EditError::Value(format!("the target {target} is out of range")));
        }
        let held = self.held(grip)?.clone();
        match held {
            Held::Object(object) => {
                self.source(object)?;
                self.apply_edits()?;
                self.model.grips[grip.slot as usize].target = target;
                self.wake_gripped(grip.slot as usize);
                self.grip_moved(grip.slot as usize)
            }
            Held::Collider(object, local) => {
                let now = self.pose(object)?;
                let position = target - now.rotation * local;
                self.set_pose(object, Pose { position, ..now })
            }
        }
    }

    /// Lets go. What was gripped keeps its velocity; a collider stays where it is.
    pub fn release(&mut self, grip: GripHandle) -> Result<(), EditError> {
        self.held(grip)?;
        self.grips[grip.slot as usize].held = None;
        self.wake_gripped(grip.slot as usize);
        match self.model.grips.get_mut(grip.slot as usize) {
            Some(own) => *own = Grip::released(),
            None => return Ok(()),
        }
        self.grip_changed(grip.slot as usize)
    }

    /// What is grabbed, pulled or let go wakes up.
    fn wake_gripped(&mut self, slot: usize) {
        let member = self.model.grips.get(slot).and_then(|grip| grip.cluster.first());
        if let Some(&i) = member {
            self.wake_particles(i as usize..i as usize + 1);
        }
    }

    /// Tells a GPU. The first grip makes it run iterations one by one: its buffers are made anew within the device.
    /// Nothing is read back.
    fn grip_changed(&mut self, slot: usize) -> Result<(), EditError> {
        self.parameters = None;
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            if gpu.grip_room() < self.model.grips.len() {
                return self.update_backend(true);
            }
            gpu.upload_grip(&self.model, slot);
        }
        let _ = slot;
        Ok(())
    }

    /// Tells a GPU the target of a grip: one vector, whatever else there is.
    fn grip_moved(&mut self, slot: usize) -> Result<(), EditError> {
        #[cfg(feature = "gpu")]
        if self.gpu.as_ref().is_some_and(|gpu| gpu.grip_room() > slot) {
            self.parameters = None;
            if let Some(gpu) = &mut self.gpu {
                gpu.upload_grip_target(&self.model, slot);
            }
            return Ok(());
        }
        self.grip_changed(slot)
    }

    /// The gripped point [m]. A GPU reads back the three particles that it follows from.
    pub fn grip_point(&mut self, grip: GripHandle) -> Result<Vec3, EditError> {
        match self.held(grip)?.clone() {
            Held::Collider(object, local) => Ok(self.pose(object)?.outward(local)),
            Held::Object(object) => {
                self.source(object)?;
                self.apply_edits()?;
                let own = self.model.grips[grip.slot as usize].clone();
                match own.body_point(&self.rigid_state()?.bodies) {
                    Some(point) => Ok(point.as_vec3()),
                    None => Ok(own.point(&self.read_scattered(own.anchor.map(|(row, _)| row))?.rows)),
                }
            }
        }
    }

    /// Force of a grip on its object in the last substep [N]; 0 for colliders.
    pub fn grip_force(&self, grip: GripHandle) -> Result<Vec3, EditError> {
        match self.held(grip)? {
            Held::Collider(..) => Ok(Vec3::ZERO),
            Held::Object(_) => {
                let h = self.model.settings.substep();
                #[cfg(feature = "gpu")]
                if let Some(gpu) = &self.gpu {
                    let slot = grip.slot as usize;
                    if self.model.grips.get(slot).is_some_and(|own| own.body.is_some()) {
                        let multiplier = gpu.rigid_bodies.grip_multiplier(&self.model, slot, h);
                        return Ok((multiplier / f64::from(h * h)).as_vec3());
                    }
                    let multiplier = gpu.grip_multiplier(grip.slot as usize).map_err(crate::error::StepError::from)?;
                    return Ok(Vec3::from(multiplier) / (h * h));
                }
                Ok(self.cpu.grip_force(grip.slot as usize, h).as_vec3())
            }
        }
    }

    fn held(&self, grip: GripHandle) -> Result<&Held, EditError> {
        let slot = self.grips.get(grip.slot as usize).filter(|s| s.generation == grip.generation);
        let held = slot.and_then(|s| s.held.as_ref()).ok_or(EditError::Stale)?;
        let (Held::Object(object) | Held::Collider(object, _)) = held;
        self.source(*object).map(|_| held)
    }
}
