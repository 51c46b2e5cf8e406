//! Packs constraints into blocks of eight, batch after batch, and checks that batches are valid.

use crate::builder::BuildError;
use crate::constraints::ConstraintKind;
use crate::constraints::group::Raw;
use crate::constraints::group::{BLOCK, Batch, Entry, Group, Incidence};
use crate::error::SceneError;
use crate::partition::islands::{ELASTIC, GLOBAL};
use crate::partition::{Plan, Set};

/// Stores constraints in the order of `sets` (constraint indices).
pub fn group(kind: ConstraintKind, raw: &Raw, sets: &[Set]) -> Group {
    let layout = kind.layout();
    let blocks: usize = sets.iter().map(|s| s.members.len().div_ceil(BLOCK)).sum();
    let mut packed = Group {
        kind,
        count: sets.iter().map(|s| s.members.len()).sum(),
        batches: Vec::with_capacity(sets.len()),
        rows: vec![0; blocks * layout.rows * BLOCK],
        params: vec![0.0; blocks * layout.params * BLOCK],
    };
    let mut first = 0;
    for set in sets {
        for (b, members) in set.members.chunks(BLOCK).enumerate() {
            let block = first + b;
            for lane in 0..BLOCK {
                // Unused lanes repeat the first constraint: valid to read, never written.
                let c = *members.get(lane).unwrap_or(&members[0]) as usize;
                for k in 0..layout.rows {
                    packed.rows[(block * layout.rows + k) * BLOCK + lane] = raw.rows[c * layout.rows + k];
                }
                for k in 0..layout.params {
                    packed.params[(block * layout.params + k) * BLOCK + lane] = raw.params[c * layout.params + k];
                }
            }
        }
        let batch = Batch { first, count: set.members.len(), patch: set.patch, color: set.color };
        first += batch.blocks();
        packed.batches.push(batch);
    }
    packed
}

/// Checks what the backends rely on for memory safety: every index is in range; if `parallel`, no row
/// moved by a batch appears twice in it, and no row that it only reads is moved by it; patches of one
/// tiling share no row, and islands share none with any other constraint; every copy has one owner, which is a
/// particle; no particle owns copies twice in a group or on seams, and no island particle owns copies on seams.
pub fn check(groups: &[Group], plan: &Plan, islands: usize, rows: usize, parallel: bool) -> Result<(), BuildError> {
    for group in groups {
        if let Some(bad) = group.rows.iter().find(|&&r| r as usize >= rows) {
            return broken(group.kind, format!("a constraint names row {bad}, but there are {rows}"));
        }
        if parallel {
            check_batches(group, rows)?;
        }
    }
    if parallel {
        let of_island = check_patches(groups, plan, islands, rows)?;
        check_ties(groups, plan, &of_island, rows)?;
        check_joint(groups, plan, rows)?;
    }
    Ok(())
}

fn broken<T>(kind: ConstraintKind, what: String) -> Result<T, BuildError> {
    broken_at(kind.name(), what)
}

fn broken_at<T>(place: &str, what: String) -> Result<T, BuildError> {
    Err(SceneError::new(place, what).into())
}

fn check_batches(group: &Group, rows: usize) -> Result<(), BuildError> {
    let moves = group.layout().moves;
    let mut moved_in = vec![u32::MAX; rows];
    for (b, batch) in group.batches.iter().enumerate().filter(|(_, batch)| batch.patch != ELASTIC) {
        let number = b as u32;
        for (block, lane) in batch.slots() {
            for r in group.rows_of(block, lane).take(moves) {
                if std::mem::replace(&mut moved_in[r as usize], number) == number {
                    return broken(group.kind, format!("row {r} appears twice in batch {b}"));
                }
            }
        }
        if moves == group.layout().rows {
            continue;
        }
        for (block, lane) in batch.slots() {
            if let Some(r) = group.rows_of(block, lane).skip(moves).find(|&r| moved_in[r as usize] == number) {
                return broken(group.kind, format!("row {r} is both moved and only read in batch {b}"));
            }
        }
    }
    Ok(())
}

