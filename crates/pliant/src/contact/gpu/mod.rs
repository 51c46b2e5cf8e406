//! Contacts on the GPU: tables, uniform records, shaders, passes, neighbor lists.
//!
//! | file | contents |
//! | --- | --- |
//! | `tables` | offsets of the tables of contacts; readback of active contacts |
//! | `collider_tables`, `layouts` | colliders with tables; colliders and poses as shaders read them |
//! | `mass_splitting` | tables for contacts of rigid bodies |
//! | `neighbor_lists` | neighbor lists and accumulated impulses of particle contacts |
//! | `shaders`, `uniforms`, `constants` | WGSL modules, their uniform records and constants |
//! | `passes` | passes of a substep as dispatches |

pub mod collider_tables;
pub mod constants;
pub mod layouts;
pub(crate) mod mass_splitting;
pub(crate) mod neighbor_lists;
pub(crate) mod passes;
pub mod shaders;
pub mod tables;
pub mod uniforms;
