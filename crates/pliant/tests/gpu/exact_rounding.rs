//! Roots and quotients of `exact.wgsl`: bitwise those of the CPU, whatever the hardware's precision.

use crate::samples::Rng;
use crate::support::{COUNT, Program, gpu};

const EXACT: &str = include_str!("../../src/voxel/gpu/exact.wgsl");

/// The text, and texts whose first guesses are off by some 2^-20: 8 units in the last place, where Vulkan allows 4.5.
fn guesses() -> [String; 3] {
    let spoiled = |factor: &str| {
        let root = EXACT.replacen("sqrt(f32(mantissa << odd))", &format!("{factor} * sqrt(f32(mantissa << odd))"), 1);
        let both = root.replacen("f32(over) / f32(under)", &format!("{factor} * f32(over) / f32(under)"), 1);
        assert_eq!(both.matches(factor).count(), 2, "the guesses are no longer there");
        both
    };
    [EXACT.to_owned(), spoiled("1.000001"), spoiled("0.999999")]
}

/// Numbers between 2^-40 and 2^64, whose quotients are normal, with all kinds of mantissas, those next to powers of two and squares among them.
fn numbers(rng: &mut Rng, count: usize) -> Vec<f32> {
    let mut number = |k: usize| {
        let exponent = rng.range(-40.0, 40.0) as i32;
        let mantissa = match k % 4 {
            0 => 1.0 + rng.range(0.0, 1.0),
            1 => 1.0 + rng.range(0.0, 4.0).floor() / f64::from(1 << 23),
            2 => 2.0 - (1.0 + rng.range(0.0, 4.0).floor()) / f64::from(1 << 23),
            _ => rng.range(1.0, 4096.0).floor().powi(2),
        };
        (mantissa * 2_f64.powi(exponent)) as f32
    };
    (0..count).map(&mut number).collect()
}

#[test]
fn s14_s28_roots_are_rounded_as_on_the_cpu_even_where_the_hardwares_are_not() {
    let Some(gpu) = gpu() else { return };
    let input = numbers(&mut Rng(3), COUNT);
    for text in guesses() {
        let program = Program { parts: &[&text], takes: 1, gives: 1, body: "output[o] = exact_sqrt(f(0u));" };
        for (x, root) in input.iter().zip(gpu.run(&program, &input)) {
            assert_eq!(root.to_bits(), x.sqrt().to_bits(), "the root of {x} is {root}");
        }
    }
}

#[test]
fn s14_s28_quotients_are_rounded_as_on_the_cpu_even_where_the_hardwares_are_not() {
    let Some(gpu) = gpu() else { return };
    let mut rng = Rng(5);
    let (above, below) = (numbers(&mut rng, COUNT), numbers(&mut rng, COUNT));
    let sign = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    let zero = |k: usize| if k.is_multiple_of(50) { 0.0 } else { 1.0 };
    let pair = |k: usize| [above[k] * (sign(k) * zero(k / 2)), below[k]];
    let input: Vec<f32> = (0..COUNT).flat_map(pair).collect();
    for text in guesses() {
        let program =
            Program { parts: &[&text], takes: 2, gives: 1, body: "output[o] = exact_quotient(f(0u), f(1u));" };
        for (pair, found) in input.chunks_exact(2).zip(gpu.run(&program, &input)) {
            let expected = pair[0] / pair[1];
            assert_eq!(found.to_bits(), expected.to_bits(), "{} / {} is {found}", pair[0], pair[1]);
        }
    }
}
