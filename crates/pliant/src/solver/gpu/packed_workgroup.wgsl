// Cards of a patch in the workgroup's own memory. Threads without a constraint ask for more than there is.

var<workgroup> cards: array<vec4<u32>, CARDS>;

fn keep_cards(it: Patch, t: u32) {
    // Four at a time, so that their latencies overlap.
    var i = t;
    for (; i + 3u * THREADS < it.cards; i += 4u * THREADS) {
        let a = fixtures[it.cards_at + i];
        let b = fixtures[it.cards_at + i + THREADS];
        let c = fixtures[it.cards_at + i + 2u * THREADS];
        let d = fixtures[it.cards_at + i + 3u * THREADS];
        cards[i] = a;
        cards[i + THREADS] = b;
        cards[i + 2u * THREADS] = c;
        cards[i + 3u * THREADS] = d;
    }
    for (; i < it.cards; i += THREADS) {
        cards[i] = fixtures[it.cards_at + i];
    }
}

fn card(at: u32) -> vec4<u32> {
    return cards[min(at, CARDS - 1u)];
}
