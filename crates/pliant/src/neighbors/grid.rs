//! Uniform grid with wrap-around: construction by counting or sorting, and pair search (S30, D4 §5.1.1).
//!
//! Slots are ordered by bucket, then by particle index. Cells of one row along x are contiguous in memory, so a search
//! reads a few runs of slots instead of 27 cells.

use crate::environments::Separation;
use crate::math::RowData;
use crate::memory::{of, replace, resize};
use crate::neighbors::cells::{Bounds, Cells, Run};
use crate::neighbors::filter::{One, SlotFilter};
use crate::neighbors::lists::{Collector, Neighbors};
use crate::neighbors::nearest::Near;
use crate::neighbors::radix_sort::RadixSort;
use crate::neighbors::sorted_particles::Sorted;
use crate::neighbors::{Cloud, OUTWARD, Pairs};
use crate::runtime::cpu::{Isa, Threads};
use std::ops::Range;

/// Cell edges over the reach, the largest distance of a near pair, by the number of particles in a cube of that size.
///
/// Cells of one row along x are contiguous in memory, so they may be short there. Across, wide cells give few rows to
/// visit, narrow ones fewer particles in each. Measured with 216,000 particles on one core, lists only: a pile of equal
/// grains (1 per cube) takes 23, 17 and 30 ms with edges of 1, 1.5 and 0.5 across; radii of 1:4 (16 per cube) 46, 53
/// and 52 ms; radii of 1:8 (80 per cube) 106, 176 and 90 ms.
fn edges(per_cube: f64) -> [f32; 3] {
    if per_cube < 8.0 {
        [0.5, 1.5, 1.5]
    } else if per_cube < 40.0 {
        [0.5, 1.0, 1.0]
    } else {
        [0.25, 0.5, 0.5]
    }
}

/// Maximum number of buckets per particle. More would take longer to clear than they save in searching.
const PLACES_PER_PARTICLE: usize = 4;

/// Buckets of a table of fixed cells at least: with so many, an axis that wraps around has sixteen or more.
const LEAST_PLACES: usize = 1 << 15;

/// Construction method. Both give the same result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Construction {
    /// Counts the particles of each bucket, prefix sum, scatter.
    #[default]
    Counting,
    /// Sorts the particles by bucket, then finds the bucket starts.
    Sorting,
}

/// A uniform grid over a set of particles, with its buffers.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    cells: Cells,
    /// Number of tables, each of all cells.
    environments: usize,
    largest: f32,
    /// Reach that cells are made for [m], whatever particles there are; 0 where they are chosen for the particles.
    pub(crate) fixed_reach: f32,
    /// Bucket of each particle.
    places: Vec<u32>,
    /// First bucket of each particle's environment, which has a table of its own; empty for a single environment.
    tables: Vec<u32>,
    /// First slot of each bucket; then the number of slots, twice.
    starts: Vec<u32>,
    pub(crate) sorted: Sorted,
    sort: RadixSort,
}

impl Grid {
    /// Builds the grid with cells chosen for this margin [m].
    pub fn build(&mut self, threads: &Threads, cloud: Cloud<'_>, margin: f32) {
        self.count(threads, cloud, Separation::default(), margin);
        self.fill(threads, cloud);
    }

