// What descent does to one vertex of an elastic body. WGSL version of cpu.rs; needs vertex_elements.wgsl and
// vertex_contact.wgsl. descent_passes.wgsl and body_passes.wgsl run it over vertices.

fn near_colliders(row: u32) -> bool {
    return sub.colliders > 0u && !turns(row) && is_near(row, row);
}

// Mass, target and where to start from.
fn begin_vertex(v: u32) {
    let row = row_of_vertex(v);
    var x = rows[row];
    work[vector_at(ELASTIC_TARGET, v)] = x;
    var mass = 0.0;
    if turns(row) {
        let inv_inertia = params[sub.spins + row - sub.particles];
        mass = select(0.0, 0.25 / inv_inertia, inv_inertia > 0.0);
    } else if x.w > 0.0 {
        mass = 1.0 / x.w;
    }
    lambda[args.numbers + v] = mass;
    let near = near_colliders(row);
    if near {
        for (var c = 0u; c < sub.colliders; c++) {
            work[sub.collider_impulses + row * sub.colliders + c] = vec4<f32>(0.0);
        }
    }
    if mass > 0.0 && !turns(row) {
        // Without gravity: in a body at rest forces balance it from the first residual on.
        var at = x.xyz - sub.gravity / sub.inv_h2;
        if near {
            at = out_of_colliders(row, at);
        }
        x = vec4<f32>(at, x.w);
    }
    work[vector_at(ELASTIC_X, v)] = x;
    var start = x;
    if mass > 0.0 {
        start = vec4<f32>(motion[previous_at(row)].xyz, x.w);
        if turns(row) {
            start = motion[previous_at(row)];
        }
    }
    work[vector_at(ELASTIC_TRIAL, v)] = start;
}

// Force on a vertex at one of the arrays of positions, by the elastic force there: inertia included.
fn total_force(array_number: u32, v: u32, elastic: vec3<f32>) -> vec3<f32> {
    let inertia = mass_of(v) * sub.inv_h2;
    if inertia == 0.0 {
        return vec3<f32>(0.0);
    }
    return toward(work[vector_at(array_number, v)], work[vector_at(ELASTIC_TARGET, v)], turns(row_of_vertex(v))) * inertia + elastic;
}

// Force where the substep starts; by how much the objective was higher at the last positions, and whether colliders are near.
// With d the way there from the last positions, it was higher by r·d + ½dᵀHd, and H is at least the inertia.
fn start_force(v: u32, elastic: vec3<f32>) -> vec4<f32> {
    let row = row_of_vertex(v);
    let force = total_force(ELASTIC_X, v, elastic);
    work[vector_at(ELASTIC_FORCE, v)] = vec4<f32>(force, 0.0);
    let way = toward(work[vector_at(ELASTIC_TRIAL, v)], work[vector_at(ELASTIC_X, v)], turns(row));
    let gain = dot(force, way) + 0.5 * mass_of(v) * sub.inv_h2 * dot(way, way);
    return vec4<f32>(gain, f32(near_colliders(row)), 0.0, 0.0);
}

// What inertia adds to the objective.
fn inertia_energy(array_number: u32, v: u32) -> f32 {
    let way = toward(work[vector_at(array_number, v)], work[vector_at(ELASTIC_TARGET, v)], turns(row_of_vertex(v)));
    return 0.5 * mass_of(v) * sub.inv_h2 * dot(way, way);
}

// A body that was thrown or crushed may have a lower objective where it was: it starts there then.
fn starts_back(gain: f32, objectives: vec2<f32>) -> bool {
    return !(gain >= 0.0) && !(objectives.x <= objectives.y);
}

// Displacements by other passes act as impulses: they move the target, too. 1 if there is one.
fn take_impulse(v: u32) -> f32 {
    let row = row_of_vertex(v);
    let x = rows[row];
    let after = work[vector_at(ELASTIC_AFTER, v)];
    if all(x == after) {
        return 0.0;
    }
    let target_at = vector_at(ELASTIC_TARGET, v);
    let way = toward(after, x, turns(row));
    work[target_at] = moved(work[target_at], way, turns(row));
    work[vector_at(ELASTIC_X, v)] = x;
    return 1.0;
}

