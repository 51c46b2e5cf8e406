// WGSL version of projection.rs, whose constants stand in front of it.

// A symmetric matrix: xx, yy, zz; and xy, xz, yz.
struct Symmetric { along: vec3<f32>, across: vec3<f32> }

fn projection_times(m: Symmetric, v: vec3<f32>) -> vec3<f32> {
    return m.along * v + m.across.xxy * v.yxx + m.across.yzz * v.zzy;
}

// n ⊗ n times `scale`, added to a matrix.
fn projection_add_outer(m: Symmetric, n: vec3<f32>, scale: f32) -> Symmetric {
    return Symmetric(m.along + scale * (n * n), m.across + scale * (n.xxy * n.yzz));
}

// Cofactors.
fn projection_adjugate(m: Symmetric) -> Symmetric {
    return Symmetric(
        m.along.yxx * m.along.zzy - m.across.zyx * m.across.zyx,
        m.across.yxx * m.across.zzy - m.across * m.along.zyx,
    );
}

fn projection_determinant(m: Symmetric) -> f32 {
    let cofactors = projection_adjugate(m);
    return m.along.x * cofactors.along.x + m.across.x * cofactors.across.x + m.across.y * cofactors.across.y;
}

// L: the inverse of a matrix of moments, the identity where neighbors are too few to tell.
fn projection_correction(m: Symmetric) -> Symmetric {
    let share = saturate((projection_determinant(m) - LOW_DETERMINANT) / (HIGH_DETERMINANT - LOW_DETERMINANT));
    let blended = Symmetric(m.along * share + (1.0 - share), m.across * share);
    let cofactors = projection_adjugate(blended);
    let scale = 1.0 / projection_determinant(blended);
    return Symmetric(cofactors.along * scale, cofactors.across * scale);
}

// A wall near a particle; `share` is that of the kernel behind it. Without one `near` is false.
struct Wall {
    near: bool,
    normal: vec3<f32>,
    share: f32,
    moment: f32,
    slope: f32,
    gap: f32,
    velocity: vec3<f32>,
}

// The wall at `distance` from a particle's center, from the share of the kernel behind it and the derivative of that.
fn projection_wall(
    share: vec2<f32>, distance: f32, setback: f32, radius: f32, normal: vec3<f32>, velocity: vec3<f32>,
) -> Wall {
    let moment = share.x - max(distance + setback, 0.0) * share.y;
    return Wall(true, normal, share.x, moment, moment / max(distance, 0.5 * radius), distance - radius, velocity);
}

// The same wall as that of a rigid body, from the derivative of the share at its distance.
fn projection_body_wall(wall: Wall, rate: f32, radius: f32) -> Wall {
    var body = wall;
    body.slope = -2.0 * rate;
    body.moment = body.slope * max(wall.gap + radius, 0.5 * radius);
    return body;
}

// How much a particle at a distance is near a body.
fn projection_nearness(reach: f32, distance: f32) -> f32 {
    return saturate((BODY_RANGE - distance / reach) / (BODY_RANGE - 1.0));
}

// Share of the diagonal of the Laplacian that neither particles nor walls account for, and the part of it that is air.
fn projection_open_share(sum: f32, full: f32, behind: f32) -> vec2<f32> {
    let missing = 1.0 - CLOSED_DIAGONAL * behind - sum / full;
    return vec2<f32>(missing, saturate((missing - LEAST_AIR) / (MOST_AIR - LEAST_AIR)));
}

// Like `projection_diagonal`, with no pressure lost at walls or in small gaps.
fn projection_closed_diagonal(sum: f32, full: f32, behind: f32) -> f32 {
    let open = projection_open_share(sum, full, behind);
    return max(sum + full * open.x * open.y, 1e-3 * full);
}

// Diagonal of the Laplacian, from the sum over neighbors, the sum of a lattice, and the share of the kernel behind walls.
fn projection_diagonal(sum: f32, full: f32, behind: f32) -> f32 {
    return max(max(sum, full * max(1.0 - WALL_DIAGONAL * behind, 0.0)), 1e-3 * full);
}

// Rate of compression that is allowed [1/s].
fn projection_allowed_rate(compression: f32, h: f32) -> f32 {
    return select(1.0, CLOSING, compression > -SPARSE) * max(-compression, 0.0) / h;
}

// Removes the part of a velocity that would take a particle through a wall within `h` seconds.
fn projection_stop_at_wall(wall: Wall, v: vec3<f32>, h: f32) -> vec3<f32> {
    let approach = dot(v - wall.velocity, wall.normal) + max(wall.gap, 0.0) / h;
    return v - wall.normal * min(approach, 0.0);
}
