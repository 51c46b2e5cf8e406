//! Generates docs/requirements.md from the data and the test names.

use crate::ids::{FAMILIES, Requirement, Status};
use crate::sources::{Test, proofs};
use std::fmt::Write;

const HEAD: &str = "\
# Requirements

What the ids in the names of tests mean, how far each requirement is met, and which tests prove it.

This page is generated. The sentences stand in `crates/pliant/tests/checklist`; the tests are found by their names, which begin with
the ids that they prove (`s05_e11_…` proves S05 and E11), or in the list of `extra.rs` there. After a change of either run

```sh
PLIANT_UPDATE_DOCS=1 cargo test -p pliant --test checklist
```

D0–D4 are the documents that the engine follows:

| tag | document |
| --- | --- |
| D0 | Fratarcangeli, Pellacini, *A GPU-Based Implementation of Position Based Dynamics for Interactive Deformable Bodies*, JGT 2015 |
| D1 | the same authors, *Towards a Massively Parallel Solver for Position Based Dynamics* |
| D2 | the same authors, *Scalable Partitioning for Parallel Position Based Dynamics*, Eurographics 2015 |
| D3 | Macklin, *Position-Based Dynamics: Analysis and Implementation*, slides |
| D4 | Jia, *Unified Physics Simulation of Variable Sized Particles Generated on Demand*, thesis |

A requirement is **met** where tests assert all of it, **partial** where they assert a part, and **open** where none does. A test that is
ignored, or that skips because a GPU or a model file is missing, proves nothing.
";

/// The whole page.
pub fn page(tests: &[Test]) -> String {
    let mut text = HEAD.to_owned();
    text += "\n| family | met | partial | open |\n| --- | --- | --- | --- |\n";
    for (title, _, list) in FAMILIES {
        let count = |status: Status| list.iter().filter(|r| r.status == status).count();
        let [met, partial, open] = [Status::Met, Status::Partial, Status::Open].map(count);
        push(&mut text, &format!("| {title} | {met} | {partial} | {open} |"));
    }
    for (title, about, list) in FAMILIES {
        push(&mut text, &format!("\n## {title}\n\n{about}\n\n| id | requirement | status | note | tests |"));
        push(&mut text, "| --- | --- | --- | --- | --- |");
        for r in list {
            let Requirement { id, says, status, note } = r;
            let count = proofs(r, tests).len();
            push(&mut text, &format!("| {id} | {} | {} | {} | {count} |", cell(says), status.name(), cell(note)));
        }
    }
    text += "\n## Tests by id\n\nBehind each name stands its crate and test target.\n";
    for (_, _, list) in FAMILIES {
        for r in list.iter() {
            let proofs = proofs(r, tests);
            if proofs.is_empty() {
                continue;
            }
            push(&mut text, &format!("\n### {}\n", r.id));
            proofs.iter().for_each(|test| push(&mut text, &format!("- `{}` ({})", test.name, test.home)));
        }
    }
    text
}

fn push(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("memory");
}

/// Escapes text for a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
