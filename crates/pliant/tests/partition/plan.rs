//! Every partition, on random constraints of several kinds at once.

use glam::Vec3;
use pliant::constraints::ConstraintKind;
use pliant::constraints::group::Raw;
use pliant::partition::Target;
use pliant::partition::islands::{GLOBAL, Islands, PatchCapacity};
use pliant::partition::{Plan, Problem, plan};
use pliant::scene::{Partition, Solver};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const KINDS: [ConstraintKind; 4] =
    [ConstraintKind::Stretch, ConstraintKind::Volume, ConstraintKind::FemTriangle, ConstraintKind::Tether];

/// Rows in space and constraints among them, some of which make islands.
#[derive(Clone, Debug)]
struct Web {
    rest: Vec<Vec3>,
    constraints: BTreeMap<ConstraintKind, Vec<u32>>,
}

fn webs() -> impl Strategy<Value = Web> {
    (8_usize..60).prop_flat_map(|rows| {
        let rest = proptest::collection::vec(proptest::array::uniform3(0.0_f32..1.0), rows);
        let lists = KINDS.map(|kind| {
            let members = proptest::sample::subsequence((0..rows as u32).collect::<Vec<_>>(), kind.layout().rows);
            proptest::collection::vec(members.prop_shuffle(), 0..50).prop_map(|all| all.concat())
        });
        (rest, lists).prop_map(|(rest, lists)| Web {
            rest: rest.into_iter().map(Vec3::from).collect(),
            constraints: KINDS.into_iter().zip(lists).filter(|(_, rows)| !rows.is_empty()).collect(),
        })
    })
}

impl Web {
    fn plan(&self, partition: Partition, solver: &Solver) -> (Plan, BTreeMap<ConstraintKind, Raw>) {
        let raw = |(&kind, rows): (&ConstraintKind, &Vec<u32>)| (kind, Raw { rows: rows.clone(), params: Vec::new() });
        let mut constraints: BTreeMap<ConstraintKind, Raw> = self.constraints.iter().map(raw).collect();
        let islands = if partition.is_parallel() {
            Islands::find(&constraints, self.rest.len(), self.rest.len(), &[], PatchCapacity::on(&Target::CPU, None))
        } else {
            Islands::none(&constraints, self.rest.len())
        };
        let problem =
            Problem { partition, solver, target: &Target::CPU, islands: &islands, rest: &self.rest, alone: true };
        let found = plan(&problem, &mut constraints);
        (found, constraints)
    }

    fn check(&self, partition: Partition, solver: &Solver) {
        let (plan, constraints) = self.plan(partition, solver);
        assert_eq!(plan.sets.len(), constraints.len());
        let mut patch_rows: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for ((kind, raw), sets) in constraints.iter().zip(&plan.sets) {
            let layout = kind.layout();
            let rows = |c: u32| &raw.rows[c as usize * layout.rows..(c as usize + 1) * layout.rows];
            let mut all: Vec<u32> = sets.iter().flat_map(|s| s.members.iter().copied()).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..(raw.rows.len() / layout.rows) as u32), "{partition:?}: not each once");
            // Copies stand for the rows that were there before.
            let seen: Vec<u32> = raw.rows.iter().map(|&r| plan.phantoms.seen(r)).collect();
            assert_eq!(seen, self.constraints[kind], "{partition:?}");
            if !partition.is_parallel() {
                continue;
            }
            for set in sets {
                let mut moved = BTreeSet::new();
                for &c in &set.members {
                    for &r in &rows(c)[..layout.moves] {
                        assert!(moved.insert(r), "{partition:?}: row {r} twice in a set of {kind:?}");
                    }
                    if set.patch != GLOBAL {
                        patch_rows.entry(set.patch).or_default().extend(rows(c));
                    }
                }
            }
        }
        for tiling in &plan.tilings {
            let mut owned = BTreeSet::new();
            for patch in tiling.clone() {
                for r in &patch_rows[&patch] {
                    assert!(owned.insert(*r), "{partition:?}: row {r} in two patches of a tiling");
                }
            }
        }
        if let Some(n) = solver.patch_particles.filter(|_| partition.is_patched()) {
            let tiles = patch_rows.iter().filter(|(p, _)| plan.tilings.iter().any(|t| t.contains(p)));
            // Particles, that is: where colors are short, some are split within the patch.
            let particles = |rows: &BTreeSet<u32>| rows.iter().map(|&r| plan.phantoms.seen(r)).collect::<BTreeSet<_>>();
            tiles.for_each(|(p, rows)| assert!(particles(rows).len() <= n as usize, "patch {p}: {rows:?}"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s11_s12_s13_every_plan_has_every_constraint_once_and_no_row_twice_in_a_set(web in webs(), q in 2_u32..7, n in 4_u32..20) {
        for partition in Partition::ALL.into_iter().filter(|&p| p != Partition::Auto) {
            web.check(partition, &Solver { colors: Some(q), patch_particles: Some(n), ..Solver::default() });
            web.check(partition, &Solver { balance: true, ..Solver::default() });
            let (first, again) = (web.plan(partition, &Solver::default()), web.plan(partition, &Solver::default()));
            prop_assert_eq!(first.0.sets, again.0.sets);
            prop_assert_eq!(first.0.tilings, again.0.tilings);
            prop_assert_eq!(first.0.phantoms, again.0.phantoms);
        }
        web.check(Partition::Color, &Solver { together: true, ..Solver::default() });
        web.check(Partition::Color, &Solver { together: true, balance: true, ..Solver::default() });
    }
}
