//! Pressure by projection of velocities: waves, rest, momentum, determinism, and where it is used.

use crate::rng::Rng;
use crate::support::{compression, frictionless, momentum, same_bits_everywhere, simulate, tank};
use glam::{DVec3, Vec3};
use pliant::World;
use pliant::fluid::boundary::solid_share;
use pliant::fluid::projection::{add_outer, correction, times};
use pliant::fluid::sph_kernels::Smoothing;

/// Mean of positions along an axis [m].
fn mean(sim: &World, axis: usize) -> f64 {
    sim.state().rows.iter().map(|row| f64::from(row[axis])).sum::<f64>() / sim.particles() as f64
}

/// Root mean square of speeds [m/s].
fn rms(sim: &World) -> f64 {
    let sum: f64 = (0..sim.particles()).map(|i| f64::from(sim.velocity(i).length_squared())).sum();
    (sum / sim.particles() as f64).sqrt()
}

#[test]
fn s23_a_small_wave_keeps_half_of_its_amplitude_over_four_periods() {
    let (width, depth) = (0.6_f64, 0.25_f64);
    let k = std::f64::consts::PI / width;
    let period = std::f64::consts::TAU / (9.81 * k * (k * depth).tanh()).sqrt();
    let share = |method: &str| {
        let mut sim = simulate(&format!(
            r#"
            fluid = {{ radius = 0.0125, method = "{method}" }}
            [[liquid]]
            fill = {{ min = [0, 0, 0], max = [0.3, 0.275, 0.1] }}
            [[liquid]]
            fill = {{ min = [0.3, 0, 0], max = [0.6, 0.225, 0.1] }}
            {}"#,
            frictionless(&tank([0.0; 3], [width as f32, 1.0, 0.1]))
        ));
        let window = (period / 0.01) as usize;
        let mut places = Vec::new();
        for _ in 0..(5.6 * window as f64) as usize {
            sim.advance(1).unwrap();
            places.push(mean(&sim, 0));
        }
        let range = |from: f64| {
            let from = (from * window as f64) as usize;
            let part = &places[from..from + window];
            part.iter().fold(f64::MIN, |a, &b| a.max(b)) - part.iter().fold(f64::MAX, |a, &b| a.min(b))
        };
        range(4.5) / range(0.5)
    };
    let (projection, density) = (share("auto"), share("density"));
    println!("share left: {projection:.2}, with density constraints {density:.2}");
    assert!(projection > 0.52, "{projection} of the amplitude is left");
    assert!(density < 0.5 * projection, "density constraints keep {density}");
}

#[test]
fn s23_water_at_rest_holds_its_level_and_its_pressure_is_hydrostatic() {
    let walls = tank([0.0; 3], [0.3, 1.0, 0.2]);
    let mut sim = simulate(&format!(
        "fluid = {{ radius = 0.0125 }}\n[[liquid]]\nfill = {{ min = [0, 0, 0], max = [0.3, 0.3, 0.2] }}\n{walls}"
    ));
    sim.advance(300).unwrap();
    let (level, speed, (packed, most)) = (mean(&sim, 1), rms(&sim), compression(&sim));
    println!("mean height {level:.4} m, rms speed {speed:.4} m/s, compression {packed:.4}, at most {most:.4}");
    assert!((level / 0.15 - 1.0).abs() < 0.02, "mean height {level} m");
    assert!(speed < 0.03, "rms speed {speed} m/s");
    assert!(packed < 0.01, "compression {packed}");
    // Slope of pressure by depth, by least squares over all particles and 20 steps.
    let (mut n, mut y1, mut p1, mut yy, mut yp) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for _ in 0..20 {
        sim.advance(1).unwrap();
        for (row, p) in sim.state().rows.iter().zip(sim.pressures()) {
            let (y, p) = (f64::from(row[1]), f64::from(p));
            (n, y1, p1, yy, yp) = (n + 1.0, y1 + y, p1 + p, yy + y * y, yp + y * p);
        }
    }
    let slope = (n * yp - y1 * p1) / (n * yy - y1 * y1);
    println!("pressure falls by {:.0} Pa/m", -slope);
    assert!((slope / -9810.0 - 1.0).abs() < 0.1, "slope of pressure {slope} Pa/m");
}

/// Two drops that fly at each other.
const DROPS: &str = r#"
    world = { gravity = [0, 0, 0], damping = 0, air_density = 0 }
    fluid = { radius = 0.02 }
    [[liquid]]
    fill = { min = [-0.3, 0, 0], max = [-0.06, 0.24, 0.24] }
    velocity = [1, 0, 0]
    [[liquid]]
    fill = { min = [0.06, 0.05, 0], max = [0.3, 0.29, 0.24] }
    velocity = [-1, 0, 0]
    [[collider]]
    plane = { offset = -50 }
"#;

