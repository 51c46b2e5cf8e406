//! Validates grains, bodies of particles, and particle contacts.

use crate::error::SceneError;
use crate::scene::grains::{MOST_ACROSS, emitter_sites};
use crate::scene::validate::{
    Checked, above, color, copies, count, direction, friction, not_itself, one_of, placement, range, size, surface,
    vector,
};
use crate::scene::{Body, BodyModel, ContactSpec, Grains, PourSpec, RoundSpec};

pub fn grains(at: &str, g: &Grains) -> Checked {
    one_of(at, &[("fill", g.fill.is_some()), ("mesh", g.mesh.is_some()), ("pour", g.pour.is_some())])?;
    range(&format!("{at}.radius"), g.radius, 1e-6, 1e3)?;
    let spacing = g.distance.unwrap_or(2.0 * g.radius);
    range(&format!("{at}.distance"), spacing, 2.0 * g.radius, 1e3)?;
    range(&format!("{at}.jitter"), g.jitter, 0.0, 1.0)?;
    range(&format!("{at}.density"), g.density, 1e-6, 1e6)?;
    if let Some(fill) = &g.fill {
        vector(&format!("{at}.fill.min"), fill.min, 1e5)?;
        vector(&format!("{at}.fill.max"), fill.max, 1e5)?;
        let mut total = 1.0_f64;
        for k in 0..3 {
            if fill.max[k] <= fill.min[k] {
                let what = format!("is {} m, but must be more than min, {} m", fill.max[k], fill.min[k]);
                return Err(SceneError::new(format!("{at}.fill.max[{k}]"), what).help("min is the lowest corner"));
            }
            total *= (f64::from((fill.max[k] - fill.min[k]) * g.transform.scale) / f64::from(spacing)).max(1.0);
        }
        size(&format!("{at}.fill"), (total as u64).saturating_mul(copies(g.array.as_ref())))?;
    }
    placement(at, &g.transform, g.array.as_ref(), g.velocity, &[])?;
    if let Some(p) = &g.pour {
        pour(at, g, p, spacing)?;
    }
    not_itself(at, g.collision.as_ref())?;
    surface(at, g.collision.as_ref(), g.friction.as_ref(), g.restitution)?;
    color(at, g.color)
}

fn pour(at: &str, g: &Grains, p: &PourSpec, spacing: f32) -> Checked {
    let at_pour = format!("{at}.pour");
    vector(&format!("{at_pour}.from"), p.from, 1e5)?;
    range(&format!("{at_pour}.radius"), p.radius, g.radius, 0.5 * MOST_ACROSS * spacing)?;
    vector(&format!("{at_pour}.velocity"), p.velocity, 1e4)?;
    direction(&format!("{at_pour}.velocity"), p.velocity)?;
    range(&format!("{at_pour}.per_second"), p.per_second, 1e-6, 1e8)?;
    range(&format!("{at_pour}.until"), p.until, 0.0, 1e6)?;
    size(&at_pour, p.count().saturating_mul(copies(g.array.as_ref())))?;
    let sites = emitter_sites(p.radius - g.radius, spacing).len();
    let speed = p.velocity.iter().map(|v| v * v).sum::<f32>().sqrt();
    let most = sites as f32 * speed / spacing;
    if p.per_second > most {
        let what = format!(
            "is {} per second, but at most {most:.0} fit through: {sites} side by side at {speed} m/s",
            p.per_second
        );
        let help = "increase velocity or radius, or reduce per_second";
        return Err(SceneError::new(format!("{at_pour}.per_second"), what).help(help));
    }
    if g.velocity != [0.0; 3] {
        let what = "is set, but emitted particles have the velocity of pour";
        return Err(SceneError::new(format!("{at}.velocity"), what).help("set pour.velocity"));
    }
    Ok(())
}

