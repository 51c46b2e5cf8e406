//! The end of a substep: no pair of features passes through each other.
//!
//! Positions at the start of a substep cross nowhere. Every pair whose features would come closer than a tenth of their
//! distance on straight lines from there to the positions found gets the impulse that stops its approach where it happens,
//! pair by pair, as in Bridson, Fedkiw, Anderson, "Robust treatment of collisions, contact and friction for cloth
//! animation", SIGGRAPH 2002. What still approaches after some rounds is joined to zones that move by their mean displacement:
//! nothing moves within a zone, and zones only grow, so that this ends. Both keep momentum.

use crate::memory::of;
use crate::surface_contact::conservative::{approach, time_of_contact};
use crate::surface_contact::motion::Motion;
use crate::surface_contact::pair::{Pair, TOUCHING, effective_inv_mass, inv_mass_of, nearest};
use glam::{DVec3, Vec3};

/// Rounds of impulses.
const ROUNDS: u32 = 8;
/// Rounds of zones.
const ZONES: u32 = 64;
/// Share of the distance at the start, or of the thickness if that is less, that a pair keeps.
const KEPT: f32 = 0.1;
/// Share of the thickness that it keeps at least, if it had more.
const LEAST: f32 = 1e-3;
/// Share of coordinates that rounding may take.
const ROUNDING: f32 = 1e-6;

/// Statistics of contact between triangles in a substep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limited {
    /// Pairs of features that push.
    pub pushing: u32,
    /// Impulses.
    pub stopped: u32,
    /// Pairs joined to zones.
    pub joined: u32,
    /// Pairs that still cross: both sides are moved by pins or colliders.
    pub left: u32,
}

/// Buffers.
#[derive(Default)]
pub struct Limiter {
    /// Zone of each vertex, as a forest; empty while there are none.
    zones: Vec<u32>,
    sums: Vec<Zone>,
    /// Impulses of zones on vertices that nothing moves [kg·m].
    pub reactions: Vec<(u32, Vec3)>,
}

/// The distance that a pair must keep; none if it has no distance to keep.
fn bound(pair: &Pair, start: &[Vec3; 4]) -> Option<f32> {
    let distance = pair.start_distance;
    if distance <= TOUCHING || pair.side == Vec3::ZERO {
        return None;
    }
    let size = start.iter().fold(0.0_f32, |size, x| size.max(x.abs().max_element()));
    let kept = (KEPT * distance.min(pair.thickness)).max(LEAST * pair.thickness).max(ROUNDING * size);
    Some(pair.core + kept.min(0.9 * distance))
}

/// When a pair comes too close; none if it does not.
fn hit(pair: &Pair, motion: &Motion) -> Option<f32> {
    let way = motion.ways(pair);
    // Most pairs are far enough: no distance has to be computed.
    if pair.start_distance * (1.0 - KEPT) > approach(pair.kind, &way) && pair.start_distance > pair.thickness {
        return None;
    }
    let start = Motion::of(&motion.start, pair);
    let bound = bound(pair, &start)?;
    time_of_contact(pair.kind, &start, &way, pair.start_distance + pair.core, bound)
}

