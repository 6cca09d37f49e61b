//! The wide solver: time per contact point and pass, per packing, per stage of Soft Step, per joint.
//!
//! `cargo bench -p delassus-bench --bench wide` prints one Markdown table; a word after `--` keeps the rows whose
//! names hold it. A pass is timed as the slope between two numbers of sweeps on one settled scene: each of the two is
//! run many times in turn, and the minima are subtracted, so that other programs on the machine disturb least. The
//! medians stand beside them. Between two runs the solver is prepared again from the same impulses, so that every run
//! does the same work.

use std::hint::black_box;
use std::time::Instant;

use delassus_core::{ImpulseSolver, Problem, Refresh, Solver, Start};
use delassus_metrics::{Evaluator, Metric};
use delassus_problems::generate;
use delassus_solver_si::wide_pgs::{Layout, WidePgsParameters};
use delassus_solver_si::{Pgs, VectorLevel, WidePgs};
use serde_json::{Map, Value, json};

/// Sweeps before the measured ones.
const SETTLE: u32 = 60;
/// The two numbers of sweeps of a slope.
const SWEEPS: [u32; 2] = [4, 20];

fn main() {
    // criterion's flags, which cargo passes to every bench
    let words: Vec<String> = std::env::args().skip(1).collect();
    let filter: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let keep = |name: &str| filter.is_empty() || filter.iter().any(|word| name.contains(*word));
    println!("| case | elements | minimum, ns per element | median, ns per element | note |");
    println!("|---|---|---|---|---|");
    for case in cases() {
        if keep(&case.name) {
            println!("{}", case.measure());
        }
    }
}

/// One row of the table.
struct Case {
    name: String,
    problem: fn(usize) -> Problem,
    size: usize,
    level: VectorLevel,
    threads: usize,
    layout: Layout,
    what: What,
}

#[derive(Clone, Copy, PartialEq)]
enum What {
    /// One sweep.
    Pass,
    /// One sweep of `pgs` in f64.
    Scalar,
    /// `prepare` of a scene at rest, and reading impulses and velocities.
    Packing,
    /// One substep of Soft Step without the integration of positions.
    Stage,
    /// Memory that is read in order, for the roofline.
    Read,
}

fn wall(base: usize) -> Problem {
    made("wall", json!({ "base": base, "law": "coulomb" }))
}

fn joints(n: usize) -> Problem {
    made("joint-grid", json!({ "n": n }))
}

fn made(generator: &str, parameters: Value) -> Problem {
    let parameters: Map<String, Value> = parameters.as_object().cloned().unwrap_or_default();
    generate(generator, &parameters)
        .expect("the parameters are in range")
        .problem
}

fn cases() -> Vec<Case> {
    let levels: Vec<VectorLevel> = VectorLevel::available().into_iter().rev().collect();
    let widest = levels[0];
    let case = |name: &str, size, level: VectorLevel, what| Case {
        name: format!("{name}, {}", level.id()),
        problem: wall,
        size,
        level,
        threads: 1,
        layout: Layout::Recompute,
        what,
    };
    let mut all = Vec::new();
    for base in [20, 100, 224, 290] {
        for level in &levels {
            all.push(case(
                &format!("pass, wall {base}"),
                base,
                *level,
                What::Pass,
            ));
        }
    }
    others(&mut all, case, widest);
    for level in &levels {
        for layout in [Layout::Recompute, Layout::Projection] {
            let mut one = case(
                &format!("pass, 19 800 ball joints, {layout:?}"),
                100,
                *level,
                What::Pass,
            );
            (one.problem, one.layout) = (joints, layout);
            all.push(one);
        }
    }
    for megabytes in [1, 4, 16, 64] {
        all.push(case(
            &format!("read {megabytes} MB, ns per 64 bytes"),
            megabytes,
            VectorLevel::Auto,
            What::Read,
        ));
    }
    all
}

