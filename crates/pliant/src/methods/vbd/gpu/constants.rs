//! Constants that the tables and shaders of descent share.

use crate::methods::vbd::{block_matrix, coarse, contact, correction, cpu};
use crate::runtime::gpu::shader_constants::{shader_constants, shader_values};

shader_constants! {
    /// Code of a spring.
    ELEMENT_SPRING = 0;
    /// Code of a linear stencil: bending of ropes and of isometric hinges.
    ELEMENT_STENCIL = 1;
    /// Code of a neo-Hookean tetrahedron.
    ELEMENT_TET = 2;
    /// Code of a membrane triangle (Biot's strain).
    ELEMENT_SHEET = 3;
    /// Code of a dihedral angle.
    ELEMENT_DIHEDRAL = 4;
    /// Code of a tetrahedron that keeps its volume.
    ELEMENT_VOLUME = 5;
    /// Code of a St Venant–Kirchhoff triangle.
    ELEMENT_TRIANGLE = 6;
    /// Code of stretching and shearing of a rod.
    ELEMENT_STRETCH_SHEAR = 7;
    /// Code of bending and twisting of a rod.
    ELEMENT_BEND_TWIST = 8;

    /// Vectors of an element as the coarse matrix reads it: code and three vertices; the fourth, or a number; seven
    /// parameters.
    ELEMENT_VECTORS = 3;
    /// Vectors of the 4×4 blocks of a pair of aggregates that tetrahedra at rest give.
    TET_BLOCK_VECTORS = 36;

    /// Words of a chunk of vertices: body, first vertex, number.
    CHUNK_WORDS = 3;
    /// Words of a body: first chunk, chunks, first aggregate, aggregates, whether it has orientations; then, unless it is a
    /// chain, whose matrix is factored: regions, first number in `lambda` of the inverse blocks of its aggregates and of the
    /// matrix of its regions, iterations; whether its matrix is the whole Hessian; first vertex, vertices; first word of the
    /// first vertices of its colors, with the end of the last, or `NONE` if many workgroups solve it; colors; vectors from
    /// element to element of a vertex, if one workgroup solves it. Without iterations every aggregate is a region.
    ELASTIC_BODY_WORDS = 15;
    /// Words of an aggregate: first unknown, modes, first member, end of members; then, in a chain, first unknown of its
    /// matrix rows, first row below its columns, end of those, or else its region, first of its neighbors, end of those; body.
    AGGREGATE_WORDS = 8;
    /// Words of a pair of aggregates: row, column, first element, end of elements, first tetrahedron block, end of those;
    /// first numbers of its block and of the transposed one in `lambda`, or `NONE` in a chain, numbers from row to row, where
    /// the diagonal is noted, or `NONE`.
    PAIR_WORDS = 10;
    /// Words of a neighbor of an aggregate: its first unknown, first number of the block.
    NEIGHBOR_WORDS = 2;
    /// Words of a region: body, number in the body, first of its aggregates, end of those.
    REGION_WORDS = 4;
    /// Words of a member of a region: aggregate, its transfer in `constants`.
    MEMBER_WORDS = 2;
    /// Words of a pair of regions: body, row and column within the body, first block, end of blocks.
    REGION_PAIR_WORDS = 5;
    /// Words of a block of a pair of regions: first number in `lambda`, transfers of its row and its column.
    REGION_BLOCK_WORDS = 3;
    /// Unknowns of a block at most; except in chains all blocks have so many.
    COARSE_WIDTH = block_matrix::WIDTH as u32;
    /// Entries of a block, and threads that work on one.
    BLOCK_NUMBERS = 144;
    /// Numbers of an aggregate in an iterative solution: inverse block, part of a product.
    AGGREGATE_NUMBERS = 145;
    /// Arrays by unknown of an iterative solution, after that of the unknowns: what is left of the right side.
    COARSE_R = 1;
    /// Likewise: preconditioned.
    COARSE_Z = 2;
    /// Likewise: direction of odd iterations; that of even ones follows.
    COARSE_P = 3;
    /// Likewise: matrix times direction.
    COARSE_W = 5;
    /// Number of arrays by unknown.
    COARSE_ARRAYS = 6;

    /// Array of `work`: positions.
    ELASTIC_X = 0;
    /// Array of `work`: positions without forces.
    ELASTIC_TARGET = 1;
    /// Array of `work`: positions after the coarse step, or at the start of the substep.
    ELASTIC_TRIAL = 2;
    /// Array of `work`: forces at `ELASTIC_X`.
    ELASTIC_FORCE = 3;
    /// Array of `work`: the coarse step.
    ELASTIC_STEP = 4;
    /// Array of `work`: normal of the contact that holds a vertex; 1 if it sticks.
    ELASTIC_HOLD = 5;
    /// Array of `work`: its friction; stiffness of the vertex.
    ELASTIC_FRICTION = 6;
    /// Array of `work`: positions that the last iteration left.
    ELASTIC_AFTER = 7;
    /// Number of arrays in `work`.
    ELASTIC_ARRAYS = 8;
    /// Vectors of `work` for sums over a chunk.
    CHUNK_SUMS = 10;
    /// Threads that factor and solve the coarse matrix of a body.
    COARSE_THREADS = 128;
    /// Threads that solve a small body; twice as many where a device has them.
    BODY_THREADS = 256;
    /// Threads that work on a region.
    REGION_THREADS = 256;
    /// Regions that a step of the inversion of a second level eliminates. More are fewer steps, each of which inverts a larger
    /// pivot by itself.
    PANEL_REGIONS = 2;
    /// Unknowns of such a panel.
    PANEL_WIDTH = 24;
    /// Entries of its pivot.
    PANEL_NUMBERS = 576;
    /// Workgroups that share the sum of a block of two regions.
    ASSEMBLY_SLICES = 8;
    /// Rows below a block of the matrix that fit in workgroup memory.
    PANEL_ROWS = 192;
}

shader_values! {
    U32 CYCLES = cpu::CYCLES;
    F32 GOOD_STEP = cpu::GOOD_STEP as f32;
    F32 LONGEST_STEP = correction::LONGEST_STEP as f32;
    F32 CLOSED_GAP = contact::CLOSED_GAP;
    F32 STICKING_SPEED = contact::STICKING_SPEED;
    F32 DEPENDENT_PIVOT = block_matrix::DEPENDENT_PIVOT as f32;
    F32 CONTACT_STIFFNESS = coarse::CONTACT_STIFFNESS;
}
