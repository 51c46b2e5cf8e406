// Start, velocity and row of particle or orientation `i` as its row `slot` sees them: all copies share those of the
// particle.

fn is_shadow(slot: u32) -> bool {
    return false;
}

fn start_of(i: u32, slot: u32) -> u32 {
    return previous_at(i);
}

fn velocity_of(i: u32, slot: u32) -> u32 {
    return velocity_at(i);
}

fn row_of(i: u32, slot: u32) -> u32 {
    return i;
}
