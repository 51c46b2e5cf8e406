// Bindings of every shader of a substep. The host's half is `schedule/gpu/substep.rs` and `runtime/gpu/buffers.rs`;
// constants are those of all phenomena (`solver/gpu/shader_constants.rs`).

// Numbers of one substep; some are the same for all of them, but one read serves all.
struct Substep {
    gravity: vec3<f32>,
    h: f32,
    wind: vec3<f32>,
    gust: f32,
    inv_h: f32,
    keep: f32,
    inv_h2: f32,
    memory: f32,
    gust_period: f32,
    sleep: f32,
    margin: f32,
    omega: f32,
    // KEEPS_HISTORY, SECOND_ORDER, IN_THE_AIR, GOES_ON.
    flags: u32,
    particles: u32,
    // Particles and orientations.
    solid: u32,
    colliders: u32,
    stabilization: u32,
    // First vector of the colliders and of the pins' poses in `constants`.
    moving_colliders: u32,
    poses: u32,
    // First words of tables in `params`.
    radii: u32,
    spins: u32,
    counts: u32,
    // First words of tables in `topology`.
    island_bits: u32,
    seams: u32,
    seam_of: u32,
    // First word of the contact masks and of the first-order flags in `flags`.
    masks: u32,
    first_order: u32,
    // First vector of the accumulated corrections of collider contacts in `work`, by row and collider.
    collider_impulses: u32,
    // First vector of the forces in `motion`.
    forces: u32,
    // First word of what pieces exchange, in `flags`; number of copies on seams.
    exchange: u32,
    copies: u32,
    // First vectors in `work` of what particle contacts keep, or NONE without them, and of predicted positions.
    particle_contacts: u32,
    predicted: u32,
    // First vector in `work` of the ways out of bodies, or NONE.
    fields: u32,
    // First vector in `work` of the displacements by pressure, or NONE; the first particle of a liquid, which come after
    // all others.
    carried: u32,
    wet: u32,
    // Of rigid bodies: first vector in `constants` of the mass splitting of each particle (share of the particle's inverse
    // mass, mean share, number of the body), or NONE; first of three counts of contacts for each body in `flags` (maximum
    // so far, of this iteration, of the first iteration); collider corrections of the iteration before in `work`.
    mass_splitting: u32,
    contact_counts: u32,
    last_impulses: u32,
    // Cohesion of particles over a substep, 2π·w·h² [kg].
    cohesion: f32,
    // First word in `flags` of the marks of bodies near triangle surfaces, or NONE.
    surface_bodies: u32,
    // First vector in `constants` of the environment of each particle and the slots of colliders, four words each, or NONE
    // where all particles see all colliders.
    environments: u32,
    // Number of the first collider that is a piece of a rigid body, or NONE.
    body_colliders: u32,
    // First vector in `constants` of the collision groups and surfaces of particles, then of colliders, or NONE.
    object_contacts: u32,
}

// Particles, orientations, copies of particles (twice under "shared-patch": the last iteration's and this one's).
@group(0) @binding(0) var<storage, read_write> rows: array<vec4<f32>>;
// Four or two arrays of `solid` rows: start of the substep, velocities, and both one substep before (BDF2);
// then forces of the air.
@group(0) @binding(1) var<storage, read_write> motion: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> lambda: array<f32>;
// Scratch data of a substep: corrections of contacts, corrections of Jacobi passes, gradients.
@group(0) @binding(3) var<storage, read_write> work: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> flags: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read> params: array<f32>;
@group(0) @binding(6) var<storage, read> topology: array<u32>;
// Vectors of numbers: coefficients, places of pins, packed constraints; poses and colliders, which may move.
@group(0) @binding(7) var<storage, read> constants: array<vec4<u32>>;
@group(0) @binding(8) var<uniform> sub: Substep;
// Binding 9 is `args`, the uniform record of the dispatch, which the pass declares.

struct Thread {
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
}

// Number of a workgroup over a dispatch of one or two dimensions.
fn group_of(thread: Thread) -> u32 {
    return thread.group.y * thread.groups.x + thread.group.x;
}

// Number of a thread over a dispatch of workgroups of SIZE.
fn number_of(thread: Thread) -> u32 {
    return group_of(thread) * SIZE + thread.local;
}

// Mean of rows that stand for one particle: as a sum of changes, so that what did not move stays where it is.
fn mean_of(first: u32, count: u32) -> vec3<f32> {
    let base = rows[first].xyz;
    var sum = vec3<f32>(0.0);
    for (var k = 1u; k < count; k++) {
        sum += rows[first + k].xyz - base;
    }
    return base + sum / f32(count);
}

// Word or number `k` of `n` of the constraint at `slot`, counted from the first block.
fn blocked(slot: u32, n: u32, k: u32) -> u32 {
    return ((slot / BLOCK) * n + k) * BLOCK + slot % BLOCK;
}

fn constant(at: u32) -> vec4<f32> {
    return bitcast<vec4<f32>>(constants[at]);
}

fn scales() -> Scales {
    return Scales(sub.inv_h2, sub.memory);
}

fn previous_at(i: u32) -> u32 {
    return i;
}

fn velocity_at(i: u32) -> u32 {
    return sub.solid + i;
}

fn older_at(i: u32) -> u32 {
    return 2u * sub.solid + i;
}

fn older_velocity_at(i: u32) -> u32 {
    return 3u * sub.solid + i;
}

fn in_island(particle: u32) -> bool {
    return (topology[sub.island_bits + particle / 32u] >> (particle % 32u) & 1u) != 0u;
}

// Whether the collider contacts of a particle are solved with its body: that of an island, or an elastic one.
fn has_own_contacts(particle: u32) -> bool {
    let bits = sub.island_bits + (sub.particles + 31u) / 32u;
    return (topology[bits + particle / 32u] >> (particle % 32u) & 1u) != 0u;
}

// Whether a particle diverged in an earlier substep.
fn has_diverged() -> bool {
    return atomicLoad(&flags[DIVERGED_PREDICT]) != NONE || atomicLoad(&flags[DIVERGED_SOLVE]) != NONE;
}
