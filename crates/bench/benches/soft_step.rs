//! Soft Step all-in: time of `Scheme::step` per contact point and substep, and per point and step.
//!
//! `cargo bench -p delassus-bench --bench soft_step` prints two Markdown tables; a number after
//! `--` keeps the walls with that base, `profile` steps the first wall alone, for a profiler, with
//! a hundred substeps per step, and `profile step` with one. The scene is the wall of boxes after a
//! second of settling. Steps of two numbers of substeps are timed in turn on copies of it; the
//! slope between the minima is the cost of a substep, the rest that of a step. The second table
//! splits a substep with a clock that the scheme calls between its stages as a probe; a probe makes
//! it read the impulses after each solve, which it otherwise leaves out.
//!
//! *Rows kept* is the wall of boxes that find their contacts, where pairs that moved by less than 5
//! cm keep their manifolds, as in Rapier by default: rows stay from step to step. Finding contacts,
//! which is timed with it, is taken off.

use std::hint::black_box;

use delassus_bench::clock::{self, ThreadClock};
use delassus_bench::contacts;
use delassus_core::{
    ImpulseSolver, Problem, Progress, SolveError, Solver, SolverDescriptor, SolverUpdate, Start,
};
use delassus_dynamics::{Probe, Scheme, Stage, StepView, World, scheme};
use delassus_solver_si::Pgs;
use delassus_solver_wide::WidePgs;
use serde_json::{Map, Value, json};

/// Frames before the measured ones.
const SETTLE: u32 = 60;
const DT: f64 = 1.0 / 60.0;
/// The two numbers of substeps of a slope.
const SUBSTEPS: [u32; 2] = [4, 12];

fn main() {
    // criterion's flags, which cargo passes to every bench
    let words: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u32> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let bases = [20, 100].into_iter();
    let bases: Vec<u32> = bases
        .filter(|base| numbers.is_empty() || numbers.contains(base))
        .collect();
    if words.iter().any(|word| word == "profile") {
        let world = settled(bases[0]);
        let case = if words.iter().any(|word| word == "both") {
            2
        } else {
            0
        };
        let step = words.iter().any(|word| word == "step");
        let (substeps, count) = if step { (1, 20_000) } else { (100, 200) };
        black_box(times(CASES[case].1, &world, substeps, count));
        return;
    }
    println!("| solver, wall | points | ns per point and substep | ns per point and step |");
    println!("|---|---|---|---|");
    let mut splits = Vec::new();
    for base in bases {
        let world = settled(base);
        let points = points(&world);
        let kept = contacts::settled(&contacts::wall(base), SETTLE, contacts::RECYCLE);
        let (substep, step) = slope(CASES[0].1, &kept);
        let kept_points = self::points(&kept);
        let step = step - least_finding(&kept) / kept_points as f64;
        println!("| wide-pgs, rows kept, base {base} | {kept_points} | {substep:.1} | {step:.0} |");
        for (name, solver) in CASES {
            let (substep, step) = slope(solver, &world);
            println!("| {name}, base {base} | {points} | {substep:.1} | {step:.0} |");
            splits.push(format!("| {name}, base {base} {}", split(solver, &world)));
        }
    }
    println!();
    println!(
        "| solver, wall | forces, rows, refresh | biased | poses | errors, refresh, relaxed |"
    );
    println!("|---|---|---|---|---|");
    splits.iter().for_each(|line| println!("{line}"));
}

/// A solver and the value of `friction`.
type Make = (fn() -> Box<dyn ImpulseSolver>, &'static str);

/// The solvers, and where friction is solved: as the preset says, and in both solves as most
/// engines do.
const CASES: [(&str, Make); 4] = [
    ("wide-pgs", (wide, "relax-only")),
    (
        "wide-pgs, substep by substep",
        (wide_by_substeps, "relax-only"),
    ),
    ("wide-pgs, friction in both", (wide, "both")),
    ("pgs", (pgs, "relax-only")),
];

fn wide() -> Box<dyn ImpulseSolver> {
    Box::new(WidePgs::new(Default::default()).expect("the defaults"))
}

/// The same solver without its offer to integrate frames.
fn wide_by_substeps() -> Box<dyn ImpulseSolver> {
    Box::new(BySubsteps(wide()))
}

fn pgs() -> Box<dyn ImpulseSolver> {
    Box::new(Pgs::new(Default::default()).expect("the defaults"))
}

/// A solver that is asked for its sweeps alone.
struct BySubsteps(Box<dyn ImpulseSolver>);

impl ImpulseSolver for BySubsteps {
    fn descriptor(&self) -> &SolverDescriptor {
        self.0.descriptor()
    }
    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        self.0.prepare(problem, start)
    }
    fn update(&mut self, problem: &Problem, update: SolverUpdate<'_>) -> Result<(), SolveError> {
        self.0.update(problem, update)
    }
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        self.0.iterate(problem, sweeps)
    }
    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        self.0.read_impulses(out)
    }
    fn read_velocities(&mut self, problem: &Problem, out: &mut [f64]) -> Result<(), SolveError> {
        self.0.read_velocities(problem, out)
    }
}

