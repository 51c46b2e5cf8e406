//! Steering: settings, forces and impulses. Motions of colliders and pins are in `motions`.

use crate::builder::settings::settings;
use crate::math::{Pose, position};
use crate::motion::{Drive, Motion};
#[cfg(feature = "gpu")]
use crate::scene::Integrator;
use crate::scene::{FluidMethod, ObjectKind, Scene, Solver, WindSpec, WorldSpec};
use crate::settings::{Clock, Settings};
use crate::shape_matching::masses::inertia;
use crate::shape_matching::rest_moment::pseudoinverse_f64;
#[cfg(feature = "gpu")]
use crate::solver::gpu::motion_change::MotionChange;
use crate::state::State;
use crate::world::World;
use crate::world::definition::Handle;
use crate::world::edit::EditError;
use crate::world::objects::momentum;
use glam::{DVec3, Vec3};
use std::ops::Range;
use std::sync::Arc;

impl World {
    /// Acceleration of gravity [m/s²].
    pub fn set_gravity(&mut self, gravity: [f32; 3]) -> Result<(), EditError> {
        self.change_world(|world| world.gravity = gravity)
    }

    /// Wind; `None` for still air.
    pub fn set_wind(&mut self, wind: Option<WindSpec>) -> Result<(), EditError> {
        self.change_world(|world| world.wind = wind)
    }

    /// Decay rate of all velocities [1/s].
    pub fn set_damping(&mut self, damping: f32) -> Result<(), EditError> {
        self.change_world(|world| world.damping = damping)
    }

    /// Time step [s] and its substeps, from the next step on. Iterations and methods stay what they are.
    pub fn set_time_step(&mut self, dt: f32, substeps: u32) -> Result<(), EditError> {
        if substeps == 0 {
            return Err(EditError::Value("substeps are 0; at least 1 is needed".into()));
        }
        self.change_steps(|solver| (solver.dt, solver.substeps) = (dt, substeps))
    }

    /// Iterations per substep; 0 is the default of the scene format, 16. Substeps and methods stay what they are.
    pub fn set_iterations(&mut self, iterations: u32) -> Result<(), EditError> {
        self.change_steps(|solver| solver.iterations = iterations)
    }

    /// Particles slower than this are not moved [m/s]; 0 disables sleeping.
    pub fn set_sleep_speed(&mut self, speed: f32) -> Result<(), EditError> {
        self.change_solver(|solver| solver.sleep_speed = speed)
    }

    /// Settings of the world: gravity, air, wind, damping.
    pub fn world_settings(&self) -> &WorldSpec {
        &self.definition.scene.world
    }

    /// Settings of the solver.
    pub fn solver_settings(&self) -> &Solver {
        &self.definition.scene.solver
    }

    fn change_world(&mut self, change: impl FnOnce(&mut WorldSpec)) -> Result<(), EditError> {
        let mut world = self.definition.scene.world.clone();
        change(&mut world);
        Scene { world: world.clone(), ..Scene::default() }.validate()?;
        Arc::make_mut(&mut self.definition).scene.world = world;
        // Restitution and stacking have tables that depend on gravity.
        let deep = self.model.has_restitution() || self.model.particle_contact.is_some_and(|c| c.stacking > 0.0);
        self.settings_changed(deep)
    }

    fn change_solver(&mut self, change: impl FnOnce(&mut Solver)) -> Result<(), EditError> {
        let mut solver = self.definition.scene.solver.clone();
        change(&mut solver);
        Scene { solver: solver.clone(), ..Scene::default() }.validate()?;
        Arc::make_mut(&mut self.definition).scene.solver = solver;
        self.settings_changed(true)
    }

    /// Changes steps or iterations, and writes down what the world has chosen so far: a scene that gives any of them is
    /// built with other defaults for the rest, and a world must not change its methods because of a later edit.
    fn change_steps(&mut self, change: impl FnOnce(&mut Solver)) -> Result<(), EditError> {
        let Settings { substeps, iterations, .. } = self.model.settings;
        let projects = self.model.fluid.as_ref().map(|fluid| fluid.projects);
        self.change_solver(|solver| {
            solver.method = solver.solution_method();
            (solver.substeps, solver.iterations) = (substeps, iterations);
            change(solver);
        })?;
        let scene = &mut Arc::make_mut(&mut self.definition).scene;
        if let (FluidMethod::Auto, Some(projects)) = (scene.fluid.method, projects) {
            scene.fluid.method = if projects { FluidMethod::Projection } else { FluidMethod::Density };
        }
        Ok(())
    }

    /// Takes over the settings of the definition. `deep`: more than the records of substeps depends on them.
    fn settings_changed(&mut self, deep: bool) -> Result<(), EditError> {
        #[cfg(feature = "gpu")]
        if deep {
            // Substeps that lists had no room for are done with the settings they were meant for.
            self.settle()?;
        }
        let before = self.model.settings;
        let mut next = settings(&self.definition.scene, &self.target());
        next.clock = before.clock;
        if !self.definition.scene.gives_steps() {
            // The builder has chosen them by the stiffness of the objects.
            (next.substeps, next.iterations) = (before.substeps, before.iterations);
        }
        if (next.dt, next.substeps) != (before.dt, before.substeps) {
            next.clock = Clock { substeps: self.substeps(), time: self.time() };
        }
        self.model.settings = next;
        self.parameters = None;
        self.wake_all();
        self.update_backend(deep)
    }

