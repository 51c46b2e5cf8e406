// Sleeping objects of particles, WGSL version of sleeping.rs: passes over rows and groups.

// Rows at the start of the substep. Groups that were given a velocity wake up.
@compute @workgroup_size(SIZE)
fn save_sleepers(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.solid || !is_asleep(sleep_group(i)) {
        return;
    }
    let row = rows[i];
    work[args.saved + i] = row;
    if i < sub.particles && row.w > 0.0 && any(motion[velocity_at(i)].xyz != vec3<f32>(0.0)) {
        touch_group(sleep_group(i));
    }
}

// Puts what sleeps back, except where something has touched it. A frozen state is restored by finalize.
@compute @workgroup_size(SIZE)
fn keep_sleepers(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.solid || atomicLoad(&flags[FROZEN]) != 0u {
        return;
    }
    let group = sleep_group(i);
    if !is_asleep(group) || was_touched(group) {
        return;
    }
    let row = work[args.saved + i];
    rows[i] = row;
    motion[previous_at(i)] = row;
    motion[velocity_at(i)] = vec4<f32>(0.0);
    if args.has_history != 0u && i < sub.particles {
        // No history: the substep after waking is of first order.
        atomicStore(&flags[sub.first_order + i], 1u);
    }
}

// Touched groups are awake from now on; a substep that will be repeated changes nothing.
@compute @workgroup_size(SIZE)
fn wake_touched(thread: Thread) {
    let group = number_of(thread);
    if group >= args.groups {
        return;
    }
    if was_touched(group) && atomicLoad(&flags[FROZEN]) == 0u {
        atomicStore(&flags[args.asleep + group], 0u);
    }
    atomicStore(&flags[args.asleep + args.groups + group], 0u);
}
