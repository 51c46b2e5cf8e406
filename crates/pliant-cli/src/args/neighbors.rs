//! How `pliant bench --neighbors` searches.

use clap::{Args, ValueEnum};
use pliant::space::{Pairs, Search};

/// What only `bench --neighbors` takes.
#[derive(Clone, Debug, Args)]
pub struct NeighborSearchArgs {
    /// What searches for neighbors [default: auto].
    #[arg(long)]
    search: Option<SearchName>,
    /// Largest radius in terms of the smallest, 1 to 1024; each is twice the one before, and an eighth as frequent
    /// [default: 1].
    #[arg(long, value_name = "RATIO", value_parser = clap::value_parser!(u32).range(1..=1024))]
    spread: Option<u32>,
    /// Particles along the edge of rigid cubes that the block is cut into; particles of a cube do not list each other
    /// [default: all are loose].
    #[arg(long, value_name = "EDGE", value_parser = clap::value_parser!(u32).range(1..=1024))]
    bodies: Option<u32>,
    /// List pairs once, with the smaller number, instead of with both.
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

    /// What to search with.
    pub fn search(&self) -> Search {
        match self.search {
            Some(SearchName::Grid) => Search::Grid,
            Some(SearchName::Tree) => Search::Tree,
            Some(SearchName::Auto) | None => Search::Auto,
        }
    }

    /// Largest radius in terms of the smallest.
    pub fn spread(&self) -> u32 {
        self.spread.unwrap_or(1)
    }

    /// Particles along the edge of a rigid cube, if there are any.
    pub fn bodies(&self) -> Option<u32> {
        self.bodies
    }

    /// Who lists whom.
    pub fn pairs(&self) -> Pairs {
        if self.once { Pairs::Once } else { Pairs::Both }
    }
}
