//! Connectivity of surface triangles: boundaries, components, and orientation.

use crate::mesh::repair::surface::edges;
use crate::mesh::repair::{MeshError, SurfaceNeed, Tally, counted, precise};
use glam::Vec3;

/// Triangles with area, and the original indices of vertices and triangles.
pub(crate) struct Surface<'a> {
    pub positions: &'a [Vec3],
    pub vertex_origin: &'a [u32],
    pub triangles: &'a mut [[u32; 3]],
    pub triangle_origin: &'a [u32],
}

/// One triangle at an undirected edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    edge: (u32, u32),
    triangle: u32,
    /// The triangle's winding goes from the higher to the lower vertex.
    down: bool,
}

/// Adjacency of two triangles over an edge; `opposed` if their windings disagree.
#[derive(Clone, Copy)]
struct Link {
    edge: (u32, u32),
    from: u32,
    to: u32,
    opposed: bool,
}

impl Surface<'_> {
    /// Checks the edges, then makes the winding consistent and, for a closed surface, outward.
    pub fn orient(&mut self, need: SurfaceNeed, notes: &mut Vec<String>) -> Result<(), MeshError> {
        let sides = self.sides();
        let links = self.links(&sides, need, notes)?;
        self.note_pinched_vertices(&sides, notes);
        let pieces = self.make_consistent(&links, need, notes)?;
        if need == SurfaceNeed::Closed {
            self.turn_outward(&pieces, notes);
        }
        Ok(())
    }

    fn sides(&self) -> Vec<Side> {
        let mut sides = Vec::with_capacity(3 * self.triangles.len());
        for (index, &triangle) in self.triangles.iter().enumerate() {
            for (a, b) in edges(triangle) {
                sides.push(Side { edge: (a.min(b), a.max(b)), triangle: index as u32, down: a > b });
            }
        }
        sides.sort_unstable();
        sides
    }

    /// Adjacencies over edges with exactly two triangles; other edges are rejected or noted.
    fn links(&self, sides: &[Side], need: SurfaceNeed, notes: &mut Vec<String>) -> Result<Vec<Link>, MeshError> {
        let mut links = Vec::with_capacity(sides.len() / 2);
        let mut crowded: Option<(usize, String)> = None;
        for group in sides.chunk_by(|a, b| a.edge == b.edge) {
            match group {
                [one, two] => links.push(Link {
                    edge: one.edge,
                    from: one.triangle,
                    to: two.triangle,
                    opposed: one.down == two.down,
                }),
                _ if need == SurfaceNeed::Closed => {
                    let found = counted(group.len(), "triangle");
                    let edge = self.edge_name(group[0].edge);
                    return Err(MeshError(format!("{edge} has {found}, but a closed surface has 2 at every edge")));
                }
                [_] => {}
                _ => {
                    crowded.get_or_insert_with(|| (0, self.edge_name(group[0].edge))).0 += 1;
                }
            }
        }
        if let Some((count, first)) = crowded {
            notes.push(format!("kept {} with more than two triangles (first: {first})", counted(count, "edge")));
        }
        Ok(links)
    }

    /// Notes vertices where parts of the surface touch only in that vertex: valid, but rarely intended.
    fn note_pinched_vertices(&self, sides: &[Side], notes: &mut Vec<String>) {
        // Corners that share an edge at their vertex belong to one fan.
        let mut fans: Vec<u32> = (0..3 * self.triangles.len() as u32).collect();
        for group in sides.chunk_by(|a, b| a.edge == b.edge) {
            for pair in group.windows(2) {
                for vertex in [pair[0].edge.0, pair[0].edge.1] {
                    let one = find(&mut fans, self.corner(pair[0].triangle, vertex));
                    let two = find(&mut fans, self.corner(pair[1].triangle, vertex));
                    fans[one.max(two) as usize] = one.min(two);
                }
            }
        }
        let mut fan_count = vec![0_u32; self.positions.len()];
        for corner in 0..fans.len() as u32 {
            if find(&mut fans, corner) == corner {
                fan_count[self.triangles[corner as usize / 3][corner as usize % 3] as usize] += 1;
            }
        }
        let mut pinched = Tally::default();
        for (vertex, _) in fan_count.iter().enumerate().filter(|(_, count)| **count > 1) {
            pinched.add(self.vertex_origin[vertex] as usize);
        }
        pinched.note(notes, "kept", "vertex", " where parts touch without sharing an edge");
    }

    fn corner(&self, triangle: u32, vertex: u32) -> u32 {
        let corner = self.triangles[triangle as usize].iter().position(|&v| v == vertex).unwrap_or(0);
        3 * triangle + corner as u32
    }

    /// Makes windings consistent within each component, flipping the minority; returns the component of each triangle.
    fn make_consistent(
        &mut self,
        links: &[Link],
        need: SurfaceNeed,
        notes: &mut Vec<String>,
    ) -> Result<Vec<u32>, MeshError> {
        let count = self.triangles.len();
        let mut start = vec![0_usize; count + 1];
        for link in links {
            start[link.from as usize + 1] += 1;
            start[link.to as usize + 1] += 1;
        }
        for i in 0..count {
            start[i + 1] += start[i];
        }
        let mut around = vec![0_u32; 2 * links.len()];
        let mut fill = start.clone();
        for (number, link) in links.iter().enumerate() {
            for end in [link.from, link.to] {
                around[fill[end as usize]] = number as u32;
                fill[end as usize] += 1;
            }
        }

        let mut piece = vec![u32::MAX; count];
        let mut turn = vec![false; count];
        let (mut pieces, mut turned, mut one_sided) = (0, Tally::default(), Tally::default());
        let mut members: Vec<u32> = Vec::new();
        for seed in 0..count {
            if piece[seed] != u32::MAX {
                continue;
            }
            members.clear();
            members.push(seed as u32);
            piece[seed] = pieces;
            let mut conflict = None;
            let mut next = 0;
            while next < members.len() {
                let here = members[next];
                next += 1;
                for &number in &around[start[here as usize]..start[here as usize + 1]] {
                    let link = links[number as usize];
                    let there = if link.from == here { link.to } else { link.from };
                    let wanted = turn[here as usize] != link.opposed;
                    if piece[there as usize] == u32::MAX {
                        piece[there as usize] = pieces;
                        turn[there as usize] = wanted;
                        members.push(there);
                    } else if turn[there as usize] != wanted {
                        conflict.get_or_insert(link.edge);
                    }
                }
            }
            pieces += 1;
            if let Some(edge) = conflict {
                if need == SurfaceNeed::Closed {
                    let edge = self.edge_name(edge);
                    return Err(MeshError(format!("surface is one-sided: no winding agrees across {edge}")));
                }
                one_sided.add(self.triangle_origin[seed] as usize);
                continue;
            }
            let minority = members.iter().filter(|&&t| turn[t as usize]).count();
            let turn_is_minority = 2 * minority <= members.len();
            members.sort_unstable();
            for &triangle in &members {
                if turn[triangle as usize] == turn_is_minority {
                    self.triangles[triangle as usize].swap(1, 2);
                    turned.add(self.triangle_origin[triangle as usize] as usize);
                }
            }
        }
        turned.note(notes, "turned", "triangle", " wound against the others");
        one_sided.note(notes, "kept", "one-sided piece", " as wound");
        if pieces > 1 {
            notes.push(format!("surface has {pieces} separate pieces"));
        }
        Ok(piece)
    }

    /// Flips inverted components. A component of negative volume may be a cavity, but only inside a larger one.
    fn turn_outward(&mut self, pieces: &[u32], notes: &mut Vec<String>) {
        let piece_count = pieces.iter().max().map_or(0, |&last| last as usize + 1);
        // Volumes are relative to a vertex of the mesh: far from the origin the terms would cancel.
        let center = precise(self.positions[0]);
        let mut volumes = vec![0.0_f64; piece_count];
        for (triangle, &piece) in self.triangles.iter().zip(pieces) {
            let [a, b, c] = triangle.map(|v| precise(self.positions[v as usize]) - center);
            volumes[piece as usize] += a.cross(b).dot(c) / 6.0;
        }
        let all = volumes.iter().sum::<f64>() < 0.0;
        if all {
            volumes.iter_mut().for_each(|v| *v = -*v);
        }
        let largest = volumes.iter().copied().fold(0.0, f64::max);
        let mut cavities = Tally::default();
        let mut turned = Tally::default();
        let mut known = vec![false; piece_count];
        for (index, &piece) in pieces.iter().enumerate() {
            let volume = volumes[piece as usize];
            let alone = volume < 0.0 && -volume >= largest;
            if all != alone {
                self.triangles[index].swap(1, 2);
                turned.add(self.triangle_origin[index] as usize);
            }
            if volume < 0.0 && !alone && !std::mem::replace(&mut known[piece as usize], true) {
                cavities.add(self.triangle_origin[index] as usize);
            }
        }
        turned.note(notes, "turned", "triangle", " of a surface that was inside out");
        cavities.note(notes, "kept", "inward piece", " as cavities");
    }

    /// `edge 3-7 (from 0 0 1 to 1 0 1)`, numbered as in the input mesh.
    fn edge_name(&self, (a, b): (u32, u32)) -> String {
        let (p, q) = (self.positions[a as usize], self.positions[b as usize]);
        let (a, b) = (self.vertex_origin[a as usize], self.vertex_origin[b as usize]);
        format!("edge {a}-{b} (from {} {} {} to {} {} {})", p.x, p.y, p.z, q.x, q.y, q.z)
    }
}

/// Root of a union-find tree whose roots are always the smallest member.
fn find(parents: &mut [u32], mut node: u32) -> u32 {
    while parents[node as usize] != node {
        let grand = parents[parents[node as usize] as usize];
        parents[node as usize] = grand;
        node = grand;
    }
    node
}
