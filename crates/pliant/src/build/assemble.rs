//! Joins copies of parts into one set of particles and constraints, then into model and state.

use super::coats::Wardrobe;
use super::liquid::{fluid, notes, spaces};
use super::part::{Matching, Mouth, ORIENTATION, Part, Raw};
use super::partition::islands::{Islands, Room};
use super::partition::{Problem, plan};
use super::place::{copies, motion, select};
use super::settings::{mutual, settings};
use super::surfaces::{finish_sails, inflatable};
use super::target::Target;
use super::{BuildError, pack};
use crate::error::SceneError;
use crate::frame::Shape;
use crate::kernels::Kind;
use crate::kernels::contact::Pose;
use crate::kernels::shape::ShapeMatch;
use crate::model::{Collider, Drain, Freeze, Inflatable, LIQUID, Mates, Melt, Model, MovedPins, Pour, Sails};
use crate::scene::{ArraySpec, FluidSpec, Integrator, Partition, Pin, Scene};
use crate::space::ASLEEP;
use crate::state::{Frozen, RowData, State};
use crate::step::schedule::{Pass, Schedule, Touches};
use glam::{Quat, Vec3};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

/// One copy of an object within the whole.
pub struct Copy {
    /// Name of the object, without the copy's number.
    pub name: String,
    /// First particle.
    pub first: u32,
    /// Displacement from the part.
    pub shift: Vec3,
    /// Number of the part.
    pub part: usize,
}

/// Everything so far.
#[derive(Default)]
pub struct Assembly {
    /// Remarks for the user.
    pub notes: Vec<String>,
    /// Parts as built, without their constraints (kept for attachments).
    pub parts: Vec<Part>,
    /// Copies of parts.
    pub copies: Vec<Copy>,
    /// Positions and inverse masses.
    pub rows: Vec<RowData>,
    /// Positions at rest [m].
    rest: Vec<Vec3>,
    velocities: Vec<RowData>,
    phases: Vec<u32>,
    orientations: Vec<RowData>,
    spin_weights: Vec<f32>,
    /// Constraints by kind.
    pub constraints: BTreeMap<Kind, Raw>,
    pins: Vec<MovedPins>,
    /// Solids of the environment.
    pub colliders: Vec<Collider>,
    sails: Sails,
    inflatables: Vec<Inflatable>,
    shape: Shape,
    /// Bodies that keep their shape.
    pub shapes: Vec<crate::kernels::shape::Shape>,
    coats: Wardrobe,
    /// Particles that come later.
    pub pours: Vec<Pour>,
    /// Regions that take particles away.
    pub drains: Vec<Drain>,
    /// Bodies that turn into liquids.
    pub melts: Vec<Melt>,
    /// Liquids that turn into bodies.
    pub freezes: Vec<Freeze>,
    /// Whether objects touch themselves.
    itself: bool,
    /// As [`Model::fields`], as far as there are bodies.
    pub fields: Vec<RowData>,
    /// Whether the particles of each object are loose.
    loose: Vec<bool>,
    /// Attached particles, each with the object that it is attached to.
    pub mates: Vec<(u32, u32)>,
    /// What liquids share, where there are any.
    fluid: Option<FluidSpec>,
    /// Space of each particle among liquids [m³], and its liquid, from 1; empty without liquids.
    spaces: Vec<f32>,
    liquids: Vec<u32>,
}

/// Row and slot numbers must leave the mark bit free.
const MOST: usize = ORIENTATION as usize - 1;

impl Assembly {
    /// Nothing yet of a scene.
    pub fn new(scene: &Scene) -> Self {
        let fluid = (!scene.liquid.is_empty()).then(|| scene.fluid.clone());
        Self { itself: scene.contact.itself, fluid, ..Self::default() }
    }

