//! What each wrapper promises beyond the laws of every solver, on problems with known answers.

use delassus_core::registry::Solvers;
use delassus_core::{
    Changes, Claim, Entry, Friction, ImpulseSolver, Law, MassProperties, PeerAnswer, PeerClock,
    PeerFacts, PeerIdentity, Problem, ProblemBuilder, Progress, Solutions, SolveError,
    SolverDescriptor, SolverFacts, SolverUpdate, Start, Traffic,
};
use delassus_metrics::Evaluator;
use delassus_problems::generators::{Generator, OperatorForm, Planted};
use delassus_problems::{NamedProblem, generate};
use delassus_registry::Registry;
use delassus_solver_wrap::wrappers;
use nalgebra::Vector3;
use serde_json::{Map, Value, json};

fn solver(name: &str, parameters: Value) -> Box<dyn ImpulseSolver> {
    let registry = Registry::standard();
    let given: Map<String, Value> = parameters.as_object().cloned().unwrap_or_default();
    let entry = registry.find(name).unwrap();
    entry
        .build(&given)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn read(solver: &mut dyn ImpulseSolver, problem: &Problem) -> Vec<f64> {
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).unwrap();
    impulses
}

fn natural_map(problem: &Problem, impulses: &[f64]) -> f64 {
    Evaluator::new(problem)
        .unwrap()
        .deciding_natural_map(impulses)
        .unwrap()
}

/// Work units until the natural map is below `tolerance`; `None` after `most`.
fn units(name: &str, problem: &Problem, tolerance: f64, most: u32) -> Option<u32> {
    let mut solver = solver(name, json!({}));
    solver.prepare(problem, Start::Cold).unwrap();
    (0..=most).find(|unit| {
        if *unit > 0 {
            solver.iterate(problem, 1).unwrap();
        }
        natural_map(problem, &read(solver.as_mut(), problem)) <= tolerance
    })
}

fn chain(links: u32) -> Problem {
    let given = json!({ "n": links });
    generate("chain", given.as_object().unwrap())
        .unwrap()
        .problem
}

fn planted(planted: &Planted) -> NamedProblem {
    planted.generate().unwrap()
}

#[test]
fn the_best_iterate_is_never_worse_than_the_start_or_the_last() {
    // over-relaxed sweeps of contacts chatter
    let problem = planted(&Planted {
        bodies: 12,
        coulomb: 16,
        friction: 0.8,
        seed: 3,
        form: OperatorForm::Matrix,
        ..Planted::default()
    })
    .problem;
    let given = json!({ "omega": 1.9 });
    let mut plain = solver("psor", given.clone());
    let mut best = solver("best-so-far(psor)", given);
    let start: Vec<f64> = (0..problem.rows())
        .map(|row| [0.0, 1.0, 2.0][row % 3])
        .collect();
    for solver in [&mut plain, &mut best] {
        solver.prepare(&problem, Start::Warm(&start)).unwrap();
    }
    let mut least = natural_map(&problem, &start);
    let mut rises = 0;
    for _ in 0..60 {
        plain.iterate(&problem, 1).unwrap();
        best.iterate(&problem, 1).unwrap();
        let own = natural_map(&problem, &read(plain.as_mut(), &problem));
        rises += u32::from(own > least);
        least = least.min(own);
        assert_eq!(natural_map(&problem, &read(best.as_mut(), &problem)), least);
    }
    assert!(
        rises > 0,
        "the sweeps are monotone: the problem tests nothing"
    );
}

#[test]
fn acceleration_of_n_rows_ends_within_n_sweeps() {
    // an affine map of 12 dimensions: with all differences kept the combination is GMRES, which
    // ends after 13 sweeps
    let problem = chain(12);
    assert_eq!(problem.rows(), 12);
    let mut solver = solver("anderson(pgs)", json!({ "anderson.depth": 12 }));
    solver.prepare(&problem, Start::Cold).unwrap();
    solver.iterate(&problem, 15).unwrap();
    let map = natural_map(&problem, &read(solver.as_mut(), &problem));
    assert!(map < 1e-10, "{map:e}");
}

