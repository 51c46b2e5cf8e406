//! States as bytes.

use crate::bytes::{Reader, SnapshotError, Writer};
use crate::state::{Contact, Frozen, Push, State};
use glam::Vec3;

impl State {
    /// Writes all of it.
    pub(crate) fn write(&self, to: &mut Writer) {
        to.list(&self.rows);
        to.list(&self.previous);
        to.list(&self.older);
        to.list(&self.velocities);
        to.list(&self.older_velocities);
        to.list(&self.radii);
        to.list(&self.phases);
        to.list(&self.emitted.iter().map(|&n| n as u64).collect::<Vec<_>>());
        self.returned.iter().for_each(|list| to.list(&list.iter().copied().collect::<Vec<_>>()));
        to.put(self.drained);
        to.list(&self.melted.iter().map(|&n| n as u64).collect::<Vec<_>>());
        for frozen in &self.frozen {
            to.put(frozen.count as u64);
            to.list(&frozen.fields);
        }
        to.list(&self.first_order);
        to.list(&self.asleep);
        self.multipliers.iter().for_each(|list| to.list(list));
        to.list(&self.inflate_multipliers);
        if let Some(shapes) = &self.shapes {
            shapes.write(to);
        }
        to.list(&self.pressures);
        to.list(&self.carried);
        for run in &self.contacts {
            // The others are found anew, and do not matter for it.
            let pushing: Vec<&Contact> = run.iter().filter(|c| c.push.normal > 0.0).collect();
            to.put(pushing.len() as u64);
            for c in pushing {
                to.put([c.particle, c.collider]);
                to.put([c.push, c.last].map(|p| [p.tangent.x, p.tangent.y, p.tangent.z, p.normal]));
                to.put(c.inside);
            }
        }
        self.rigid_bodies.write(to);
        to.put(self.substeps);
        to.put(self.time);
    }

    /// Overwrites it by one of the same layout. Indices are for the caller to check.
    pub(crate) fn read(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
        let (particles, rows) = (self.particles, self.rows.len());
        from.fill("rows", &mut self.rows)?;
        from.fill("rows", &mut self.previous)?;
        from.fill("rows of history", &mut self.older)?;
        from.fill("velocities", &mut self.velocities)?;
        from.fill("velocities of history", &mut self.older_velocities)?;
        from.fill("radii", &mut self.radii)?;
        from.fill("phases", &mut self.phases)?;
        counts(from, "emitters", &mut self.emitted)?;
        for list in &mut self.returned {
            *list = from.list("particles returned to an emitter", particles)?.into();
        }
        self.drained = from.take()?;
        counts(from, "melting bodies", &mut self.melted)?;
        for frozen in &mut self.frozen {
            let count = usize::try_from(from.take::<u64>()?).unwrap_or(usize::MAX);
            *frozen = Frozen { count, fields: from.list("frozen particles", particles)? };
        }
        from.fill("integration orders", &mut self.first_order)?;
        self.asleep = from.list("sleeping objects", usize::MAX)?;
        for list in &mut self.multipliers {
            from.fill("multipliers", list)?;
        }
        from.fill("multipliers of inflatables", &mut self.inflate_multipliers)?;
        if let Some(shapes) = &mut self.shapes {
            shapes.read(from)?;
        }
        from.fill("pressures", &mut self.pressures)?;
        from.fill("displacements by pressure", &mut self.carried)?;
        for run in &mut self.contacts {
            let count = from.take::<u64>()?;
            if count > (rows as u64) << 20 {
                return Err(SnapshotError::Damaged(format!("{count} contacts in one run of particles")));
            }
            run.clear();
            for _ in 0..count {
                let [particle, collider] = from.take()?;
                let [push, last] = from.take::<[[f32; 4]; 2]>()?.map(|[x, y, z, normal]| {
                    let tangent = Vec3::new(x, y, z);
                    Push { tangent, normal }
                });
                run.push(Contact { particle, collider, push, last, inside: from.take()? });
            }
        }
        self.rigid_bodies.read(from)?;
        self.substeps = from.take()?;
        self.time = from.take()?;
        Ok(())
    }
}

fn counts(from: &mut Reader<'_>, what: &str, list: &mut [usize]) -> Result<(), SnapshotError> {
    let mut wide: Vec<u64> = vec![0; list.len()];
    from.fill(what, &mut wide)?;
    for (to, count) in list.iter_mut().zip(wide) {
        *to = usize::try_from(count)
            .map_err(|_| SnapshotError::Damaged(format!("{count} particles of one of the {what}")))?;
    }
    Ok(())
}
