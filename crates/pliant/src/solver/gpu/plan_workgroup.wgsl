// Rounds and steps of a patch in the workgroup's own memory.

var<workgroup> plan: array<vec4<u32>, PLAN>;

fn keep_plan(it: Patch, count: u32, t: u32) {
    for (var k = t; k < count; k += THREADS) {
        plan[k] = constants[it.plan_at + k];
    }
}

fn plan_at(it: Patch, k: u32) -> vec4<u32> {
    return plan[k];
}
