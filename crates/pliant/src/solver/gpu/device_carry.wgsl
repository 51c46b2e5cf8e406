// Moves the state of objects from the buffers of one backend to those of the next, within the device. Everything is copied as
// words, so that no bit changes on the way.

struct CarryUniforms {
    // Words that are written, or particles whose contacts are.
    count: u32,
    // Words of an element.
    stride: u32,
    // First word of the elements in both buffers.
    from_at: u32,
    to_at: u32,
    // First word of the numbers that elements had before, or `NONE`.
    map_at: u32,
    // Contacts with colliders: numbers of colliders, first words of impulses, and of the numbers that colliders had before.
    colliders_before: u32,
    colliders: u32,
    impulses_before: u32,
    impulses: u32,
    collider_map: u32,
    unused_0: u32,
    unused_1: u32,
}

@group(0) @binding(0) var<storage, read> before: array<u32>;
@group(0) @binding(1) var<storage, read_write> after: array<u32>;
@group(0) @binding(2) var<storage, read> map: array<u32>;
@group(0) @binding(3) var<uniform> carry: CarryUniforms;
@group(0) @binding(4) var<storage, read> work_before: array<u32>;
@group(0) @binding(5) var<storage, read_write> work: array<u32>;

fn number(group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    return (group.y * groups.x + group.x) * SIZE + local;
}

@compute @workgroup_size(SIZE)
fn carry_words(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let word = number(group, groups, local);
    if word >= carry.count {
        return;
    }
    let origin = map[carry.map_at + word / carry.stride];
    if origin != NONE {
        after[carry.to_at + word] = before[carry.from_at + origin * carry.stride + word % carry.stride];
    }
}

// Masks and impulses of contacts that push.
@compute @workgroup_size(SIZE)
fn carry_contacts(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let particle = number(group, groups, local);
    if particle >= carry.count {
        return;
    }
    let origin = map[carry.map_at + particle];
    if origin == NONE {
        return;
    }
    let words_before = (carry.colliders_before + 31u) / 32u;
    let words = (carry.colliders + 31u) / 32u;
    for (var w = 0u; w < words; w++) {
        var mask = 0u;
        for (var c = 32u * w; c < min(32u * w + 32u, carry.colliders); c++) {
            let old = map[carry.collider_map + c];
            if old == NONE {
                continue;
            }
            let bits = before[carry.from_at + origin * words_before + old / 32u];
            let at = carry.impulses_before + 4u * (origin * carry.colliders_before + old);
            if (bits >> (old % 32u) & 1u) == 1u && bitcast<f32>(work_before[at + 3u]) > 0.0 {
                mask |= 1u << (c % 32u);
                let to = carry.impulses + 4u * (particle * carry.colliders + c);
                for (var k = 0u; k < 4u; k++) {
                    work[to + k] = work_before[at + k];
                }
            }
        }
        after[carry.to_at + particle * words + w] = mask;
    }
}
