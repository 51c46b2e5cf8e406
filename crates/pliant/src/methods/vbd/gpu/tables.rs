//! Tables of descent: elements by vertex, the coarse space, and the layout of the coarse matrix.

use crate::constraints::ConstraintKind;
use crate::constraints::group::Group;
use crate::methods::vbd::assembly::modes_of;
use crate::methods::vbd::chain::Chain;
use crate::methods::vbd::element::{linear, params};
use crate::methods::vbd::gpu::constants::*;
use crate::methods::vbd::gpu::element_records::{code, entry, entry_vectors, records};
use crate::methods::vbd::gpu::space::DeviceSpace;
use crate::methods::vbd::gpu::two_level::{Layout, SecondTables};
use crate::methods::vbd::gpu::uniforms::ElasticUniforms;
use crate::methods::vbd::plan::ElasticBody;
use crate::runtime::gpu::program::SIZE;
use crate::runtime::gpu::shader_constants::NONE;
use crate::runtime::gpu::tables::{TableArena, Vector};
use glam::Mat3;
use std::collections::BTreeMap;
use std::ops::Range;

/// Offsets of the tables, and what the passes are made from.
#[derive(Clone, Debug, Default)]
pub struct ElasticTables {
    /// Offsets that all passes share.
    pub(super) uniforms: ElasticUniforms,
    /// Number of bodies.
    pub(super) bodies: usize,
    /// Number of those that one workgroup each solves.
    pub(super) small: usize,
    /// Threads of such a workgroup; 0 if workgroups may not have so many.
    pub(super) body_threads: u32,
    /// Number of chains, whose matrix is factored.
    pub(super) direct: usize,
    /// Number of pairs of aggregates.
    pub(super) pairs: usize,
    /// Second levels.
    pub(super) second: SecondTables,
    /// Chunks of each color.
    pub(super) colors: Vec<Range<usize>>,
    /// Bits of the codes of elements.
    pub(super) kinds: u32,
    /// Elements by vertex in `constants`, which change with parameters.
    lists: Range<usize>,
    /// Elements for the coarse matrix, likewise.
    elements: Range<usize>,
}

impl ElasticTables {
    /// Writes the tables. `threads` is how many a workgroup may have.
    pub fn new(
        bodies: &[ElasticBody],
        groups: &[Group],
        first_order: bool,
        threads: usize,
        arena: &mut TableArena,
    ) -> Self {
        if bodies.is_empty() {
            return Self::default();
        }
        let spaces: Vec<DeviceSpace> = bodies.iter().map(DeviceSpace::new).collect();
        let vertices: usize = bodies.iter().map(|b| b.vertices.len()).sum();
        let direct = bodies.iter().filter(|b| b.coarse.exact).count();
        // Powers of two, which sums rely on.
        let body_threads = [2 * BODY_THREADS, BODY_THREADS].into_iter().find(|&t| t as usize <= threads).unwrap_or(0);
        let mut all = Self { bodies: bodies.len(), direct, body_threads, ..Self::default() };
        let (lists, starts) = all.lists(bodies, groups);
        let first_list = arena.put_constants(lists);
        all.lists = first_list as usize..arena.constants.len();
        let rows = bodies.iter().flat_map(|b| b.vertices.iter().copied());
        let vertex_words = arena.put_topology(rows);
        let mut first_aggregate = 0;
        for space in &spaces {
            arena.put_topology(space.aggregate.iter().map(|a| a + first_aggregate));
            first_aggregate += space.counts.len() as u32;
        }
        arena.put_topology(starts.into_iter().map(|s| s + first_list));
        let modes = spaces.iter().flat_map(|s| s.modes.iter().map(|m| m.map(f32::to_bits)));
        let vertex_vectors = arena.put_constants(modes);
        arena.put_constants(
            bodies.iter().flat_map(|b| b.rest.iter().map(|r| [r.x.to_bits(), r.y.to_bits(), r.z.to_bits(), 0])),
        );
        all.uniforms = ElasticUniforms {
            vertices: vertices as u32,
            vertex_words,
            vertex_vectors,
            aggregate_count: first_aggregate,
            first_order: u32::from(first_order),
            ..ElasticUniforms::default()
        };
        let layouts = all.put_coarse(bodies, &spaces, groups, arena);
        all.put_bodies(bodies, &spaces, &layouts, arena);
        let sums = CHUNK_SUMS as usize * all.uniforms.all_chunks as usize;
        let vectors = ELASTIC_ARRAYS as usize * vertices + 3 * first_aggregate as usize + sums + bodies.len();
        all.uniforms.work = arena.reserve_work(vectors);
        all
    }

