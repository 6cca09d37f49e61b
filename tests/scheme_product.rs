//! Every scheme with every solver on every scene for a few frames: finite states, momentum,
//! residuals, equal bits.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use delassus_conformance::whole;
use delassus_core::{Determinism, Fidelity, SolverDescriptor, Unsupported, WorkUnit};
use delassus_dynamics::{
    Probe, Scheme, SchemeEntry, SchemeError, Stage, StepReport, StepView, World, scheme, schemes,
};
use delassus_metrics::Evaluator;
use delassus_motion::{Leg, Observable, Quantity, Simulation, build_scheme, simulate};
use delassus_registry::{Registry, SolverEntry};
use delassus_scenes::{SceneEntry, scenes};
use nalgebra::Vector3;
use serde_json::{Map, Value, json};

use crate::pairs::{Pair, map, pairs, product};

const FRAMES: u32 = 8;
const DT: f64 = 1.0 / 60.0;

/// A scene with few bodies: no count above three, or whatever small count the scene allows.
fn small(entry: &SceneEntry) -> World {
    for cap in [3_u64, 4, 2] {
        let large = |value: &Value| value.as_u64().is_some_and(|count| count > cap);
        let counts = entry.defaults.iter().filter(|(_, value)| large(value));
        let capped: Map<String, Value> = counts.map(|(k, _)| (k.clone(), json!(cap))).collect();
        if let Ok(world) = entry.build(&capped) {
            return world;
        }
    }
    entry
        .build(&Map::new())
        .expect("a scene builds with its defaults")
}

/// The small scenes under their names.
fn worlds() -> Vec<(&'static str, World)> {
    let entries = scenes();
    assert!(entries.len() >= 16, "the registry of scenes shrank");
    entries
        .iter()
        .map(|entry| (entry.descriptor.id, small(entry)))
        .collect()
}

/// The residuals of the solves with bias, by the metrics crate, and the size of all impulses.
#[derive(Default)]
struct Judge {
    last: Option<f64>,
    worst: f64,
    impulses: f64,
    broken: Option<String>,
}

impl Probe for Judge {
    fn wants(&self, stage: Stage) -> bool {
        stage == Stage::Solved
    }

    fn at(&mut self, _stage: Stage, view: &StepView<'_>) {
        let Some(problem) = view.problem else { return };
        let residual = Evaluator::new(problem)
            .and_then(|mut evaluator| evaluator.evaluate(view.impulses))
            .map(|residuals| residuals.natural_map);
        match residual {
            Ok(value) => {
                self.last = Some(value);
                self.worst = self.worst.max(value);
            }
            Err(error) => self.broken = Some(error.to_string()),
        }
        self.impulses += view.impulses.iter().map(|x| x.abs()).sum::<f64>();
    }
}

/// Residual that a direct solver may leave \[-\]. A direction whose eigenvalue is below 1e-12 of
/// the largest may be taken for a redundant one, which costs up to 1e-6; the worst here is 2e-9,
/// dantzig on the taut, redundant bridge.
const DIRECT: f64 = 1e-8;

/// What a run by hand found.
struct Outcome {
    hash: u64,
    /// The residual of the last solve with bias of every frame.
    residuals: Vec<Option<f64>>,
    worst: f64,
}

fn finite(world: &World) -> bool {
    world.bodies().iter().all(|body| {
        let q = body.orientation.coords;
        let vectors = body.velocity.iter().chain(body.spin.iter());
        body.position.is_finite() && vectors.chain(q.iter()).all(|x| x.is_finite())
    })
}

/// Sum of m‖v‖ \[N·s\]: what rounding of the momentum is relative to.
fn motion(world: &World) -> f64 {
    let dynamic = world.bodies().iter().filter(|body| body.is_dynamic());
    dynamic.map(|b| b.inertia.mass * b.velocity.norm()).sum()
}

/// Steps `world` and checks finiteness and the balance of linear momentum.
fn run(scheme: &mut dyn Scheme, world: &mut World) -> Result<Outcome, String> {
    let start = world.momentum().linear;
    let mut outside = Vector3::zeros();
    let mut size = motion(world);
    let mut judge = Judge::default();
    let mut residuals = Vec::new();
    for frame in 0..FRAMES {
        judge.last = None;
        let report: StepReport = scheme
            .step(world, DT, &mut judge)
            .map_err(|error| format!("frame {frame}: {error}"))?;
        residuals.push(judge.last);
        outside += report.external.linear;
        size += motion(world) + report.external.linear.norm();
        if !finite(world) {
            return Err(format!("frame {frame}: the state is not finite"));
        }
    }
    if let Some(error) = judge.broken {
        return Err(format!("no residual: {error}"));
    }
    let change = world.momentum().linear - start;
    let missing = (change - outside).norm();
    // a few hundred roundings of numbers of this size
    if missing > 1e-13 * (size + judge.impulses) {
        return Err(format!(
            "{missing:e} N·s of momentum are missing of {size:e} + {:e}",
            judge.impulses
        ));
    }
    Ok(Outcome {
        hash: world.state_hash(),
        residuals,
        worst: judge.worst,
    })
}

