//! Validates every number of a scene against its range, and reports the path of the invalid one.
//!
//! Ranges are wide: they reject values that cannot be computed with, not unusual ones.

mod change;
mod collider;
pub(crate) mod collision;
mod grains;
pub(crate) mod joint;
mod liquid;
mod soft;

use crate::error::SceneError;
use crate::scene::validate::collision::{collision, friction, not_itself, surface};
use crate::scene::*;

type Checked = Result<(), SceneError>;

/// Maximum copies, cells and particles of a scene, so that a typing error does not exhaust memory.
pub(crate) const MOST_PARTICLES: u64 = 100_000_000;

/// Maximum width and height of pictures [pixels]: what the renderer's fixed-point numbers hold.
const MOST_PIXELS: u32 = 4096;

pub(crate) use crate::scene::validate::liquid::as_grains;

pub(crate) fn validate(scene: &Scene) -> Checked {
    solver(&scene.solver)?;
    world(&scene.world)?;
    for (i, c) in scene.cloth.iter().enumerate() {
        cloth(&format!("cloth[{i}]"), c)?;
    }
    for (i, r) in scene.rope.iter().enumerate() {
        rope(&format!("rope[{i}]"), r)?;
    }
    for (i, s) in scene.soft.iter().enumerate() {
        soft::soft(&format!("soft[{i}]"), s)?;
    }
    for (i, b) in scene.inflatable.iter().enumerate() {
        inflatable(&format!("inflatable[{i}]"), b)?;
    }
    for (i, g) in scene.grains.iter().enumerate() {
        grains::grains(&format!("grains[{i}]"), g)?;
    }
    for (i, b) in scene.body.iter().enumerate() {
        grains::body(&format!("body[{i}]"), b)?;
    }
    liquid::fluid(&scene.fluid)?;
    for (i, l) in scene.liquid.iter().enumerate() {
        liquid::liquid(&format!("liquid[{i}]"), l, scene)?;
    }
    grains::contact(&scene.contact)?;
    for (i, a) in scene.attach.iter().enumerate() {
        let at = format!("attach[{i}]");
        above(&format!("{at}.within"), a.within, 0.0)?;
        range(&format!("{at}.compliance"), a.compliance, 0.0, 1e12)?;
        select(&format!("{at}.from"), &a.from)?;
        select(&format!("{at}.to"), &a.to)?;
    }
    for (i, j) in scene.joint.iter().enumerate() {
        joint::joint(&format!("joint[{i}]"), j)?;
    }
    for (i, c) in scene.collider.iter().enumerate() {
        collider::collider(&format!("collider[{i}]"), c)?;
    }
    for (i, d) in scene.drain.iter().enumerate() {
        change::drain(&format!("drain[{i}]"), d)?;
    }
    for (i, m) in scene.melt.iter().enumerate() {
        change::melt(&format!("melt[{i}]"), m)?;
    }
    for (i, f) in scene.freeze.iter().enumerate() {
        change::freeze(&format!("freeze[{i}]"), f)?;
    }
    view(scene)
}

fn solver(s: &Solver) -> Checked {
    range("solver.dt", s.dt, 1e-7, 1e3)?;
    count("solver.substeps", s.substeps, 0, 10_000)?;
    count("solver.iterations", s.iterations, 0, MOST_ITERATIONS)?;
    count("solver.stabilization", s.stabilization, 0, 100)?;
    range("solver.omega", s.omega, 0.01, 2.0)?;
    if let Some(q) = s.colors {
        count("solver.colors", q, 2, MOST_COLORS)?;
    }
    if let Some(n) = s.patch_particles {
        count("solver.patch_particles", n, 8, 1 << 24)?;
    }
    if s.method == Method::Vbd && !s.partition.is_parallel() {
        let what = format!("solves bodies one beside the other, but the partition is {:?}", s.partition.name());
        return Err(
            SceneError::new("solver.method", what).help("leave solver.partition at \"auto\", or choose \"xpbd\"")
        );
    }
    if s.together && !matches!(s.partition, Partition::Color) {
        let what = format!("colors all kinds together, but the partition is {:?}", s.partition.name());
        return Err(SceneError::new("solver.together", what).help("set solver.partition = \"color\""));
    }
    range("solver.sleep_speed", s.sleep_speed, 0.0, 1e3)?;
    range("solver.contact_margin", s.contact_margin, 0.0, 1e3)
}