    /// Builds the grid with given cells. The pairs do not depend on them, only the time.
    pub fn build_with(&mut self, threads: &Threads, cloud: Cloud<'_>, cells: Cells, construction: Construction) {
        self.assign(threads, cloud, Separation::default(), cells);
        match construction {
            Construction::Counting => {
                self.count_places();
                self.fill(threads, cloud);
            }
            Construction::Sorting => {
                self.sort_places();
                self.sorted.gather(threads, cloud);
            }
        }
    }

    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        of(&self.places) + of(&self.tables) + of(&self.starts) + self.sorted.bytes() + self.sort.bytes()
    }

    /// The cells and their table.
    pub fn cells(&self) -> &Cells {
        &self.cells
    }

    /// Particle indices in slot order.
    pub fn order(&self) -> &[u32] {
        &self.sorted.index[..self.sorted.len]
    }

    /// Slots of a bucket.
    pub fn slots(&self, place: u32) -> Range<usize> {
        self.starts[place as usize] as usize..self.starts[place as usize + 1] as usize
    }

    /// First half of the construction: chooses cells and counts.
    pub(crate) fn count(&mut self, threads: &Threads, cloud: Cloud<'_>, separation: Separation<'_>, margin: f32) {
        // Particles of one environment: cells, and so the order of candidates, are those that it would have alone.
        let each = cloud.len().div_ceil(separation.count.max(1) as usize);
        let (n, bounds, largest) = (cloud.len(), Bounds::of(cloud.rows), cloud.largest());
        let reach = (largest + largest) + margin;
        let cubes = bounds.extent().map(|e| f64::from(e / reach).max(1.0)).iter().product::<f64>();
        // With zero reach there are no neighbors, and cells serve nearest queries only.
        let size = match self.fixed_reach {
            // In a table this large no run of cells goes all around: cells come in the order of their places.
            fixed if fixed > 0.0 => edges(0.0).map(|c| c * fixed),
            _ if reach > 0.0 => edges(each as f64 / cubes).map(|c| c * reach),
            _ => [bounds.spacing(each); 3],
        };
        let least = if self.fixed_reach > 0.0 { LEAST_PLACES } else { 64 };
        let most = (n * PLACES_PER_PARTICLE).max(least) / separation.count.max(1) as usize;
        self.assign(threads, cloud, separation, Cells::new(&bounds, size, most));
        self.count_places();
    }

    /// Average number of candidates of a particle of the largest radius, weighted by particles, so that clusters count.
    /// Call after `count`.
    pub(crate) fn candidates(&self, margin: f32) -> f64 {
        let reach = (self.largest + self.largest) + margin;
        let cells = self.cells.size().map(|size| f64::from(2.0 * reach / size) + 1.0).iter().product::<f64>();
        let mut before = 0;
        // Element p + 2 is the end of bucket p.
        let squares = self.starts.iter().skip(2).map(|&end| {
            let count = f64::from(end - before);
            before = end;
            count * count
        });
        squares.sum::<f64>() / self.places.len().max(1) as f64 * cells
    }

    /// Second half of the construction: scatters.
    pub(crate) fn fill(&mut self, threads: &Threads, cloud: Cloud<'_>) {
        let Self { places, starts, sorted, .. } = self;
        // Element p + 1 advances from the first slot of bucket p to that of the next.
        for (i, &place) in places.iter().enumerate() {
            let at = &mut starts[place as usize + 1];
            sorted.index[*at as usize] = i as u32;
            *at += 1;
        }
        sorted.gather(threads, cloud);
    }

    fn assign(&mut self, threads: &Threads, cloud: Cloud<'_>, separation: Separation<'_>, cells: Cells) {
        cloud.check();
        self.largest = cloud.largest();
        resize(&mut self.places, cloud.len(), 0);
        threads.chunks(&mut self.places, 1, |first, places| {
            for (place, &row) in places.iter_mut().zip(&cloud.rows[first..]) {
                *place = cells.place(row);
            }
        });
        self.tables.clear();
        if separation.acts() {
            assert_eq!(separation.of.len(), cloud.len(), "one environment per row");
            let each = cells.places() as u32;
            self.tables.extend(separation.of.iter().map(|&environment| environment * each));
            self.places.iter_mut().zip(&self.tables).for_each(|(place, table)| *place += table);
        }
        self.environments = separation.count.max(1) as usize;
        self.cells = cells;
        self.sorted.resize(cloud.len());
    }

    /// Leaves the first slot of bucket p in element p + 1.
    fn count_places(&mut self) {
        let Self { places, starts, cells, environments, .. } = self;
        starts.clear();
        resize(starts, cells.places() * *environments + 2, 0);
        for &place in places.iter() {
            starts[place as usize + 2] += 1;
        }
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
    }

    fn sort_places(&mut self) {
        let Self { places, starts, cells, sorted, sort, .. } = self;
        let n = places.len();
        replace(&mut sort.keys, places.iter().map(|&p| u64::from(p)));
        replace(&mut sort.values, (0..n).map(|i| i as u32));
        sort.sort();
        sorted.index[..n].copy_from_slice(&sort.values);
        starts.clear();
        // An empty bucket begins where the next one does.
        for (slot, &place) in sort.keys.iter().enumerate() {
            starts.resize((place as usize + 1).max(starts.len()), slot as u32);
        }
        starts.resize(cells.places() + 2, n as u32);
    }

    /// All particles whose centers are closer to a point than `reach` [m], in cell order and by index within cells.
    /// Ignores phases and radii.
    pub fn within(&self, point: RowData, reach: f32, out: &mut Vec<Near>) {
        out.clear();
        if self.sorted.len == 0 {
            return;
        }
        let (cells, sorted) = (&self.cells, &self.sorted);
        let [nx, ny, _] = cells.dims();
        let wide = reach * OUTWARD;
        let run = |k: usize| cells.run(k, point[k] - wide, point[k] + wide);
        let (x, y, z) = (run(0), run(1), run(2));
        let (ahead, behind) = split(x, nx);
        for k in 0..z.count {
            let plane = cells.step(2, z, k) * ny;
            for j in 0..y.count {
                let row = (plane + cells.step(1, y, j)) * nx;
                for part in [&ahead, &behind] {
                    let at = |x| self.starts[(row + x) as usize] as usize;
                    for slot in at(part.start)..at(part.end) {
                        let (dx, dy) = (point[0] - sorted.x[slot], point[1] - sorted.y[slot]);
                        let dz = point[2] - sorted.z[slot];
                        let squared = dx * dx + dy * dy + dz * dz;
                        if squared < reach * reach {
                            out.push(Near { index: sorted.index[slot], squared });
                        }
                    }
                }
            }
        }
    }

    /// Lists all near pairs with this margin [m].
    pub fn pairs(&self, threads: &Threads, isa: Isa, margin: f32, pairs: Pairs, out: &mut Neighbors) {
        out.collect(threads, &self.sorted, |slots, lists| {
            #[cfg(target_arch = "x86_64")]
            if crate::neighbors::filter::eight(isa) {
                // SAFETY: `eight` has detected AVX2 and POPCNT on this processor.
                return unsafe { self.search_avx2(slots, margin, pairs, lists) };
            }
            #[cfg(not(target_arch = "x86_64"))]
            let _ = isa;
            self.search::<One>(slots, margin, pairs, lists);
        });
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt")]
    fn search_avx2(&self, slots: Range<usize>, margin: f32, pairs: Pairs, lists: &mut Collector<'_>) {
        self.search::<crate::neighbors::filter::Eight>(slots, margin, pairs, lists);
    }

    #[inline(always)]
    fn search<S: SlotFilter>(&self, slots: Range<usize>, margin: f32, pairs: Pairs, lists: &mut Collector<'_>) {
        let (cells, sorted) = (&self.cells, &self.sorted);
        let [nx, ny, _] = cells.dims();
        for slot in slots {
            let table = self.tables.get(sorted.index[slot] as usize).copied().unwrap_or(0);
            let probe = sorted.probe(slot, margin, pairs);
            let reach = ((probe.radius + self.largest) + margin) * OUTWARD;
            let run = |k, v: f32| cells.run(k, v - reach, v + reach);
            let (x, y, z) = (run(0, probe.x), run(1, probe.y), run(2, probe.z));
            let (ahead, behind) = split(x, nx);
            lists.list::<S>(|out| {
                for k in 0..z.count {
                    let plane = cells.step(2, z, k) * ny;
                    for j in 0..y.count {
                        let row = table + (plane + cells.step(1, y, j)) * nx;
                        let slots = |x: Range<u32>| {
                            let at = |x| self.starts[(row + x) as usize] as usize;
                            (at(x.start), at(x.end))
                        };
                        let (first, end) = slots(ahead.clone());
                        S::filter(sorted, first, end, &probe, out);
                        if behind.end > 0 {
                            let (first, end) = slots(behind.clone());
                            S::filter(sorted, first, end, &probe, out);
                        }
                    }
                }
            });
        }
    }
}

/// A run of buckets as two ranges: up to the end of the table, and from its beginning.
#[inline(always)]
fn split(run: Run, dim: u32) -> (Range<u32>, Range<u32>) {
    let end = run.first + run.count;
    if end <= dim { (run.first..end, 0..0) } else { (run.first..dim, 0..end - dim) }
}
