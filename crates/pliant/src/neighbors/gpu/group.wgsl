// Linear workgroup index in a two-dimensional dispatch.
fn flat(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.y * groups.x + group.x;
}
