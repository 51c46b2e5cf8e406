//! Shape-matched bodies of particles.

use crate::support::{center, deepest, energy, mass, members, momentum, simulate};
use glam::DVec3;
use pliant::World;

/// Greatest change of a distance between members, over the largest distance.
fn bent(sim: &World, members: &[usize], rest: &[glam::Vec3]) -> f64 {
    let size = rest.iter().map(|p| p.distance(rest[0])).fold(0.0, f32::max);
    let mut worst = 0.0_f32;
    for (&i, p) in members.iter().zip(rest) {
        let now = sim.position(i).distance(sim.position(members[0]));
        worst = worst.max((now - p.distance(rest[0])).abs());
    }
    f64::from(worst / size)
}

#[test]
fn s19_a_rigid_box_falls_on_its_corner_and_keeps_its_shape() {
    let mut sim = simulate(
        "solver = { dt = 0.005, iterations = 8 }
         [[body]]\nname = \"box\"\nbox = [0.3, 0.2, 0.2]\ngrid = 6
         transform = { translate = [0, 0.5, 0], rotate = { axis = [1, 0, 1], degrees = 40 } }
         [[collider]]\nplane = {}\n",
    );
    let all = members(&sim, "box");
    let rest: Vec<_> = all.iter().map(|&i| sim.position(i)).collect();
    let mut worst = 0.0_f64;
    let (mut deep, mut least, mut gained) = (0.0_f32, f64::MAX, 0.0_f64);
    for _ in 0..400 {
        sim.step().unwrap();
        worst = worst.max(bent(&sim, &all, &rest));
        deep = all.iter().map(|&i| sim.state().radii[i] - sim.position(i).y).fold(deep, f32::max);
        let now = energy(&sim);
        (least, gained) = (least.min(now), gained.max((now - least) / least));
    }
    println!("{:.1} mm into the floor at most, energy grew by {gained:.1e}", 1e3 * deep);
    // At 2 m/s a step is 10 mm: the floor stops the body as a whole, by one corner of 144 particles.
    assert!(deep < 2e-3 && gained < 1e-3, "{deep} m deep, {gained} gained");
    let (middle, speed) = center(&sim, &all);
    println!("bent by {worst:.1e}; at rest {:.4} m high, {:.1e} m/s", middle.y, speed.length());
    assert!(worst < 1e-5, "bent by {worst}");
    // At rest on one of its faces.
    let on_a_face = [0.1, 0.15].iter().any(|h| (middle.y - h).abs() < 0.005);
    assert!(on_a_face && speed.length() < 0.01, "{middle:?} {speed:?}");
}

#[test]
fn s19_a_rigid_body_in_flight_keeps_its_momentum() {
    let mut sim = simulate(
        "solver = { dt = 0.002, iterations = 4, sleep_speed = 0 }\nworld = { gravity = [0, 0, 0], damping = 0, air_density = 0 }
         [[body]]\nname = \"ball\"\nbox = [0.3, 0.2, 0.1]\ngrid = 6\n",
    );
    let all = members(&sim, "ball");
    let (middle, _) = center(&sim, &all);
    // About the longest axis, which is stable.
    let spin = DVec3::new(0.0, 0.0, 6.0);
    for &i in &all {
        let v = spin.cross(sim.position(i).as_dvec3() - middle) + DVec3::X;
        sim.state_mut().velocities[i] = [v.x as f32, v.y as f32, v.z as f32, 0.0];
    }
    let angular = |sim: &World| {
        let (middle, speed) = center(sim, &all);
        let part = |&i: &usize| (sim.position(i).as_dvec3() - middle).cross(sim.velocity(i).as_dvec3() - speed);
        all.iter().map(part).sum::<DVec3>() / all.len() as f64
    };
    let (before, start) = (angular(&sim), center(&sim, &all));
    sim.advance(500).unwrap();
    let (after, end) = (angular(&sim), center(&sim, &all));
    let lost = (after - before).length() / before.length();
    println!(
        "a second of flight: center off by {:.1e} m, angular momentum by {lost:.1e}",
        (end.0 - start.0 - DVec3::X).length()
    );
    // Rounding of positions to 6e-8 m in four iterations of 500 steps.
    assert!((end.0 - start.0 - DVec3::X).length() < 2e-3 && (end.1 - start.1).length() < 2e-3);
    // Projection alone would lose 3.4 %: an angle φ per step becomes atan(sin φ) = φ(1 − φ²/2). What a free object has lost is
    // given back at the end of a substep.
    assert!(lost < 1e-5, "{lost} of the angular momentum is gone");
}

