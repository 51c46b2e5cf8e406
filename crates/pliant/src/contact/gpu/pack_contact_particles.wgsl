// What particles that touch each other know of each other: one card for each, so that a neighbor is one access.
//
// In `work`: from `sub.meets` on, for each particle the contacts that it shares its mass among, its inverse mass in
// contacts, and how many contacts pushed it last (x, z, w); from `sub.nexts` on, where it will be, or where it was
// parted to; then two sets of cards.

// Card of particle `i`: where it is and its radius; where it started, and the inverse mass that it has in each contact.
fn put_card(packed: u32, i: u32, place: vec4<f32>, start: vec4<f32>) {
    work[packed + 2u * i] = place;
    work[packed + 2u * i + 1u] = start;
}
