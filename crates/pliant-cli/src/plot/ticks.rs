//! Where an axis has its marks, and what stands there.

use crate::formatting;
use plotters::coord::ranged1d::{KeyPointHint, KeyPointWeight, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// An axis: its range, its marks and how they are written.
///
/// A logarithmic axis holds decimal logarithms, so that all axes are drawn alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// From where to where.
    pub range: Range<f64>,
    /// The marks.
    pub places: Vec<f64>,
    log: bool,
    /// What the last mark says instead of its number.
    last: &'static str,
}

impl Ticks {
    /// A linear axis with about so many round marks.
    pub fn linear(range: Range<f64>, about: usize) -> Self {
        Self::stepped(range, about, f64::MIN_POSITIVE)
    }

    /// The same for whole numbers.
    pub fn whole(range: Range<f64>, about: usize) -> Self {
        Self::stepped(range, about, 1.0)
    }

    fn stepped(range: Range<f64>, about: usize, least: f64) -> Self {
        let step = round_up((range.end - range.start) / about.max(1) as f64).max(least);
        let first = (range.start / step).ceil() as i64;
        let places = (first..).map(|i| i as f64 * step).take_while(|v| *v <= range.end + 1e-9 * step).collect();
        Self { range, places, log: false, last: "" }
    }

    /// An axis of decimal logarithms for values of this range, which must be positive.
    pub fn log(values: Range<f64>) -> Self {
        let (low, high) = (values.start.log10(), values.end.log10());
        let margin = ((high - low) * 0.05).max(0.02);
        let range = low - margin..high + margin;
        // The closer the ends, the more marks within a decade.
        let span = range.end - range.start;
        let mantissas: &[u32] = match span {
            s if s > 2.5 => &[1],
            s if s > 0.7 => &[1, 2, 5],
            _ => &[1, 2, 3, 4, 5, 6, 7, 8, 9],
        };
        let every = (span / 8.0).ceil().max(1.0) as i32;
        let decades = range.start.floor() as i32..=range.end.ceil() as i32;
        let marks = decades.filter(|d| d.rem_euclid(every) == 0);
        let places = marks.flat_map(|d| mantissas.iter().map(move |&m| f64::from(d) + f64::from(m).log10()));
        let mut places: Vec<f64> = places.filter(|v| range.contains(v)).collect();
        if places.len() < 2 {
            // Within less than a digit there are no round numbers: the ends have to do.
            places = vec![low, high];
        }
        Self { range, places, log: true, last: "" }
    }

    /// The same without marks beyond `end`; where `word` is not empty, there is one at `end` that says it.
    pub fn until(mut self, end: f64, word: &'static str) -> Self {
        let step = self.step();
        let room = if word.is_empty() { 0.0 } else { step * 0.7 };
        self.places.retain(|p| *p <= end - room + step * 1e-9);
        if !word.is_empty() {
            self.places.push(end);
        }
        self.last = word;
        self
    }

    fn step(&self) -> f64 {
        self.places.get(1).map_or(1.0, |second| (second - self.places[0]).abs())
    }

    /// What is written at a mark.
    pub fn label(&self, place: f64) -> String {
        if !self.last.is_empty() && self.places.last() == Some(&place) {
            return self.last.into();
        }
        if !self.log {
            return plain(place, self.step());
        }
        let exponent = (place + 1e-9).floor();
        let mantissa = 10_f64.powf(place - exponent);
        let whole = (mantissa - mantissa.round()).abs() < 1e-6;
        if whole { format!("{mantissa:.0}e{exponent}") } else { format!("{:.2e}", 10_f64.powf(place)) }
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
            KeyPointWeight::Bold => self.places.clone(),
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

/// A number of an axis whose marks are `step` apart, with as many digits as tell them apart.
fn plain(value: f64, step: f64) -> String {
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

/// The next of 1, 2, 5, 10, 20, … and their tenths.
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
        ticks.places.iter().map(|p| ticks.label(*p)).collect()
    }

    #[test]
    fn marks_are_round_numbers() {
        assert_eq!(labels(&Ticks::linear(0.0..0.9, 5)), ["0.0", "0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(labels(&Ticks::linear(0.0..45_000.0, 5)), ["0", "10,000", "20,000", "30,000", "40,000"]);
        assert_eq!(labels(&Ticks::whole(-0.5..3.5, 10)), ["0", "1", "2", "3"]);
        assert_eq!(labels(&Ticks::whole(1.5..14.5, 5)), ["5", "10"]);
    }

    #[test]
    fn the_last_mark_may_be_a_word_and_has_room_for_it() {
        assert_eq!(labels(&Ticks::whole(-0.5..4.5, 10).until(3.0, "")), ["0", "1", "2", "3"]);
        assert_eq!(labels(&Ticks::whole(-0.5..4.5, 10).until(3.0, "rest")), ["0", "1", "2", "rest"]);
        assert_eq!(
            labels(&Ticks::whole(-0.5..36.5, 8).until(31.0, "rest")),
            ["0", "5", "10", "15", "20", "25", "rest"]
        );
    }

    #[test]
    fn logarithmic_marks_are_denser_where_less_is_seen() {
        assert_eq!(labels(&Ticks::log(1e-4..1e-1)), ["1e-4", "1e-3", "1e-2", "1e-1"]);
        assert_eq!(labels(&Ticks::log(1.5e-3..1.2e-2)), ["2e-3", "5e-3", "1e-2"]);
        assert_eq!(labels(&Ticks::log(2.9e-3..4.1e-3)), ["3e-3", "4e-3"]);
        // Not even one digit: both ends.
        assert_eq!(Ticks::log(3.1e-3..3.4e-3).places.len(), 2);
    }

    #[test]
    fn an_axis_of_one_value_has_room_around_it() {
        let ticks = Ticks::log(0.5..0.5);
        assert!(ticks.range.start < ticks.range.end && ticks.places.len() == 2);
    }
}
