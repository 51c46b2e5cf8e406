//! The WGSL version of every constraint kernel against `project::<f32>`.
//!
//! Errors are relative to the characteristic size of the result:
//! - change of a particle [m]: the largest of the extent of its constraint, the lengths among its parameters and
//!   the change itself; the relative precision of coordinates and lengths is 1e-7 of that;
//! - change of an orientation: 1, the length of a quaternion;
//! - multiplier: the largest of its value before and after and of its change if the rows were
//!   displaced by the size above (so that the terms of C that cancel near its rest count).
//!
//! Of the regular inputs 999 in 1000 are within 1e-5 of that, and every input, degenerate or not, is within that or
//! within its rounding error (`rounding`). No result is infinite or NaN.
//! Only the continuum elements need more than 1e-5 on a device that rounds every operation to nearest: their
//! small systems are solved in another order of operations, and without compliance a flat element's are singular.
//!
//! Sizes are limited so that squares of lengths and of areas are no denormals, which a GPU may flush to zero.

use crate::rounding::{Erring, scatter};
use crate::samples::{Double, Number, Outcome, Rng, Sample, sample};
use crate::support::{COUNT, Program, gpu};
use pliant::constraints::ConstraintKind;
use rayon::prelude::*;
use std::fmt::Write;

/// One input of a kernel. Every number is an `f32`.
#[derive(Clone, Debug)]
struct Case {
    at: Sample,
    scales: (f64, f64),
    lambda: Vec<f64>,
    /// Neither degenerate nor extreme.
    regular: bool,
}

impl Case {
    fn project<F: Number>(&self) -> Outcome {
        self.at.project::<F>(self.scales, &self.lambda)
    }

    /// Changes of the rows and new multipliers, as the GPU writes them.
    fn answer<F: Number>(&self) -> Vec<f64> {
        let outcome = self.project::<F>();
        let turns = self.at.kind.layout().turns;
        // Of a particle the kernel may return anything for w, and a backend drops it.
        let rows = outcome.rows.iter().flat_map(|&[x, y, z, w]| [x, y, z, if turns { w } else { 0.0 }]);
        rows.chain(outcome.lambda).collect()
    }

    /// Everything an `f32`, so that all precisions start from one input.
    fn rounded(mut self) -> Self {
        let single = |v: &mut f64| *v = f64::from(*v as f32);
        self.at.params.iter_mut().for_each(single);
        self.at.rows.iter_mut().flatten().for_each(single);
        self.lambda.iter_mut().for_each(single);
        single(&mut self.scales.0);
        self
    }

    fn write(&self, input: &mut Vec<f32>) {
        input.extend([self.scales.0 as f32, self.scales.1 as f32]);
        input.extend(self.at.params.iter().map(|&v| v as f32));
        input.extend(self.at.rows.iter().flatten().map(|&v| v as f32));
        input.extend(self.lambda.iter().map(|&v| v as f32));
    }

    /// Size of the constraint [m]: see the head of the file.
    fn size(&self) -> f64 {
        let turns = self.at.turns();
        let first = self.at.point(0);
        let extent = (0..self.at.rows.len())
            .filter(|k| !turns.contains(k))
            .fold(0.0_f64, |m, k| m.max((self.at.point(k) - first).abs().max_element()));
        lengths(self.at.kind).iter().fold(extent, |m, &slot| m.max(self.at.params[slot].abs()))
    }

    /// The natural size of every number of the answer.
    fn natural(&self, answer: &[f64]) -> Vec<f64> {
        let (rows, turns) = (self.at.rows.len(), self.at.turns());
        let size = self.size();
        let mut natural = vec![1.0; answer.len()];
        for k in (0..rows).filter(|k| !turns.contains(k)) {
            let most = answer[4 * k..4 * k + 4].iter().fold(size, |m, v| m.max(v.abs()));
            natural[4 * k..4 * k + 4].fill(most);
        }
        // The derivative along two random displacements, in double precision.
        let mut rng = Rng(3);
        let here = self.project::<Double>().lambda;
        let mut most: Vec<f64> =
            (0..here.len()).map(|m| self.lambda[m].abs().max(answer[4 * rows + m].abs())).collect();
        for _ in 0..2 {
            let mut moved = self.clone();
            for (k, row) in moved.at.rows.iter_mut().enumerate() {
                let (step, last) = if turns.contains(&k) { (1e-6, 4) } else { (1e-6 * size, 3) };
                row[..last].iter_mut().for_each(|v| *v += step * rng.range(-1.0, 1.0));
            }
            let there = moved.project::<Double>().lambda;
            (0..here.len()).for_each(|m| most[m] = most[m].max(1e6 * (there[m] - here[m]).abs()));
        }
        natural[4 * rows..].copy_from_slice(&most);
        natural
    }

