// Packed contact data of particles, so that a neighbor takes one access.
//
// In `work`: from `sub.particle_contacts` on, per particle the number of contacts its mass is split among, its inverse mass in
// contacts, and its last count of active contacts (x, z, w); from `sub.predicted` on, the new or stabilized position; then
// two sets of packed particles.

// Packed particle `i`: position and radius; start position and inverse of the split mass.
fn put_packed(packed: u32, i: u32, place: vec4<f32>, start: vec4<f32>) {
    work[packed + 2u * i] = place;
    work[packed + 2u * i + 1u] = start;
}
