//! Devices for many worlds: each shader is compiled once per device, which is much of the time of a software driver.

use pliant::runtime::gpu::{Device, GpuError, GpuOptions};
use std::sync::Mutex;

/// Worlds on one device, after which another is opened: Mesa's software driver keeps memory of every dispatch until its
/// device is closed.
const WORLDS: u32 = 20;

/// Tests that have a device of their own at the same time: a device does one submission after the other. Others share.
const SLOTS: usize = 2;

/// Which of the slots tests use now.
static USED: Mutex<[bool; SLOTS]> = Mutex::new([false; SLOTS]);

/// The slot of this thread, and so of its test; free again when the thread ends.
struct Slot(Option<usize>);

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(slot) = self.0 {
            USED.lock().unwrap_or_else(|e| e.into_inner())[slot] = false;
        }
    }
}

thread_local! {
    static SLOT: Slot = {
        let mut used = USED.lock().unwrap_or_else(|e| e.into_inner());
        let free = used.iter().position(|used| !used);
        free.into_iter().for_each(|slot| used[slot] = true);
        Slot(free)
    };
}

/// A device with these options. A test that destroys its device must open its own.
pub fn device(options: GpuOptions) -> Result<Device, GpuError> {
    static OPEN: Mutex<Vec<(GpuOptions, usize, Device, u32)>> = Mutex::new(Vec::new());
    let slot = SLOT.with(|slot| slot.0.unwrap_or(0));
    let mut open = OPEN.lock().unwrap_or_else(|e| e.into_inner());
    open.retain(|(.., device, worlds)| *worlds < WORLDS && device.alive().is_ok());
    if let Some((.., known, worlds)) = open.iter_mut().find(|(of, owner, ..)| (*of, *owner) == (options, slot)) {
        *worlds += 1;
        return Ok(known.clone());
    }
    let new = Device::open(&options)?;
    open.push((options, slot, new.clone(), 1));
    Ok(new)
}