#[test]
fn acceleration_saves_sweeps_on_a_chain() {
    let problem = chain(20);
    let plain = units("pgs", &problem, 1e-8, 20_000).unwrap();
    let fast = units("anderson(pgs)", &problem, 1e-8, 20_000).unwrap();
    println!("{plain} sweeps, {fast} accelerated");
    assert!(5 * fast < plain, "{fast} sweeps, {plain} without");
}

/// Three boxes on the ground: one is pushed and sticks, one slides, one leaves.
fn stick_slide_open() -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(1.0, Vector3::repeat(1.0 / 6.0));
    let velocities = [[0.05, -1.0, 0.02], [2.0, -1.0, 0.5], [0.3, 0.4, 0.0]];
    let lever = Vector3::new(0.0, -0.5, 0.0);
    for [x, y, z] in velocities {
        let body = builder.body(mass, [x, y, z, 0.0, 0.0, 0.0]);
        let rows = [Vector3::y(), Vector3::x(), Vector3::z()].map(|axis| {
            let moment = lever.cross(&axis);
            [[axis.x, axis.y, axis.z, moment.x, moment.y, moment.z]]
        });
        builder.block(Law::Contact(Friction::Coulomb { mu: 0.5 }), &[body], &rows);
    }
    builder.build().unwrap()
}

#[test]
fn the_convex_loop_solves_contacts_that_stick_slide_and_open() {
    let problem = stick_slide_open();
    let mut solver = solver("cone-from-convex(ipm)", json!({}));
    solver.prepare(&problem, Start::Cold).unwrap();
    solver.iterate(&problem, 80).unwrap();
    let found = read(solver.as_mut(), &problem);
    // each box by itself: the tangential inverse mass at the contact is 1 + 0.25·6, the rows do not
    // couple
    let slip = 0.5 / 4.25_f64.sqrt();
    let expected = [
        [1.0, -0.05 / 2.5, -0.02 / 2.5],
        [1.0, -2.0 * slip, -0.5 * slip],
        [0.0; 3],
    ];
    for (row, (found, expected)) in found.iter().zip(expected.as_flattened()).enumerate() {
        assert!(
            (found - expected).abs() < 1e-12,
            "row {row}: {found} for {expected}"
        );
    }
}

/// One contact that sticks, one that slides and one that is open: what a plant of three may hold.
fn sticks_slides_and_opens(problem: &Problem, impulses: &[f64]) -> bool {
    let [mut stick, mut slide, mut open] = [0; 3];
    for (block, contact) in problem.blocks().iter().zip(impulses.chunks(3)) {
        let Law::Contact(friction) = &block.law else {
            return false;
        };
        let mu = friction.mu();
        let tangent = (contact[1] * contact[1] + contact[2] * contact[2]).sqrt();
        match () {
            () if contact[0] == 0.0 => open += 1,
            () if tangent < 0.99 * mu * contact[0] => stick += 1,
            () => slide += 1,
        }
    }
    (stick, slide, open) == (1, 1, 1)
}

/// Distances to the plant after passes with an exact solver inside \[N·s\].
fn passes(problem: &Problem, plant: &[f64], count: usize) -> Vec<f64> {
    let mut solver = solver("cone-from-convex(ipm)", json!({}));
    solver.prepare(problem, Start::Cold).unwrap();
    let after = (0..count).map(|_| {
        solver.iterate(problem, 1).unwrap();
        let found = read(solver.as_mut(), problem);
        let squares = found.iter().zip(plant).map(|(a, b)| (a - b) * (a - b));
        squares.sum::<f64>().sqrt()
    });
    after.collect()
}

