//! Continuum elements: forces are the gradient of the energy, and small strains are linear elasticity.

use crate::sheets::{self, Diagonals, grid, samples};
use crate::support::{Double, Rng, sample};
use glam::{DMat3, DVec3};
use pliant::builder::NoMeshes;
use pliant::builder::part::Part;
use pliant::builder::soft::soft;
use pliant::constraints::ConstraintKind;
use pliant::scene::{Cloth, Elasticity, Fem, FemMaterial, Format, Method, Scene};

const NEO_HOOKEAN: [ConstraintKind; 2] = [ConstraintKind::NeoHookeanTriangle, ConstraintKind::NeoHookeanTet];

#[test]
fn v35_neo_hookean_forces_are_the_gradient_of_the_energy_by_finite_differences() {
    let mut rng = Rng(31);
    for kind in NEO_HOOKEAN {
        for round in 0..60 {
            let mut at = sample(kind, &mut rng);
            at.set_compliance(0.7);
            // From the usual to crushed and, for the tet, inside out.
            let by = [1.0, 0.3, -0.8][round % 3];
            at.rows.iter_mut().for_each(|r| r[2] *= by);
            // With 1/h² = 1e12 a projection is one explicit step: Δx = −h²·w·∇Ψ.
            let outcome = at.project::<Double>((1e12, 1.0), &at.no_lambda());
            for row in 0..at.rows.len() {
                let slope: Vec<f64> = (0..3)
                    .map(|c| {
                        let step = 1e-5;
                        let mut moved = at.clone();
                        moved.rows[row][c] += step;
                        let ahead = moved.measure::<Double>()[1];
                        moved.rows[row][c] -= 2.0 * step;
                        (ahead - moved.measure::<Double>()[1]) / (2.0 * step)
                    })
                    .collect();
                let size = slope.iter().map(|s| s * s).sum::<f64>().sqrt().max(1e-2);
                for c in 0..3 {
                    let found = -1e12 * outcome.rows[row][c] / at.weight(row);
                    assert!((found - slope[c]).abs() < 1e-6 * size, "{kind:?} row {row}: {found} against {}", slope[c]);
                }
            }
        }
    }
}

/// Mean energy of ±`strain`, which has no odd terms [J].
fn energy(part: &Part, kind: ConstraintKind, points: &[DVec3], strain: DMat3) -> f64 {
    let at = |sign: f64| -> f64 {
        let moved: Vec<DVec3> = points.iter().map(|&p| p + strain * p * sign).collect();
        samples(part, kind).iter_mut().map(|(rows, s)| s.placed(rows, &moved).measure::<Double>()[1]).sum()
    };
    0.5 * (at(1.0) + at(-1.0))
}

/// Strains of size 1e-3: uniaxial, biaxial, shear, and a random one.
fn strains(rng: &mut Rng, plane: bool) -> Vec<DMat3> {
    let (x, y) = (DVec3::X, DVec3::Y);
    let mut all = vec![
        DMat3::from_diagonal(x),
        DMat3::from_diagonal(y),
        DMat3::from_diagonal(x + y),
        DMat3::from_cols(y, x, DVec3::ZERO),
    ];
    for _ in 0..4 {
        let m = DMat3::from_cols(rng.cube(1.0), rng.cube(1.0), rng.cube(1.0));
        let mut m = (m + m.transpose()) * 0.5;
        if plane {
            m.z_axis = DVec3::ZERO;
            (m.x_axis.z, m.y_axis.z) = (0.0, 0.0);
        }
        all.push(m);
    }
    all.iter().map(|m| *m * 1e-3).collect()
}

fn assert_linear(name: &str, found: f64, [shear, lambda]: [f64; 2], strain: DMat3, volume: f64) {
    let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
    let squares: f64 = strain.to_cols_array().iter().map(|v| v * v).sum();
    let exact = volume * (shear * squares + 0.5 * lambda * trace * trace);
    // Parameters are single precision, and the energy is quartic in the strain where it is not quadratic.
    assert!((found / exact - 1.0).abs() < 1e-4, "{name}: {found} against {exact}");
}

#[test]
fn v19_fem_solids_are_linear_elasticity_at_small_strain() {
    let mut rng = Rng(32);
    for (name, kind) in
        [("st-venant-kirchhoff", ConstraintKind::FemTet), ("neo-hookean", ConstraintKind::NeoHookeanTet)]
    {
        for (young, poisson) in [(1e5, 0.0), (3e4, 0.3), (2e6, 0.45)] {
            let scene = Scene::parse(
                &format!(
                    "[[soft]]\nblock = {{ cells = [3, 2, 4], size = [0.6, 0.5, 0.7] }}\n\
                     fem = {{ young = {young}, poisson = {poisson}, material = \"{name}\" }}\n"
                ),
                Format::Toml,
            )
            .unwrap();
            let part = soft(&scene.soft[0], Method::Xpbd, |p| p, &NoMeshes, &mut Vec::new()).unwrap();
            let points: Vec<DVec3> = part.rest.iter().map(|p| p.as_dvec3()).collect();
            let lame = [young / (2.0 * (1.0 + poisson)), young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))];
            for strain in strains(&mut rng, false) {
                let found = energy(&part, kind, &points, strain);
                assert_linear(&format!("{name}, ν = {poisson}"), found, lame, strain, 0.6 * 0.5 * 0.7);
            }
        }
    }
}

