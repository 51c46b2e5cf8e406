//! Adapters and devices: what there is, what it can do, and one of them opened.

use crate::math::RowData;
use crate::runtime::gpu::error::GpuError;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use wgpu::{Adapter, Features, Limits};

/// Which GPU to use, and how carefully.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuOptions {
    /// Number of the adapter as [`adapters`] lists them; default the fastest kind there is.
    pub adapter: Option<usize>,
    /// Keeps the checks of indices and loops in shaders and the clearing of workgroup memory. Indices are
    /// proved when a scene is built, so this is for looking for bugs. Default false.
    pub checks: bool,
    /// Pretends that the adapter is no better than this; for tests.
    pub cap: Option<Cap>,
    /// Threads of a workgroup at most; default what suits the adapter.
    pub threads: Option<u32>,
    /// Whether pieces of a mosaic may run all iterations in one pass, waiting for each other within it; default
    /// true, but only where the adapter is no software and is seen to run that many workgroups at once.
    pub together: Option<bool>,
}

/// Limits to stay below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap {
    /// Memory of a workgroup [bytes].
    pub workgroup_bytes: u32,
    /// Threads of a workgroup.
    pub threads: u32,
    /// Size of a buffer that a shader sees [bytes].
    pub binding_bytes: u64,
}

impl Cap {
    /// What every browser grants.
    pub const BROWSER: Self = Self { workgroup_bytes: 16 << 10, threads: 256, binding_bytes: 128 << 20 };
}

/// An adapter as a user sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct AdapterReport {
    /// Name of the card.
    pub name: String,
    /// Vulkan, Metal or DX12.
    pub api: String,
    /// Name and version of the driver.
    pub driver: String,
    /// "discrete", "integrated", "virtual", "software" or "other".
    pub class: &'static str,
    /// Threads of a workgroup at most.
    pub threads: u32,
    /// Memory of a workgroup [bytes].
    pub workgroup_bytes: u32,
    /// Largest buffer that a shader sees [bytes].
    pub binding_bytes: u64,
    /// Whether times by stage can be measured.
    pub timestamps: bool,
    /// Rows (particles and orientations) of a body that runs in one workgroup.
    pub patch_rows: usize,
    /// Why it cannot be used, if so.
    pub trouble: Option<String>,
}

/// Storage buffers that one shader sees.
const BUFFERS: u32 = 8;

fn instance() -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
    // Validation layers only where a developer has asked for them (WGPU_DEBUG, WGPU_VALIDATION).
    descriptor.flags = wgpu::InstanceFlags::empty().with_env();
    wgpu::Instance::new(descriptor)
}

fn found() -> Vec<Adapter> {
    pollster::block_on(instance().enumerate_adapters(wgpu::Backends::all()))
}

/// All adapters of this machine, in the order of their numbers.
pub fn adapters() -> Vec<AdapterReport> {
    found().iter().map(report).collect()
}

fn report(adapter: &Adapter) -> AdapterReport {
    let (info, limits) = (adapter.get_info(), adapter.limits());
    AdapterReport {
        api: format!("{:?}", info.backend),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        class: class(info.device_type),
        threads: threads(&limits),
        workgroup_bytes: limits.max_compute_workgroup_storage_size,
        binding_bytes: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size),
        timestamps: adapter.features().contains(Features::TIMESTAMP_QUERY),
        patch_rows: limits.max_compute_workgroup_storage_size as usize / size_of::<RowData>(),
        trouble: too_weak(adapter).map(|e| e.to_string()),
        name: info.name,
    }
}

fn class(kind: wgpu::DeviceType) -> &'static str {
    match kind {
        wgpu::DeviceType::DiscreteGpu => "discrete",
        wgpu::DeviceType::IntegratedGpu => "integrated",
        wgpu::DeviceType::VirtualGpu => "virtual",
        wgpu::DeviceType::Cpu => "software",
        wgpu::DeviceType::Other => "other",
    }
}

fn threads(limits: &Limits) -> u32 {
    limits.max_compute_workgroup_size_x.min(limits.max_compute_invocations_per_workgroup)
}