    /// Places all copies of a part.
    pub fn place(
        &mut self,
        at: &str,
        name: &str,
        mut part: Part,
        array: Option<&ArraySpec>,
        pins: &[Pin],
        color: Option<[f32; 3]>,
    ) -> Result<(), BuildError> {
        if self.copies.iter().any(|c| c.name == name) {
            return Err(SceneError::new(format!("{at}.name"), format!("{name:?} is taken by another object")).into());
        }
        let shifts = copies(array);
        let spaces = self.fluid.as_ref().map_or(Vec::new(), |f| spaces(&part, f));
        let total = self.rows.len() + part.positions.len() * shifts.len();
        if total > MOST {
            return Err(BuildError::TooLarge { what: "particles", found: total, most: MOST });
        }
        let many = shifts.len() > 1;
        let number = self.parts.len();
        for (k, &shift) in shifts.iter().enumerate() {
            let object = self.shape.object_names.len() as u32;
            let label = if many { format!("{name}[{k}]") } else { name.to_owned() };
            self.shape.object_names.push(label);
            self.loose.push(part.loose);
            self.shape.colors.push(color);
            self.copies.push(Copy { name: name.to_owned(), first: self.rows.len() as u32, shift, part: number });
            self.place_one(at, &part, shift, object, pins)?;
            self.spaces.extend_from_slice(&spaces);
            self.liquids.resize(self.spaces.len(), part.liquid.map_or(0, |l| l as u32 + 1));
        }
        part.constraints.clear();
        self.parts.push(part);
        Ok(())
    }

    /// Displaces a copy of an object without pins.
    pub fn move_copy(&mut self, copy: usize, way: Vec3) {
        let copy = &mut self.copies[copy];
        let particles = copy.first as usize..copy.first as usize + self.parts[copy.part].positions.len();
        copy.shift += way;
        for (row, rest) in self.rows[particles.clone()].iter_mut().zip(&mut self.rest[particles]) {
            *rest += way;
            (0..3).for_each(|axis| row[axis] += way[axis]);
        }
    }

    /// Number of the object that a particle is of.
    pub fn object_of(&self, particle: u32) -> u32 {
        self.shape.objects[particle as usize]
    }

    fn place_one(&mut self, at: &str, part: &Part, shift: Vec3, object: u32, pins: &[Pin]) -> Result<(), BuildError> {
        let (first, n) = (self.rows.len() as u32, part.positions.len());
        let first_turn = self.orientations.len() as u32;
        let v = part.velocity;
        for (p, &m) in part.positions.iter().zip(&part.masses) {
            let p = *p + shift;
            self.rows.push([p.x, p.y, p.z, 1.0 / m]);
            self.velocities.push([v.x, v.y, v.z, 0.0]);
        }
        if !part.fields.is_empty() {
            self.fields.resize(first as usize, [0.0; 4]);
            self.fields.extend_from_slice(&part.fields);
        }
        self.shape.radii.extend_from_slice(&part.radii);
        self.rest.extend(part.rest.iter().map(|&p| p + shift));
        self.shape.radii.resize(self.rows.len(), part.radius);
        self.shape.objects.resize(self.rows.len(), object);
        // Objects are numbered from 1 in phases: 0 is for those whose particles touch each other.
        let itself = part.loose || self.itself && part.matching.is_none();
        let phase = match part.liquid {
            Some(_) => LIQUID,
            None if itself => 0,
            None => object + 1,
        };
        self.phases.resize(self.rows.len(), phase);
        if let Some(Matching { stiffness, plastic, regions }) = &part.matching {
            let (stiffness, plastic) = (*stiffness, *plastic);
            let shape = |members| crate::kernels::shape::Shape { members, stiffness, plastic };
            match regions.is_empty() {
                true => self.shapes.push(shape((first..first + n as u32).collect())),
                false => self.shapes.extend(regions.iter().map(|r| shape(r.iter().map(|i| i + first).collect()))),
            }
        }
        if let Some(coat) = &part.coat {
            self.coats.add(coat, first as usize, object);
        }
        if let Some(mouth) = &part.pour {
            self.pour(part, mouth, shift, first as usize);
        }
        self.orientations.extend(part.orientations.iter().map(|q| q.to_array()));
        self.spin_weights.extend_from_slice(&part.spin_weights);
        let row = |r: u32| if r & ORIENTATION == 0 { r + first } else { r + first_turn };
        for (&kind, raw) in &part.constraints {
            let whole = self.constraints.entry(kind).or_default();
            whole.rows.extend(raw.rows.iter().map(|&r| row(r)));
            whole.params.extend_from_slice(&raw.params);
        }
        let pinned = self.pin(at, part, shift, first, first_turn, pins)?;
        if let Some(slack) = part.tether {
            self.tether(part, first, &pinned, slack);
        }
        self.shape.triangles.extend(part.triangles.iter().map(|t| t.map(row)));
        self.shape.tets.extend(part.tets.iter().map(|t| t.map(row)));
        self.shape.lines.extend(part.lines.iter().map(|l| l.map(row)));
        if let Some(air) = part.air {
            let known = self.sails.airs.iter().position(|a| *a == air).unwrap_or(self.sails.airs.len());
            if known == self.sails.airs.len() {
                self.sails.airs.push(air);
            }
            let number = u16::try_from(known).map_err(|_| BuildError::TooLarge {
                what: "pairs of drag and lift",
                found: known,
                most: 65_535,
            })?;
            self.sails.triangles.extend(part.triangles.iter().map(|t| t.map(row)));
            self.sails.air.resize(self.sails.triangles.len(), number);
        }
        if let Some(inside) = &part.inside {
            self.inflatables.push(inflatable(part, inside, first, n, object));
        }
        Ok(())
    }