    /// Writes the parameters of elements again, after they have changed.
    pub fn refresh(&self, bodies: &[ElasticBody], groups: &[Group], arena: &mut TableArena) {
        if bodies.is_empty() {
            return;
        }
        let mut again = Self { body_threads: self.body_threads, ..Self::default() };
        let (lists, _) = again.lists(bodies, groups);
        arena.constants[self.lists.clone()].copy_from_slice(&lists);
        let elements = records(bodies, groups);
        arena.constants[self.elements.clone()].copy_from_slice(&elements);
    }

    /// Whether one workgroup solves the body.
    fn is_small(&self, body: &ElasticBody) -> bool {
        body.coarse.second.is_none() && body.vertices.len() <= VERTICES_PER_THREAD * self.body_threads as usize
    }

    /// Elements by vertex, and where those of each vertex start.
    fn lists(&mut self, bodies: &[ElasticBody], groups: &[Group]) -> (Vec<Vector>, Vec<u32>) {
        let (mut lists, mut starts, mut base) = (Vec::new(), vec![0], 0);
        for body in bodies {
            // Threads that share a vertex find elements at even distances.
            let even = if self.is_small(body) { element_vectors(body) } else { 0 };
            for v in 0..body.vertices.len() {
                let mut own: Vec<(u32, Vec<Vector>)> = Vec::new();
                for &[e, place] in &body.entries[body.offsets[v] as usize..body.offsets[v + 1] as usize] {
                    let element = &body.elements[e as usize];
                    own.push(entry(element, place as usize, base, &params(element, groups)));
                }
                // Neighboring threads then run through the same kinds together.
                own.sort_by_key(|(code, _)| *code);
                own.iter().for_each(|(code, _)| self.kinds |= 1 << code);
                for (code, mut vectors) in own {
                    debug_assert_eq!(vectors.len(), entry_vectors(code));
                    vectors.resize(vectors.len().max(even), [0; 4]);
                    lists.extend(vectors);
                }
                starts.push(lists.len() as u32);
            }
            base += body.vertices.len() as u32;
        }
        (lists, starts)
    }

    /// Chunks and bodies.
    fn put_bodies(
        &mut self,
        bodies: &[ElasticBody],
        spaces: &[DeviceSpace],
        layouts: &[Layout],
        arena: &mut TableArena,
    ) {
        let (mut chunks, mut records, mut vertex, mut aggregate) = (Vec::new(), Vec::new(), 0, 0);
        let mut small = Vec::new();
        for (number, ((body, space), of)) in bodies.iter().zip(spaces).zip(layouts).enumerate() {
            let first = chunks.len() / CHUNK_WORDS as usize;
            let colors = if self.is_small(body) {
                small.push(number as u32);
                let ends = body.colors.iter().map(|color| (vertex + color.end) as u32);
                arena.put_topology(std::iter::once(vertex as u32).chain(ends))
            } else {
                put_chunks(&mut chunks, number, vertex..vertex + body.vertices.len());
                NONE
            };
            let count = chunks.len() / CHUNK_WORDS as usize - first;
            let turns = body.elements.iter().any(|e| e.kind.layout().turns);
            let aggregates = space.counts.len() as u32;
            let record: [u32; ELASTIC_BODY_WORDS as usize] = [
                first as u32,
                count as u32,
                aggregate,
                aggregates,
                u32::from(turns),
                of.regions,
                of.inverses,
                of.second,
                of.iterations,
                u32::from(Chain::is_whole_hessian(body)),
                vertex as u32,
                body.vertices.len() as u32,
                colors,
                body.colors.len() as u32,
                element_vectors(body) as u32,
            ];
            records.extend(record);
            vertex += body.vertices.len();
            aggregate += aggregates;
        }
        self.uniforms.all_chunks = (chunks.len() / CHUNK_WORDS as usize) as u32;
        self.small = small.len();
        let most = bodies.iter().filter(|b| !self.is_small(b)).map(|b| b.colors.len()).max().unwrap_or(0);
        for color in 0..most {
            let from = chunks.len() / CHUNK_WORDS as usize;
            let mut vertex = 0;
            for (number, body) in bodies.iter().enumerate() {
                if let Some(range) = body.colors.get(color).filter(|_| !self.is_small(body)) {
                    put_chunks(&mut chunks, number, vertex + range.start..vertex + range.end);
                }
                vertex += body.vertices.len();
            }
            self.colors.push(from..chunks.len() / CHUNK_WORDS as usize);
        }
        self.uniforms.chunks = arena.put_topology(chunks);
        self.uniforms.bodies = arena.put_topology(records);
        self.uniforms.small_bodies = arena.put_topology(small);
    }

