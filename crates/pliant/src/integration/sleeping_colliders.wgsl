// Whether a collider that moves, or a pin that moves, touches a sleeping object.

fn moves(o: MovingCollider) -> bool {
    return any(o.before.position != o.after.position) || any(o.before.rotation != o.after.rotation);
}

fn pushed_by_moving(i: u32) -> bool {
    let words = mask_words();
    for (var word = 0u; word < words; word++) {
        var mask = atomicLoad(&flags[mask_at(i, i) + word]);
        while mask != 0u {
            let bit = firstTrailingBit(mask);
            mask &= mask - 1u;
            let c = word * 32u + bit;
            if work[sub.collider_impulses + i * sub.colliders + c].w > 0.0 && moves(moving_collider(i, c)) {
                return true;
            }
        }
    }
    return false;
}

@compute @workgroup_size(SIZE)
fn touched_by_colliders(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.particles || !is_asleep(sleep_group(i)) {
        return;
    }
    let row = rows[i];
    var woken = false;
    if row.w == 0.0 {
        woken = any(row.xyz != work[args.saved + i].xyz);
    } else if sub.colliders > 0u {
        woken = pushed_by_moving(i);
    }
    if woken {
        touch_group(sleep_group(i));
    }
}
