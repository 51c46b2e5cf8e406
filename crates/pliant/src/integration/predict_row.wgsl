// Stages predict, contacts and stabilize of one row.

// Unconstrained prediction of particle or orientation `i` from its latest velocity. Stores the start position and the
// colliders it may touch; their corrections are at `slot`, the row itself or one of its copies. All copies of a
// particle give the same result.
fn predicted(i: u32, slot: u32, row: vec4<f32>, latest: vec4<f32>) -> vec4<f32> {
    found = 0u;
    var before = vec4<f32>(0.0);
    var oldest = vec3<f32>(0.0);
    // Particles with copies in several workgroups have no history.
    if (sub.flags & KEEPS_HISTORY) != 0u {
        before = motion[older_velocity_at(i)];
        let old = motion[previous_at(i)];
        oldest = old.xyz;
        motion[older_at(i)] = old;
        motion[older_velocity_at(i)] = latest;
    }
    if i >= sub.particles {
        motion[previous_at(i)] = row;
        if params[sub.spins + i - sub.particles] > 0.0 {
            // Along the great circle: a straight line in four dimensions, normalized.
            let next = row + latest * (sub.h * sub.keep);
            return next / sqrt(dot(next, next));
        }
        return row;
    }
    if row.w == 0.0 {
        motion[start_of(i, slot)] = row;
        return row;
    }
    let way = predict_particle(i, row, latest.xyz, before.xyz, oldest);
    var ahead = way.ahead + carried_over(i);
    // w is the order of the prediction, for stage finalize.
    motion[velocity_of(i, slot)] = way.free;
    var start = row.xyz;
    // Particle contacts come first: colliders have priority and are projected last.
    if sub.colliders > 0u && sub.particle_contacts == NONE {
        find(i, slot, start, ahead);
        let shift = stabilize(i, slot, start, ahead);
        start += shift.both;
        ahead += shift.both + shift.ahead;
    }
    motion[start_of(i, slot)] = vec4<f32>(start, row.w);
    return vec4<f32>(ahead, row.w);
}

// Warm start: repeats the displacement by pressure of the last substep, times `pressure_carry()`, which each family of
// shaders defines.
fn carried_over(i: u32) -> vec3<f32> {
    if sub.carried == NONE {
        return vec3<f32>(0.0);
    }
    return work[sub.carried + i].xyz * pressure_carry();
}

// Predicted position, and velocity with w = 1 if that is of first order.
struct Prediction { ahead: vec3<f32>, free: vec4<f32> }

// Unconstrained prediction of particle `i` from the last two velocities and the last position.
fn predict_particle(i: u32, row: vec4<f32>, latest: vec3<f32>, before: vec3<f32>, oldest: vec3<f32>) -> Prediction {
    if (sub.flags & SECOND_ORDER) != 0u && atomicLoad(&flags[sub.first_order + i]) == 0u {
        let free = free_velocity_bdf2(latest * sub.keep, before * sub.keep, acceleration(i, row.w), sub.h);
        return Prediction(predict_bdf2(row.xyz, oldest, free, sub.h), vec4<f32>(free, 0.0));
    }
    let free = free_first_order(i, latest, row.w);
    return Prediction(predict_bdf1(row.xyz, free, sub.h), vec4<f32>(free, 1.0));
}

fn acceleration(i: u32, w: f32) -> vec3<f32> {
    if (sub.flags & IN_THE_AIR) != 0u {
        return sub.gravity + motion[sub.forces + i].xyz * w;
    }
    return sub.gravity;
}

// Unconstrained velocity, of first order.
fn free_first_order(i: u32, latest: vec3<f32>, w: f32) -> vec3<f32> {
    return free_velocity_bdf1(latest * sub.keep, acceleration(i, w), sub.h);
}

// Contact mask of the first 32 colliders for the row predicted last, in a register: the same thread need not reload it
// from memory.
var<private> found: u32;

// Finds the colliders that the particle may touch in this substep.
fn find(i: u32, slot: u32, start: vec3<f32>, x: vec3<f32>) {
    let radius = params[sub.radii + i];
    let words = mask_words();
    for (var word = 0u; word < words; word++) {
        var mask = 0u;
        var before = 0u;
        if sub.mass_splitting != NONE {
            before = atomicLoad(&flags[mask_at(i, slot) + word]);
        }
        for (var c = word * 32u; c < min(sub.colliders, word * 32u + 32u); c++) {
            if !touches_collider(i, c) {
                continue;
            }
            let o = moving_collider(i, c);
            if solid_is_near(o, radius, start, x, sub.margin) {
                mask |= 1u << (c % 32u);
                start_contact(i, slot, c, o, radius, x, (before >> (c % 32u) & 1u) != 0u);
            }
        }
        atomicStore(&flags[mask_at(i, slot) + word], mask);
        if word == 0u {
            found = mask;
        }
    }
}

// Contacts start from zero; persistent contacts of rigid bodies are warm-started.
fn start_contact(i: u32, slot: u32, c: u32, o: MovingCollider, radius: f32, x: vec3<f32>, goes_on: bool) {
    let at = sub.collider_impulses + slot * sub.colliders + c;
    if !is_rigid(i) {
        work[at] = vec4<f32>(0.0);
        return;
    }
    let inside = solid_depth(o, o.after, x, radius).inside > 0.0;
    // Separating contacts are not warm-started.
    if !(goes_on && (sub.flags & GOES_ON) != 0u && inside && work[at].w > 0.0) {
        work[at] = vec4<f32>(0.0);
    }
    work[sub.last_impulses + i * sub.colliders + c] = work[at];
    if inside {
        atomicAdd(&flags[contact_count_at(i, CONTACTS_FIRST)], 1u);
    }
}

// Ways that stabilization moves a particle: both of its positions, and the predicted one alone.
struct Stabilized { both: vec3<f32>, ahead: vec3<f32> }

// Correction of a particle that penetrates at the start of the substep: applied to its previous position too, so that
// it adds no velocity (S10). A particle that enters a piece of a rigid body is stopped where it came in, and the body
// feels it.
fn stabilize(i: u32, slot: u32, start: vec3<f32>, x: vec3<f32>) -> Stabilized {
    let radius = params[sub.radii + i];
    let words = mask_words();
    var shift = Stabilized(vec3<f32>(0.0), vec3<f32>(0.0));
    for (var turn = 0u; turn < sub.stabilization; turn++) {
        for (var word = 0u; word < words; word++) {
            var mask = found;
            if word > 0u {
                mask = atomicLoad(&flags[mask_at(i, slot) + word]);
            }
            while mask != 0u {
                let bit = firstTrailingBit(mask);
                mask &= mask - 1u;
                let c = word * 32u + bit;
                let o = moving_collider(i, c);
                if sub.body_colliders != NONE && collider_number(i, c) >= sub.body_colliders && !is_rigid(i) {
                    let stop = stop_at_entry(o, radius, start + shift.both, x + shift.both + shift.ahead);
                    shift.ahead += stop.xyz;
                    work[sub.collider_impulses + slot * sub.colliders + c].w += stop.w;
                }
                shift.both += solid_depenetration(o, start + shift.both, radius);
            }
        }
    }
    return shift;
}
