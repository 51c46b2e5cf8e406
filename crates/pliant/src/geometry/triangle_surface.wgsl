// Twin of surface.rs and bvh.rs; needs triangle.wgsl. Tables, in vectors from `t` on: lowest corner of the box around it
// and least radius; highest corner; nodes, where triangles start, where planes of a hull start, their number; then nodes
// of the tree, two vectors each: lowest corner and first triangle or second child, highest corner and triangles of a leaf;
// then triangles, a vector for each corner; then planes.

// Farther than anything is [m].
const FAR_AWAY: f32 = 1e18;
// A triangle or node that is not there.
const NOTHING: u32 = 0xffffffffu;
// The tree is balanced, with leaves of up to four: 31 levels would be 2³² triangles.
const TREE_LEVELS: u32 = 32u;
// As in surface.rs.
const SWEPT: f32 = 0.99;
const SLACK: f32 = 1.00001;
const MOST_SLIDES: u32 = 4u;
const MOST_ROUNDS: u32 = 4u;

// What a walk looks for: the triangle that is nearest to `p`, or the one that a ball of `radius` first touches that moves
// from there by `way`.
struct Question { p: vec3<f32>, way: vec3<f32>, radius: f32, sweeps: bool }

// The triangle; the way from there to `p`, or the share of the way in its first component.
struct Answer { number: u32, found: vec3<f32> }

// The nearest point of a surface: how far it is [m], and the unit vector from it.
struct Near { found: bool, distance: f32, normal: vec3<f32> }

// First touch of a moving ball: share of the way, NO_TOUCH if there is none; and the triangle.
struct Hit { share: f32, number: u32 }

// Where a ball ends that was to move past a surface, and whether the surface had a say.
struct Slide { place: vec3<f32>, touched: bool }

fn surface_radius(t: u32, radius: f32) -> f32 {
    return max(radius, solid_vector(t).w);
}

fn surface_triangle(t: u32, first: u32, number: u32) -> Triangle {
    let at = t + first + 3u * number;
    return Triangle(solid_vector(at).xyz, solid_vector(at + 1u).xyz, solid_vector(at + 2u).xyz);
}

// How far a box is: the square of its distance, or the share of the way after which the ball may be in it.
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
    // Rounding of the two must not lose what is touched at one point only.
    return select(FAR_AWAY, first, first <= last * 1.00001 + 1e-6);
}

// Walks to all leaves that may hold something less than `limit` away, nearer children first. Every node is seen once at
// most, so it ends whatever the numbers are.
fn surface_walk(t: u32, q: Question, limit: f32) -> Answer {
    let head = solid_words(t + 2u);
    let reach = q.radius * 1.0001 + solid_vector(t).w;
    var answer = Answer(NOTHING, vec3<f32>(0.0));
    var stack: array<vec2<u32>, TREE_LEVELS>;
    var top = 0u;
    // Boxes are looked into that are farther than the nearest triangle by a factor of the square: rounding.
    var least = limit;
    var best = select(limit * SLACK, limit, q.sweeps);
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
                    best = square * SLACK;
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

// The nearest point, if it is nearer than `limit`.
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

// First touch of a ball of `radius` that moves from `p` by `way`. One at the very end counts too.
fn surface_sweep(t: u32, p: vec3<f32>, way: vec3<f32>, radius: f32) -> Hit {
    let answer = surface_walk(t, Question(p, way, radius, true), 1.0000001);
    return Hit(select(answer.found.x, NO_TOUCH, answer.number == NOTHING), answer.number);
}

// Unit normal of a touch, toward the ball, which is at `there`.
fn surface_touched(t: u32, hit: Hit, there: vec3<f32>, way: vec3<f32>, radius: f32) -> vec3<f32> {
    // The nearest of all, as neighbors are touched at the same time but for rounding.
    let near = surface_nearest(t, there, 2.0 * radius);
    if near.found && near.distance > 1e-12 {
        return near.normal;
    }
    // In the plane itself: the side that it comes from.
    let flat_normal = surface_normal(t, hit.number);
    return select(flat_normal, -flat_normal, dot(flat_normal, way) > 0.0);
}

// Where a ball of `radius` ends that goes from `begin` to `to` without crossing the surface: it stops where it touches,
// slides on with what is left of its way, and ends outside, however far the way is (S17: time of impact). Every piece of
// the way is swept, so its center never gets to the other side.
fn surface_slide(t: u32, begin: vec3<f32>, to: vec3<f32>, radius: f32) -> Slide {
    var place = begin;
    var left = to - begin;
    var touched = false;
    var walls: array<vec3<f32>, MOST_SLIDES>;
    for (var k = 0u; k < MOST_SLIDES; k++) {
        // Smaller after every touch: what it slides along is not touched again.
        let swept = radius * (1.0 - f32(k + 1u) * (1.0 - SWEPT));
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
    // What is left after the last wall is given up: it stays where it is free.
    return surface_out(t, place, radius, touched);
}

// Moves a ball out of what it still touches at `place`, if it does.
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
        // Between two sheets closer than its diameter a ball stays where it is.
        let small = near.distance * SWEPT;
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

// The way out for a ball that is inside at `p`: nothing where it is not.
fn surface_way_out(t: u32, p: vec3<f32>, radius: f32) -> vec3<f32> {
    return surface_out(t, p, surface_radius(t, radius), false).place - p;
}

// The farthest that a ball gets straight from `begin` to `end`, as a share of the way.
fn surface_straight(t: u32, begin: vec3<f32>, end: vec3<f32>, radius: f32) -> f32 {
    return min(surface_sweep(t, begin, end - begin, radius * SWEPT).share, 1.0);
}

fn goes_into(v: vec3<f32>, wall: vec3<f32>) -> bool {
    return dot(v, wall) < -1e-6 * sqrt(dot(v, v));
}

// What is left of a way that goes into none of the walls up to number `k`: along the last one, or along the crease with
// another, or nothing in a corner of three.
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
