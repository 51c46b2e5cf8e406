// WGSL version of triangle.rs.

// Fraction of the motion that stands for no contact.
const NO_TOUCH: f32 = 2.0;

struct Triangle { a: vec3<f32>, b: vec3<f32>, c: vec3<f32> }

// Vector from the nearest point of a triangle to another point, exactly across the face or the edge; and
// the factor on its square when selecting the nearest of many: at equal distance faces precede edges, and edges
// precede corners.
struct Foot { away: vec3<f32>, rank: f32 }

fn foot_on_edge(start: vec3<f32>, end: vec3<f32>, p: vec3<f32>) -> Foot {
    let along = end - start;
    let m = p - start;
    return Foot(m - along * (dot(m, along) / dot(along, along)), FOOT_EDGE);
}

// By the Voronoi regions of corners and edges ([RTCD] 5.1.5).
fn nearest_on_triangle(it: Triangle, p: vec3<f32>) -> Foot {
    let ab = it.b - it.a;
    let ac = it.c - it.a;
    let ap = p - it.a;
    let d1 = dot(ab, ap);
    let d2 = dot(ac, ap);
    if d1 <= 0.0 && d2 <= 0.0 {
        return Foot(ap, FOOT_CORNER);
    }
    let bp = p - it.b;
    let d3 = dot(ab, bp);
    let d4 = dot(ac, bp);
    if d3 >= 0.0 && d4 <= d3 {
        return Foot(bp, FOOT_CORNER);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return foot_on_edge(it.a, it.b, p);
    }
    let cp = p - it.c;
    let d5 = dot(ab, cp);
    let d6 = dot(ac, cp);
    if d6 >= 0.0 && d5 <= d6 {
        return Foot(cp, FOOT_CORNER);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return foot_on_edge(it.a, it.c, p);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return foot_on_edge(it.b, it.c, p);
    }
    let across = cross(ab, ac);
    return Foot(across * (dot(across, ap) / dot(across, across)), 1.0);
}

// Time of impact of a sphere of `radius` that moves from `p` by `way` with a triangle, as a fraction of the motion,
// 0 to 1; NO_TOUCH if they do not touch, or only separate ([RTCD] 5.5.6).
fn sweep_to_triangle(it: Triangle, p: vec3<f32>, way: vec3<f32>, radius: f32) -> f32 {
    let apart = nearest_on_triangle(it, p).away;
    let square = dot(apart, apart);
    let far = dot(way, way);
    if square <= radius * radius {
        // Exactly in the plane neither side is preferred: any motion is stopped. A sliding motion may point inward by
        // rounding.
        let in_plane = square == 0.0 && far > 0.0;
        let nearer = dot(apart, way) < -PARALLEL * sqrt(square * far);
        return select(NO_TOUCH, 0.0, in_plane || nearer);
    }
    let across = cross(it.b - it.a, it.c - it.a);
    let normal = across * (1.0 / sqrt(dot(across, across)));
    let above = dot(normal, p - it.a);
    // From the starting side, the face is `height` away and approaches by `sink`.
    let height = abs(above);
    let side = select(normal, -normal, above < 0.0);
    let sink = -dot(side, way);
    if height > radius {
        if sink <= height - radius {
            // The plane would be touched first, but is out of reach.
            return NO_TOUCH;
        }
        let share = (height - radius) / sink;
        let foot = p + way * share - side * radius;
        if beside(it.a, it.b, across, foot) && beside(it.b, it.c, across, foot) && beside(it.c, it.a, across, foot) {
            return share;
        }
    }
    var first = NO_TOUCH;
    var start = it.c;
    var end = it.a;
    for (var k = 0u; k < 3u; k++) {
        first = min(first, sweep_to_edge(start, end, p, way, radius));
        first = min(first, sweep_to_point(p - end, way, radius));
        start = end;
        end = select(it.b, it.c, k == 1u);
    }
    return first;
}

// Whether a point of the plane is on the inner side of an edge.
fn beside(start: vec3<f32>, end: vec3<f32>, across: vec3<f32>, p: vec3<f32>) -> bool {
    return dot(cross(end - start, p - start), across) >= 0.0;
}

// Contact with the cylinder around an edge; its ends belong to the corners.
fn sweep_to_edge(start: vec3<f32>, end: vec3<f32>, p: vec3<f32>, way: vec3<f32>, radius: f32) -> f32 {
    let edge = end - start;
    let square = dot(edge, edge);
    let m = p - start;
    let share = sweep_to_point(m - edge * (dot(m, edge) / square), way - edge * (dot(way, edge) / square), radius);
    let along = dot(p + way * share - start, edge);
    return select(NO_TOUCH, share, along >= 0.0 && along <= square);
}

// Fraction at which a point that starts at `m` and moves by `way` comes within `radius` of the origin. Uses the closest
// point of the line: the terms of the usual quadratic would cancel for a sphere small relative to its motion.
fn sweep_to_point(m: vec3<f32>, way: vec3<f32>, radius: f32) -> f32 {
    let square = dot(way, way);
    if !(square > 0.0) {
        return NO_TOUCH;
    }
    let closest = -dot(m, way) / square;
    let q = m + way * closest;
    let chord = radius * radius - dot(q, q);
    if !(closest > 0.0 && chord >= 0.0) {
        return NO_TOUCH;
    }
    // A start outside only by rounding is a contact at once.
    let share = max(closest - sqrt(chord / square), 0.0);
    return select(NO_TOUCH, share, share <= 1.0);
}
