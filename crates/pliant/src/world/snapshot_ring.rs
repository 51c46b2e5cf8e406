//! A ring of snapshots for rewinding, which stays on the device.

#[cfg(feature = "gpu")]
use crate::builder::layout::Layout;
use crate::bytes::SnapshotError;
use crate::error::StepError;
#[cfg(feature = "gpu")]
use crate::solver::gpu::device_snapshot::DeviceSnapshot;
use crate::world::World;
#[cfg(feature = "gpu")]
use crate::world::definition::Definition;
#[cfg(feature = "gpu")]
use crate::world::grips::GripSlot;
#[cfg(feature = "gpu")]
use crate::world::parameters::Parameters;
use crate::world::snapshot::Snapshot;
use std::collections::VecDeque;
#[cfg(feature = "gpu")]
use std::sync::Arc;

/// The last moments of a [`World`], for rewinding. A full ring forgets the oldest.
///
/// With a GPU moments are copied within its memory: nothing is read back, unless the world has emitters, drains, melting or
/// freezing. They belong to the plan that the world runs: after objects were added or removed they are refused, on a GPU
/// also after changes of the solver's settings, of a restitution, and the first grip.
pub struct SnapshotRing {
    capacity: usize,
    moments: VecDeque<Moment>,
}

struct Moment {
    time: f64,
    kept: Kept,
}

enum Kept {
    Host(Box<Snapshot>),
    #[cfg(feature = "gpu")]
    Device(Box<OnDevice>),
}

/// A moment on a device, and what the host knows of it.
#[cfg(feature = "gpu")]
struct OnDevice {
    state: DeviceSnapshot,
    parameters: Arc<Parameters>,
    definition: Arc<Definition>,
    layout: Arc<Layout>,
    grips: Vec<GripSlot>,
}

impl SnapshotRing {
    /// A ring of at most so many moments, at least one.
    pub fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), moments: VecDeque::new() }
    }

    /// Moments there are.
    pub fn len(&self) -> usize {
        self.moments.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.moments.is_empty()
    }

    /// Simulated times of the moments [s], the oldest first.
    pub fn times(&self) -> impl Iterator<Item = f64> + '_ {
        self.moments.iter().map(|moment| moment.time)
    }

    /// Memory of all moments, on the device or on the host [bytes].
    pub fn bytes(&self) -> u64 {
        let of = |moment: &Moment| match &moment.kept {
            Kept::Host(snapshot) => snapshot.bytes(),
            #[cfg(feature = "gpu")]
            Kept::Device(kept) => kept.state.bytes(),
        };
        self.moments.iter().map(of).sum()
    }

    /// Forgets all moments.
    pub fn clear(&mut self) {
        self.moments.clear();
    }

    /// Keeps the present moment of a world, behind all others.
    pub fn push(&mut self, world: &mut World) -> Result<(), StepError> {
        let oldest = if self.moments.len() == self.capacity { self.moments.pop_front() } else { None };
        let kept = keep(world, oldest)?;
        self.moments.push_back(Moment { time: world.time(), kept });
        Ok(())
    }

    /// Returns a world to moment `index`, counted from the oldest, and forgets later ones. It goes on with the same bits.
    /// After an error world and ring are as they were.
    pub fn restore(&mut self, world: &mut World, index: usize) -> Result<(), SnapshotError> {
        let Some(moment) = self.moments.get(index) else {
            let there = self.moments.len();
            return Err(SnapshotError::Foreign(format!("the ring has {there} moments: there is no moment {index}")));
        };
        match &moment.kept {
            Kept::Host(snapshot) => {
                if world.has_other_objects(snapshot) {
                    return Err(changed());
                }
                world.restore(snapshot)?;
            }
            #[cfg(feature = "gpu")]
            Kept::Device(kept) => put_back(world, kept)?,
        }
        self.moments.truncate(index + 1);
        Ok(())
    }
}

fn changed() -> SnapshotError {
    SnapshotError::Foreign("the objects or the plan of the world have changed since".into())
}

#[cfg(not(feature = "gpu"))]
fn keep(world: &mut World, _: Option<Moment>) -> Result<Kept, StepError> {
    Ok(Kept::Host(Box::new(world.snapshot()?)))
}

#[cfg(feature = "gpu")]
fn keep(world: &mut World, oldest: Option<Moment>) -> Result<Kept, StepError> {
    if world.gpu.is_none() || world.model.changes() {
        return Ok(Kept::Host(Box::new(world.snapshot()?)));
    }
    world.apply_edits_in_step()?;
    world.close_gaps()?;
    world.check_edits();
    world.refit_bodies();
    let reused = oldest.and_then(|moment| match moment.kept {
        Kept::Device(kept) => Some(kept.state),
        Kept::Host(_) => None,
    });
    let parameters = world.parameters();
    let Some(gpu) = &mut world.gpu else { unreachable!("it was there") };
    world.state.share(|changed| gpu.upload(&world.model, changed));
    // Substeps that lists had no room for are done first.
    if gpu.has_lists() {
        gpu.wait(&world.model)?;
    }
    let state = world.state.with_memory(|host| gpu.keep(host, reused))?;
    let (definition, layout, grips) = (world.definition.clone(), world.objects.clone(), world.grips.clone());
    Ok(Kept::Device(Box::new(OnDevice { state, parameters, definition, layout, grips })))
}

#[cfg(feature = "gpu")]
fn put_back(world: &mut World, kept: &OnDevice) -> Result<(), SnapshotError> {
    let same = |gpu: &crate::solver::gpu::Gpu| kept.state.is_of(gpu);
    let edited = world.definition.changed || !Arc::ptr_eq(&world.objects, &kept.layout);
    if edited || !world.gpu.as_deref().is_some_and(same) {
        return Err(changed());
    }
    let lost = |e: String| SnapshotError::Foreign(e);
    if !Arc::ptr_eq(&world.parameters(), &kept.parameters) {
        kept.parameters.apply(&mut world.model);
        world.params_changed();
        world.update_backend(false).map_err(|e| lost(e.to_string()))?;
        world.parameters = Some(kept.parameters.clone());
    }
    world.definition = kept.definition.clone();
    world.grips.clone_from(&kept.grips);
    world.pairs = None;
    // What the host has of the state is of another moment.
    world.state.leave(|_| ());
    let Some(gpu) = &mut world.gpu else { unreachable!("it was there") };
    let done = world.state.on_host(|host| gpu.put_back(&kept.state, host));
    if let Some(Err(e)) = done {
        return Err(lost(e.to_string()));
    }
    (world.edited, world.bounds, world.index) = (false, None, None);
    world.changes += 1;
    Ok(())
}