/// Why a solver refuses, without the numbers of the scene; `None` for what no solver should say.
fn reason(error: &SchemeError) -> Option<String> {
    match error {
        SchemeError::Solver(Unsupported::Law { law, .. }) => Some(format!("law {law}")),
        SchemeError::Solver(Unsupported::TooManyRows { .. }) => Some("too many rows".into()),
        SchemeError::Solver(Unsupported::Rigid { .. }) => Some("rigid rows".into()),
        _ => None,
    }
}

/// True if the descriptor says so already.
fn is_declared(solver: &SolverDescriptor, error: &SchemeError) -> bool {
    match error {
        SchemeError::Solver(Unsupported::Law { law, .. }) => solver.support(*law).is_none(),
        SchemeError::Solver(Unsupported::TooManyRows { .. }) => solver.max_rows < usize::MAX,
        _ => false,
    }
}

/// What solvers refuse beyond their descriptors: discs of two tangents have infinitely many modes,
/// rows without compliance cannot be divided by it.
const REFUSALS: &[(&str, &str)] = &[("enumeration", "law disc"), ("sap", "rigid rows")];

/// What solvers do not reach on a scene though they admit it, and why; each says so, by an error or
/// by its residual.
const KNOWN: &[(&str, &str, &str)] = &[
    // the loops of its joints are redundant, and contradict each other by what a frame drifts
    ("lemke", "bridge", "ends on a ray that proves nothing"),
    ("bpp", "bridge", "leaves 2e-6 of a frame"),
    // overlaps on both sides of a body ask for two directions at once: that problem has no solution
    ("fischer-newton", "confined", "contradiction"),
    ("alart-curnier", "confined", "contradiction"),
    ("jean-moreau", "confined", "contradiction"),
    // on every scene: bodies that are held while others push them take the momentum to the ground
    ("shock-propagation", "*", "loses momentum on purpose"),
];

/// Says why a failure is known; false if it is not.
fn is_known(solver: &str, scene: &str, what: &str) -> bool {
    let fits = |(s, w): (&str, &str)| s == solver && (w == scene || w == "*");
    let known = KNOWN.iter().find(|(s, w, _)| fits((*s, *w)));
    if let Some((_, _, why)) = known {
        println!("known ({why}): {what}");
    }
    known.is_some()
}

/// Runs a pair by hand and through the lab, and compares.
fn compare(pair: &Pair, world: &World) -> Result<Outcome, String> {
    let mut scheme = pair.build(&json!({}));
    let outcome = run(scheme.as_mut(), &mut world.clone())?;
    let none = Map::new();
    let make = || build_scheme(&pair.scheme, &none, Some((&pair.solver, &none)));
    let quantity = Quantity::by_id("natural_map").expect("an observable");
    let trajectory = simulate(
        &Simulation {
            world,
            scheme: &make,
            legs: &[Leg {
                dt: DT,
                frames: FRAMES,
            }],
            every: 1,
            observables: &[Observable::Quantity(quantity)],
            repetitions: 0,
            max_seconds: None,
        },
        &AtomicBool::new(false),
    );
    if pair.solver.descriptor.determinism == Determinism::None {
        return Ok(outcome);
    }
    let hash = format!("{:016x}", outcome.hash);
    if trajectory.state_hash != hash {
        let found = &trajectory.state_hash;
        return Err(format!("a repetition ends in {found}, not in {hash}"));
    }
    let reported = trajectory.samples[1..].iter().map(|s| s.values[0]);
    if !reported.eq(outcome.residuals.iter().copied()) {
        return Err("the run reports other residuals than the metrics crate".into());
    }
    Ok(outcome)
}

/// What came of a pair on a scene.
enum Came {
    Ran,
    Refused(String, bool),
    Broken(String),
}

fn came(pair: &Pair, id: &str, world: &World) -> Came {
    let solver = &pair.solver.descriptor;
    let name = format!("{} on {id}", pair.name());
    if let Err(error) = pair.build(&json!({})).check(world) {
        return match reason(&error) {
            Some(reason) => Came::Refused(reason, is_declared(solver, &error)),
            None => Came::Broken(format!("{name}: refused, {error}")),
        };
    }
    let failed = match compare(pair, world) {
        Ok(outcome) if direct(pair) && outcome.worst > DIRECT => {
            format!("{name}: a direct solver leaves {:e}", outcome.worst)
        }
        Ok(_) => return Came::Ran,
        Err(error) => format!("{name}: {error}"),
    };
    match is_known(solver.id, id, &failed) {
        true => Came::Ran,
        false => Came::Broken(failed),
    }
}

