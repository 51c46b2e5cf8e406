//! Spray, foam and bubbles of synthetic flows with known results.
#![allow(missing_docs, reason = "a test")]

use glam::{Quat, Vec3};
use pliant::builder::NoMeshes;
use pliant::contact::collider_contact::{ColliderShape, Friction, MovingCollider};
use pliant::math::Pose;
use pliant::math::RowData;
use pliant::neighbors::{Cloud, Finder, Pairs, Search};
use pliant::scene::{FoamSpec, Format, Scene};
use pliant::{Options, Threads, World};
use pliant_foam::{
    Advection, DiffuseKind, DiffuseParticle, Foam, FoamCounts, FoamSettings, LiquidState, Potential, PotentialLimits,
    SceneScale, potentials,
};

const RADIUS: f32 = 0.02;
const REACH: f32 = 0.08;
const LIMITS: PotentialLimits = PotentialLimits { radius: RADIUS, reach: REACH, min_speed: 0.9, max_speed: 4.5 };
const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

/// A synthetic liquid.
struct Flow {
    rows: Vec<RowData>,
    velocities: Vec<RowData>,
}

impl Flow {
    fn new(places: Vec<Vec3>, velocity: impl Fn(Vec3) -> Vec3) -> Self {
        let row = |p: Vec3| p.extend(0.0).to_array();
        let velocities = places.iter().map(|&p| row(velocity(p))).collect();
        Self { rows: places.into_iter().map(row).collect(), velocities }
    }

    fn liquid(&self) -> LiquidState<'_> {
        LiquidState { rows: &self.rows, velocities: &self.velocities }
    }

    fn potentials(&self, walls: &[MovingCollider]) -> Vec<Potential> {
        let threads = Threads::new(1).unwrap();
        let mut finder = Finder::new(Search::Grid);
        let radii = vec![0.0; self.rows.len()];
        let cloud = Cloud { rows: &self.rows, radii: &radii, phases: &[] };
        let near = finder.find(&threads, cloud, REACH, Pairs::Both);
        potentials(&threads, &self.rows, &self.velocities, near, walls, &LIMITS)
    }

    fn total_generation(&self) -> f32 {
        self.potentials(&[]).iter().map(|p| p.generation).sum()
    }
}

/// A lattice with a spacing of two radii, its lowest corner at the origin.
fn block(counts: [i32; 3]) -> Vec<Vec3> {
    let [nx, ny, nz] = counts;
    let at = |i: i32| (i as f32 + 0.5) * 2.0 * RADIUS;
    let all = (0..nx).flat_map(|x| (0..ny).flat_map(move |y| (0..nz).map(move |z| Vec3::new(at(x), at(y), at(z)))));
    all.collect()
}

fn settings(rate: f32, most: usize) -> FoamSettings {
    let bounds = [Vec3::splat(-10.0), Vec3::splat(10.0)];
    let scale = SceneScale { limits: LIMITS, gravity: GRAVITY, bounds };
    FoamSettings { scale, rate, lifetime: [0.5, 1.5], most }
}

fn one() -> Threads {
    Threads::new(1).unwrap()
}

fn floor(height: f32) -> MovingCollider {
    let pose = Pose { position: Vec3::Y * height, rotation: Quat::IDENTITY };
    MovingCollider {
        shape: ColliderShape::Plane,
        before: pose,
        after: pose,
        friction: Friction { static_friction: 0.0, kinetic_friction: 0.0 },
    }
}

/// Two blocks, three layers deep each, that collide at a plane with a relative speed of 4 m/s.
fn collision() -> Flow {
    let middle = 6.0 * RADIUS;
    Flow::new(block([12, 6, 12]), |p| if p.y < middle { Vec3::Y * 2.0 } else { Vec3::Y * -2.0 })
}

