//! S05, E11: one XPBD step against a Newton solve of the same implicit Euler step, in double precision.
//!
//! The step minimizes ½·Σ m|x − x̃|² + ½·Cᵀα̃⁻¹C with x̃ = x + h·v + h²·g and α̃ = α/h² (E11), and its
//! multipliers are λ = −α̃⁻¹C. XPBD freezes ∇C within each projection, so the two differ by the rotation of
//! the gradients during the step: a first-order error in the strain change of the step.

use crate::fem::gradients;
use crate::support::{simulate, solve_dense, step};
use glam::DVec3;
use pliant::World;
use pliant::constraints::ConstraintKind;

type Strain = Box<dyn Fn(&[DVec3]) -> (Vec<f64>, Vec<Vec<DVec3>>)>;

/// Constraints that couple: C and its gradients by node, with stiffness α̃⁻¹ (row major).
struct Element {
    nodes: Vec<usize>,
    strain: Strain,
    stiffness: Vec<f64>,
}

impl Element {
    /// −α̃⁻¹·C and the gradients.
    fn multipliers(&self, x: &[DVec3]) -> (Vec<f64>, Vec<Vec<DVec3>>) {
        let at: Vec<_> = self.nodes.iter().map(|&i| x[i]).collect();
        let (c, g) = (self.strain)(&at);
        let m = c.len();
        ((0..m).map(|i| -(0..m).map(|j| self.stiffness[i * m + j] * c[j]).sum::<f64>()).collect(), g)
    }
}

/// One implicit step. Particles of infinite mass do not move.
struct Step {
    target: Vec<DVec3>,
    masses: Vec<f64>,
    elements: Vec<Element>,
}

impl Step {
    /// Gradient at the free particles.
    fn gradient(&self, x: &[DVec3]) -> Vec<f64> {
        let mut g = vec![DVec3::ZERO; x.len()];
        for e in &self.elements {
            let (lambda, gradients) = e.multipliers(x);
            for (l, row) in lambda.iter().zip(&gradients) {
                e.nodes.iter().zip(row).for_each(|(&i, &d)| g[i] -= d * *l);
            }
        }
        self.free().flat_map(|i| (g[i] + (x[i] - self.target[i]) * self.masses[i]).to_array()).collect()
    }

    fn free(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.masses.len()).filter(|&i| self.masses[i].is_finite())
    }

    /// Newton with a Hessian from central differences of the gradient, to a gradient of 1e-12 kg·m.
    fn solve(&self) -> Vec<DVec3> {
        let free: Vec<usize> = self.free().collect();
        let (mut x, n) = (self.target.clone(), 3 * free.len());
        for _ in 0..40 {
            let g = self.gradient(&x);
            if g.iter().all(|v| v.abs() < 1e-12) {
                return x;
            }
            let mut h = vec![0.0; n * n];
            for c in 0..n {
                let moved = |by: f64| {
                    let mut y = x.clone();
                    y[free[c / 3]][c % 3] += by;
                    self.gradient(&y)
                };
                let (up, down) = (moved(1e-6), moved(-1e-6));
                (0..n).for_each(|r| h[r * n + c] = (up[r] - down[r]) / 2e-6);
            }
            let dx = solve_dense(h, g);
            (0..n).for_each(|c| x[free[c / 3]][c % 3] -= dx[c]);
        }
        panic!("Newton did not converge");
    }
}

/// Shakes the body by `size`, takes one step of `h` and compares. Returns the largest difference of
/// positions over the largest correction, and of multipliers over the largest multiplier.
fn compare(mut sim: World, h: f64, size: f32, kind: ConstraintKind, elements: Vec<Element>) -> (f64, f64) {
    let mut seed = 12_345_u32;
    let particles = sim.particles();
    for row in &mut sim.state_mut().rows[..particles] {
        for v in row.iter_mut().take(3) {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *v += size * ((seed >> 8) as f32 / 8_388_608.0 - 1.0);
        }
    }
    let fall = DVec3::new(0.0, -9.81 * h * h, 0.0);
    let masses: Vec<f64> = sim.state().rows.iter().map(|r| 1.0 / f64::from(r[3])).collect();
    let aim = |i: usize| sim.position(i).as_dvec3() + if masses[i].is_finite() { fall } else { DVec3::ZERO };
    let newton = Step { target: (0..particles).map(aim).collect(), masses: masses.clone(), elements };
    let exact = newton.solve();
    step(&mut sim, 1);

    let most = |of: &dyn Fn(usize) -> f64| (0..particles).map(of).fold(0.0, f64::max);
    let correction = most(&|i| exact[i].distance(newton.target[i]));
    let apart = most(&|i| exact[i].distance(sim.position(i).as_dvec3()));
    let (mut largest, mut off) = (0.0_f64, 0.0_f64);
    for view in sim.constraints(kind) {
        let same = |e: &&Element| e.nodes.iter().zip(&view.rows).all(|(&n, &r)| n == r as usize);
        let element = newton.elements.iter().find(same).expect("an element for each constraint");
        for (exact, found) in element.multipliers(&exact).0.iter().zip(&view.multipliers) {
            largest = largest.max(exact.abs());
            off = off.max((exact - f64::from(*found)).abs());
        }
    }
    (apart / correction, off / largest)
}