impl Limiter {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        of(&self.zones) + of(&self.sums) + of(&self.reactions)
    }

    /// Moves vertices so that no pair crosses.
    pub fn run(&mut self, pairs: &mut [Pair], motion: &mut Motion) -> Limited {
        let mut done = Limited::default();
        for _ in 0..ROUNDS {
            let before = done.stopped;
            for pair in pairs.iter_mut() {
                if let Some(time) = hit(pair, motion) {
                    done.stopped += 1;
                    stop(pair, motion, time);
                }
            }
            if done.stopped == before {
                return done;
            }
        }
        self.zones.clear();
        self.zones.extend(0..motion.x.len() as u32);
        for _ in 0..ZONES {
            done.left = 0;
            for pair in pairs.iter().filter(|pair| hit(pair, motion).is_some()) {
                done.left += 1;
                let [first, others @ ..] = pair.vertices;
                others.iter().for_each(|&v| self.join(first, v));
            }
            if done.left == 0 {
                break;
            }
            done.joined += done.left;
            self.move_zones(motion);
        }
        done
    }

    fn root(&mut self, mut v: u32) -> u32 {
        while self.zones[v as usize] != v {
            self.zones[v as usize] = self.zones[self.zones[v as usize] as usize];
            v = self.zones[v as usize];
        }
        v
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.zones[a.max(b) as usize] = a.min(b);
    }

    /// Gives all vertices of each zone its mean displacement; that of its vertices which nothing moves, if it has any.
    fn move_zones(&mut self, motion: &mut Motion) {
        let n = motion.x.len();
        self.sums.clear();
        self.sums.resize(n, Zone::default());
        for v in 0..n {
            let root = self.root(v as u32) as usize;
            let (zone, way) = (&mut self.sums[root], (motion.x[v] - motion.start[v]).as_dvec3());
            zone.members += 1;
            if motion.inv_masses[v] == 0.0 {
                zone.held = zone.held.or(Some(v as u32));
                zone.held_way += way;
                zone.holders += 1;
            } else {
                let mass = 1.0 / f64::from(motion.inv_masses[v]);
                zone.mass += mass;
                zone.way += way * mass;
            }
        }
        for v in 0..n {
            let root = self.root(v as u32) as usize;
            let zone = &self.sums[root];
            if zone.members < 2 || motion.inv_masses[v] == 0.0 {
                continue;
            }
            let way = match zone.held {
                Some(_) => zone.held_way / f64::from(zone.holders),
                None => zone.way / zone.mass,
            };
            let x = motion.start[v] + way.as_vec3();
            if let Some(held) = zone.held {
                self.reactions.push((held, (motion.x[v] - x) / motion.inv_masses[v]));
            }
            motion.x[v] = x;
        }
    }
}

/// Vertices that move alike.
#[derive(Clone, Copy, Default)]
struct Zone {
    members: u32,
    /// Sum of displacements of vertices that move, times their masses [m·kg].
    way: DVec3,
    mass: f64,
    /// The first vertex that nothing moves, the sum of the displacements of all of them [m], and their number.
    held: Option<u32>,
    held_way: DVec3,
    holders: u32,
}

/// The impulse that stops the approach of a pair at a time.
fn stop(pair: &mut Pair, motion: &mut Motion, time: f32) {
    let way = motion.ways(pair);
    let start = Motion::of(&motion.start, pair);
    let at = std::array::from_fn(|k| start[k] + way[k] * time);
    let feet = nearest(pair.kind, &at);
    if feet.distance <= 0.0 {
        return;
    }
    let (normal, beta) = (feet.apart / feet.distance, feet.weights);
    let w = Motion::of(&motion.inv_masses, pair);
    let moved = way[0] * beta[0] + way[1] * beta[1] + (way[2] * beta[2] + way[3] * beta[3]);
    let inv_mass = effective_inv_mass(&beta, &w);
    let toward = -moved.dot(normal);
    if toward <= 0.0 {
        return;
    }
    let impulse = if inv_mass > 0.0 { normal * (toward / inv_mass) } else { Vec3::ZERO };
    for k in 0..4 {
        motion.x[pair.vertices[k] as usize] += impulse * (w[k] * beta[k]);
    }
    // A rigid body, which moves by it in the next substep, gets no more than what stops it, however light or held the other
    // side is.
    let behind = inv_mass_of(&beta, &Motion::of(&motion.bodies, pair));
    let felt = match behind > 0.0 {
        true if inv_mass > 0.0 => (toward / inv_mass).min((toward / behind - pair.received.dot(normal)).max(0.0)),
        true => (toward / behind - pair.received.dot(normal)).max(0.0),
        false => impulse.dot(normal),
    };
    pair.received += normal * felt;
    pair.weights = beta;
}