/// A pair meets one in so many scenes, others with the next scheme and the next solver, so that
/// every scene meets every scheme and every solver of the processor; those of a device have two
/// schemes, and meet an eighth of the scenes.
const STRIDE: usize = 16;

/// For each pair the first of the scenes that it meets, and the step to the next: all of them where
/// [`whole`] asks for that, which takes ten minutes of a processor.
fn shares(pairs: &[Pair]) -> Vec<(usize, usize)> {
    if whole() {
        return vec![(0, 1); pairs.len()];
    }
    let (mut schemes, mut solvers) = (BTreeMap::new(), BTreeMap::new());
    let shares = pairs.iter().map(|pair| {
        let count = (schemes.len(), solvers.len());
        let scheme = *schemes.entry(pair.scheme.descriptor.id).or_insert(count.0);
        let solver = *solvers.entry(pair.solver.descriptor.id).or_insert(count.1);
        ((scheme + solver) % STRIDE, STRIDE)
    });
    shares.collect()
}

/// What came of all pairs on all scenes, in their order, worked on by as many threads as there are
/// cores.
fn all_came(pairs: &[Pair], worlds: &[(&'static str, World)]) -> Vec<Vec<Came>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let shares = shares(pairs);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(pair) = pairs.get(index) else {
                return done;
            };
            let of = |(id, world): &(&'static str, World)| came(pair, id, world);
            let (first, step) = shares[index];
            let scenes = worlds.iter().skip(first).step_by(step);
            done.push((index, scenes.map(of).collect()));
        }
    };
    let mut all: Vec<(usize, Vec<Came>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        joined.flat_map(|done| done.expect("no panic")).collect()
    });
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, came)| came).collect()
}

#[test]
fn every_solver_runs_in_every_velocity_level_scheme_on_its_share_of_the_scenes() {
    let (worlds, pairs) = (worlds(), product());
    let mut refused: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let mut undeclared = BTreeSet::new();
    let (mut broken, mut ran) = (String::new(), 0);
    for (pair, came) in pairs.iter().zip(all_came(&pairs, &worlds)) {
        let solver = pair.solver.descriptor.id;
        for came in came {
            match came {
                Came::Ran => ran += 1,
                Came::Broken(what) => drop(writeln!(broken, "{what}")),
                Came::Refused(reason, declared) => {
                    if !declared {
                        undeclared.insert((solver, reason.clone()));
                    }
                    *refused.entry((solver, reason)).or_default() += 1;
                }
            }
        }
    }
    println!("{ran} runs; refused:");
    for ((solver, reason), count) in &refused {
        println!("{count:4} {solver}: {reason}");
        assert!(in_words(reason), "{solver}: {reason}");
    }
    assert!(broken.is_empty(), "\n{broken}");
    let undeclared: Vec<(&str, &str)> = undeclared.iter().map(|(s, r)| (*s, r.as_str())).collect();
    assert_eq!(undeclared, REFUSALS);
    assert!(ran >= 1500, "{ran}");
}

/// True if no word of a message is written like a type or a value of the program: `FixedBox`,
/// `(Disc)`.
fn in_words(message: &str) -> bool {
    let rises = |part: &[u8]| {
        let begins = part[0].is_ascii_lowercase() || part[0] == b'(';
        begins && part[1].is_ascii_uppercase() && part[2].is_ascii_lowercase()
    };
    !message.as_bytes().windows(3).any(rises)
}

/// True for a direct solver: its answers are exact where it does not refuse.
fn direct(pair: &Pair) -> bool {
    pair.solver.descriptor.work_unit == WorkUnit::Solve
}

#[test]
fn schemes_that_solve_by_themselves_run_on_every_scene_or_say_why_not() {
    let mut ran = 0;
    for entry in schemes().iter().filter(|s| !s.descriptor.uses_solver) {
        for (id, world) in &worlds() {
            let build = || entry.build_with(&Map::new(), None).expect("defaults");
            if let Err(error) = build().check(world) {
                let listed = matches!(error, SchemeError::Unsupported { .. });
                let said = listed && in_words(&error.to_string());
                assert!(said, "{} on {id}: {error}", entry.descriptor.id);
                continue;
            }
            let hashes = [0, 1].map(|_| {
                let mut world = world.clone();
                let mut scheme = build();
                for frame in 0..FRAMES {
                    let stepped = scheme.step(&mut world, DT, &mut ());
                    if let Err(error) = stepped {
                        panic!("{} on {id}, frame {frame}: {error}", entry.descriptor.id);
                    }
                }
                assert!(finite(&world), "{} on {id}", entry.descriptor.id);
                world.state_hash()
            });
            assert_eq!(hashes[0], hashes[1], "{} on {id}", entry.descriptor.id);
            ran += 1;
        }
    }
    println!("{ran} runs");
    assert!(ran >= 16, "{ran}");
}