    /// Puts grains that come later to sleep.
    fn pour(&mut self, part: &Part, mouth: &Mouth, shift: Vec3, first: usize) {
        let pour = Pour {
            first,
            places: mouth.places.iter().map(|&p| p + shift).collect(),
            velocity: part.velocity,
            weight: self.rows[first][3],
            phase: self.phases[first],
            per_second: mouth.per_second,
            across: mouth.across,
            endless: false,
        };
        self.put_to_sleep(first);
        self.pours.push(pour);
    }

    /// Keeps all particles from `first` on out of the world, for now.
    pub fn put_to_sleep(&mut self, first: usize) {
        for i in first..self.rows.len() {
            (self.rows[i][3], self.velocities[i], self.phases[i]) = (0.0, [0.0; 4], ASLEEP);
        }
    }

    /// Takes the mass freedom from pinned particles and, on rods, from the segments at pinned ends.
    fn pin(
        &mut self,
        at: &str,
        part: &Part,
        shift: Vec3,
        first: u32,
        first_turn: u32,
        pins: &[Pin],
    ) -> Result<Vec<u32>, BuildError> {
        let mut pinned = Vec::new();
        for (k, pin) in pins.iter().enumerate() {
            let at = format!("{at}.pin[{k}]");
            let picked = select(&at, part, shift, (pin.at, pin.particles.as_deref(), pin.inside.as_ref()))?;
            if picked.is_empty() {
                return Err(SceneError::new(at, "picks no particle").help("inside is a box in the world").into());
            }
            let turns = clamped_segments(part, &picked);
            for &i in &picked {
                let i = (first + i) as usize;
                self.rows[i][3] = 0.0;
                self.velocities[i] = [0.0; 4];
            }
            for &t in &turns {
                self.clamp(first_turn + t);
            }
            let base = Pose { position: Vec3::ZERO, rotation: Quat::IDENTITY };
            let way = motion(pin.motion.as_ref(), base);
            if way.moves() {
                let origin = |i: u32| Vec3::from_slice(&self.rows[(first + i) as usize][..3]);
                self.pins.push(MovedPins {
                    motion: way,
                    particles: picked.iter().map(|i| first + i).collect(),
                    origins: picked.iter().map(|&i| origin(i)).collect(),
                    orientations: turns.iter().map(|t| first_turn + t).collect(),
                    turns: turns.iter().map(|&t| part.orientations[t as usize]).collect(),
                });
            }
            pinned.extend(picked);
        }
        Ok(pinned)
    }

    /// Orientation `turn` no longer yields: its weight is 0 wherever a constraint names it.
    fn clamp(&mut self, turn: u32) {
        self.spin_weights[turn as usize] = 0.0;
        let row = ORIENTATION | turn;
        if let Some(raw) = self.constraints.get_mut(&Kind::StretchShear) {
            for (rows, params) in raw.rows.chunks_exact(3).zip(raw.params.chunks_exact_mut(3)) {
                if rows[2] == row {
                    params[1] = 0.0;
                }
            }
        }
        if let Some(raw) = self.constraints.get_mut(&Kind::BendTwist) {
            for (rows, params) in raw.rows.chunks_exact(2).zip(raw.params.chunks_exact_mut(8)) {
                (0..2).filter(|&k| rows[k] == row).for_each(|k| params[k] = 0.0);
            }
        }
    }

    /// A tether from every free particle to the pin that is nearest at rest.
    fn tether(&mut self, part: &Part, first: u32, pinned: &[u32], slack: f32) {
        let raw = self.constraints.entry(Kind::Tether).or_default();
        for i in (0..part.rest.len() as u32).filter(|i| !pinned.contains(i)) {
            let x = part.rest[i as usize];
            let far = |&&p: &&u32| x.distance_squared(part.rest[p as usize]);
            let Some(&anchor) = pinned.iter().min_by(|a, b| far(a).total_cmp(&far(b))) else { return };
            let length = x.distance(part.rest[anchor as usize]) * slack;
            raw.rows.extend([first + i, first + anchor]);
            raw.params.extend([length, 0.0]);
        }
    }

