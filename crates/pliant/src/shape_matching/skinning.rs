//! Skinning: a visual mesh bound to particles (S20; D3, D4 §5), each vertex a weighted sum of a few of them.
//!
//! Weights are those of moving least squares: they sum to 1, and the weighted rest positions to the vertex itself. So
//! every affine motion of the particles is reproduced exactly, and only weights are stored. Plain inverse distances
//! would shrink the mesh already at rest.

use crate::math::RowData;
use crate::math::matrix::Vec3;

/// Particles and weights of each vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    per_vertex: usize,
    particles: Vec<u32>,
    weights: Vec<f32>,
    error: f32,
}

/// Candidates per bound particle, so that some are found off the plane of the nearest.
const CANDIDATES: usize = 8;

impl Skin {
    /// Binds vertices to their `k` nearest particles at rest [m]; fewer if there are fewer. Four, not coplanar, are the
    /// minimum that follow all motions; eight to twelve are smooth. Time is proportional to vertices times particles.
    ///
    /// If the nearest are coplanar or collinear, the farthest of them are replaced by the next that are not.
    pub fn bind(vertices: &[Vec3], rest: &[Vec3], k: usize) -> Self {
        let mut order: Vec<(f32, u32)> = Vec::with_capacity(rest.len());
        Self::bind_with(vertices, rest, k, |v, most, found| {
            let apart = |p: &Vec3| (0..3).map(|j| (p[j] - v[j]) * (p[j] - v[j])).sum::<f32>();
            order.clear();
            order.extend(rest.iter().enumerate().map(|(i, p)| (apart(p), i as u32)));
            let compare = |a: &(f32, u32), b: &(f32, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            if most < order.len() {
                order.select_nth_unstable_by(most - 1, compare);
            }
            order[..most].sort_unstable_by(compare);
            found.extend(order[..most].iter().map(|(_, i)| *i));
        })
    }

    /// The same with a caller-provided search: `nearest` appends the given number of particles nearest to a point,
    /// nearest first.
    pub fn bind_with(
        vertices: &[Vec3],
        rest: &[Vec3],
        k: usize,
        mut nearest: impl FnMut(&Vec3, usize, &mut Vec<u32>),
    ) -> Self {
        let per_vertex = k.min(rest.len());
        let mut skin = Self { per_vertex, particles: Vec::new(), weights: Vec::new(), error: 0.0 };
        let mut candidates = Vec::new();
        for v in vertices.iter().filter(|_| per_vertex > 0) {
            candidates.clear();
            nearest(v, (per_vertex * CANDIDATES).min(rest.len()), &mut candidates);
            let chosen = choose(&candidates, rest, per_vertex);
            let places: Vec<[f64; 3]> =
                chosen.iter().map(|&i| [0, 1, 2].map(|j| f64::from(rest[i as usize][j]) - f64::from(v[j]))).collect();
            let weights = weights(&places);
            let missed = (0..3).map(|j| places.iter().zip(&weights).map(|(p, w)| w * p[j]).sum::<f64>().powi(2));
            skin.error = skin.error.max(missed.sum::<f64>().sqrt() as f32);
            skin.particles.extend(chosen);
            skin.weights.extend(weights.iter().map(|&w| w as f32));
        }
        skin
    }

    /// From particles and weights of each vertex, which sum to 1, found elsewhere.
    pub fn from_weights<const N: usize>(vertices: impl Iterator<Item = ([u32; N], [f32; N])>) -> Self {
        let mut skin = Self { per_vertex: N, particles: Vec::new(), weights: Vec::new(), error: 0.0 };
        for (particles, weights) in vertices {
            skin.particles.extend(particles);
            skin.weights.extend(weights);
        }
        skin
    }

    /// Number of bound vertices.
    pub fn len(&self) -> usize {
        self.particles.len() / self.per_vertex.max(1)
    }

    /// Whether no vertices are bound.
    pub fn is_empty(&self) -> bool {
        self.particles.is_empty()
    }

    /// Memory [bytes].
    pub fn bytes(&self) -> usize {
        size_of_val(&self.particles[..]) + size_of_val(&self.weights[..])
    }

    /// Largest distance between a vertex and its reconstruction at rest [m]. 0 up to rounding, unless all particles
    /// near a vertex are coplanar.
    pub fn error(&self) -> f32 {
        self.error
    }

    /// Particles and weights of a vertex.
    pub fn vertex(&self, vertex: usize) -> (&[u32], &[f32]) {
        let range = vertex * self.per_vertex..(vertex + 1) * self.per_vertex;
        (&self.particles[range.clone()], &self.weights[range])
    }

    /// Vertex positions [m] for particles that begin at row `first`; `out` has one element per bound vertex.
    ///
    /// # Panics
    /// Panics if there are fewer rows than bound particles.
    pub fn evaluate(&self, rows: &[RowData], first: usize, out: &mut [Vec3]) {
        self.places(&rows[first..]).zip(out).for_each(|(place, out)| *out = place);
    }

    /// The same, appended to a list.
    ///
    /// # Panics
    /// As [`Self::evaluate`].
    pub fn extend(&self, rows: &[RowData], first: usize, out: &mut Vec<glam::Vec3>) {
        out.extend(self.places(&rows[first..]).map(glam::Vec3::from));
    }

    fn places<'a>(&'a self, rows: &'a [RowData]) -> impl Iterator<Item = Vec3> + 'a {
        let each = self.per_vertex.max(1);
        let vertices = self.particles.chunks_exact(each).zip(self.weights.chunks_exact(each));
        vertices.map(|(particles, weights)| {
            // Relative to the nearest particle: differences keep precision far from the world origin.
            let base = rows[particles[0] as usize];
            let mut sum = [0.0; 3];
            for (&i, &w) in particles.iter().zip(weights) {
                let row = rows[i as usize];
                (0..3).for_each(|k| sum[k] += w * (row[k] - base[k]));
            }
            [0, 1, 2].map(|k| base[k] + sum[k])
        })
    }
}

/// The nearest candidates, with some reserved for those that span space.
fn choose(candidates: &[u32], rest: &[Vec3], count: usize) -> Vec<u32> {
    let mut chosen: Vec<u32> = Vec::with_capacity(count);
    let mut spanned: Vec<[f64; 3]> = Vec::with_capacity(3);
    let origin = rest[candidates[0] as usize];
    let mut passed = Vec::new();
    for &i in candidates {
        if chosen.len() == count {
            break;
        }
        let mut d = [0, 1, 2].map(|j| f64::from(rest[i as usize][j]) - f64::from(origin[j]));
        let length = dot(d, d).sqrt();
        for s in &spanned {
            let along = dot(d, *s);
            d = [0, 1, 2].map(|j| d[j] - along * s[j]);
        }
        let across = dot(d, d).sqrt();
        // A direction that leaves the span by less than a fifth of its length would get weights of five and more.
        let new = spanned.len() < 3 && length > 0.0 && across > 0.2 * length;
        if new {
            spanned.push(d.map(|x| x / across));
        }
        if new || count - chosen.len() > 3 - spanned.len() {
            chosen.push(i);
        } else {
            passed.push(i);
        }
    }
    // All coplanar: uses the skipped candidates.
    passed.truncate(count - chosen.len());
    chosen.extend(passed);
    chosen
}

/// Moving least squares at the origin: wᵢ = φᵢ(a + b·pᵢ) with Σ wᵢ = 1 and Σ wᵢpᵢ = 0, φ = 1/d².
fn weights(places: &[[f64; 3]]) -> Vec<f64> {
    let scale = places.iter().map(|&p| dot(p, p)).fold(0.0, f64::max).sqrt();
    if let Some(at) = places.iter().position(|&p| dot(p, p) <= 1e-12 * scale * scale) {
        // A vertex on a particle is bound to it alone.
        return (0..places.len()).map(|i| f64::from(u8::from(i == at))).collect();
    }
    let p: Vec<[f64; 3]> = places.iter().map(|p| p.map(|x| x / scale)).collect();
    let phi: Vec<f64> = p.iter().map(|&p| 1.0 / dot(p, p)).collect();
    let total: f64 = phi.iter().sum();
    let mean = [0, 1, 2].map(|j| p.iter().zip(&phi).map(|(p, f)| f * p[j]).sum::<f64>() / total);
    let mut moment = [[0.0; 3]; 3];
    for (p, f) in p.iter().zip(&phi) {
        (0..9).for_each(|k| moment[k / 3][k % 3] += f / total * (p[k / 3] - mean[k / 3]) * (p[k % 3] - mean[k % 3]));
    }
    // wᵢ = φᵢ/Σφ · (1 − mean·M⁻¹(pᵢ − mean)): sums to 1 as Σ φᵢ(pᵢ − mean) = 0, and to mean − M M⁻¹ mean = 0.
    // Directions without extent drop out of the pseudoinverse; there the vertex stays at the mean.
    let inverse = crate::shape_matching::rest_moment::pseudoinverse_f64(moment).0;
    let b = [0, 1, 2].map(|j| dot(inverse[j], mean));
    p.iter().zip(&phi).map(|(p, f)| f / total * (1.0 - (0..3).map(|j| b[j] * (p[j] - mean[j])).sum::<f64>())).collect()
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
