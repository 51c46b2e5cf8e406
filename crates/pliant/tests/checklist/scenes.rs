//! T: scenes, tables and figures.

use crate::ids::{Requirement, met, met_with, open, partial};

pub const ALL: &[Requirement] = &[
    met_with(
        "T01",
        "D1 scene 0: four flags of 20 × 60 particles with 13,764 edges and 13,140 hinges in the wind.",
        "Counts and colors are asserted; the motion is not compared with anything.",
    ),
    met_with(
        "T02",
        "D1 scene 1: sixteen cloths of 30 × 30 particles with 41,296 edges that fall on a capsule.",
        "The count is asserted; the fall is not compared with anything.",
    ),
    open(
        "T03",
        "D1 scene 2: a character of about 10,452 particles, 52,387 edges and 32,087 tetrahedra that the user deforms.",
        "No scene has these counts. `pliant serve` lets a user pull at the bodies of a running scene; no test compares that \
         with the character of D1.",
    ),
    met("T04", "D1 Fig 1: a cloth of 150 × 150 particles with 66,901 edges and 66,305 hinges."),
    partial(
        "T05",
        "D0 Table 1: a cloth of 100 × 100 on a tube, a flattened bunny and a hundred colliding tori, with their counts and \
         colors.",
        "Counts of the cloth are asserted. The bunny and the tori exist as scenes of our own counts.",
    ),
    met(
        "T06",
        "D0 Figs 3–5: eight particles with fifteen constraints colored, a falling cube of 25,000 constraints under Jacobi and \
         Gauss–Seidel in equal time, and residual against time.",
    ),
    partial(
        "T07",
        "D2 Tables 1–2: times over passes and constraints, and three scenes under three solvers at equal residual.",
        "Counts of the three scenes are asserted and they run; times are measured by `pliant study`, not by tests.",
    ),
    met(
        "T08",
        "D2 Figs 2–10: small graphs, error against colors, sizes of classes, and a stretched cloth of 1,121 constraints \
         released under four solvers.",
    ),
    partial(
        "T09",
        "D3: PBD stiffens with iterations and XPBD does not, BDF2 loses less energy than BDF1, a gallery of soft bodies, and \
         faster sums over bodies.",
        "The gallery and the speed-up have no test.",
    ),
    met_with(
        "T10",
        "D4 Tables 6.1–6.2: voxel and particle counts of a box, a bunny, an armadillo and a dragon, the box exactly.",
        "The scanned models are compared within two percent, where their files are.",
    ),
    partial(
        "T11",
        "D4 Tables 6.3–6.7: boxes of 216,000 particles dropped from 3.6 m for 800 frames, with trees and grids compared.",
        "Searches are compared and timed on clouds; the 800 frames are scenes without a test.",
    ),
    partial(
        "T12",
        "D4's figures: dam breaks, walls, buried and interlocked bodies, a ball into 64,934 grains, soft and many bunnies, \
         spheres in liquid, a thrown armadillo, and the two failures.",
        "No test of the thrown armadillo; the dam at three resolutions and the three spheres are covered by V11 and V09.",
    ),
];