/// Speed down a slope after a second of sliding [m/s], started at rest; and how far it crept.
fn down_the_slope(degrees: f64, friction: f64) -> (f64, f64) {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (gx, gy) = (9.81 * sin, -9.81 * cos);
    let mut sim = simulate(&format!(
        "solver = {{ dt = 0.005, iterations = 10, sleep_speed = 0 }}\nworld = {{ gravity = [{gx}, {gy}, 0] }}
         [[body]]\nname = \"box\"\nbox = [0.3, 0.1, 0.3]\ngrid = 6\ntransform = {{ translate = [0, 0.05, 0] }}
         [[collider]]\nplane = {{}}\nfriction = {{ static = {friction}, kinetic = {friction} }}\n"
    ));
    let all = members(&sim, "box");
    sim.advance(20).unwrap();
    let start = center(&sim, &all);
    sim.advance(200).unwrap();
    let end = center(&sim, &all);
    (end.1.x - start.1.x, (end.0 - start.0).x)
}

#[test]
fn s18_s19_a_rigid_box_sticks_below_the_angle_of_friction_and_slides_above() {
    let friction = 0.5_f64;
    let limit = friction.atan().to_degrees();
    let (_, crept) = down_the_slope(limit - 0.5, friction);
    let steep = limit + 5.0;
    let (speed, _) = down_the_slope(steep, friction);
    let (sin, cos) = steep.to_radians().sin_cos();
    let expected = 9.81 * (sin - friction * cos);
    println!("half a degree below: {crept:.1e} m in a second; five above: {speed:.3} m/s, Coulomb says {expected:.3}");
    assert!(crept.abs() < 1e-6, "crept {crept} m");
    assert!((speed / expected - 1.0).abs() < 0.03, "{speed} m/s of {expected}");
}

#[test]
fn s20_a_plastic_ball_keeps_the_dent_and_a_softer_one_springs_back() {
    let flat = |extra: &str| {
        let mut sim = simulate(&format!(
            "solver = {{ dt = 0.005, iterations = 4 }}
             [[body]]\nname = \"ball\"\nball = 0.2\ngrid = 8\nrecovery = 0.08\n{extra}\ntransform = {{ translate = [0, 0.25, 0] }}\nvelocity = [0, -6, 0]
             [[collider]]\nplane = {{}}\n"
        ));
        let all = members(&sim, "ball");
        sim.advance(300).unwrap();
        let height = |i: &usize| sim.position(*i).y;
        let top = all.iter().map(height).fold(f32::MIN, f32::max);
        top - all.iter().map(height).fold(f32::MAX, f32::min)
    };
    let (springs, dented) = (flat(""), flat("plastic = { threshold = 0.02, creep = 50, most = 0.6 }"));
    println!("height afterwards {springs:.3} m, plastic {dented:.3} m");
    assert!(dented < 0.95 * springs, "{springs} m, {dented} m");
}