fn world(w: &WorldSpec) -> Checked {
    vector("world.gravity", w.gravity, 1e4)?;
    range("world.air_density", w.air_density, 0.0, 1e4)?;
    range("world.damping", w.damping, 0.0, 1e4)?;
    if let Some(wind) = &w.wind {
        vector("world.wind.velocity", wind.velocity, 1e3)?;
        range("world.wind.gust", wind.gust, 0.0, 1.0)?;
        range("world.wind.period", wind.period, 1e-3, 1e6)?;
    }
    Ok(())
}

fn cloth(at: &str, c: &Cloth) -> Checked {
    one_of(at, &[("grid", c.grid.is_some()), ("inline", c.inline.is_some()), ("mesh", c.mesh.is_some())])?;
    if let Some(mesh) = &c.inline {
        inline(&format!("{at}.inline"), mesh)?;
    }
    if let Some(g) = &c.grid {
        for (k, (&cells, &size)) in g.cells.iter().zip(&g.size).enumerate() {
            count(&format!("{at}.grid.cells[{k}]"), cells, 1, 20_000)?;
            range(&format!("{at}.grid.size[{k}]"), size, 1e-6, 1e5)?;
        }
        let particles = u64::from(g.cells[0] + 1) * u64::from(g.cells[1] + 1);
        size(&format!("{at}.grid.cells"), particles.saturating_mul(copies(c.array.as_ref())))?;
    }
    squash(at, c.squash)?;
    placement(at, &c.transform, c.array.as_ref(), c.velocity, &c.pin)?;
    mass(at, c.density, c.particle_mass, c.radius)?;
    surface(at, c.collision.as_ref(), c.friction.as_ref(), c.restitution)?;
    color(at, c.color)?;
    elasticity(&format!("{at}.stretch"), Some(c.stretch))?;
    elasticity(&format!("{at}.bend"), c.bend)?;
    fem(at, c.fem)?;
    range(&format!("{at}.thickness"), c.thickness, 1e-7, 10.0)?;
    if let Some(t) = c.tether {
        range(&format!("{at}.tether"), t, 1.0, 100.0)?;
    }
    range(&format!("{at}.drag"), c.drag, 0.0, 100.0)?;
    range(&format!("{at}.lift"), c.lift, 0.0, 100.0)
}

fn inline(at: &str, mesh: &InlineMesh) -> Checked {
    let n = mesh.points.len();
    for (k, &p) in mesh.points.iter().enumerate() {
        vector(&format!("{at}.points[{k}]"), p, 1e5)?;
    }
    for (k, t) in mesh.triangles.iter().enumerate() {
        if let Some(bad) = t.iter().find(|&&i| i as usize >= n) {
            let message = format!("names point {bad}, but there are {n} points, from 0");
            return Err(SceneError::new(format!("{at}.triangles[{k}]"), message));
        }
    }
    let Some(masses) = &mesh.masses else { return Ok(()) };
    if masses.len() != n {
        let message = format!("has {} entries, but there are {n} points", masses.len());
        return Err(SceneError::new(format!("{at}.masses"), message));
    }
    masses.iter().enumerate().try_for_each(|(k, &m)| range(&format!("{at}.masses[{k}]"), m, 1e-9, 1e9))
}

