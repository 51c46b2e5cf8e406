// WGSL version of pack.rs: the elements of one vertex, each with the vertex itself left out. Needs element.wgsl.

struct Local { force: vec3<f32>, hessian: mat3x3<f32> }

// A tetrahedron near the current position of one of its corners (`TetLocal`).
struct TetLocal { gradient: vec3<f32>, volume: vec3<f32>, shape: vec3<f32>, shear: f32, stiffening: f32, energy: f32 }

fn tet_local(base: u32, head: vec4<u32>, at: u32, x: vec3<f32>) -> TetLocal {
    let w = constant(at + 1u);
    let across = constant(at + 2u);
    let rest = constant(at + 3u);
    let density = w.w;
    let mu = across.w;
    let lame = rest.x;
    let alpha = rest.y;
    let e0 = work[base + head.y].xyz - x;
    let e1 = work[base + head.z].xyz - x;
    let e2 = work[base + head.w].xyz - x;
    let a = cross(e1, e2);
    let b = cross(e2, e0);
    let c = cross(e0, e1);
    let j = dot(e0, a) * density;
    let volume = (a + b + c) * -density;
    let shape = e0 * w.x + e1 * w.y + e2 * w.z;
    let far0 = e1 - e2;
    let far1 = e2 - e0;
    let far2 = e0 - e1;
    let own = dot(w.xyz, vec3<f32>(dot(e0, e0), dot(e1, e1), dot(e2, e2)));
    let invariant = -(own + dot(across.xyz, vec3<f32>(dot(far0, far0), dot(far1, far1), dot(far2, far2))));
    let inverse = 1.0 / (1.0 + invariant);
    let shear = mu * (1.0 - inverse * inverse);
    let stiffening = 4.0 * mu * inverse * inverse * inverse;
    let hydrostatic = (j - 1.0) * (j + 1.0 - 2.0 * alpha) * lame;
    let energy = 0.5 * (hydrostatic + (invariant - 3.0) * (4.0 * invariant + 3.0) / (4.0 * (1.0 + invariant)) * mu);
    return TetLocal(shape * shear + volume * (lame * (j - alpha)), volume, shape, shear, stiffening, energy);
}

// A stencil relative to the vertex; its weights are scaled by the root of its stiffness.
struct Way { s: vec3<f32>, own: f32, rest: f32 }

fn stencil_way(base: u32, head: vec4<u32>, at: u32, x: vec3<f32>) -> Way {
    let w = constant(at + 1u);
    let s = (work[base + head.y].xyz - x) * w.x + (work[base + head.z].xyz - x) * w.y + (work[base + head.w].xyz - x) * w.z;
    return Way(s, -(w.x + w.y + w.z), w.w);
}

// A membrane triangle with the vertex's own shape gradient.
struct SheetLocal { it: Stretched, n: vec2<f32>, k: vec3<f32> }

fn sheet_local(base: u32, head: vec4<u32>, at: u32, x: vec3<f32>) -> SheetLocal {
    let n = constant(at + 1u);
    let last = constant(at + 2u);
    let e0 = work[base + head.y].xyz - x;
    let e1 = work[base + head.z].xyz - x;
    let k = vec3<f32>(bitcast<f32>(head.w), last.x, last.y);
    let it = stretched(e0 * n.x + e1 * n.z, e0 * n.y + e1 * n.w, k);
    return SheetLocal(it, vec2<f32>(-(n.x + n.z), -(n.y + n.w)), k);
}

fn sheet_gradient(s: SheetLocal) -> vec3<f32> {
    let t = s.it.stress;
    return s.it.r0 * (t.x * s.n.x + t.z * s.n.y) + s.it.r1 * (t.z * s.n.x + t.y * s.n.y);
}

fn first_element(v: u32) -> u32 {
    return topology[args.vertex_words + 2u * args.vertices + v];
}

// Vectors of an element in the list of a vertex.
fn entry_vectors(code: u32) -> u32 {
    if code == ELEMENT_SPRING {
        return 1u;
    }
    if code == ELEMENT_STENCIL {
        return 2u;
    }
    return select(3u, 4u, code == ELEMENT_TET);
}

// Threads that share a vertex take every so many of its vectors, from an offset on; 0: one thread takes all elements.
var<private> shared_step: u32;
var<private> shared_offset: u32;

fn first_own_element(v: u32) -> u32 {
    return first_element(v) + shared_offset;
}

fn to_next_element(code: u32) -> u32 {
    return select(shared_step, entry_vectors(code), shared_step == 0u);
}

// Elastic force on a vertex with positions in `base`.
fn elastic_force(base: u32, v: u32) -> vec3<f32> {
    let x = work[base + v].xyz;
    var force = vec3<f32>(0.0);
    let end = first_element(v + 1u);
    for (var at = first_own_element(v); at < end;) {
        let head = constants[at];
        let code = head.x & 255u;
        if has_element(ELEMENT_SPRING) && code == ELEMENT_SPRING {
            let d = x - work[base + head.y].xyz;
            let size = max(length(d), 1e-12);
            force -= d * (bitcast<f32>(head.w) * (size - bitcast<f32>(head.z)) / size);
        } else if has_element(ELEMENT_STENCIL) && code == ELEMENT_STENCIL {
            let way = stencil_way(base, head, at, x);
            let size = max(length(way.s), 1e-12);
            force -= way.s * (way.own * (size - way.rest) / size);
        } else if has_element(ELEMENT_TET) && code == ELEMENT_TET {
            force -= tet_local(base, head, at, x).gradient;
        } else if has_element(ELEMENT_SHEET) && code == ELEMENT_SHEET {
            force -= sheet_gradient(sheet_local(base, head, at, x));
        } else {
            var all = linearize(at, base);
            force += all.force[head.x >> 8u];
        }
        at += to_next_element(code);
    }
    return force;
}

