//! Runs the sources of `analytic` on the GPU: closed forms and independent solutions do not depend on the backend, so
//! cases and tolerances are the same.
//!
//! Without an adapter they report a skip and run on the CPU again; with `PLIANT_REQUIRE_GPU` set they fail instead.
//! `counts` is omitted: the contents of a scene do not depend on the backend.

#![allow(missing_docs, clippy::print_stderr)]

#[path = "analytic/air.rs"]
mod air;
#[path = "analytic/balloon.rs"]
mod balloon;
#[path = "analytic/cantilever.rs"]
mod cantilever;
#[path = "analytic/catenary.rs"]
mod catenary;
#[path = "analytic/contact.rs"]
mod contact;
#[path = "analytic/fem.rs"]
mod fem;
#[path = "analytic/friction.rs"]
mod friction;
#[path = "analytic/integration.rs"]
mod integration;
#[path = "analytic/momentum.rs"]
mod momentum;
#[path = "analytic/newton.rs"]
mod newton;
#[path = "analytic/pendulum.rs"]
mod pendulum;
#[path = "analytic/rod.rs"]
mod rod;
#[allow(dead_code)]
#[path = "analytic/support.rs"]
mod shared;
#[path = "support/shared_device.rs"]
mod shared_device;
#[path = "support/skip.rs"]
mod skip;
#[path = "analytic/spring.rs"]
mod spring;
#[path = "analytic/tether.rs"]
mod tether;

/// What the cases share, with simulations that run on the GPU.
mod support {
    pub use crate::shared::{Banded, G, free_particle, relative, solve_dense, step};
    use crate::shared_device::device;
    use crate::skip::skipped;
    use pliant::builder::{BuildError, NoMeshes};
    use pliant::runtime::gpu::{GpuError, GpuOptions, adapters};
    use pliant::scene::{Format, Scene};
    use pliant::{Options, World};
    use std::sync::OnceLock;

    /// The cases have few particles, and a driver that computes on the CPU pays for every thread of a workgroup.
    const THREADS: u32 = 32;

    /// Whether there is no adapter but a software driver.
    fn software() -> bool {
        static SOFTWARE: OnceLock<bool> = OnceLock::new();
        *SOFTWARE.get_or_init(|| {
            let all = adapters();
            !all.is_empty() && all.iter().all(|a| a.class == "software")
        })
    }

    /// For cases of ten thousands of dispatches: on a software adapter each takes about a millisecond, and that driver's
    /// own thread (Mesa 22.3, by a profile of its heap) keeps some 10 KB of each until the device is closed. Only hardware
    /// proves them; on the CPU they are part of `analytic`.
    pub fn left_to_hardware() -> bool {
        if software() {
            skipped("too long for a software adapter");
        }
        software()
    }

    /// Steps of a case whose tolerance follows from their number: a fifth on a software adapter.
    pub fn long_run(steps: u32) -> u32 {
        if software() { steps / 5 } else { steps }
    }

    /// Builds a scene; its text is part of the test, so an error in it is a panic with the message.
    pub fn simulate(text: &str) -> World {
        let scene = Scene::parse(text, Format::Toml).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let options = Options { threads: 1, ..Options::default() };
        let device = device(GpuOptions { threads: Some(THREADS), ..GpuOptions::default() });
        let made = device.map_err(BuildError::Gpu);
        match made.and_then(|device| World::on_device(&scene, &NoMeshes, options, &device)) {
            Ok(sim) => sim,
            Err(BuildError::Gpu(GpuError::NoAdapter)) if std::env::var_os("PLIANT_REQUIRE_GPU").is_none() => {
                skipped("no GPU adapter");
                crate::shared::simulate(text)
            }
            Err(e) => panic!("{e}"),
        }
    }
}
