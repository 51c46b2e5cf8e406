// WGSL version of triangle_surface.rs and bvh.rs; needs triangle.wgsl. Tables, in vec4 elements from `t` on: lowest
// corner of the bounding box and minimum radius; highest corner; number of nodes, start of the triangles, start and
// number of the planes of a hull; nodes of the tree, two elements each: lowest corner and first triangle or second
// child, highest corner and triangles of a leaf; triangles, one element per corner; planes.

// Beyond any distance [m].
const FAR_AWAY: f32 = 1e18;
// No triangle or node.
const NOTHING: u32 = 0xffffffffu;
// The tree is balanced, with leaves of up to four: 31 levels would be 2³² triangles.
const TREE_LEVELS: u32 = 32u;

// A query: the triangle nearest to `p`, or the first that a sphere of `radius` touches when moving
// from there by `way`.
struct Question { p: vec3<f32>, way: vec3<f32>, radius: f32, sweeps: bool }

// The triangle; the vector from there to `p`, or the fraction of the motion in its first component.
struct Answer { number: u32, found: vec3<f32> }

// The nearest point of a surface: distance [m], and the unit vector from it.
struct Near { found: bool, distance: f32, normal: vec3<f32> }

// First contact of a moving sphere: fraction of the motion, or NO_TOUCH; and the triangle.
struct Hit { share: f32, number: u32 }

// End of a motion along a surface, and whether the surface was touched.
struct Slide { place: vec3<f32>, touched: bool }

fn surface_radius(t: u32, radius: f32) -> f32 {
    return max(radius, solid_vector(t).w);
}

fn surface_triangle(t: u32, first: u32, number: u32) -> Triangle {
    let at = t + first + 3u * number;
    return Triangle(solid_vector(at).xyz, solid_vector(at + 1u).xyz, solid_vector(at + 2u).xyz);
}

// Squared distance of a box, or the fraction of the motion after which the sphere may be in it.
fn surface_box(q: Question, low: vec3<f32>, high: vec3<f32>, reach: f32) -> f32 {
    if !q.sweeps {
        let away = q.p - clamp(q.p, low, high);
        return dot(away, away);
    }
    var first = 0.0;
    var last = FAR_AWAY;
    for (var k = 0u; k < 3u; k++) {
        let enter = low[k] - reach - q.p[k];
        let leave = high[k] + reach - q.p[k];
        if abs(q.way[k]) > 1e-30 {
            let a = enter / q.way[k];
            let b = leave / q.way[k];
            first = max(first, min(a, b));
            last = min(last, max(a, b));
        } else if enter > 0.0 || leave < 0.0 {
            return FAR_AWAY;
        }
    }
    // Rounding of the two must not lose a contact at a single point.
    return select(FAR_AWAY, first, first <= last * 1.00001 + 1e-6);
}

// Visits all leaves that may contain something closer than `limit`, nearer children first. Every node is visited at
// most once, so it terminates for any input.
fn surface_walk(t: u32, q: Question, limit: f32) -> Answer {
    let head = solid_words(t + 2u);
    let reach = q.radius * 1.0001 + solid_vector(t).w;
    var answer = Answer(NOTHING, vec3<f32>(0.0));
    var stack: array<vec2<u32>, TREE_LEVELS>;
    var top = 0u;
    // Boxes slightly beyond the nearest triangle are visited, too: rounding.
    var least = limit;
    var best = select(limit * BOX_SLACK, limit, q.sweeps);
    var node = select(NOTHING, 0u, head.x > 0u);
    while node != NOTHING {
        let at = t + 3u + 2u * node;
        let start = solid_words(at).w;
        let count = solid_words(at + 1u).w;
        var next = NOTHING;
        for (var i = start; i < start + count; i++) {
            let it = surface_triangle(t, head.y, i);
            if q.sweeps {
                let share = sweep_to_triangle(it, q.p, q.way, q.radius);
                if share < best {
                    best = share;
                    answer = Answer(i, vec3<f32>(share));
                }
            } else {
                let foot = nearest_on_triangle(it, q.p);
                let square = dot(foot.away, foot.away) * foot.rank;
                if square < least {
                    least = square;
                    best = square * BOX_SLACK;
                    answer = Answer(i, foot.away);
                }
            }
        }
        if count == 0u {
            let left = at + 2u;
            let right = t + 3u + 2u * start;
            let near = surface_box(q, solid_vector(left).xyz, solid_vector(left + 1u).xyz, reach);
            let far = surface_box(q, solid_vector(right).xyz, solid_vector(right + 1u).xyz, reach);
            let turned = far < near;
            if max(near, far) < best {
                stack[top] = vec2<u32>(select(start, node + 1u, turned), bitcast<u32>(max(near, far)));
                top++;
            }
            if min(near, far) < best {
                next = select(node + 1u, start, turned);
            }
        }
        while next == NOTHING && top > 0u {
            top--;
            if bitcast<f32>(stack[top].y) < best {
                next = stack[top].x;
            }
        }
        node = next;
    }
    return answer;
}

// The nearest point, if it is closer than `limit`.
fn surface_nearest(t: u32, p: vec3<f32>, limit: f32) -> Near {
    let answer = surface_walk(t, Question(p, vec3<f32>(0.0), 0.0, false), limit * limit);
    if answer.number == NOTHING {
        return Near(false, limit, vec3<f32>(0.0, 1.0, 0.0));
    }
    let far = sqrt(dot(answer.found, answer.found));
    if far > 1e-12 {
        return Near(true, far, answer.found / far);
    }
    return Near(true, far, surface_normal(t, answer.number));
}

