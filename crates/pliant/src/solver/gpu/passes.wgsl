// Passes of stage solve that are not about one kind of constraint: copies of particles, contacts, what Jacobi
// passes sum up, and the forces of the air before all of them.

struct SolverPassUniforms {
    // Threads that have work: particles with copies, or particles in the air.
    count: u32,
    // 1 where contacts with colliders are for particles in islands, 0 for those outside.
    in_islands: u32,
    // Number of the first particle with copies.
    first_tie: u32,
    // First vector in `work` of the packed particles for the next contact pass.
    packed: u32,
    // 1 where masses of rigid bodies are shared by the contacts of the first iteration.
    first_contacts: u32,
    // In `topology`, where the Jacobi entries of each row start, and the entries; in `work`, what they number.
    jacobi_starts: u32,
    jacobi_entries: u32,
    jacobi_corrections: u32,
    // In `topology`, the particles in the air, each with where its triangles start, the numbers of these, and the
    // triangles; in `fixtures`, the coefficients of the air.
    aero_particles: u32,
    aero_incidence: u32,
    aero_triangles: u32,
    aero_coefficients: u32,
}

@group(0) @binding(9) var<uniform> args: SolverPassUniforms;

// Puts the copies of particles where the particles are, with their share of the mass (S12).
@compute @workgroup_size(SIZE)
fn spread_copies(thread: Thread) {
    let k = number_of(thread);
    if k >= args.count {
        return;
    }
    let at = sub.seams + TIE_WORDS * (args.first_tie + k);
    let owner = rows[topology[at]];
    let first = topology[at + 1u];
    let row = vec4<f32>(owner.xyz, owner.w * bitcast<f32>(topology[at + 3u]));
    for (var copy = first; copy < first + topology[at + 2u]; copy++) {
        rows[copy] = row;
    }
}

// Brings particles to the mean of their copies (S12, D2 eq 7): as a sum of changes, so that what did not
// move stays where it is to the bit.
@compute @workgroup_size(SIZE)
fn join_copies(thread: Thread) {
    let k = number_of(thread);
    if k >= args.count {
        return;
    }
    let at = sub.seams + TIE_WORDS * (args.first_tie + k);
    let owner = rows[topology[at]];
    let first = topology[at + 1u];
    let count = topology[at + 2u];
    var sum = vec3<f32>(0.0);
    for (var copy = first; copy < first + count; copy++) {
        sum += rows[copy].xyz - owner.xyz;
    }
    rows[topology[at]] = vec4<f32>(owner.xyz + sum * (1.0 / f32(count)), owner.w);
}

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

// Deals the cards of a pass of contacts between particles.
@compute @workgroup_size(SIZE)
fn pack_particles(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.particles {
        return;
    }
    let kept = work[sub.meets + i];
    let start = motion[previous_at(i)].xyz;
    put_card(
        args.packed, i, vec4<f32>(rows[i].xyz, params[sub.radii + i]),
        vec4<f32>(start, kept.z * share_of(i, kept.x, args.first_contacts != 0u)),
    );
}

// What all constraints of a row want together, averaged and over-relaxed (S09; D4 3.25–3.26).
@compute @workgroup_size(SIZE)
fn jacobi_apply(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.solid {
        return;
    }
    let begin = topology[args.jacobi_starts + i];
    let end = topology[args.jacobi_starts + i + 1u];
    if begin == end {
        return;
    }
    var sum = vec4<f32>(0.0);
    for (var k = begin; k < end; k++) {
        sum += work[args.jacobi_corrections + topology[args.jacobi_entries + k]];
    }
    let row = rows[i];
    let s = sub.omega / f32(end - begin);
    if i < sub.particles {
        rows[i] = vec4<f32>(row.xyz + sum.xyz * s, row.w);
        return;
    }
    let q = row + sum * s;
    rows[i] = q / sqrt(dot(q, q));
}

// Force of the air on each particle that a triangle in the air touches (S25). A triangle's force is computed
// by each of its corners: three times the arithmetic, but one pass less, and every sum has one order.
@compute @workgroup_size(SIZE)
fn wind(thread: Thread) {
    let k = number_of(thread);
    if k >= args.count {
        return;
    }
    let time = f32(atomicLoad(&marks[SUBSTEPS])) * sub.h;
    var sum = vec3<f32>(0.0);
    for (var n = topology[args.aero_particles + 2u * k + 1u]; n < topology[args.aero_particles + 2u * k + 3u]; n++) {
        let at = args.aero_triangles + AERO_TRIANGLE_WORDS * topology[args.aero_incidence + n];
        let a = topology[at];
        let b = topology[at + 1u];
        let c = topology[at + 2u];
        let air = fixture(args.aero_coefficients + topology[at + 3u]);
        let xa = rows[a].xyz;
        let xb = rows[b].xyz;
        let xc = rows[c].xyz;
        let third = 1.0 / 3.0;
        let center = (xa + xb + xc) * third;
        let mean = (motion[velocity_at(a)].xyz + motion[velocity_at(b)].xyz + motion[velocity_at(c)].xyz) * third;
        let flow = wind_at(sub.wind, sub.gust, sub.gust_period, center, time) - mean;
        sum += triangle_force(Air(air.x, air.y, air.z, 0.0), xa, xb, xc, flow) * third;
    }
    motion[sub.forces + topology[args.aero_particles + 2u * k]] = vec4<f32>(sum, 0.0);
}