/// What is measured at the widest level only.
fn others(
    all: &mut Vec<Case>,
    case: impl Fn(&str, usize, VectorLevel, What) -> Case,
    widest: VectorLevel,
) {
    for base in [20, 100] {
        let mut projection = case(
            &format!("pass, wall {base}, projection"),
            base,
            widest,
            What::Pass,
        );
        projection.layout = Layout::Projection;
        all.push(projection);
        all.push(case(
            &format!("pgs f64, wall {base}"),
            base,
            VectorLevel::Auto,
            What::Scalar,
        ));
        all.push(case(
            &format!("packing, wall {base}"),
            base,
            widest,
            What::Packing,
        ));
        all.push(case(
            &format!("stage, wall {base}"),
            base,
            widest,
            What::Stage,
        ));
        let mut threads = case(
            &format!("pass, wall {base}, 2 threads"),
            base,
            widest,
            What::Pass,
        );
        threads.threads = 2;
        all.push(threads);
    }
}

impl Case {
    fn measure(&self) -> String {
        if self.what == What::Read {
            return self.read();
        }
        let problem = (self.problem)(self.size);
        let elements = problem.blocks().len();
        let (least, median, note) = match self.what {
            What::Scalar => {
                let solver = Pgs::new(Default::default()).expect("the defaults");
                slope(solver, &problem, elements)
            }
            What::Pass => slope(self.solver(), &problem, elements),
            What::Packing => self.packing(&problem, elements),
            What::Stage => self.stage(problem, elements),
            What::Read => unreachable!("measured above"),
        };
        format!(
            "| {} | {elements} | {least:.2} | {median:.2} | {note} |",
            self.name
        )
    }

    fn solver(&self) -> WidePgs {
        let parameters = WidePgsParameters {
            layout: self.layout,
            level: self.level,
            threads: self.threads,
            ..WidePgsParameters::default()
        };
        WidePgs::new(parameters).expect("a level of this machine")
    }

    /// Prepare again, as in every frame of a scene whose contacts stay, and read everything.
    fn packing(&self, problem: &Problem, elements: usize) -> (f64, f64, String) {
        let mut solver = self.solver();
        let start = settled(&mut solver, problem);
        let mut impulses = vec![0.0; problem.rows()];
        let mut velocities = vec![0.0; 6 * problem.bodies().map_or(0, |b| b.len())];
        let mut times = Vec::new();
        for _ in 0..repeats(elements) {
            let clock = Instant::now();
            solver
                .prepare(black_box(problem), Start::Warm(&start))
                .expect("accepted");
            solver.read_impulses(&mut impulses).expect("prepared");
            solver
                .read_velocities(problem, &mut velocities)
                .expect("prepared");
            times.push(clock.elapsed().as_secs_f64());
        }
        let (least, median) = summary(times);
        let per = 1e9 / elements as f64;
        (
            per * least,
            per * median,
            "prepare, read impulses and velocities".to_owned(),
        )
    }

