//! A solver as one option value: `color`, `phantom:4`, `patch:1000`, `shared-patch:1000`.

use crate::scene_loader::Setting;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser, ValueParserFactory};
use clap::{Arg, Command};
use pliant::scene::Partition;
use std::ffi::OsStr;
use std::fmt;
use std::str::FromStr;

/// A partition by name, with an optional number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverSpec {
    /// How constraints are split.
    pub partition: Partition,
    /// Colors of "phantom" and "hybrid", particles of a patch for "patch" and "shared-patch".
    pub number: Option<u32>,
}

impl SolverSpec {
    /// The scene fields that it sets; `option` is the name of the command-line option.
    ///
    /// The validation of the scene checks the number.
    pub fn settings(&self, option: &str) -> Vec<Setting> {
        let given = format!("--{option} {self}");
        let mut all = vec![Setting::from_option("solver.partition", self.partition.name(), &given)];
        let pair = number_key(self.partition).zip(self.number);
        all.extend(pair.map(|(key, number)| Setting::from_option(key, number, &given)));
        all
    }
}

/// The field of the scene that a number after the name sets.
fn number_key(partition: Partition) -> Option<&'static str> {
    match partition {
        Partition::Phantom | Partition::Hybrid => Some("solver.colors"),
        Partition::Patch | Partition::SharedVertexPatches => Some("solver.patch_particles"),
        _ => None,
    }
}

impl FromStr for SolverSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, number) = text.split_once(':').map_or((text, None), |(name, number)| (name, Some(number)));
        let partition = Partition::from_name(name).ok_or_else(|| {
            format!("there is no solver {name:?}; allowed are {}", Partition::ALL.map(Partition::name).join(", "))
        })?;
        if number.is_some() && number_key(partition).is_none() {
            return Err(format!("{name} takes no number; phantom:N, hybrid:N, patch:N and shared-patch:N do"));
        }
        let whole = |n: &str| n.parse().map_err(|_| format!("{n:?} after {name} is not a whole number"));
        Ok(Self { partition, number: number.map(whole).transpose()? })
    }
}

/// Command-line parser of a solver, with shell completion of the names.
#[derive(Clone)]
pub struct SolverParser;

impl TypedValueParser for SolverParser {
    type Value = SolverSpec;

    fn parse_ref(&self, cmd: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<SolverSpec, clap::Error> {
        StringValueParser::new().try_map(|text| text.parse::<SolverSpec>()).parse_ref(cmd, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Partition::ALL.into_iter().map(|p| PossibleValue::new(p.name()))))
    }
}

impl ValueParserFactory for SolverSpec {
    type Parser = SolverParser;

    fn value_parser() -> SolverParser {
        SolverParser
    }
}

impl fmt::Display for SolverSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.partition.name())?;
        self.number.map_or(Ok(()), |n| write!(f, ":{n}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_solver_name_round_trips() {
        for text in [
            "auto",
            "serial",
            "color",
            "phantom:4",
            "hybrid:8",
            "patch:1000",
            "shared-patch:1000",
            "jacobi",
            "jacobi-gather",
        ] {
            assert_eq!(text.parse::<SolverSpec>().unwrap().to_string(), text);
        }
        assert_eq!("mosaic:1000".parse::<SolverSpec>().unwrap().to_string(), "shared-patch:1000", "the former name");
    }

    #[test]
    fn numbers_are_refused_where_a_solver_takes_none() {
        for text in ["color:4", "jacobi:2", "phantom:", "phantom:x", "phantom:-1", "magic", "", ":4"] {
            assert!(text.parse::<SolverSpec>().is_err(), "{text:?}");
        }
    }
}
