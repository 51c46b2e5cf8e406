//! Attachments between elastic bodies, and how far a step is from balance.

use crate::support::{G, relative, simulate, step};

/// Two sheets, the lower attached to the lower edge of the upper one along its own upper edge.
fn hung(cells: [u32; 2], height: f64, density: f64, modulus: f64, compliance: f64) -> String {
    let width = height * f64::from(cells[0]) / f64::from(cells[1]);
    let sheet = format!(
        "grid = {{ cells = {cells:?}, size = [{width}, {height}] }}\ndensity = {density}\n\
         stretch = {{ modulus = {modulus} }}\n"
    );
    format!(
        "[world]\nair_density = 0\ndamping = 4\n[[cloth]]\nname = \"upper\"\n{sheet}pin = [{{ at = \"top edge\" }}]\n\
         [[cloth]]\nname = \"lower\"\n{sheet}transform = {{ translate = [0, {}, 0] }}\n\
         [[attach]]\nfrom = {{ object = \"lower\", at = \"top edge\" }}\nto = {{ object = \"upper\" }}\nwithin = 1e-3\n\
         compliance = {compliance}\n",
        -height
    )
}

#[test]
fn v17_sheets_attached_to_each_other_stretch_like_one() {
    let (cells, height, density): (_, f64, _) = ([8, 12], 0.5, 0.3);
    for (modulus, compliance) in [(60.0, 0.0), (400.0, 0.0), (60.0, 2e-3)] {
        let mut sim = simulate(&hung(cells, height, density, modulus, compliance));
        assert_eq!(sim.model().bodies.len(), 1, "one body descends: {:?}", sim.model().notes);
        let lowest = (0..sim.particles()).filter(|&i| f64::from(sim.position(i).y) < 1e-5 - height).collect::<Vec<_>>();
        step(&mut sim, 400);
        let y = lowest.iter().map(|&i| f64::from(sim.position(i).y)).sum::<f64>() / lowest.len() as f64;
        let (found, all) = (-height - y, 2.0 * height);
        // The attachments carry the lower sheet side by side; those at the corners carry half as much.
        let width = height * f64::from(cells[0]) / f64::from(cells[1]);
        let gap = compliance * density * G * width * height / f64::from(cells[0]);
        let exact = density * G * all * all / (2.0 * modulus) + gap;
        eprintln!("{modulus} N/m, {compliance} m/N: {:.3} mm against {:.3} mm", 1e3 * found, 1e3 * exact);
        assert!(relative(found, exact) < 0.02, "{modulus} N/m, {compliance} m/N: {found} m against {exact} m");
    }
}

#[test]
fn a_step_knows_how_far_it_is_from_balance() {
    let mut sim = simulate(&hung([8, 12], 0.5, 0.3, 60.0, 0.0));
    assert!(sim.imbalances().is_empty(), "nothing was solved yet");
    step(&mut sim, 400);
    let at_rest = sim.imbalances();
    assert_eq!(at_rest.keys().copied().collect::<Vec<_>>(), ["attach", "membrane"]);
    assert!(at_rest.values().all(|i| i.max < 0.02 && i.mean <= i.max), "{at_rest:?}");
    // A body that is crushed to a tenth is far from balance after one step.
    let mut crushed = simulate(
        "[world]\ngravity = [0, 0, 0]\n[[soft]]\nblock = { cells = [4, 4, 4], size = [0.2, 0.2, 0.2] }\n\
         fem = { young = 1e5, poisson = 0.3 }\nsquash = [1, 0.1, 1]\n",
    );
    step(&mut crushed, 1);
    let after = crushed.imbalances()["neo_hookean_tet"].max;
    assert!(after > 0.05, "{after}");
    // A restored state is another one.
    let saved = crushed.snapshot().unwrap_or_else(|e| panic!("{e}"));
    step(&mut crushed, 1);
    crushed.restore(&saved).unwrap_or_else(|e| panic!("{e}"));
    assert!(crushed.imbalances().is_empty());
}
