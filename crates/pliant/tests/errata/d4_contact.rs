//! D4 chapter 3, friction (3.38–3.40).

use glam::{DVec3, Vec3};
use pliant::contact::collider_contact::{Friction, Push};
use pliant::contact::particle_contact::{ContactParams, Field, Side, project};

/// D4 3.38–3.40 for static friction: corrections of i and j for the tangential displacement of j relative to i.
fn printed_friction(slip: DVec3, weights: [f64; 2]) -> [DVec3; 2] {
    let lambda = -slip.length() / (weights[0] + weights[1]);
    let along = slip / slip.length();
    [along * (weights[0] * lambda), along * (-weights[1] * lambda)]
}

#[test]
fn e19_printed_friction_doubles_the_slip_and_the_kernels_stops_it() {
    let slip = DVec3::new(0.02, 0.0, 0.01);
    let weights = [2.0, 0.5];
    let [i, j] = printed_friction(slip, weights);
    assert!((slip + j - i).distance(2.0 * slip) < 1e-15, "{} in place of nothing", slip + j - i);

    // i below, j above, a tenth of a radius inside each other; j has slipped.
    let place = |y: f32, slip: Vec3| (Vec3::new(0.0, y, 0.0) + slip, Vec3::new(0.0, y, 0.0));
    let side = |(x, start): (Vec3, Vec3), number: usize| Side {
        x,
        start,
        radius: 1.0,
        inv_mass: weights[number] as f32,
        number: number as u32,
        field: Field::default(),
    };
    let (below, above) = (side(place(0.0, Vec3::ZERO), 0), side(place(1.9, slip.as_vec3()), 1));
    let params = ContactParams {
        friction: Friction { static_friction: 1.0, kinetic_friction: 1.0 },
        omega: 1.0,
        parts: false,
        recovery: 1.0,
    };
    let (impulse, _) = project(&below, &above, params, Push::default());
    let left = |slip_of: Vec3| {
        // Remaining tangential slip.
        let normal = (below.x - above.x).normalize();
        (slip_of - normal * slip_of.dot(normal)).length()
    };
    let before = left(above.x - above.start);
    let after =
        left((above.x - impulse * above.inv_mass - above.start) - (below.x + impulse * below.inv_mass - below.start));
    assert!(before > 0.02 && after < 1e-5, "{after} m of {before} m are left");
}
