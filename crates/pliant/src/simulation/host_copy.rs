//! The host's copy of a state that may live elsewhere.
//!
//! On the CPU this is the state. With a GPU it is read back when somebody looks and set aside at the next step;
//! its memory is kept.

use crate::state::State;
use std::sync::{Mutex, OnceLock};

/// A state, here or elsewhere. `S` is what is read back with it.
pub struct HostCopy<S> {
    here: OnceLock<(State, S)>,
    /// Memory of the last copy, while the state is elsewhere.
    spare: Mutex<Option<State>>,
    /// Whether the owner may have changed the copy.
    touched: bool,
}

impl<S: Default> HostCopy<S> {
    /// Here.
    pub fn new(state: State) -> Self {
        Self { here: OnceLock::from((state, S::default())), spare: Mutex::new(None), touched: false }
    }

    /// The state, brought here by `fetch` if it is elsewhere.
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
        // Whoever held the lock has just set it, or it was there.
        Ok(self.here.wait())
    }

    /// The state, to be changed, if it is here.
    pub fn get_mut(&mut self) -> Option<&mut State> {
        self.touched = true;
        self.here.get_mut().map(|(state, _)| state)
    }

    /// Changes what is kept of a state that is elsewhere, if it is; who lives there has to be told by the caller.
    #[cfg(feature = "gpu")]
    pub fn on_host<R>(&mut self, change: impl FnOnce(&mut State) -> R) -> Option<R> {
        self.spare.get_mut().unwrap_or_else(|e| e.into_inner()).as_mut().map(change)
    }

    /// Calls `upload` if the owner may have changed the state. It stays here, too.
    #[cfg(feature = "gpu")]
    pub fn share(&mut self, upload: impl FnOnce(&State)) {
        if let Some((state, _)) = self.here.get().filter(|_| self.touched) {
            upload(state);
            self.touched = false;
        }
    }

    /// Calls `upload` if the owner may have changed the state, which from now on is elsewhere.
    #[cfg(feature = "gpu")]
    pub fn leave(&mut self, upload: impl FnOnce(&State)) {
        if let Some((state, _)) = self.here.take() {
            if std::mem::take(&mut self.touched) {
                upload(&state);
            }
            *self.spare.lock().unwrap_or_else(|e| e.into_inner()) = Some(state);
        }
    }
}