/// The largest distance between the bodies of two worlds \[m\].
fn distance(a: &World, b: &World) -> f64 {
    let pairs = a.bodies().iter().zip(b.bodies());
    pairs
        .map(|(a, b)| (a.position - b.position).norm())
        .fold(0.0, f64::max)
}

/// Residual of a solve that counts as a solution \[-\]: the trajectories then agree to about its
/// amplification over ten frames.
const SOLVED: f64 = 1e-11;

/// The end of ten frames with many sweeps; `None` if the solver refuses or does not converge.
fn solved(entry: &SchemeEntry, solver: &SolverEntry, world: &World) -> Option<World> {
    let budgets: &[u32] = match solver.descriptor.work_unit {
        WorkUnit::Solve => &[1],
        WorkUnit::Sweep | WorkUnit::Stage => &[1000, 20_000],
    };
    for sweeps in budgets {
        let changes = map(&json!({ "sweeps": sweeps }));
        let solver = solver.build(&Map::new()).expect("defaults");
        let mut scheme = entry.build_with(&changes, Some(solver)).expect("a scheme");
        scheme.check(world).ok()?;
        let (mut end, mut judge) = (world.clone(), Judge::default());
        for _ in 0..10 {
            scheme.step(&mut end, DT, &mut judge).expect("a step");
        }
        if judge.worst < SOLVED {
            return Some(end);
        }
    }
    None
}

#[test]
fn exact_solvers_and_many_sweeps_make_the_same_trajectories() {
    let registry = Registry::standard();
    let entry = scheme("pgs-baumgarte").expect("registered");
    let find = |id| registry.find(id).expect("registered");
    let (mut compared, mut exact_pairs, mut slow) = (0, 0, Vec::new());
    for (id, world) in &worlds() {
        // equality-and-bound scenes are those that the pivoting solver takes
        let Some(exact) = solved(&entry, &find("dantzig"), world) else {
            continue;
        };
        for solver in ["dense-direct", "pgs", "block-gs", "dense-pgs"] {
            let Some(end) = solved(&entry, &find(solver), world) else {
                if solver != "dense-direct" {
                    slow.push(format!("{id} with {solver}"));
                }
                continue;
            };
            let difference = distance(&exact, &end);
            println!("{id}: {solver} {difference:e} m");
            assert!(difference < 1e-8, "{id}: {solver} {difference:e} m");
            compared += 1;
            exact_pairs += usize::from(solver == "dense-direct");
        }
    }
    println!("not converged: {slow:?}");
    assert!(
        exact_pairs >= 6 && compared >= 24,
        "{exact_pairs} {compared}"
    );
    assert!(slow.len() <= compared / 4, "not converged: {slow:?}");
}

#[test]
fn refusals_are_the_declared_ones_and_exactness_is_known_before_a_step() {
    // what `check` accepts as exact must be what the descriptor says
    for (id, world) in &worlds() {
        for pair in pairs()
            .iter()
            .filter(|p| p.scheme.descriptor.id == "pgs-baumgarte")
        {
            let mut problems = Problems::default();
            let mut stepped = world.clone();
            let mut scheme = pair.build(&json!({}));
            if scheme.check(world).is_err() {
                continue;
            }
            scheme
                .step(&mut stepped, DT, &mut problems)
                .expect("a step");
            for problem in &problems.0 {
                let fidelity = pair.solver().check(problem);
                let name = pair.name();
                assert!(fidelity.is_ok(), "{name} on {id}: {fidelity:?}");
                // those that say which laws they solve otherwise
                let otherwise = ["naive-impulses", "raisim"];
                let otherwise = otherwise.contains(&pair.solver.descriptor.id);
                let exact = fidelity == Ok(Fidelity::Exact);
                assert!(exact || otherwise, "{name} on {id}: {fidelity:?}");
            }
        }
    }
}

/// Keeps the frozen problems of a step.
#[derive(Default)]
struct Problems(Vec<delassus_core::Problem>);

impl Probe for Problems {
    fn wants(&self, stage: Stage) -> bool {
        stage == Stage::Assembled
    }

    fn at(&mut self, _stage: Stage, view: &StepView<'_>) {
        self.0.extend(view.problem.cloned());
    }
}
