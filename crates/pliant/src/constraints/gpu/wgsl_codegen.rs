//! WGSL that depends on kinds of constraints: fetches their numbers, calls the kernel, stores what it says.
//!
//! WGSL has no generics, so what `solver::cpu` writes once over `Constraint<N, P, M>` is written out here, from
//! the same [`Layout`](crate::constraints::Layout).

use crate::constraints::ConstraintKind;
use crate::constraints::group::BLOCK;
use std::fmt::Write;

/// A kind's number in rounds.
pub fn op(kind: ConstraintKind) -> u32 {
    kind as u32
}

/// Words of local row numbers of one constraint: two to a word.
pub fn index_words(kind: ConstraintKind) -> usize {
    kind.layout().rows.div_ceil(2)
}

/// Vectors of a packed constraint: local row numbers, then parameters, so that a thread fetches all it needs at once.
pub fn packed_vectors(kind: ConstraintKind) -> usize {
    (index_words(kind) + kind.layout().params).div_ceil(4)
}

fn list(n: usize, item: impl Fn(usize) -> String) -> String {
    (0..n).map(item).collect::<Vec<_>>().join(", ")
}

/// The functions of patches for each kind, and `run`, which selects one by its number. With PBD multipliers are neither
/// read nor stored. `near`: whether packed constraints are in workgroup memory.
pub fn patches(kinds: &[ConstraintKind], multipliers: bool, near: bool) -> String {
    let mut text = String::new();
    for &kind in kinds {
        rounds(&mut text, kind, multipliers, near);
    }
    text += "fn run(what: u32, it: Patch, first: u32, rounds: u32, t: u32, fresh: bool) {\n    switch what {\n";
    for &kind in kinds {
        let _ = writeln!(text, "        case {}u: {{", op(kind));
        let _ = writeln!(text, "            {}_rounds(it, first, rounds, t, fresh);\n        }}", kind.name());
    }
    text + "        default: {}\n    }\n}\n"
}