#[test]
fn rigid_motion_generates_nothing() {
    let center = Vec3::splat(0.16);
    let spin = Vec3::new(3.0, 20.0, -8.0);
    let (none, aslant) = (Vec3::ZERO, Vec3::new(-3.0, -3.0, 2.0));
    for (name, shift, spin) in
        [("still", none, none), ("up", Vec3::Y * 6.0, none), ("aslant", aslant, none), ("around", none, spin)]
    {
        let flow = Flow::new(block([8, 8, 8]), |p| shift + spin.cross(p - center));
        let found = flow.potentials(&[]);
        let fastest = found.iter().map(|p| p.speed).fold(0.0, f32::max);
        assert!(name == "still" || fastest > LIMITS.min_speed, "{name}: {fastest}");
        // Along the line between two particles, rounding leaves 1e-6 of velocities of 6 m/s.
        assert!(found.iter().all(|p| p.approach_speed < 2e-5 && p.separation_speed < 2e-5), "{name}");
        assert!(flow.total_generation() < 1e-3, "{name}: {}", flow.total_generation());
    }
}

#[test]
fn small_waves_generate_nothing() {
    // Waves 5 cm high and 0.5 m long: 0.22 m/s at √(2πg/λ) = 11 1/s; the minimum speed is 0.9 m/s.
    let wave = |p: Vec3| {
        let decay = (12.6 * (p.y - 0.4)).exp() * 0.28;
        Vec3::new((12.6 * p.x).sin() * decay, (12.6 * p.x).cos() * decay, 0.0)
    };
    assert_eq!(Flow::new(block([25, 10, 10]), wave).total_generation(), 0.0);
}

#[test]
fn a_head_on_collision_generates_the_predicted_number() {
    let flow = collision();
    // Only the two layers at the plane have approaching neighbors. Over the neighbors across, with distance d in spacings and
    // number n: Σ n·(1 − d/2)/d = 0.5 + 4·0.20711 + 4·0.07735 = 1.63782 of the full weight 7.5872; times 4 · 4 m/s is 3.454.
    let closing = 4.0 * 1.63782 / 7.5872 * 4.0;
    let inside = |p: f32| (0.08..0.40).contains(&p);
    let mut met = 0;
    for (row, p) in flow.rows.iter().zip(flow.potentials(&[])).filter(|(r, _)| inside(r[0]) && inside(r[2])) {
        let wanted = if (row[1] - 0.12).abs() < 0.03 { closing } else { 0.0 };
        met += usize::from(wanted > 0.0);
        assert!((p.approach_speed - wanted).abs() < 1e-3, "{} at {}", p.approach_speed, row[1]);
    }
    assert_eq!(met, 2 * 8 * 8);
    // Kinetic energy (4 − 0.81)/(20.25 − 0.81), trapped air (3.454 − 0.9)/3.6: 0.1164 for each, except at the sides.
    let total = flow.total_generation();
    assert!((128.0 * 0.1164..288.0 * 0.1164).contains(&total), "{total}");
    let mut foam = Foam::new(settings(1000.0, 100_000));
    let counts = foam.advance(&one(), flow.liquid(), &[], 0.02);
    // Random rounding has a standard deviation of at most √(288)/2 = 8.5; the tolerance is four times that.
    let wanted = total * 1000.0 * 0.02;
    assert!((counts.generated as f32 - wanted).abs() < 34.0, "{} of {wanted}", counts.generated);
    assert_eq!((counts.spray + counts.foam + counts.bubbles, counts.rejected), (counts.generated, 0));
    // Twice the time generates twice as many.
    let twice = Foam::new(settings(1000.0, 100_000)).advance(&one(), flow.liquid(), &[], 0.04).generated;
    assert!((twice as f32 - 2.0 * wanted).abs() < 34.0, "{twice} of {}", 2.0 * wanted);
    // Separating sheets have no approach speed.
    let separating = Flow::new(block([12, 6, 12]), |p| if p.y < 0.12 { Vec3::Y * -2.0 } else { Vec3::Y * 2.0 });
    assert!(separating.potentials(&[]).iter().all(|p| p.approach_speed == 0.0));
}