/// Two boxes that were put into each other by half, without gravity: particles alone would hold each other, for the
/// straight ways out of their neighbors add up to nothing (D4 Fig 4.3).
#[test]
fn s22_t12_overlapping_boxes_separate() {
    let mut sim = simulate(
        "solver = { dt = 0.005, iterations = 8, sleep_speed = 0 }\nworld = { gravity = [0, 0, 0], air_density = 0 }
         [[body]]\nname = \"a\"\nbox = [0.4, 0.4, 0.4]\ngrid = 10
         [[body]]\nname = \"b\"\nbox = [0.4, 0.4, 0.4]\ngrid = 10\ntransform = { translate = [0.2, 0.03, 0.01] }\n",
    );
    let (a, b) = (members(&sim, "a"), members(&sim, "b"));
    let mut fastest = 0.0_f64;
    for _ in 0..100 {
        sim.advance(1).unwrap();
        fastest = fastest.max(center(&sim, &a).1.length()).max(center(&sim, &b).1.length());
    }
    let apart = center(&sim, &b).0 - center(&sim, &a).0;
    let inside = deepest(&sim);
    println!(
        "boxes of 0.4 m are {apart:.3} m apart, {inside:.3} inside each other; they were {fastest:.2} m/s fast at most"
    );
    // Within the roughness of their surfaces, a radius on each side.
    assert!(apart.abs().max_element() > 0.4 - 0.04, "still in each other: {apart}");
    assert!(inside < 0.05, "{inside} of a diameter");
    // Stabilization separates them, with almost no velocity.
    assert!(fastest < 2.0, "thrown apart with {fastest} m/s");
    // They were at rest.
    let (sum, size) = momentum(&sim);
    assert!(sum.length() < 1e-4 * size, "{sum} of {size}");
}

/// In a plate one particle thick there is no shortest way out: grains on both sides of one flew off with 10 m/s.
#[test]
fn s22_a_plate_one_particle_thick_keeps_grains_on_their_sides() {
    for (turn, iterations) in [(0, 4), (0, 10), (45, 10)] {
        let mut sim = simulate(&format!(
            "solver = {{ dt = 0.005, substeps = 2, iterations = {iterations}, sleep_speed = 0 }}
             world = {{ gravity = [0, 0, 0], air_density = 0 }}
             [[body]]\nname = \"plate\"\nbox = [0.4, 0.04, 0.4]\ngrid = 10\ntransform = {{ rotate = {{ axis = [0, 1, 0], degrees = {turn} }} }}
             [[grains]]\nname = \"above\"\nradius = 0.02\nfill = {{ min = [-0.2, 0.02, -0.2], max = [0.2, 0.0601, 0.2] }}
             [[grains]]\nname = \"below\"\nradius = 0.02\nfill = {{ min = [-0.2, -0.0601, -0.2], max = [0.2, -0.02, 0.2] }}\n"
        ));
        sim.advance(40).unwrap();
        let fastest = sim.state().velocities.iter().map(|v| glam::Vec3::from_slice(v).length()).fold(0.0, f32::max);
        println!("turned by {turn}°, {iterations} iterations: {fastest:.3} m/s");
        // They begin off their lattice by a hundredth of a radius: 0.04 m/s in a step.
        assert!(fastest < 0.1, "turned by {turn}°, {iterations} iterations: {fastest} m/s");
        let (above, below) = (center(&sim, &members(&sim, "above")).0, center(&sim, &members(&sim, "below")).0);
        assert!(above.y > 0.039 && below.y < -0.039, "{above} {below}");
    }
}

/// A body begins a substep with the corrections of the last one; with a single iteration they must be corrected, too
/// (otherwise boxes sank through the floor as if in free fall).
#[test]
fn s10_s22_a_box_lies_on_the_floor_with_any_number_of_iterations() {
    for (iterations, grid, whole) in [(1, 4, true), (1, 8, true), (1, 8, false), (2, 8, true), (3, 8, true)] {
        let mut sim = simulate(&format!(
            "solver = {{ dt = 0.005, substeps = 4, iterations = {iterations} }}\ncontact = {{ whole = {whole} }}
             [[body]]\nname = \"box\"\nbox = [0.4, 0.2, 0.4]\ngrid = {grid}\ntransform = {{ translate = [0, 0.11, 0] }}
             [[collider]]\nplane = {{}}\n"
        ));
        sim.advance(200).unwrap();
        let (place, velocity) = center(&sim, &members(&sim, "box"));
        println!(
            "{iterations} iterations, {grid} along, whole {whole}: at {:.4} m, {:.1e} m/s",
            place.y,
            velocity.length()
        );
        assert!((place.y - 0.1).abs() < 2e-3, "{iterations}, {grid}, {whole}: at {place}");
        assert!(velocity.length() < 0.02, "{iterations}, {grid}, {whole}: {velocity} m/s");
    }
}

