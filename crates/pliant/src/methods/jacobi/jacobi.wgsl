// Sum of the corrections of a Jacobi iteration.

struct JacobiUniforms {
    // In `topology`: where the entries of each row start, and the entries.
    starts: u32,
    entries: u32,
    // In `work`: the corrections that entries number.
    corrections: u32,
}

@group(0) @binding(9) var<uniform> args: JacobiUniforms;

// Corrections of all constraints of a row, averaged and over-relaxed (S09; D4 3.25–3.26).
@compute @workgroup_size(SIZE)
fn jacobi_apply(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.solid {
        return;
    }
    let begin = topology[args.starts + i];
    let end = topology[args.starts + i + 1u];
    if begin == end {
        return;
    }
    var sum = vec4<f32>(0.0);
    for (var k = begin; k < end; k++) {
        sum += work[args.corrections + topology[args.entries + k]];
    }
    let row = rows[i];
    let s = sub.omega / f32(end - begin);
    if i < sub.particles {
        rows[i] = vec4<f32>(row.xyz + sum.xyz * s, row.w);
        return;
    }
    let q = row + sum * s;
    rows[i] = q / sqrt(dot(q, q));
}
