//! The cases of a check.

use std::time::Instant;

use delassus_core::parameter::{Map, Value};
use delassus_core::{Law, ProblemError, Start};
use delassus_problems::{NamedProblem, snapshot_bytes};
use serde_json::json;

use super::damage;
use super::planted::{Ending, Planted, contacts, lines, unsymmetric};
use super::subject::{FRICTIONS, SECONDS, Subject, TOLERANCE};
use super::verdict::{CheckVerdict, CheckedCase};
use crate::frame::{FrameArray, PeerMessage};

/// The limit of the case about time, and what is allowed beyond it \[s\].
const SHORT: f64 = 0.2;
const LATE: f64 = 5.0;
/// Rigid rows.
const RIGID: [f64; 3] = [0.0; 3];

/// A case: its name, what must be so, and how it is checked.
type Case = (&'static str, &'static str, fn(&Subject) -> CheckVerdict);

const CASES: [Case; 15] = [
    (
        "unknown-op",
        "an unknown op is answered with an error",
        unknown_op,
    ),
    (
        "equality",
        "rows of joints have their planted impulses",
        |own| plain(own, 0),
    ),
    (
        "bounds",
        "rows between bounds have their planted impulses",
        |own| plain(own, 1),
    ),
    (
        "stick",
        "a contact that sticks has its planted impulses",
        |own| own.under(&FRICTIONS, |law| contacts(law, &[Ending::Sticks], RIGID)),
    ),
    (
        "slide",
        "a contact that slides has its planted impulses",
        |own| own.under(&FRICTIONS, |law| contacts(law, &[Ending::Slides], RIGID)),
    ),
    ("open", "a contact that opens has no impulse", |own| {
        own.under(&FRICTIONS, |law| contacts(law, &[Ending::Opens], RIGID))
    }),
    (
        "exact-cone",
        "a sliding contact with Coulomb's law does not separate",
        |own| {
            own.under(&FRICTIONS[..2], |law| {
                contacts(law, &[Ending::Slides], RIGID)
            })
        },
    ),
    (
        "convex-cone",
        "a sliding contact with the convex cone separates at μ times its speed",
        |own| {
            own.under(&FRICTIONS[2..], |law| {
                contacts(law, &[Ending::Slides], RIGID)
            })
        },
    ),
    ("compliance", "R is added to the matrix", |own| {
        own.under(&FRICTIONS, |law| {
            contacts(law, &[Ending::Slides], [0.3, 0.5, 0.5])
        })
    }),
    (
        "order",
        "blocks in another order have the same impulses",
        |own| {
            own.under(&FRICTIONS, |law| {
                let endings = [Ending::Sticks, Ending::Opens, Ending::Slides];
                reordered(&contacts(law, &endings, [0.05; 3])?)
            })
        },
    ),
    ("unsymmetric", "W is not transposed", |own| {
        own.under(&FRICTIONS, unsymmetric)
    }),
    ("start", "a start that is the solution stays it", start),
    ("repeat", "equal requests give equal bits", repeat),
    ("nan", "a problem with NaN is not claimed to be solved", nan),
    ("time", "an answer comes in time", time),
];

