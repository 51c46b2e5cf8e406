//! The density constraint: gradients against finite differences, stiffness against iterations (S23, E20, E21).

use crate::support::{simulate, tank};
use glam::{DVec3, Vec3};
use pliant::World;
use pliant::fluid::boundary::LargeParticle;
use pliant::fluid::density::Sums;
use pliant::fluid::sph_kernels::Smoothing;
use pliant::math::V3;
use std::f64::consts::PI;

const RADIUS: f64 = 0.02;
const REACH: f64 = 4.0 * RADIUS;

/// W in double precision [1/m³]; the kernel whose gradient is taken for that of W.
fn kernel(smoothing: Smoothing, r: f64) -> (f64, f64) {
    let near = (1.0 - r / REACH).max(0.0);
    match smoothing {
        Smoothing::Cubic => {
            let q = 2.0 * r / REACH;
            let unit = if q < 1.0 { 1.0 - 1.5 * q * q + 0.75 * q * q * q } else { 0.25 * (2.0 - q).max(0.0).powi(3) };
            let value = unit / (PI * (0.5 * REACH).powi(3));
            (value, value)
        }
        Smoothing::Poly6 => {
            let inside = (1.0 - (r / REACH).powi(2)).max(0.0);
            let value = 315.0 / (64.0 * PI * REACH.powi(3)) * inside.powi(3);
            (value, 15.0 / (PI * REACH.powi(3)) * near.powi(3))
        }
    }
}

/// Share of the kernel behind a plane at distance δ: 2π·∫ W·t·(t − δ) dt, by Simpson's rule.
fn behind(smoothing: Smoothing, delta: f64) -> f64 {
    simpson(delta, REACH, |t| 2.0 * PI * kernel(smoothing, t).0 * t * (t - delta))
}

/// ∫ f dt. The cubic kernel is made of two pieces, each of which the rule is to see as a whole.
fn simpson(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    if low >= high {
        return 0.0;
    }
    let piece = |low: f64, high: f64| {
        let n = 200;
        let step = (high - low) / f64::from(n);
        let weight = |k: i32| if k == 0 || k == n { 1.0 } else { 2.0 + 2.0 * f64::from(k % 2) };
        (0..=n).map(|k| weight(k) * f(low + f64::from(k) * step)).sum::<f64>() * step / 3.0
    };
    let middle = (0.5 * REACH).clamp(low, high);
    piece(low, middle) + piece(middle, high)
}

/// Share of the kernel within a ball whose middle is `away`: 4π·∫ W·t²·(½ − (s² − R² + t²)/(4·s·t)) dt, from its near
/// side to its far side, by Simpson's rule.
fn within(smoothing: Smoothing, radius: f64, away: f64) -> f64 {
    let (near, far) = (away - radius, (away + radius).min(REACH));
    let (s2, r2) = (away * away, radius * radius);
    simpson(near, far, |t| 4.0 * PI * kernel(smoothing, t).0 * t * t * (0.5 - (s2 - r2 + t * t) / (4.0 * away * t)))
}

/// A scene in double precision.
struct Cloud {
    smoothing: Smoothing,
    places: Vec<DVec3>,
    volumes: Vec<f64>,
    balls: Vec<LargeParticle>,
    wet: Vec<bool>,
    setback: f64,
}

impl Cloud {
    fn of(sim: &World) -> Self {
        let fluid = sim.model().fluid.as_ref().unwrap();
        Self {
            smoothing: fluid.smoothing,
            places: (0..sim.particles()).map(|i| sim.position(i).as_dvec3()).collect(),
            volumes: fluid.volumes.iter().map(|&v| f64::from(v)).collect(),
            balls: fluid.large_particles.clone(),
            wet: fluid.liquids.iter().map(|&l| l > 0).collect(),
            setback: f64::from(fluid.setback),
        }
    }

    /// C of particle `i` if it were at `x`.
    fn constraint(&self, i: usize, x: DVec3) -> f64 {
        let value = |j: usize| {
            let r = if i == j { 0.0 } else { x.distance(self.places[j]) };
            self.ball(j, r) + self.volumes[j] * kernel(self.smoothing, r).0
        };
        (0..self.places.len()).map(value).sum::<f64>() + behind(self.smoothing, x.y + self.setback) - 1.0
    }

    /// What particle `j` adds as a ball.
    fn ball(&self, j: usize, away: f64) -> f64 {
        let LargeParticle { radius, scale } = self.balls[j];
        if radius > 0.0 { f64::from(scale) * within(self.smoothing, f64::from(radius), away) } else { 0.0 }
    }

