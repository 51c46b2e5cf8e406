//! Spray, foam and bubbles of flows that are made up, so that what should come out is known.
#![allow(missing_docs, reason = "a test")]

use glam::{Quat, Vec3};
use pliant::builder::NoMeshes;
use pliant::contact::collider_contact::{Friction, Obstacle, Solid};
use pliant::math::Pose;
use pliant::math::RowData;
use pliant::neighbors::{Cloud, Finder, Pairs, Search};
use pliant::scene::{FoamSpec, Format, Scene};
use pliant::{Options, Simulation, Threads};
use pliant_foam::{Drift, Fleck, Foam, Kind, Limits, Liquid, Potential, Scale, Settings, Tally, potentials};

const RADIUS: f32 = 0.02;
const REACH: f32 = 0.08;
const LIMITS: Limits = Limits { radius: RADIUS, reach: REACH, slow: 0.9, fast: 4.5 };
const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

/// A made-up liquid.
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

    fn liquid(&self) -> Liquid<'_> {
        Liquid { rows: &self.rows, velocities: &self.velocities }
    }

    fn potentials(&self, walls: &[Obstacle]) -> Vec<Potential> {
        let threads = Threads::new(1).unwrap();
        let mut finder = Finder::new(Search::Grid);
        let radii = vec![0.0; self.rows.len()];
        let cloud = Cloud { rows: &self.rows, radii: &radii, phases: &[] };
        let near = finder.find(&threads, cloud, REACH, Pairs::Both);
        potentials(&threads, &self.rows, &self.velocities, near, walls, &LIMITS)
    }

    fn shares(&self) -> f32 {
        self.potentials(&[]).iter().map(|p| p.share).sum()
    }
}

/// A lattice at rest: cubes of two radii, the lowest corner in the origin.
fn block(counts: [i32; 3]) -> Vec<Vec3> {
    let [nx, ny, nz] = counts;
    let at = |i: i32| (i as f32 + 0.5) * 2.0 * RADIUS;
    let all = (0..nx).flat_map(|x| (0..ny).flat_map(move |y| (0..nz).map(move |z| Vec3::new(at(x), at(y), at(z)))));
    all.collect()
}

fn settings(rate: f32, most: usize) -> Settings {
    let bounds = [Vec3::splat(-10.0), Vec3::splat(10.0)];
    let scale = Scale { limits: LIMITS, gravity: GRAVITY, bounds };
    Settings { scale, rate, lifetime: [0.5, 1.5], most }
}

fn one() -> Threads {
    Threads::new(1).unwrap()
}

fn floor(height: f32) -> Obstacle {
    let pose = Pose { position: Vec3::Y * height, rotation: Quat::IDENTITY };
    Obstacle { solid: Solid::Plane, before: pose, after: pose, friction: Friction { stick: 0.0, slide: 0.0 } }
}

/// Two blocks that meet at a plane with 4 m/s. Three layers deep, as wide as it takes.
fn clash() -> Flow {
    let middle = 6.0 * RADIUS;
    Flow::new(block([12, 6, 12]), |p| if p.y < middle { Vec3::Y * 2.0 } else { Vec3::Y * -2.0 })
}

#[test]
fn what_flies_or_turns_as_a_whole_makes_no_foam() {
    let center = Vec3::splat(0.16);
    let spin = Vec3::new(3.0, 20.0, -8.0);
    let (none, aslant) = (Vec3::ZERO, Vec3::new(-3.0, -3.0, 2.0));
    for (name, shift, spin) in
        [("still", none, none), ("up", Vec3::Y * 6.0, none), ("aslant", aslant, none), ("around", none, spin)]
    {
        let flow = Flow::new(block([8, 8, 8]), |p| shift + spin.cross(p - center));
        let found = flow.potentials(&[]);
        let fastest = found.iter().map(|p| p.speed).fold(0.0, f32::max);
        assert!(name == "still" || fastest > LIMITS.slow, "{name}: {fastest}");
        // Along the line between two particles, rounding leaves 1e-6 of velocities of 6 m/s.
        assert!(found.iter().all(|p| p.closing < 2e-5 && p.opening < 2e-5), "{name}");
        assert!(flow.shares() < 1e-3, "{name}: {}", flow.shares());
    }
}