/// What every scene needs.
fn too_weak(adapter: &Adapter) -> Option<GpuError> {
    let l = adapter.limits();
    let needs = [
        ("storage buffers per shader", u64::from(l.max_storage_buffers_per_shader_stage), u64::from(BUFFERS)),
        ("threads of a workgroup", u64::from(threads(&l)), 64),
        ("memory of a workgroup in bytes", u64::from(l.max_compute_workgroup_storage_size), 8 << 10),
        ("size of a buffer in bytes", l.max_storage_buffer_binding_size, 1 << 20),
    ];
    let (what, found, needed) = needs.into_iter().find(|(_, found, needed)| found < needed)?;
    Some(GpuError::TooWeak { adapter: adapter.get_info().name, what, found, needed })
}

/// An open device and what is known about it.
pub struct Device {
    /// Makes buffers and pipelines.
    pub device: wgpu::Device,
    /// Takes commands.
    pub queue: wgpu::Queue,
    /// Name of the adapter.
    pub name: String,
    /// Whether it is a driver that computes on the CPU.
    pub software: bool,
    /// Threads of a workgroup that runs a patch, at most.
    pub threads: u32,
    /// Memory of a workgroup [bytes].
    pub workgroup_bytes: u32,
    /// Largest buffer that a shader sees [bytes].
    pub binding_bytes: u64,
    /// Alignment of records in uniform buffers [bytes].
    pub alignment: u32,
    /// Nanoseconds per tick of a timestamp, where there are any.
    pub tick: Option<f32>,
    /// Whether shaders keep their checks.
    pub checks: bool,
    /// The caller's wish about pieces that wait for each other.
    pub together: Option<bool>,
    /// Why the device went away, if it did.
    lost: Arc<Mutex<Option<String>>>,
    /// Pipelines of searches by entry point and source: whoever makes the next one need not compile them again.
    pub(crate) compiled: Mutex<HashMap<(&'static str, String), wgpu::ComputePipeline>>,
}

impl Device {
    /// Opens an adapter.
    pub fn open(options: &GpuOptions) -> Result<Self, GpuError> {
        let mut all = found();
        if all.is_empty() {
            return Err(GpuError::NoAdapter);
        }
        let count = all.len();
        let chosen = match options.adapter {
            Some(wanted) if wanted < count => all.swap_remove(wanted),
            Some(wanted) => return Err(GpuError::NoSuchAdapter { wanted, found: count }),
            None => all.into_iter().min_by_key(rank).ok_or(GpuError::NoAdapter)?,
        };
        if let Some(trouble) = too_weak(&chosen) {
            return Err(trouble);
        }
        Self::from_adapter(&chosen, options)
    }

