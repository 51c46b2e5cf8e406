// Patches in a pass that does all of a substep: predict, solve and finalize without a wait for all others between.
// Every row is in a patch, and particles that several have are copies on seams that exchange.

// Who runs away in this substep is told when all are done: others may not have begun.
const RUNAWAYS: u32 = RUNNING_PREDICT;

fn is_over() -> bool {
    return ran_away();
}

// A row as the patch sees it at its start.
fn entering(entry: vec4<u32>) -> vec4<f32> {
    let id = entry.x;
    let owner = entry.y;
    if owner == NOBODY {
        if id >= sub.solid {
            // Copies for one kind only, which are spread when they are needed.
            return vec4<f32>(0.0);
        }
        return predicted(id, id);
    }
    var row = predicted(owner, id);
    // Copies share the particle's mass (E08).
    row.w *= f32(max(entry.w, 1u));
    return row;
}

fn leaving(entry: vec4<u32>, row: vec4<f32>) {
    let id = entry.x;
    let owner = entry.y;
    if id < sub.solid {
        finish(id, id, row, motion[velocity_at(id)]);
    } else if owner != NOBODY && entry.z == id {
        // All copies are in one place; the first speaks for the particle, whose row is still that of the start.
        let w = rows[owner].w;
        let free = free_first_order(owner, motion[velocity_at(owner)].xyz, w);
        finish(owner, id, vec4<f32>(row.xyz, w), vec4<f32>(free, 1.0));
    }
}

// The last workgroup ends the substep.
fn done(t: u32) {
    patch_barrier();
    storageBarrier();
    if t != 0u || atomicAdd(&marks[FINISHED], 1u) != job.count - 1u {
        return;
    }
    atomicStore(&marks[FINISHED], 0u);
    atomicStore(&marks[SUBSTEPS], atomicLoad(&marks[SUBSTEPS]) + 1u);
    atomicStore(&marks[RAN_AWAY_PREDICT], atomicLoad(&marks[RUNNING_PREDICT]));
    atomicStore(&marks[RAN_AWAY_SOLVE], atomicLoad(&marks[RUNNING_SOLVE]));
}
