//! Which constraints may run concurrently, and in which order.
//!
//! The whole order is decided here, once: [`plan`] gives every constraint a color and a patch, and
//! particle copies to constraints that share a particle; `builder::packing` stores constraints in that order and checks it;
//! [`crate::schedule::passes`] turns it into the list of passes.

pub mod bisection;
pub mod block_filling;
pub mod clique;
pub mod color;
pub mod color_reduction;
pub mod conflicts;
pub mod graph;
pub mod islands;
pub mod patch;
pub mod patch_coloring;
pub mod phantom;
pub mod shared_vertex_patches;
pub mod target;
pub mod tilings;

pub use target::Target;

use crate::constraints::group::Raw;

use crate::constraints::phantoms::Phantoms;
use crate::constraints::{ConstraintKind, Layout};
use crate::partition::graph::Graph;
use crate::partition::islands::{GLOBAL, Islands};
use crate::partition::phantom::Split;
use crate::scene::{MOST_COLORS, Partition, Solver};
use glam::Vec3;
use std::collections::BTreeMap;
use std::ops::Range;

/// Constraints of one patch that run concurrently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// Patch number, or [`GLOBAL`].
    pub patch: u32,
    /// Color within the patch.
    pub color: u32,
    /// Constraint numbers.
    pub members: Vec<u32>,
}

/// Copies that are averaged in the same pass, each particle once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TieRun {
    /// Group index of the kind; `None` for the copies on seams between pieces, which all kinds use.
    pub group: Option<usize>,
    /// Patch number, or [`GLOBAL`].
    pub patch: u32,
    /// Range of the phantoms' ties.
    pub ties: Range<usize>,
    /// Constraints of this color and higher use copies.
    pub first_color: u32,
}

/// The plan.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Sets of each kind, ordered by patch and color, [`GLOBAL`] last.
    pub sets: Vec<Vec<Set>>,
    /// Patches of each tiling, in pass order. Islands are numbered before all of them.
    pub tilings: Vec<Range<u32>>,
    /// Copies of particles.
    pub phantoms: Phantoms,
    /// Ties of the copies to their particles.
    pub ties: Vec<TieRun>,
    /// Whether sets of one color but different kinds may run concurrently.
    pub together: bool,
    /// Position of an additional seam exchange within an iteration.
    pub seam_exchange: Option<SeamExchange>,
}

/// A position between two kinds of constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeamExchange {
    /// Group index of the first kind after it.
    pub group: usize,
    /// In every iteration, or only in the last one.
    pub always: bool,
}

/// Input of a plan.
pub struct Problem<'a> {
    /// Partition method; never [`Partition::Auto`].
    pub partition: Partition,
    /// The scene's solver settings.
    pub solver: &'a Solver,
    /// Target processor.
    pub target: &'a Target,
    /// Bodies without a common constraint.
    pub islands: &'a Islands,
    /// Rest position of every row [m].
    pub rest: &'a [Vec3],
    /// Whether an iteration consists only of constraints and collider contacts.
    pub alone: bool,
}

impl Problem<'_> {
    fn rows(&self) -> usize {
        self.islands.of_row.len()
    }
}

/// Plans all constraints. Where particles are split, `constraints` use their copies afterwards.
pub fn plan(problem: &Problem<'_>, constraints: &mut BTreeMap<ConstraintKind, Raw>) -> Plan {
    let mut plan = Plan {
        phantoms: Phantoms { first: problem.rows(), ..Phantoms::default() },
        together: problem.partition == Partition::Color && problem.solver.together,
        ..Plan::default()
    };
    match problem.partition {
        partition if !partition.is_parallel() => {
            let whole = |(kind, raw): (&ConstraintKind, &Raw)| {
                let count = (raw.rows.len() / kind.layout().rows) as u32;
                vec![Set { patch: GLOBAL, color: 0, members: (0..count).collect() }]
            };
            plan.sets = constraints.iter().map(whole).collect();
        }
        Partition::Patch => tilings::plan(problem, constraints, &mut plan),
        Partition::SharedVertexPatches => shared_vertex_patches::plan(problem, constraints, &mut plan),
        _ if plan.together => plan.sets = joint(problem, constraints),
        Partition::Color => {
            let of_kind =
                |(kind, raw): (&ConstraintKind, &Raw)| patch_coloring::colors(problem, kind.layout(), &raw.rows);
            plan.sets = constraints.iter().map(of_kind).collect();
        }
        _ => {
            for (group, (kind, raw)) in constraints.iter_mut().enumerate() {
                let layout = kind.layout();
                let graph = Graph::uniform(layout.rows, layout.moves, &raw.rows, problem.rows());
                let split = split(problem, layout, &graph);
                let island = |c: u32| problem.islands.of_row[raw.rows[c as usize * layout.rows] as usize];
                plan.sets.push(sets(&split.colors, island));
                insert(problem, group, layout, &split, &mut raw.rows, &mut plan);
            }
        }
    }
    plan
}

