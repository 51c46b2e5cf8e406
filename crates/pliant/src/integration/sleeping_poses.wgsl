// Poses of bodies at the start of the substep, and back.

// Laid out as in shape_matching.wgsl.
@group(1) @binding(0) var<storage, read> bodies: array<vec4<u32>>;
@group(1) @binding(1) var<storage, read_write> poses: array<vec4<f32>>;

fn sleeps(vector: u32) -> bool {
    let body = vector / BODY_POSE_VECTORS;
    return body < args.bodies && is_asleep(topology[args.rows + sub.solid + body]);
}

@compute @workgroup_size(SIZE)
fn save_poses(thread: Thread) {
    let k = number_of(thread);
    if sleeps(k) {
        work[args.saved + sub.solid + k] = poses[k];
    }
}

@compute @workgroup_size(SIZE)
fn keep_poses(thread: Thread) {
    let k = number_of(thread);
    if sleeps(k) && !was_touched(topology[args.rows + sub.solid + k / BODY_POSE_VECTORS]) && atomicLoad(&flags[FROZEN]) == 0u {
        poses[k] = work[args.saved + sub.solid + k];
    }
}
