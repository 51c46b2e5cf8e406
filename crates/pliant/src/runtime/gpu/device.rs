//! Adapters and devices: enumeration, limits, and creation.

use crate::math::RowData;
use crate::runtime::gpu::error::GpuError;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use wgpu::{Adapter, Features, Limits};

/// Usage of buffers that hold uniforms.
pub const UNIFORMS: wgpu::BufferUsages =
    wgpu::BufferUsages::UNIFORM.union(wgpu::BufferUsages::STORAGE).union(wgpu::BufferUsages::COPY_DST);

/// Adapter selection and checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuOptions {
    /// Index of the adapter in [`adapters`]; default the fastest kind available.
    pub adapter: Option<usize>,
    /// Keeps bounds and loop checks in shaders and zero-initialization of workgroup memory. Indices are validated when
    /// a scene is built, so this is for debugging. Default false.
    pub checks: bool,
    /// Limits the adapter's capabilities; for tests.
    pub cap: Option<Cap>,
    /// Maximum threads per workgroup; default chosen for the adapter.
    pub threads: Option<u32>,
    /// Whether patches that share vertices may run all iterations in one pass, waiting for each other within it;
    /// default true, but only on hardware adapters that are measured to run that many workgroups concurrently.
    pub coresident: Option<bool>,
}

/// Upper limits of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap {
    /// Memory per workgroup [bytes].
    pub workgroup_bytes: u32,
    /// Threads per workgroup.
    pub threads: u32,
    /// Size of a storage binding [bytes].
    pub binding_bytes: u64,
}

impl Cap {
    /// WebGPU default limits.
    pub const BROWSER: Self = Self { workgroup_bytes: 16 << 10, threads: 256, binding_bytes: 128 << 20 };
}

/// Adapter description for users.
#[derive(Clone, Debug, PartialEq)]
pub struct AdapterReport {
    /// Name of the adapter.
    pub name: String,
    /// Vulkan, Metal or DX12.
    pub api: String,
    /// Name and version of the driver.
    pub driver: String,
    /// "discrete", "integrated", "virtual", "software" or "other".
    pub class: &'static str,
    /// Maximum threads per workgroup.
    pub threads: u32,
    /// Memory per workgroup [bytes].
    pub workgroup_bytes: u32,
    /// Largest storage binding [bytes].
    pub binding_bytes: u64,
    /// Whether times by stage can be measured.
    pub timestamps: bool,
    /// Rows (particles and orientations) of a body that fits in one workgroup.
    pub patch_rows: usize,
    /// Why it cannot be used, if so.
    pub trouble: Option<String>,
}

/// Storage buffers per shader.
const BUFFERS: u32 = 8;

fn instance() -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
    // Validation layers only if requested by environment variables (WGPU_DEBUG, WGPU_VALIDATION).
    descriptor.flags = wgpu::InstanceFlags::empty().with_env();
    wgpu::Instance::new(descriptor)
}

fn enumerate_adapters() -> Vec<Adapter> {
    pollster::block_on(instance().enumerate_adapters(wgpu::Backends::all()))
}

