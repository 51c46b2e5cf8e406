//! SIMD contacts of loose particles: bitwise equal to the scalar version.

use crate::rng::Rng;
use glam::Vec3;
use pliant::builder::NoMeshes;
use pliant::constraints::Row;
use pliant::contact::collider_contact::{Friction, Push};
use pliant::contact::particle_contact::{
    ContactParams, Field, FreeLanes, Side, contact_mask, overlap, project, project_lanes,
};
use pliant::math::V3;
use pliant::scene::{Format, Scene};
use pliant::{Isa, Options, World};

fn row(v: Vec3, w: f32) -> Row<f32> {
    Row { v: V3::new(v.x, v.y, v.z), w }
}

fn loose(side: &Side) -> FreeLanes<f32> {
    FreeLanes { place: row(side.x, side.radius), start: row(side.start, side.inv_mass) }
}

/// As bits, with one zero.
fn bits(v: [f32; 4]) -> [u32; 4] {
    v.map(|x| (x + 0.0).to_bits())
}

#[test]
fn s10_s18_simd_and_scalar_contacts_are_bitwise_equal() {
    let mut rng = Rng::of(10);
    let (mut touching, mut sliding, mut idle) = (0, 0, 0);
    for round in 0..100_000 {
        let mut point = |size: f64| Vec3::from([0; 3].map(|_| rng.range(-size, size) as f32));
        let mut side = |number: u32| {
            let x = point(0.02);
            Side { x, start: x + point(0.003), radius: 0.01, inv_mass: 1.0, number, field: Field::default() }
        };
        let (mut a, mut b) = (side(3), side(5));
        let mut push = Push { normal: 0.0, tangent: Vec3::ZERO };
        if rng.chance(0.5) {
            let tangent = Vec3::from([0; 3].map(|_| rng.range(-1e-3, 1e-3) as f32));
            push = Push { normal: rng.range(0.0, 0.004) as f32, tangent };
        }
        (a.inv_mass, b.inv_mass) = (rng.power(0.1, 10.0) as f32, rng.power(0.1, 10.0) as f32);
        (a.radius, b.radius) = (rng.power(0.002, 0.02) as f32, rng.power(0.002, 0.02) as f32);
        match round % 20 {
            0 => b.x = a.x,
            1 => (a.inv_mass, b.inv_mass) = (0.0, 0.0),
            2 => b.inv_mass = 0.0,
            3 => std::mem::swap(&mut a.number, &mut b.number),
            4 => b.x = a.x + Vec3::X * (a.radius + b.radius),
            _ => {}
        }
        let static_friction = rng.range(0.0, 1.0) as f32;
        let friction = Friction { static_friction, kinetic_friction: static_friction * rng.range(0.5, 1.0) as f32 };
        let params = ContactParams {
            friction,
            omega: rng.range(0.2, 1.5) as f32,
            parts: false,
            recovery: rng.range(0.0, 0.02) as f32,
        };
        let near = push.normal != 0.0 || overlap(a.x, b.x, a.radius + b.radius);
        let (impulse, done) = if near { project(&a, &b, params, push) } else { (Vec3::ZERO, push) };
        let touched = contact_mask(row(a.x, a.radius), row(b.x, b.radius), push.normal);
        assert_eq!(touched > 0.0, near, "{a:?} {b:?} {push:?}");
        let up = if a.number < b.number { 1.0 } else { -1.0 };
        let (found, pushed) =
            project_lanes(&loose(&a), &loose(&b), up, touched, params, row(push.tangent, push.normal));
        let Push { normal, tangent: t } = done;
        assert_eq!(bits([found.x, found.y, found.z, 0.0]), bits([impulse.x, impulse.y, impulse.z, 0.0]), "{a:?} {b:?}");
        assert_eq!(bits([pushed.v.x, pushed.v.y, pushed.v.z, pushed.w]), bits([t.x, t.y, t.z, normal]), "{a:?} {b:?}");
        touching += usize::from(near && normal > 0.0);
        sliding += usize::from(t.length() > friction.kinetic_friction * normal * 0.999 && normal > 0.0);
        idle += usize::from(!near);
    }
    println!("{touching} touch, of which {sliding} slide; {idle} do not");
    assert!(touching > 20_000 && sliding > 5_000 && idle > 10_000);
}

#[test]
fn s10_s14_a_heap_of_grains_has_the_same_bits_for_every_width_and_number_of_threads() {
    // Two sizes: lists of 1 to 30, so that packs are full, broken and single.
    let text = "solver = { dt = 0.004, iterations = 4, stabilization = 1 }
        contact = { friction = { static = 0.5, kinetic = 0.4 } }
        [[grains]]\nradius = 0.02\nfill = { min = [-0.2, 0, -0.2], max = [0.2, 0.3, 0.2] }
        [[grains]]\nradius = 0.05\nfill = { min = [-0.2, 0.35, -0.2], max = [0.2, 0.6, 0.2] }
        [[collider]]\nplane = {}\n";
    let scene = Scene::parse(text, Format::Toml).unwrap();
    let run = |threads: usize, isa: Isa| {
        let mut sim = World::from_scene(&scene, &NoMeshes, Options { threads, isa, ..Options::default() }).unwrap();
        sim.advance(120).unwrap();
        (sim.hash(), sim.probe().contacts)
    };
    let first = run(1, Isa::SCALAR);
    assert!(first.1 > 500, "{} contacts", first.1);
    for isa in Isa::available() {
        for threads in [1, 3] {
            assert_eq!(run(threads, isa), first, "{isa:?}, {threads} threads");
        }
    }
}