/// A wave along z: half a cylinder of this radius, in shells of particles, on top of a wall of the same thickness.
fn ridge(radius: f32) -> Vec<Vec3> {
    let mut places = Vec::new();
    let mut row = |x: f32, y: f32| places.extend((0..14).map(|z| Vec3::new(x, y, z as f32 * 2.0 * RADIUS)));
    let shells = (radius / (2.0 * RADIUS)).round() as i32;
    for r in (0..=shells).map(|k| radius - k as f32 * 2.0 * RADIUS).filter(|r| *r > -1e-6) {
        // An even number, so that one particle is on top.
        let around = 2 * (std::f32::consts::PI * r / (4.0 * RADIUS)).round() as i32;
        for k in 0..=around {
            let (sine, cosine) = (std::f32::consts::PI * k as f32 / around.max(1) as f32).sin_cos();
            row(r * cosine, r * sine);
        }
        for k in 1..6 {
            row(r, k as f32 * -2.0 * RADIUS);
            if r > RADIUS / 2.0 {
                row(-r, k as f32 * -2.0 * RADIUS);
            }
        }
    }
    places
}

#[test]
fn a_stretching_crest_generates_spray_and_a_flat_surface_does_not() {
    let drawn = |p: Vec3| Vec3::Y * (3.0 + 20.0 * p.y);
    let on_top = |places: Vec<Vec3>, walls: &[MovingCollider]| {
        let top = places.iter().map(|p| p.y).fold(0.0, f32::max);
        let center = places.iter().sum::<Vec3>() / places.len() as f32;
        let flow = Flow::new(places, drawn);
        let near = |r: &RowData| r[1] > top - 0.2 * RADIUS && (r[0] - center.x).abs() + (r[2] - center.z).abs() < REACH;
        let found = flow.potentials(walls);
        let here: Vec<Potential> = flow.rows.iter().zip(found).filter(|(r, _)| near(r)).map(|(_, p)| p).collect();
        assert!(!here.is_empty());
        let n = here.len() as f32;
        (here.iter().map(|p| p.wave_crest).sum::<f32>() / n, here.iter().map(|p| p.generation).sum::<f32>() / n)
    };
    // Normals of the outermost shell are radial: the expected value is the weighted mean of 1 − cos over it, seen from the top.
    for over_reach in [0.5, 0.75] {
        let radius = over_reach * REACH;
        let places = ridge(radius);
        let top = Vec3::new(0.0, radius, 14.0 * RADIUS);
        let shell = |p: &&Vec3| p.y > -1e-6 && (p.x.hypot(p.y) - radius).abs() < 1e-6 && p.distance(top) < REACH;
        let (mut bent, mut all) = (0.0, 0.0);
        for p in places.iter().filter(shell) {
            let weight = 1.0 - p.distance(top) / REACH;
            (bent, all) = (bent + weight * (1.0 - p.y / radius), all + weight);
        }
        let (crest, share) = on_top(places, &[]);
        // Two and three particles across: normals at the foot of the arc are affected by the corner there.
        assert!((crest / (bent / all) - 1.0).abs() < 0.15, "R = {over_reach} reach: {crest}, {}", bent / all);
        // Shells are coarse, and denser than the surface of a lattice.
        let wave = 0.075 / (over_reach * over_reach);
        assert!((crest / wave - 1.0).abs() < 0.3, "R = {over_reach} reach: {crest}, {wave}");
        assert!(share > 0.0);
    }
    assert_eq!(on_top(ridge(2.0 * REACH), &[]), (0.0, 0.0));
    assert_eq!(on_top(block([12, 6, 12]), &[]), (0.0, 0.0));
    // Below a ceiling there is no crest.
    let mut ceiling = floor(0.06);
    let over = Quat::from_rotation_x(std::f32::consts::PI);
    (ceiling.before.rotation, ceiling.after.rotation) = (over, over);
    assert_eq!(on_top(ridge(0.5 * REACH), &[ceiling]).0, 0.0);
}

/// The given diffuse particles, with a generation rate of 0.
fn foam_of(particles: &[(Vec3, Vec3)]) -> Foam {
    let mut foam = Foam::new(settings(0.0, 100));
    for &(position, velocity) in particles {
        assert!(foam.add(DiffuseParticle { position, velocity, age: 0.0, lifetime: 1.0, kind: DiffuseKind::Spray }));
    }
    foam
}

