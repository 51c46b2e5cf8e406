//! `pliant study neighbors`: cost of each neighbor search while a scene runs (T11, D4 Tables 6.3–6.7).

mod merged_bodies;
mod methods;

use super::output::{list_files, make_folder};
use crate::args::NeighborsArgs;
use crate::failure::Failure;
use crate::formatting;
use crate::plot::lines::{self, AxisScale, Panel, Series, SeriesStyle};
use crate::plot::save;
use crate::progress::Progress;
use crate::scene_loader::{LoadedScene, Setting};
use crate::statistics::median;
use crate::stdout;
use merged_bodies::MergedBodies;
use methods::{Method, SearchCost, Searches};
use pliant::Backend;
use pliant::neighbors::Cloud;
use serde::Serialize;
use std::fmt::Write as _;

/// Margin of the lists relative to the smallest radius, as in the engine.
const MARGIN: f32 = 0.1;

/// The result; its fields are the keys of the JSON.
#[derive(Serialize)]
struct NeighborsReport {
    threads: usize,
    steps: u32,
    every: u32,
    clouds: Vec<CloudResult>,
    csv: String,
    svg: String,
}

/// Results of one cloud of particles.
#[derive(Serialize)]
struct CloudResult {
    /// Name of the scene, with "merged" for merged particles.
    cloud: String,
    particles: usize,
    /// Median number of pairs.
    pairs: usize,
    methods: Vec<MethodRow>,
}

/// One method; times are medians over the run [ms].
#[derive(Serialize)]
struct MethodRow {
    structure: String,
    construction: String,
    traversal: String,
    build_ms: f64,
    search_ms: f64,
    total_ms: f64,
}

/// Measurements of one cloud: step, and the cost of each method.
struct CloudRun {
    cloud: String,
    particles: usize,
    samples: Vec<(u32, Vec<SearchCost>)>,
}

pub fn neighbors(args: &NeighborsArgs) -> Result<(), Failure> {
    let settings: Vec<Setting> = args.overrides.sets.iter().map(|s| Setting::set(s)).collect();
    let folder = make_folder(args.out.as_deref(), "neighbors")?;
    let (csv, svg) = (folder.join("neighbors.csv"), folder.join("neighbors.svg"));
    let threads = |e: std::io::Error| Failure::resource(format!("cannot start threads: {e}"));
    let mut searches = Searches::new(args.threads).map_err(threads)?;
    let mut progress = Progress::on_terminal(args.scenes.len() as u64 * u64::from(args.steps), "step");
    let mut runs = Vec::new();
    for (k, scene) in args.scenes.iter().enumerate() {
        let loaded = LoadedScene::new(scene, &settings, &args.overrides)?;
        let before = k as u64 * u64::from(args.steps);
        runs.extend(measure(&loaded, args, &mut searches, |step| progress.at(before + u64::from(step)))?);
    }
    progress.finish();
    let clouds: Vec<CloudResult> = runs.iter().map(summary).collect();
    save(&csv, &table(&clouds))?;
    save(&svg, &chart(&runs)?)?;
    let findings = NeighborsReport {
        threads: args.threads,
        steps: args.steps,
        every: args.every,
        clouds,
        csv: csv.display().to_string(),
        svg: svg.display().to_string(),
    };
    if args.json {
        return stdout::json(&findings);
    }
    stdout::text(&(human(&findings) + &list_files(&[&svg, &csv])))
}

/// Runs a scene and measures all methods every `--every` steps; the second cloud has merged particles.
fn measure(
    loaded: &LoadedScene,
    args: &NeighborsArgs,
    searches: &mut Searches,
    mut at: impl FnMut(u32),
) -> Result<Vec<CloudRun>, Failure> {
    let mut sim = loaded.simulation(args.threads, Backend::Cpu)?;
    let mut merged = MergedBodies::new(&loaded.scene)?;
    let run = |cloud: String, particles: usize| CloudRun { cloud, particles, samples: Vec::new() };
    let mut runs = vec![run(loaded.name.clone(), sim.particles())];
    runs.extend(merged.as_ref().map(|m| run(format!("{} merged", loaded.name), m.rows.len())));
    for step in 1..=args.steps {
        sim.step().map_err(|e| Failure::from(e).at(loaded.name.clone()))?;
        at(step);
        if !step.is_multiple_of(args.every) && step != args.steps {
            continue;
        }
        let state = sim.state();
        let equal = Cloud { rows: &state.rows[..state.particles], radii: &state.radii, phases: &state.phases };
        runs[0].samples.push((step, sample(searches, equal)?));
        if let Some(merged) = &mut merged {
            merged.update_positions(&sim);
            let cloud = Cloud { rows: &merged.rows, radii: &merged.radii, phases: &merged.phases };
            runs[1].samples.push((step, sample(searches, cloud)?));
        }
    }
    Ok(runs)
}

