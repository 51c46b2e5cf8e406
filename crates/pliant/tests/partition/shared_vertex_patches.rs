//! Shared-vertex patches: one pass, every constraint in one piece, a copy per piece.

use pliant::builder::{NoMeshes, build};
use pliant::constraints::ConstraintKind;
use pliant::model::Model;
use pliant::partition::Target;
use pliant::scene::{Format, Override, Scene};
use pliant::schedule::passes::{Half, Halves, Pass, PatchOp};
use pliant::{Options, World};
use std::collections::{BTreeMap, BTreeSet};

/// Batches that belong to no patch.
const GLOBAL: u32 = u32::MAX;

const CLOTH: &str = r#"
    [[cloth]]
    grid = { cells = [40, 31], size = [1, 0.8] }
    bend = { compliance = 1 }
    pin = [{ at = "top edge" }]
    tether = 1.1
"#;
const BLOCK: &str = r#"
    [[soft]]
    block = { cells = [14, 9, 11], size = [1.4, 0.9, 1.1], tets = "six" }
"#;
const RINGS: &str = r#"
    contact = { between = false }
    [[soft]]
    torus = { radius = 1, width = 0.3, cells = [40, 3] }
    array = { count = [2, 1, 2], spacing = [3, 0, 3] }
"#;
/// A rod joined to a cord: the kinds that turn orientations stay outside of pieces.
const RODS: &str = r#"
    contact = { between = false }
    [[rope]]
    name = "rod"
    path = [[0, 1, 0], [3, 1, 0]]
    segments = 150
    bend = { modulus = 1e6 }
    twist = { modulus = 1e6 }
    [[rope]]
    name = "cord"
    path = [[0, 0.9, 0], [3, 0.9, 0]]
    segments = 150
    bend = { compliance = 1 }
    [[attach]]
    from = { object = "rod", at = "end" }
    to = { object = "cord" }
    within = 1
"#;
const BALLOON: &str = r#"
    [[inflatable]]
    sphere = { radius = 0.5, subdivisions = 3 }
    bend = { compliance = 1 }
"#;

fn scene(text: &str, set: &[&str]) -> Scene {
    let set: Vec<Override> = set.iter().map(|s| s.parse().unwrap()).collect();
    Scene::parse_with(text, Format::Toml, &set).unwrap()
}

fn model(text: &str, set: &[&str], target: &Target) -> Model {
    build(&scene(text, &[&["solver.partition=shared-patch"], set].concat()), &NoMeshes, target).unwrap().0
}

/// Rows that each patch names, and how many constraints it has; those outside patches as [`GLOBAL`].
fn patches(model: &Model) -> BTreeMap<u32, (BTreeSet<u32>, usize)> {
    let mut all: BTreeMap<u32, (BTreeSet<u32>, usize)> = BTreeMap::new();
    for group in &model.groups {
        for batch in &group.batches {
            let (rows, count) = all.entry(batch.patch).or_default();
            rows.extend(batch.slots().flat_map(|(block, lane)| group.rows_of(block, lane)));
            *count += batch.count;
        }
    }
    all
}

/// Constraints by kind as the particles they join, in an order of their own.
fn listed(model: &Model) -> Vec<(&'static str, Vec<u32>)> {
    let of_group = |g: &'_ pliant::constraints::group::Group| -> Vec<(&'static str, Vec<u32>)> {
        let seen = |(block, lane)| g.rows_of(block, lane).map(|r| model.phantoms.seen(r)).collect();
        g.slots().map(|slot| (g.kind.name(), seen(slot))).collect()
    };
    let mut all: Vec<_> = model.groups.iter().flat_map(of_group).collect();
    all.sort();
    all
}

