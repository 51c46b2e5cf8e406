//! How much memory a built simulation holds.

use pliant::Simulation;

/// Bytes of the arrays of model and state. Scratch memory of a step and the threads' stacks come on top.
pub fn bytes(sim: &Simulation) -> u64 {
    let (model, state) = (sim.model(), sim.state());
    let groups = model.groups.iter().map(|g| of(&g.rows) + of(&g.params) + of(&g.batches));
    let multipliers = state.multipliers.iter().map(|m| of(m));
    let bodies =
        model.inflatables.iter().map(|b| of(&b.particles) + of(&b.triangles) + of(&b.offsets) + of(&b.corners));
    let pins = model.pins.iter().map(|p| of(&p.particles) + of(&p.origins));
    let lists: u64 = groups.chain(multipliers).chain(bodies).chain(pins).sum();
    let (sails, shape) = (&model.sails, &model.shape);
    let sails = of(&sails.triangles) + of(&sails.air) + of(&sails.particles) + of(&sails.offsets) + of(&sails.incident);
    let shape = of(&shape.triangles) + of(&shape.tets) + of(&shape.lines) + of(&shape.objects) + of(&shape.radii);
    let rows = of(&state.rows) + of(&state.previous) + of(&state.older);
    let moving = rows + of(&state.velocities) + of(&state.older_velocities) + of(&state.first_order);
    let fixed = of(&model.spin_weights) + of(&model.incidence.offsets) + of(&model.incidence.entries);
    lists + sails + shape + moving + of(&state.radii) + of(&state.phases) + fixed
}

fn of<T>(items: &[T]) -> u64 {
    size_of_val(items) as u64
}
