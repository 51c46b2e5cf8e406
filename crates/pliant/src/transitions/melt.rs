//! Bodies that turn into liquids, as a step sees them.

/// A body whose particles turn into those of a liquid, from its surface inward. For each of them there is one that waits,
/// fixed and in [`crate::neighbors::ASLEEP`]; when its time has come it takes over place, velocity and mass, and the particle of
/// the body falls asleep in its stead. Tables stay as they are that way, and the change itself keeps mass and momentum to the bit.
#[derive(Clone, Debug)]
pub struct Melt {
    /// When the front starts [s].
    pub start: f64,
    /// How fast it goes inward [m/s].
    pub speed: f64,
    /// Particles of the body.
    pub body: std::ops::Range<usize>,
    /// Radius of these [m].
    pub radius: f32,
    /// First of the particles that wait, one for each of the body, in its order.
    pub twins: usize,
    /// Where the front is when each melts [m], and its number within the body, in the order in which they do. That is how deep
    /// it is, give or take a radius.
    pub order: Vec<(f32, u32)>,
}

impl Melt {
    /// Where the front is at a time [s]: how deep below the surface as built [m].
    pub fn front(&self, time: f64) -> f32 {
        (self.speed * (time - self.start)).max(0.0) as f32
    }

    /// How many have melted at a time [s].
    pub fn melted_at(&self, time: f64) -> usize {
        if time < self.start {
            return 0;
        }
        let front = self.front(time);
        self.order.partition_point(|(depth, _)| *depth <= front)
    }

    /// How deep a particle is below what is the surface when so many have melted [m], given how deep it is in the whole body.
    ///
    /// The surface is taken a particle deeper than the front: who is below one that has melted is at the surface, or it would
    /// throw that one out. Who is there is as a free particle: the shortest way out of the whole body is not that of what
    /// is left of it, and where that is thin it would lead liquid right through.
    pub fn depth(&self, melted: usize, whole: f32) -> f32 {
        let Some(last) = melted.checked_sub(1) else { return whole };
        let depth = whole - self.order[last].0 - 2.0 * self.radius;
        if depth > 0.5 * self.radius { depth } else { 0.0 }
    }
}