    /// ∇_k C_i by central differences.
    fn gradient(&self, i: usize, k: usize) -> DVec3 {
        let far = |x: DVec3, j: usize| {
            let r = x.distance(self.places[j]);
            self.ball(j, r) + self.volumes[j] * kernel(self.smoothing, r).1
        };
        let at = |shift: DVec3| {
            if k != i {
                // Seen from i, k goes the other way.
                return far(self.places[i] - shift, k);
            }
            let x = self.places[i] + shift;
            let others = (0..self.places.len()).filter(|&j| j != i).map(|j| far(x, j));
            others.sum::<f64>() + behind(self.smoothing, x.y + self.setback)
        };
        let step = 1e-6;
        let part = |axis: DVec3| (at(axis * step) - at(axis * -step)) / (2.0 * step);
        DVec3::new(part(DVec3::X), part(DVec3::Y), part(DVec3::Z))
    }
}

/// Two liquids, grains and a pair of large balls at random above a plane, all closer than at rest.
fn cloud(kernel: &str, compressibility: f64) -> World {
    let mut sim = simulate(&format!(
        "solver = {{ dt = 0.01, iterations = 1 }}\nworld = {{ gravity = [0, 0, 0], damping = 0, air_density = 0 }}
         fluid = {{ radius = {RADIUS}, kernel = \"{kernel}\", carry = 0, omega = 0.1, compressibility = {compressibility} }}
         contact = {{ between = false }}
         [[liquid]]\nfill = {{ min = [0, 0, 0], max = [0.16, 0.16, 0.16] }}\nviscosity = 0
         [[liquid]]\nname = \"heavy\"\nfill = {{ min = [0, 0, 0], max = [0.16, 0.16, 0.16] }}\nviscosity = 0\ndensity = 2700
         [[grains]]\nfill = {{ min = [0, 0, 0], max = [0.12, 0.12, 0.12] }}\nradius = 0.017\ndensity = 300
         [[grains]]\nname = \"large\"\nfill = {{ min = [0, 0, 0], max = [0.14, 0.07, 0.07] }}\nradius = 0.035\ndensity = 150
         [[collider]]\nplane = {{}}\n"
    ));
    let mut seed = 7_u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / (1 << 24) as f32
    };
    // Balls are beside the cloud: a particle inside one is treated as on its surface.
    let fluid = sim.model().fluid.clone().unwrap();
    let mut sides = [[-0.04, 0.13, 0.08], [0.205, 0.1, 0.05]].into_iter();
    for (i, row) in sim.state_mut().rows.iter_mut().enumerate() {
        if fluid.large_particle(i).is_some() {
            row[..3].copy_from_slice(&sides.next().unwrap());
            continue;
        }
        (row[0], row[1], row[2]) = (0.16 * random(), 0.05 + 0.16 * random(), 0.16 * random());
    }
    sim
}

#[test]
fn s23_e20_e21_gradients_of_the_whole_constraint_are_its_differences() {
    for (name, compressibility) in [("cubic", 0.0), ("cubic", 2e-5), ("poly6", 0.0)] {
        let mut sim = cloud(name, compressibility);
        let before = Cloud::of(&sim);
        let n = sim.particles();
        let fluid = sim.model().fluid.clone().unwrap();
        let weights: Vec<f64> = sim.state().rows.iter().map(|row| f64::from(row[3])).collect();
        let kinds = weights.iter().zip(&before.volumes).map(|(w, v)| format!("{w:.2} {v:.3e}"));
        assert_eq!(kinds.collect::<std::collections::BTreeSet<_>>().len(), 4, "four masses, two volumes and balls");
        sim.advance(1).unwrap();
        let gradients: Vec<Vec<DVec3>> = (0..n)
            .map(|i| (0..n).map(|k| if before.wet[i] { before.gradient(i, k) } else { DVec3::ZERO }).collect())
            .collect();
        // Multipliers: −ω·C/(Σ w·|∇C|² + α̃ + ε·w). A solid that n constraints share has n times its inverse mass.
        let (mut pushing, mut worst) = (0, [0.0_f64; 2]);
        let within = |a: usize, b: usize| {
            before.places[a].distance(before.places[b]) < REACH + f64::from(before.balls[b].radius)
        };
        let shares: Vec<f64> = (0..n)
            .map(|k| if before.wet[k] { 1.0 } else { (0..n).filter(|&i| before.wet[i] && within(i, k)).count() as f64 })
            .collect();
        for i in (0..n).filter(|&i| before.wet[i]) {
            let c = before.constraint(i, before.places[i]);
            let stiffness: f64 = (0..n).map(|k| weights[k] * shares[k] * gradients[i][k].length_squared()).sum();
            let compliance = compressibility / (f64::from(fluid.volume) * 0.01 * 0.01);
            let epsilon = 0.02 / (4.0 * RADIUS * RADIUS) * weights[i];
            let wanted = (-0.1 * c / (stiffness + compliance + epsilon)).min(0.0);
            let found = f64::from(sim.state().pressures[i]);
            pushing += i32::from(c > 0.1);
            if c > 0.1 {
                worst[0] = worst[0].max((found / wanted - 1.0).abs());
            }
        }
        assert!(pushing > 80, "{pushing} of 128 constraints push");
        // Every particle moves by w·Σ λ_i·∇C_i, solids too.
        for k in 0..n {
            let push: DVec3 = (0..n).map(|i| gradients[i][k] * f64::from(sim.state().pressures[i])).sum();
            let (wanted, found) = (push * weights[k], sim.position(k).as_dvec3() - before.places[k]);
            // Places are known to 1e-8 m.
            worst[1] = worst[1].max((found - wanted).length() / (wanted.length() + 3e-5));
        }
        println!("{name}, {compressibility} /Pa: multipliers off by {:.1e}, moves by {:.1e}", worst[0], worst[1]);
        assert!(worst.iter().all(|&w| w < 1e-3), "{name}: {worst:?}");
    }
}

/// What the sums of both backends are made of, one neighbor at a time.
#[test]
fn s23_e20_the_gradient_of_one_neighbor_is_the_difference_of_its_density() {
    let mut seed = 3_u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    for k in 0..4000 {
        let smoothing = [Smoothing::Cubic, Smoothing::Poly6][k % 2];
        let (apart, volume) = (Vec3::new(random(), random(), random()) * 0.06, 1e-5 * (1.5 + random()));
        let (far, weight) = (apart.as_dvec3().length(), 20.0 * (1.1 + random()));
        if !(0.05 * REACH..0.95 * REACH).contains(&far) {
            continue;
        }
        let of = smoothing.at(REACH as f32, apart.length_squared());
        let sums = Sums::zero().with(of, V3::new(apart.x, apart.y, apart.z), apart.length_squared(), volume, weight);
        let density = |x: DVec3| f64::from(volume) * kernel(smoothing, x.length()).1;
        let step = 1e-7;
        let part = |axis: DVec3| {
            let x = apart.as_dvec3();
            (density(x + axis * step) - density(x - axis * step)) / (2.0 * step)
        };
        let wanted = DVec3::new(part(DVec3::X), part(DVec3::Y), part(DVec3::Z));
        let found = DVec3::new(f64::from(sums.gradient.x), f64::from(sums.gradient.y), f64::from(sums.gradient.z));
        assert!((found - wanted).length() < 1e-3 * wanted.length(), "{smoothing:?} {apart}: {found} {wanted}");
        let squares = f64::from(weight) * wanted.length_squared();
        assert!((f64::from(sums.squares) - squares).abs() < 2e-3 * squares, "{} {squares}", sums.squares);
        let value = f64::from(volume) * kernel(smoothing, far).0;
        assert!((f64::from(sums.density) - value).abs() < 1e-4 * value, "{} {value}", sums.density);
    }
}

/// Mean compression of a column of 12 layers at rest, by particles.
fn column(iterations: u32, compressibility: f64) -> f64 {
    let text = format!(
        "solver = {{ dt = 0.01, substeps = 4, iterations = {iterations} }}
         fluid = {{ radius = {RADIUS}, xsph = 0.05, compressibility = {compressibility} }}
         [[liquid]]\nfill = {{ min = [0, 0, 0], max = [0.2, 0.48, 0.2] }}\n"
    );
    let mut sim = simulate(&(text + &tank([0.0; 3], [0.2, 0.0, 0.2])));
    sim.advance(150).unwrap();
    let mut sum = 0.0;
    for _ in 0..10 {
        sim.advance(1).unwrap();
        sum += sim.densities().iter().map(|&d| f64::from(d - 1.0).max(0.0)).sum::<f64>() / sim.particles() as f64;
    }
    sum / 10.0
}

/// Energy ½·V·C²/β: pressure −λ/(V·h²) = C/β, and at rest ρ·g·depth. So C = β·ρ·g·depth, half of that of the bottom
/// on average.
#[test]
fn s23_compressibility_does_not_depend_on_iterations() {
    let compressibility = 2e-5;
    let wanted = compressibility * 1000.0 * 9.81 * 0.24;
    let soft = [4, 8, 16, 32].map(|n| column(n, compressibility));
    let hard = [4, 32].map(|n| column(n, 0.0));
    println!("compressed by {soft:.4?}, {wanted:.4} in theory; {hard:.4?} where nothing gives way");
    let spread = |of: &[f64]| of.iter().copied().fold(0.0, f64::max) / of.iter().copied().fold(1.0, f64::min);
    assert!(soft.iter().all(|c| (c / wanted - 1.0).abs() < 0.1), "{soft:?} {wanted}");
    assert!(spread(&soft) < 1.05, "{soft:?}");
    assert!(spread(&hard) > 2.0, "{hard:?}");
}
