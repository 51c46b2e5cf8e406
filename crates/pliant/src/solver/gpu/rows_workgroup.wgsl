// Rows of a patch in the workgroup's own memory.

var<workgroup> room: array<vec4<f32>, ROOM>;

fn row_get(list: u32, r: u32) -> vec4<f32> {
    return room[r];
}

fn row_set(list: u32, r: u32, row: vec4<f32>) {
    room[r] = row;
}

fn load_row(r: u32, row: vec4<f32>) {
    room[r] = row;
}

fn store_row(entry: vec4<u32>, r: u32, turn: u32) {
    room[r] = leaving(entry, room[r], turn);
}

fn patch_barrier() {
    workgroupBarrier();
}
