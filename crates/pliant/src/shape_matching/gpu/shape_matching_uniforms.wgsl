// Uniforms of the shape matching passes. Offsets are in vectors of `bodies`, except sums and moves (`work`) and fields
// (`constants`).

struct ShapeMatchingUniforms {
    // Number of bodies.
    body_count: u32,
    // First piece, and number of pieces.
    pieces: u32,
    piece_count: u32,
    // Members, rest offset and mass each; rows of members, or NONE where each body's rows follow each other.
    members: u32,
    member_rows: u32,
    // Where the members of each row start, and which they are.
    row_starts: u32,
    row_members: u32,
    // Sums of pieces, then goals of bodies; moves of members.
    sums: u32,
    moves: u32,
    // How rotations are extracted: GRAM_SCHMIDT, POLAR or ITERATIVE.
    extraction: u32,
    // 1 in the first iteration of a substep.
    fresh: u32,
    // 1 if rows are those written by particle stabilization.
    parted: u32,
    // Outward directions of particles in bodies at rest, by row.
    rest_fields: u32,
}

@group(0) @binding(9) var<uniform> args: ShapeMatchingUniforms;
