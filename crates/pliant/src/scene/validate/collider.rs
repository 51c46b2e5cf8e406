//! Validates colliders.

use crate::scene::validate::*;

/// Maximum points of a hull.
const MOST_POINTS: usize = 1_000_000;

pub(crate) fn collider(at: &str, c: &Collider) -> Checked {
    let shapes = [
        ("plane", c.plane.is_some()),
        ("sphere", c.sphere.is_some()),
        ("capsule", c.capsule.is_some()),
        ("cylinder", c.cylinder.is_some()),
        ("box", c.cuboid.is_some()),
        ("convex", c.convex.is_some()),
        ("surface", c.surface.is_some()),
        ("sdf", c.sdf.is_some()),
    ];
    one_of(at, &shapes)?;
    if let Some(p) = &c.plane {
        direction(&format!("{at}.plane.normal"), p.normal)?;
        range(&format!("{at}.plane.offset"), p.offset, -1e5, 1e5)?;
    }
    if let Some(k) = &c.capsule {
        vector(&format!("{at}.capsule.from"), k.from, 1e5)?;
        vector(&format!("{at}.capsule.to"), k.to, 1e5)?;
        range(&format!("{at}.capsule.radius"), k.radius, 1e-6, 1e5)?;
    }
    if let Some(k) = &c.cylinder {
        let at = format!("{at}.cylinder");
        vector(&format!("{at}.from"), k.from, 1e5)?;
        vector(&format!("{at}.to"), k.to, 1e5)?;
        range(&format!("{at}.radius"), k.radius, 1e-6, 1e5)?;
        let length = glam::Vec3::from(k.from).distance(k.to.into());
        if length < 1e-6 {
            return Err(SceneError::new(at, format!("is {length} m long, but at least 1e-6 m is needed")));
        }
    }
    plain(at, c.cuboid.as_ref(), c.sphere.as_ref())?;
    for (key, spec) in [("convex", &c.convex), ("surface", &c.surface), ("sdf", &c.sdf)] {
        if let Some(spec) = spec {
            shape(&format!("{at}.{key}"), key, spec)?;
        }
    }
    collision(at, c.collision.as_ref())?;
    not_itself(at, c.collision.as_ref())?;
    friction(&format!("{at}.friction"), &c.friction)?;
    range(&format!("{at}.restitution"), c.restitution, 0.0, 1.0)?;
    range(&format!("{at}.rolling"), c.rolling, 0.0, 1e4)?;
    motion(at, c.motion.as_ref())
}

/// Boxes and spheres of colliders, drains and freezing.
pub(crate) fn plain(at: &str, cuboid: Option<&BoxShape>, sphere: Option<&SphereShape>) -> Checked {
    if let Some(s) = sphere {
        vector(&format!("{at}.sphere.center"), s.center, 1e5)?;
        range(&format!("{at}.sphere.radius"), s.radius, 1e-6, 1e5)?;
    }
    if let Some(b) = cuboid {
        vector(&format!("{at}.box.center"), b.center, 1e5)?;
        for k in 0..3 {
            range(&format!("{at}.box.size[{k}]"), b.size[k], 1e-6, 1e5)?;
        }
        rotation(&format!("{at}.box.rotate"), b.rotate)?;
    }
    Ok(())
}

fn shape(at: &str, key: &str, s: &MeshShape) -> Checked {
    let mut sources = vec![
        ("mesh", s.mesh.is_some()),
        ("inline", s.inline.is_some()),
        ("bowl", s.bowl.is_some()),
        ("torus", s.torus.is_some()),
        ("figure", s.figure.is_some()),
    ];
    if key == "convex" {
        sources.push(("points", s.points.is_some()));
    } else if s.points.is_some() {
        return Err(SceneError::new(format!("{at}.points"), "are allowed for convex only"));
    }
    one_of(at, &sources)?;
    match s.grid {
        Some(grid) if key == "sdf" => count(&format!("{at}.grid"), grid, 4, 256)?,
        Some(_) => return Err(SceneError::new(format!("{at}.grid"), format!("belongs to sdf, not to {key}"))),
        None => {}
    }
    if let Some(mesh) = &s.inline {
        inline(&format!("{at}.inline"), mesh)?;
        if mesh.masses.is_some() {
            return Err(SceneError::new(format!("{at}.inline.masses"), "a collider has no masses"));
        }
    }
    for (k, &p) in s.points.iter().flatten().enumerate() {
        vector(&format!("{at}.points[{k}]"), p, 1e5)?;
    }
    if let Some(found) = s.points.as_ref().map(Vec::len).filter(|&n| n > MOST_POINTS) {
        let message = format!("has {found} points, but at most {MOST_POINTS} are allowed");
        return Err(SceneError::new(format!("{at}.points"), message));
    }
    if let Some(b) = &s.bowl {
        range(&format!("{at}.bowl.radius"), b.radius, 1e-6, 1e5)?;
        // A full sphere would have no rim.
        range(&format!("{at}.bowl.height"), b.height, 1e-3 * b.radius, 1.99 * b.radius)?;
        count(&format!("{at}.bowl.segments"), b.segments, 3, 2000)?;
    }
    if let Some(t) = &s.torus {
        soft::torus(&format!("{at}.torus"), t, 1)?;
    }
    if let Some(f) = &s.figure {
        soft::figure(&format!("{at}.figure"), f, 1)?;
    }
    placement(at, &s.transform, None, [0.0; 3], &[])
}