#[test]
fn v19_fem_membranes_are_plane_stress_at_small_strain() {
    let mut rng = Rng(33);
    let sheet = grid("one diagonal", [4, 3], [0.1, 0.15], Diagonals::OneWay);
    for (material, kind) in [
        (FemMaterial::StVenantKirchhoff, ConstraintKind::FemTriangle),
        (FemMaterial::NeoHookean, ConstraintKind::NeoHookeanTriangle),
    ] {
        for (young, poisson) in [(1e5, 0.0), (3e4, 0.3), (2e6, 0.45)] {
            let fem = Fem { young: young as f32, poisson: poisson as f32, material: Some(material) };
            let spec =
                Cloth { fem: Some(fem), thickness: 0.01, stretch: Elasticity::Compliance(1.0), ..Cloth::default() };
            let part = sheet.build(spec);
            let lame = [young / (2.0 * (1.0 + poisson)), young * poisson / (1.0 - poisson * poisson)];
            for strain in strains(&mut rng, true) {
                let found = energy(&part, kind, &sheet.points, strain);
                assert_linear(&format!("{material:?}, ν = {poisson}"), found, lame, strain, 0.4 * 0.45 * 0.01);
            }
        }
    }
}

#[test]
fn v17_a_stretch_modulus_is_an_isotropic_membrane_on_every_triangulation() {
    let mut rng = Rng(34);
    let (modulus, poisson) = (120.0, 0.0);
    let lame = [modulus / (2.0 * (1.0 + poisson)), modulus * poisson / (1.0 - poisson * poisson)];
    for sheet in sheets::all() {
        let part = sheet.build(Cloth { stretch: Elasticity::Modulus(modulus as f32), ..Cloth::default() });
        let area: f64 = sheet.areas().iter().sum();
        for strain in strains(&mut rng, true) {
            let found = energy(&part, ConstraintKind::Membrane, &sheet.points, strain);
            assert_linear(sheet.name, found, lame, strain, area);
        }
    }
}

#[test]
fn v17_a_membrane_pulled_to_twice_its_length_needs_its_modulus_as_force() {
    // Uniaxial stress: widths shrink by ν·ε, and ½·Y·ε² per area is left, as for a spring, at any extension.
    let (modulus, poisson, extension) = (50.0, 0.0, 1.0);
    for sheet in sheets::all() {
        let part = sheet.build(Cloth { stretch: Elasticity::Modulus(modulus as f32), ..Cloth::default() });
        let area: f64 = sheet.areas().iter().sum();
        for k in 0..12 {
            let angle = std::f64::consts::PI * f64::from(k) / 12.0;
            let (u, v) = (DVec3::new(angle.cos(), angle.sin(), 0.0), DVec3::new(-angle.sin(), angle.cos(), 0.0));
            let pull = |p: &DVec3| u * (p.dot(u) * (1.0 + extension)) + v * (p.dot(v) * (1.0 - poisson * extension));
            let moved: Vec<DVec3> = sheet.points.iter().map(pull).collect();
            let found = sheets::energy(&part, ConstraintKind::Membrane, &moved);
            let exact = 0.5 * modulus * extension * extension * area;
            assert!((found / exact - 1.0).abs() < 1e-4, "{}, direction {k}: {found} against {exact}", sheet.name);
        }
    }
}

#[test]
fn v18_a_rope_modulus_is_its_axial_and_its_flexural_rigidity() {
    let (young, radius) = (2e7, 0.008_f64);
    let (segments, length) = (40, 0.8);
    let text = format!(
        "[[rope]]\npath = [[0, 0, 0], [{length}, 0, 0]]\nsegments = {segments}\nradius = {radius}\n\
         stretch = {{ modulus = {young} }}\nbend = {{ modulus = {young} }}\n"
    );
    let part = pliant::builder::rope::rope(&Scene::parse(&text, Format::Toml).unwrap().rope[0], |p| p);
    let points: Vec<DVec3> = part.rest.iter().map(|p| p.as_dvec3()).collect();
    let section = std::f64::consts::PI * radius * radius;
    let stretched: Vec<DVec3> = points.iter().map(|&p| p * 1.01).collect();
    let axial = sheets::energy(&part, ConstraintKind::Stretch, &stretched);
    let exact = 0.5 * young * section * 1e-4 * length;
    assert!((axial / exact - 1.0).abs() < 1e-4, "axial: {axial} against {exact}");
    // An arc: every joint but the ends bends over one segment.
    let curvature = 0.5;
    let arc: Vec<DVec3> = points
        .iter()
        .map(|p| DVec3::new((curvature * p.x).sin(), 1.0 - (curvature * p.x).cos(), 0.0) / curvature)
        .collect();
    let bending = sheets::energy(&part, ConstraintKind::RopeBending, &arc);
    let inertia = section * radius * radius / 4.0;
    let exact = 0.5 * young * inertia * curvature * curvature * length * f64::from(segments - 1) / f64::from(segments);
    assert!((bending / exact - 1.0).abs() < 1e-3, "bending: {bending} against {exact}");
}