#[test]
fn a_lake_with_small_waves_makes_no_foam() {
    // 5 cm high and 0.5 m long: 0.22 m/s at √(2πg/λ) = 11 1/s, while a fall through a particle gives 0.9.
    let wave = |p: Vec3| {
        let decay = (12.6 * (p.y - 0.4)).exp() * 0.28;
        Vec3::new((12.6 * p.x).sin() * decay, (12.6 * p.x).cos() * decay, 0.0)
    };
    assert_eq!(Flow::new(block([25, 10, 10]), wave).shares(), 0.0);
}

#[test]
fn two_sheets_that_meet_make_as_much_as_they_should() {
    let flow = clash();
    // Of the six layers the two that meet see each other. Neighbors across, by distance in spacings d and number n:
    // Σ n·(1 − d/2)/d = 0.5 + 4·0.20711 + 4·0.07735 = 1.63782, of 7.5872 in all; four times as much of 4 m/s is 3.454.
    let closing = 4.0 * 1.63782 / 7.5872 * 4.0;
    let inside = |p: f32| (0.08..0.40).contains(&p);
    let mut met = 0;
    for (row, p) in flow.rows.iter().zip(flow.potentials(&[])).filter(|(r, _)| inside(r[0]) && inside(r[2])) {
        let wanted = if (row[1] - 0.12).abs() < 0.03 { closing } else { 0.0 };
        met += usize::from(wanted > 0.0);
        assert!((p.closing - wanted).abs() < 1e-3, "{} at {}", p.closing, row[1]);
    }
    assert_eq!(met, 2 * 8 * 8);
    // Energy (4 − 0.81)/(20.25 − 0.81), closing (3.454 − 0.9)/3.6: 0.1164 for each, but at the sides.
    let shares = flow.shares();
    assert!((128.0 * 0.1164..288.0 * 0.1164).contains(&shares), "{shares}");
    let mut foam = Foam::new(settings(1000.0, 100_000));
    let tally = foam.advance(&one(), flow.liquid(), &[], 0.02);
    // Rounding up or down adds at most √(288)/2 = 8.5 on average to 2.3 for each; four times that is one in 20,000.
    let wanted = shares * 1000.0 * 0.02;
    assert!((tally.born as f32 - wanted).abs() < 34.0, "{} of {wanted}", tally.born);
    assert_eq!((tally.spray + tally.foam + tally.bubbles, tally.refused), (tally.born, 0));
    // Twice the time, twice as many.
    let twice = Foam::new(settings(1000.0, 100_000)).advance(&one(), flow.liquid(), &[], 0.04).born;
    assert!((twice as f32 - 2.0 * wanted).abs() < 34.0, "{twice} of {}", 2.0 * wanted);
    // Sheets that part make none.
    let parts = Flow::new(block([12, 6, 12]), |p| if p.y < 0.12 { Vec3::Y * -2.0 } else { Vec3::Y * 2.0 });
    assert!(parts.potentials(&[]).iter().all(|p| p.closing == 0.0));
}

