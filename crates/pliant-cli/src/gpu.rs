//! `pliant gpu`: what graphics processors there are, and what is said about the one in use.

use crate::args::GpuArgs;
use crate::failure::Failure;
use crate::formatting;
use crate::stdout;
use pliant::Simulation;
use pliant::gpu::AdapterReport;
use serde::Serialize;

/// Name of the GPU that runs it, if one does.
pub fn adapter(sim: &Simulation) -> Option<String> {
    sim.gpu().map(|gpu| gpu.device().name.clone())
}

/// Memory on the GPU that runs it [bytes], if one does.
pub fn device_bytes(sim: &Simulation) -> Option<u64> {
    sim.gpu().map(|gpu| gpu.shape(sim.model()).bytes)
}

/// Has the GPU measure its stages from now on, if one runs it. The CPU always does.
pub fn measure_stages(sim: &mut Simulation) -> Result<(), Failure> {
    let Some(gpu) = sim.gpu_mut() else { return Ok(()) };
    if gpu.set_profiling(true) {
        return Ok(());
    }
    let message = format!("adapter {:?} cannot measure the times of stages", gpu.device().name);
    Err(Failure::resource(message).help("`pliant gpu` says which one can; or use --backend cpu"))
}

/// One adapter; its fields are the keys of the JSON.
#[derive(Serialize)]
struct AdapterEntry {
    /// What `--adapter` takes.
    number: usize,
    name: String,
    class: &'static str,
    api: String,
    driver: String,
    /// Threads of a workgroup at most.
    threads: u32,
    workgroup_bytes: u32,
    /// Largest buffer that a shader sees.
    binding_bytes: u64,
    timestamps: bool,
    /// Rows of a body that runs in one workgroup.
    patch_rows: usize,
    /// Why it cannot be used, if so.
    trouble: Option<String>,
}

impl AdapterEntry {
    fn new((number, report): (usize, AdapterReport)) -> Self {
        Self {
            number,
            name: report.name,
            class: report.class,
            api: report.api,
            driver: report.driver,
            threads: report.threads,
            workgroup_bytes: report.workgroup_bytes,
            binding_bytes: report.binding_bytes,
            timestamps: report.timestamps,
            patch_rows: report.patch_rows,
            trouble: report.trouble,
        }
    }
}

pub fn gpu(args: &GpuArgs) -> Result<(), Failure> {
    let all: Vec<AdapterEntry> = pliant::gpu::adapters().into_iter().enumerate().map(AdapterEntry::new).collect();
    if args.json { stdout::json(&all) } else { stdout::text(&human(&all)) }
}

fn human(all: &[AdapterEntry]) -> String {
    if all.is_empty() {
        return "No GPU adapter was found: Vulkan, Metal or DX12 is needed. On Debian-like machines the package\n\
                mesa-vulkan-drivers has drivers for most cards and one that computes on the CPU; NVIDIA's come\n\
                with its own driver. Everything runs without one too: --backend cpu\n"
            .into();
    }
    let mut text = String::new();
    for a in all {
        let measured = if a.timestamps { "times by stage" } else { "no times by stage" };
        let use_it = match &a.trouble {
            None => {
                format!("bodies of up to {} rows run in one workgroup; {measured}", formatting::grouped(a.patch_rows))
            }
            Some(trouble) => format!("cannot be used: {trouble}"),
        };
        text.push_str(&format!(
            "{}: {} ({})\n   {}, driver {}\n   workgroups of {} threads and {}, buffers of {}\n   {use_it}\n",
            a.number,
            a.name,
            a.class,
            a.api,
            if a.driver.is_empty() { "unknown" } else { &a.driver },
            formatting::grouped(a.threads as usize),
            formatting::size(u64::from(a.workgroup_bytes)),
            formatting::size(a.binding_bytes),
        ));
    }
    if let Some(usable) = all.iter().find(|a| a.trouble.is_none()) {
        text.push_str(&format!("\nNext: pliant run flags --backend gpu --adapter {}\n", usable.number));
    }
    text
}
