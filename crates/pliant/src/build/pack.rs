//! Constraints into blocks of eight, batch after batch, and the proof that batches are what they claim.

use super::BuildError;
use super::part::Raw;
use super::partition::Set;
use super::partition::islands::Islands;
use crate::error::SceneError;
use crate::kernels::Kind;
use crate::model::{BLOCK, Batch, Entry, Group, Incidence};
use crate::scene::Partition;

/// Lays out constraints in the order of `sets` (constraint numbers).
pub fn group(kind: Kind, raw: Raw, sets: &[Set], islands: &Islands, partition: Partition) -> Result<Group, BuildError> {
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
                // Unused lanes repeat the first one: valid to read, never written.
                let c = *members.get(lane).unwrap_or(&members[0]) as usize;
                for k in 0..layout.rows {
                    packed.rows[(block * layout.rows + k) * BLOCK + lane] = raw.rows[c * layout.rows + k];
                }
                for k in 0..layout.params {
                    packed.params[(block * layout.params + k) * BLOCK + lane] = raw.params[c * layout.params + k];
                }
            }
        }
        let batch = Batch { first, count: set.members.len(), island: set.island };
        first += batch.blocks();
        packed.batches.push(batch);
    }
    check(&packed, islands, partition)?;
    Ok(packed)
}

/// Proves what the backends rely on for memory safety: every index is in range, and in a colored group
/// no row that is moved appears twice within a batch, nor one that is only read among those moved, nor any
/// outside its island.
fn check(group: &Group, islands: &Islands, partition: Partition) -> Result<(), BuildError> {
    let rows = islands.of_row.len();
    let broken = |what: String| Err(SceneError::new(group.kind.name(), what).into());
    if let Some(bad) = group.rows.iter().find(|&&r| r as usize >= rows) {
        return broken(format!("a constraint names row {bad}, but there are {rows}"));
    }
    if partition != Partition::Color {
        return Ok(());
    }
    let moves = group.layout().moves;
    let mut moved_in = vec![u32::MAX; rows];
    for (b, batch) in group.batches.iter().enumerate() {
        let number = b as u32;
        let slots = || (0..batch.count).map(|i| (batch.first + i / BLOCK, i % BLOCK));
        for (block, lane) in slots() {
            for (k, r) in group.rows_of(block, lane).enumerate() {
                if islands.of_row[r as usize] != batch.island {
                    return broken(format!("row {r} is not of island {}", batch.island));
                }
                if k < moves && std::mem::replace(&mut moved_in[r as usize], number) == number {
                    return broken(format!("row {r} appears twice in batch {b}"));
                }
            }
        }
        if moves == group.layout().rows {
            continue;
        }
        for (block, lane) in slots() {
            if let Some(r) = group.rows_of(block, lane).skip(moves).find(|&r| moved_in[r as usize] == number) {
                return broken(format!("row {r} is both moved and only read in batch {b}"));
            }
        }
    }
    Ok(())
}

/// Who is joined to each row, in order of group and slot.
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
