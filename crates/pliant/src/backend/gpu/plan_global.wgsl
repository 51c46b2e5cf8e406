// Rounds and steps of a patch that has too many of them for a workgroup's memory: they stay where they are.

fn keep_plan(it: Patch, count: u32, t: u32) {}

fn plan_at(it: Patch, k: u32) -> vec4<u32> {
    let at = it.plan_at + 4u * k;
    return vec4<u32>(topology[at], topology[at + 1u], topology[at + 2u], topology[at + 3u]);
}