    /// Compares what the GPU found; panics where even rounding cannot explain it.
    fn judge(&self, found: &[f32]) -> Verdict {
        let cpu = self.answer::<f32>();
        assert!(found.iter().all(|v| v.is_finite()), "{self:?}: {found:?} against {cpu:?}");
        let natural = self.natural(&cpu);
        let off = |n: usize| (f64::from(found[n]) - cpu[n]).abs() / natural[n].max(f64::from(f32::MIN_POSITIVE));
        let error = (0..found.len()).map(off).fold(0.0, f64::max);
        if error <= 1e-5 {
            return Verdict { error, regular: self.regular, open: false };
        }
        let range: Vec<(f64, f64)> = scatter(|| self.answer::<Erring>())
            .into_iter()
            .zip(&cpu)
            .map(|((low, high), &cpu)| (low.min(cpu), high.max(cpu)))
            .collect();
        // Where rounding alone moves the answer by a tenth of its size there is none to compare with: a flat element
        // without compliance has a singular system, and what is left of its last pivots is rounding.
        let open = !self.regular && (0..found.len()).any(|n| range[n].1 - range[n].0 > 0.1 * natural[n]);
        for n in (0..found.len()).filter(|_| !open) {
            let (low, high) = range[n];
            // So few runs do not find the ends of what can happen: as far again on both sides.
            let slack = high - low + 1e-5 * natural[n];
            let fine = (low - slack..=high + slack).contains(&f64::from(found[n]));
            assert!(fine, "{self:?}\nnumber {n} is {}, but {low} … {high} on the CPU: {cpu:?}", found[n]);
        }
        Verdict { error, regular: self.regular, open }
    }
}

/// How one answer compares.
struct Verdict {
    /// Largest error, relative to the natural size.
    error: f64,
    regular: bool,
    /// Whether rounding alone decides the answer.
    open: bool,
}

/// Parameters that are lengths.
fn lengths(kind: ConstraintKind) -> &'static [usize] {
    match kind {
        ConstraintKind::Stretch | ConstraintKind::Tether | ConstraintKind::StretchShear => &[0],
        ConstraintKind::Isometric => &[4, 6],
        ConstraintKind::RopeBending => &[0, 2],
        _ => &[],
    }
}

/// C is a length to this power.
fn power(kind: ConstraintKind) -> i32 {
    match kind {
        ConstraintKind::Stretch
        | ConstraintKind::Tether
        | ConstraintKind::Attach
        | ConstraintKind::Isometric
        | ConstraintKind::RopeBending => 1,
        ConstraintKind::Volume => 3,
        ConstraintKind::Bend
        | ConstraintKind::FemTriangle
        | ConstraintKind::FemTet
        | ConstraintKind::Membrane
        | ConstraintKind::NeoHookeanTriangle
        | ConstraintKind::NeoHookeanTet
        | ConstraintKind::StretchShear
        | ConstraintKind::BendTwist => 0,
    }
}

fn logarithmic(rng: &mut Rng, low: f64, high: f64) -> f64 {
    rng.range(low.ln(), high.ln()).exp()
}

/// A random choice of so many.
fn one_of(rng: &mut Rng, count: usize) -> usize {
    rng.range(0.0, count as f64) as usize
}

