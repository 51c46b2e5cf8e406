//! At rest: sheets, rods, beams and ropes under their own weight.

use crate::elastica::elastica;
use crate::fem::{Material, Mesh, displacements};
use crate::support::{G, relative, simulate, step};
use glam::DVec3;
use pliant::World;
use std::f64::consts::PI;

/// Mean way down of the particles for which `chosen` is true of their start.
fn sunk(sim: &mut World, steps: usize, chosen: impl Fn(glam::Vec3) -> bool) -> f64 {
    let start: Vec<glam::Vec3> = (0..sim.particles()).map(|i| sim.position(i)).collect();
    step(sim, steps);
    let picked: Vec<usize> = (0..start.len()).filter(|&i| chosen(start[i])).collect();
    let way = |&i: &usize| f64::from(start[i].y - sim.position(i).y);
    picked.iter().map(way).sum::<f64>() / picked.len() as f64
}

#[test]
fn v17_a_hanging_sheet_stretches_by_its_weight_over_its_modulus() {
    // The last has a second coarse level.
    for (cells, height, density, strain) in
        [([30, 30], 1.0, 0.2, 0.02), ([8, 80], 1.6, 0.5, 0.01), ([12, 120], 1.2, 0.1, 0.03), ([60, 80], 1.3, 0.2, 0.02)]
    {
        let stretch = strain * height;
        let modulus = density * G * height * height / (2.0 * stretch);
        let mut sim = simulate(&format!(
            "[world]\nair_density = 0\ndamping = 4\n[[cloth]]\ngrid = {{ cells = {cells:?}, size = [{}, {height}] }}\n\
             density = {density}\nstretch = {{ modulus = {modulus} }}\npin = [{{ at = \"top edge\" }}]\n",
            height * f64::from(cells[0]) / f64::from(cells[1])
        ));
        let found = sunk(&mut sim, 400, |p| p.y < 1e-5);
        eprintln!("sheet {cells:?}: {:.3} mm against {:.3} mm", 1e3 * found, 1e3 * stretch);
        assert!(relative(found, stretch) < 0.05, "{cells:?}: {found} m against {stretch} m");
    }
}

#[test]
fn v18_a_clamped_rod_sags_like_the_heavy_elastica() {
    for (segments, length, radius, softness) in
        [(20, 0.6, 0.008_f64, 4.0), (60, 1.2, 0.005, 8.0), (200, 0.8, 0.01, 3.0)]
    {
        let density = 0.3;
        let inertia = PI * radius.powi(4) / 4.0;
        let young = density * G * f64::powi(length, 3) / softness / inertia;
        let h = length / f64::from(segments);
        let mut sim = simulate(&format!(
            "[world]\nair_density = 0\ndamping = 3\n[[rope]]\npath = [[{}, 0, 0], [{length}, 0, 0]]\nsegments = {}\n\
             radius = {radius}\ndensity = {density}\nstretch = {{ modulus = {young} }}\nbend = {{ modulus = {young} }}\n\
             twist = {{ modulus = {} }}\npin = [{{ particles = [0, 1] }}]\n",
            -h,
            segments + 1,
            young / 2.6
        ));
        let found = sunk(&mut sim, 500, |p| f64::from(p.x) > length - 0.5 * h);
        // Two fixed particles clamp half a segment before the second one.
        let exact = elastica(young * inertia, density * G, length + 0.5 * h);
        eprintln!("rod of {segments}: {:.2} mm against {:.2} mm", 1e3 * found, 1e3 * exact);
        assert!(relative(found, exact) < 0.02, "{segments} segments: {found} m against {exact} m");
    }
}

#[test]
fn v18_a_clamped_strip_of_cloth_sags_like_the_heavy_elastica() {
    // The last has a second coarse level.
    for (along, across, model) in
        [(30, 6, "dihedral"), (20, 8, "isometric"), (60, 6, "isometric"), (90, 36, "isometric")]
    {
        let (cell, density) = (0.3 / f64::from(along), 0.2);
        let length = f64::from(along - 1) * cell;
        let rigidity = density * G * length.powi(3) / 4.0;
        let mut sim = simulate(&format!(
            "[world]\nair_density = 0\ndamping = 3\n[[cloth]]\ngrid = {{ cells = [{along}, {across}], size = [{}, {}], \
             plane = \"xz\" }}\ndensity = {density}\nstretch = {{ modulus = {} }}\nbend = {{ modulus = {rigidity} }}\n\
             bend_model = \"{model}\"\npin = [{{ inside = {{ min = [-1, -1, -1], max = [{}, 1, 1] }} }}]\n",
            f64::from(along) * cell,
            f64::from(across) * cell,
            3000.0 * density * G * length,
            1.01 * cell
        ));
        let found = sunk(&mut sim, 400, |p| f64::from(p.x) > (f64::from(along) - 0.5) * cell);
        // The hinges at the clamp bend over a whole cell, half of which lies within it.
        let exact = elastica(rigidity, density * G, length + 0.5 * cell);
        eprintln!("strip {along}×{across}, {model}: {:.2} mm against {:.2} mm", 1e3 * found, 1e3 * exact);
        assert!(relative(found, exact) < 0.05, "{along}×{across}: {found} m against {exact} m");
    }
}