/// Measures all methods on one cloud; their results have to agree.
fn sample(searches: &mut Searches, cloud: Cloud<'_>) -> Result<Vec<SearchCost>, Failure> {
    let smallest = cloud.radii.iter().copied().fold(f32::INFINITY, f32::min).min(1e3);
    let mut all: Vec<SearchCost> = Vec::new();
    for method in Method::all() {
        let taken = searches.run(method, cloud, MARGIN * smallest);
        if let Some(first) = all.first().filter(|f| (f.pairs, f.hash) != (taken.pairs, taken.hash)) {
            let message = format!("{} found {} pairs, the grid {}", method.name(), taken.pairs, first.pairs);
            return Err(Failure::new(message).help("this is a defect of the search: please report it"));
        }
        all.push(taken);
    }
    Ok(all)
}

fn summary(run: &CloudRun) -> CloudResult {
    let middle = |of: &dyn Fn(&Vec<SearchCost>) -> f64| median(run.samples.iter().map(|(_, all)| of(all)));
    let methods = Method::all().into_iter().enumerate().map(|(k, method)| {
        let [structure, construction, traversal] = method.columns();
        MethodRow {
            structure,
            construction,
            traversal,
            build_ms: middle(&|all| all[k].build),
            search_ms: middle(&|all| all[k].search),
            total_ms: middle(&|all| all[k].build + all[k].search),
        }
    });
    CloudResult {
        cloud: run.cloud.clone(),
        particles: run.particles,
        pairs: middle(&|all| all[0].pairs as f64) as usize,
        methods: methods.collect(),
    }
}

/// The CSV file.
fn table(clouds: &[CloudResult]) -> String {
    let mut text = "cloud,particles,pairs,structure,construction,traversal,build_ms,search_ms,total_ms\n".to_owned();
    for rows in clouds {
        for row in &rows.methods {
            let _ = write!(text, "{},{},{},{}", rows.cloud, rows.particles, rows.pairs, row.structure);
            let _ = write!(text, ",{},{}", row.construction, row.traversal);
            let _ = writeln!(text, ",{:.4},{:.4},{:.4}", row.build_ms, row.search_ms, row.total_ms);
        }
    }
    text
}

/// One chart per cloud, with the fastest methods of each family and those that D4 compares.
fn chart(runs: &[CloudRun]) -> Result<String, Failure> {
    let shown = |m: &Method| {
        let [structure, construction, traversal] = m.columns();
        match m {
            Method::Grid(..) => construction == "counting",
            Method::Tree(..) => {
                matches!((&*structure, &*traversal), ("tree of boxes", "stack from bunch" | "stack from root"))
                    || (structure == "tree of boxes of one" && traversal.ends_with("from root"))
            }
        }
    };
    let methods: Vec<(usize, Method)> = Method::all().into_iter().enumerate().filter(|(_, m)| shown(m)).collect();
    let panels: Vec<Panel> = runs
        .iter()
        .map(|run| {
            let series = methods.iter().map(|&(k, method)| {
                let point = |(step, all): &(u32, Vec<SearchCost>)| (f64::from(*step), all[k].build + all[k].search);
                Series {
                    label: method.name(),
                    points: run.samples.iter().map(point).collect(),
                    style: SeriesStyle::Line,
                }
            });
            Panel {
                x_label: format!("step of {}", run.cloud),
                y_label: "build and search [ms]".into(),
                x_scale: AxisScale::Whole,
                y_scale: AxisScale::Log,
                series: series.collect(),
            }
        })
        .collect();
    lines::draw("Neighbor searches while scenes run", &panels)
}

fn human(f: &NeighborsReport) -> String {
    let mut text = String::new();
    for rows in &f.clouds {
        let (particles, pairs) = (formatting::grouped(rows.particles), formatting::grouped(rows.pairs));
        let _ = writeln!(text, "{}: {particles} particles, {pairs} pairs, {} steps\n", rows.cloud, f.steps);
        let head = ["structure", "construction", "traversal", "build ms", "search ms", "together ms"];
        let mut lines = vec![head.map(str::to_owned).to_vec()];
        lines.extend(rows.methods.iter().map(|row| {
            let ms = |v: f64| format!("{v:.2}");
            let columns = [&row.structure, &row.construction, &row.traversal].map(Clone::clone);
            columns.into_iter().chain([row.build_ms, row.search_ms, row.total_ms].map(ms)).collect()
        }));
        text.push_str(&formatting::table(&lines));
        text.push('\n');
    }
    text
}
