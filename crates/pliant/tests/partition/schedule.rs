//! The list of passes, run as a backend would: every constraint once per iteration, on its own
//! particles, and no conflicts within a pass.

use pliant::builder::NoMeshes;
use pliant::model::Model;
use pliant::scene::{Format, Override, Partition, Scene};
use pliant::schedule::passes::{Pass, PatchOp, Schedule};
use pliant::{Options, World};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Bodies of many sizes: some islands, some too large for one, some joined, one with a balloon.
fn scene(sizes: [u32; 4]) -> String {
    let [a, b, c, d] = sizes;
    format!(
        r#"
        [[cloth]]
        grid = {{ cells = [{a}, {b}], size = [1, 1] }}
        bend = {{ compliance = 1 }}
        pin = [{{ at = "top edge" }}]
        tether = 1.1
        [[soft]]
        name = "block"
        block = {{ cells = [{c}, {d}, {c}], size = [1, 1, 1] }}
        transform = {{ translate = [2, 0, 0] }}
        [[soft]]
        fem = {{ young = 1e5, poisson = 0.3 }}
        block = {{ cells = [2, {d}, 2], size = [1, 1, 1] }}
        transform = {{ translate = [4, 0, 0] }}
        array = {{ count = [3, 1, 1], spacing = [2, 0, 0] }}
        [[rope]]
        name = "rod"
        path = [[2, 3, 0], [2.1, 1.5, 0]]
        bend = {{ modulus = 1e6 }}
        twist = {{ modulus = 1e6 }}
        [[inflatable]]
        sphere = {{ radius = 0.5, subdivisions = 2 }}
        transform = {{ translate = [0, 0, 6] }}
        [[attach]]
        from = {{ object = "rod", at = "end" }}
        to = {{ object = "block" }}
        within = 2
        [[collider]]
        plane = {{}}
        "#
    )
}

fn build(text: &str, set: &[String]) -> World {
    let set: Vec<Override> = set.iter().map(|s| s.parse().unwrap()).collect();
    let scene = Scene::parse_with(text, Format::Toml, &set).unwrap();
    World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap()
}

/// Rows moved by each unit of a pass that one thread may run alone.
struct Walk<'a> {
    model: &'a Model,
    /// How often each constraint ran, by group and slot.
    runs: BTreeMap<(usize, usize), usize>,
}

impl Walk<'_> {
    /// Rows that a batch moves; within it no row twice.
    fn batch(&mut self, group: usize, batch: usize) -> BTreeSet<u32> {
        let g = &self.model.groups[group];
        let mut moved = BTreeSet::new();
        for (block, lane) in g.batches[batch].slots() {
            *self.runs.entry((group, block * 8 + lane)).or_default() += 1;
            for r in g.rows_of(block, lane).take(g.layout().moves) {
                assert!(moved.insert(r), "row {r} twice in batch {batch} of {:?}", g.kind);
            }
        }
        moved
    }

    fn ties(&self, ties: &std::ops::Range<usize>) -> BTreeSet<u32> {
        let mut touched = BTreeSet::new();
        for tie in &self.model.phantoms.ties[ties.clone()] {
            for r in std::iter::once(tie.owner).chain(tie.first..tie.first + tie.count) {
                assert!(touched.insert(r), "row {r} twice among phantom constraints");
            }
        }
        touched
    }

    fn patch(&mut self, jobs: &[PatchOp]) -> BTreeSet<u32> {
        let mut all = BTreeSet::new();
        for job in jobs {
            match job {
                PatchOp::Batches { group, batches } => batches.clone().for_each(|b| all.extend(self.batch(*group, b))),
                PatchOp::Spread(copies) | PatchOp::Join(copies) => all.extend(self.ties(&copies.ties)),
                PatchOp::Seams => {}
            }
        }
        all
    }

    /// Units of one pass must touch different rows.
    fn check_disjoint(&self, what: &str, units: Vec<BTreeSet<u32>>) {
        let mut seen = BTreeSet::new();
        for unit in units {
            for r in unit {
                assert!(seen.insert(r), "{what}: row {r} belongs to two");
            }
        }
    }
}

