// Contacts of one particle with the environment.

fn obstacle(c: u32) -> Obstacle {
    let at = sub.obstacles + 6u * c;
    let last = fixtures[at + 5u];
    return Obstacle(
        Pose(fixture(at), fixture(at + 1u)),
        Pose(fixture(at + 2u), fixture(at + 3u)),
        fixture(at + 4u),
        bitcast<f32>(last.x), bitcast<f32>(last.y), last.z, last.w,
    );
}

// A vector of a collider's tables, as numbers and as words.
fn solid_vector(at: u32) -> vec4<f32> {
    return fixture(at);
}

fn solid_words(at: u32) -> vec4<u32> {
    return fixtures[at];
}

// Words of a particle's contact mask.
fn mask_words() -> u32 {
    return (sub.colliders + 31u) / 32u;
}

// Whether a particle may touch anything in this substep.
fn is_near(particle: u32) -> bool {
    let words = mask_words();
    var any = 0u;
    for (var word = 0u; word < words; word++) {
        any |= atomicLoad(&marks[sub.masks + particle * words + word]);
    }
    return any != 0u;
}

// Projects all contacts of a particle once. `slot` is where their pushes are kept: the particle's own number,
// or the row of one of its copies.
fn touch(particle: u32, slot: u32, row: vec4<f32>) -> vec4<f32> {
    return touch_from(motion[previous_at(particle)].xyz, params[sub.radii + particle], particle, slot, row);
}

// The same for one of which it is known where it started, and its radius.
fn touch_from(start: vec3<f32>, radius: f32, particle: u32, slot: u32, row: vec4<f32>) -> vec4<f32> {
    var touched = row;
    let words = mask_words();
    for (var word = 0u; word < words; word++) {
        let mask = atomicLoad(&marks[sub.masks + particle * words + word]);
        touched = touch_these(start, radius, particle, slot, touched, word, mask);
    }
    return touched;
}

// The same for one that is known to be near something: with one collider there is no doubt what it is.
fn touch_known(particle: u32, slot: u32, row: vec4<f32>) -> vec4<f32> {
    if sub.colliders == 1u {
        let start = motion[previous_at(particle)].xyz;
        return touch_these(start, params[sub.radii + particle], particle, slot, row, 0u, 1u);
    }
    return touch(particle, slot, row);
}

// Contacts with the colliders of one word of the mask.
fn touch_these(
    start: vec3<f32>, radius: f32, particle: u32, slot: u32, row: vec4<f32>, word: u32, these: u32,
) -> vec4<f32> {
    var x = row.xyz;
    var mask = these;
    while mask != 0u {
        let bit = firstTrailingBit(mask);
        mask &= mask - 1u;
        let c = word * 32u + bit;
        let at = sub.pushes + slot * sub.colliders + c;
        var o = obstacle(c);
        if particle >= sub.wet {
            // Liquids slip; what holds them back is their viscosity.
            o.stick = 0.0;
            o.slide = 0.0;
        }
        let done = solid_project(o, radius, start, x, work[at]);
        x = done.x;
        work[at] = done.push;
    }
    return vec4<f32>(x, row.w);
}
