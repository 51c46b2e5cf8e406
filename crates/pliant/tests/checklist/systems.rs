//! S: systems and algorithms.

use crate::ids::{Requirement, met, met_with, partial};

pub const ALL: &[Requirement] = &[
    met(
        "S01",
        "Particles are integrated by symplectic Euler, which takes the same steps as Verlet; explicit and implicit Euler \
         exist for comparison.",
    ),
    met_with(
        "S02",
        "The state is kept as structures of arrays, and pictures are drawn from the solver's GPU buffer without a copy \
         through the host.",
        "The tests of drawing need a GPU adapter.",
    ),
    met(
        "S03",
        "A particle has a position, a velocity, an inverse mass, a radius of its own and a phase that selects what it \
         collides with.",
    ),
    met(
        "S04",
        "Constraints are projected with inverse masses, as equalities or as inequalities whose multiplier is clamped.",
    ),
    met(
        "S05",
        "XPBD with compliance and stored multipliers agrees with a Newton solve of the same implicit step, and constraint \
         forces can be read.",
    ),
    met("S06", "BDF2 prediction and velocity update, with BDF1 on the first step and for particles in contact."),
    met(
        "S07",
        "St Venant–Kirchhoff triangles as XPBD constraints; a cantilever with E = 1e5 Pa and ν = 0.3 bends as linear FEM says.",
    ),
    met("S08", "Gauss–Seidel one constraint at a time, projected Gauss–Seidel and projected Jacobi."),
    met("S09", "Averaged Jacobi with over-relaxation, computed per constraint (scatter) and per particle (gather)."),
    met("S10", "The whole simulation loop with pre-stabilization, contacts between particles, and sleeping."),
    met(
        "S11",
        "Constraints of each kind are colored greedily in smallest-last order, from the constraints at each particle and \
         without listing conflicts.",
    ),
    met(
        "S12",
        "Particles are split into copies so that any number of colors from two on is enough; classes are even, and all copies \
         of a kind are joined in one pass.",
    ),
    met("S13", "A hybrid solver runs the first colors as Gauss–Seidel and all others as one averaged Jacobi pass."),
    partial(
        "S14",
        "One source of each projection, or two that tests hold equal, serves one core, many cores and the GPU.",
        "Rust and WGSL are two sources; tests on a software driver hold them equal. On an H200 three comparisons of grain \
         contacts (restitution with rolling, contacts without stabilization, friction by object) miss their bounds by factors \
         of 2 to 20, and scene `stars` of soft bodies that touch differs by 9e-3 of its extent after 60 steps (3e-7 after 8).",
    ),
    met(
        "S15",
        "Constraints for edges, for bending by dihedral angle and by the isometric form, and for tetrahedral volume.",
    ),
    met(
        "S16",
        "Constraints for tethers, inflatables with pressure, shape matching, density and contact, and materials that change \
         while a simulation runs.",
    ),
    met(
        "S17",
        "Particles collide with planes, spheres, capsules, cylinders, boxes, convex hulls, triangle surfaces (continuous in \
         time) and signed distance fields.",
    ),
    met(
        "S18",
        "Static and kinetic Coulomb friction at the level of positions, with restitution, cohesion and rolling.",
    ),
    met(
        "S19",
        "Shape matching with rotations by Gram–Schmidt, polar decomposition or iterative extraction, stiffness by factor or \
         by time constant, and adaptive weights.",
    ),
    met_with(
        "S20",
        "Rest shapes that follow deformation beyond a threshold, visual meshes by linear skinning, and sums over bodies on \
         the GPU.",
        "The speed of the sums on the GPU is benchmarked, not tested.",
    ),
    partial(
        "S21",
        "Rigid bodies with a position and an orientation of their own, connected by ball joints, hinges and other connectors.",
        "Ball, hinge, slider, fixed, universal, distance and six-degree joints with limits, motors, friction, compliance and \
         break forces; in worlds on a GPU the host solves them. Attachments of particles to rigid bodies on the CPU only.",
    ),
    met(
        "S22",
        "Contact between rigid bodies uses the signed distance and gradient of each particle, a one-sided normal at the \
         surface, and masses scaled by height for stacks.",
    ),
    met(
        "S23",
        "Position-based fluids: smoothing kernels, density constraint with relaxation and artificial pressure, solids in the \
         density, and masses from the radius.",
    ),
    met("S24", "Surface tension, viscosity, and liquids and bodies that push each other both ways."),
    partial(
        "S25",
        "Lift and drag on every triangle, and wind, so that a paper plane flies.",
        "The forces are tested; the scene `plane` exists, but no test asserts that it flies.",
    ),
    met("S26", "Ropes with bending and torsion, drawn as Catmull–Rom curves."),
    met(
        "S27",
        "Closed meshes are filled with voxels by edge functions with a fill rule, along the best axis and without leaks, \
         beside a ray-casting baseline.",
    ),
    met(
        "S28",
        "Signed distances by an exact transform in five passes with padding and gradients, beside fast marching.",
    ),
    met("S29", "Voxels deep inside are merged into particles of several radii."),
    met(
        "S30",
        "A hash grid built by counting or by sorting, with wrap-around, that also finds the k nearest particles.",
    ),
    met(
        "S31",
        "A bounding volume hierarchy from Morton codes and a radix tree built in parallel, refitted with boxes or spheres.",
    ),
    met(
        "S32",
        "Traversal with a stack, without one (two ways) and from below, pruned by phase; each finds exactly the pairs of \
         brute force.",
    ),
    partial(
        "S33",
        "What the documents leave as future work: coloring on the GPU under changing topology, cutting, tearing, fracture, \
         shape matching by regions, liquid surfaces, grids shaped by the particles, faster convergence.",
        "There: regions, liquid surfaces, grids shaped by bounds, Nesterov's momentum for contacts of rigid bodies. \
         Not there: coloring on the GPU, cutting, tearing, fracture, acceleration of other constraints.",
    ),
];
