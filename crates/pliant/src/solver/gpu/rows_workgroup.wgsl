// Rows of a patch in the workgroup's own memory.

var<workgroup> memory: array<vec4<f32>, ROOM>;

fn row_get(list: u32, r: u32) -> vec4<f32> {
    return memory[r];
}

fn row_set(list: u32, r: u32, row: vec4<f32>) {
    memory[r] = row;
}

fn load_row(r: u32, row: vec4<f32>) {
    memory[r] = row;
}

fn store_row(entry: vec4<u32>, r: u32, turn: u32) {
    memory[r] = leaving(entry, memory[r], turn);
}

fn patch_barrier() {
    workgroupBarrier();
}
