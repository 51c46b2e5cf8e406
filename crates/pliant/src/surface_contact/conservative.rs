//! Conservative advancement: how far a vertex and a triangle, or two edges, may move along straight lines before they come
//! closer than a bound.
//!
//! A motion that all four vertices share changes no distance, so only what is left after their mean counts. The nearest
//! points approach by no more than the longest of these ways on each side, so that steps by distance over speed never cross
//! a contact. No polynomial is solved, and an error of the distance only shortens a step (Li, Ferguson, Schneider and
//! others, "Codimensional incremental potential contact", TOG 2021, section 5).

use crate::surface_contact::pair::{Kind, nearest};
use glam::Vec3;

/// Share of each safe step that is taken, for the rounding of distances.
const SAFETY: f32 = 0.9;
/// Share of the room above the bound at which the features count as in contact.
const CLOSE: f32 = 0.1;
/// Steps after which the time found so far is the result.
const STEPS: u32 = 128;

/// The longest relative ways of both features [m].
#[inline]
pub fn approach(kind: Kind, u: &[Vec3; 4]) -> f32 {
    let mean = (u[0] + u[1] + (u[2] + u[3])) * 0.25;
    let way = u.map(|u| (u - mean).length());
    match kind {
        Kind::VertexTriangle => way[0] + way[1].max(way[2]).max(way[3]),
        Kind::EdgeEdge => way[0].max(way[1]) + way[2].max(way[3]),
    }
}

/// Share of the motion `u` from `x` after which a pair at `distance` comes close to `bound`; none if it does not.
pub fn time_of_contact(kind: Kind, x: &[Vec3; 4], u: &[Vec3; 4], distance: f32, bound: f32) -> Option<f32> {
    let way = approach(kind, u);
    if distance - bound >= way {
        return None;
    }
    let mean = (u[0] + u[1] + (u[2] + u[3])) * 0.25;
    let relative = u.map(|u| u - mean);
    let least = CLOSE * (distance - bound).max(0.0);
    let (mut time, mut room) = (0.0_f32, distance - bound);
    for _ in 0..STEPS {
        if room <= least {
            return Some(time);
        }
        let ahead = room * SAFETY / way;
        if time + ahead >= 1.0 {
            return None;
        }
        time += ahead;
        let at: [Vec3; 4] = std::array::from_fn(|k| x[k] + relative[k] * time);
        room = nearest(kind, &at).distance - bound;
    }
    Some(time)
}