/// Walks an iteration, the last one or one before it.
fn check(sim: &World, partition: Partition, last: bool) {
    let model = sim.model();
    let Schedule { patches, islands, .. } = &model.schedule;
    let mut walk = Walk { model, runs: BTreeMap::new() };
    let units = patches[..*islands].iter().map(|jobs| walk.patch(jobs)).collect();
    walk.check_disjoint("islands", units);
    for pass in model.schedule.passes(last) {
        match pass {
            Pass::Batches(ids) => {
                let units = ids.iter().map(|id| walk.batch(id.group, id.batch)).collect();
                walk.check_disjoint("batches", units);
            }
            Pass::Patches(range) => {
                let units = range.clone().map(|p| walk.patch(&patches[p])).collect();
                walk.check_disjoint("patches", units);
            }
            Pass::Half(range, half) => {
                let units = range.clone().map(|p| walk.patch(half.of(&patches[p]))).collect();
                walk.check_disjoint("halves of patches", units);
            }
            Pass::Spread(copies) | Pass::Join(copies) => drop(walk.ties(&copies.ties)),
            Pass::Serial { group } => {
                for (block, lane) in model.groups[*group].slots() {
                    *walk.runs.entry((*group, block * 8 + lane)).or_default() += 1;
                }
            }
            Pass::Method(_) => {
                for (g, group) in model.groups.iter().enumerate() {
                    for (block, lane) in group.slots() {
                        *walk.runs.entry((g, block * 8 + lane)).or_default() += 1;
                    }
                }
            }
            other => assert!(!other.is_constraint_pass(), "{other:?}"),
        }
    }
    for (g, group) in model.groups.iter().enumerate() {
        for (block, lane) in group.slots() {
            let times = walk.runs.get(&(g, block * 8 + lane)).copied().unwrap_or(0);
            assert_eq!(times, 1, "{partition:?}: a constraint of {:?} runs {times} times", group.kind);
        }
    }
}

/// Constraints as outputs see them, in an order of their own.
fn listed(sim: &World) -> Vec<(&'static str, Vec<u32>, Vec<u32>)> {
    let kinds = sim.model().groups.iter().map(|g| g.kind);
    let mut all: Vec<_> = kinds
        .flat_map(|k| {
            sim.constraints(k).map(move |c| (k.name(), c.rows, c.params.iter().map(|p| p.to_bits()).collect()))
        })
        .collect();
    all.sort();
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s11_s12_s13_an_iteration_runs_every_constraint_once_and_passes_share_no_row(
        sizes in [20_u32..70, 20_u32..70, 2_u32..9, 3_u32..14], patch in 40_u32..400, q in 2_u32..8,
    ) {
        let text = scene(sizes);
        // Projection: descent would take the elastic bodies out of the partition.
        let xpbd = || "solver.method=xpbd".to_owned();
        let serial = listed(&build(&text, &["solver.partition=serial".to_owned(), xpbd()]));
        for partition in Partition::ALL.into_iter() {
            for more in [vec![], vec![format!("solver.patch_particles={patch}"), format!("solver.colors={q}")]] {
                let mut set = vec![format!("solver.partition={}", partition.name()), xpbd()];
                set.extend(more);
                let sim = build(&text, &set);
                check(&sim, partition, false);
                check(&sim, partition, true);
                prop_assert_eq!(&listed(&sim), &serial, "{:?}", partition);
            }
        }
        let sim = build(&text, &["solver.partition=color".to_owned(), "solver.together=true".to_owned(), xpbd()]);
        check(&sim, Partition::Color, true);
        prop_assert_eq!(&listed(&sim), &serial);
    }
}

#[test]
fn s12_phantoms_never_show_in_outputs_counts_or_the_hash() {
    let text = scene([20, 20, 3, 3]);
    let sim = |p: &str| build(&text, &[format!("solver.partition={p}"), "solver.colors=3".to_owned()]);
    let (plain, mut split) = (sim("color"), sim("phantom"));
    assert!(!split.model().phantoms.owners.is_empty());
    assert_eq!(plain.particles(), split.particles());
    assert_eq!(plain.counts(), split.counts());
    assert_eq!(plain.hash(), split.hash());
    assert_eq!(plain.residuals().keys().collect::<Vec<_>>(), split.residuals().keys().collect::<Vec<_>>());
    for _ in 0..3 {
        split.step().unwrap();
    }
    let mut frame = pliant::frame::Frame::default();
    split.write_frame(&mut frame);
    assert_eq!(frame.positions.len(), plain.particles());
    assert_eq!(split.state().velocities.len(), plain.state().velocities.len());
    // Residuals are those of the particles: moving the copies away changes nothing.
    let before = split.residuals();
    let first = split.model().phantoms.first;
    split.state_mut().rows[first..].fill([9.0; 4]);
    assert_eq!(split.residuals(), before);
}
