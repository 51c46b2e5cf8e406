// Bounding boxes, rounded outward (S31, D4 §5.2.4): pliant::neighbors::Box3.

// Maximum number of slots of a leaf; its word has three bits for the size.
const MOST_IN_LEAF: u32 = 4u;
const LEAF: u32 = 0x80000000u;
// Phase of an empty box, neutral in unions.
const NO_PHASE: u32 = 0xffffffffu;

struct Box {
    low: vec3<f32>,
    high: vec3<f32>,
    // The phase common to all particles inside, or 0.
    phase: u32,
}

fn empty() -> Box {
    return Box(vec3<f32>(HUGE), vec3<f32>(-HUGE), NO_PHASE);
}

// Particles at positions that are not finite have no neighbors: their boxes are empty, so that they do not affect
// enclosing boxes.
fn particle(v: vec4<f32>, phase: u32) -> Box {
    let lost = !(finite(v.x) && finite(v.y) && finite(v.z)) || (bitcast<u32>(v.w) & 0x7fffffffu) > 0x7f800000u;
    if lost {
        return empty();
    }
    let r = vec3<f32>(v.w * OUTWARD);
    return Box(v.xyz - r, v.xyz + r, phase);
}

fn around(a: Box, b: Box) -> Box {
    var phase = select(0u, a.phase, a.phase == b.phase);
    phase = select(phase, b.phase, a.phase == NO_PHASE);
    phase = select(phase, a.phase, b.phase == NO_PHASE);
    return Box(select(a.low, b.low, b.low < a.low), select(a.high, b.high, b.high > a.high), phase);
}

fn unpack(low: vec4<u32>, high: vec4<u32>) -> Box {
    return Box(bitcast<vec3<f32>>(low.xyz), bitcast<vec3<f32>>(high.xyz), high.w);
}

// A run of slots as one word, as in pliant::neighbors::Node.
fn bunch(first: u32, last: u32) -> u32 {
    return LEAF | (first * 8u + last - first);
}

// Slots at the bottom of the pyramid: the next power of two, at least 2.
fn bottom() -> u32 {
    return 2u << (31u - countLeadingZeros(max(query.particles, 2u) - 1u));
}

// Start of the nodes of a level, from 1 up. Node j of level k has slots j·2ᵏ to (j + 1)·2ᵏ.
fn level_at(level: u32) -> u32 {
    return bottom() - (bottom() >> (level - 1u));
}
