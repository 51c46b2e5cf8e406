// Packed constraints of a patch, read where they are.

fn load_packed(it: Patch, t: u32) {}

fn entry(at: u32) -> vec4<u32> {
    return constants[at];
}