pub fn body(at: &str, b: &Body) -> Checked {
    one_of(
        at,
        &[
            ("box", b.cuboid.is_some()),
            ("ball", b.ball.is_some()),
            ("mesh", b.mesh.is_some()),
            ("capsule", b.capsule.is_some()),
            ("cylinder", b.cylinder.is_some()),
            ("cone", b.cone.is_some()),
            ("convex", b.convex.is_some()),
            ("parts", !b.parts.is_empty()),
        ],
    )?;
    let whole = (b.cuboid, b.ball, [b.capsule, b.cylinder, b.cone], b.convex.as_deref());
    convex_shape(at, whole)?;
    for (k, p) in b.parts.iter().enumerate() {
        let at = format!("{at}.parts[{k}]");
        one_of(
            &at,
            &[
                ("box", p.cuboid.is_some()),
                ("ball", p.ball.is_some()),
                ("capsule", p.capsule.is_some()),
                ("cylinder", p.cylinder.is_some()),
                ("cone", p.cone.is_some()),
                ("convex", p.convex.is_some()),
            ],
        )?;
        convex_shape(&at, (p.cuboid, p.ball, [p.capsule, p.cylinder, p.cone], p.convex.as_deref()))?;
        vector(&format!("{at}.translate"), p.translate, 1e5)?;
        if let Some(r) = p.rotate {
            direction(&format!("{at}.rotate.axis"), r.axis)?;
            range(&format!("{at}.rotate.degrees"), r.degrees, -1e6, 1e6)?;
        }
    }
    match b.model {
        Some(BodyModel::Rigid) if b.names_particles() => {
            let what = "is \"rigid\", but grid, merge, recovery, regions, plastic or show = \"particles\" is given";
            return Err(SceneError::new(format!("{at}.model"), what).help("these keys are for bodies of particles"));
        }
        Some(BodyModel::Particles) if b.has_rigid_shape() => {
            let what = "is \"particles\", but capsule, cylinder, cone, convex, parts and pieces are rigid";
            return Err(SceneError::new(format!("{at}.model"), what).help("use box, ball or mesh"));
        }
        None if b.has_rigid_shape() && b.names_particles() => {
            let what =
                "has a rigid shape, but grid, merge, recovery, regions, plastic or show = \"particles\" is given";
            return Err(SceneError::new(at, what).help("use box, ball or mesh for bodies of particles"));
        }
        _ => {}
    }
    if let Some(pieces) = b.pieces {
        count(&format!("{at}.pieces"), pieces, 1, MOST_PIECES)?;
        if b.mesh.is_none() {
            let what = "is given, but only a mesh is cut into pieces";
            return Err(SceneError::new(format!("{at}.pieces"), what).help("give mesh, or leave pieces out"));
        }
    }
    let across = b.particles_across();
    count(&format!("{at}.grid"), across, 1, 1000)?;
    size(&format!("{at}.grid"), u64::from(across).pow(3).saturating_mul(copies(b.array.as_ref())))?;
    range(&format!("{at}.density"), b.density, 1e-6, 1e6)?;
    if b.merge != 0.0 {
        range(&format!("{at}.merge"), b.merge, 0.5, 1e3)?;
    }
    range(&format!("{at}.recovery"), b.recovery, 0.0, 1e3)?;
    if let Some(r) = &b.regions {
        range(&format!("{at}.regions.size"), r.size, 1e-6, 1e5)?;
        range(&format!("{at}.regions.overlap"), r.overlap.unwrap_or(0.0), 0.0, r.size)?;
    }
    if let Some(p) = &b.plastic {
        range(&format!("{at}.plastic.threshold"), p.threshold, 0.0, 1e3)?;
        above(&format!("{at}.plastic.creep"), p.creep, 0.0)?;
        range(&format!("{at}.plastic.most"), p.most, 0.0, 1e3)?;
    }
    placement(at, &b.transform, b.array.as_ref(), b.velocity, &[])?;
    not_itself(at, b.collision.as_ref())?;
    surface(at, b.collision.as_ref(), b.friction.as_ref(), b.restitution)?;
    color(at, b.color)
}

/// Most convex pieces of a mesh.
const MOST_PIECES: u32 = 256;

type ConvexSpec<'a> = (Option<[f32; 3]>, Option<f32>, [Option<RoundSpec>; 3], Option<&'a [[f32; 3]]>);

/// Sizes of a convex shape.
fn convex_shape(at: &str, (cuboid, ball, round, points): ConvexSpec<'_>) -> Checked {
    for (k, &edge) in cuboid.iter().flatten().enumerate() {
        range(&format!("{at}.box[{k}]"), edge, 1e-6, 1e5)?;
    }
    if let Some(radius) = ball {
        range(&format!("{at}.ball"), radius, 1e-6, 1e5)?;
    }
    for (name, spec) in ["capsule", "cylinder", "cone"].iter().zip(round) {
        if let Some(spec) = spec {
            range(&format!("{at}.{name}.radius"), spec.radius, 1e-6, 1e5)?;
            range(&format!("{at}.{name}.length"), spec.length, 1e-6, 1e5)?;
        }
    }
    for (k, &p) in points.iter().flat_map(|points| points.iter()).enumerate() {
        vector(&format!("{at}.convex[{k}]"), p, 1e5)?;
    }
    Ok(())
}

pub fn contact(c: &ContactSpec) -> Checked {
    friction("contact.friction", &c.friction)?;
    range("contact.omega", c.omega, 0.1, 1.9)?;
    range("contact.recovery_speed", c.recovery_speed, 0.0, 1e4)?;
    range("contact.stacking", c.stacking, 0.0, 1e3)?;
    range("contact.restitution", c.restitution, 0.0, 1.0)?;
    range("contact.cohesion", c.cohesion, 0.0, 1e6)?;
    range("contact.rolling", c.rolling, 0.0, 1e4)
}
