//! `pliant gpu`: the list of adapters; and properties of the adapter in use.

use crate::args::GpuArgs;
use crate::failure::Failure;
use crate::formatting;
use crate::stdout;
use pliant::World;
use pliant::runtime::gpu::AdapterReport;
use serde::Serialize;

/// Name of the GPU of a simulation, if any.
pub fn adapter(sim: &World) -> Option<String> {
    sim.gpu().map(|gpu| gpu.device().name.clone())
}

/// Device memory of a simulation [bytes], if it runs on a GPU.
pub fn device_bytes(sim: &World) -> Option<u64> {
    sim.gpu().map(|gpu| gpu.stats(sim.model()).bytes)
}

/// Enables stage timestamps on a GPU; the CPU always times its stages.
pub fn measure_stages(sim: &mut World) -> Result<(), Failure> {
    let profiling = sim.set_profiling(true);
    let Some(gpu) = sim.gpu().filter(|_| !profiling) else { return Ok(()) };
    let message = format!("adapter {:?} cannot measure the times of stages", gpu.device().name);
    Err(Failure::resource(message).help("`pliant gpu` lists the adapters that can; or use --backend cpu"))
}

/// One adapter; its fields are the keys of the JSON.
#[derive(Serialize)]
struct AdapterEntry {
    /// Value of `--adapter`.
    number: usize,
    name: String,
    class: &'static str,
    api: String,
    driver: String,
    /// Maximum number of threads of a workgroup.
    threads: u32,
    workgroup_bytes: u32,
    /// Maximum buffer binding [bytes].
    binding_bytes: u64,
    timestamps: bool,
    /// Maximum rows of a body that runs in one workgroup.
    patch_rows: usize,
    /// Reason why the adapter cannot be used, if any.
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
    let all: Vec<AdapterEntry> =
        pliant::runtime::gpu::adapters().into_iter().enumerate().map(AdapterEntry::new).collect();
    if args.json { stdout::json(&all) } else { stdout::text(&human(&all)) }
}

fn human(all: &[AdapterEntry]) -> String {
    if all.is_empty() {
        return "No GPU adapter was found: Vulkan, Metal or DX12 is needed. On Debian-like machines the package\n\
                mesa-vulkan-drivers has drivers for most GPUs and a software driver; NVIDIA has its own driver.\n\
                All scenes also run without a GPU: --backend cpu\n"
            .into();
    }
    let mut text = String::new();
    for a in all {
        let measured = if a.timestamps { "times by stage" } else { "no times by stage" };
        let usability = match &a.trouble {
            None => {
                format!("bodies of up to {} rows run in one workgroup; {measured}", formatting::grouped(a.patch_rows))
            }
            Some(trouble) => format!("cannot be used: {trouble}"),
        };
        text.push_str(&format!(
            "{}: {} ({})\n   {}, driver {}\n   workgroups of {} threads and {}, buffers of {}\n   {usability}\n",
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