/// Checks the invariants of shared-vertex patches. Returns their pieces and copies.
fn check(text: &str, set: &[&str], target: &Target) -> (usize, usize) {
    let model = model(text, set, target);
    let serial = build(&scene(text, &["solver.partition=serial"]), &NoMeshes, target).unwrap().0;
    assert_eq!(listed(&model), listed(&serial), "not every constraint once, on its own particles");
    for group in model.groups.iter().filter(|g| !g.layout().turns) {
        assert!(group.batches.iter().all(|b| b.patch != GLOBAL), "{:?} outside of pieces", group.kind);
    }

    let islands = model.schedule.islands as u32;
    let patches = patches(&model);
    let pieces: Vec<_> = patches.iter().filter(|(p, _)| **p != GLOBAL && **p >= islands).collect();
    let most = scene(text, set).solver.patch_particles.map_or(usize::MAX, |n| n as usize).min(target.rows);
    let mut owned = BTreeSet::new();
    for (p, (rows, count)) in &patches {
        if *p != GLOBAL {
            let whole = rows.iter().map(|&r| unsplit(&model, r)).collect::<BTreeSet<_>>().len();
            assert!(whole <= most && rows.len() <= target.rows, "patch {p} has {whole} rows of {most}");
            rows.iter().for_each(|r| assert!(owned.insert(*r), "row {r} is in two patches"));
        }
        assert!(*count > 0);
    }

    // Seam by seam: as many copies as pieces that name the particle, one in each, and none names it directly.
    let mut named: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for (p, (rows, _)) in &pieces {
        let whole: BTreeSet<u32> = rows.iter().map(|&r| unsplit(&model, r)).collect();
        whole.iter().for_each(|&r| named.entry(model.phantoms.seen(r)).or_default().push((**p, r)));
    }
    named.retain(|_, pieces| pieces.len() > 1);
    let seams: Vec<_> = model.phantoms.ties.iter().filter(|tie| model.phantoms.on_seam(tie.first)).collect();
    assert_eq!(named.len(), seams.len());
    for (tie, (owner, pieces)) in seams.iter().zip(&named) {
        assert_eq!((tie.owner, tie.count as usize, tie.inv_mass), (*owner, pieces.len(), pieces.len() as f32));
        let rows: Vec<u32> = pieces.iter().map(|&(_, r)| r).collect();
        let piece: BTreeSet<u32> = pieces.iter().map(|&(p, _)| p).collect();
        assert_eq!(piece.len(), pieces.len(), "a piece has two copies of particle {owner}");
        assert!(rows.into_iter().eq(tie.first..tie.first + tie.count), "copies of particle {owner}: {pieces:?}");
    }

    let passes = &model.schedule.iteration;
    if model.phantoms.seams > 0 {
        let patches = |pass: &Pass| matches!(pass, Pass::Patches(_) | Pass::Half(_, Half::First));
        assert!(matches!(&passes[..3], [Pass::Spread(_), p, Pass::Join(_)] if patches(p)), "{passes:?}");
    }
    assert_eq!(model.schedule.tilings().count(), usize::from(!pieces.is_empty()));
    (pieces.len(), model.phantoms.seams)
}

/// The row that a patch has split into this one for a kind, or the row itself.
fn unsplit(model: &Model, row: u32) -> u32 {
    let phantoms = &model.phantoms;
    if (row as usize) < phantoms.first + phantoms.seams {
        return row;
    }
    phantoms.ties[phantoms.ties.partition_point(|tie| tie.first <= row) - 1].owner
}

/// Colors of a kind in each patch.
fn colors_of(model: &Model, kind: ConstraintKind) -> Vec<usize> {
    let mut colors: BTreeMap<u32, usize> = BTreeMap::new();
    for batch in model.groups.iter().filter(|g| g.kind == kind).flat_map(|g| &g.batches) {
        *colors.entry(batch.patch).or_default() += 1;
    }
    colors.into_values().collect()
}

#[test]
fn s12_few_patches_take_fewer_colors_for_volumes_and_all_for_edges() {
    let target = Target::gpu(16 << 10, 128);
    let short = model(BLOCK, &[], &target);
    let long = model(BLOCK, &[], &Target { few: 0, ..target });
    assert_eq!(long.phantoms.owners.len(), long.phantoms.seams, "split where chains do not matter");
    assert_eq!(colors_of(&short, ConstraintKind::Stretch), colors_of(&long, ConstraintKind::Stretch));
    let volumes = (colors_of(&short, ConstraintKind::Volume), colors_of(&long, ConstraintKind::Volume));
    println!("{} rows; colors of the volumes {volumes:?}", target.rows);
    assert!(volumes.1.iter().any(|&n| n > 16), "no patch has many colors");
    for (&few, &many) in volumes.0.iter().zip(&volumes.1) {
        let wanted = (3 * many).div_ceil(5).max(6);
        assert!(few == wanted || few == many, "{few} colors, {many} without copies");
    }
    assert!(volumes.0.iter().sum::<usize>() * 4 < volumes.1.iter().sum::<usize>() * 3, "hardly a patch is split");
    // If the copies do not fit, there are none.
    let full = Target { rows: patches(&long).values().map(|(rows, _)| rows.len()).max().unwrap(), ..target };
    let tight = model(BLOCK, &[&format!("solver.patch_particles={}", full.rows)], &full);
    assert!(patches(&tight).values().all(|(rows, _)| rows.len() <= full.rows));
    check(BLOCK, &[], &target);
}