    /// New velocities and bias, one biased sweep, bias off, one relax sweep; the warm start is inside the refresh.
    fn stage(&self, mut problem: Problem, elements: usize) -> (f64, f64, String) {
        let mut solver = self.solver();
        settled(&mut solver, &problem);
        let biased = vec![-1e-4; problem.rows()];
        let biased: Vec<f64> = (biased.iter().zip(0..))
            .map(|(b, row)| if row % 3 == 0 { *b } else { 0.0 })
            .collect();
        let relaxed = problem.bias().to_vec();
        let mut free = problem.bodies().expect("bodies").free_velocity.clone();
        let motion = Refresh {
            bias: true,
            free_velocity: true,
            ..Refresh::default()
        };
        let relax = Refresh {
            bias: true,
            ..Refresh::default()
        };
        let (mut times, mut setting) = (Vec::new(), Vec::new());
        for repeat in 0..repeats(elements) {
            free[1] += if repeat % 2 == 0 { 1e-9 } else { -1e-9 };
            let clock = Instant::now();
            problem.set_bias(&biased).expect("finite");
            problem.set_free_velocity(&free).expect("finite");
            let mut set = clock.elapsed().as_secs_f64();
            let clock = Instant::now();
            solver.refresh(&problem, motion).expect("prepared");
            solver.iterate(&problem, 1).expect("finite");
            let mut time = clock.elapsed().as_secs_f64();
            let clock = Instant::now();
            problem.set_bias(&relaxed).expect("finite");
            set += clock.elapsed().as_secs_f64();
            let clock = Instant::now();
            solver.refresh(&problem, relax).expect("prepared");
            solver.iterate(&problem, 1).expect("finite");
            time += clock.elapsed().as_secs_f64();
            times.push(time);
            setting.push(set);
        }
        let per = 1e9 / elements as f64;
        let (least, median) = summary(times);
        let (set, _) = summary(setting);
        let note = format!(
            "solver only; the problem's own set_bias and set_free_velocity take {:.1} more",
            per * set
        );
        (per * least, per * median, note)
    }

    fn read(&self) -> String {
        let lines = self.size * 1_000_000 / 64;
        let values = vec![1.0f64; 8 * lines];
        let mut times = Vec::new();
        for _ in 0..400 {
            let clock = Instant::now();
            let mut sums = [0.0; 16];
            for chunk in black_box(&values).chunks_exact(16) {
                for (sum, value) in sums.iter_mut().zip(chunk) {
                    *sum += value;
                }
            }
            black_box(sums);
            times.push(clock.elapsed().as_secs_f64());
        }
        let (least, median) = summary(times);
        let (least, median) = (1e9 * least / lines as f64, 1e9 * median / lines as f64);
        format!(
            "| {} | {lines} | {least:.2} | {median:.2} | {:.0} GB/s |",
            self.name,
            64.0 / least
        )
    }
}

fn repeats(elements: usize) -> usize {
    (20_000_000 / elements).clamp(30, 2_000)
}

fn settled<S: ImpulseSolver>(solver: &mut S, problem: &Problem) -> Vec<f64> {
    solver.prepare(problem, Start::Cold).expect("accepted");
    solver.iterate(problem, SETTLE).expect("finite");
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).expect("finite");
    impulses
}

/// Nanoseconds per element and sweep, and the residual after the larger number of sweeps from a cold start.
fn slope<S: ImpulseSolver>(
    mut solver: S,
    problem: &Problem,
    elements: usize,
) -> (f64, f64, String) {
    let start = settled(&mut solver, problem);
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..repeats(4 * elements) {
        for (times, sweeps) in times.iter_mut().zip(SWEEPS) {
            solver
                .prepare(problem, Start::Warm(&start))
                .expect("accepted");
            // caches as they are in the middle of a solve
            solver.iterate(problem, 1).expect("finite");
            let clock = Instant::now();
            solver.iterate(black_box(problem), sweeps).expect("finite");
            times.push(clock.elapsed().as_secs_f64());
        }
    }
    let [short, long] = times.map(summary);
    let per = 1e9 / (f64::from(SWEEPS[1] - SWEEPS[0]) * elements as f64);
    solver.prepare(problem, Start::Cold).expect("accepted");
    solver.iterate(problem, SWEEPS[1]).expect("finite");
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).expect("finite");
    let note = format!(
        "residual after {} sweeps {:.1e}",
        SWEEPS[1],
        residual(problem, &impulses)
    );
    (per * (long.0 - short.0), per * (long.1 - short.1), note)
}

fn residual(problem: &Problem, impulses: &[f64]) -> f64 {
    let mut evaluator = Evaluator::new(problem).expect("a scale");
    let residuals = evaluator.evaluate(impulses).expect("finite");
    residuals.get(Metric::NaturalMap).unwrap_or(f64::NAN)
}

/// Minimum and median.
fn summary(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[0], times[times.len() / 2])
}