    /// Puts a collider or a body of one shape elsewhere at once: nothing is pushed on the way. A body keeps its velocity in
    /// its own frame. A GPU reads back this object only, with BDF2 all of the state.
    pub fn teleport(&mut self, object: Handle, pose: Pose) -> Result<(), EditError> {
        let pose = checked(pose)?;
        if self.source(object)?.kind == ObjectKind::Collider {
            return self.change_motion(object, |_| Motion::new(pose, Drive::Still));
        }
        let now = self.pose(object)?;
        let bodies = self.rigid_bodies_of(object)?;
        if !bodies.is_empty() {
            self.teleport_rigid(bodies.start, pose);
            return Ok(());
        }
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() && self.state.peek().is_none() && self.model.settings.integrator == Integrator::Bdf1 {
            let range = self.particles_of(object)?;
            self.wake_particles(range);
            return self.teleport_on_device(object, now, pose);
        }
        let range = self.particles_of(object)?;
        self.wake_particles(range.clone());
        move_particles(self.state_mut(), range, now, pose);
        Ok(())
    }

    /// Applies an impulse [N·s] to an object, at a point of the world [m] or at its center of mass. The object moves as a
    /// rigid one would; momentum changes by exactly the impulse.
    pub fn apply_impulse(&mut self, object: Handle, impulse: Vec3, at: Option<Vec3>) -> Result<(), EditError> {
        finite("the impulse", impulse)?;
        finite("the point", at.unwrap_or_default())?;
        let bodies = self.rigid_bodies_of(object)?;
        if !bodies.is_empty() {
            let center = self.rigid_momentum(bodies.clone())?.center;
            let arm = at.map_or(DVec3::ZERO, |at| at.as_dvec3() - center);
            return self.push_rigid(bodies, impulse.as_dvec3(), arm.cross(impulse.as_dvec3()));
        }
        let range = self.particles_of(object)?;
        self.wake_particles(range.clone());
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            let linear = self.velocity_of_impulse(range.clone(), impulse)?;
            let change = match at {
                Some(point) => MotionChange::Push { linear, impulse, point },
                None => MotionChange::Add { linear, angular: Vec3::ZERO },
            };
            return self.change_motion_on_device(range, change);
        }
        let whole = momentum(self.current_state()?, range.clone());
        let arm = at.map_or(DVec3::ZERO, |at| at.as_dvec3() - whole.center);
        self.change_momentum(range, impulse.as_dvec3(), arm.cross(impulse.as_dvec3()))
    }

    /// Applies an angular impulse [N·m·s] to an object about its center of mass.
    pub fn apply_angular_impulse(&mut self, object: Handle, impulse: Vec3) -> Result<(), EditError> {
        finite("the impulse", impulse)?;
        let bodies = self.rigid_bodies_of(object)?;
        if !bodies.is_empty() {
            return self.push_rigid(bodies, DVec3::ZERO, impulse.as_dvec3());
        }
        let range = self.particles_of(object)?;
        self.change_momentum(range, DVec3::ZERO, impulse.as_dvec3())
    }

    /// Applies a force [N] during the next step: as the impulse F·dt at its beginning.
    pub fn apply_force(&mut self, object: Handle, force: Vec3, at: Option<Vec3>) -> Result<(), EditError> {
        self.apply_impulse(object, force * self.model.settings.dt, at)
    }

    /// Applies a torque [N·m] during the next step: as the angular impulse τ·dt at its beginning.
    pub fn apply_torque(&mut self, object: Handle, torque: Vec3) -> Result<(), EditError> {
        self.apply_angular_impulse(object, torque * self.model.settings.dt)
    }

    /// Applies an impulse [N·s] to one particle of an object, counted from its first.
    pub fn apply_particle_impulse(&mut self, object: Handle, particle: usize, impulse: Vec3) -> Result<(), EditError> {
        finite("the impulse", impulse)?;
        let range = self.particles_of(object)?;
        if particle >= range.len() {
            return Err(EditError::Value(format!(
                "the object has {} particles, but {particle} was asked for",
                range.len()
            )));
        }
        let i = range.start + particle;
        self.change_momentum(i..i + 1, impulse.as_dvec3(), DVec3::ZERO)
    }

    /// Applies a force [N] to one particle of an object during the next step: as the impulse F·dt at its beginning.
    pub fn apply_particle_force(&mut self, object: Handle, particle: usize, force: Vec3) -> Result<(), EditError> {
        self.apply_particle_impulse(object, particle, force * self.model.settings.dt)
    }

    /// Sets linear [m/s] and angular velocity [rad/s] of an object as a whole.
    pub fn set_velocity(&mut self, object: Handle, linear: Vec3, angular: Vec3) -> Result<(), EditError> {
        finite("the velocity", linear)?;
        finite("the angular velocity", angular)?;
        let bodies = self.rigid_bodies_of(object)?;
        if !bodies.is_empty() {
            return self.set_rigid_velocity(bodies, linear.as_dvec3(), angular.as_dvec3());
        }
        let range = self.particles_of(object)?;
        self.wake_particles(range.clone());
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            return self.change_motion_on_device(range, MotionChange::Set { linear, angular });
        }
        let center = momentum(self.current_state()?, range.clone()).center;
        let (linear, angular) = (linear.as_dvec3(), angular.as_dvec3());
        let state = self.state_mut();
        for i in range.filter(|&i| state.rows[i][3] > 0.0).collect::<Vec<_>>() {
            let v = linear + angular.cross(position(state.rows[i]).as_dvec3() - center);
            put_velocity(state, i, v);
        }
        Ok(())
    }

    /// Changes the linear and the angular momentum of some particles, as of a rigid body.
    fn change_momentum(&mut self, range: Range<usize>, linear: DVec3, angular: DVec3) -> Result<(), EditError> {
        self.wake_particles(range.clone());
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            let (linear, angular) = (self.velocity_of_impulse(range.clone(), linear.as_vec3())?, angular.as_vec3());
            return self.change_motion_on_device(range, MotionChange::Add { linear, angular });
        }
        let state = self.current_state()?;
        let whole = momentum(state, range.clone());
        if whole.mass == 0.0 {
            return Err(all_fixed());
        }
        let mut second = [[0.0; 3]; 3];
        let free: Vec<usize> = range.filter(|&i| state.rows[i][3] > 0.0).collect();
        for &i in &free {
            let d = (position(state.rows[i]).as_dvec3() - whole.center).to_array();
            (0..9).for_each(|k| second[k / 3][k % 3] += d[k / 3] * d[k % 3] / f64::from(state.rows[i][3]));
        }
        let (inverse, _) = pseudoinverse_f64(inertia(&second));
        let spin = (0..3).map(|k| DVec3::from(inverse[k]) * angular[k]).sum::<DVec3>();
        let shift = linear / whole.mass;
        let state = self.state_mut();
        for i in free {
            let arm = position(state.rows[i]).as_dvec3() - whole.center;
            let v = position(state.velocities[i]).as_dvec3() + shift + spin.cross(arm);
            put_velocity(state, i, v);
        }
        Ok(())
    }

    /// Substeps so far.
    pub(super) fn substeps(&self) -> u64 {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = self.gpu.as_ref().filter(|_| self.state.peek().is_none()) {
            return gpu.substeps();
        }
        self.state.peek().map_or(0, |state| state.substeps)
    }
}

