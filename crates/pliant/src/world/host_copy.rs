//! Host copy of a state that may be on a device.
//!
//! On the CPU this is the state itself. With a GPU it is read back on access and invalidated by the next step; its
//! memory is kept.

use crate::state::State;
use std::sync::{Mutex, OnceLock};

/// A state on the host or on a device. `S` is additional data read back with it.
pub struct HostCopy<S> {
    here: OnceLock<(State, S)>,
    /// Memory of the last copy, while the state is on the device.
    spare: Mutex<Option<State>>,
    /// Whether the owner may have changed the copy.
    touched: bool,
}

impl<S: Default> HostCopy<S> {
    /// A state on the host.
    pub fn new(state: State) -> Self {
        Self { here: OnceLock::from((state, S::default())), spare: Mutex::new(None), touched: false }
    }

    /// A state on a device, of which the host has the memory.
    pub fn on_device(state: State) -> Self {
        Self { here: OnceLock::new(), spare: Mutex::new(Some(state)), touched: false }
    }

    /// The host's memory of the state. While the state is on the device, positions and velocities of it may be old; a change
    /// that matters must also be made there.
    pub fn memory(&mut self) -> &mut State {
        match self.here.get_mut() {
            Some((state, _)) => state,
            None => self.spare.get_mut().unwrap_or_else(|e| e.into_inner()).get_or_insert_default(),
        }
    }

    /// Forgets what the host has read, as the device has changed it. Changes of the owner must have been uploaded.
    #[cfg(feature = "gpu")]
    pub fn invalidate(&mut self) {
        debug_assert!(!self.touched, "changes of the owner would be lost");
        self.leave(|_| ());
    }

    /// The state, read back by `fetch` if it is on the device.
    pub fn get<E>(&self, fetch: impl FnOnce(&mut State) -> Result<S, E>) -> Result<&(State, S), E> {
        if self.here.get().is_none() {
            let mut spare = self.spare.lock().unwrap_or_else(|e| e.into_inner());
            if let Some(mut state) = spare.take() {
                match fetch(&mut state) {
                    Ok(readback) => drop(self.here.set((state, readback))),
                    Err(e) => {
                        *spare = Some(state);
                        return Err(e);
                    }
                }
            }
        }
        // Set by the thread that held the lock, or already present.
        Ok(self.here.wait())
    }

    /// Replaces the state, wherever it is.
    pub fn put(&mut self, state: State) {
        self.here = OnceLock::from((state, S::default()));
        self.touched = true;
    }

    /// The state, if it is on the host.
    pub fn peek(&self) -> Option<&State> {
        self.here.get().map(|(state, _)| state)
    }

    /// Mutable state, if it is on the host.
    pub fn get_mut(&mut self) -> Option<&mut State> {
        self.touched = true;
        self.here.get_mut().map(|(state, _)| state)
    }

    /// The state, if it is on the host, for a change that the caller also makes on the device.
    pub fn correct(&mut self) -> Option<&mut State> {
        self.here.get_mut().map(|(state, _)| state)
    }

    /// Changes the retained host memory while the state is on the device; the caller must update the device.
    #[cfg(feature = "gpu")]
    pub fn on_host<R>(&mut self, change: impl FnOnce(&mut State) -> R) -> Option<R> {
        self.spare.get_mut().unwrap_or_else(|e| e.into_inner()).as_mut().map(change)
    }

    /// Calls `look` with the host's memory of the state, whose positions and velocities may be old.
    #[cfg(feature = "gpu")]
    pub fn with_memory<R>(&mut self, look: impl FnOnce(&State) -> R) -> R {
        if let Some((state, _)) = self.here.get() {
            return look(state);
        }
        let spare = self.spare.get_mut().unwrap_or_else(|e| e.into_inner());
        look(spare.get_or_insert_default())
    }

    /// Calls `upload` if the owner may have changed the state. The host copy stays valid.
    #[cfg(feature = "gpu")]
    pub fn share(&mut self, upload: impl FnOnce(&State)) {
        if let Some((state, _)) = self.here.get().filter(|_| self.touched) {
            upload(state);
            self.touched = false;
        }
    }

    /// Calls `upload` if the owner may have changed the state, and invalidates the host copy.
    #[cfg(feature = "gpu")]
    pub fn leave(&mut self, upload: impl FnOnce(&State)) {
        if let Some((mut state, _)) = self.here.take() {
            if std::mem::take(&mut self.touched) {
                upload(&state);
            }
            state.forget_bodies();
            *self.spare.lock().unwrap_or_else(|e| e.into_inner()) = Some(state);
        }
    }
}
