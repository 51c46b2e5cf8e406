//! Submits steps: the program's dispatches for many substeps in one submission, and again after neighbor lists overflowed.

use crate::model::Model;
use crate::runtime::gpu::MOST_GROUPS;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::program::Command;
use crate::runtime::gpu::timing::{self, Timer};
use crate::schedule::Stage;
use crate::schedule::gpu::constants::STATUS_WORDS;
use crate::solver::gpu::Profiling;
use crate::solver::gpu::program::{CONTACT_SEARCH, FLUID_SEARCH, SEARCHES};
use crate::solver::gpu::state_transfer;
use crate::solver::gpu::status_readback::{self, Divergence, Signal};
use crate::solver::gpu::{BODIES, CELLS, CONTACTS, FLUID, Gpu, OWN_GROUPS};
use std::time::Instant;

/// Maximum dispatches of one submission, which must end before a driver's watchdog acts.
const MOST_DISPATCHES: usize = 20_000;

/// Stages with passes of their own, in order: the neighbor search comes first, at predicted positions. Contacts run in
/// predict, or in stabilize if particles touch each other.
pub(crate) const STAGES: [Stage; 5] =
    [Stage::Neighbors, Stage::Predict, Stage::Stabilize, Stage::Solve, Stage::Finalize];

impl Gpu {
    /// Submits `steps` steps without waiting for them.
    pub(crate) fn advance(&mut self, model: &Model, steps: u32) -> Result<Option<Divergence>, GpuError> {
        self.advance_substeps(model, u64::from(steps) * u64::from(model.settings.substeps))
    }

    /// Submits `count` substeps without waiting for them.
    pub(crate) fn advance_substeps(&mut self, model: &Model, count: u64) -> Result<Option<Divergence>, GpuError> {
        match self.status.poll(&self.device)? {
            Signal::Fine => {}
            Signal::Diverged(found) => return Ok(Some(found)),
            Signal::ListsFull { .. } => drop(self.regrow_lists(model)?),
        }
        if !model.rigid_bodies.bodies.is_empty() {
            return self.advance_with_bodies(model, count);
        }
        let mut left = count;
        let most = self.most_substeps();
        while left > 0 {
            let count = left.min(most);
            self.submit(model, count)?;
            left -= count;
        }
        self.device.alive()?;
        Ok(None)
    }

    /// Maximum substeps of one submission.
    fn most_substeps(&self) -> u64 {
        let dispatches = (MOST_DISPATCHES / self.passes().max(1)).max(1) as u64;
        let timed = match self.profiling {
            Profiling::Off => u64::MAX,
            Profiling::Stages => u64::from(timing::MOST),
            Profiling::Passes => 1,
        };
        dispatches.min(self.records.most()).min(timed)
    }

    /// Waits. If neighbor lists overflowed, enlarges them and repeats the substeps that were skipped. Returns what has
    /// diverged.
    pub(crate) fn regrow_lists(&self, model: &Model) -> Result<Option<Divergence>, GpuError> {
        loop {
            let flags = self.device.download_some(&self.buffers.flags, 0, 4 * u64::from(STATUS_WORDS))?;
            let done = match status_readback::read(&flags)? {
                Signal::Fine => return Ok(None),
                Signal::Diverged(found) => return Ok(Some(found)),
                Signal::ListsFull { done } => done,
            };
            if let Some(mut particle_contacts) = self.lock_contacts() {
                particle_contacts.grow(&self.device)?;
            }
            if let Some(mut fluid) = self.lock_fluid() {
                fluid.grow(&self.device)?;
            }
            state_transfer::unfreeze(&self.device, &self.buffers);
            let mut first = self.substeps - u64::from((self.substeps as u32).wrapping_sub(done));
            while first < self.substeps {
                let count = (self.substeps - first).min(self.most_substeps());
                self.records.upload(&self.device, &self.buffers, model, first, count);
                let mut encoder = self.device.device.create_command_encoder(&Default::default());
                self.encode_substeps(&mut encoder, first, count);
                self.device.queue.submit([encoder.finish()]);
                first += count;
            }
        }
    }

    pub(crate) fn submit(&mut self, model: &Model, count: u64) -> Result<(), GpuError> {
        let clock = Instant::now();
        self.records.upload(&self.device, &self.buffers, model, self.substeps, count);
        let mut encoder = self.device.device.create_command_encoder(&Default::default());
        match self.profiling {
            Profiling::Off => self.encode_substeps(&mut encoder, self.substeps, count),
            Profiling::Stages => self.encode_stages(&mut encoder, count),
            Profiling::Passes => self.time_passes()?,
        }
        let due = self.status.encode(&mut encoder, &self.buffers.flags);
        let submission = self.device.queue.submit([encoder.finish()]);
        if due {
            self.status.send();
        }
        self.in_flight.push_back(submission);
        self.substeps += count;
        self.times.substeps += count;
        self.times.encode += clock.elapsed().as_secs_f64();
        while self.in_flight.len() > self.submission_mode.submissions() {
            self.device.wait_for(self.in_flight.pop_front())?;
        }
        if let Some(timer) = self.timer.as_ref().filter(|_| self.profiling == Profiling::Stages) {
            let seconds = timer.read(&self.device, count as u32)?;
            for (stage, s) in STAGES.into_iter().zip(seconds) {
                self.times.stages[stage as usize] += s;
            }
        }
        Ok(())
    }

