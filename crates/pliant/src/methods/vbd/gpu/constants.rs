//! Constants that the tables and shaders of descent share.

use crate::runtime::gpu::shader_constants::shader_constants;

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
    /// Words of a body: first chunk, chunks, first aggregate, aggregates, whether it has orientations.
    ELASTIC_BODY_WORDS = 5;
    /// Words of an aggregate: first unknown, modes, first member, end of members, first unknown of its matrix rows, first
    /// row below its columns, end of those, body.
    AGGREGATE_WORDS = 8;
    /// Words of a pair of aggregates: row, column, first element, end of elements, first tetrahedron block, end of those.
    PAIR_WORDS = 6;

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
    /// Rows below a block of the matrix that fit in workgroup memory.
    PANEL_ROWS = 192;
}