fn rope(at: &str, r: &Rope) -> Checked {
    if r.path.len() < 2 {
        let found = r.path.len();
        return Err(SceneError::new(format!("{at}.path"), format!("has {found} points, but a rope needs at least 2"))
            .help("write path = [[0, 1, 0], [1, 1, 0]]"));
    }
    for (k, &p) in r.path.iter().enumerate() {
        vector(&format!("{at}.path[{k}]"), p, 1e5)?;
    }
    for k in 1..r.path.len() {
        if r.path[k] == r.path[k - 1] {
            return Err(SceneError::new(format!("{at}.path[{k}]"), "is the same point as the one before it"));
        }
    }
    count(&format!("{at}.segments"), r.segments, 1, 10_000_000)?;
    size(&format!("{at}.segments"), u64::from(r.segments + 1).saturating_mul(copies(r.array.as_ref())))?;
    range(&format!("{at}.slack"), r.slack, 0.01, 100.0)?;
    placement(at, &r.transform, r.array.as_ref(), r.velocity, &r.pin)?;
    mass(at, r.density, r.particle_mass, r.radius)?;
    surface(at, r.collision.as_ref(), r.friction.as_ref(), r.restitution)?;
    color(at, r.color)?;
    elasticity(&format!("{at}.stretch"), Some(r.stretch))?;
    elasticity(&format!("{at}.bend"), r.bend)?;
    elasticity(&format!("{at}.twist"), r.twist)
}

fn inflatable(at: &str, b: &Inflatable) -> Checked {
    one_of(at, &[("sphere", b.sphere.is_some()), ("mesh", b.mesh.is_some())])?;
    if let Some(s) = &b.sphere {
        range(&format!("{at}.sphere.radius"), s.radius, 1e-6, 1e5)?;
        count(&format!("{at}.sphere.subdivisions"), s.subdivisions, 0, 8)?;
        size(
            &format!("{at}.sphere.subdivisions"),
            (10 * 4_u64.pow(s.subdivisions) + 2).saturating_mul(copies(b.array.as_ref())),
        )?;
    }
    range(&format!("{at}.pressure"), b.pressure, 0.0, 1e3)?;
    placement(at, &b.transform, b.array.as_ref(), b.velocity, &b.pin)?;
    mass(at, b.density, b.particle_mass, b.radius)?;
    surface(at, b.collision.as_ref(), b.friction.as_ref(), b.restitution)?;
    color(at, b.color)?;
    elasticity(&format!("{at}.stretch"), Some(b.stretch))?;
    elasticity(&format!("{at}.volume"), Some(b.volume))?;
    elasticity(&format!("{at}.bend"), b.bend)?;
    range(&format!("{at}.drag"), b.drag, 0.0, 100.0)?;
    range(&format!("{at}.lift"), b.lift, 0.0, 100.0)
}

fn view(scene: &Scene) -> Checked {
    for (name, point) in [("camera.eye", scene.camera.eye), ("camera.target", scene.camera.target)] {
        if let Some(p) = point {
            vector(name, p, 1e5)?;
        }
    }
    range("camera.fov", scene.camera.fov, 1.0, 170.0)?;
    let o = &scene.output;
    range("output.seconds", o.seconds, 0.0, 1e6)?;
    range("output.fps", o.fps, 0.01, 1e5)?;
    for (name, pixels) in [("output.width", o.width), ("output.height", o.height)] {
        count(name, pixels, 16, MOST_PIXELS)?;
        if pixels % 2 == 1 {
            return Err(SceneError::new(name, format!("is {pixels}, but videos need an even number of pixels")));
        }
    }
    range("output.surface.cell", o.surface.cell, 0.25, 2.0)?;
    count("output.surface.smoothing", o.surface.smoothing, 0, 1000)?;
    if let Some(f) = &o.foam {
        liquid::foam(f)?;
    }
    o.still.map_or(Ok(()), |t| range("output.still", t, 0.0, 1e6))
}

