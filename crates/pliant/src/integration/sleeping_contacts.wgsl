// Whether awake particles touch a sleeping object. Fixed particles at rest count as ground.

@compute @workgroup_size(SIZE)
fn touched_by_particles(thread: Thread) {
    let slot = number_of(thread);
    if slot >= sub.particles {
        return;
    }
    let i = order[slot].x;
    let group = sleep_group(i);
    if !is_asleep(group) || rows[i].w == 0.0 {
        return;
    }
    let list = list_of(i);
    for (var n = 0u; n < list.count; n++) {
        let valid = n >= 32u || (order[slot].y >> n & 1u) != 0u;
        if !valid || !(impulses[list.first + n * list.step].w > 0.0) {
            continue;
        }
        let j = near[list.first + n * list.step];
        let other = sleep_group(j);
        let acts = rows[j].w > 0.0 || any(rows[j].xyz != motion[previous_at(j)].xyz);
        if other != group && !is_asleep(other) && acts {
            touch_group(group);
            return;
        }
    }
}
