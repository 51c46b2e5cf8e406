//! Options of `pliant bench --neighbors`.

use clap::{Args, ValueEnum};
use pliant::neighbors::{Pairs, Search};

/// Options of `bench --neighbors` only.
#[derive(Clone, Debug, Args)]
pub struct NeighborSearchArgs {
    /// Search structure [default: auto].
    #[arg(long)]
    search: Option<SearchName>,
    /// Ratio of the largest to the smallest radius, 1 to 1024; each size is twice the previous, and an eighth as frequent
    /// [default: 1].
    #[arg(long, value_name = "RATIO", value_parser = clap::value_parser!(u32).range(1..=1024))]
    spread: Option<u32>,
    /// Split the block into rigid cubes with this many particles along an edge; particles of a cube do not list each other
    /// [default: loose particles].
    #[arg(long, value_name = "EDGE", value_parser = clap::value_parser!(u32).range(1..=1024))]
    bodies: Option<u32>,
    /// List each pair once, at the particle with the smaller index, instead of at both.
    #[arg(long)]
    once: bool,
}

/// The searches by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
enum SearchName {
    Grid,
    Tree,
    Auto,
}

impl NeighborSearchArgs {
    /// The first of these options that was given.
    pub fn given(&self) -> Option<&'static str> {
        let options = [
            (self.search.is_some(), "--search"),
            (self.spread.is_some(), "--spread"),
            (self.bodies.is_some(), "--bodies"),
            (self.once, "--once"),
        ];
        options.into_iter().find_map(|(given, name)| given.then_some(name))
    }

    /// The search structure.
    pub fn search(&self) -> Search {
        match self.search {
            Some(SearchName::Grid) => Search::Grid,
            Some(SearchName::Tree) => Search::Tree,
            Some(SearchName::Auto) | None => Search::Auto,
        }
    }

    /// Ratio of the largest to the smallest radius.
    pub fn spread(&self) -> u32 {
        self.spread.unwrap_or(1)
    }

    /// Particles along the edge of a rigid cube, if any.
    pub fn bodies(&self) -> Option<u32> {
        self.bodies
    }

    /// Whether pairs are listed once or twice.
    pub fn pairs(&self) -> Pairs {
        if self.once { Pairs::Once } else { Pairs::Both }
    }
}
