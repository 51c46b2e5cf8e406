// Passes of stage solve that are not about one kind of constraint: copies of particles, contacts, what Jacobi
// passes sum up, and the forces of the air before all of them.

// Puts the copies of particles where the particles are, with their share of the mass (S12).
@compute @workgroup_size(SIZE)
fn spread_copies(thread: Thread) {
    let k = number_of(thread);
    if k >= job.count {
        return;
    }
    let at = sub.seams + 4u * (job.first + k);
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
    if k >= job.count {
        return;
    }
    let at = sub.seams + 4u * (job.first + k);
    let owner = rows[topology[at]];
    let first = topology[at + 1u];
    let count = topology[at + 2u];
    var sum = vec3<f32>(0.0);
    for (var copy = first; copy < first + count; copy++) {
        sum += rows[copy].xyz - owner.xyz;
    }
    rows[topology[at]] = vec4<f32>(owner.xyz + sum * (1.0 / f32(count)), owner.w);
}

// Contacts of all particles outside islands; of those in islands, where `job.mode` is not 0.
@compute @workgroup_size(SIZE)
fn collider_contacts(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.particles || in_island(i) != (job.mode != 0u) {
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
        job.copies_out, i, vec4<f32>(rows[i].xyz, params[sub.radii + i]), vec4<f32>(start, kept.z * share_of(i, kept.x)),
    );
}

// What all constraints of a row want together, averaged and over-relaxed (S09; D4 3.25–3.26).
// `job.index` has, for each row, where its entries start; an entry is a place in `work`.
@compute @workgroup_size(SIZE)
fn jacobi_apply(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.solid {
        return;
    }
    let begin = topology[job.index + i];
    let end = topology[job.index + i + 1u];
    if begin == end {
        return;
    }
    var sum = vec4<f32>(0.0);
    for (var k = begin; k < end; k++) {
        sum += work[job.slots + topology[job.first + k]];
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
// `job.index`: for each such particle its number and where its triangles start; `job.first`: triangles as
// three corners and the number of their coefficients; `job.params`: where the triangle numbers stand.
@compute @workgroup_size(SIZE)
fn wind(thread: Thread) {
    let k = number_of(thread);
    if k >= job.count {
        return;
    }
    let time = f32(atomicLoad(&marks[SUBSTEPS])) * sub.h;
    var sum = vec3<f32>(0.0);
    for (var n = topology[job.index + 2u * k + 1u]; n < topology[job.index + 2u * k + 3u]; n++) {
        let at = job.first + 4u * topology[job.params + n];
        let a = topology[at];
        let b = topology[at + 1u];
        let c = topology[at + 2u];
        let air = fixture(job.slots + topology[at + 3u]);
        let xa = rows[a].xyz;
        let xb = rows[b].xyz;
        let xc = rows[c].xyz;
        let third = 1.0 / 3.0;
        let center = (xa + xb + xc) * third;
        let mean = (motion[velocity_at(a)].xyz + motion[velocity_at(b)].xyz + motion[velocity_at(c)].xyz) * third;
        let flow = wind_at(sub.wind, sub.gust, sub.gust_period, center, time) - mean;
        sum += triangle_force(Air(air.x, air.y, air.z, 0.0), xa, xb, xc, flow) * third;
    }
    motion[sub.forces + topology[job.index + 2u * k]] = vec4<f32>(sum, 0.0);
}