#[test]
fn the_convex_loop_recovers_plants_of_contacts_that_stick_slide_and_open() {
    let mut rates = Vec::new();
    for seed in 0..100 {
        // two contacts of two bodies with a third one: friction of each changes the normals of the
        // others
        let planted = planted(&Planted {
            bodies: 2,
            coulomb: 3,
            grounded: 0.0,
            friction: 0.9,
            seed,
            form: OperatorForm::Matrix,
            ..Planted::default()
        });
        let plant = planted.reference.unwrap().impulses;
        if !sticks_slides_and_opens(&planted.problem, &plant) {
            continue;
        }
        let errors = passes(&planted.problem, &plant, 150);
        let size = plant.iter().map(|x| x * x).sum::<f64>().sqrt();
        let last = errors[errors.len() - 1];
        assert!(last < 1e-12 * size, "seed {seed}: {last:e} of {size:e}");
        let near = |part: f64| errors.iter().position(|e| *e < part * errors[0]);
        if let (Some(early), Some(late)) = (near(1e-2), near(1e-9)) {
            let passes = (late - early) as f64;
            rates.push(libm::pow(errors[late] / errors[early], 1.0 / passes));
        }
    }
    println!("{rates:.3?}");
    assert!(rates.len() >= 20, "{} plants hold all three", rates.len());
    let fold = |f: fn(f64, f64) -> f64| rates.iter().copied().reduce(f).unwrap();
    let (least, most) = (fold(f64::min), fold(f64::max));
    // each pass contracts linearly, by what couples friction to the normals
    assert!(
        least < 0.1 && (0.5..0.85).contains(&most),
        "{least} to {most}"
    );
}

#[test]
fn refinement_reaches_the_digits_of_f64() {
    let rows = Planted {
        bodies: 8,
        equality: 3,
        bounds: 4,
        frictionless: 3,
        fixed_box: 3,
        coulomb: 0,
        grounded: 0.5,
        seed: 2,
        ..Planted::default()
    };
    let friction = Planted {
        coulomb: 4,
        disc: 2,
        friction: 0.3,
        ..rows.clone()
    };
    for (what, planted) in [("rows", rows), ("friction", friction)] {
        let problem = planted.generate().unwrap().problem;
        for inner in ["wide-pgs", "jacobi-f32"] {
            let plain = units(inner, &problem, 1e-11, 3000);
            assert_eq!(plain, None, "{inner} on {what} needs no refinement");
            let refined = units(&format!("refined({inner})"), &problem, 1e-13, 200);
            println!("{inner} on {what}: {refined:?} units");
            assert!(refined.is_some(), "{inner} on {what}");
        }
    }
}

#[test]
fn a_corrector_that_cannot_correct_refuses() {
    let problem = stick_slide_open();
    let refined = solver("refined(pgs)", json!({ "refined.corrector": "defect" }));
    let error = refined.check(&problem).unwrap_err();
    assert_eq!(
        error.to_string(),
        "refined(pgs) does not support the law coulomb (block 0): friction cones of Coulomb's law"
    );
}

/// Three piles, three that slide, and what a file of bodies has in addition.
fn worlds() -> Problem {
    let given = json!({ "worlds": 12, "size_least": 1, "size_most": 4, "speed_most": 3.0 });
    generate("many-worlds", given.as_object().unwrap())
        .unwrap()
        .problem
}

#[test]
fn a_world_has_the_bits_that_it_has_alone_with_any_number_of_threads() {
    let problem = worlds();
    for name in ["pgs", "wide-pgs", "jacobi-f32"] {
        let mut expected = vec![0.0; problem.rows()];
        let all = problem.islands().unwrap();
        assert_eq!(all.len(), 12);
        for world in &all {
            let mut alone = solver(name, json!({}));
            alone.prepare(&world.problem, Start::Cold).unwrap();
            alone.iterate(&world.problem, 9).unwrap();
            world.scatter(&read(alone.as_mut(), &world.problem), &mut expected);
        }
        for threads in [0, 1, 3] {
            let given = json!({ "per-world.threads": threads });
            let mut each = solver(&format!("per-world({name})"), given);
            // another problem before: its solvers are used again
            let three = Problem::concatenate(all[..3].iter().map(|w| w.problem.clone()));
            each.prepare(&three.unwrap(), Start::Cold).unwrap();
            each.prepare(&problem, Start::Cold).unwrap();
            let done = each.iterate(&problem, 4).unwrap() + each.iterate(&problem, 5).unwrap();
            assert_eq!(
                (done.sweeps, done.row_updates),
                (9, 9 * problem.rows() as u64)
            );
            let found = read(each.as_mut(), &problem);
            assert_eq!(found, expected, "{name}, {threads} threads");
        }
    }
}