    /// Bodies that keep their shape, around their rest.
    fn match_shapes(&self) -> Result<Option<ShapeMatch>, BuildError> {
        if self.shapes.is_empty() {
            return Ok(None);
        }
        let rest: Vec<RowData> = self.rest.iter().zip(&self.rows).map(|(p, row)| [p.x, p.y, p.z, row[3]]).collect();
        let mut shapes = ShapeMatch::new(&self.shapes, &rest).map_err(|e| SceneError::new("body", e.to_string()))?;
        if !self.freezes.is_empty() {
            // Nothing of these is there yet.
            self.freezes.iter().flat_map(|f| f.body.clone()).for_each(|row| shapes.leave(row));
            shapes.set_masses(&rest);
        }
        Ok(Some(shapes))
    }

    /// Splits, orders and packs everything.
    pub fn finish(mut self, scene: &Scene, target: &Target) -> Result<(Model, State), BuildError> {
        let particles = self.rows.len();
        self.rows.extend_from_slice(&self.orientations);
        self.velocities.resize(self.rows.len(), [0.0; 4]);
        let settings = settings(scene, target);
        let mut constraints = std::mem::take(&mut self.constraints);
        constraints.retain(|_, raw| !raw.rows.is_empty());
        for raw in constraints.values_mut() {
            if raw.rows.len() > MOST {
                return Err(BuildError::TooLarge { what: "rows of one kind", found: raw.rows.len(), most: MOST });
            }
            for r in raw.rows.iter_mut().filter(|r| **r & ORIENTATION != 0) {
                *r = (*r & !ORIENTATION) + particles as u32;
            }
        }
        let solid = self.rows.len();
        let clock = Instant::now();
        // How many copies phantoms will need is not known yet: where room is short, their bodies are no islands.
        let splits = matches!(settings.partition, Partition::Phantom | Partition::Hybrid);
        let mutual = mutual(scene);
        // Bodies that touch each other are no islands.
        let apart = mutual.is_none() && self.shapes.is_empty() && scene.liquid.is_empty();
        let islands = if apart && settings.partition.is_parallel() && !(splits && target.rows < usize::MAX) {
            let tied: Vec<_> = self.inflatables.iter().map(Inflatable::run).collect();
            let wish = scene.solver.patch_particles.filter(|_| settings.partition.is_patched());
            Islands::find(&constraints, particles, solid, &tied, Room::on(target, wish))
        } else {
            Islands::none(solid)
        };
        let shapes = self.match_shapes()?;
        self.shape.enters.resize(if self.pours.is_empty() { 0 } else { particles }, 0.0);
        for pour in &self.pours {
            let times = (0..pour.places.len()).map(|k| pour.step_of(k, f64::from(settings.dt)));
            self.shape.enters[pour.first..].iter_mut().zip(times).for_each(|(enters, time)| *enters = time);
        }
        let coats = self.coats.finish(&self.shape, MOST)?;
        // Who is near at rest need not be kept apart.
        let whole = mutual.is_some() && (self.itself || !self.mates.is_empty());
        if !self.fields.is_empty() {
            self.fields.resize(self.rows.len(), [0.0; 4]);
        }
        let rest_places = if whole { self.rest.clone() } else { Vec::new() };
        let rest = rest_of_rows(self.rest, &constraints, solid);
        let (partition, solver) = (settings.partition, &scene.solver);
        let alone = apart && self.inflatables.is_empty();
        let problem = Problem { partition, solver, target, islands: &islands, rest: &rest, alone };
        let plan = plan(&problem, &mut constraints);
        let partition_seconds = clock.elapsed().as_secs_f64();
        let with_sets = constraints.into_iter().zip(&plan.sets);
        let groups: Vec<_> = with_sets.map(|((kind, raw), sets)| pack::group(kind, &raw, sets)).collect();
        let copies = plan.phantoms.owners.iter().map(|&owner| self.rows[owner as usize]);
        let rows: Vec<RowData> = self.rows.iter().copied().chain(copies).collect();
        let island_count = islands.runs.len();
        pack::check(&groups, &plan, island_count, rows.len(), settings.partition.is_parallel())?;
        finish_sails(&mut self.sails, particles);
        let runs = runs(islands.runs, particles);
        // Islands see to their own contacts.
        let outside = runs.len() > island_count && !scene.collider.is_empty();
        let touches = if outside { Touches::Some } else { Touches::None };
        let jacobi = matches!(settings.partition, Partition::Jacobi | Partition::JacobiGather);
        let incidence = if jacobi { pack::incidence(&groups, solid) } else { Default::default() };
        let second = settings.integrator == Integrator::Bdf2;
        let history = |rows: &Vec<RowData>| if second { rows.clone() } else { Vec::new() };
        let multipliers =
            groups.iter().map(|g| vec![0.0; g.blocks() * g.layout().multipliers * crate::model::BLOCK]).collect();
        let state = State {
            particles,
            previous: self.rows.clone(),
            older: history(&self.rows),
            older_velocities: history(&self.velocities),
            rows,
            velocities: self.velocities,
            radii: self.shape.radii.clone(),
            phases: self.phases,
            poured: vec![0; self.pours.len()],
            returned: vec![Default::default(); self.pours.len()],
            drained: 0,
            melted: vec![0; self.melts.len()],
            frozen: vec![Frozen::default(); self.freezes.len()],
            first_order: vec![false; if second { particles } else { 0 }],
            multipliers,
            inflate_multipliers: vec![0.0; self.inflatables.len()],
            shapes,
            pressures: vec![0.0; if scene.liquid.is_empty() { 0 } else { particles }],
            carried: vec![[0.0; 4]; if scene.liquid.is_empty() { 0 } else { particles }],
            substeps: 0,
            time: 0.0,
        };
        // What waits to freeze will weigh something.
        for freeze in &self.freezes {
            self.rows[freeze.body.clone()].iter_mut().for_each(|row| row[3] = freeze.weight);
        }
        let fluid = fluid(scene, self.spaces, self.liquids, (&self.rows, &self.shape.radii));
        if let Some(fluid) = &fluid {
            self.notes.extend(notes(fluid, settings.dt / settings.substeps as f32));
        }
        let model = Model {
            schedule: Schedule::new(settings.partition, &plan, island_count, &groups, &self.inflatables, touches)
                .and((!scene.liquid.is_empty()).then_some(Pass::Flow))
                .and(mutual.is_some().then_some(Pass::Meet))
                .and(state.shapes.is_some().then_some(Pass::Shapes)),
            mutual,
            fluid,
            rest: rest_places,
            fields: self.fields,
            loose: self.loose,
            mates: Mates::new(self.mates, particles),
            settings,
            groups,
            inflatables: self.inflatables,
            colliders: self.colliders,
            pins: self.pins,
            sails: self.sails,
            spin_weights: self.spin_weights,
            phantoms: plan.phantoms,
            incidence,
            runs,
            shape: self.shape,
            coats,
            pours: self.pours,
            drains: self.drains,
            melts: self.melts,
            freezes: self.freezes,
            notes: self.notes,
            partition_seconds,
        };
        Ok((model, state))
    }
}

