//! Bodies in snapshots.

use crate::bytes::{Reader, SnapshotError, Writer};
use crate::shape_matching::bodies::ShapeMatch;

impl ShapeMatch {
    /// Writes what a step or a change of masses may change.
    pub(crate) fn write(&self, to: &mut Writer) {
        to.put(self.layout_hash());
        for body in &self.bodies {
            to.put([body.pins.0 as u64, body.pins.1 as u64]);
            to.put([body.mass, body.alpha]);
            to.put([body.first, body.pivot]);
            to.put([body.spread, body.flat, body.second]);
        }
        for pose in &self.poses {
            to.put(pose.rotation);
            to.put(pose.center);
            to.put([pose.shape, pose.stretch]);
            to.put(pose.strain);
        }
        to.list(&self.blocks);
        to.list(&self.pins);
        to.list(&self.shares);
        to.list(&self.gone);
    }

    /// Reads it again, into bodies with the same members.
    pub(crate) fn read(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
        if from.take::<u64>()? != self.layout_hash() {
            return Err(SnapshotError::Foreign("its bodies have other particles".into()));
        }
        let members = self.bodies.iter().map(|body| body.count).sum::<usize>() as u64;
        for body in &mut self.bodies {
            let [first, count] = from.take::<[u64; 2]>()?;
            if first > members || count > members {
                return Err(SnapshotError::Damaged("a body has more pinned particles than particles".into()));
            }
            body.pins = (first as usize, count as usize);
            [body.mass, body.alpha] = from.take()?;
            [body.first, body.pivot] = from.take()?;
            [body.spread, body.flat, body.second] = from.take()?;
        }
        for pose in &mut self.poses {
            pose.rotation = from.take()?;
            pose.center = from.take()?;
            [pose.shape, pose.stretch] = from.take()?;
            pose.strain = from.take()?;
        }
        from.fill("blocks of body particles", &mut self.blocks)?;
        self.pins = from.list("pinned body particles", members as usize)?;
        self.shares = from.list("mass shares", self.rows)?;
        self.gone = from.list("body particles", self.rows)?;
        let lists = [self.shares.len(), self.gone.len()];
        if lists.iter().any(|&n| n != 0 && n != self.rows)
            || self.pins.iter().any(|&row| row as usize >= self.rows)
            || self.bodies.iter().any(|body| body.pins.0 + body.pins.1 > self.pins.len())
        {
            return Err(SnapshotError::Damaged("its bodies do not fit together".into()));
        }
        Ok(())
    }
}