#[test]
fn worlds_are_updated_each_with_its_part() {
    let problem = worlds();
    let bias: Vec<f64> = problem.bias().iter().map(|b| b + 0.01).collect();
    let mut changed = problem.clone();
    changed.set_bias(&bias).unwrap();
    let mut each = solver("per-world(pgs)", json!({ "per-world.threads": 2 }));
    each.prepare(&problem, Start::Cold).unwrap();
    each.iterate(&problem, 3).unwrap();
    let reached = read(each.as_mut(), &problem);
    each.update(&changed, SolverUpdate::Numbers(Changes::ALL))
        .unwrap();
    assert_eq!(read(each.as_mut(), &changed), reached);
    each.iterate(&changed, 2).unwrap();
    let refreshed = read(each.as_mut(), &changed);
    assert_ne!(refreshed, reached);
    each.update(&changed, SolverUpdate::Impulses(&reached))
        .unwrap();
    each.iterate(&changed, 2).unwrap();
    assert_eq!(read(each.as_mut(), &changed), refreshed);
    // other problems and starts are refused with the names of what does not fit
    let other = generate("stack", &Map::new()).unwrap().problem;
    assert!(each.iterate(&other, 1).is_err());
    let error = each.prepare(&changed, Start::Warm(&[1.0])).unwrap_err();
    assert!(error.to_string().contains("warm start"), "{error}");
    assert!(each.iterate(&changed, 1).is_err(), "nothing is prepared");
    let mut broken = reached.clone();
    broken[problem.rows() - 1] = f64::NAN;
    let error = each.prepare(&changed, Start::Warm(&broken)).unwrap_err();
    let row = format!("row {}", problem.rows() - 1);
    assert!(error.to_string().contains(&row), "{error}");
}

#[test]
fn direct_solvers_finish_when_every_world_has() {
    let problem = generate("many-worlds", &{
        let given = json!({ "worlds": 3, "law": "frictionless", "size_least": 2, "size_most": 3 });
        given.as_object().cloned().unwrap()
    });
    let problem = problem.unwrap().problem;
    let mut each = solver("per-world(dantzig)", json!({}));
    each.prepare(&problem, Start::Cold).unwrap();
    let done = each.iterate(&problem, 1000).unwrap();
    assert!(done.finished, "{done:?}");
    let map = natural_map(&problem, &read(each.as_mut(), &problem));
    assert!(map < 1e-10, "{map:e}");
    assert!(each.read_velocities(&problem, &mut [0.0; 3]).is_err());
}

#[test]
fn factorizations_of_all_worlds_are_counted() {
    let problem = worlds();
    let all = problem.islands().unwrap();
    let counts = all.iter().map(|world| {
        let mut alone = solver("prox-newton", json!({}));
        alone.prepare(&world.problem, Start::Cold).unwrap();
        alone.iterate(&world.problem, 9).unwrap();
        alone.facts().factorizations.unwrap()
    });
    let counts: Vec<u64> = counts.collect();
    let sum: u64 = counts.iter().sum();
    assert!(sum > 0, "{counts:?}");
    let mut each = solver("per-world(prox-newton)", json!({}));
    each.prepare(&problem, Start::Cold).unwrap();
    each.iterate(&problem, 9).unwrap();
    assert_eq!(each.facts().factorizations, Some(sum));
    // the solvers of the other worlds go, their factorizations stay counted
    each.prepare(&all[0].problem, Start::Cold).unwrap();
    each.iterate(&all[0].problem, 9).unwrap();
    assert_eq!(each.facts().factorizations, Some(sum + counts[0]));
    each.prepare(&all[0].problem, Start::Warm(&[])).unwrap_err();
    assert_eq!(each.facts().factorizations, Some(sum + counts[0]));
}

