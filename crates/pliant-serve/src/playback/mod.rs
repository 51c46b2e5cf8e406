//! What every way of watching a world shares: kept moments, real time, and what a hand does. No connection, no window.

mod hand;
mod history;
mod pace;
mod thrown;
mod trouble;

pub use hand::{Ray, ball, hit, release};
pub use history::{History, Moment};
pub use pace::Pace;
pub use thrown::{MOST_THROWN, Thrown};
pub use trouble::trouble;