#[test]
fn s10_attached_particles_do_not_collide_with_their_body() {
    // The rope ends inside the ball: contacts would push its last particles out, and the attachment pull them back in.
    let mut sim = simulate(
        "solver = { dt = 0.01, substeps = 4, iterations = 8 }
         [[rope]]\nname = \"cable\"\npath = [[-1.64, 2.9, 0], [0, 2.9, 0]]\nsegments = 20\ndensity = 2\nradius = 0.02
         pin = [{ at = \"end\" }]
         [[body]]\nname = \"ball\"\nball = 0.22\ngrid = 9\ndensity = 4000\ntransform = { translate = [-1.84, 2.9, 0] }
         [[attach]]\nfrom = { object = \"cable\", at = \"start\" }\nto = { object = \"ball\" }\n",
    );
    let (cable, ball) = (members(&sim, "cable"), members(&sim, "ball"));
    let start = energy(&sim);
    let mut most = 0.0_f64;
    for _ in 0..60 {
        sim.step().unwrap();
        most = most.max(energy(&sim) - start);
        let touching = sim.contact_pairs().into_iter().filter(|t| t.a.min(t.b) as usize == cable[0]);
        assert_eq!(touching.count(), 0, "the end of the rope touches the ball");
    }
    let fallen = 2.9 - center(&sim, &ball).0.y;
    let scale = 9.81 * fallen * ball.iter().map(|&i| mass(&sim, i)).sum::<f64>();
    println!("energy grew by {most:.2} J at most, of {scale:.0} J; the ball fell by {fallen:.3} m");
    assert!(fallen > 1.0 && most < 1e-3 * scale, "{most} J of {scale} J, {fallen} m");
}

#[test]
fn r06_a_body_that_begins_inside_a_collider_is_moved_out_of_it() {
    let boxes = |height: f64, kind: &str| {
        simulate(&format!(
            "[[body]]\nname = \"box\"\nbox = [0.4, 0.2, 0.4]\ngrid = 4\ntransform = {{ translate = [0, {height}, 0] }}
             {kind}\narray = {{ count = [3, 1, 1], spacing = [1, 0, 0] }}
             [[collider]]\nname = \"floor\"\nplane = {{}}\n"
        ))
    };
    assert!(boxes(0.1, "").model().notes.is_empty());
    for kind in ["", "recovery = 0.05"] {
        let mut sim = boxes(0.05, kind);
        assert_eq!(sim.model().notes, ["box begins 50.0 mm inside floor and is moved out of it"]);
        let all: Vec<usize> = (0..sim.particles()).collect();
        let start = center(&sim, &all).0.y;
        assert!((start - 0.1).abs() < 1e-6, "they begin with their middle {start} m high");
        let mut highest = start;
        for _ in 0..60 {
            sim.step().unwrap();
            highest = highest.max(center(&sim, &all).0.y);
        }
        println!("{kind}: rose by {:.1e} m", highest - start);
        assert!(highest - start < 1e-4, "rose by {} m", highest - start);
    }
}

#[test]
fn r06_s22_bodies_on_a_depenetrated_box_move_along() {
    let boxes = |name: &str, height: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nbox = [0.3, 0.3, 0.3]\ngrid = 6\ntransform = {{ translate = [0, {height}, 0] }}\n"
        )
    };
    // Two centimeters in the floor, with two more on it, and one beside them.
    let all = [boxes("high", 0.73), boxes("low", 0.13), boxes("middle", 0.43)].concat();
    let beside = all.replace("high", "alone").split("[[body]]").nth(1).unwrap().replace("[0, 0.73", "[0.5, 0.43");
    let mut sim = simulate(&format!("{all}[[body]]{beside}[[collider]]\nplane = {{}}\n"));
    assert_eq!(sim.model().notes.len(), 1, "{:?}", sim.model().notes);
    for (name, height) in [("low", 0.15), ("middle", 0.45), ("high", 0.75), ("alone", 0.43)] {
        let found = center(&sim, &members(&sim, name)).0.y;
        assert!((found - height).abs() < 1e-5, "{name} begins at {found} m");
    }
    let high = members(&sim, "high");
    let (mut top, mut fastest) = (0.0_f64, 0.0_f64);
    for _ in 0..200 {
        sim.step().unwrap();
        let (middle, speed) = center(&sim, &high);
        (top, fastest) = (top.max(middle.y), fastest.max(speed.length()));
    }
    let rest = center(&sim, &high).0.y;
    println!("rises to {top:.4} m with {fastest:.3} m/s at most, and rests at {rest:.4} m");
    assert!((rest - 0.75).abs() < 1e-3 && top < 0.751 && fastest < 0.05, "{rest} m, {top} m, {fastest} m/s");
}

#[test]
fn s18_s22_cohesive_rigid_boxes_stay_together_and_conserve_momentum() {
    // Two boxes side by side, of which the heavier is pulled away.
    let apart = |cohesion: f64| {
        let body = |name: &str, x: f64, more: &str| {
            format!(
                "[[body]]\nname = \"{name}\"\nbox = [0.2, 0.2, 0.2]\ngrid = 6\n{more}\ntransform = {{ translate = [{x}, 0, 0] }}\n"
            )
        };
        let both = [body("a", -0.1, ""), body("b", 0.1, "density = 3000\nvelocity = [0.02, 0, 0]")].concat();
        let mut sim = simulate(&format!(
            "solver = {{ dt = 0.005, iterations = 10 }}\nworld = {{ gravity = [0, 0, 0], air_density = 0 }}
             contact = {{ cohesion = {cohesion} }}\n{both}"
        ));
        let (a, b) = (members(&sim, "a"), members(&sim, "b"));
        let before = momentum(&sim).0;
        sim.advance(200).unwrap();
        let all: f64 = (0..sim.particles()).map(|i| mass(&sim, i)).sum();
        let drift = (momentum(&sim).0 - before).length() / all;
        let gap = center(&sim, &b).0.x - center(&sim, &a).0.x - 0.2;
        println!("{cohesion} J/m²: {:.3} mm apart after a second, {drift:.1e} m/s from nowhere", 1e3 * gap);
        // A last bit of 0.2 m in 5 ms is 3e-6 m/s.
        assert!(drift < 1e-5, "{drift} m/s");
        gap
    };
    assert!((apart(0.0) - 0.02).abs() < 1e-4);
    assert!(apart(50.0).abs() < 1e-3);
}

#[test]
fn r06_a_body_in_a_corner_is_depenetrated_and_a_stuck_one_is_noted() {
    let notes_and_lowest = |walls: &str| {
        let sim = simulate(&format!(
            "[[body]]\nname = \"box\"\nbox = [0.4, 0.4, 0.4]\ngrid = 4
             transform = {{ rotate = {{ axis = [1, 2, 3], degrees = 20 }}, translate = [0.1, 0.1, 0.1] }}\n{walls}"
        ));
        let place = |i| sim.position(i) - glam::Vec3::splat(sim.state().radii[i]);
        (sim.model().notes.clone(), (0..sim.particles()).map(place).reduce(glam::Vec3::min).unwrap())
    };
    let wall = |name: &str, normal: &str, offset: f32| {
        format!("[[collider]]\nname = \"{name}\"\nplane = {{ normal = {normal}, offset = {offset} }}\n")
    };
    let corner = [wall("floor", "[0, 1, 0]", 0.0), wall("left", "[1, 0, 0]", 0.0), wall("back", "[0, 0, 1]", 0.0)];
    let (notes, low) = notes_and_lowest(&corner.concat());
    println!("{notes:?}, lowest {low}");
    assert!(notes.len() == 1 && notes[0].ends_with("is moved out of it"), "{notes:?}");
    assert!(low.min_element() > -0.05 * 0.05 && low.max_element() < 0.05 * 0.05, "{low}");
    // Without a free position it stays where it was.
    let (before, after) = (notes_and_lowest("").1, [corner[1].clone(), wall("right", "[-1, 0, 0]", -0.2)].concat());
    let (notes, there) = notes_and_lowest(&after);
    assert!(notes.len() == 1 && notes[0].ends_with("finds no place beside it, and will be thrown out"), "{notes:?}");
    assert_eq!(there, before);
}
