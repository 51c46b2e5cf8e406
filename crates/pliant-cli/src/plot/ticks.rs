//! Axis ticks and their labels.

use crate::formatting;
use plotters::coord::ranged1d::{KeyPointHint, KeyPointWeight, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// An axis: its range, its ticks and their labels.
///
/// A logarithmic axis holds decimal logarithms, so that all axes are drawn alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// Range of values.
    pub range: Range<f64>,
    /// Positions of the ticks.
    pub positions: Vec<f64>,
    log: bool,
    /// Text label of the last tick instead of its number, if not empty.
    last: &'static str,
}

impl Ticks {
    /// A linear axis with about `about` ticks at round numbers.
    pub fn linear(range: Range<f64>, about: usize) -> Self {
        Self::stepped(range, about, f64::MIN_POSITIVE)
    }

    /// The same for integers.
    pub fn whole(range: Range<f64>, about: usize) -> Self {
        Self::stepped(range, about, 1.0)
    }

    fn stepped(range: Range<f64>, about: usize, least: f64) -> Self {
        let step = round_up((range.end - range.start) / about.max(1) as f64).max(least);
        let first = (range.start / step).ceil() as i64;
        let positions = (first..).map(|i| i as f64 * step).take_while(|v| *v <= range.end + 1e-9 * step).collect();
        Self { range, positions, log: false, last: "" }
    }

    /// An axis of decimal logarithms for values of this range, which must be positive.
    pub fn log(values: Range<f64>) -> Self {
        let (low, high) = (values.start.log10(), values.end.log10());
        let margin = ((high - low) * 0.05).max(0.02);
        let range = low - margin..high + margin;
        // A smaller range has more ticks per decade.
        let span = range.end - range.start;
        let mantissas: &[u32] = match span {
            s if s > 2.5 => &[1],
            s if s > 0.7 => &[1, 2, 5],
            _ => &[1, 2, 3, 4, 5, 6, 7, 8, 9],
        };
        let every = (span / 8.0).ceil().max(1.0) as i32;
        let decades = range.start.floor() as i32..=range.end.ceil() as i32;
        let marks = decades.filter(|d| d.rem_euclid(every) == 0);
        let positions = marks.flat_map(|d| mantissas.iter().map(move |&m| f64::from(d) + f64::from(m).log10()));
        let mut positions: Vec<f64> = positions.filter(|v| range.contains(v)).collect();
        if positions.len() < 2 {
            // A range below one digit has no round numbers, so the ends are labeled.
            positions = vec![low, high];
        }
        Self { range, positions, log: true, last: "" }
    }

    /// The same without ticks beyond `end`; if `word` is not empty, `end` has a tick with that label.
    pub fn until(mut self, end: f64, word: &'static str) -> Self {
        let step = self.step();
        let clearance = if word.is_empty() { 0.0 } else { step * 0.7 };
        self.positions.retain(|p| *p <= end - clearance + step * 1e-9);
        if !word.is_empty() {
            self.positions.push(end);
        }
        self.last = word;
        self
    }

    fn step(&self) -> f64 {
        self.positions.get(1).map_or(1.0, |second| (second - self.positions[0]).abs())
    }

    /// Label of a tick.
    pub fn label(&self, position: f64) -> String {
        if !self.last.is_empty() && self.positions.last() == Some(&position) {
            return self.last.into();
        }
        if !self.log {
            return format_value(position, self.step());
        }
        let exponent = (position + 1e-9).floor();
        let mantissa = 10_f64.powf(position - exponent);
        let whole = (mantissa - mantissa.round()).abs() < 1e-6;
        if whole { format!("{mantissa:.0}e{exponent}") } else { format!("{:.2e}", 10_f64.powf(position)) }
    }
}

impl Ranged for Ticks {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let share = (value - self.range.start) / (self.range.end - self.range.start);
        first + (share * f64::from(last - first)).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, hint: H) -> Vec<f64> {
        match hint.weight() {
            KeyPointWeight::Bold => self.positions.clone(),
            KeyPointWeight::Any => Vec::new(),
        }
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Ticks {
    fn format(value: &f64) -> String {
        value.to_string()
    }
}

/// A value with enough digits for ticks `step` apart.
fn format_value(value: f64, step: f64) -> String {
    let value = if value.abs() < step * 1e-9 { 0.0 } else { value };
    if step < 1e-4 && value != 0.0 {
        return format!("{value:.1e}");
    }
    if step >= 1.0 && value >= 0.0 {
        return formatting::grouped(value.round() as usize);
    }
    let digits = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{value:.digits$}")
}

/// Rounds up to 1, 2 or 5 times a power of ten.
fn round_up(value: f64) -> f64 {
    if !(value > 0.0 && value.is_finite()) {
        return 1.0;
    }
    let decade = 10_f64.powf(value.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| value <= decade * f * (1.0 + 1e-9));
    decade * factor.unwrap_or(10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &Ticks) -> Vec<String> {
        ticks.positions.iter().map(|p| ticks.label(*p)).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(labels(&Ticks::linear(0.0..0.9, 5)), ["0.0", "0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(labels(&Ticks::linear(0.0..45_000.0, 5)), ["0", "10,000", "20,000", "30,000", "40,000"]);
        assert_eq!(labels(&Ticks::whole(-0.5..3.5, 10)), ["0", "1", "2", "3"]);
        assert_eq!(labels(&Ticks::whole(1.5..14.5, 5)), ["5", "10"]);
    }

    #[test]
    fn the_last_tick_may_have_a_text_label() {
        assert_eq!(labels(&Ticks::whole(-0.5..4.5, 10).until(3.0, "")), ["0", "1", "2", "3"]);
        assert_eq!(labels(&Ticks::whole(-0.5..4.5, 10).until(3.0, "rest")), ["0", "1", "2", "rest"]);
        assert_eq!(
            labels(&Ticks::whole(-0.5..36.5, 8).until(31.0, "rest")),
            ["0", "5", "10", "15", "20", "25", "rest"]
        );
    }

    #[test]
    fn logarithmic_ticks_are_denser_in_small_ranges() {
        assert_eq!(labels(&Ticks::log(1e-4..1e-1)), ["1e-4", "1e-3", "1e-2", "1e-1"]);
        assert_eq!(labels(&Ticks::log(1.5e-3..1.2e-2)), ["2e-3", "5e-3", "1e-2"]);
        assert_eq!(labels(&Ticks::log(2.9e-3..4.1e-3)), ["3e-3", "4e-3"]);
        // Less than one digit: both ends.
        assert_eq!(Ticks::log(3.1e-3..3.4e-3).positions.len(), 2);
    }

    #[test]
    fn an_axis_of_one_value_has_a_margin() {
        let ticks = Ticks::log(0.5..0.5);
        assert!(ticks.range.start < ticks.range.end && ticks.positions.len() == 2);
    }
}
