// Grips (grip/mod.rs): one workgroup per grip. Sums go thread by thread in steps of the workgroup, then up a tree: always in
// the same order.

struct GripUniforms {
    // First vector of the grips in `constants`, GRIP_VECTORS each.
    grips: u32,
    // First vector of their multipliers in `work`.
    multipliers: u32,
    // 1 in the first iteration of a substep: multipliers start from zero.
    fresh: u32,
    // Number of grips.
    count: u32,
}

@group(0) @binding(9) var<uniform> args: GripUniforms;

const GRIP_WIDTH: u32 = 256u;

// Share of the trace that is added to a tensor of inertia: a line of particles has none about its axis.
const LEAST_INERTIA: f32 = 1e-5;

var<workgroup> grip_partial: array<vec4<f32>, GRIP_WIDTH>;
var<workgroup> grip_second: array<vec4<f32>, GRIP_WIDTH>;

fn sum_partials(t: u32) {
    workgroupBarrier();
    for (var half = GRIP_WIDTH / 2u; half > 0u; half /= 2u) {
        if t < half {
            grip_partial[t] += grip_partial[t + half];
            grip_second[t] += grip_second[t + half];
        }
        workgroupBarrier();
    }
}

fn cross_matrix(r: vec3<f32>) -> mat3x3<f32> {
    return mat3x3<f32>(vec3<f32>(0.0, r.z, -r.y), vec3<f32>(-r.z, 0.0, r.x), vec3<f32>(r.y, -r.x, 0.0));
}

// Inverse of a symmetric, positive definite matrix.
fn inverse_of(m: mat3x3<f32>) -> mat3x3<f32> {
    let a = cross(m[1], m[2]);
    let b = cross(m[2], m[0]);
    let c = cross(m[0], m[1]);
    let determinant = dot(m[0], a);
    if determinant <= 0.0 {
        return mat3x3<f32>(vec3<f32>(0.0), vec3<f32>(0.0), vec3<f32>(0.0));
    }
    return transpose(mat3x3<f32>(a, b, c)) * (1.0 / determinant);
}

fn limited(v: vec3<f32>, most: f32) -> vec3<f32> {
    let size = length(v);
    return select(v, v * (most / max(size, 1e-30)), size > most);
}

// Member `k` of a grip: of a run of particles, or of a list in `topology`.
fn grip_member(where_: vec4<u32>, k: u32) -> u32 {
    if where_.y != NONE {
        return where_.y + k;
    }
    return topology[where_.z + k];
}

@compute @workgroup_size(GRIP_WIDTH)
fn project_grips(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let at = args.grips + GRIP_VECTORS * group.x;
    let goal = constant(at);
    let anchor = constants[at + 1u];
    let weights = constant(at + 2u);
    let where_ = constants[at + 3u];
    let count = anchor.w;
    // Measured from a point of the cluster: far from the origin its extent would drown.
    let origin = rows[anchor.x].xyz;
    var sum = vec4<f32>(0.0);
    for (var k = t; k < count; k += GRIP_WIDTH) {
        let row = rows[grip_member(where_, k)];
        if row.w > 0.0 {
            sum += vec4<f32>(row.xyz - origin, 1.0) / row.w;
        }
    }
    grip_partial[t] = sum;
    grip_second[t] = vec4<f32>(0.0);
    sum_partials(t);
    let total = grip_partial[0];
    workgroupBarrier();
    let mass = max(total.w, 1e-30);
    let center = total.xyz / mass;
    // xx, yy, zz and xy, xz, yz.
    var squares = vec4<f32>(0.0);
    var products = vec4<f32>(0.0);
    for (var k = t; k < count; k += GRIP_WIDTH) {
        let row = rows[grip_member(where_, k)];
        if row.w > 0.0 {
            let d = row.xyz - origin - center;
            squares += vec4<f32>(d * d, 0.0) / row.w;
            products += vec4<f32>(d.x * d.y, d.x * d.z, d.y * d.z, 0.0) / row.w;
        }
    }
    grip_partial[t] = squares;
    grip_second[t] = products;
    sum_partials(t);
    let s = grip_partial[0];
    let p = grip_second[0];
    let trace = s.x + s.y + s.z;
    let least = LEAST_INERTIA * trace;
    var inverse = mat3x3<f32>(vec3<f32>(0.0), vec3<f32>(0.0), vec3<f32>(0.0));
    if trace > 0.0 {
        // Scaled, or the determinant of a small object underflows.
        let scale = 1.0 / trace;
        let tensor = mat3x3<f32>(
            vec3<f32>(s.y + s.z + least, -p.x, -p.y),
            vec3<f32>(-p.x, s.x + s.z + least, -p.z),
            vec3<f32>(-p.y, -p.z, s.x + s.y + least),
        );
        inverse = inverse_of(tensor * scale) * scale;
    }
    let held = (rows[anchor.x].xyz - origin) * weights.x + (rows[anchor.y].xyz - origin) * weights.y
        + (rows[anchor.z].xyz - origin) * weights.z;
    let arm = held - center;
    let soft = goal.w * sub.inv_h * sub.inv_h;
    let turned = cross_matrix(arm);
    let about = transpose(turned) * inverse * turned;
    let own = 1.0 / mass + soft;
    let effective = about + mat3x3<f32>(vec3<f32>(own, 0.0, 0.0), vec3<f32>(0.0, own, 0.0), vec3<f32>(0.0, 0.0, own));
    let before = select(work[args.multipliers + group.x].xyz, vec3<f32>(0.0), args.fresh != 0u);
    let away = limited(origin + held - goal.xyz, bitcast<f32>(where_.x));
    // Scaled as above.
    let change = inverse_of(effective * (1.0 / own)) * (-(away + soft * before) / own);
    let next = limited(before + change, weights.w * sub.h * sub.h);
    let given = next - before;
    let shift = given / mass;
    let turn = limited(inverse * cross(arm, given), MAX_ROTATION);
    if count > 0u && total.w > 0.0 {
        for (var k = t; k < count; k += GRIP_WIDTH) {
            let i = grip_member(where_, k);
            let row = rows[i];
            if row.w > 0.0 {
                rows[i] = vec4<f32>(row.xyz + shift + cross(turn, row.xyz - origin - center), row.w);
            }
        }
    }
    // All threads must have read the old value.
    storageBarrier();
    if t == 0u {
        work[args.multipliers + group.x] = vec4<f32>(select(vec3<f32>(0.0), next, count > 0u), 0.0);
    }
}