/// Makes a constraint larger in every length.
fn grow(at: &mut Sample, by: f64) {
    let turns = at.turns();
    let rows = at.rows.iter_mut().enumerate().filter(|(k, _)| !turns.contains(k));
    rows.for_each(|(_, row)| row[..3].iter_mut().for_each(|v| *v *= by));
    lengths(at.kind).iter().for_each(|&slot| at.params[slot] *= by);
    match at.kind {
        ConstraintKind::Volume => at.params[0] *= by.powi(3),
        // Inverse rest edges.
        ConstraintKind::FemTriangle | ConstraintKind::Membrane | ConstraintKind::NeoHookeanTriangle => {
            at.params[..4].iter_mut().for_each(|v| *v /= by);
        }
        ConstraintKind::FemTet | ConstraintKind::NeoHookeanTet => at.params[..9].iter_mut().for_each(|v| *v /= by),
        _ => {}
    }
}

/// An input with sizes from a centimeter to 100 m, particles from a gram to 100 kg, rigid to soft by 1e3.
fn regular(kind: ConstraintKind, rng: &mut Rng, size: f64, mass: f64) -> Case {
    let mut at = sample(kind, rng);
    grow(&mut at, size);
    // An orientation weighs like its particles at the ends of its segment.
    let spin = if kind == ConstraintKind::BendTwist { 1.0 } else { size * size };
    let turns = at.turns();
    at.set_weights(|k| rng.range(0.2, 5.0) / mass / if turns.contains(&k) { spin } else { 1.0 });
    // What ∇C·W·∇Cᵀ is like, so that compliance and masses both matter.
    let weight =
        size.powi(2 * power(kind) - 2) / mass * if kind == ConstraintKind::BendTwist { size * size } else { 1.0 };
    let inv_h2 = logarithmic(rng, 1.0, 1e7);
    match one_of(rng, 4) {
        0 => at.set_compliance(0.0),
        1 if kind.layout().softness.is_some() => at.set_compliance(-rng.range(0.01, 0.99)),
        _ => at.set_compliance(weight / inv_h2 * logarithmic(rng, 1e-3, 1e3)),
    }
    let reached = if one_of(rng, 3) == 0 { 0.0 } else { size.powi(power(kind)) / weight };
    let lambda = (0..kind.layout().multipliers).map(|_| reached * rng.range(-1.0, 1.0)).collect();
    let memory = if one_of(rng, 2) == 0 { 0.0 } else { 1.0 };
    Case { at, scales: (inv_h2, memory), lambda, regular: true }.rounded()
}

/// An input without direction, size or freedom, or an extreme one.
fn degenerate(kind: ConstraintKind, rng: &mut Rng) -> Case {
    let what = one_of(rng, 13);
    let size = match what {
        0 => 1e-4,
        1 => 1e4,
        _ => logarithmic(rng, 0.01, 100.0),
    };
    let mut case = regular(kind, rng, size, 1.0);
    case.regular = false;
    let (rows, turns) = (case.at.rows.len(), case.at.turns());
    let first = case.at.rows[0];
    // Squeezes the particles towards the first one, axis by axis.
    let mut squeeze = |by: [f64; 3]| {
        let rows = case.at.rows.iter_mut().enumerate().filter(|(k, _)| !turns.contains(k));
        rows.for_each(|(_, row)| (0..3).for_each(|c| row[c] = first[c] + (row[c] - first[c]) * by[c]));
    };
    match what {
        0 | 1 => {}
        2 => squeeze([0.0; 3]),
        3 => squeeze([1e-3; 3]),
        4 => squeeze([1.0, 1.0, 0.0]),
        5 => squeeze([1.0, 1.0, 1e-6]),
        6 => squeeze([1.0, 0.0, 0.0]),
        7 => squeeze([1.0, 1e-6, 1e-6]),
        8 => {
            let (a, b) = (one_of(rng, rows), one_of(rng, rows));
            if !turns.contains(&a) && !turns.contains(&b) {
                case.at.rows[a] = case.at.rows[b];
            }
        }
        9 => {
            let free = one_of(rng, rows + 1);
            case.at.set_weights(|k| f64::from(u8::from(k == free)));
        }
        10 => {
            let heavy: Vec<f64> = (0..rows).map(|_| logarithmic(rng, 1e-6, 1e6)).collect();
            case.at.set_weights(|k| heavy[k]);
        }
        11 => case.at.params.fill(0.0),
        _ => rest_here(&mut case.at),
    }
    case.rounded()
}