/// Reports every fact; its impulses stay at zero.
struct Telling;

impl Telling {
    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "telling",
        forms: SolverDescriptor::ALL_FORMS,
        ..SolverDescriptor::BASE
    };
}

impl ImpulseSolver for Telling {
    fn descriptor(&self) -> &SolverDescriptor {
        &Self::DESCRIPTOR
    }

    fn prepare(&mut self, _: &Problem, _: Start<'_>) -> Result<(), SolveError> {
        Ok(())
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        Ok(Progress::of_sweeps(sweeps, problem.rows()))
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        out.fill(0.0);
        Ok(())
    }

    fn facts(&self) -> SolverFacts {
        SolverFacts {
            traffic: Some(Traffic {
                read: 3,
                written: 2,
                gathered: 1,
            }),
            dispatches: Some(5),
            factorizations: Some(7),
            decisions: vec!["tells everything".to_owned()],
            solutions: Some(Solutions::default()),
            device: Some(Ok("abacus".to_owned())),
            peer: Some(PeerFacts {
                identity: PeerIdentity {
                    peer: "far".to_owned(),
                    version: "1".to_owned(),
                    hash: None,
                },
                restarts: true,
                answer: Some(PeerAnswer {
                    claimed: Claim::Converged,
                    iterations: 1,
                    residuals: std::collections::BTreeMap::new(),
                    seconds: 0.0,
                    clock: PeerClock::Own,
                    message: None,
                }),
            }),
        }
    }
}

#[test]
fn every_wrapper_forwards_every_fact() {
    // the facts of S that are none of the wrapper, and why
    let changed: [(&str, &[&str]); 5] = [
        // a unit streams more than one of S
        ("best-so-far", &["traffic", "dispatches", "peer"]),
        ("anderson", &["traffic", "dispatches", "peer"]),
        // and S solves other problems
        (
            "cone-from-convex",
            &["traffic", "dispatches", "solutions", "peer"],
        ),
        ("refined", &["traffic", "dispatches", "solutions", "peer"]),
        // solutions of single worlds are none of the problem
        ("per-world", &["solutions", "peer"]),
    ];
    let inner = Entry::<Solvers>::composed(Telling::DESCRIPTOR, Vec::new(), Map::new(), |_, ()| {
        Ok(Box::new(Telling))
    });
    let problem = chain(3);
    for wrapper in wrappers() {
        let id = wrapper.descriptor.id;
        let mut solver = wrapper.around(&inner).build(&Map::new()).unwrap();
        // asked before anything is prepared
        assert_eq!(solver.facts().device, Telling.facts().device, "{id}");
        solver.prepare(&problem, Start::Cold).unwrap();
        solver.iterate(&problem, 1).unwrap();
        let expected = Telling.facts();
        // all fields by name: a new fact has to be listed here
        let SolverFacts {
            traffic,
            dispatches,
            factorizations,
            decisions,
            solutions,
            device,
            peer,
        } = solver.facts();
        // what S claims, it claims of its own impulses
        assert_eq!(
            peer,
            expected.peer.clone().map(PeerFacts::without_answer),
            "{id}"
        );
        let (_, changed) = changed.iter().find(|(name, _)| *name == id).unwrap();
        for (fact, forwarded) in [
            ("traffic", traffic == expected.traffic),
            ("dispatches", dispatches == expected.dispatches),
            ("factorizations", factorizations == expected.factorizations),
            ("decisions", decisions == expected.decisions),
            ("solutions", solutions == expected.solutions),
            ("device", device == expected.device),
            ("peer", peer == expected.peer),
        ] {
            assert_eq!(forwarded, !changed.contains(&fact), "{fact} of {id}");
        }
    }
}
