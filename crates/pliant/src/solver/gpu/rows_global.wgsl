// Rows of a patch that is too large for a workgroup's memory: they stay where they are. Never with seams.

fn row_get(list: u32, r: u32) -> vec4<f32> {
    return rows[constants[list + r].x];
}

fn row_set(list: u32, r: u32, row: vec4<f32>) {
    rows[constants[list + r].x] = row;
}

fn load_row(r: u32, row: vec4<f32>) {}

fn store_row(entry: vec4<u32>, r: u32, turn: u32) {}

fn patch_barrier() {
    storageBarrier();
    workgroupBarrier();
}