/// Colors of one kind, with copies where the partition makes them.
fn split(problem: &Problem<'_>, layout: Layout, graph: &Graph) -> Split {
    // Orientations cannot be averaged like positions, and rods are chains: two or three colors anyway.
    let splits = !layout.turns;
    match problem.partition {
        Partition::Phantom if splits => phantom::split(graph, target(problem, graph)),
        Partition::Hybrid if splits => phantom::hybrid(graph, target(problem, graph), colored(problem, graph)),
        _ => Split::plain(graph, colored(problem, graph)),
    }
}

/// Wanted number of colors q̂: the user's, or half the largest clique (D2 §6).
fn target(problem: &Problem<'_>, graph: &Graph) -> usize {
    let default = || clique::omega(graph).size.div_ceil(2);
    problem.solver.colors.map_or_else(default, |q| q as usize).clamp(2, MOST_COLORS as usize)
}

/// One coloring over all kinds: a color may have constraints of several. Kinds that read rows without moving
/// them follow, each by itself: counted as conflicts, those rows would need one color per constraint.
fn joint(problem: &Problem<'_>, constraints: &BTreeMap<ConstraintKind, Raw>) -> Vec<Vec<Set>> {
    let reads = |kind: ConstraintKind| kind.layout().moves < kind.layout().rows;
    let mut graph = Graph::new(problem.rows());
    for (kind, raw) in constraints.iter().filter(|(kind, _)| !reads(**kind)) {
        raw.rows.chunks_exact(kind.layout().rows).for_each(|members| graph.push(members));
    }
    let mut common = colored(problem, &graph);
    let mut colors_so_far = color::count(&common) as u32;
    let mut all = Vec::new();
    for (kind, raw) in constraints {
        let layout = kind.layout();
        let count = raw.rows.len() / layout.rows;
        let own = if reads(*kind) {
            let graph = Graph::uniform(layout.rows, layout.moves, &raw.rows, problem.rows());
            let mut own = colored(problem, &graph);
            own.iter_mut().for_each(|c| *c += colors_so_far);
            colors_so_far = colors_so_far.max(color::count(&own) as u32);
            own
        } else {
            let later = common.split_off(count);
            std::mem::replace(&mut common, later)
        };
        all.push(sets(&own, |c| problem.islands.of_row[raw.rows[c as usize * layout.rows] as usize]));
    }
    all
}

/// Colors, balanced if the user requests it.
fn colored(problem: &Problem<'_>, graph: &Graph) -> Vec<u32> {
    let mut colors = color::color(graph);
    if problem.solver.balance {
        color::balance(graph, &mut colors);
    }
    colors
}

/// Constraints by patch and color, [`GLOBAL`] last, each set in the order of the input.
fn sets(colors: &[u32], patch: impl Fn(u32) -> u32) -> Vec<Set> {
    let mut order: Vec<(u32, u32, u32)> =
        colors.iter().enumerate().map(|(c, &color)| (patch(c as u32), color, c as u32)).collect();
    order.sort_unstable();
    let same = |a: &(u32, u32, u32), b: &(u32, u32, u32)| (a.0, a.1) == (b.0, b.1);
    let set = |run: &[(u32, u32, u32)]| Set {
        patch: run[0].0,
        color: run[0].1,
        members: run.iter().map(|&(_, _, c)| c).collect(),
    };
    order.chunk_by(same).map(set).collect()
}

/// Numbers the copies of one kind, island after island, and redirects its constraints to them.
fn insert(problem: &Problem<'_>, group: usize, layout: Layout, split: &Split, rows: &mut [u32], plan: &mut Plan) {
    let of_row = &problem.islands.of_row;
    let mut owners: Vec<u32> = (0..split.copies.len() as u32).filter(|&r| split.copies[r as usize] > 0).collect();
    if owners.is_empty() {
        return;
    }
    owners.sort_unstable_by_key(|&r| (of_row[r as usize], r));
    // Averaging as in D2's hybrid moves each particle by the mean of the full-mass corrections; XPBD's
    // multipliers need shares that add up (see `methods::jacobi`).
    let plain = problem.partition == Partition::Hybrid && problem.solver.method == crate::scene::Method::Pbd;
    let mut first_copy = vec![u32::MAX; split.copies.len()];
    for run in owners.chunk_by(|&a, &b| of_row[a as usize] == of_row[b as usize]) {
        let from = plan.phantoms.ties.len();
        for &owner in run {
            let count = split.copies[owner as usize];
            let weight = if plain { 1.0 } else { count as f32 };
            first_copy[owner as usize] = plan.phantoms.split(owner, count, weight);
        }
        let ties = from..plan.phantoms.ties.len();
        plan.ties.push(TieRun { group: Some(group), patch: of_row[run[0] as usize], ties, first_color: split.first });
    }
    let mut member = 0;
    for (c, members) in rows.chunks_exact_mut(layout.rows).enumerate() {
        for r in &mut members[..layout.moves] {
            if split.colors[c] >= split.first && split.copies[*r as usize] > 0 {
                *r = first_copy[*r as usize] + split.copy[member];
            }
            member += 1;
        }
    }
}
