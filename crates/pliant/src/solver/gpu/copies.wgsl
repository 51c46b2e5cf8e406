// Copies of particles (S12): spread before the constraints that use them, joined after.

struct CopyUniforms {
    // Number of particles with copies.
    count: u32,
    // Index of the first of them.
    first_tie: u32,
}

@group(0) @binding(9) var<uniform> args: CopyUniforms;

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
