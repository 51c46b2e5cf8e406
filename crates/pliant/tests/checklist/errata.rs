//! E: errata.

use crate::ids::{Requirement, met, met_with};

pub const ALL: &[Requirement] = &[
    met(
        "E01",
        "D0 8–12, D1 7–13 permute the gradients of a tetrahedron's volume; each is the cross product of the two other edges over six.",
    ),
    met("E02", "D0 12–13, D1 6–10 have the wrong sign and no masses; corrections are −k·s·wᵢ∇ᵢ with s = C/Σwⱼ|∇ⱼ|²."),
    met("E03", "D1 3–4 lack the shares of the masses and divide by the length twice."),
    met("E04", "D2 2 subtracts d² where the rest length d is meant."),
    met("E05", "D0 3–4, D2 4–5 and D3's Jacobi leave out the inverse masses."),
    met(
        "E06",
        "D2 Algorithm 2 empties the set of copies for every constraint; it must be made once per clique, or only one copy is tied.",
    ),
    met(
        "E07",
        "D2 §4 makes a copy per member of a clique; ⌈size/q̂⌉ are enough, cliques change with every insertion, and all copies of a particle are one group.",
    ),
    met("E08", "D2 7 averages copies of full mass, which loses momentum; each of N copies carries m/N."),
    met(
        "E09",
        "D2 miscounts the colors of a ring of five (three), Fig 4c is not bipartite, and a clique number of q̂ does not make a graph q̂-colorable.",
    ),
    met_with(
        "E10",
        "D0 exchanges two figures, gives 0.1 ms beside 1105 frames a second, and calls coloring linear in nodes; it is linear in incidences.",
        "That figures 6 and 7 are exchanged is not testable.",
    ),
    met(
        "E11",
        "D3's variational form needs +Δt²E, Δt² before M⁻¹f, K = M + O(Δt²), −∇Cᵀ in the upper right block, and α̃ = α/Δt².",
    ),
    met("E12", "D3's BDF2 needs α̃ = 9α/(4Δt²), and BDF1 on the first step and in contact."),
    met(
        "E13",
        "D3's compliance lacks the element's volume, its shear entry is μ for engineering shear and 4μ for tensor shear, and its \"Mu = 0.3\" is Poisson's ratio.",
    ),
    met(
        "E14",
        "D3 adds the small constant of the rotation extraction to the quotient; it belongs into the denominator, as in D4 4.20.",
    ),
    met("E15", "D4 3.15–3.18 contradict 3.8–3.9 in sign, and the multiplier of the example is −m·x′."),
    met("E16", "D4 Algorithms 3.1–3.2 clamp equalities too, and keep Δx from one iteration to the next."),
    met(
        "E17",
        "D4 Algorithm 3.3 never counts its loops, adds a force without the inverse mass, and restores scaled masses after the first iteration.",
    ),
    met("E18", "D4 3.27 compares a displacement with a speed; the threshold is ε·Δt."),
    met("E19", "D4 3.39–3.40 have the sign that doubles the slip."),
    met("E20", "D4 3.43–3.44 take the particle's own mass in its own gradient and the wrong sign in the others'."),
    met("E21", "D4 3.47 and 3.49 hold for equal masses only, and density is one-sided."),
    met("E22", "D4's words on 4.25 say the opposite of the formula, which is right: lower particles count as heavier."),
    met(
        "E23",
        "D4 4.10–4.14 give mirror images for inverted bodies and nothing for flat ones; the determinant must be +1.",
    ),
    met(
        "E24",
        "D4 4.30–4.34 leak in floating point and divide by zero for triangles seen edge-on; integer edge functions on snapped vertices do not.",
    ),
    met(
        "E25",
        "D4 Algorithms 4.3 and 4.5 compare with sites at infinity; empty rows must be skipped, and crossings compared by integers.",
    ),
    met(
        "E26",
        "D4 Algorithm 4.7 and 4.37: the nearest site is not always the nearest way to the surface, so distances are upper bounds.",
    ),
    met(
        "E27",
        "D4 Algorithm 4.8 does not ask whether all eight children are set, nor what φ of a new level holds at first (+∞).",
    ),
    met(
        "E28",
        "D4 Algorithm 5.1 needs the sign of a difference, a prefix of −1 outside of the keys, and ≤ in the bound of the search.",
    ),
    met("E29", "D4 Algorithm 5.2 never pops the stack after a leaf."),
    met(
        "E30",
        "D4 Algorithm 5.3 leaves a subtree when it starts below the root, and every pair is seen from both sides.",
    ),
    met(
        "E31",
        "D4 §5.3.2 bounds the height by the code; duplicates add their bits and one, so that 64 bits can overflow.",
    ),
    met(
        "E32",
        "D4 §5.1 stops at the ring that fills the list of nearest particles; the next ring may hold a nearer one.",
    ),
    met(
        "E33",
        "D4 §6.2 misstates its scene (5³ boxes of 12³) and the caption of Table 6.6, and lists of 32 or 48 drop contacts.",
    ),
];
