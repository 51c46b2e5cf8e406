//! Manifolds against an independent judge: separating axes against GJK and EPA, distances against samples.

use glam::{DQuat, DVec3};
use pliant::rigid_body::gjk;
use pliant::rigid_body::manifold::ClipBuffers;
use pliant::rigid_body::narrow_phase::collide;
use pliant::rigid_body::polytope::Polytope;
use pliant::rigid_body::shape::{Convex, Frame};
use std::sync::Arc;

/// Uniform numbers in 0..1 (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next()) * 2.0 - 1.0
    }
    fn frame(&mut self, spread: f64) -> Frame {
        let q = DQuat::from_xyzw(self.next() - 0.5, self.next() - 0.5, self.next() - 0.5, self.next() - 0.5);
        Frame { position: self.vector() * spread, rotation: q.normalize() }
    }
    fn shape(&mut self, kind: usize) -> Convex {
        let size = |r: &mut Self| 0.2 + 0.8 * r.next();
        match kind {
            0 => Convex::cuboid(DVec3::new(size(self), size(self), size(self))),
            1 => {
                let points: Vec<DVec3> = (0..12).map(|_| self.vector()).collect();
                Convex::Hull(Arc::new(Polytope::hull(&points).unwrap()))
            }
            2 => Convex::Sphere { radius: size(self) },
            3 => Convex::Capsule { half_length: size(self), radius: size(self) },
            4 => Convex::Cylinder { half_length: size(self), radius: size(self) },
            _ => Convex::Cone { half_length: size(self), radius: size(self) },
        }
    }
}

/// Least overlap of two shapes along any of many directions: an upper bound of the penetration depth.
fn overlap(a: (&Convex, &Frame), b: (&Convex, &Frame), direction: DVec3) -> f64 {
    let reach =
        |(s, f): (&Convex, &Frame), d: DVec3| f.outward(s.core_support(f.rotation.conjugate() * d)).dot(d) + s.radius();
    reach(a, direction) + reach(b, -direction)
}

#[test]
fn manifolds_of_random_pairs_have_the_depth_of_the_least_translation() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut clip = ClipBuffers::default();
    let (mut overlapping, mut apart) = (0, 0);
    for round in 0..30_000 {
        let (ka, kb) = (round % 6, round / 6 % 6);
        let (a, b) = (random.shape(ka), random.shape(kb));
        let (fa, fb) = (random.frame(0.3), random.frame(1.2));
        let found = collide((&a, &fa), (&b, &fb), 0.0, &mut clip);
        let core = gjk::nearest((&a, &fa), (&b, &fb), f64::INFINITY).unwrap();
        let radii = a.radius() + b.radius();
        let distance = core.distance - radii;
        // A direction along which nothing overlaps proves that shapes are apart.
        let gap = -overlap((&a, &fa), (&b, &fb), core.normal);
        // GJK stops where the simplex on a round surface is too flat for rounding: 2e-5 of the size.
        assert!((gap - distance).abs() < 5e-5, "{a:?} {b:?}: {gap} along the normal, distance {distance}");
        if distance > 1e-6 {
            apart += 1;
            assert!(found.is_none_or(|m| m.points().iter().all(|p| p.separation <= 1e-9)), "{a:?} {b:?} are apart");
            continue;
        }
        let Some(found) = found else {
            assert!(distance > -1e-4, "{a:?} {b:?} overlap by {}", -distance);
            continue;
        };
        overlapping += 1;
        let depth = found.points().iter().map(|p| -p.separation).fold(f64::NEG_INFINITY, f64::max);
        let along = overlap((&a, &fa), (&b, &fb), found.normal);
        // The way along the normal separates the shapes, and is not much longer than the shortest one. Spheres use the
        // nearest face, capsules their cores; faces are preferred to edges that are a thousandth better.
        assert!(depth <= along + 1e-6, "{a:?} {b:?}: depth {depth}, but {along} along the normal");
        assert!(
            along <= -distance + 2e-2 || core.distance > 0.0 || radii > 0.0,
            "{a:?} {b:?}: {along}, least {distance}"
        );
        assert!((found.normal.length() - 1.0).abs() < 1e-9);
    }
    assert!(overlapping > 3000 && apart > 3000, "{overlapping} overlap, {apart} are apart");
}

#[test]
fn signed_distances_of_convex_shapes_agree_with_gjk() {
    let mut random = Random(12345);
    for round in 0..6000 {
        let shape = random.shape(round % 6);
        let p = random.vector() * 2.5;
        let (distance, normal) = shape.signed_distance(p);
        let point = Convex::Sphere { radius: 0.0 };
        let at = Frame { position: p, rotation: DQuat::IDENTITY };
        let found = gjk::nearest((&shape, &Frame::IDENTITY), (&point, &at), f64::INFINITY).unwrap();
        if found.distance > 1e-9 {
            let wanted = found.distance - shape.radius();
            assert!((distance - wanted).abs() < 1e-6, "{shape:?} at {p}: {distance} instead of {wanted}");
            assert!(distance < 1e-6 || normal.dot(found.normal) > 1.0 - 1e-5);
        }
    }
}