/// Returns the island of each row.
fn check_patches(groups: &[Group], plan: &Plan, islands: usize, rows: usize) -> Result<Vec<u32>, BuildError> {
    // Passes whose patches run concurrently: the islands, then each tiling.
    let pass = |patch: u32| match patch {
        GLOBAL | ELASTIC => usize::MAX,
        p if (p as usize) < islands => 0,
        p => plan.tilings.partition_point(|t| t.start <= p),
    };
    let mut of_island = vec![GLOBAL; rows];
    let mut of_patch = vec![vec![GLOBAL; if plan.tilings.is_empty() { 0 } else { rows }]; plan.tilings.len()];
    for group in groups {
        for batch in &group.batches {
            for r in batch.slots().flat_map(|(block, lane)| group.rows_of(block, lane)) {
                let owner = match pass(batch.patch) {
                    usize::MAX => continue,
                    0 => &mut of_island[r as usize],
                    n => &mut of_patch[n - 1][r as usize],
                };
                if *owner != GLOBAL && *owner != batch.patch {
                    return broken(group.kind, format!("row {r} is in patches {owner} and {}", batch.patch));
                }
                *owner = batch.patch;
            }
        }
    }
    // A patch also moves the particles it splits, even if no constraint uses them directly.
    for run in plan.ties.iter().filter(|run| run.patch != GLOBAL) {
        for tie in &plan.phantoms.ties[run.ties.clone()] {
            for r in std::iter::once(tie.owner).chain(tie.first..tie.first + tie.count) {
                let owner = match pass(run.patch) {
                    0 => of_island.get_mut(r as usize),
                    n => of_patch[n - 1].get_mut(r as usize),
                };
                match owner {
                    Some(owner) if *owner == GLOBAL || *owner == run.patch => *owner = run.patch,
                    _ => return broken_at("solver", format!("patch {} splits row {r} of another", run.patch)),
                }
            }
        }
    }
    for group in groups {
        for batch in group.batches.iter().filter(|b| pass(b.patch) != 0) {
            let mut named = batch.slots().flat_map(|(block, lane)| group.rows_of(block, lane));
            if let Some(r) = named.find(|&r| of_island[r as usize] != GLOBAL) {
                return broken(group.kind, format!("row {r} of an island is named outside it"));
            }
        }
    }
    Ok(of_island)
}

/// Where kinds are colored together, no row is moved twice in a color, or both moved and read.
fn check_joint(groups: &[Group], plan: &Plan, rows: usize) -> Result<(), BuildError> {
    if !plan.together {
        return Ok(());
    }
    let colors = groups.iter().flat_map(|g| &g.batches).map(|b| b.color + 1).max().unwrap_or(0);
    let mut named_in = vec![u32::MAX; rows];
    for color in 0..colors {
        for group in groups {
            let (moves, all) = (group.layout().moves, group.layout().rows);
            for batch in group.batches.iter().filter(|b| b.color == color) {
                for r in batch.slots().flat_map(|(block, lane)| group.rows_of(block, lane).take(moves)) {
                    if std::mem::replace(&mut named_in[r as usize], color) == color {
                        return broken(group.kind, format!("row {r} appears twice in color {color}"));
                    }
                }
                let mut read = batch.slots().flat_map(|(block, lane)| group.rows_of(block, lane).skip(moves));
                if moves < all && read.any(|r| named_in[r as usize] == color) {
                    return broken(group.kind, format!("a row is both moved and only read in color {color}"));
                }
            }
        }
    }
    Ok(())
}

fn check_ties(groups: &[Group], plan: &Plan, of_island: &[u32], rows: usize) -> Result<(), BuildError> {
    let phantoms = &plan.phantoms;
    let mut next = phantoms.first;
    let mut owner_in = vec![u32::MAX; rows];
    for run in &plan.ties {
        let name = run.group.map_or("solver", |g| groups[g].kind.name());
        let number = run.group.unwrap_or(groups.len()) as u32;
        for tie in &phantoms.ties[run.ties.clone()] {
            // Copies on seams may be split again, other copies not.
            let unfit = tie.owner as usize >= phantoms.first && (run.group.is_none() || !phantoms.on_seam(tie.owner));
            if tie.first as usize != next || unfit {
                return broken_at(name, format!("the copies of particle {} are not its own", tie.owner));
            }
            next += tie.count as usize;
            if std::mem::replace(&mut owner_in[tie.owner as usize], number) == number {
                return broken_at(name, format!("particle {} has copies twice", tie.owner));
            }
            if run.group.is_none() && of_island[tie.owner as usize] != GLOBAL {
                return broken_at(name, format!("particle {} of an island has copies on seams", tie.owner));
            }
        }
    }
    if next != rows {
        return broken_at("solver", format!("{next} rows are tied, but there are {rows}"));
    }
    Ok(())
}

/// Constraint slots of each row, ordered by group and slot.
pub fn incidence(groups: &[Group], rows: usize) -> Incidence {
    let mut offsets = vec![0_u32; rows + 1];
    let visit = |f: &mut dyn FnMut(u32, Entry)| {
        for (g, group) in groups.iter().enumerate() {
            for (block, lane) in group.slots() {
                for (place, r) in group.rows_of(block, lane).enumerate() {
                    f(r, Entry { group: g as u16, place: place as u16, slot: (block * BLOCK + lane) as u32 });
                }
            }
        }
    };
    visit(&mut |r, _| offsets[r as usize + 1] += 1);
    for r in 0..rows {
        offsets[r + 1] += offsets[r];
    }
    let mut next = offsets.clone();
    let mut entries = vec![Entry { group: 0, place: 0, slot: 0 }; offsets[rows] as usize];
    visit(&mut |r, entry| {
        entries[next[r as usize] as usize] = entry;
        next[r as usize] += 1;
    });
    Incidence { offsets, entries }
}