fn placement(at: &str, t: &Transform, array: Option<&ArraySpec>, velocity: [f32; 3], pins: &[Pin]) -> Checked {
    range(&format!("{at}.transform.scale"), t.scale, 1e-6, 1e6)?;
    vector(&format!("{at}.transform.translate"), t.translate, 1e5)?;
    rotation(&format!("{at}.transform.rotate"), t.rotate)?;
    vector(&format!("{at}.velocity"), velocity, 1e4)?;
    if let Some(a) = array {
        for k in 0..3 {
            count(&format!("{at}.array.count[{k}]"), a.count[k], 1, 1_000_000)?;
        }
        vector(&format!("{at}.array.spacing"), a.spacing, 1e5)?;
        size(&format!("{at}.array.count"), copies(Some(a)))?;
    }
    for (k, pin) in pins.iter().enumerate() {
        let at = format!("{at}.pin[{k}]");
        let ways = [("at", pin.at.is_some()), ("particles", pin.particles.is_some()), ("inside", pin.inside.is_some())];
        one_of(&at, &ways)?;
        region(&at, pin.inside.as_ref())?;
        motion(&at, pin.motion.as_ref())?;
    }
    Ok(())
}

fn select(at: &str, s: &Select) -> Checked {
    let given = [s.at.is_some(), s.particles.is_some(), s.inside.is_some()];
    if given.iter().filter(|&&g| g).count() > 1 {
        return Err(SceneError::new(at, "give at most one of at, particles, inside"));
    }
    region(at, s.inside.as_ref())
}

fn region(at: &str, region: Option<&Region>) -> Checked {
    let Some(r) = region else { return Ok(()) };
    vector(&format!("{at}.inside.min"), r.min, 1e6)?;
    vector(&format!("{at}.inside.max"), r.max, 1e6)?;
    if (0..3).any(|k| r.min[k] > r.max[k]) {
        return Err(SceneError::new(format!("{at}.inside"), format!("min {:?} is above max {:?}", r.min, r.max)));
    }
    Ok(())
}

fn motion(at: &str, motion: Option<&MotionSpec>) -> Checked {
    motion_at(&format!("{at}.motion"), motion)
}

/// Checks a motion that is given between steps.
pub(crate) fn check_motion(motion: Option<&MotionSpec>) -> Checked {
    motion_at("motion", motion)
}

fn motion_at(at: &str, motion: Option<&MotionSpec>) -> Checked {
    match motion {
        None => Ok(()),
        Some(MotionSpec::Oscillate { amplitude, period, phase }) => {
            vector(&format!("{at}.oscillate.amplitude"), *amplitude, 1e5)?;
            range(&format!("{at}.oscillate.period"), *period, 1e-4, 1e6)?;
            range(&format!("{at}.oscillate.phase"), *phase, -1e6, 1e6)
        }
        Some(MotionSpec::Spin { axis, center, rate }) => {
            direction(&format!("{at}.spin.axis"), *axis)?;
            vector(&format!("{at}.spin.center"), *center, 1e5)?;
            range(&format!("{at}.spin.rate"), *rate, -1e6, 1e6)
        }
        Some(MotionSpec::Keys { frames, center }) => {
            vector(&format!("{at}.keys.center"), *center, 1e5)?;
            if frames.is_empty() {
                return Err(SceneError::new(format!("{at}.keys.frames"), "is empty, but at least one key is needed"));
            }
            for (k, f) in frames.iter().enumerate() {
                let at = format!("{at}.keys.frames[{k}]");
                range(&format!("{at}.time"), f.time, -1e6, 1e6)?;
                vector(&format!("{at}.translate"), f.translate, 1e5)?;
                rotation(&format!("{at}.rotate"), f.rotate)?;
                if k > 0 && f.time <= frames[k - 1].time {
                    let before = frames[k - 1].time;
                    return Err(SceneError::new(
                        format!("{at}.time"),
                        format!("is {} s, but the key before it is at {before} s", f.time),
                    ));
                }
            }
            Ok(())
        }
    }
}

