// Shared by the passes of descent: offsets of the tables, and access to vertices, bodies and sums.

struct ElasticUniforms {
    vertices: u32,
    vertex_words: u32,
    vertex_vectors: u32,
    chunks: u32,
    groups: u32,
    bodies: u32,
    aggregates: u32,
    aggregate_count: u32,
    pairs: u32,
    matrix_rows: u32,
    work: u32,
    numbers: u32,
    unknowns: u32,
    all_chunks: u32,
    first_order: u32,
    mode: u32,
    slices: u32,
    small_bodies: u32,
}

@group(0) @binding(9) var<uniform> args: ElasticUniforms;

// Vertices that one workgroup takes; all of one body.
struct Chunk { body: u32, first: u32, count: u32 }

fn chunk_of(group: u32) -> Chunk {
    let at = args.chunks + CHUNK_WORDS * group;
    return Chunk(topology[at], topology[at + 1u], topology[at + 2u]);
}

// Where the vector of a vertex is in `work`, in one of the arrays ELASTIC_X, ELASTIC_TARGET and so on.
fn vector_at(array_number: u32, v: u32) -> u32 {
    return args.work + array_number * args.vertices + v;
}

fn row_of_vertex(v: u32) -> u32 {
    return topology[args.vertex_words + v];
}

fn aggregate_of(v: u32) -> u32 {
    return topology[args.vertex_words + args.vertices + v];
}

fn modes_at(v: u32) -> vec4<f32> {
    return constant(args.vertex_vectors + v);
}

fn rest_at(v: u32) -> vec3<f32> {
    return constant(args.vertex_vectors + args.vertices + v).xyz;
}

// Whether a row is an orientation.
fn turns(row: u32) -> bool {
    return row >= sub.particles;
}

// Mass of a vertex [kg], or inertia [kg·m²]; 0 where it is fixed.
fn mass_of(v: u32) -> f32 {
    return lambda[args.numbers + v];
}

fn unknown_at(unknown: u32) -> u32 {
    return args.numbers + args.vertices + unknown;
}

// An unknown in one of the arrays COARSE_R, COARSE_Z and so on.
fn coarse_at(array_number: u32, unknown: u32) -> u32 {
    return unknown_at(0u) + array_number * args.unknowns + unknown;
}

// Word `k` of an aggregate.
fn aggregate_word(a: u32, k: u32) -> u32 {
    return topology[args.aggregates + AGGREGATE_WORDS * a + k];
}

fn body_word(body: u32, k: u32) -> u32 {
    return topology[args.bodies + ELASTIC_BODY_WORDS * body + k];
}

// Whether body_passes.wgsl solves a body.
fn is_solved_by_one_group(body: u32) -> bool {
    return body_word(body, 12u) != NONE;
}

// Unknowns of the second level.
fn second_size(body: u32) -> u32 {
    return COARSE_WIDTH * body_word(body, 5u);
}

// Its matrix after all steps of the inversion.
fn second_inverse(body: u32) -> u32 {
    return second_matrix(body, (body_word(body, 5u) + PANEL_REGIONS - 1u) / PANEL_REGIONS);
}

// One of its two matrices: the inversion goes from one to the other.
fn second_matrix(body: u32, number: u32) -> u32 {
    let size = second_size(body);
    return body_word(body, 7u) + (number & 1u) * size * size;
}

// First of the three columns of an aggregate's rotation.
fn rotation_at(a: u32) -> u32 {
    return args.work + ELASTIC_ARRAYS * args.vertices + 3u * a;
}

fn sums_at(chunk: u32, slot: u32) -> u32 {
    return args.work + ELASTIC_ARRAYS * args.vertices + 3u * args.aggregate_count + CHUNK_SUMS * chunk + slot;
}

// Of a body: length of its last coarse step, number of vertices near colliders, whether it takes part in this iteration.
fn body_at(body: u32) -> u32 {
    return sums_at(args.all_chunks, 0u) + body;
}

fn is_active(body: u32) -> bool {
    return work[body_at(body)].z != 0.0;
}

var<workgroup> sum_shared: array<vec4<f32>, GROUP>;

// Sum over a workgroup.
fn group_sum(local: u32, own: vec4<f32>) -> vec4<f32> {
    sum_shared[local] = own;
    workgroupBarrier();
    for (var half = GROUP / 2u; half > 0u; half /= 2u) {
        if local < half {
            sum_shared[local] += sum_shared[local + half];
        }
        workgroupBarrier();
    }
    let sum = sum_shared[0];
    workgroupBarrier();
    return sum;
}

// Sum over the chunks of a body.
fn body_sum(local: u32, body: u32, slot: u32) -> vec4<f32> {
    let first = body_word(body, 0u);
    let count = body_word(body, 1u);
    var own = vec4<f32>(0.0);
    for (var k = local; k < count; k += SIZE) {
        own += work[sums_at(first + k, slot)];
    }
    return group_sum(local, own);
}

// From a row to another: a displacement, or a rotation vector.
fn toward(origin: vec4<f32>, to: vec4<f32>, turn: bool) -> vec3<f32> {
    if !turn {
        return to.xyz - origin.xyz;
    }
    // to · conj(origin)
    let v = origin.w * to.xyz - to.w * origin.xyz - cross(to.xyz, origin.xyz);
    let w = to.w * origin.w + dot(to.xyz, origin.xyz);
    return v * select(2.0, -2.0, w < 0.0);
}

// A row moved by a displacement, or turned by a rotation vector.
fn moved(row: vec4<f32>, way: vec3<f32>, turn: bool) -> vec4<f32> {
    if !turn {
        return vec4<f32>(row.xyz + way, row.w);
    }
    let half = 0.5 * way;
    let q = vec4<f32>(row.xyz + half * row.w + cross(half, row.xyz), row.w - dot(half, row.xyz));
    return q / sqrt(dot(q, q));
}
