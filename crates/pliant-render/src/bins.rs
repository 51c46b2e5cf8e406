//! Bins items into the cells of a grid by a stable counting sort.

/// A rectangle of grid cells, both ends included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells {
    pub x: [u32; 2],
    pub y: [u32; 2],
}

impl Cells {
    fn each(self, columns: u32) -> impl Iterator<Item = usize> {
        (self.y[0]..=self.y[1]).flat_map(move |y| (self.x[0]..=self.x[1]).map(move |x| (y * columns + x) as usize))
    }
}

/// Item numbers by grid cell, as one counting sort. Order within a cell is item order, so
/// whatever reads a cell front to back does not depend on how the cells were computed.
#[derive(Clone, Debug)]
pub(crate) struct Bins {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Bins {
    /// `cells[i]` says where item i goes; `None` is nowhere.
    pub fn sort(columns: u32, rows: u32, cells: &[Option<Cells>]) -> Self {
        let mut starts = vec![0u32; (columns * rows) as usize + 1];
        for cell in cells.iter().flatten().flat_map(|c| c.each(columns)) {
            starts[cell + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut items = vec![0u32; starts[starts.len() - 1] as usize];
        for (item, range) in cells.iter().enumerate() {
            for cell in range.iter().flat_map(|c| c.each(columns)) {
                items[next[cell] as usize] = item as u32;
                next[cell] += 1;
            }
        }
        Self { starts, items }
    }

    /// Items of one cell, in order.
    pub fn cell(&self, index: usize) -> &[u32] {
        &self.items[self.starts[index] as usize..self.starts[index + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_appears_once_in_each_of_its_cells_in_order() {
        let cells = [Some(Cells { x: [0, 1], y: [0, 0] }), None, Some(Cells { x: [1, 2], y: [0, 1] })];
        let bins = Bins::sort(3, 2, &cells);
        let found: Vec<&[u32]> = (0..6).map(|c| bins.cell(c)).collect();
        assert_eq!(found, [&[0][..], &[0, 2], &[2], &[], &[2], &[2]]);
    }
}