/// The rounds of one kind: each thread has a constraint. What costs is not arithmetic but latency, so packed constraints are
/// fetched rounds ahead, without a branch, whether there is a constraint for the thread or not. Several rounds to a turn
/// of the loop, because to move a number that is still on its way would be to wait for it.
fn rounds(text: &mut String, kind: ConstraintKind, multipliers: bool, near: bool) {
    let (name, layout, vectors) = (kind.name(), kind.layout(), packed_vectors(kind));
    let multipliers = if multipliers { layout.multipliers } else { 0 };
    let _ = writeln!(text, "struct {name}_numbers {{\n    at: u32,");
    text.extend((0..vectors).map(|k| format!("    c{k}: vec4<u32>,\n")));
    text.extend((0..multipliers).map(|k| format!("    l{k}: f32,\n")));
    let packed = (0..vectors).map(|k| format!("entry(at + {k}u * round.z)"));
    let lambda = (0..multipliers).map(|k| format!("lambda_get(at_l + {}u, fresh)", k * BLOCK));
    let values = std::iter::once("at_l".to_owned()).chain(packed).chain(lambda).collect::<Vec<_>>().join(", ");
    let _ = write!(
        text,
        "}}

fn {name}_fetch(round: vec4<u32>, t: u32, fresh: bool) -> {name}_numbers {{
    let at = round.y + t;
    let at_l = round.w + blocked(t, {}u, 0u);
    return {name}_numbers({values});
}}

fn {name}_run(round: vec4<u32>, t: u32, scales: Scales, list: u32, n: {name}_numbers) {{
    if t < round.x {{\n",
        layout.multipliers
    );
    let word = |w: usize| format!("n.c{}.{}", w / 4, ["x", "y", "z", "w"][w % 4]);
    for k in 0..layout.rows {
        let half = if k % 2 == 0 { "& 0xffffu" } else { ">> 16u" };
        let _ = writeln!(text, "        let i{k} = {} {half};", word(k / 2));
    }
    let rows = list(layout.rows, |k| format!("row_get(list, i{k})"));
    let params = list(layout.params, |p| format!("bitcast<f32>({})", word(index_words(kind) + p)));
    let lambda = list(layout.multipliers, |m| if m < multipliers { format!("n.l{m}") } else { "0.0".to_owned() });
    call(text, kind, "        ", &rows, &params, &lambda);
    for k in 0..layout.moves {
        let _ = writeln!(text, "        row_set(list, i{k}, r[{k}] + u.rows[{k}]);");
    }
    for m in 0..multipliers {
        let _ = writeln!(text, "        lambda_set(n.at + {}u, u.lambda[{m}]);", m * BLOCK);
    }
    *text += "    }\n}\n\n";
    // A packed constraint from the device's memory takes as long as several rounds; where they are large, registers are short. From a
    // workgroup's own memory one round ahead is enough, and to fetch more code would take longer than to fetch constraints.
    let ahead = match vectors {
        _ if near => 1,
        1 => 4,
        _ => 2,
    };
    *text += &turns(name, ahead);
}

/// The loop over rounds, which fetches `ahead` of them ahead; the last ones fetch again what is there.
fn turns(name: &str, ahead: usize) -> String {
    let sets = ahead + 1;
    let mut text = format!(
        "fn {name}_rounds(it: Patch, first: u32, rounds: u32, t: u32, fresh: bool) {{
    let scales = scales();
    let last = first + rounds - 1u;\n"
    );
    text.extend((0..sets).map(|k| format!("    var round{k} = plan_at(it, min(first + {k}u, last));\n")));
    text.extend((0..ahead).map(|k| format!("    var n{k} = {name}_fetch(round{k}, t, fresh);\n")));
    let _ = writeln!(text, "    var n{ahead} = n0;\n    for (var k = first; k <= last; k += {sets}u) {{");
    for k in 0..sets {
        let next = (k + ahead) % sets;
        let _ = write!(
            text,
            "        n{next} = {name}_fetch(round{next}, t, fresh);
        {name}_run(round{k}, t, scales, it.list, n{k});
        patch_barrier();
        if k + {k}u >= last {{
            break;
        }}
        round{k} = plan_at(it, min(k + {}u, last));\n",
            k + sets
        );
    }
    text + "    }\n}\n\n"
}

fn call(text: &mut String, kind: ConstraintKind, indent: &str, rows: &str, params: &str, lambda: &str) {
    let (name, layout) = (kind.name(), kind.layout());
    let _ = writeln!(text, "{indent}let r = array<vec4<f32>, {}>({rows});", layout.rows);
    let _ = writeln!(text, "{indent}let p = array<f32, {}>({params});", layout.params);
    let _ = writeln!(text, "{indent}let l = array<f32, {}>({lambda});", layout.multipliers);
    let _ = writeln!(text, "{indent}let u = {name}(scales, p, r, l);");
}

/// Shaders of one kind over rows in their place: `batch`, side by side; `serial`, one thread; `jacobi`,
/// corrections to slots of their own.
pub fn whole(kind: ConstraintKind) -> String {
    let layout = kind.layout();
    let (n, p, m) = (layout.rows, layout.params, layout.multipliers);
    let mut read = String::new();
    for k in 0..n {
        let _ = writeln!(read, "    let i{k} = topology[args.indices + blocked(slot, {n}u, {k}u)];");
    }
    let params = list(p, |k| format!("params[args.params + blocked(slot, {p}u, {k}u)]"));
    let at = |k: usize| format!("args.multipliers + blocked(slot, {m}u, {k}u)");
    let lambda = list(m, |k| format!("select(lambda[{}], 0.0, fresh)", at(k)));

    let mut text = format!("fn project(slot: u32, scales: Scales, fresh: bool) {{\n{read}");
    call(&mut text, kind, "    ", &list(n, |k| format!("rows[i{k}]")), &params, &lambda);
    for k in 0..layout.moves {
        let _ = writeln!(text, "    rows[i{k}] = r[{k}] + u.rows[{k}];");
    }
    for k in 0..m {
        let _ = writeln!(text, "    lambda[{}] = u.lambda[{k}];", at(k));
    }
    let _ = write!(text, "}}\n\nfn propose(slot: u32, scales: Scales, fresh: bool) {{\n{read}");
    let weighed = |k: usize| match layout.turns {
        true => format!("rows[i{k}]"),
        false => format!("rows[i{k}] * vec4<f32>(1.0, 1.0, 1.0, parts(i{k}))"),
    };
    call(&mut text, kind, "    ", &list(n, weighed), &params, &lambda);
    for k in 0..n {
        let _ = writeln!(text, "    work[args.corrections + blocked(slot, {n}u, {k}u)] = u.rows[{k}];");
    }
    for k in 0..m {
        let _ = writeln!(text, "    lambda[{}] = l[{k}] + (u.lambda[{k}] - l[{k}]) * sub.omega;", at(k));
    }
    text + "}\n"
}