#[test]
fn spray_follows_a_parabola() {
    let (x, v) = (Vec3::new(0.1, 0.5, 0.0), Vec3::new(2.0, 3.0, -1.0));
    let mut foam = foam_of(&[(x, v)]);
    let nothing = LiquidState { rows: &[], velocities: &[] };
    let threads = one();
    for _ in 0..40 {
        foam.advance(&threads, nothing, &[], 0.02);
    }
    let DiffuseParticle { position, velocity, kind, age, lifetime } = foam.particles()[0];
    let t = 0.8;
    assert_eq!((kind, lifetime), (DiffuseKind::Spray, 1.0));
    assert!((age - t).abs() < 1e-5);
    // Rounding of forty f32 additions.
    assert!((position - (x + v * t + GRAVITY * (0.5 * t * t))).length() < 1e-5, "{position}");
    assert!((velocity - (v + GRAVITY * t)).length() < 1e-5, "{velocity}");
}

#[test]
fn bubbles_reach_their_terminal_velocity_in_a_current() {
    let current = Vec3::new(0.5, 0.0, 0.0);
    let flow = Flow::new(block([20, 20, 20]), |_| current);
    let mut foam = foam_of(&[(Vec3::new(0.3, 0.2, 0.4), Vec3::ZERO)]);
    let threads = one();
    for _ in 0..10 {
        let counts = foam.advance(&threads, flow.liquid(), &[], 0.02);
        assert_eq!(counts, FoamCounts { bubbles: 1, ..FoamCounts::default() });
    }
    // ⅔·√(9.81·0.02) = 0.2953 m/s after 0.2 s, thirteen relaxation times of speed/2g.
    let speed = 2.0 / 3.0 * (9.81_f32 * RADIUS).sqrt();
    assert!((foam.particles()[0].velocity - (current + Vec3::Y * speed)).length() < 1e-4);
    // The initial acceleration is 2g upward.
    let (x, v) = Advection::new(GRAVITY, RADIUS).bubble(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, 1e-4);
    assert!((v.y / (2.0 * 9.81e-4) - 1.0).abs() < 0.01 && (x.y / (9.81e-8) - 1.0).abs() < 0.01, "{v} {x}");
}

#[test]
fn foam_follows_a_rotating_liquid() {
    let (center, spin) = (Vec3::new(0.4, 0.0, 0.4), Vec3::Y * 2.0);
    let turn = |p: Vec3| spin.cross(p - center);
    let flow = Flow::new(block([20, 4, 20]), turn);
    let start = Vec3::new(0.6, 0.17, 0.4);
    let mut foam = foam_of(&[(start, turn(start))]);
    let threads = one();
    // A quarter of a turn: π/4 s.
    for _ in 0..39 {
        let counts = foam.advance(&threads, flow.liquid(), &[], 0.02);
        assert_eq!(counts.foam, 1);
    }
    let found = foam.particles()[0].position - center;
    // Advection is second order: an angle error of (ωΔt)²/12, far below the error of the mean velocity on a lattice.
    assert!((found.length() - (start - center).length()).abs() < 0.02, "{found}");
    assert!((found - Vec3::new(0.0, 0.17, -0.2)).length() < 0.03, "{found}");
}

#[test]
fn particles_are_classified_by_their_neighbors() {
    let flow = Flow::new(block([12, 12, 12]), |_| Vec3::ZERO);
    let top = 24.0 * RADIUS;
    let places = [
        (Vec3::new(0.24, 0.25, 0.23), DiffuseKind::Bubble),
        (Vec3::new(0.24, top - 0.04, 0.24), DiffuseKind::Bubble),
        (Vec3::new(0.24, top, 0.24), DiffuseKind::Foam),
        (Vec3::new(0.24, top + 0.02, 0.25), DiffuseKind::Foam),
        (Vec3::new(0.24, top + 0.06, 0.24), DiffuseKind::Spray),
        (Vec3::new(0.24, top + 1.0, 0.24), DiffuseKind::Spray),
        // Half of the ball of a particle on the floor is behind the floor.
        (Vec3::new(0.24, 0.006, 0.24), DiffuseKind::Bubble),
        (Vec3::new(3.0, 0.006, 0.24), DiffuseKind::Spray),
    ];
    let mut foam = foam_of(&places.map(|(p, _)| (p, Vec3::ZERO)));
    // So short that nothing moves.
    foam.advance(&one(), flow.liquid(), &[floor(0.0)], 1e-6);
    for (particle, (place, kind)) in foam.particles().iter().zip(places) {
        assert_eq!(particle.kind, kind, "{place}");
    }
    // Without the floor the particle is foam.
    let mut foam = foam_of(&[(places[6].0, Vec3::ZERO)]);
    foam.advance(&one(), flow.liquid(), &[], 1e-6);
    assert_eq!(foam.particles()[0].kind, DiffuseKind::Foam);
}

