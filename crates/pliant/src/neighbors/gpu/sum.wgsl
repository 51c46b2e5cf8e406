// Sums within a workgroup of THREADS threads, a constant of the module.

var<workgroup> ladder: array<u32, 2u * THREADS>;

// Inclusive prefix sum over threads (Hillis & Steele). Contains barriers: all threads must call it; the last thread has
// the total. `ladder` may be reused at once.
fn inclusive(t: u32, value: u32) -> u32 {
    var sum = value;
    var side = 0u;
    ladder[t] = sum;
    workgroupBarrier();
    for (var step = 1u; step < THREADS; step *= 2u) {
        if t >= step {
            sum += ladder[side + t - step];
        }
        // Double-buffered: no thread overwrites values that others have yet to read.
        side = THREADS - side;
        ladder[side + t] = sum;
        workgroupBarrier();
    }
    return sum;
}
