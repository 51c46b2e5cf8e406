// Start, velocity and row of particle or orientation `i` as its row `slot` sees them: a copy keeps its own, because other
// workgroups may be a substep ahead.

fn is_shadow(slot: u32) -> bool {
    return slot >= sub.solid;
}

fn start_of(i: u32, slot: u32) -> u32 {
    return select(previous_at(i), args.copy_motion + slot - sub.solid, is_shadow(slot));
}

fn velocity_of(i: u32, slot: u32) -> u32 {
    return select(velocity_at(i), args.copy_motion + sub.copies + slot - sub.solid, is_shadow(slot));
}

fn row_of(i: u32, slot: u32) -> u32 {
    return slot;
}