#[test]
fn foam_and_spray_on_colliders_expire_and_free_spray_ends_at_the_bounds() {
    let flow = Flow::new(block([12, 4, 12]), |_| Vec3::ZERO);
    let afloat = Vec3::new(0.24, 0.17, 0.24);
    let aside = Vec3::new(2.0, 0.01, 0.0);
    let lost = Vec3::new(0.0, 5.0, 0.0);
    let mut foam = foam_of(&[(afloat, Vec3::ZERO), (aside, Vec3::ZERO), (lost, Vec3::Y * 20.0)]);
    let threads = one();
    let mut counts = Vec::new();
    for _ in 0..60 {
        foam.advance(&threads, flow.liquid(), &[floor(0.0)], 0.02);
        counts.push(foam.particles().len());
    }
    // The free one passes 10 m at 5 m = 20t − 4.905t², after 0.27 s; the others expire after one second.
    assert_eq!([counts[12], counts[14], counts[47], counts[52]], [3, 2, 2, 0], "{counts:?}");
}

#[test]
fn particles_do_not_depend_on_the_thread_count() {
    let flow = collision();
    let run = |threads: usize| {
        let threads = Threads::new(threads).unwrap();
        let mut foam = Foam::new(settings(2000.0, 1_000_000));
        for _ in 0..4 {
            foam.advance(&threads, flow.liquid(), &[floor(0.0)], 0.02);
        }
        foam.particles().to_vec()
    };
    let particles = run(1);
    assert!(particles.len() > 3000, "{}", particles.len());
    for threads in [2, 5] {
        assert_eq!(run(threads), particles, "{threads} threads");
    }
}

#[test]
fn the_maximum_number_holds_and_rejected_particles_are_counted() {
    let flow = collision();
    let threads = one();
    let free = Foam::new(settings(1000.0, 100_000)).advance(&threads, flow.liquid(), &[], 0.02);
    let mut foam = Foam::new(settings(1000.0, 300));
    let counts = foam.advance(&threads, flow.liquid(), &[], 0.02);
    assert_eq!(counts.generated as u64 + counts.rejected, free.generated as u64);
    // All particles generate proportionally fewer; rounding leaves the count slightly below the maximum.
    assert!((250..=300).contains(&counts.generated), "{counts:?}");
    let far = foam.particles().iter().filter(|f| f.position.x > 0.24).count();
    assert!((100..200).contains(&far), "{far} of {} in the far half", counts.generated);
    for _ in 0..20 {
        foam.advance(&threads, flow.liquid(), &[], 0.02);
        assert!(foam.particles().len() <= 300);
    }
}

#[test]
fn empty_and_invalid_liquids_are_handled() {
    let threads = one();
    let mut foam = foam_of(&[(Vec3::NAN, Vec3::ZERO), (Vec3::ZERO, Vec3::splat(f32::INFINITY))]);
    foam.advance(&threads, LiquidState { rows: &[], velocities: &[] }, &[floor(-1.0)], 0.02);
    assert!(foam.particles().is_empty());
    // All coincident, and one with a NaN position.
    let mut rows = vec![[0.1, 0.1, 0.1, 0.0]; 40];
    rows.push([f32::NAN, 0.0, 0.0, 0.0]);
    let mut velocities = vec![[0.0, 5.0, 0.0, 0.0]; 20];
    velocities.extend([[0.0, -5.0, 0.0, 0.0]; 21]);
    let mut foam = Foam::new(settings(1e5, 1000));
    for _ in 0..5 {
        foam.advance(&threads, LiquidState { rows: &rows, velocities: &velocities }, &[], 0.02);
    }
    assert!(foam.particles().len() <= 1000 && foam.particles().iter().all(|f| f.position.is_finite()));
}

