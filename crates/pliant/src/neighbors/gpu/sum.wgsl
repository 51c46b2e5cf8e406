// Sums within a workgroup of THREADS threads, which the module defines.

var<workgroup> ladder: array<u32, 2u * THREADS>;

// Sum of the values of all threads before this one and of its own (Hillis & Steele). Everybody takes part; after it, the
// sum of all is with the last thread. `ladder` may be used again at once.
fn inclusive(t: u32, value: u32) -> u32 {
    var sum = value;
    var side = 0u;
    ladder[t] = sum;
    workgroupBarrier();
    for (var step = 1u; step < THREADS; step *= 2u) {
        if t >= step {
            sum += ladder[side + t - step];
        }
        // Two sides: nobody overwrites what somebody has yet to read.
        side = THREADS - side;
        ladder[side + t] = sum;
        workgroupBarrier();
    }
    return sum;
}