    /// Encodes `count` substeps after the first `done`.
    fn encode_substeps(&self, encoder: &mut wgpu::CommandEncoder, done: u64, count: u64) {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        let mut bound = usize::MAX;
        let program = &self.program;
        let mut k = 0;
        while k < count {
            let record = self.records.slot(done, k) * self.buffers.stride;
            let alike = self.records.alike(done, k, count - k);
            if let Some(&(substeps, one)) = program.multi_substep.iter().find(|(n, _)| *n <= alike) {
                self.encode(&mut pass, &[Command::Run(one)], record, &mut bound);
                k += substeps;
                continue;
            }
            let first: &[Command] = if done + k == 0 { &program.first } else { &[] };
            k += 1;
            for list in [&program.neighbors, &program.predict, &program.stabilize, first, &program.islands] {
                self.encode(&mut pass, list, record, &mut bound);
            }
            for iteration in 0..program.count {
                self.encode(&mut pass, program.iteration(iteration), record, &mut bound);
            }
            self.encode(&mut pass, &program.finalize, record, &mut bound);
        }
    }

    /// Encodes one compute pass per stage, with timestamps.
    fn encode_stages(&self, encoder: &mut wgpu::CommandEncoder, count: u64) {
        let Some(timer) = &self.timer else { return };
        let lists = STAGES.map(|stage| self.program.stage(stage));
        for k in 0..count {
            let record = self.records.slot(self.substeps, k) * self.buffers.stride;
            for (s, list) in lists.iter().enumerate() {
                let timestamp_writes = Some(timer.writes(k as u32, s));
                let label = Some(STAGES[s].name());
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label, timestamp_writes });
                let mut bound = usize::MAX;
                if STAGES[s] == Stage::Solve && self.substeps + k == 0 {
                    self.encode(&mut pass, &self.program.first, record, &mut bound);
                }
                self.encode(&mut pass, list, record, &mut bound);
            }
        }
        timer.resolve(encoder, count as u32);
    }

    /// Runs the next substep with every pass in a compute pass of its own, waits, and adds up their times.
    fn time_passes(&mut self) -> Result<(), GpuError> {
        let record = self.records.slot(self.substeps, 0) * self.buffers.stride;
        let searches = self.search_passes();
        let program = &self.program;
        let first: &[Command] = if self.substeps == 0 { &program.first } else { &[] };
        let before = [&program.neighbors, &program.predict, &program.stabilize, first, &program.islands];
        let iterations = (0..program.count).flat_map(|k| program.iteration(k));
        let all: Vec<Command> =
            before.into_iter().flatten().chain(iterations).chain(&program.finalize).copied().collect();
        for list in all.chunks(timing::MOST_PASSES) {
            let Some(timer) = Timer::of(&self.device, list.len(), 1) else { return Ok(()) };
            let mut encoder = self.device.device.create_command_encoder(&Default::default());
            for (k, command) in list.iter().enumerate() {
                let timestamp_writes = Some(timer.writes(0, k));
                let mut bound = usize::MAX;
                let mut pass =
                    encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
                self.encode(&mut pass, &[*command], record, &mut bound);
            }
            timer.resolve(&mut encoder, 1);
            self.device.queue.submit([encoder.finish()]);
            for (command, seconds) in list.iter().zip(timer.read(&self.device, 1)?) {
                let (name, groups, passes) = match command {
                    Command::Run(d) => (self.pipelines[d.pipeline].label.as_str(), d.groups, 1),
                    Command::Search(number) => ("neighbor search", 0, searches[*number]),
                };
                let times = self.times.passes.entry(name.to_owned()).or_default();
                times.count += passes as u64;
                times.workgroups += groups as u64;
                times.seconds += seconds;
            }
        }
        Ok(())
    }

    fn encode(&self, pass: &mut wgpu::ComputePass<'_>, list: &[Command], record: u32, bound: &mut usize) {
        let (contacts, fluid) = (self.lock_contacts(), self.lock_fluid());
        let mut searches = [None; SEARCHES];
        searches[FLUID_SEARCH] = fluid.as_ref().map(|f| f.search());
        searches[CONTACT_SEARCH] = contacts.as_ref().map(|c| c.search());
        let mut own = [None; OWN_GROUPS.len()];
        own[CONTACTS] = contacts.as_ref().map(|c| &c.group);
        own[FLUID] = fluid.as_ref().map(|f| &f.group);
        own[CELLS] = fluid.as_ref().and_then(|f| f.cells.as_ref());
        own[BODIES] = self.bodies.as_ref().map(|b| &b.group);
        for command in list {
            let d = match command {
                Command::Run(d) => d,
                Command::Search(number) => {
                    if let Some(search) = searches[*number] {
                        search.encode(pass);
                    }
                    *bound = usize::MAX;
                    continue;
                }
            };
            let pipeline = &self.pipelines[d.pipeline];
            if *bound != d.pipeline {
                pass.set_pipeline(&pipeline.pipeline);
                *bound = d.pipeline;
                if let Some(group) = pipeline.own.and_then(|k| own[k]) {
                    pass.set_bind_group(1, group, &[]);
                }
            }
            let offsets = [record, d.uniforms as u32 * self.buffers.stride];
            pass.set_bind_group(0, self.bind_groups.shared(pipeline.shared), &offsets);
            let x = d.groups.min(MOST_GROUPS);
            pass.dispatch_workgroups(x as u32, d.groups.div_ceil(x.max(1)) as u32, 1);
        }
    }
}