/// A scene before its first step.
fn simulation(text: &str) -> World {
    let scene = Scene::parse(text, Format::Toml).unwrap();
    World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap()
}

#[test]
fn limits_follow_from_the_scene() {
    let column = "fluid = { radius = 0.02 }\n[[liquid]]\njitter = 0\nfill = { min = [0, 0, 0], max = [0.4, 1, 0.4] }\n";
    let ground = "[[collider]]\nplane = {}\n";
    let limits = |text: &str| SceneScale::of(&simulation(text)).unwrap().limits;
    let near = |found: f32, wanted: f32| assert!((found / wanted - 1.0).abs() < 1e-3, "{found} m/s, not {wanted}");
    // A fall from 1 m, and one through a particle diameter of 4 cm.
    let found = limits(&[column, ground].concat());
    near(found.max_speed, (2.0 * 9.81 * 1.0_f32).sqrt());
    near(found.min_speed, (2.0 * 9.81 * 0.04_f32).sqrt());
    assert_eq!((found.radius, found.reach), (RADIUS, REACH));
    // 2 m above the ground; the wall beside is not below.
    let high = "[[collider]]\nplane = { offset = -2 }\n[[collider]]\nplane = { normal = [1, 0, 0], offset = -5 }\n";
    near(limits(&[column, high].concat()).max_speed, (2.0 * 9.81 * 3.0_f32).sqrt());
    // In addition to the initial velocity.
    let thrown = column.replace("jitter = 0", "jitter = 0\nvelocity = [3, 0, 4]");
    near(limits(&[&thrown, ground].concat()).max_speed, (2.0 * 9.81 + 25.0_f32).sqrt());
    // Without gravity only the initial velocity counts.
    let free = ["world = { gravity = [0, 0, 0] }\n", &thrown].concat();
    near(limits(&free).max_speed, 5.0);
    assert!(limits(&free).min_speed < 2.5);
    // Emitters count before they emit.
    let pour =
        "[[liquid]]\npour = { from = [0, 1.98, 0], radius = 0.1, per_second = 50, velocity = [0, -3, 0], until = 1 }\n";
    near(
        limits(&["fluid = { radius = 0.02 }\n", pour, ground].concat()).max_speed,
        (2.0 * 9.81 * 2.0 + 9.0_f32).sqrt(),
    );
    assert_eq!(SceneScale::of(&simulation("[[grains]]\nfill = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }\n")), None);
}

#[test]
fn a_simulation_has_the_same_bits_with_foam_and_without() {
    let text = "solver = { iterations = 2, substeps = 2 }\nfluid = { radius = 0.04 }\n[[liquid]]\nvelocity = [3, 0, 0]\n\
                fill = { min = [0, 0, 0], max = [0.5, 0.8, 0.4] }\n[[collider]]\nplane = {}\n\
                [[collider]]\nplane = { normal = [-1, 0, 0], offset = -0.6 }\n";
    let (mut with, mut without) = (simulation(text), simulation(text));
    let mut foam = Foam::for_simulation(&with, &FoamSpec { rate: 1000.0, ..FoamSpec::default() }).unwrap();
    let threads = one();
    let mut made = 0;
    assert_eq!(foam.update(&threads, &with), FoamCounts::default());
    for _ in 0..20 {
        with.advance(2).unwrap();
        without.advance(2).unwrap();
        made += foam.update(&threads, &with).generated;
        assert_eq!(with.hash(), without.hash());
    }
    assert!(made > 100, "{made}");
    // No particle is behind the walls.
    let [floor, wall] = [Vec3::Y, -Vec3::X];
    assert!(foam.particles().iter().all(|f| f.position.dot(floor) > 0.0 && f.position.dot(wall) > -0.6));
}
