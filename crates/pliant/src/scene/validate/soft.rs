//! Validates soft bodies and their generators.

use crate::scene::validate::*;

pub(crate) fn soft(at: &str, s: &Soft) -> Checked {
    let shapes = [
        ("block", s.block.is_some()),
        ("torus", s.torus.is_some()),
        ("ball", s.ball.is_some()),
        ("urchin", s.urchin.is_some()),
        ("figure", s.figure.is_some()),
        ("mesh", s.mesh.is_some()),
        ("inline", s.inline.is_some()),
    ];
    one_of(at, &shapes)?;
    let copies = copies(s.array.as_ref());
    if let Some(b) = &s.block {
        block(&format!("{at}.block"), b, copies)?;
    }
    if let Some(t) = &s.torus {
        torus(&format!("{at}.torus"), t, copies)?;
    }
    if let Some(b) = &s.ball {
        range(&format!("{at}.ball.radius"), b.radius, 1e-6, 1e5)?;
        count(&format!("{at}.ball.cells"), b.cells, 1, 1_000)?;
        size(&format!("{at}.ball.cells"), cube(b.cells).saturating_mul(copies))?;
    }
    if let Some(u) = &s.urchin {
        urchin(&format!("{at}.urchin"), u, copies)?;
    }
    if let Some(f) = &s.figure {
        figure(&format!("{at}.figure"), f, copies)?;
    }
    if let Some(mesh) = &s.inline {
        let at = format!("{at}.inline");
        inline(&at, mesh)?;
        if mesh.masses.is_some() {
            let what = "is given, but the points of a surface are not the particles that fill it";
            return Err(SceneError::new(format!("{at}.masses"), what).help("use density or particle_mass"));
        }
    }
    if let Some(t) = &s.tetrahedra {
        tetrahedra(at, s, t, copies)?;
    }
    squash(at, s.squash)?;
    placement(at, &s.transform, s.array.as_ref(), s.velocity, &s.pin)?;
    mass(at, s.density, s.particle_mass, s.radius)?;
    surface(at, s.collision.as_ref(), s.friction.as_ref(), s.restitution)?;
    color(at, s.color)?;
    elasticity(&format!("{at}.stretch"), Some(s.stretch))?;
    elasticity(&format!("{at}.volume"), Some(s.volume))?;
    fem(at, s.fem)
}

fn tetrahedra(at: &str, s: &Soft, t: &TetrahedraSpec, copies: u64) -> Checked {
    let file = s.mesh.as_deref().unwrap_or_default();
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension).to_lowercase();
    let at = format!("{at}.tetrahedra");
    if !s.has_surface() {
        let what = "is given, but it fills surfaces only: mesh with a surface, or inline";
        return Err(SceneError::new(at, what).help("generators have cells of their own"));
    }
    if ["node", "ele", "msh"].contains(&extension.as_str()) {
        let what = format!("is given, but {file:?} has tetrahedra of its own");
        return Err(SceneError::new(at, what).help("name a surface: .obj, .ply, .stl, .gltf or .glb"));
    }
    if t.count.is_some() && t.size.is_some() {
        return Err(SceneError::new(at, "has count and size, but needs one of them"));
    }
    if let Some(n) = t.count {
        count(&format!("{at}.count"), n, 20, 10_000_000)?;
        size(&format!("{at}.count"), u64::from(n / 5).saturating_mul(copies))?;
    }
    if let Some(length) = t.size {
        range(&format!("{at}.size"), length, 1e-6, 1e5)?;
    }
    count(&format!("{at}.grading"), t.grading, 0, 4)
}

fn block(at: &str, b: &BlockSpec, copies: u64) -> Checked {
    for k in 0..3 {
        count(&format!("{at}.cells[{k}]"), b.cells[k], 1, 10_000)?;
        range(&format!("{at}.size[{k}]"), b.size[k], 1e-6, 1e5)?;
    }
    let particles = b.cells.iter().map(|&c| u64::from(c) + 1).product::<u64>();
    size(&format!("{at}.cells"), particles.saturating_mul(copies))
}

pub(crate) fn figure(at: &str, f: &FigureSpec, copies: u64) -> Checked {
    range(&format!("{at}.height"), f.height, 1e-6, 1e5)?;
    // With fewer cells the ears are thinner than one.
    count(&format!("{at}.cells"), f.cells, 12, 1_000)?;
    carved(&format!("{at}.cells"), cube(f.cells).saturating_mul(copies))
}

pub(crate) fn torus(at: &str, t: &TorusSpec, copies: u64) -> Checked {
    range(&format!("{at}.radius"), t.radius, 1e-6, 1e5)?;
    range(&format!("{at}.width"), t.width, 1e-6, t.radius * 1.99)?;
    range(&format!("{at}.height"), t.height.unwrap_or(t.width), 1e-6, 1e5)?;
    count(&format!("{at}.cells[0]"), t.cells[0], 3, 1_000_000)?;
    count(&format!("{at}.cells[1]"), t.cells[1], 1, 1_000)?;
    let layers = t.layers.unwrap_or(t.cells[1]);
    count(&format!("{at}.layers"), layers, 1, 1_000)?;
    let particles = u64::from(t.cells[0]) * u64::from(t.cells[1] + 1) * u64::from(layers + 1);
    size(&format!("{at}.cells"), particles.saturating_mul(copies))
}

fn urchin(at: &str, u: &UrchinSpec, copies: u64) -> Checked {
    let [across, along] = u.spikes.cells;
    range(&format!("{at}.radius"), u.radius, 1e-6, 1e5)?;
    count(&format!("{at}.cells"), u.cells, 1, 1_000)?;
    range(&format!("{at}.spikes.length"), u.spikes.length, 1e-6, 1e5)?;
    count(&format!("{at}.spikes.cells[0]"), across, 1, 1_000)?;
    count(&format!("{at}.spikes.cells[1]"), along, 1, 1_000)?;
    // Without a gap adjacent spikes would share particles and could not move apart.
    count(&format!("{at}.spikes.gap"), u.spikes.gap, 1, 1_000)?;
    if u.rows() == 0 {
        let message = format!("leaves no room for a spike of {across} cells and its gaps on a ball of {}", u.cells);
        return Err(SceneError::new(format!("{at}.spikes"), message));
    }
    carved(&format!("{at}.cells"), cube(u.cells + 2 * along).saturating_mul(copies))
}

/// Points of a lattice of `cells`³.
fn cube(cells: u32) -> u64 {
    u64::from(cells + 1).pow(3)
}

/// Limits the lattice of carved solids: all its points are evaluated.
fn carved(at: &str, points: u64) -> Checked {
    if points <= MOST_PARTICLES {
        return Ok(());
    }
    let message = format!("needs a lattice of {points} points, but at most {MOST_PARTICLES} are allowed");
    Err(SceneError::new(at, message))
}
