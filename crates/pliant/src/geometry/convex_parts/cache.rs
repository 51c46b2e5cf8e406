//! Parts of the solids that were cut last: bodies of the same mesh are often added one by one, and cutting takes a second.

use crate::bytes::{FNV, hash_word};
use crate::geometry::convex_parts::{ConvexParts, PartLimits, convex_parts};
use glam::DVec3;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Solids that are kept.
const KEPT: usize = 16;

type Key = (u64, usize, usize);
type Known = (Key, Option<Arc<ConvexParts>>);

static LAST: Mutex<VecDeque<Known>> = Mutex::new(VecDeque::new());

/// As [`convex_parts`], from memory where the same was asked for lately.
pub fn cached_convex_parts(points: &[DVec3], triangles: &[[u32; 3]], limits: &PartLimits) -> Option<Arc<ConvexParts>> {
    let own = key(points, triangles, limits);
    let known = |last: &VecDeque<Known>| last.iter().find(|(key, _)| *key == own).map(|(_, parts)| parts.clone());
    if let Some(parts) = known(&LAST.lock().unwrap_or_else(PoisonError::into_inner)) {
        return parts;
    }
    // Without the lock: others need not wait.
    let parts = convex_parts(points, triangles, limits).map(Arc::new);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if last.len() == KEPT {
        last.pop_front();
    }
    last.push_back((own, parts.clone()));
    parts
}

fn key(points: &[DVec3], triangles: &[[u32; 3]], limits: &PartLimits) -> Key {
    let mut hash =
        [limits.parts as u64, limits.excess.to_bits(), limits.corners as u64].into_iter().fold(FNV, hash_word);
    for x in points.iter().flat_map(|p| p.to_array()) {
        hash = hash_word(hash, x.to_bits());
    }
    for corner in triangles.iter().flatten() {
        hash = hash_word(hash, u64::from(*corner));
    }
    (hash, points.len(), triangles.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_solid_is_cut_once() {
        let points: Vec<DVec3> =
            (0..8).map(|k| DVec3::new((k & 1).into(), (k >> 1 & 1).into(), (k >> 2).into())).collect();
        let limits = PartLimits { parts: 4, excess: 0.03, corners: 64 };
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let mut triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        // Two boxes with a gap between them.
        triangles.extend(triangles.clone().iter().map(|t| t.map(|k| k + 8)));
        let points: Vec<DVec3> = points.iter().copied().chain(points.iter().map(|&p| p + DVec3::X * 3.0)).collect();
        let first = cached_convex_parts(&points, &triangles, &limits).unwrap();
        assert_eq!(first.parts.len(), 2);
        assert!(Arc::ptr_eq(&first, &cached_convex_parts(&points, &triangles, &limits).unwrap()));
        let other = PartLimits { parts: 3, ..limits };
        assert!(!Arc::ptr_eq(&first, &cached_convex_parts(&points, &triangles, &other).unwrap()));
    }
}
