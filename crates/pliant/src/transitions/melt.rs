//! Melting of bodies in a model.

/// A body whose particles become those of a fluid, from its surface inward. Each has an inactive counterpart
/// ([`crate::neighbors::INACTIVE`]); when it melts, the counterpart takes its position, velocity and mass, and the body
/// particle becomes inactive. Tables stay constant that way, and the change conserves mass and momentum exactly.
#[derive(Clone, Debug)]
pub struct Melt {
    /// Start time of the front [s].
    pub start: f64,
    /// Inward speed of the front [m/s].
    pub speed: f64,
    /// Particles of the body.
    pub body: std::ops::Range<usize>,
    /// Radius of the body's particles [m].
    pub radius: f32,
    /// First of the inactive counterparts, one per body particle, in its order.
    pub counterparts: usize,
    /// Front depth at which each particle melts [m], and its index within the body, in melting order: its depth within
    /// a radius.
    pub order: Vec<(f32, u32)>,
}

impl Melt {
    /// Front depth below the initial surface at a time [s], in [m].
    pub fn front(&self, time: f64) -> f32 {
        (self.speed * (time - self.start)).max(0.0) as f32
    }

    /// Number of particles melted at a time [s].
    pub fn melted_at(&self, time: f64) -> usize {
        if time < self.start {
            return 0;
        }
        let front = self.front(time);
        self.order.partition_point(|(depth, _)| *depth <= front)
    }

    /// Depth of a particle below the current surface, after `melted` particles have melted [m], given its depth in the
    /// initial body.
    ///
    /// The surface is assumed one particle deeper than the front: a particle below a melted one is at the surface, or
    /// it would eject that one. Surface particles are treated as free: the shortest way out of the initial body is not
    /// that of the remaining body, and where that is thin it would push fluid through it.
    pub fn depth(&self, melted: usize, whole: f32) -> f32 {
        let Some(last) = melted.checked_sub(1) else { return whole };
        let depth = whole - self.order[last].0 - 2.0 * self.radius;
        if depth > 0.5 * self.radius { depth } else { 0.0 }
    }
}