fn mass(at: &str, density: f32, particle_mass: Option<f32>, radius: f32) -> Checked {
    range(&format!("{at}.density"), density, 1e-9, 1e9)?;
    if let Some(m) = particle_mass {
        range(&format!("{at}.particle_mass"), m, 1e-9, 1e9)?;
    }
    range(&format!("{at}.radius"), radius, 0.0, 1e4)
}

fn elasticity(at: &str, e: Option<Elasticity>) -> Checked {
    match e {
        None => Ok(()),
        Some(Elasticity::Compliance(a)) => range(&format!("{at}.compliance"), a, 0.0, 1e12),
        Some(Elasticity::Modulus(m)) => range(&format!("{at}.modulus"), m, 1e-9, 1e15),
        Some(Elasticity::Stiffness(k)) => range(&format!("{at}.stiffness"), k, 1e-6, 1.0),
    }
}

fn squash(at: &str, factors: [f32; 3]) -> Checked {
    (0..3).try_for_each(|k| range(&format!("{at}.squash[{k}]"), factors[k], 1e-4, 100.0))
}

fn fem(at: &str, fem: Option<Fem>) -> Checked {
    let Some(f) = fem else { return Ok(()) };
    range(&format!("{at}.fem.young"), f.young, 1e-6, 1e15)?;
    range(&format!("{at}.fem.poisson"), f.poisson, 0.0, 0.49)
}

fn color(at: &str, color: Option<[f32; 3]>) -> Checked {
    let Some(c) = color else { return Ok(()) };
    (0..3).try_for_each(|k| range(&format!("{at}.color[{k}]"), c[k], 0.0, 1.0))
}

fn rotation(at: &str, r: Option<Rotate>) -> Checked {
    let Some(r) = r else { return Ok(()) };
    direction(&format!("{at}.axis"), r.axis)?;
    range(&format!("{at}.degrees"), r.degrees, -1e6, 1e6)
}

fn direction(at: &str, v: [f32; 3]) -> Checked {
    vector(at, v, 1e6)?;
    if v.iter().map(|c| c * c).sum::<f32>() < 1e-12 {
        return Err(SceneError::new(at, format!("is {v:?}, but a direction must not be zero")));
    }
    Ok(())
}

fn vector(at: &str, v: [f32; 3], most: f32) -> Checked {
    (0..3).try_for_each(|k| range(&format!("{at}[{k}]"), v[k], -most, most))
}

fn above(at: &str, v: f32, least: f32) -> Checked {
    if v > least && v < 1e9 { Ok(()) } else { Err(SceneError::new(at, format!("is {v}, but must be above {least}"))) }
}

fn range(at: &str, v: f32, least: f32, most: f32) -> Checked {
    // Not `contains`: the comparison must fail for NaN.
    if v >= least && v <= most {
        return Ok(());
    }
    Err(SceneError::new(at, format!("is {v}, but must lie between {least} and {most}")))
}

fn count(at: &str, v: u32, least: u32, most: u32) -> Checked {
    if (least..=most).contains(&v) {
        return Ok(());
    }
    Err(SceneError::new(at, format!("is {v}, but must lie between {least} and {most}")))
}

fn copies(array: Option<&ArraySpec>) -> u64 {
    array.map_or(1, |a| a.count.iter().map(|&c| u64::from(c)).fold(1, u64::saturating_mul))
}

fn size(at: &str, particles: u64) -> Checked {
    if particles <= MOST_PARTICLES {
        return Ok(());
    }
    Err(SceneError::new(at, format!("makes {particles} particles, but at most {MOST_PARTICLES} are allowed")))
}

fn one_of(at: &str, ways: &[(&str, bool)]) -> Checked {
    let given: Vec<_> = ways.iter().filter(|w| w.1).map(|w| w.0).collect();
    if given.len() == 1 {
        return Ok(());
    }
    let all = ways.iter().map(|w| w.0).collect::<Vec<_>>().join(", ");
    let found = if given.is_empty() { "none of them".to_owned() } else { given.join(" and ") };
    Err(SceneError::new(at, format!("needs exactly one of {all}, but has {found}")))
}
