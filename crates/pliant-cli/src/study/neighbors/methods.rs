//! All neighbor searches and their cost on one cloud of particles.

use pliant::neighbors::{
    Ball, Bounds, Box3, Cells, Cloud, Construction, Grid, Neighbors, Pairs, Start, Traversal, Tree,
};
use pliant::neighbors::{Volume, Walk};
use pliant::{Isa, Threads};
use std::time::Instant;

/// Cells of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellTable {
    /// The cells of the engine.
    Own,
    /// Cells of the largest search radius, in a table of at most this number cubed, as in D4.
    Cubed(usize),
}

/// Bounding volumes of tree nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundingVolume {
    /// Boxes around leaves of eight particles.
    Boxes,
    /// Balls around leaves of eight particles.
    Balls,
    /// Boxes around single particles, as in D4.
    Singles,
}

/// One neighbor search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A grid.
    Grid(CellTable, Construction),
    /// A tree.
    Tree(BoundingVolume, Traversal),
}

/// Times of one search [ms] and its result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchCost {
    /// Time to build the structure.
    pub build: f64,
    /// Time to list the pairs.
    pub search: f64,
    /// Number of pairs.
    pub pairs: usize,
    /// Hash of the lists.
    pub hash: u64,
}

impl Method {
    /// All methods, that of the engine first.
    pub fn all() -> Vec<Self> {
        let constructions = [Construction::Counting, Construction::Sorting];
        let grids = [CellTable::Own, CellTable::Cubed(64), CellTable::Cubed(128)];
        let mut all: Vec<_> = grids.iter().flat_map(|&t| constructions.map(|c| Self::Grid(t, c))).collect();
        for volume in [BoundingVolume::Boxes, BoundingVolume::Balls, BoundingVolume::Singles] {
            // With one particle per leaf, a bunch is a leaf.
            let apart = |t: &Traversal| volume != BoundingVolume::Singles || t.start != Start::Bunch;
            all.extend(Traversal::all().filter(apart).map(|t| Self::Tree(volume, t)));
        }
        all
    }

    /// Structure, construction and traversal, as columns of the table.
    pub fn columns(self) -> [String; 3] {
        match self {
            Self::Grid(table, construction) => {
                let table = match table {
                    CellTable::Own => "grid".to_owned(),
                    CellTable::Cubed(n) => format!("grid {n}^3"),
                };
                [table, format!("{construction:?}").to_lowercase(), "cells".into()]
            }
            Self::Tree(volume, how) => {
                let volume = match volume {
                    BoundingVolume::Boxes => "tree of boxes",
                    BoundingVolume::Balls => "tree of balls",
                    BoundingVolume::Singles => "tree of boxes of one",
                };
                let walk = match how.walk {
                    Walk::Stack => "stack",
                    Walk::Sparse => "sparse",
                    Walk::Mbvh2 => "mbvh2",
                };
                [volume.into(), "sorting".into(), format!("{walk} from {:?}", how.start).to_lowercase()]
            }
        }
    }

    /// Name in legends.
    pub fn name(self) -> String {
        let [structure, construction, traversal] = self.columns();
        match self {
            Self::Grid(..) => format!("{structure}, {construction}"),
            Self::Tree(..) => format!("{structure}, {traversal}"),
        }
    }
}

/// Searches with their buffers.
pub struct Searches {
    threads: Threads,
    isa: Isa,
    grid: Grid,
    boxes: Tree<Box3>,
    balls: Tree<Ball>,
    singles: Tree<Box3>,
    lists: Neighbors,
}

impl Searches {
    /// With a number of threads; 0 is one per core.
    pub fn new(threads: usize) -> std::io::Result<Self> {
        Ok(Self {
            threads: Threads::new(threads)?,
            isa: Isa::detect(),
            grid: Grid::default(),
            boxes: Tree::default(),
            balls: Tree::default(),
            singles: Tree::new(1),
            lists: Neighbors::default(),
        })
    }

    /// Finds all pairs of a cloud by one method.
    pub fn run(&mut self, method: Method, cloud: Cloud<'_>, margin: f32) -> SearchCost {
        let Self { threads, isa, grid, boxes, balls, singles, lists } = self;
        let (threads, isa) = (&*threads, *isa);
        let (build, search) = threads.enter(|| match method {
            Method::Grid(table, construction) => {
                let start = Instant::now();
                let own = matches!((table, construction), (CellTable::Own, Construction::Counting));
                let (build, after) = if own {
                    grid.build(threads, cloud, margin);
                    let after = Instant::now();
                    (after - start, after)
                } else {
                    let cells = match table {
                        CellTable::Own => {
                            grid.build(threads, cloud, margin);
                            grid.cells().clone()
                        }
                        CellTable::Cubed(n) => {
                            let reach = 2.0 * cloud.largest() + margin;
                            Cells::new(&Bounds::of(cloud.rows), [reach; 3], n * n * n)
                        }
                    };
                    let start = Instant::now();
                    grid.build_with(threads, cloud, cells, construction);
                    let after = Instant::now();
                    (after - start, after)
                };
                grid.pairs(threads, isa, margin, Pairs::Both, lists);
                (build, after.elapsed())
            }
            Method::Tree(BoundingVolume::Boxes, how) => search_tree(boxes, threads, isa, how, cloud, margin, lists),
            Method::Tree(BoundingVolume::Balls, how) => search_tree(balls, threads, isa, how, cloud, margin, lists),
            Method::Tree(BoundingVolume::Singles, how) => search_tree(singles, threads, isa, how, cloud, margin, lists),
        });
        let ms = |d: std::time::Duration| d.as_secs_f64() * 1e3;
        SearchCost {
            build: ms(build),
            search: ms(search),
            pairs: lists.indices().len() / 2,
            hash: hash_words(lists.offsets().iter().chain(lists.indices())),
        }
    }
}

fn search_tree<V: Volume>(
    tree: &mut Tree<V>,
    threads: &Threads,
    isa: Isa,
    how: Traversal,
    cloud: Cloud<'_>,
    margin: f32,
    lists: &mut Neighbors,
) -> (std::time::Duration, std::time::Duration) {
    let start = Instant::now();
    tree.build(threads, cloud);
    let built = Instant::now();
    tree.pairs(threads, isa, how, margin, Pairs::Both, lists);
    (built - start, built.elapsed())
}

/// 64-bit FNV-1a over 32-bit words.
fn hash_words<'a>(columns: impl Iterator<Item = &'a u32>) -> u64 {
    columns.fold(0xcbf2_9ce4_8422_2325, |hash, &w| (hash ^ u64::from(w)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t11_all_methods_find_the_same_pairs_and_have_names_of_their_own() {
        let mut seed = 1_u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f32 / (1 << 24) as f32
        };
        let rows: Vec<[f32; 4]> = (0..500).map(|_| [random(), random(), random(), 1.0]).collect();
        let radii: Vec<f32> = (0..500).map(|_| 0.02 + 0.05 * random()).collect();
        let cloud = Cloud { rows: &rows, radii: &radii, phases: &[] };
        let mut searches = Searches::new(1).unwrap();
        let first = searches.run(Method::all()[0], cloud, 0.01);
        assert!(first.pairs > 100, "{first:?}");
        let mut names = std::collections::BTreeSet::new();
        for method in Method::all() {
            let found = searches.run(method, cloud, 0.01);
            assert_eq!((found.pairs, found.hash), (first.pairs, first.hash), "{}", method.name());
            assert!(names.insert(method.name()), "{}", method.name());
        }
        assert_eq!(names.len(), 6 + 9 + 9 + 6);
    }
}