fn soft_step((solver, friction): Make, substeps: u32) -> Box<dyn Scheme> {
    let entry = scheme("soft-step").expect("a preset");
    let parameters = json!({ "substeps": substeps, "friction": friction });
    entry
        .build_with(&object(parameters), Some(solver()))
        .expect("in range")
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// The wall after a second.
fn settled(base: u32) -> World {
    let parameters = json!({ "base": base, "law": "disc" });
    let mut world = delassus_scenes::build("wall", &object(parameters)).expect("in range");
    let mut scheme = soft_step(CASES[0].1, SUBSTEPS[0]);
    for _ in 0..SETTLE {
        scheme.step(&mut world, DT, &mut ()).expect("it stands");
    }
    world
}

fn points(world: &World) -> usize {
    world.manifolds().iter().map(|m| m.points.len()).sum()
}

/// Seconds per step, from a scheme that has stepped this world before.
fn times(solver: Make, world: &World, substeps: u32, count: usize) -> Vec<f64> {
    let mut scheme = soft_step(solver, substeps);
    let mut world = world.clone();
    scheme.step(&mut world, DT, &mut ()).expect("it stands");
    (0..count)
        .map(|_| {
            clock::seconds(|| {
                scheme.step(&mut world, DT, &mut ()).expect("it stands");
            })
        })
        .collect()
}

/// Nanoseconds per point: of a substep, and of what a step takes besides.
fn slope(solver: Make, world: &World) -> (f64, f64) {
    let points = points(world) as f64;
    let mut least = [f64::INFINITY; 2];
    for _ in 0..repeats(world) {
        for (least, substeps) in least.iter_mut().zip(SUBSTEPS) {
            let times = times(solver, world, substeps, 8);
            *least = times.into_iter().fold(*least, f64::min);
        }
    }
    let [few, many] = least.map(|time| 1e9 * time / points);
    let substep = (many - few) / f64::from(SUBSTEPS[1] - SUBSTEPS[0]);
    (substep, few - f64::from(SUBSTEPS[0]) * substep)
}

/// Nanoseconds for finding the contacts of a step.
fn least_finding(world: &World) -> f64 {
    let times = (0..repeats(world)).map(|_| contacts::finding(world));
    1e9 * times.fold(f64::INFINITY, f64::min)
}

fn repeats(world: &World) -> usize {
    (200_000 / points(world)).clamp(5, 60)
}

/// A clock between the stages of the substeps.
struct Clock {
    last: ThreadClock,
    /// Shortest time to reach each stage from the one before \[s\]; the first substep of a step is
    /// left out.
    least: [f64; 4],
}

impl Probe for Clock {
    fn wants(&self, _: Stage) -> bool {
        true
    }

    fn at(&mut self, stage: Stage, view: &StepView<'_>) {
        let index = match stage {
            Stage::Assembled => 0,
            Stage::Solved => 1,
            Stage::Integrated => 2,
            Stage::Relaxed => 3,
            Stage::Restituted => return,
        };
        if view.substep > 0 {
            let time = self.last.seconds();
            self.least[index] = self.least[index].min(time);
        }
        self.last = ThreadClock::start();
    }
}

/// The rest of the line: nanoseconds per point and stage of a substep.
fn split(solver: Make, world: &World) -> String {
    let mut clock = Clock {
        last: ThreadClock::start(),
        least: [f64::INFINITY; 4],
    };
    for _ in 0..repeats(world) {
        let mut scheme = soft_step(solver, SUBSTEPS[1]);
        let mut world = world.clone();
        for _ in 0..3 {
            scheme.step(&mut world, DT, &mut clock).expect("it stands");
        }
    }
    let per = 1e9 / points(world) as f64;
    let cells = clock.least.map(|time| format!("| {:.1} ", per * time));
    format!("{}|", cells.concat())
}