    /// Aggregates, pairs of them with their elements, and the layout of the matrix.
    fn put_coarse(
        &mut self,
        bodies: &[ElasticBody],
        spaces: &[DeviceSpace],
        groups: &[Group],
        arena: &mut TableArena,
    ) -> Vec<Layout> {
        let elements = arena.put_constants(records(bodies, groups));
        self.elements = elements as usize..arena.constants.len();
        let unknowns: u32 = spaces.iter().map(DeviceSpace::size).sum();
        self.uniforms.unknowns = unknowns;
        let iterative = bodies.iter().any(|b| !b.coarse.exact);
        let arrays = if iterative { COARSE_ARRAYS } else { 1 };
        self.uniforms.numbers = arena.reserve_lambda((self.uniforms.vertices + arrays * unknowns) as usize);
        let (mut aggregates, mut pairs, mut matrix_rows, mut layouts) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut unknown, mut vertex, mut element, mut aggregate) = (0, 0, elements, 0);
        for (number, (body, space)) in bodies.iter().zip(spaces).enumerate() {
            debug_assert_eq!(matrix_rows.len() as u32, unknown);
            let layout = match &body.coarse.second {
                Some(level) => {
                    matrix_rows.resize((unknown + space.size()) as usize, 0);
                    Layout::iterative(&body.coarse, level, arena)
                }
                None if !body.coarse.exact => {
                    matrix_rows.resize((unknown + space.size()) as usize, 0);
                    Layout::dense(&body.coarse, arena)
                }
                None => {
                    let entries = space.first.iter().enumerate().map(|(row, &column)| row as u32 + 1 - column);
                    let mut at = arena.reserve_lambda(entries.clone().sum::<u32>() as usize);
                    for (entries, &column) in entries.zip(&space.first) {
                        // Rows and columns are numbered over all bodies.
                        matrix_rows.push(at.wrapping_sub(column + unknown));
                        at += entries;
                    }
                    Layout::default()
                }
            };
            for a in 0..space.counts.len() {
                let members = arena.put_topology(space.members[a].iter().map(|v| v + vertex));
                let [first, list, end] = match &body.coarse.second {
                    Some(level) => {
                        let list = layout.neighbors(a as u32, unknown);
                        let first = arena.put_topology(list.into_iter().flatten());
                        [level.region[a], first, arena.topology.len() as u32]
                    }
                    None if !body.coarse.exact => [a as u32, 0, 0],
                    None => {
                        let below = arena.put_topology(space.below[a].iter().map(|u| u + unknown));
                        [unknown + space.first_of(a), below, below + space.below[a].len() as u32]
                    }
                };
                let record: [u32; AGGREGATE_WORDS as usize] = [
                    unknown + space.unknowns[a],
                    space.counts[a],
                    members,
                    members + space.members[a].len() as u32,
                    first,
                    list,
                    end,
                    number as u32,
                ];
                aggregates.extend(record);
            }
            let (by_pair, mut blocks) = coarse_elements(body, space, groups);
            for (&[row, column], list) in space.pairs.iter().zip(by_pair) {
                let first = arena.put_topology(list.iter().map(|e| element + ELEMENT_VECTORS * e));
                let blocks = blocks.remove(&(row, column)).unwrap_or_default();
                let mut turned = Vec::new();
                for (rotation, block) in &blocks {
                    turned.extend([aggregate + rotation, arena.put_constants(block.iter().copied())]);
                }
                let from = arena.put_topology(turned);
                let [block, transposed, stride, diagonal] = layout.blocks([row, column]);
                let record: [u32; PAIR_WORDS as usize] = [
                    aggregate + row,
                    aggregate + column,
                    first,
                    first + list.len() as u32,
                    from,
                    from + 2 * blocks.len() as u32,
                    block,
                    transposed,
                    stride,
                    diagonal,
                ];
                pairs.push(record);
            }
            if let Some(level) = &body.coarse.second {
                self.second.put(number as u32, aggregate, level, &layout, arena);
            } else if !body.coarse.exact {
                self.second.put_dense(number as u32, aggregate, &layout);
            }
            layouts.push(layout);
            unknown += space.size();
            vertex += body.vertices.len() as u32;
            element += ELEMENT_VECTORS * body.elements.len() as u32;
            aggregate += space.counts.len() as u32;
        }
        self.pairs = pairs.len();
        self.second.finish(aggregates.chunks_exact(AGGREGATE_WORDS as usize), bodies, arena);
        self.uniforms.aggregates = arena.put_topology(aggregates);
        self.uniforms.pairs = arena.put_topology(pairs.into_iter().flatten());
        self.uniforms.matrix_rows = arena.put_topology(matrix_rows);
        layouts
    }
}

