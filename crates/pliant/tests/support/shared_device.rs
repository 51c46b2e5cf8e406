//! One device for many worlds: each shader is compiled once, which is most of the time of a software driver.

use pliant::runtime::gpu::{Device, GpuError, GpuOptions};
use std::sync::Mutex;

/// Worlds on one device, after which another is opened: Mesa's software driver keeps memory of every dispatch until its
/// device is closed.
const WORLDS: u32 = 6;

/// The device with these options. A test that destroys its device must open its own.
pub fn device(options: GpuOptions) -> Result<Device, GpuError> {
    static OPEN: Mutex<Vec<(GpuOptions, Device, u32)>> = Mutex::new(Vec::new());
    let mut open = OPEN.lock().unwrap_or_else(|e| e.into_inner());
    open.retain(|(_, device, worlds)| *worlds < WORLDS && device.alive().is_ok());
    if let Some((_, known, worlds)) = open.iter_mut().find(|(known, ..)| *known == options) {
        *worlds += 1;
        return Ok(known.clone());
    }
    let new = Device::open(&options)?;
    open.push((options, new.clone(), 1));
    Ok(new)
}