/// Asserts that both differences are small, and that they shrink with the shaking that causes them.
fn assert_agrees(name: &str, coarse: (f64, f64), fine: (f64, f64)) {
    eprintln!(
        "{name} against Newton: positions {:.1e}, multipliers {:.1e}; with a quarter of the strain {:.1e}, {:.1e}",
        coarse.0, coarse.1, fine.0, fine.1
    );
    assert!(coarse.0 < 0.02 && coarse.1 < 0.02, "{name}: {coarse:?}");
    assert!(fine.0 < 0.4 * coarse.0 && fine.1 < 0.4 * coarse.1, "{name}: {fine:?} after {coarse:?}");
}

#[test]
fn s05_e11_xpbd_cloth_takes_the_implicit_euler_step_of_a_newton_solve() {
    let (h, alpha) = (0.01, 0.002);
    let run = |size: f32| {
        let sim = simulate(&format!(
            "[solver]\ndt = {h}\niterations = 3000\n[world]\nair_density = 0\n[[cloth]]\n\
             grid = {{ cells = [2, 2], size = [1, 1] }}\nparticle_mass = 0.05\n\
             stretch = {{ compliance = {alpha} }}\npin = [{{ at = \"top left\" }}]\n"
        ));
        let springs = sim.constraints(ConstraintKind::Stretch).map(|c| {
            let rest = f64::from(c.params[0]);
            let strain = move |x: &[DVec3]| {
                let d = x[0] - x[1];
                let n = d.normalize();
                (vec![d.length() - rest], vec![vec![n, -n]])
            };
            let nodes = c.rows.iter().map(|&r| r as usize).collect();
            Element { nodes, strain: Box::new(strain), stiffness: vec![h * h / alpha] }
        });
        let springs: Vec<_> = springs.collect();
        assert_eq!(springs.len(), 16);
        compare(sim, h, size, ConstraintKind::Stretch, springs)
    };
    assert_agrees("cloth", run(0.02), run(0.005));
}

#[test]
fn s05_s07_e11_e13_xpbd_fem_block_takes_the_implicit_euler_step_of_a_newton_solve() {
    let (h, young, poisson) = (0.005, 1e5, 0.3);
    let run = |size: f32| {
        let sim = simulate(&format!(
            "[solver]\ndt = {h}\niterations = 3000\n[[soft]]\nblock = {{ cells = [1, 1, 1], size = [0.5, 0.5, 0.5] }}\n\
             fem = {{ young = {young}, poisson = {poisson} }}\npin = [{{ particles = [0] }}]\n"
        ));
        let rest: Vec<DVec3> = (0..8).map(|i| sim.position(i).as_dvec3()).collect();
        let tets = sim.constraints(ConstraintKind::FemTet).map(|c| {
            let nodes: Vec<usize> = c.rows.iter().map(|&r| r as usize).collect();
            let (gradients, volume) = gradients([0, 1, 2, 3].map(|k| rest[nodes[k]]));
            // Hooke in engineering strains: λ + 2μ and λ among the normal ones, μ for each shear.
            let (mu, lame) =
                (young / (2.0 * (1.0 + poisson)), young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)));
            let mut stiffness = vec![0.0; 36];
            for i in 0..3 {
                (0..3).for_each(|j| stiffness[i * 6 + j] = lame * volume * h * h);
                stiffness[i * 7] += 2.0 * mu * volume * h * h;
                stiffness[(i + 3) * 7] = mu * volume * h * h;
            }
            Element { nodes, strain: Box::new(move |x| green(x, &gradients)), stiffness }
        });
        let tets: Vec<_> = tets.collect();
        assert_eq!(tets.len(), 5);
        compare(sim, h, size, ConstraintKind::FemTet, tets)
    };
    assert_agrees("FEM block", run(0.01), run(0.0025));
}

/// Green strain E = ½(FᵀF − I) of F = Σ xₖ ⊗ ∇Nₖ as (E₀₀, E₁₁, E₂₂, 2E₁₂, 2E₀₂, 2E₀₁), and its gradients.
fn green(x: &[DVec3], gradients: &[DVec3; 4]) -> (Vec<f64>, Vec<Vec<DVec3>>) {
    let column = |j: usize| (0..4).map(|k| x[k] * gradients[k][j]).sum::<DVec3>();
    let f = [column(0), column(1), column(2)];
    let pairs = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)];
    let value = |(i, j): (usize, usize)| if i == j { 0.5 * (f[i].dot(f[i]) - 1.0) } else { f[i].dot(f[j]) };
    let slope = |(i, j): (usize, usize)| {
        let half = if i == j { 0.5 } else { 1.0 };
        gradients.iter().map(|g| (f[i] * g[j] + f[j] * g[i]) * half).collect()
    };
    (pairs.iter().map(|&p| value(p)).collect(), pairs.iter().map(|&p| slope(p)).collect())
}
