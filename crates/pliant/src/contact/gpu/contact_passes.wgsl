// Collider contacts of all particles, and packing of particles for particle contacts.

struct ContactPassUniforms {
    // 1 for contacts of particles in islands, 0 for those outside.
    in_islands: u32,
    // First vector in `work` of the packed particles for the next contact pass.
    packed: u32,
    // 1 where masses of rigid bodies are split among the contacts of the first iteration.
    first_contacts: u32,
    // 1 for contacts of bodies with triangle surfaces only.
    surfaces: u32,
    // Number of bodies, of passes for bodies near surfaces.
    bodies: u32,
    // First word in `topology` of the bodies of each particle, as above: offsets, then body numbers.
    row_bodies: u32,
}

@group(0) @binding(9) var<uniform> args: ContactPassUniforms;

// Contacts of all particles outside islands; of those in islands, where `args.in_islands` is not 0.
@compute @workgroup_size(SIZE)
fn collider_contacts(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.particles || (args.in_islands != 0u && !in_island(i)) || (args.in_islands == 0u && has_own_contacts(i)) {
        return;
    }
    let row = rows[i];
    if row.w == 0.0 {
        return;
    }
    if args.surfaces == 0u {
        rows[i] = touch(i, i, row);
        return;
    }
    if args.bodies > 0u && topology[args.row_bodies + i] == topology[args.row_bodies + i + 1u] {
        return;
    }
    var touched = row;
    let start = motion[start_of(i, i)].xyz;
    for (var word = 0u; word < mask_words(); word++) {
        let mask = surface_bits(i, word, atomicLoad(&flags[mask_at(i, i) + word]));
        touched = touch_these(start, params[sub.radii + i], i, i, touched, word, mask);
    }
    rows[i] = touched;
}

// Bits of a word of a contact mask that are triangle surfaces.
fn surface_bits(i: u32, word: u32, mask: u32) -> u32 {
    var kept = 0u;
    for (var left = mask; left != 0u; left &= left - 1u) {
        let bit = firstTrailingBit(left);
        if moving_collider(i, word * 32u + bit).shape == SURFACE_SHAPE {
            kept |= 1u << bit;
        }
    }
    return kept;
}

@compute @workgroup_size(SIZE)
fn clear_surface_bodies(thread: Thread) {
    let b = number_of(thread);
    if b < args.bodies {
        atomicStore(&flags[sub.surface_bodies + b], 0u);
    }
}

// Marks the bodies of particles that may touch a triangle surface in this substep (`is_near_bounds` on the CPU).
@compute @workgroup_size(SIZE)
fn mark_surface_bodies(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.particles {
        return;
    }
    let begin = topology[args.row_bodies + i];
    let end = topology[args.row_bodies + i + 1u];
    if begin == end {
        return;
    }
    let x = work[sub.predicted + i].xyz;
    let start = rows[i].xyz;
    var near = false;
    for (var c = 0u; c < sub.colliders; c++) {
        let o = moving_collider(i, c);
        if o.shape == SURFACE_SHAPE && touches_collider(i, c) {
            let here = contact_inward(o.after, x);
            let way = max(length(x - start), length(here - contact_inward(o.before, start)));
            let held = clamp(here, solid_vector(o.table).xyz, solid_vector(o.table + 1u).xyz);
            near = near || distance(here, held) < 2.0 * (sub.margin + way) + params[sub.radii + i];
        }
    }
    if near {
        for (var k = begin; k < end; k++) {
            atomicStore(&flags[sub.surface_bodies + topology[args.row_bodies + sub.particles + 1u + k]], 1u);
        }
    }
}

// Packs all particles for a pass of contacts between particles.
@compute @workgroup_size(SIZE)
fn pack_particles(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.particles {
        return;
    }
    let kept = work[sub.particle_contacts + i];
    let start = motion[previous_at(i)].xyz;
    put_packed(
        args.packed, i, vec4<f32>(rows[i].xyz, params[sub.radii + i]),
        vec4<f32>(start, kept.z * share_of(i, kept.x, args.first_contacts != 0u)),
    );
}
