// Aerodynamic forces, before predict.

struct WindUniforms {
    // Number of particles that a triangle touches.
    count: u32,
    // In `topology`: these particles, each with where its triangles start; the triangles of each; all triangles.
    particles: u32,
    incidence: u32,
    triangles: u32,
    // In `constants`: aerodynamic coefficients.
    coefficients: u32,
}

@group(0) @binding(9) var<uniform> args: WindUniforms;

// Force of the air on each particle that a triangle in the air touches (S25). A triangle's force is computed
// by each of its corners: three times the arithmetic, but one pass less, and every sum has one order.
@compute @workgroup_size(SIZE)
fn wind(thread: Thread) {
    let k = number_of(thread);
    if k >= args.count {
        return;
    }
    let time = f32(atomicLoad(&flags[SUBSTEPS])) * sub.h;
    var sum = vec3<f32>(0.0);
    for (var n = topology[args.particles + 2u * k + 1u]; n < topology[args.particles + 2u * k + 3u]; n++) {
        let at = args.triangles + AERO_TRIANGLE_WORDS * topology[args.incidence + n];
        let a = topology[at];
        let b = topology[at + 1u];
        let c = topology[at + 2u];
        let air = constant(args.coefficients + topology[at + 3u]);
        let xa = rows[a].xyz;
        let xb = rows[b].xyz;
        let xc = rows[c].xyz;
        let third = 1.0 / 3.0;
        let center = (xa + xb + xc) * third;
        let mean = (motion[velocity_at(a)].xyz + motion[velocity_at(b)].xyz + motion[velocity_at(c)].xyz) * third;
        let flow = wind_at(sub.wind, sub.gust, sub.gust_period, center, time) - mean;
        sum += triangle_force(Air(air.x, air.y, air.z, 0.0), xa, xb, xc, flow) * third;
    }
    motion[sub.forces + topology[args.particles + 2u * k]] = vec4<f32>(sum, 0.0);
}