#[test]
fn s12_every_constraint_is_in_one_piece_and_every_seam_particle_has_a_copy_in_each() {
    for (name, text) in [("cloth", CLOTH), ("block", BLOCK), ("rings", RINGS), ("rods", RODS), ("balloon", BALLOON)] {
        // Workgroups of 64 rows and 4 threads, of 256 and 32; the CPU with pieces as the user wishes.
        let targets = [(Target::gpu(1 << 10, 4), "4000"), (Target::gpu(4 << 10, 32), "100"), (Target::CPU, "60")];
        for (target, wish) in targets {
            let (pieces, copies) = check(text, &[&format!("solver.patch_particles={wish}")], &target);
            println!("{name}, {} rows or {wish}: {pieces} pieces, {copies} copies", target.rows);
            assert!(pieces > 1 && copies > 0, "{name} is in {pieces} pieces with {copies} copies");
        }
    }
}

#[test]
fn s12_bodies_that_fit_are_islands_or_pieces_without_copies() {
    let target = Target::gpu(48 << 10, 256);
    for (text, islands, pieces) in [(CLOTH, 1, 0), (RODS, 1, 0), (BALLOON, 0, 1)] {
        let model = model(text, &[], &target);
        assert_eq!((model.schedule.islands, model.schedule.patches.len()), (islands, islands + pieces));
        assert_eq!(check(text, &[], &target), (pieces, 0));
    }
    // 151 particles and 150 orientations: neither in 256 rows nor in 300, but in 2 × 151 + 150.
    let islands = |rows: usize| model(RODS, &[], &Target { rows, ..target }).schedule.islands;
    assert_eq!([256, 300, 451, 452].map(islands), [0, 0, 0, 1]);
}

#[test]
fn s12_soft_bends_of_large_sheets_take_a_third_of_their_colors_and_others_half() {
    let target = Target::gpu(16 << 10, 128);
    let sheet = |bend: &str, cells: usize| {
        format!("[[cloth]]\ngrid = {{ cells = [{cells}, {cells}], size = [1, 1] }}\nbend = {{ {bend} }}\n")
    };
    let colors = |text: &str, target: &Target| colors_of(&model(text, &[], target), ConstraintKind::Bend);
    // One of so many, in pieces and in a body that fits.
    let cases = [("compliance = 1", 3), ("stiffness = 0.1", 3), ("compliance = 0", 2), ("stiffness = 1", 2)];
    for (bend, of) in cases {
        for (cells, of) in [(60, of), (8, 2)] {
            let text = sheet(bend, cells);
            let (few, all) = (colors(&text, &target), colors(&text, &Target { few: 0, ..target }));
            println!("{bend}, {cells} cells: {few:?} of {all:?}");
            assert!(all.iter().any(|&n| n > 12), "no chain is long");
            for (few, all) in few.into_iter().zip(all) {
                let wanted = all.div_ceil(of).max(6);
                assert!(few == wanted || few == all && all <= wanted + 2, "{bend}: {few} colors of {all}");
            }
        }
    }
    // Beside a balloon, which has passes of its own, soft ones keep half, too.
    let text = sheet("compliance = 1", 60) + "[[inflatable]]\nsphere = { radius = 0.5, subdivisions = 2 }\n";
    let most = |target: &Target| colors(&text, target).into_iter().max().unwrap();
    let (few, all) = (most(&target), most(&Target { few: 0, ..target }));
    assert_eq!(few, all.div_ceil(2), "of {all}");
}

