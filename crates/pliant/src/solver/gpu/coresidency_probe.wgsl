// Counts workgroups that are resident at the same time: each registers, then polls until all others have.

var<workgroup> ballast: array<u32, WORDS>;

@group(0) @binding(0) var<storage, read_write> seen: array<atomic<u32>, 2>;

@compute @workgroup_size(THREADS)
fn coresidency_probe(@builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    // Occupies the workgroup memory; otherwise more probe workgroups than patches would fit.
    ballast[t % WORDS] = t;
    workgroupBarrier();
    if t != 0u {
        return;
    }
    atomicAdd(&seen[0], select(1u, 2u, ballast[WORDS - 1u] == 0xffffffffu));
    var looks = 0u;
    while atomicLoad(&seen[0]) < groups.x && looks < MAX_POLLS {
        looks += 1u;
    }
    if atomicLoad(&seen[0]) >= groups.x && looks < MAX_POLLS {
        atomicAdd(&seen[1], 1u);
    }
}
