// Do so many workgroups run at the same time? Each says that it is there and waits, not forever, for all others.

var<workgroup> ballast: array<u32, WORDS>;

@group(0) @binding(0) var<storage, read_write> seen: array<atomic<u32>, 2>;

@compute @workgroup_size(THREADS)
fn rendezvous(@builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    // As much memory as the pieces will take, or more of them might fit than will.
    ballast[t % WORDS] = t;
    workgroupBarrier();
    if t != 0u {
        return;
    }
    atomicAdd(&seen[0], select(1u, 2u, ballast[WORDS - 1u] == 0xffffffffu));
    var looks = 0u;
    while atomicLoad(&seen[0]) < groups.x && looks < PATIENCE {
        looks += 1u;
    }
    if atomicLoad(&seen[0]) >= groups.x && looks < PATIENCE {
        atomicAdd(&seen[1], 1u);
    }
}