#[test]
fn s12_the_last_iteration_joins_seams_between_edges_and_volumes_too() {
    let target = Target::gpu(16 << 10, 128);
    let model = model(BLOCK, &[], &target);
    let schedule = &model.schedule;
    let kinds = |jobs: &[PatchOp]| -> BTreeSet<ConstraintKind> {
        let group = |job: &PatchOp| {
            if let PatchOp::Batches { group, .. } = job { Some(model.groups[*group].kind) } else { None }
        };
        jobs.iter().filter_map(group).collect()
    };
    for jobs in &schedule.patches[schedule.islands..] {
        assert!(!kinds(Half::First.of(jobs)).contains(&ConstraintKind::Volume), "volumes before seams are joined");
        assert_eq!(kinds(Half::Second.of(jobs)), BTreeSet::from([ConstraintKind::Volume]));
        assert_eq!(jobs.iter().filter(|job| **job == PatchOp::Seams).count(), 1);
    }
    let [Pass::Spread(a), Pass::Patches(_), Pass::Join(b), rest @ ..] = schedule.passes(false) else { panic!() };
    let list = schedule.passes(true);
    let [Pass::Spread(c), Pass::Half(_, Half::First), Pass::Join(d), middle, Pass::Half(_, Half::Second), end @ ..] =
        list
    else {
        panic!("{list:?}")
    };
    assert!([b, c, d].into_iter().all(|copies| copies == a), "{list:?}");
    assert_eq!((middle, end), (&Pass::Spread(a.clone()), &[&[Pass::Join(a.clone())], rest].concat()[..]));
    // Cloth has no volumes, and a body in one piece no seams.
    for (text, target) in [(CLOTH, target), (BLOCK, Target::gpu(1 << 20, 128))] {
        let model = self::model(text, &[], &target);
        assert_eq!(model.schedule.halves(), Halves::None);
        assert_eq!(model.schedule.passes(true), model.schedule.passes(false));
    }
    // With more pieces than run at once, every iteration is as the last.
    let overfull = Target { few: schedule.patches.len() - 1, ..target };
    let crowded = self::model(BLOCK, &[], &overfull);
    assert_eq!((schedule.halves(), crowded.schedule.halves()), (Halves::Last, Halves::All));
    assert_eq!([false, true].map(|last| crowded.schedule.passes(last)), [list; 2]);
}

#[test]
fn s12_pieces_are_of_even_size_and_few_of_their_particles_are_shared() {
    // A sheet of 100 × 100 particles in some ten pieces: the seams of a perfect 3 × 4 cut are 2 × 100 + 3 × 100
    // particles long, and two wide, because a hinge across a seam reaches one row farther.
    let text = "[[cloth]]\ngrid = { cells = [99, 99], size = [1, 1] }\nbend = { compliance = 1 }\n";
    let target = Target { pieces: 12, min_constraints: 1, ..Target::gpu(48 << 10, 512) };
    let model = model(text, &[], &target);
    let sizes: Vec<usize> = patches(&model).values().map(|(_, count)| *count).collect();
    let (most, fewest) = (*sizes.iter().max().unwrap(), *sizes.iter().min().unwrap());
    let shared = model.phantoms.ties.iter().filter(|tie| model.phantoms.on_seam(tie.first)).count();
    println!("{} pieces of {fewest} to {most} constraints, {shared} particles shared", sizes.len());
    assert!((10..=14).contains(&sizes.len()) && most as f64 <= 1.3 * fewest as f64, "{sizes:?}");
    assert!(shared <= 1100, "{shared} particles are shared");
}

#[test]
fn r01_shared_patches_have_the_same_bits_on_one_thread_and_on_two() {
    for text in [CLOTH, BLOCK, RODS, BALLOON] {
        let run = |threads: usize| {
            let scene = scene(text, &["solver.partition=shared-patch", "solver.patch_particles=60"]);
            let mut sim = World::from_scene(&scene, &NoMeshes, Options { threads, ..Options::default() }).unwrap();
            assert!(!sim.model().phantoms.owners.is_empty());
            (0..10).for_each(|_| sim.step().unwrap());
            sim.hash()
        };
        assert_eq!(run(1), run(2), "{text}");
    }
}