    fn from_adapter(adapter: &Adapter, options: &GpuOptions) -> Result<Self, GpuError> {
        let info = adapter.get_info();
        let mut limits = adapter.limits();
        if let Some(cap) = options.cap {
            limits.max_compute_workgroup_storage_size =
                limits.max_compute_workgroup_storage_size.min(cap.workgroup_bytes);
            limits.max_compute_invocations_per_workgroup =
                limits.max_compute_invocations_per_workgroup.min(cap.threads);
            limits.max_compute_workgroup_size_x = limits.max_compute_workgroup_size_x.min(cap.threads);
            limits.max_storage_buffer_binding_size = limits.max_storage_buffer_binding_size.min(cap.binding_bytes);
        }
        let features = adapter.features() & (Features::TIMESTAMP_QUERY | Features::TIMESTAMP_QUERY_INSIDE_PASSES);
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("pliant"),
            required_features: features,
            required_limits: limits.clone(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|e| GpuError::NoDevice { adapter: info.name.clone(), reason: e.to_string() })?;
        let lost = Arc::new(Mutex::new(None));
        let (from_loss, from_error) = (lost.clone(), lost.clone());
        device.set_device_lost_callback(move |reason, message| note(&from_loss, format!("{reason:?}: {message}")));
        // Without a handler an error would end the program; with this one it ends the simulation.
        device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| note(&from_error, e.to_string())));
        let tick = features.contains(Features::TIMESTAMP_QUERY).then(|| queue.get_timestamp_period());
        Ok(Self {
            software: info.device_type == wgpu::DeviceType::Cpu,
            name: info.name,
            threads: options.threads.unwrap_or(PATCH_THREADS).clamp(32, threads(&limits)) / 32 * 32,
            workgroup_bytes: limits.max_compute_workgroup_storage_size,
            binding_bytes: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size),
            alignment: limits.min_uniform_buffer_offset_alignment,
            tick,
            checks: options.checks,
            together: options.together,
            lost,
            compiled: Mutex::default(),
            device,
            queue,
        })
    }

    /// An error if the device has gone away.
    pub fn alive(&self) -> Result<(), GpuError> {
        let lost = self.lost.lock().unwrap_or_else(|e| e.into_inner());
        lost.as_ref().map_or(Ok(()), |reason| Err(GpuError::Lost(reason.clone())))
    }

    /// Waits until everything submitted so far is done.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.wait_for(None)
    }

    /// Waits until a submission is done; the last one if it is not said which.
    pub fn wait_for(&self, submission_index: Option<wgpu::SubmissionIndex>) -> Result<(), GpuError> {
        let polled = self.device.poll(wgpu::PollType::Wait { submission_index, timeout: None });
        self.alive()?;
        polled.map(|_| ()).map_err(|e| GpuError::Lost(e.to_string()))
    }

    /// The words of a buffer that can be mapped, once everything submitted is done.
    pub fn read_words(&self, buffer: &wgpu::Buffer) -> Result<Vec<u32>, GpuError> {
        buffer.map_async(wgpu::MapMode::Read, .., |_| {});
        self.wait()?;
        let view = buffer.get_mapped_range(..).map_err(|e| GpuError::Lost(e.to_string()))?;
        let words = bytemuck::cast_slice(&view).to_vec();
        drop(view);
        buffer.unmap();
        Ok(words)
    }

    /// Compiles one entry point of a module; without a layout, it has the bindings that the shader uses.
    ///
    /// # Safety
    /// Where the device does not keep its checks, nothing else does: whatever is in its buffers, the shader must stay
    /// within them, and its loops must end.
    pub(crate) unsafe fn pipeline(
        &self,
        label: &str,
        entry: &str,
        text: String,
        layout: Option<&wgpu::PipelineLayout>,
    ) -> Result<wgpu::ComputePipeline, GpuError> {
        let source = wgpu::ShaderSource::Wgsl(text.into());
        let descriptor = wgpu::ShaderModuleDescriptor { label: Some(label), source };
        self.attempt(&format!("shader {label:?}"), || {
            let module = if self.checks {
                self.device.create_shader_module(descriptor)
            } else {
                // SAFETY: promised by the caller.
                unsafe { self.device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) }
            };
            self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(label),
                layout,
                module: &module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions {
                    zero_initialize_workgroup_memory: self.checks,
                    ..Default::default()
                },
                cache: None,
            })
        })
    }

    /// A buffer that a shader can bind, of 16 bytes at least.
    pub fn buffer(&self, label: &'static str, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer, GpuError> {
        let (size, most) = (bytes.max(16), self.binding_bytes);
        if size > most {
            return Err(GpuError::TooLarge { buffer: label, needed: size, most, adapter: self.name.clone() });
        }
        let descriptor = wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
        let made = self.attempt(label, || self.device.create_buffer(&descriptor));
        made.map_err(|_| GpuError::OutOfMemory { buffer: label, bytes: size, total: size })
    }

    /// The words of any buffer that can be copied, once everything submitted is done.
    pub fn download(&self, buffer: &wgpu::Buffer) -> Result<Vec<u32>, GpuError> {
        self.download_some(buffer, 0, buffer.size())
    }

    /// So many bytes of it, from one on.
    pub fn download_some(&self, buffer: &wgpu::Buffer, from: u64, size: u64) -> Result<Vec<u32>, GpuError> {
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let label = Some("readback");
        let descriptor = wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false };
        let copy = self.attempt("readback", || self.device.create_buffer(&descriptor))?;
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, from, &copy, 0, size);
        self.queue.submit([encoder.finish()]);
        self.read_words(&copy)
    }

    /// Runs `make` and turns what the driver objects to into an error.
    pub fn attempt<T>(&self, what: &str, make: impl FnOnce() -> T) -> Result<T, GpuError> {
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let made = make();
        let refused = pollster::block_on(validation.pop());
        let starved = pollster::block_on(memory.pop());
        match refused.or(starved) {
            None => Ok(made),
            Some(e) => Err(GpuError::Refused { what: what.to_owned(), reason: e.to_string() }),
        }
    }

    /// Makes the device unusable, as a driver reset would; for tests.
    pub fn destroy(&self) {
        self.device.destroy();
    }
}

/// Threads of a workgroup at most: more of them wait longer for each other.
const PATCH_THREADS: u32 = 512;

fn rank(adapter: &Adapter) -> u8 {
    match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}

fn note(slot: &Mutex<Option<String>>, reason: String) {
    // The first reason explains the others.
    slot.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(reason);
}
