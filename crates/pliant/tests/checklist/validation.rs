//! V: validation.

use crate::ids::{Requirement, met, open, partial};

pub const ALL: &[Requirement] = &[
    met("V01", "Free fall takes exactly the steps of the discrete formula, of first order in the step."),
    met("V02", "Periods of a pendulum at 30°, 60° and 90° within half a percent."),
    met("V03", "A chain of length 2 over a span of 1 sags by 0.79639 within one percent."),
    met("V04", "A spring at rest is stretched by m·g·α within one percent, for any iterations and steps."),
    met("V05", "A cantilever converges to the beam within five percent when refined."),
    met(
        "V06",
        "A box on a slope sticks below the angle of friction, slides above it as Coulomb says, and creeps by less than 0.1 mm.",
    ),
    met("V07", "A ball rolls down a slope with 5/7 of g·sin θ and without slip."),
    met("V08", "A ball rebounds to e² of its height within two percent."),
    met("V09", "A box floats as deep as its density says, within five percent."),
    met("V10", "Water at rest has its density within one percent on average and three at most."),
    met("V11", "The front of a dam break follows the experiment of Martin and Moyce within ten percent."),
    partial(
        "V12",
        "A soft body keeps its volume within one percent and a liquid within three over a minute.",
        "The liquid only.",
    ),
    partial(
        "V13",
        "Heaps have slopes that rise with friction and with rolling resistance and are those of glass beads and sand.",
        "Rising with friction only; angles are not compared.",
    ),
    partial(
        "V14",
        "Columns of grains run out with the exponents of the experiments.",
        "High columns from three times the aspect of the experiments on.",
    ),
    partial(
        "V15",
        "A tower of ten boxes with masses of 1:100 stands for a minute with one percent of penetration.",
        "Rigid bodies on the CPU: 60 s with a top 100 times as heavy. Bodies of particles: a minute with masses scaled by \
         height, two seconds with true masses.",
    ),
    partial(
        "V16",
        "A closed body keeps linear momentum to 1e-5, angular momentum to 1e-4 and gains no energy over 10⁴ steps.",
        "Over 1,000 steps; linear momentum to what rounding allows, angular to 5 %.",
    ),
    partial(
        "V17",
        "A hanging sheet stretches under its weight by ρgL²/2 over its modulus.",
        "Within 5 % at default settings; on the GPU one size.",
    ),
    partial(
        "V18",
        "A clamped rod and a strip of cloth hang as the heavy elastica.",
        "Rods within 2 %, strips within 5 % at default settings, on the CPU; the GPU moves alike.",
    ),
    partial(
        "V19",
        "Tip and first frequency of a beam of elements agree with linear FEM on the same mesh.",
        "The tip only, within 2 % at default settings, on the CPU; the GPU moves alike.",
    ),
    open(
        "V20",
        "An elastic chain sags and a string vibrates as their closed forms say.",
        "Only the chain that does not stretch (V03).",
    ),
    open("V21", "A clamped rod buckles under twist at Greenhill's angle.", "Only the torque of a twisted rod (S26)."),
    partial(
        "V22",
        "Torque-free bodies and a heavy top follow Euler's equations.",
        "Rigid bodies on the CPU: free and heavy tops. Bodies of particles spin down as projection says (S19).",
    ),
    partial(
        "V23",
        "Collisions of two bodies and of chains keep momentum and have the energy that e says.",
        "On the CPU: grains, two balls, a cradle of five.",
    ),
    partial(
        "V24",
        "Friction between two bodies, ladders, tipping and belts follow Coulomb.",
        "Tipping; bodies on colliders (V06). No ladder, no belt.",
    ),
    partial(
        "V25",
        "Pendulums and linkages with joints have their periods and keep energy.",
        "On the CPU: compound, double and spherical pendulum, two four-bar linkages; the equations of the latter three.",
    ),
    partial(
        "V26",
        "Spheres poured at random fill 0.60 to 0.64 of space.",
        "Mean overlap 1 % of a diameter, but up to 10 % in single contacts.",
    ),
    open("V27", "Pressure in a silo saturates, and a hopper runs with the exponent 2.5.", "No test."),
    partial(
        "V28",
        "Bodies near the density of water float above it and sink below, within two percent of density.",
        "Floating and sinking at larger differences.",
    ),
    partial(
        "V29",
        "Rise with added mass, Stokes' drag, flow between plates and through holes, within 15 %.",
        "A film on a slope and a stirred liquid; not the others.",
    ),
    open(
        "V30",
        "Waves in a tank have the frequencies of theory, and vessels that are joined have one level.",
        "No test.",
    ),
    partial(
        "V31",
        "A drop swings with Rayleigh's period within ten percent at every stable step.",
        "Within 15 %, at three settings.",
    ),
    partial(
        "V32",
        "Every kind of object keeps momentum in free flight for a minute.",
        "Rigid bodies, and the bodies of V16.",
    ),
    partial(
        "V33",
        "Energy does not grow at rest or in motion, for steps from 1e-6 to 1e-2 s.",
        "Piles and heaps at one step.",
    ),
    partial(
        "V34",
        "No two triangles cross in any frame of the scenes of surface contact.",
        "With `contact.triangles`, on the CPU, in six small scenes.",
    ),
    partial(
        "V35",
        "Solids crushed to a plane, a point or inside out come back to their volume without an inverted element.",
        "Neo-Hookean cubes, without contact; at default settings on the CPU.",
    ),
    partial(
        "V36",
        "An unrelated object out of reach changes not one bit of the others.",
        "Constrained bodies, rigid bodies and liquids, with chosen steps.",
    ),
];