fn surface_normal(t: u32, number: u32) -> vec3<f32> {
    let it = surface_triangle(t, solid_words(t + 2u).y, number);
    let across = cross(it.b - it.a, it.c - it.a);
    let size = sqrt(dot(across, across));
    if size > 1e-30 {
        return across / size;
    }
    return vec3<f32>(0.0, 1.0, 0.0);
}

// First contact of a sphere of `radius` that moves from `p` by `way`. One exactly at the end counts, too.
fn surface_sweep(t: u32, p: vec3<f32>, way: vec3<f32>, radius: f32) -> Hit {
    let answer = surface_walk(t, Question(p, way, radius, true), 1.0000001);
    return Hit(select(answer.found.x, NO_TOUCH, answer.number == NOTHING), answer.number);
}

// Unit normal of a contact, toward the sphere, which is at `there`.
fn surface_touched(t: u32, hit: Hit, there: vec3<f32>, way: vec3<f32>, radius: f32) -> vec3<f32> {
    // Use the nearest of all: adjacent triangles are touched simultaneously up to rounding.
    let near = surface_nearest(t, there, 2.0 * radius);
    if near.found && near.distance > 1e-12 {
        return near.normal;
    }
    // In the plane itself: the side opposite to the motion.
    let flat_normal = surface_normal(t, hit.number);
    return select(flat_normal, -flat_normal, dot(flat_normal, way) > 0.0);
}

// Moves a sphere of `radius` from `begin` to `to` without crossing the surface: it stops at each contact,
// slides along with the remaining motion, and ends outside, however long the motion (S17: time of impact). Every part
// of the motion is swept, so the center never crosses the surface.
fn surface_slide(t: u32, begin: vec3<f32>, to: vec3<f32>, radius: f32) -> Slide {
    var place = begin;
    var left = to - begin;
    var touched = false;
    var walls: array<vec3<f32>, MOST_SLIDES>;
    for (var k = 0u; k < MOST_SLIDES; k++) {
        // Smaller after every contact: the surface it slides along is not touched again.
        let swept = radius * (1.0 - f32(k + 1u) * (1.0 - SWEPT_RADIUS));
        let hit = surface_sweep(t, place, left, swept);
        if hit.share == NO_TOUCH {
            place = select(to, place + left, touched);
            break;
        }
        touched = true;
        place += left * hit.share;
        walls[k] = surface_touched(t, hit, place, left, swept);
        left = along_walls(left * (1.0 - hit.share), walls, k);
    }
    // The motion remaining after the last contact is dropped: the sphere stays at a free position.
    return surface_out(t, place, radius, touched);
}

// Moves a sphere out of everything it still touches at `begin`.
fn surface_out(t: u32, begin: vec3<f32>, radius: f32, had: bool) -> Slide {
    var place = begin;
    var touched = had;
    for (var round = 0u; round < MOST_ROUNDS; round++) {
        let near = surface_nearest(t, place, radius);
        if !near.found {
            break;
        }
        touched = true;
        let way = near.normal * (radius - near.distance);
        // Between two sheets closer than its diameter a sphere stays where it is.
        let small = near.distance * SWEPT_RADIUS;
        var share = NO_TOUCH;
        if small > 0.0 {
            share = surface_sweep(t, place, way, small).share;
        }
        place += way * min(share, 1.0);
        if share != NO_TOUCH {
            break;
        }
    }
    return Slide(place, touched);
}

// Depenetration of a sphere at `p`; zero if it does not penetrate.
fn surface_depenetration(t: u32, p: vec3<f32>, radius: f32) -> vec3<f32> {
    return surface_out(t, p, surface_radius(t, radius), false).place - p;
}

// Free fraction of the straight motion of a sphere from `begin` to `end`.
fn surface_straight(t: u32, begin: vec3<f32>, end: vec3<f32>, radius: f32) -> f32 {
    return min(surface_sweep(t, begin, end - begin, radius * SWEPT_RADIUS).share, 1.0);
}

fn goes_into(v: vec3<f32>, wall: vec3<f32>) -> bool {
    return dot(v, wall) < -1e-6 * sqrt(dot(v, v));
}

// Component of a motion that enters none of the walls up to number `k`: along the last one, along the crease with
// another, or zero in a corner of three.
fn along_walls(way: vec3<f32>, walls: array<vec3<f32>, MOST_SLIDES>, k: u32) -> vec3<f32> {
    var all_walls = walls;
    let wall = all_walls[k];
    let along = way - wall * min(dot(way, wall), 0.0);
    var other = 0u;
    while other < k && !goes_into(along, all_walls[other]) {
        other++;
    }
    if other == k {
        return along;
    }
    let crease = cross(wall, all_walls[other]);
    let square = dot(crease, crease);
    if square < 1e-12 {
        return vec3<f32>(0.0);
    }
    let rest = crease * (dot(way, crease) / square);
    for (var n = 0u; n < k; n++) {
        if goes_into(rest, all_walls[n]) {
            return vec3<f32>(0.0);
        }
    }
    return rest;
}