/// All adapters of this machine, by index.
pub fn adapters() -> Vec<AdapterReport> {
    enumerate_adapters().iter().map(report).collect()
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

/// First limit below the minimum that every scene needs.
fn too_weak(adapter: &Adapter) -> Option<GpuError> {
    let l = adapter.limits();
    let needs = [
        ("storage buffers per shader", u64::from(l.max_storage_buffers_per_shader_stage), u64::from(BUFFERS)),
        ("threads per workgroup", u64::from(threads(&l)), 64),
        ("workgroup memory in bytes", u64::from(l.max_compute_workgroup_storage_size), 8 << 10),
        ("size of a buffer in bytes", l.max_storage_buffer_binding_size, 1 << 20),
    ];
    let (what, found, needed) = needs.into_iter().find(|(_, found, needed)| found < needed)?;
    Some(GpuError::TooWeak { adapter: adapter.get_info().name, what, found, needed })
}

/// An open device and its properties. Clones are the same device, and share its compiled pipelines.
#[derive(Clone)]
pub struct Device {
    /// Creates buffers and pipelines.
    pub device: wgpu::Device,
    /// Submits commands.
    pub queue: wgpu::Queue,
    /// Name of the adapter.
    pub name: String,
    /// Whether it is a software driver.
    pub software: bool,
    /// Maximum threads per workgroup of patches.
    pub threads: u32,
    /// Memory per workgroup [bytes].
    pub workgroup_bytes: u32,
    /// Largest storage binding [bytes].
    pub binding_bytes: u64,
    /// Alignment of uniform buffer offsets [bytes].
    pub alignment: u32,
    /// Nanoseconds per timestamp tick, if supported.
    pub tick: Option<f32>,
    /// Whether shaders keep their checks.
    pub checks: bool,
    /// The caller's setting for patches that wait for each other.
    pub coresident: Option<bool>,
    /// Why the device was lost, if it was.
    lost: Arc<Mutex<Option<String>>>,
    /// Compiled pipelines by entry point and source, reused by all worlds and searches on the device.
    compiled: Arc<Mutex<HashMap<(String, String), wgpu::ComputePipeline>>>,
}

impl Device {
    /// Opens an adapter.
    pub fn open(options: &GpuOptions) -> Result<Self, GpuError> {
        let mut all = enumerate_adapters();
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
        device
            .set_device_lost_callback(move |reason, message| set_reason(&from_loss, format!("{reason:?}: {message}")));
        // Without a handler an error would abort the program; this one stops the simulation.
        device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| set_reason(&from_error, e.to_string())));
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
            coresident: options.coresident,
            lost,
            compiled: Arc::default(),
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

    /// Waits until a submission is done; the last one if `None`.
    pub fn wait_for(&self, submission_index: Option<wgpu::SubmissionIndex>) -> Result<(), GpuError> {
        let polled = self.device.poll(wgpu::PollType::Wait { submission_index, timeout: None });
        self.alive()?;
        polled.map(|_| ()).map_err(|e| GpuError::Lost(e.to_string()))
    }

    /// Words of a mappable buffer, after everything submitted is done.
    pub fn read_words(&self, buffer: &wgpu::Buffer) -> Result<Vec<u32>, GpuError> {
        buffer.map_async(wgpu::MapMode::Read, .., |_| {});
        self.wait()?;
        let view = buffer.get_mapped_range(..).map_err(|e| GpuError::Lost(e.to_string()))?;
        let words = bytemuck::cast_slice(&view).to_vec();
        drop(view);
        buffer.unmap();
        Ok(words)
    }

    /// Type of the binding of uniforms.
    ///
    /// Mesa's software driver compiles a shader again for every dispatch with other uniforms, if branches on them remove
    /// half of it: 6 ms each for most of ours. It does not look into storage buffers.
    pub(crate) fn uniform_binding(&self) -> wgpu::BufferBindingType {
        if self.software {
            wgpu::BufferBindingType::Storage { read_only: true }
        } else {
            wgpu::BufferBindingType::Uniform
        }
    }

    /// Compiles one entry point of a module, once per device; without a layout, it has the bindings that the shader uses.
    ///
    /// # Safety
    /// Without the device's checks there are no others: for any buffer contents, the shader must stay within bounds,
    /// and its loops must end.
    pub(crate) unsafe fn pipeline(
        &self,
        label: &str,
        entry: &str,
        text: String,
        layout: Option<&wgpu::PipelineLayout>,
    ) -> Result<wgpu::ComputePipeline, GpuError> {
        let key = (entry.to_owned(), text);
        let compiled = || self.compiled.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(known) = compiled().get(&key) {
            return Ok(known.clone());
        }
        let text = if self.software {
            key.1.replace("var<uniform>", "var<storage, read>").into()
        } else {
            key.1.as_str().into()
        };
        let source = wgpu::ShaderSource::Wgsl(text);
        let descriptor = wgpu::ShaderModuleDescriptor { label: Some(label), source };
        let made = self.attempt(&format!("shader {label:?}"), || {
            let module = if self.checks {
                self.device.create_shader_module(descriptor)
            } else {
                // SAFETY: guaranteed by the caller.
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
        })?;
        compiled().insert(key, made.clone());
        Ok(made)
    }

    /// A bindable buffer of at least 16 bytes.
    pub fn buffer(&self, label: &'static str, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer, GpuError> {
        let (size, most) = (bytes.max(16), self.binding_bytes);
        if size > most {
            return Err(GpuError::TooLarge { buffer: label, needed: size, most, adapter: self.name.clone() });
        }
        let descriptor = wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
        let made = self.attempt(label, || self.device.create_buffer(&descriptor));
        made.map_err(|_| GpuError::OutOfMemory { buffer: label, bytes: size, total: size })
    }

    /// Words of any copyable buffer, after everything submitted is done.
    pub fn download(&self, buffer: &wgpu::Buffer) -> Result<Vec<u32>, GpuError> {
        self.download_some(buffer, 0, buffer.size())
    }

    /// The same for `size` bytes, starting at `from`.
    pub fn download_some(&self, buffer: &wgpu::Buffer, from: u64, size: u64) -> Result<Vec<u32>, GpuError> {
        self.download_parts(&[(buffer, from, size)])
    }

    /// The same for parts of several buffers, each with its first byte and its size, one after the other.
    pub fn download_parts(&self, parts: &[(&wgpu::Buffer, u64, u64)]) -> Result<Vec<u32>, GpuError> {
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let label = Some("readback");
        let size = parts.iter().map(|(_, _, size)| size).sum();
        // A mapped buffer without bytes has no address that words could have.
        if size == 0 {
            return Ok(Vec::new());
        }
        let descriptor = wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false };
        let copy = self.attempt("readback", || self.device.create_buffer(&descriptor))?;
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut at = 0;
        for (buffer, from, size) in parts {
            encoder.copy_buffer_to_buffer(buffer, *from, &copy, at, *size);
            at += size;
        }
        self.queue.submit([encoder.finish()]);
        self.read_words(&copy)
    }

    /// Runs `make` and returns driver errors.
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

    /// Destroys the device, as a driver reset would; for tests.
    pub fn destroy(&self) {
        self.device.destroy();
    }
}

/// Maximum threads per workgroup: larger groups wait longer at barriers.
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

fn set_reason(slot: &Mutex<Option<String>>, reason: String) {
    // Keeps the first reason, which explains the others.
    slot.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(reason);
}