#[test]
fn v19_a_clamped_beam_sags_like_linear_finite_elements_on_its_mesh() {
    // The last has a second coarse level.
    for (cells, young, poisson) in
        [([12, 2, 2], 1e7, 0.3), ([33, 4, 3], 2.5e7, 0.3), ([20, 4, 4], 4e6, 0.4), ([70, 6, 6], 2.5e7, 0.3)]
    {
        let [length, height, width] = [1.0, 0.14, 0.12];
        let density = 800.0;
        let mut sim = simulate(&format!(
            "[world]\nair_density = 0\ndamping = 6\n[[soft]]\nblock = {{ cells = {cells:?}, size = [{length}, {height}, \
             {width}] }}\ndensity = {density}\nfem = {{ young = {young}, poisson = {poisson} }}\n\
             pin = [{{ inside = {{ min = [-0.001, -1, -1], max = [0.001, 1, 1] }} }}]\n"
        ));
        let n = sim.particles();
        // The solver of the reference wants the clamped points first.
        let at = |sim: &World, i: usize| sim.position(i).as_dvec3();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| at(&sim, a).x.total_cmp(&at(&sim, b).x));
        let mut number = vec![0_u32; n];
        order.iter().enumerate().for_each(|(new, &old)| number[old] = new as u32);
        let points: Vec<DVec3> = order.iter().map(|&i| at(&sim, i)).collect();
        let tets: Vec<[u32; 4]> = sim.topology().tets.iter().map(|t| t.map(|i| number[i as usize])).collect();
        let clamp = points.iter().filter(|p| p.x < 1e-3).count();
        let weight = |&i: &usize| match sim.state().rows[i][3] {
            0.0 => DVec3::ZERO,
            w => DVec3::new(0.0, -G / f64::from(w), 0.0),
        };
        let forces: Vec<DVec3> = order.iter().map(weight).collect();
        let exact = displacements(&points, &Mesh::Tets(&tets), Material { young, poisson }, &forces, clamp);
        let tip: Vec<usize> = (0..n).filter(|&k| points[k].x > length - 1e-4).collect();
        let exact = -tip.iter().map(|&k| exact[k].y).sum::<f64>() / tip.len() as f64;
        let found = sunk(&mut sim, 400, |p| f64::from(p.x) > length - 1e-4);
        eprintln!("beam {cells:?}: {:.3} mm against {:.3} mm", 1e3 * found, 1e3 * exact);
        assert!(relative(found, exact) < 0.02, "{cells:?}: {found} m against {exact} m");
    }
}

#[test]
fn a_string_under_tension_has_its_first_frequency() {
    // Stretched by a fifth between two pins, plucked in the middle: f = √(T/μ)/(2L).
    let (length, density, young, radius) = (1.0, 0.05, 2e5, 0.01_f64);
    let tension = 0.25 * young * PI * radius * radius;
    let stretched_density = density / 1.25;
    let mut sim = simulate(&format!(
        "[solver]\ndt = 0.002\n[world]\ngravity = [0, 0, 0]\nair_density = 0\n[[rope]]\npath = [[0, 0, 0], [{length}, 0, \
         0]]\nslack = 0.8\nsegments = 40\nradius = {radius}\nparticle_mass = {}\nstretch = {{ modulus = {young} }}\n\
         pin = [{{ at = \"start\" }}, {{ at = \"end\" }}]\n",
        stretched_density * length / 40.0
    ));
    for i in 1..40 {
        let shape = (PI * i as f64 / 40.0).sin();
        sim.state_mut().velocities[i][1] = (0.05 * shape) as f32;
    }
    let exact = (tension / stretched_density).sqrt() / (2.0 * length);
    // Time from the first to the third zero crossing of the middle is one period.
    let (mut crossings, mut last, mut steps) = (Vec::new(), 0.0_f64, 0);
    while crossings.len() < 4 && steps < 2000 {
        step(&mut sim, 1);
        steps += 1;
        let y = f64::from(sim.position(20).y);
        if last * y < 0.0 {
            crossings.push((f64::from(steps) - y / (y - last)) * 0.002);
        }
        last = y;
    }
    let found = 1.0 / (crossings[2] - crossings[0]);
    eprintln!("string: {found:.3} Hz against {exact:.3} Hz");
    assert!(relative(found, exact) < 0.05, "{found} Hz against {exact} Hz");
}

#[test]
fn a_loaded_rope_stretches_by_its_load() {
    // Ten thousand times the mass of a link at the end: local methods need a thousand substeps for it.
    let (young, radius) = (1e8, 0.005_f64);
    let mut sim = simulate(&format!(
        "[world]\nair_density = 0\ndamping = 20\n[[rope]]\npath = [[0, 0, 0], [0, -1, 0]]\nsegments = 100\nradius = \
         {radius}\ndensity = 0.1\nstretch = {{ modulus = {young} }}\npin = [{{ at = \"start\" }}]\n"
    ));
    let end = sim.particles() - 1;
    sim.state_mut().rows[end][3] = 0.1;
    let found = sunk(&mut sim, 400, |p| p.y < -0.999);
    let exact = (10.0 + 0.05) * G / (young * PI * radius * radius);
    eprintln!("loaded rope: {:.4} mm against {:.4} mm", 1e3 * found, 1e3 * exact);
    assert!(relative(found, exact) < 0.02, "{found} m against {exact} m");
}