#[test]
fn s23_drops_that_collide_keep_momentum_and_lose_energy() {
    let mut sim = simulate(DROPS);
    let (before, size) = momentum(&sim);
    let spin = |sim: &World| {
        let state = sim.state();
        let each = (0..sim.particles()).map(|i| {
            let x = Vec3::from_slice(&state.rows[i][..3]).as_dvec3();
            x.cross(sim.velocity(i).as_dvec3()) / f64::from(state.rows[i][3])
        });
        each.sum::<DVec3>()
    };
    let (turning, mut last) = (spin(&sim), f64::INFINITY);
    for _ in 0..8 {
        sim.advance(5).unwrap();
        let off = (momentum(&sim).0 - before).length() / size;
        let turned = (spin(&sim) - turning).length() / (size * 0.3);
        let energy = rms(&sim);
        println!("{:.2} s: off by {off:.1e}, turned by {turned:.1e}, rms speed {energy:.3} m/s", sim.time());
        assert!(off < 1e-5, "momentum is off by {off:e}");
        assert!(turned < 0.02, "angular momentum is off by {turned:e}");
        assert!(energy <= last * 1.001, "rms speed {energy} after {last}");
        last = energy;
    }
}

#[test]
fn r01_r02_projection_gives_the_same_bits_on_any_number_of_threads_and_lanes() {
    let text = format!(
        "fluid = {{ radius = 0.02 }}\n[[liquid]]\nfill = {{ min = [0, 0, 0], max = [0.3, 0.3, 0.2] }}\n{}",
        tank([0.0; 3], [0.6, 1.0, 0.2])
    );
    same_bits_everywhere(&text, 15);
}

#[test]
fn projection_is_used_where_it_can_be_and_a_note_says_where_it_cannot() {
    let liquid = "[[liquid]]\nfill = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }\n[[collider]]\nplane = {}\n";
    let body = "[[body]]\nbox = [0.1, 0.1, 0.1]\ntransform = { translate = [0, 1, 0] }\n";
    let projects = |text: &str| simulate(text).model().fluid.as_ref().unwrap().projects;
    let notes = |text: &str| simulate(text).model().notes.iter().filter(|n| n.contains("projection")).count();
    assert!(projects(liquid));
    assert!(projects(&format!("{liquid}{body}")));
    let grains = "[[grains]]\nradius = 0.05\nfill = { min = [0, 1, 0], max = [0.2, 1.2, 0.2] }\n";
    assert!(!projects(&format!("{liquid}{grains}")), "other particles are coupled by density constraints");
    assert!(!projects(&format!("solver = {{ substeps = 2, iterations = 2 }}\n{liquid}")), "settings that were tuned");
    assert!(!projects(&format!("fluid = {{ method = \"density\" }}\n{liquid}")));
    let chosen = "fluid = { method = \"projection\" }\n";
    assert!(projects(&format!("{chosen}solver = {{ substeps = 2, iterations = 2 }}\n{liquid}")));
    assert_eq!(notes(&format!("{chosen}{liquid}{grains}")), 1);
    assert_eq!(notes(&format!("{liquid}{grains}")), 0);
}

#[test]
fn s23_corrected_gradients_are_exact_for_linear_fields_beside_a_wall() {
    let mut rng = Rng::of(7);
    let mut random = |size: f64| Vec3::from_array([(); 3].map(|()| rng.range(-size, size) as f32));
    let (smoothing, reach, volume, normal) = (Smoothing::Cubic, 1.0_f32, 0.1, Vec3::Y);
    for sample in 0..40 {
        let distance = 0.15 + 0.01 * sample as f32;
        // The wall is at y = −distance and stands still: the field has no normal part there.
        let (along, across) = ([random(1.0), random(1.0)], random(1.0).y);
        let field =
            |x: Vec3| Vec3::new(along[0].x * x.x + along[0].z * x.z, across * (x.y + distance), along[1].dot(x));
        let (share, rate) = solid_share(smoothing, reach, distance, 0.0);
        let moment = share - distance * rate;
        let neighbors: Vec<Vec3> =
            (0..400).map(|_| random(1.0)).filter(|x| x.length() < reach && x.y > -distance).take(60).collect();
        let slope = |x: Vec3| -smoothing.at(reach, x.length_squared()).1 * volume;
        let mut moments = [0.0; 6];
        neighbors.iter().for_each(|&x| add_outer(&mut moments, x, slope(x)));
        add_outer(&mut moments, normal, moment);
        let l = correction(moments);
        let own = field(Vec3::ZERO);
        let pairs = neighbors.iter().map(|&x| (field(x) - own).dot(times(l, x)) * slope(x));
        let wall = moment / distance * normal.dot(times(l, normal)) * own.dot(normal);
        // What the wall does not continue is the shear along its normal, by the off-diagonal part of L.
        let shear = moment * along[1].y * normal.dot(times(l, Vec3::Z));
        let (found, exact) = (pairs.sum::<f32>() + wall + shear, along[0].x + across + along[1].z);
        assert!((found - exact).abs() < 1e-3, "divergence {found}, exact {exact}");
    }
}
