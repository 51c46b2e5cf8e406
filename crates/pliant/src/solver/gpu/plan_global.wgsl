// Rounds and steps of a patch that has too many of them for a workgroup's memory: they stay where they are.

fn keep_plan(it: Patch, count: u32, t: u32) {}

fn plan_at(it: Patch, k: u32) -> vec4<u32> {
    return constants[it.plan_at + k];
}
