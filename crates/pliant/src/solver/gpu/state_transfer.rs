//! The state of a simulation in the shared buffers: uploaded when the caller has changed it, read back on request.

use crate::contact::gpu::constants::CONTACT_COUNTS;
use crate::integration::gpu::motion_arrays;
use crate::math::RowData;
use crate::runtime::gpu::buffers::{Buffers, copy, read};
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::shader_constants::NONE;
use crate::schedule::gpu::constants::{
    DIVERGED_PREDICT, DIVERGED_SOLVE, FROZEN, LOWEST, RUNNING_PREDICT, RUNNING_SOLVE, STATUS_WORDS, SUBSTEPS,
};
use crate::solver::gpu::model_packing::Tables;
use crate::state::State;
use bytemuck::cast_slice;
use std::ops::Range;

const ROW: usize = size_of::<RowData>();

fn arrays(state: &State) -> impl Iterator<Item = (usize, &Vec<RowData>)> {
    let all = [&state.previous, &state.velocities, &state.older, &state.older_velocities];
    all.into_iter().take(motion_arrays(state)).enumerate()
}

/// Uploads everything that moves.
pub fn upload_state(device: &Device, buffers: &Buffers, state: &State, tables: &Tables) {
    let solid = (state.velocities.len() * ROW) as u64;
    buffers.write(device, &buffers.rows, 0, &state.rows);
    for (k, array) in arrays(state) {
        buffers.write(device, &buffers.motion, k as u64 * solid, array);
    }
    let mut multipliers = state.multipliers.clone();
    tables.patches.packed_batches.iter().for_each(|batch| batch.reorder(&mut multipliers));
    let lambda: Vec<f32> = multipliers.iter().flatten().chain(&state.inflate_multipliers).copied().collect();
    buffers.write(device, &buffers.lambda, 0, &lambda);
    let mut header = [0; STATUS_WORDS as usize];
    header[SUBSTEPS as usize] = state.substeps as u32;
    for word in [DIVERGED_PREDICT, DIVERGED_SOLVE, RUNNING_PREDICT, RUNNING_SOLVE, LOWEST] {
        header[word as usize] = NONE;
    }
    buffers.write(device, &buffers.flags, 0, &header);
    // Nothing of the iterations to come: patches that run concurrently know them by the highest byte.
    let past = (state.substeps as u32).wrapping_mul(tables.iterations) << 24;
    let (exchange, words) = tables.exchange;
    buffers.write(device, &buffers.flags, 4 * u64::from(exchange), &vec![past; words]);
    if let Some(mass_splitting) = tables.contact.mass_splitting {
        // Counts are those of an iteration.
        let counts = vec![0_u32; CONTACT_COUNTS as usize * mass_splitting.bodies];
        buffers.write(device, &buffers.flags, 4 * u64::from(mass_splitting.counts), &counts);
    }
    upload_first_order(device, buffers, state, tables, 0..state.first_order.len());
    if tables.sleep.acts() {
        tables.sleep.upload(device, buffers, &state.asleep);
    }
}

/// Uploads what moves of some particles.
pub fn upload_particles(device: &Device, buffers: &Buffers, state: &State, tables: &Tables, range: Range<usize>) {
    upload_rows(device, buffers, state, range.clone());
    upload_orders(device, buffers, state, tables, range);
}

/// Marks particles as without history.
pub fn upload_order(device: &Device, buffers: &Buffers, tables: &Tables, range: Range<usize>) {
    let at = 4 * (u64::from(tables.integration.first_order) + range.start as u64);
    buffers.write(device, &buffers.flags, at, &vec![1_u32; range.len()]);
}

/// Uploads rows, velocities and history of some particles or orientations.
pub fn upload_rows(device: &Device, buffers: &Buffers, state: &State, range: Range<usize>) {
    let at = range.start as u64 * ROW as u64;
    buffers.write(device, &buffers.rows, at, &state.rows[range.clone()]);
    for (k, array) in arrays(state) {
        let whole = (state.velocities.len() * k * ROW) as u64;
        buffers.write(device, &buffers.motion, whole + at, &array[range.clone()]);
    }
}

/// Uploads the velocities of some particles, which have no history.
pub fn upload_velocities(device: &Device, buffers: &Buffers, state: &State, tables: &Tables, range: Range<usize>) {
    for (k, array) in arrays(state).filter(|(k, _)| k % 2 == 1) {
        let at = (state.velocities.len() * k + range.start) * ROW;
        buffers.write(device, &buffers.motion, at as u64, &array[range.clone()]);
    }
    upload_orders(device, buffers, state, tables, range);
}

fn upload_orders(device: &Device, buffers: &Buffers, state: &State, tables: &Tables, range: Range<usize>) {
    // Orientations, which come after the particles, have none.
    let particles = state.first_order.len();
    if particles > 0 {
        upload_first_order(device, buffers, state, tables, range.start.min(particles)..range.end.min(particles));
    }
}

fn upload_first_order(device: &Device, buffers: &Buffers, state: &State, tables: &Tables, range: Range<usize>) {
    let at = 4 * (u64::from(tables.integration.first_order) + range.start as u64);
    let first_order: Vec<u32> = state.first_order[range].iter().map(|&f| u32::from(f)).collect();
    buffers.write(device, &buffers.flags, at, &first_order);
}

/// Reads back the positions of some particles.
pub fn read_places(device: &Device, buffers: &Buffers, state: &mut State, range: Range<usize>) -> Result<(), GpuError> {
    read(device, &buffers.rows, range.start, &mut state.rows[range])
}

/// Reads back the velocities of some particles.
pub fn read_velocities(
    device: &Device,
    buffers: &Buffers,
    state: &mut State,
    range: Range<usize>,
) -> Result<(), GpuError> {
    read(device, &buffers.motion, state.velocities.len() + range.start, &mut state.velocities[range])
}

/// Continues after neighbor lists were full.
pub fn unfreeze(device: &Device, buffers: &Buffers) {
    buffers.write(device, &buffers.flags, 4 * u64::from(FROZEN), &[0_u32]);
    buffers.write(device, &buffers.flags, 4 * u64::from(LOWEST), &[NONE]);
}

/// Reads back everything that moves, and calls `also` with what is read of `work` and `flags`.
pub fn download(
    device: &Device,
    buffers: &Buffers,
    state: &mut State,
    tables: &Tables,
    also: impl FnOnce(&[RowData], &[u32]),
) -> Result<(), GpuError> {
    buffers.read_back(device, |[rows, motion, mut lambda, work, flags]| {
        let solid = state.velocities.len();
        copy(&mut state.rows[..solid], rows);
        let count = motion_arrays(state);
        let arrays = [&mut state.previous, &mut state.velocities, &mut state.older, &mut state.older_velocities];
        for (k, array) in arrays.into_iter().take(count).enumerate() {
            copy(array, &motion[k * solid * ROW..]);
        }
        for group in state.multipliers.iter_mut().chain(std::iter::once(&mut state.inflate_multipliers)) {
            let (own, rest) = lambda.split_at(4 * group.len());
            copy(group, own);
            lambda = rest;
        }
        let flags: &[u32] = cast_slice(flags);
        for (flag, &word) in state.first_order.iter_mut().zip(&flags[tables.integration.first_order as usize..]) {
            *flag = word != 0;
        }
        if tables.sleep.acts() {
            let (at, count) = tables.sleep.words();
            state.asleep.clear();
            state.asleep.extend(flags[at as usize..][..count].iter().map(|&word| word != 0));
        }
        also(cast_slice(work), flags);
    })
}