/// Makes where the rows are their rest.
fn rest_here(at: &mut Sample) {
    let c = at.evaluate::<f32>();
    match at.kind {
        ConstraintKind::Stretch
        | ConstraintKind::Tether
        | ConstraintKind::Bend
        | ConstraintKind::Volume
        | ConstraintKind::RopeBending => at.params[0] += c[0],
        ConstraintKind::Isometric => at.params[4] += c[0],
        ConstraintKind::BendTwist => (0..3).for_each(|m| at.params[2 + m] += c[m]),
        ConstraintKind::Attach
        | ConstraintKind::StretchShear
        | ConstraintKind::FemTriangle
        | ConstraintKind::FemTet
        | ConstraintKind::Membrane
        | ConstraintKind::NeoHookeanTriangle
        | ConstraintKind::NeoHookeanTet => {}
    }
}

/// Calls the WGSL kernel of a kind and writes all it returns.
fn body(kind: ConstraintKind) -> String {
    let (layout, name) = (kind.layout(), kind.name());
    let (rows, params, multipliers) = (layout.rows, layout.params, layout.multipliers);
    let list = |start: usize, step: usize, count: usize, read: &str| {
        let items: Vec<String> = (0..count).map(|k| format!("{read}({}u)", start + step * k)).collect();
        items.join(", ")
    };
    let p = list(2, 1, params, "f");
    let r = list(2 + params, 4, rows, "f4");
    let l = list(2 + params + 4 * rows, 1, multipliers, "f");
    let mut body = format!("let a = {name}(Scales(f(0u), f(1u)), array({p}), array({r}), array({l}));\n");
    for k in 0..rows {
        for (c, axis) in ["x", "y", "z", "w"].iter().enumerate() {
            writeln!(body, "output[o + {}u] = a.rows[{k}].{axis};", 4 * k + c).unwrap();
        }
    }
    for m in 0..multipliers {
        writeln!(body, "output[o + {}u] = a.lambda[{m}];", 4 * rows + m).unwrap();
    }
    body
}

/// Runs a kind on the GPU and compares every number.
fn check(kind: ConstraintKind) {
    let Some(gpu) = gpu() else { return };
    let mut rng = Rng(100 + kind as u64);
    let cases: Vec<Case> = (0..COUNT)
        .map(|n| {
            if n % 4 == 3 {
                return degenerate(kind, &mut rng);
            }
            let (size, mass) = (logarithmic(&mut rng, 0.01, 100.0), logarithmic(&mut rng, 1e-3, 100.0));
            regular(kind, &mut rng, size, mass)
        })
        .collect();
    let mut input = Vec::new();
    cases.iter().for_each(|case| case.write(&mut input));
    let layout = kind.layout();
    let gives = 4 * layout.rows + layout.multipliers;
    let takes = input.len() / COUNT;
    let output = gpu.run(&Program { parts: &[kind.wgsl()], takes, gives, body: &body(kind) }, &input);

    let judged: Vec<Verdict> =
        cases.par_iter().zip(output.par_chunks(gives)).map(|(c, found)| c.judge(found)).collect();
    let beyond = judged.iter().filter(|v| v.error > 1e-5).count();
    let regular = judged.iter().filter(|v| v.error > 1e-5 && v.regular).count();
    let worst = judged.iter().map(|v| v.error).filter(|&e| e <= 1e-5).fold(0.0, f64::max);
    let open = judged.iter().filter(|v| v.open).count();
    println!("{kind:?}: {worst:.1e} at most, but for {beyond} inputs: {regular} are regular, {open} have no answer");
    assert!(open <= COUNT / 50, "{kind:?}: {open} inputs have no answer to compare with");
    assert!(regular <= COUNT / 1000, "{kind:?}: {regular} regular inputs are off by more than 1e-5");
}

#[test]
fn s14_every_kernel_answers_on_the_gpu_what_it_answers_on_the_cpu() {
    ConstraintKind::ALL.into_iter().for_each(check);
}
