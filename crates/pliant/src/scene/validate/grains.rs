//! Validates grains, bodies of particles, and particle contacts.

use crate::error::SceneError;
use crate::scene::grains::{MOST_ACROSS, emitter_sites};
use crate::scene::validate::{
    Checked, above, color, copies, count, direction, friction, one_of, placement, range, size, vector,
};
use crate::scene::{Body, ContactSpec, Grains, PourSpec};

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
    one_of(at, &[("box", b.cuboid.is_some()), ("ball", b.ball.is_some()), ("mesh", b.mesh.is_some())])?;
    for (k, &edge) in b.cuboid.iter().flatten().enumerate() {
        range(&format!("{at}.box[{k}]"), edge, 1e-6, 1e5)?;
    }
    if let Some(radius) = b.ball {
        range(&format!("{at}.ball"), radius, 1e-6, 1e5)?;
    }
    count(&format!("{at}.grid"), b.grid, 1, 1000)?;
    size(&format!("{at}.grid"), u64::from(b.grid).pow(3).saturating_mul(copies(b.array.as_ref())))?;
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
    color(at, b.color)
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