/// A wave along z: half a cylinder of a radius, in shells of particles, on top of a wall as thick.
fn ridge(radius: f32) -> Vec<Vec3> {
    let mut places = Vec::new();
    let mut row = |x: f32, y: f32| places.extend((0..14).map(|z| Vec3::new(x, y, z as f32 * 2.0 * RADIUS)));
    let shells = (radius / (2.0 * RADIUS)).round() as i32;
    for r in (0..=shells).map(|k| radius - k as f32 * 2.0 * RADIUS).filter(|r| *r > -1e-6) {
        // An even number, so that there is one on top.
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
fn a_crest_that_is_drawn_out_makes_spray_and_a_flat_surface_does_not() {
    let drawn = |p: Vec3| Vec3::Y * (3.0 + 20.0 * p.y);
    let on_top = |places: Vec<Vec3>, walls: &[Obstacle]| {
        let top = places.iter().map(|p| p.y).fold(0.0, f32::max);
        let center = places.iter().sum::<Vec3>() / places.len() as f32;
        let flow = Flow::new(places, drawn);
        let near = |r: &RowData| r[1] > top - 0.2 * RADIUS && (r[0] - center.x).abs() + (r[2] - center.z).abs() < REACH;
        let found = flow.potentials(walls);
        let here: Vec<Potential> = flow.rows.iter().zip(found).filter(|(r, _)| near(r)).map(|(_, p)| p).collect();
        assert!(!here.is_empty());
        let n = here.len() as f32;
        (here.iter().map(|p| p.crest).sum::<f32>() / n, here.iter().map(|p| p.share).sum::<f32>() / n)
    };
    // Normals of the outermost shell are radii of the cylinder: the mean of 1 − cos over it, weighted, from its top.
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
        // Two and three particles across: normals at the foot of the arc feel the corner there.
        assert!((crest / (bent / all) - 1.0).abs() < 0.15, "R = {over_reach} reach: {crest}, {}", bent / all);
        // Shells are denser than the surface of a lattice, and coarse.
        let wave = 0.075 / (over_reach * over_reach);
        assert!((crest / wave - 1.0).abs() < 0.3, "R = {over_reach} reach: {crest}, {wave}");
        assert!(share > 0.0);
    }
    assert_eq!(on_top(ridge(2.0 * REACH), &[]), (0.0, 0.0));
    assert_eq!(on_top(block([12, 6, 12]), &[]), (0.0, 0.0));
    // Against a ceiling it is no crest.
    let mut ceiling = floor(0.06);
    let over = Quat::from_rotation_x(std::f32::consts::PI);
    (ceiling.before.rotation, ceiling.after.rotation) = (over, over);
    assert_eq!(on_top(ridge(0.5 * REACH), &[ceiling]).0, 0.0);
}

/// A foam of the given flecks only, which nothing is added to.
fn of(flecks: &[(Vec3, Vec3)]) -> Foam {
    let mut foam = Foam::new(settings(0.0, 100));
    for &(position, velocity) in flecks {
        assert!(foam.add(Fleck { position, velocity, age: 0.0, left: 1.0, kind: Kind::Spray }));
    }
    foam
}

#[test]
fn spray_flies_along_its_parabola() {
    let (x, v) = (Vec3::new(0.1, 0.5, 0.0), Vec3::new(2.0, 3.0, -1.0));
    let mut foam = of(&[(x, v)]);
    let nothing = Liquid { rows: &[], velocities: &[] };
    let threads = one();
    for _ in 0..40 {
        foam.advance(&threads, nothing, &[], 0.02);
    }
    let Fleck { position, velocity, kind, age, left } = foam.flecks()[0];
    let t = 0.8;
    assert_eq!((kind, left), (Kind::Spray, 1.0));
    assert!((age - t).abs() < 1e-5);
    // Forty sums of f32.
    assert!((position - (x + v * t + GRAVITY * (0.5 * t * t))).length() < 1e-5, "{position}");
    assert!((velocity - (v + GRAVITY * t)).length() < 1e-5, "{velocity}");
}

#[test]
fn bubbles_rise_at_their_speed_and_are_dragged_along() {
    let current = Vec3::new(0.5, 0.0, 0.0);
    let flow = Flow::new(block([20, 20, 20]), |_| current);
    let mut foam = of(&[(Vec3::new(0.3, 0.2, 0.4), Vec3::ZERO)]);
    let threads = one();
    for _ in 0..10 {
        let tally = foam.advance(&threads, flow.liquid(), &[], 0.02);
        assert_eq!(tally, Tally { bubbles: 1, ..Tally::default() });
    }
    // ⅔·√(9.81·0.02) = 0.2953 m/s after 0.2 s, which is thirteen times speed/2g.
    let speed = 2.0 / 3.0 * (9.81_f32 * RADIUS).sqrt();
    assert!((foam.flecks()[0].velocity - (current + Vec3::Y * speed)).length() < 1e-4);
    // It starts at 2g upward.
    let (x, v) = Drift::new(GRAVITY, RADIUS).bob(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, 1e-4);
    assert!((v.y / (2.0 * 9.81e-4) - 1.0).abs() < 0.01 && (x.y / (9.81e-8) - 1.0).abs() < 0.01, "{v} {x}");
}

#[test]
fn foam_goes_round_with_the_liquid() {
    let (center, spin) = (Vec3::new(0.4, 0.0, 0.4), Vec3::Y * 2.0);
    let turn = |p: Vec3| spin.cross(p - center);
    let flow = Flow::new(block([20, 4, 20]), turn);
    let start = Vec3::new(0.6, 0.17, 0.4);
    let mut foam = of(&[(start, turn(start))]);
    let threads = one();
    // A quarter of a turn: π/4 s.
    for _ in 0..39 {
        let tally = foam.advance(&threads, flow.liquid(), &[], 0.02);
        assert_eq!(tally.foam, 1);
    }
    let found = foam.flecks()[0].position - center;
    // Second order: (ωΔt)²/12 of the angle, far below what the lattice's uneven mean velocity makes of it.
    assert!((found.length() - (start - center).length()).abs() < 0.02, "{found}");
    assert!((found - Vec3::new(0.0, 0.17, -0.2)).length() < 0.03, "{found}");
}

#[test]
fn flecks_are_told_by_their_neighbors() {
    let flow = Flow::new(block([12, 12, 12]), |_| Vec3::ZERO);
    let top = 24.0 * RADIUS;
    let places = [
        (Vec3::new(0.24, 0.25, 0.23), Kind::Bubble),
        (Vec3::new(0.24, top - 0.04, 0.24), Kind::Bubble),
        (Vec3::new(0.24, top, 0.24), Kind::Foam),
        (Vec3::new(0.24, top + 0.02, 0.25), Kind::Foam),
        (Vec3::new(0.24, top + 0.06, 0.24), Kind::Spray),
        (Vec3::new(0.24, top + 1.0, 0.24), Kind::Spray),
        // At the floor half of the ball is behind it.
        (Vec3::new(0.24, 0.006, 0.24), Kind::Bubble),
        (Vec3::new(3.0, 0.006, 0.24), Kind::Spray),
    ];
    let mut foam = of(&places.map(|(p, _)| (p, Vec3::ZERO)));
    // So short that nobody moves.
    foam.advance(&one(), flow.liquid(), &[floor(0.0)], 1e-6);
    for (fleck, (place, kind)) in foam.flecks().iter().zip(places) {
        assert_eq!(fleck.kind, kind, "{place}");
    }
    // Without the floor it would be foam.
    let mut foam = of(&[(places[6].0, Vec3::ZERO)]);
    foam.advance(&one(), flow.liquid(), &[], 1e-6);
    assert_eq!(foam.flecks()[0].kind, Kind::Foam);
}

#[test]
fn foam_and_what_lies_on_walls_is_gone_in_time_and_spray_in_the_air_at_the_bounds() {
    let flow = Flow::new(block([12, 4, 12]), |_| Vec3::ZERO);
    let afloat = Vec3::new(0.24, 0.17, 0.24);
    let aside = Vec3::new(2.0, 0.01, 0.0);
    let lost = Vec3::new(0.0, 5.0, 0.0);
    let mut foam = of(&[(afloat, Vec3::ZERO), (aside, Vec3::ZERO), (lost, Vec3::Y * 20.0)]);
    let threads = one();
    let mut there = Vec::new();
    for _ in 0..60 {
        foam.advance(&threads, flow.liquid(), &[floor(0.0)], 0.02);
        there.push(foam.flecks().len());
    }
    // The one that is lost goes through 10 m at 5 m = 20t − 4.905t², after 0.27 s; the others after a second.
    assert_eq!([there[12], there[14], there[47], there[52]], [3, 2, 2, 0], "{there:?}");
}

#[test]
fn the_same_flecks_come_out_for_any_number_of_threads() {
    let flow = clash();
    let run = |threads: usize| {
        let threads = Threads::new(threads).unwrap();
        let mut foam = Foam::new(settings(2000.0, 1_000_000));
        for _ in 0..4 {
            foam.advance(&threads, flow.liquid(), &[floor(0.0)], 0.02);
        }
        foam.flecks().to_vec()
    };
    let flecks = run(1);
    assert!(flecks.len() > 3000, "{}", flecks.len());
    for threads in [2, 5] {
        assert_eq!(run(threads), flecks, "{threads} threads");
    }
}

#[test]
fn no_more_flecks_than_allowed_and_those_left_out_are_counted() {
    let flow = clash();
    let threads = one();
    let free = Foam::new(settings(1000.0, 100_000)).advance(&threads, flow.liquid(), &[], 0.02);
    let mut foam = Foam::new(settings(1000.0, 300));
    let tally = foam.advance(&threads, flow.liquid(), &[], 0.02);
    assert_eq!(tally.born as u64 + tally.refused, free.born as u64);
    // Everybody makes fewer: rounding leaves a little room at most.
    assert!((250..=300).contains(&tally.born), "{tally:?}");
    let far = foam.flecks().iter().filter(|f| f.position.x > 0.24).count();
    assert!((100..200).contains(&far), "{far} of {} in the far half", tally.born);
    for _ in 0..20 {
        foam.advance(&threads, flow.liquid(), &[], 0.02);
        assert!(foam.flecks().len() <= 300);
    }
}

#[test]
fn liquids_that_are_nowhere_or_not_there_do_no_harm() {
    let threads = one();
    let mut foam = of(&[(Vec3::NAN, Vec3::ZERO), (Vec3::ZERO, Vec3::splat(f32::INFINITY))]);
    foam.advance(&threads, Liquid { rows: &[], velocities: &[] }, &[floor(-1.0)], 0.02);
    assert!(foam.flecks().is_empty());
    // All in one place, and one that has run away.
    let mut rows = vec![[0.1, 0.1, 0.1, 0.0]; 40];
    rows.push([f32::NAN, 0.0, 0.0, 0.0]);
    let mut velocities = vec![[0.0, 5.0, 0.0, 0.0]; 20];
    velocities.extend([[0.0, -5.0, 0.0, 0.0]; 21]);
    let mut foam = Foam::new(settings(1e5, 1000));
    for _ in 0..5 {
        foam.advance(&threads, Liquid { rows: &rows, velocities: &velocities }, &[], 0.02);
    }
    assert!(foam.flecks().len() <= 1000 && foam.flecks().iter().all(|f| f.position.is_finite()));
}

/// A scene before its first step.
fn simulation(text: &str) -> Simulation {
    let scene = Scene::parse(text, Format::Toml).unwrap();
    Simulation::new(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap()
}

#[test]
fn limits_follow_from_the_scene() {
    let column = "fluid = { radius = 0.02 }\n[[liquid]]\njitter = 0\nfill = { min = [0, 0, 0], max = [0.4, 1, 0.4] }\n";
    let ground = "[[collider]]\nplane = {}\n";
    let limits = |text: &str| Scale::of(&simulation(text)).unwrap().limits;
    let near = |found: f32, wanted: f32| assert!((found / wanted - 1.0).abs() < 1e-3, "{found} m/s, not {wanted}");
    // A fall from 1 m, and one through a particle of 4 cm.
    let found = limits(&[column, ground].concat());
    near(found.fast, (2.0 * 9.81 * 1.0_f32).sqrt());
    near(found.slow, (2.0 * 9.81 * 0.04_f32).sqrt());
    assert_eq!((found.radius, found.reach), (RADIUS, REACH));
    // From 2 m above the ground, and beside a wall, which is none.
    let high = "[[collider]]\nplane = { offset = -2 }\n[[collider]]\nplane = { normal = [1, 0, 0], offset = -5 }\n";
    near(limits(&[column, high].concat()).fast, (2.0 * 9.81 * 3.0_f32).sqrt());
    // On top of what it starts with.
    let thrown = column.replace("jitter = 0", "jitter = 0\nvelocity = [3, 0, 4]");
    near(limits(&[&thrown, ground].concat()).fast, (2.0 * 9.81 + 25.0_f32).sqrt());
    // Without gravity there is nothing else.
    let free = ["world = { gravity = [0, 0, 0] }\n", &thrown].concat();
    near(limits(&free).fast, 5.0);
    assert!(limits(&free).slow < 2.5);
    // What is poured counts before it is there.
    let pour =
        "[[liquid]]\npour = { from = [0, 1.98, 0], radius = 0.1, per_second = 50, velocity = [0, -3, 0], until = 1 }\n";
    near(limits(&["fluid = { radius = 0.02 }\n", pour, ground].concat()).fast, (2.0 * 9.81 * 2.0 + 9.0_f32).sqrt());
    assert_eq!(Scale::of(&simulation("[[grains]]\nfill = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }\n")), None);
}

#[test]
fn a_simulation_has_the_same_bits_with_foam_and_without() {
    let text = "solver = { iterations = 2, substeps = 2 }\nfluid = { radius = 0.04 }\n[[liquid]]\nvelocity = [3, 0, 0]\n\
                fill = { min = [0, 0, 0], max = [0.5, 0.8, 0.4] }\n[[collider]]\nplane = {}\n\
                [[collider]]\nplane = { normal = [-1, 0, 0], offset = -0.6 }\n";
    let (mut with, mut without) = (simulation(text), simulation(text));
    let mut foam = Foam::of(&with, &FoamSpec { rate: 1000.0, ..FoamSpec::default() }).unwrap();
    let threads = one();
    let mut made = 0;
    assert_eq!(foam.follow(&threads, &with), Tally::default());
    for _ in 0..20 {
        with.advance(2).unwrap();
        without.advance(2).unwrap();
        made += foam.follow(&threads, &with).born;
        assert_eq!(with.hash(), without.hash());
    }
    assert!(made > 100, "{made}");
    // Nobody is behind the walls.
    let [floor, wall] = [Vec3::Y, -Vec3::X];
    assert!(foam.flecks().iter().all(|f| f.position.dot(floor) > 0.0 && f.position.dot(wall) > -0.6));
}