// Whether a body takes part in iteration `mode`, by its record and whether other passes have pushed it.
fn takes_part(mode: u32, body: vec4<f32>, pushed: f32) -> bool {
    let more = mode <= CYCLES && !(body.x >= GOOD_STEP && body.y == 0.0);
    return mode <= 1u || pushed > 0.0 || more;
}

// Whether the coarse matrix asks how stiff a vertex is.
fn may_be_held(v: u32) -> bool {
    return sub.colliders > 0u && mass_of(v) > 0.0 && near_colliders(row_of_vertex(v));
}

fn trace_of(m: mat3x3<f32>) -> f32 {
    return m[0].x + m[1].y + m[2].z;
}

// Keeps the force on a vertex that contacts leave, and notes how the first of them holds it. `stiffness` is the trace of the
// Hessian, where the coarse matrix follows.
fn put_force(v: u32, force: vec3<f32>, stiffness: f32) {
    var left = force;
    if sub.colliders > 0u {
        left = hold(v, force, stiffness);
    }
    work[vector_at(ELASTIC_FORCE, v)] = vec4<f32>(left, 0.0);
}

// Notes how the first contact holds a vertex; the force that is left.
fn hold(v: u32, force: vec3<f32>, stiffness: f32) -> vec3<f32> {
    let row = row_of_vertex(v);
    var found = Hold(vec3<f32>(0.0), false, vec3<f32>(0.0), false);
    if mass_of(v) > 0.0 && near_colliders(row) {
        let x = work[vector_at(ELASTIC_X, v)].xyz;
        for (var word = 0u; word < mask_words(); word++) {
            for (var mask = atomicLoad(&flags[mask_at(row, row) + word]); mask != 0u; mask &= mask - 1u) {
                if !found.holds {
                    found = hold_vertex(vertex_contact(row, word * 32u + firstTrailingBit(mask)), x, force);
                }
            }
        }
    }
    work[vector_at(ELASTIC_HOLD, v)] = vec4<f32>(found.normal, f32(found.sticks));
    work[vector_at(ELASTIC_FRICTION, v)] = vec4<f32>(found.friction, stiffness);
    return masked(found.normal, found.sticks, found.friction, force);
}

// The force that moves a vertex which a contact holds.
fn masked(normal: vec3<f32>, sticks: bool, friction: vec3<f32>, force: vec3<f32>) -> vec3<f32> {
    if all(normal == vec3<f32>(0.0)) {
        return force;
    }
    return select(force - normal * dot(normal, force) + friction, vec3<f32>(0.0), sticks);
}

// Position after the coarse step.
fn try_coarse_step(v: u32) {
    let row = row_of_vertex(v);
    var step = vec3<f32>(0.0);
    if mass_of(v) > 0.0 {
        let a = aggregate_of(v);
        let modes = modes_at(v);
        let first = unknown_at(aggregate_word(a, 0u));
        for (var m = 0u; m < aggregate_word(a, 1u); m++) {
            let at = first + 3u * m;
            step += vec3<f32>(lambda[at], lambda[at + 1u], lambda[at + 2u]) * modes[m];
        }
        if sub.colliders > 0u {
            let held = work[vector_at(ELASTIC_HOLD, v)];
            step = select(step - held.xyz * dot(held.xyz, step), vec3<f32>(0.0), held.w != 0.0);
        }
    }
    work[vector_at(ELASTIC_STEP, v)] = vec4<f32>(step, 0.0);
    work[vector_at(ELASTIC_TRIAL, v)] = moved(work[vector_at(ELASTIC_X, v)], step, turns(row));
}

