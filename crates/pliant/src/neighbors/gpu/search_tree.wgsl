// Tree search: from the root, with a stack of nodes still to visit (D4 Alg 5.2; E29: a leaf continues with the top of
// the stack too).

// Two vectors per side of a fork: minimum coordinates and child; maximum coordinates and phase.
@group(0) @binding(6) var<storage, read> forks: array<vec4<u32>>;

// A fork for each of 63 bits of a code, for each of 28 bits of a slot, and one more (E31); each pushes at most one
// side.
const DEPTH: u32 = 92u;

var<private> stack: array<u32, DEPTH>;

fn test_slots(first: u32, end: u32, own: vec4<f32>, tag: vec2<u32>) {
    for (var s = first; s < end; s++) {
        if near(own, slots[s]) {
            let other = tags[s];
            if lists(tag, other) {
                found(other.x);
            }
        }
    }
}

// Whether a side may contain neighbors: within reach, and not entirely of the own phase (D4 §5.3.3).
fn may_contain(low: vec4<u32>, high: vec4<u32>, from_low: vec3<f32>, to_high: vec3<f32>, phase: u32) -> bool {
    let foreign = phase == 0u || high.w != phase;
    let below = all(bitcast<vec3<f32>>(low.xyz) <= to_high);
    return foreign && below && all(bitcast<vec3<f32>>(high.xyz) >= from_low);
}

fn search(slot: u32) {
    let own = slots[slot];
    let tag = tags[slot];
    let reach = vec3<f32>((own.w + query.margin) * OUTWARD);
    let low = own.xyz - reach;
    let high = own.xyz + reach;
    var word = select(0u, bunch(0u, query.particles - 1u), query.particles <= MOST_IN_LEAF);
    var top = 0u;
    loop {
        // A step costs about as much as one candidate, and a leaf has a few.
        if !within_budget(0u) {
            return;
        }
        if (word & LEAF) != 0u {
            let first = (word & ~LEAF) / 8u;
            test_slots(first, first + word % 8u + 1u, own, tag);
        } else {
            let left_low = forks[4u * word];
            let right_low = forks[4u * word + 2u];
            let left = may_contain(left_low, forks[4u * word + 1u], low, high, tag.y);
            let right = may_contain(right_low, forks[4u * word + 3u], low, high, tag.y);
            if left && right {
                stack[top] = right_low.w;
                top += 1u;
            }
            if left || right {
                word = select(right_low.w, left_low.w, left);
                continue;
            }
        }
        if top == 0u {
            break;
        }
        top -= 1u;
        word = stack[top];
    }
}