// Elastic force on a vertex, and its Hessian.
fn elastic_local(base: u32, v: u32) -> Local {
    let x = work[base + v].xyz;
    var force = vec3<f32>(0.0);
    var hessian = mat3x3<f32>();
    var even = 0.0;
    let end = first_element(v + 1u);
    for (var at = first_own_element(v); at < end;) {
        let head = constants[at];
        let code = head.x & 255u;
        if has_element(ELEMENT_SPRING) && code == ELEMENT_SPRING {
            let k = bitcast<f32>(head.w);
            let rest = bitcast<f32>(head.z);
            let d = x - work[base + head.y].xyz;
            let size = max(length(d), 1e-12);
            let along = d / size;
            let lateral = k * max(1.0 - rest / size, 0.0);
            force -= along * (k * (size - rest));
            hessian += outer3(along * (k - lateral), along);
            even += lateral;
        } else if has_element(ELEMENT_STENCIL) && code == ELEMENT_STENCIL {
            let way = stencil_way(base, head, at, x);
            let size = max(length(way.s), 1e-12);
            let along = way.s * (way.own / size);
            let lateral = select(1.0, max(1.0 - way.rest / size, 0.0), way.rest > 0.0);
            force -= along * (size - way.rest);
            hessian += outer3(along * (1.0 - lateral), along);
            even += lateral * way.own * way.own;
        } else if has_element(ELEMENT_TET) && code == ELEMENT_TET {
            let tet = tet_local(base, head, at, x);
            let w = constant(at + 1u);
            force -= tet.gradient;
            hessian += outer3(tet.volume * constant(at + 3u).x, tet.volume) + outer3(tet.shape * tet.stiffening, tet.shape);
            even -= (w.x + w.y + w.z) * tet.shear;
        } else if has_element(ELEMENT_SHEET) && code == ELEMENT_SHEET {
            let s = sheet_local(base, head, at, x);
            force -= sheet_gradient(s);
            let a = s.it.r0 * s.n.x;
            let b = s.it.r1 * s.n.y;
            let turned = s.it.r0 * s.n.y + s.it.r1 * s.n.x;
            let mixed = outer3(a * s.k.y, b);
            hessian += outer3(a * s.k.x, a) + outer3(b * s.k.x, b) + mixed + transpose(mixed) + outer3(turned * s.k.z, turned);
            let t = positive_part(s.it.stress);
            even += s.n.x * s.n.x * t.x + s.n.y * s.n.y * t.y + 2.0 * s.n.x * s.n.y * t.z;
        } else {
            var all = linearize(at, base);
            let place = head.x >> 8u;
            force += all.force[place];
            let g0 = all.g0[place];
            let g1 = all.g1[place];
            let g2 = all.g2[place];
            let n = all.n[place];
            let mixed = outer3(g0 * all.cross, g1);
            hessian += outer3(g0 * all.k.x, g0) + outer3(g1 * all.k.y, g1) + outer3(g2 * all.k.z, g2);
            hessian += mixed + transpose(mixed);
            even += n.x * n.x * all.tension.x + n.y * n.y * all.tension.y + 2.0 * n.x * n.y * all.tension.z;
        }
        at += to_next_element(code);
    }
    return Local(force, hessian + mat3x3<f32>(even, 0.0, 0.0, 0.0, even, 0.0, 0.0, 0.0, even));
}

// The vertex's share of the elastic energy [J].
fn elastic_energy(base: u32, v: u32) -> f32 {
    let x = work[base + v].xyz;
    var sum = 0.0;
    let end = first_element(v + 1u);
    for (var at = first_own_element(v); at < end;) {
        let head = constants[at];
        let code = head.x & 255u;
        if has_element(ELEMENT_SPRING) && code == ELEMENT_SPRING {
            let c = length(x - work[base + head.y].xyz) - bitcast<f32>(head.z);
            sum += 0.25 * bitcast<f32>(head.w) * c * c;
        } else if has_element(ELEMENT_STENCIL) && code == ELEMENT_STENCIL {
            let way = stencil_way(base, head, at, x);
            let w = constant(at + 1u);
            let c = length(way.s) - way.rest;
            let count = 1.0 + f32(w.x != 0.0) + f32(w.y != 0.0) + f32(w.z != 0.0);
            sum += 0.5 * c * c / count;
        } else if has_element(ELEMENT_TET) && code == ELEMENT_TET {
            sum += 0.25 * tet_local(base, head, at, x).energy;
        } else if has_element(ELEMENT_SHEET) && code == ELEMENT_SHEET {
            let it = sheet_local(base, head, at, x).it;
            sum += dot(it.stress, it.strain) / 6.0;
        } else {
            sum += linearize(at, base).energy / f32(element_rows(code));
        }
        at += to_next_element(code);
    }
    return sum;
}
