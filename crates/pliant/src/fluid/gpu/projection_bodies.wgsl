// Rigid bodies as passes of the projection see them; see body_coupling.wgsl. Without bodies, BODIES is false.

// Vectors of a body in `work`, from BODY_MOTIONS on. Velocity and spin without pressure, what pressure changes of them, and
// the impulses that do; those of the first substep, which has two solutions.
const BODY_CENTER: u32 = 0u;
const BODY_BASE: u32 = 1u;
const BODY_CHANGE: u32 = 3u;
const BODY_IMPULSE: u32 = 5u;
const BODY_FIRST_IMPULSE: u32 = 7u;

// Vectors of a body in the record that the host writes for every substep: its center with the relaxation, its velocity with
// the inverse mass, its spin; what both gain from all but liquids; its inverse inertia, diagonal and rest; first piece, their
// number, first point, their number; the impulses that pressure gave it in this substep, with 1 in the first; its rotation.
const BODY_GAINED: u32 = 3u;
const BODY_INERTIA: u32 = 5u;
const BODY_PARTS: u32 = 7u;
const BODY_PUSH: u32 = 8u;
const BODY_ROTATION: u32 = 10u;

// Whether slot `c` of the colliders is a piece of a rigid body.
fn is_piece(c: u32) -> bool {
    return BODIES && c >= sub.body_colliders;
}

fn body_of(c: u32) -> u32 {
    return constants[PIECES + c - sub.body_colliders].x;
}

// The records stand before the poses of pins.
fn record_at(body: u32) -> u32 {
    return sub.poses - (BODY_COUNT - body) * BODY_RECORD;
}

fn body_record(body: u32, k: u32) -> vec4<f32> {
    return constant(record_at(body) + k);
}

fn body_motion(body: u32, k: u32) -> vec3<f32> {
    return work[BODY_MOTIONS + body * BODY_MOTION + k].xyz;
}

// Velocity at an arm from the center, by a velocity and a spin and the change by pressure.
fn changed_velocity(body: u32, velocity: vec3<f32>, spin: vec3<f32>, arm: vec3<f32>) -> vec3<f32> {
    return velocity + body_motion(body, BODY_CHANGE) + cross(spin + body_motion(body, BODY_CHANGE + 1u), arm);
}

// Velocity of a point of a body, with the change that the next substep adds.
fn gained_velocity(body: u32, arm: vec3<f32>) -> vec3<f32> {
    let spin = body_record(body, BODY_GAINED + 1u).xyz;
    return changed_velocity(body, body_record(body, BODY_GAINED).xyz, spin, arm);
}

// Whether a body touches a liquid.
fn bodies_act() -> bool {
    return atomicLoad(&flags[ACTING]) != 0u;
}

// Whether a pass of a mode is one that bodies need, or one that only a liquid without them has, in vain.
fn is_in_vain(mode: u32) -> bool {
    if !BODIES || (mode & (IF_ACTING | IF_FREE)) == 0u {
        return false;
    }
    return bodies_act() != ((mode & IF_ACTING) != 0u);
}