/// Laws without friction: name, law, λ, w.
type PlainLaw = (&'static str, Law, [f64; 3], [f64; 3]);

static PLAIN: [PlainLaw; 2] = [
    ("equality", Law::Equality, [1.1, -0.7, 0.4], [0.0; 3]),
    (
        "bounds",
        Law::Bounds {
            lower: -0.5,
            upper: 2.0,
        },
        [-0.5, 2.0, 0.3],
        [0.8, -0.6, 0.0],
    ),
];

/// Runs all cases; those after two without an answer in time are not tried.
pub(super) fn all(subject: &Subject) -> Vec<CheckedCase> {
    let mut late = 0;
    let mut run = |(name, rule, case): Case| {
        let clock = Instant::now();
        let verdict = match late {
            0 | 1 => case(subject),
            _ => CheckVerdict::DoesNotApply(
                "not tried: two cases before had no answer in time".to_owned(),
            ),
        };
        let is_late = clock.elapsed().as_secs_f64() >= SECONDS;
        late += usize::from(is_late && matches!(verdict, CheckVerdict::Fails(_)));
        CheckedCase {
            name,
            rule,
            verdict,
        }
    };
    CASES.into_iter().map(&mut run).collect()
}

fn plain(own: &Subject, which: usize) -> CheckVerdict {
    let (name, law, impulses, velocities) = &PLAIN[which];
    match own.declares(name) {
        true => own.judge(lines(law, *impulses, *velocities)),
        false => CheckVerdict::DoesNotApply(format!("{name} is not declared exact")),
    }
}

/// The same problem with its blocks in another order.
fn reordered(planted: &Planted) -> Result<Planted, ProblemError> {
    let order = [2, 0, 1];
    let rows = planted.problem.rows_in(&order);
    Ok(Planted {
        problem: planted.problem.reordered(&order)?,
        impulses: rows.iter().map(|row| planted.impulses[*row]).collect(),
    })
}

/// The first problem that the peer takes.
fn some_problem(own: &Subject) -> Result<Planted, CheckVerdict> {
    let frictions = FRICTIONS.iter().filter(|(name, _)| own.declares(name));
    let frictions = frictions.map(|(_, law)| contacts(*law, &[Ending::Slides], RIGID));
    let plain = PLAIN.iter().filter(|(name, ..)| own.declares(name));
    let plain = plain.map(|(_, law, impulses, w)| lines(law, *impulses, *w));
    let mut all = frictions.chain(plain).flatten();
    let found = all.find(|planted| own.refuses(&planted.problem).is_none());
    let words = "it declares none of the laws of the cases exact";
    found.ok_or_else(|| CheckVerdict::DoesNotApply(words.to_owned()))
}

fn start(own: &Subject) -> CheckVerdict {
    let planted = match some_problem(own) {
        Ok(planted) => planted,
        Err(verdict) => return verdict,
    };
    match own.solve(&planted.problem, Start::Warm(&planted.impulses)) {
        Ok(ended) => own.compare(&planted.impulses, &ended),
        Err(verdict) => verdict,
    }
}

fn repeat(own: &Subject) -> CheckVerdict {
    if !own.solver.deterministic {
        return CheckVerdict::DoesNotApply("it declares that it is not deterministic".to_owned());
    }
    let planted = match some_problem(own) {
        Ok(planted) => planted,
        Err(verdict) => return verdict,
    };
    let bits = |_| -> Result<Vec<u64>, CheckVerdict> {
        let ended = own.solve(&planted.problem, Start::Cold)?;
        Ok(ended.impulses.iter().map(|x| x.to_bits()).collect())
    };
    let all: Result<Vec<Vec<u64>>, CheckVerdict> = (0..3).map(bits).collect();
    match all {
        Ok(all) if all.windows(2).all(|pair| pair[0] == pair[1]) => {
            CheckVerdict::Passes("three solves".to_owned())
        }
        Ok(_) => CheckVerdict::Fails("three solves differ".to_owned()),
        Err(verdict) => verdict,
    }
}

fn unknown_op(own: &Subject) -> CheckVerdict {
    let asked = vec![frame(json!({ "op": "no-such-op" }), Vec::new())];
    match own.send(asked, SECONDS) {
        Ok(answers) if answers.iter().all(|a| a.head.contains_key("error")) => {
            CheckVerdict::Passes("an error, and it lives on".to_owned())
        }
        Ok(_) => CheckVerdict::Fails("its answer has no key error".to_owned()),
        Err(error) => CheckVerdict::Fails(error),
    }
}

fn nan(own: &Subject) -> CheckVerdict {
    let planted = match some_problem(own) {
        Ok(planted) => planted,
        Err(verdict) => return verdict,
    };
    let bytes = snapshot_bytes(&NamedProblem::new("problem", planted.problem, "NaN"));
    let Some(bytes) = damage::with_nan(&bytes) else {
        return CheckVerdict::Fails("the snapshot has no bias".to_owned());
    };
    let parameters = own.solver.parameters.iter();
    let parameters = parameters.map(|own| (own.name.clone(), own.default.clone()));
    let parameters: Map = parameters.collect();
    let name = &own.solver.name;
    let prepare = json!({ "op": "prepare", "solver": name, "parameters": parameters });
    let solve = json!({
        "op": "solve", "tolerance": TOLERANCE, "max_iterations": 1000, "max_seconds": SECONDS,
        "start": "cold",
    });
    let problem = vec![FrameArray::of_bytes("problem", bytes)];
    let asked = vec![frame(prepare, problem), frame(solve, Vec::new())];
    let answers = match own.send(asked, SECONDS) {
        Ok(answers) => answers,
        // to die of it claims nothing
        Err(error) => return CheckVerdict::Passes(error),
    };
    let says = |answer: &PeerMessage, key: &str| answer.head.contains_key(key);
    // a peer that refuses the problem may still solve the one before
    let refused = says(&answers[0], "error") || says(&answers[0], "claimed");
    let claimed = answers[1].head.get("claimed");
    match (refused, claimed.and_then(Value::as_str)) {
        (true, _) => CheckVerdict::Passes("it refuses the problem".to_owned()),
        (false, Some("converged")) => CheckVerdict::Fails("it claims converged".to_owned()),
        (false, claimed) => {
            let claimed = claimed.unwrap_or("nothing");
            CheckVerdict::Passes(format!("it claims {claimed}"))
        }
    }
}

fn time(own: &Subject) -> CheckVerdict {
    let planted = match some_problem(own) {
        Ok(planted) => planted,
        Err(verdict) => return verdict,
    };
    let mut given = own.given.clone();
    given.insert("seconds".to_owned(), Value::from(SHORT));
    given.insert("tolerance".to_owned(), Value::from(0.0));
    let clock = Instant::now();
    let ended = own.solve_with(&given, &planted.problem, Start::Cold, u32::MAX);
    let took = clock.elapsed().as_secs_f64();
    match ended {
        Ok(ended) if took <= SHORT + LATE => {
            let claimed = ended
                .answer
                .map_or("nothing".to_owned(), |a| a.claimed.to_string());
            CheckVerdict::Passes(format!("{took:.2} s of {SHORT} s; it claims {claimed}"))
        }
        Ok(_) => CheckVerdict::Fails(format!("{took:.2} s of {SHORT} s")),
        Err(verdict) => verdict,
    }
}

fn frame(head: Value, arrays: Vec<FrameArray>) -> PeerMessage {
    match head {
        Value::Object(head) => PeerMessage { head, arrays },
        _ => PeerMessage::default(),
    }
}