/// Vertices by thread of a body that one workgroup solves. A larger one is faster when many workgroups share its vertices.
const VERTICES_PER_THREAD: usize = 2;

/// Most vectors that an element of the body has in the list of a vertex.
fn element_vectors(body: &ElasticBody) -> usize {
    body.elements.iter().map(|e| entry_vectors(code(e.kind))).max().unwrap_or(0)
}

fn put_chunks(chunks: &mut Vec<u32>, body: usize, vertices: Range<usize>) {
    for first in vertices.clone().step_by(SIZE) {
        let record: [u32; CHUNK_WORDS as usize] = [body as u32, first as u32, SIZE.min(vertices.end - first) as u32];
        chunks.extend(record);
    }
}

/// Blocks of 4×4 modes that tetrahedra at rest give to a pair, by the aggregate that they turn with.
type TetBlocks = BTreeMap<(u32, u32), BTreeMap<u32, [Vector; TET_BLOCK_VECTORS as usize]>>;

/// Elements of each pair of aggregates, tetrahedra left out, and the blocks of tetrahedra.
fn coarse_elements(body: &ElasticBody, space: &DeviceSpace, groups: &[Group]) -> (Vec<Vec<u32>>, TetBlocks) {
    let (mut lists, mut blocks) = (vec![Vec::new(); space.pairs.len()], TetBlocks::new());
    for (number, element) in body.elements.iter().enumerate() {
        let rows = &element.rows[..element.kind.layout().rows];
        if element.kind == ConstraintKind::NeoHookeanTet {
            let own = linear(element.kind, &params(element, groups), &[[0.0; 4]; 4], Mat3::IDENTITY);
            // Always the last, so that pairs have few.
            let rotation = rows.iter().map(|&r| space.aggregate[r as usize]).max().unwrap_or(0);
            let modes: Vec<_> = modes_of(body, rows).map(|(u, w)| (space.mode_of(u), own.mode(&w))).collect();
            for ((a, m), first) in &modes {
                for ((b, n), second) in modes.iter().filter(|((b, _), _)| b <= a) {
                    let block = blocks.entry((*a, *b)).or_default().entry(rotation);
                    let block = block.or_insert([[0; 4]; TET_BLOCK_VECTORS as usize]);
                    let sum = own.modes(first, second).to_cols_array();
                    for (k, part) in sum.into_iter().enumerate() {
                        let at = (4 * m + n) as usize * 9 + k;
                        let word = &mut block[at / 4][at % 4];
                        *word = (f32::from_bits(*word) + part).to_bits();
                    }
                }
            }
            continue;
        }
        let mut touched: Vec<u32> = rows.iter().map(|&r| space.aggregate[r as usize]).collect();
        touched.sort_unstable();
        touched.dedup();
        for &a in &touched {
            for &b in touched.iter().filter(|b| **b <= a) {
                lists[space.pair(a, b)].push(number as u32);
            }
        }
    }
    (lists, blocks)
}
