//! Common to the cases: scenes from text, running, and small dense and banded solvers.

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

/// Standard gravity of the default scene [m/s²].
pub const G: f64 = 9.81;

/// Builds a scene; its text is part of the test, so an error in it is a panic with the message.
pub fn simulate(text: &str) -> World {
    let scene = Scene::parse(text, Format::Toml).unwrap_or_else(|e| panic!("{e}\n{text}"));
    World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap_or_else(|e| panic!("{e}"))
}

/// Whether the test is left to hardware: never on the CPU.
pub fn left_to_hardware() -> bool {
    false
}

/// Steps of a case whose tolerance follows from their number: all of them on the CPU.
pub fn long_run(steps: u32) -> u32 {
    steps
}

/// Runs the given number of steps.
pub fn step(sim: &mut World, steps: usize) {
    sim.advance(steps as u32).unwrap_or_else(|e| panic!("{e}"));
}

/// A rope of two particles whose spring of 1e-12 N/m exerts no force that single precision could see:
/// particle 0 starts at `at` and is free, particle 1 starts 10 m beside it along z.
pub fn free_particle(at: [f64; 3], more: &str) -> String {
    let [x, y, z] = at;
    format!(
        "[[rope]]\npath = [[{x}, {y}, {z}], [{x}, {y}, {far}]]\nsegments = 1\nparticle_mass = 1\n\
         stretch = {{ compliance = 1e12 }}\n{more}\n",
        far = z + 10.0
    )
}

/// |a − b| / |b|.
pub fn relative(a: f64, b: f64) -> f64 {
    ((a - b) / b).abs()
}

/// Solves A·x = b by elimination with row exchanges; A row major, n × n.
pub fn solve_dense(mut a: Vec<f64>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let best = (k..n).max_by(|&i, &j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs())).unwrap_or(k);
        b.swap(k, best);
        (0..n).for_each(|c| a.swap(k * n + c, best * n + c));
        for i in k + 1..n {
            let f = a[i * n + k] / a[k * n + k];
            (k..n).for_each(|c| a[i * n + c] -= f * a[k * n + c]);
            b[i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|c| a[k * n + c] * b[c]).sum();
        b[k] = (b[k] - known) / a[k * n + k];
    }
    b
}

/// A symmetric positive definite matrix of which only a lower band is stored.
pub struct Banded {
    n: usize,
    band: usize,
    values: Vec<f64>,
}

impl Banded {
    pub fn new(n: usize, band: usize) -> Self {
        Self { n, band, values: vec![0.0; n * (band + 1)] }
    }

    fn at(&self, i: usize, j: usize) -> usize {
        assert!(i >= j && i - j <= self.band, "({i}, {j}) lies outside the band of {}", self.band);
        i * (self.band + 1) + (i - j)
    }

    /// Adds to the lower triangle; the upper one is its mirror.
    pub fn add(&mut self, i: usize, j: usize, v: f64) {
        if i >= j {
            let at = self.at(i, j);
            self.values[at] += v;
        }
    }

    /// Solves by Cholesky, A = L·Lᵀ.
    pub fn solve(mut self, mut b: Vec<f64>) -> Vec<f64> {
        let (n, band) = (self.n, self.band);
        for i in 0..n {
            for j in i.saturating_sub(band)..=i {
                let first = i.saturating_sub(band).max(j.saturating_sub(band));
                let known: f64 = (first..j).map(|k| self.values[self.at(i, k)] * self.values[self.at(j, k)]).sum();
                let v = self.values[self.at(i, j)] - known;
                let at = self.at(i, j);
                self.values[at] = if i == j { v.sqrt() } else { v / self.values[self.at(j, j)] };
            }
        }
        for i in 0..n {
            let known: f64 = (i.saturating_sub(band)..i).map(|k| self.values[self.at(i, k)] * b[k]).sum();
            b[i] = (b[i] - known) / self.values[self.at(i, i)];
        }
        for i in (0..n).rev() {
            let known: f64 = (i + 1..(i + band + 1).min(n)).map(|k| self.values[self.at(k, i)] * b[k]).sum();
            b[i] = (b[i] - known) / self.values[self.at(i, i)];
        }
        b
    }
}