// Force along the coarse step, at its start and its end.
fn trial_forces(v: u32, elastic: vec3<f32>) -> vec4<f32> {
    var force = total_force(ELASTIC_TRIAL, v, elastic);
    if sub.colliders > 0u {
        let held = work[vector_at(ELASTIC_HOLD, v)];
        force = masked(held.xyz, held.w != 0.0, work[vector_at(ELASTIC_FRICTION, v)].xyz, force);
    }
    let step = work[vector_at(ELASTIC_STEP, v)].xyz;
    return vec4<f32>(dot(work[vector_at(ELASTIC_FORCE, v)].xyz, step), dot(force, step), 0.0, 0.0);
}

// Share of the coarse step to where the forces along it vanish.
fn step_share(along: vec2<f32>) -> f32 {
    if !(along.x > 0.0) {
        return 0.0;
    }
    if along.x > along.y {
        return min(along.x / (along.x - along.y), LONGEST_STEP);
    }
    return LONGEST_STEP;
}

fn take_coarse_step(v: u32, share: f32) {
    let row = row_of_vertex(v);
    let at = vector_at(ELASTIC_X, v);
    var x = moved(work[at], work[vector_at(ELASTIC_STEP, v)].xyz * share, turns(row));
    if mass_of(v) > 0.0 && near_colliders(row) {
        x = vec4<f32>(out_of_colliders(row, x.xyz), x.w);
    }
    work[at] = x;
}

fn inverse3(m: mat3x3<f32>) -> mat3x3<f32> {
    let a = cross(m[1], m[2]);
    let b = cross(m[2], m[0]);
    let c = cross(m[0], m[1]);
    return transpose(mat3x3<f32>(a, b, c)) * (1.0 / dot(m[0], a));
}

// A step of Newton's method leaves nothing to a sweep but contacts.
fn is_swept(body: u32, vertices_near_colliders: f32) -> bool {
    return body_word(body, 9u) == 0u || vertices_near_colliders > 0.0;
}

// Moves a vertex to the minimum of its own problem.
fn sweep_vertex(v: u32, elastic: Local) {
    let inertia = mass_of(v) * sub.inv_h2;
    if inertia == 0.0 {
        return;
    }
    let row = row_of_vertex(v);
    let at = vector_at(ELASTIC_X, v);
    let x = work[at];
    let force = elastic.force + toward(x, work[vector_at(ELASTIC_TARGET, v)], turns(row)) * inertia;
    let hessian = elastic.hessian + mat3x3<f32>(inertia, 0.0, 0.0, 0.0, inertia, 0.0, 0.0, 0.0, inertia);
    let inverse = inverse3(hessian);
    var way = inverse * force;
    if near_colliders(row) {
        way = meet_colliders(v, row, x.xyz, force, hessian, inverse, way, inertia);
    }
    work[at] = moved(x, way, turns(row));
}

// The step of a vertex that may touch colliders; notes the forces of its contacts.
fn meet_colliders(
    v: u32, row: u32, x: vec3<f32>, force: vec3<f32>, hessian: mat3x3<f32>, inverse: mat3x3<f32>, free: vec3<f32>, inertia: f32,
) -> vec3<f32> {
    var way = free;
    var count = 0u;
    var pushes = 0.0;
    for (var word = 0u; word < mask_words(); word++) {
        for (var mask = atomicLoad(&flags[mask_at(row, row) + word]); mask != 0u; mask &= mask - 1u) {
            let c = word * 32u + firstTrailingBit(mask);
            let it = vertex_contact(row, c);
            let met = meet_collider(it, x, force, hessian, inverse, way);
            way = met.step;
            count += 1u;
            // As other contacts report it: the displacement of a free particle by the force.
            let normal = depth_at(it, x + way).normal;
            let along = dot(met.force, normal);
            var push = vec4<f32>(0.0);
            if along > 0.0 {
                push = vec4<f32>(met.force - normal * along, along) / inertia;
                pushes = 1.0;
            }
            work[sub.collider_impulses + row * sub.colliders + c] = push;
        }
    }
    if count > 1u {
        way = out_of_colliders(row, x + way) - x;
    }
    work[vector_at(ELASTIC_STEP, v)].w = pushes;
    return way;
}