/// Rest positions of all rows: an orientation is where its segment is.
fn rest_of_rows(mut rest: Vec<Vec3>, constraints: &BTreeMap<Kind, Raw>, rows: usize) -> Vec<Vec3> {
    rest.resize(rows, Vec3::ZERO);
    if let Some(raw) = constraints.get(&Kind::StretchShear) {
        raw.rows.chunks_exact(3).for_each(|r| rest[r[2] as usize] = rest[r[0] as usize]);
    }
    rest
}

/// Particles per run outside islands.
const RUN: usize = 4096;

/// Islands first, then all particles that belong to none, in pieces.
fn runs(islands: Vec<Range<usize>>, particles: usize) -> Vec<Range<usize>> {
    let mut all = islands;
    let mut rest = Vec::new();
    let mut at = 0;
    for run in all.iter().cloned().chain(std::iter::once(particles..particles)) {
        rest.extend((at..run.start).step_by(RUN).map(|first| first..(first + RUN).min(run.start)));
        at = run.end;
    }
    all.extend(rest);
    all
}

/// Segments of a rod that a pinned end clamps: the first if the first particle is pinned, and the last.
fn clamped_segments(part: &Part, picked: &[u32]) -> Vec<u32> {
    let segments = part.orientations.len() as u32;
    if segments == 0 {
        return Vec::new();
    }
    let ends = [(0, 0), (segments, segments - 1)];
    ends.iter().filter(|(particle, _)| picked.contains(particle)).map(|(_, segment)| *segment).collect()
}
