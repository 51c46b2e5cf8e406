// Collider contacts of all particles, and packing of particles for particle contacts.

struct ContactPassUniforms {
    // 1 for contacts of particles in islands, 0 for those outside.
    in_islands: u32,
    // First vector in `work` of the packed particles for the next contact pass.
    packed: u32,
    // 1 where masses of rigid bodies are split among the contacts of the first iteration.
    first_contacts: u32,
}

@group(0) @binding(9) var<uniform> args: ContactPassUniforms;

// Contacts of all particles outside islands; of those in islands, where `args.in_islands` is not 0.
@compute @workgroup_size(SIZE)
fn collider_contacts(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.particles || in_island(i) != (args.in_islands != 0u) {
        return;
    }
    let row = rows[i];
    if row.w != 0.0 {
        rows[i] = touch(i, i, row);
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
