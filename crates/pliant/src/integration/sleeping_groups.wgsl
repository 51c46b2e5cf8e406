// Which rows and bodies sleep.

struct SleepUniforms {
    // First word in `flags` of whether each group sleeps; behind them whether something has touched it in this substep.
    asleep: u32,
    groups: u32,
    // First word in `topology` of the group of each row; behind them that of each body.
    rows: u32,
    // First vector in `work` of rows at the start of the substep; behind them the poses of bodies.
    saved: u32,
    bodies: u32,
    // 1 under BDF2.
    has_history: u32,
}

@group(0) @binding(9) var<uniform> args: SleepUniforms;

fn sleep_group(row: u32) -> u32 {
    return topology[args.rows + row];
}

fn is_asleep(group: u32) -> bool {
    return atomicLoad(&flags[args.asleep + group]) != 0u;
}

fn was_touched(group: u32) -> bool {
    return atomicLoad(&flags[args.asleep + args.groups + group]) != 0u;
}

fn touch_group(group: u32) {
    atomicStore(&flags[args.asleep + args.groups + group], 1u);
}