pub(super) fn all_fixed() -> EditError {
    EditError::Unsuitable("all of its particles are fixed or inactive".to_owned())
}

/// A velocity from outside: its particle has no history, so that the next substep is of first order.
pub(super) fn put_velocity(state: &mut State, i: usize, v: DVec3) {
    let v = v.as_vec3();
    state.velocities[i] = [v.x, v.y, v.z, 0.0];
    if let Some(first) = state.first_order.get_mut(i) {
        (*first, state.older_velocities[i]) = (true, [v.x, v.y, v.z, 0.0]);
    }
}

pub(super) fn finite(what: &str, v: Vec3) -> Result<(), EditError> {
    if v.is_finite() && v.abs().max_element() <= 1e12 {
        Ok(())
    } else {
        Err(EditError::Value(format!("{what} is {v}, but must be finite")))
    }
}

/// A pose with a finite position and a rotation of unit length, within rounding.
pub(super) fn checked(pose: Pose) -> Result<Pose, EditError> {
    finite("the position", pose.position)?;
    let length = pose.rotation.length();
    if (length - 1.0).abs() < 1e-3 {
        Ok(Pose { rotation: pose.rotation.normalize(), ..pose })
    } else {
        Err(EditError::Value(format!("{} is no rotation: a quaternion must have length 1", pose.rotation)))
    }
}

/// Moves particles as a rigid body from one pose to another; velocities turn with it.
pub(super) fn move_particles(state: &mut State, range: Range<usize>, from: Pose, to: Pose) {
    let turn = (to.rotation * from.rotation.conjugate()).normalize();
    let moved = |x: Vec3| turn * (x - from.position) + to.position;
    for i in range {
        for rows in [&mut state.rows, &mut state.previous, &mut state.older] {
            let Some(row) = rows.get_mut(i) else { continue };
            let x = moved(position(*row));
            row[..3].copy_from_slice(&x.to_array());
        }
        for rates in [&mut state.velocities, &mut state.older_velocities] {
            let Some(rate) = rates.get_mut(i) else { continue };
            let v = turn * position(*rate);
            rate[..3].copy_from_slice(&v.to_array());
        }
    }
}
