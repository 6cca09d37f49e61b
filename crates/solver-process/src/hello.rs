//! What a peer says about itself before it is asked anything.

use std::collections::BTreeMap;

use delassus_core::suggest::list;
use delassus_core::{Choice, LawKind, PeerClock, Support, intern};
use serde::Deserialize;
use serde_json::Value;

use crate::frame::PeerMessage;

/// Version of the protocol.
pub const PROTOCOL: u64 = 1;

/// Most bytes of a text of a hello \[B\].
const MOST_TEXT: usize = 200;
/// Most solvers of a peer, and most parameters of a solver \[-\].
const MOST_ENTRIES: usize = 32;
/// Names that parameters of a peer may not have: those of the driver.
pub const TAKEN: [&str; 2] = ["tolerance", "seconds"];

/// The hello of a peer, checked.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Hello {
    /// Name of the program.
    pub peer: String,
    /// Its version.
    pub version: String,
    /// Hash of its files.
    pub hash: Option<String>,
    /// Version of Python, where it has one.
    pub python: Option<String>,
    /// Name and version of its linear algebra.
    pub blas: Option<String>,
    /// Its solvers.
    pub solvers: Vec<DeclaredSolver>,
}

/// A solver, as its peer declares it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct DeclaredSolver {
    /// Name among the solvers of the peer.
    pub name: String,
    /// Names of laws, each "exact" or what is solved instead.
    pub laws: BTreeMap<String, String>,
    /// What it takes: "matrix", "bodies" or both.
    pub operators: Vec<String>,
    /// "diagonal", "coupled" or "none".
    #[serde(default = "diagonal")]
    pub compliance: String,
    /// True if an unsymmetric matrix is solved as it is.
    #[serde(default)]
    pub unsymmetric: bool,
    /// "f64" or "f32".
    pub precision: String,
    /// True if equal requests give equal bits.
    pub deterministic: bool,
    /// The clock of its times.
    pub clock: PeerClock,
    /// True if a solve can go on where it stopped.
    #[serde(default)]
    pub chunks: bool,
    /// True if iterations have no meaning: one solve.
    #[serde(default)]
    pub direct: bool,
    /// What its tolerance means.
    pub tolerance: DeclaredTolerance,
    /// What a user may set.
    #[serde(default)]
    pub parameters: Vec<DeclaredParameter>,
}

/// What a tolerance means.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct DeclaredTolerance {
    /// In words.
    pub meaning: String,
    /// Its unit.
    pub unit: String,
}

/// A parameter of a solver of a peer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct DeclaredParameter {
    /// Its name.
    pub name: String,
    /// Number, truth value or text; its type is the type of the parameter.
    pub default: Value,
    /// What it is.
    pub text: String,
    /// Unit of a number.
    #[serde(default)]
    pub unit: String,
}

fn diagonal() -> String {
    "diagonal".to_owned()
}

impl Hello {
    /// Reads and checks the first message of a peer.
    ///
    /// # Errors
    /// What is wrong with it, and what to write instead.
    pub fn of(frame: &PeerMessage) -> Result<Self, String> {
        check_protocol(frame)?;
        let hello = serde_json::from_value::<Self>(Value::Object(frame.head.clone()));
        let hello = hello.map_err(|error| format!("its hello cannot be read: {error}"))?;
        match hello.fault() {
            Some(fault) => Err(format!("its hello: {fault}")),
            None => Ok(hello),
        }
    }

    /// The solver of this name.
    pub fn solver(&self, name: &str) -> Option<&DeclaredSolver> {
        self.solvers.iter().find(|solver| solver.name == name)
    }

    /// Names of the solvers, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.solvers.iter().map(|solver| solver.name.as_str())
    }

    /// The first thing that is wrong.
    fn fault(&self) -> Option<String> {
        let optional = [&self.hash, &self.python, &self.blas];
        let optional = optional.into_iter().flatten();
        let texts = [&self.peer, &self.version].into_iter().chain(optional);
        if let Some(fault) = texts.into_iter().find_map(|text| long(text)) {
            return Some(fault);
        }
        if self.solvers.is_empty() || self.solvers.len() > MOST_ENTRIES {
            return Some(format!("a peer has 1 to {MOST_ENTRIES} solvers"));
        }
        for (index, solver) in self.solvers.iter().enumerate() {
            let twice = self.solvers[..index].iter().any(|o| o.name == solver.name);
            let fault = match twice {
                true => Some("is there twice".to_owned()),
                false => solver.fault(),
            };
            if let Some(fault) = fault {
                return Some(format!("solver {:?}: {fault}", solver.name));
            }
        }
        None
    }
}

/// Refuses the first message of a program that speaks another version of the protocol.
///
/// # Errors
/// The version that it speaks.
pub(crate) fn check_protocol(frame: &PeerMessage) -> Result<(), String> {
    let protocol = frame.head.get("protocol").unwrap_or(&Value::Null);
    match protocol.as_u64() == Some(PROTOCOL) {
        true => Ok(()),
        false => Err(format!(
            "its hello has protocol {protocol}; this program speaks {PROTOCOL}"
        )),
    }
}

/// The first thing that is wrong with declared parameters; `taken` are the names that they may not
/// have.
pub fn fault_of_parameters(parameters: &[DeclaredParameter], taken: &[&str]) -> Option<String> {
    if parameters.len() > MOST_ENTRIES {
        return Some(format!("more than {MOST_ENTRIES} parameters"));
    }
    for (index, own) in parameters.iter().enumerate() {
        let before = &parameters[..index];
        let name = own.name.as_str();
        let wrong = match &own.default {
            _ if !is_name(name) => "a name has 1 to 32 of a-z, 0-9, _ and -",
            _ if taken.contains(&name) => "the driver has a parameter of this name",
            _ if before.iter().any(|other| other.name == name) => "is there twice",
            Value::Bool(_) | Value::Number(_) => "",
            Value::String(text) if text.len() <= MOST_TEXT => "",
            _ => "default must be a number, a truth value or a short text",
        };
        if !wrong.is_empty() {
            return Some(format!("parameter {name:?}: {wrong}"));
        }
        if let Some(fault) = long(&own.text).or_else(|| long(&own.unit)) {
            return Some(format!("parameter {name:?}: {fault}"));
        }
    }
    None
}

impl DeclaredSolver {
    fn fault(&self) -> Option<String> {
        if !is_name(&self.name) {
            return Some("a name has 1 to 32 of a-z, 0-9, _ and -".to_owned());
        }
        if self.laws.is_empty() {
            return Some("laws is empty".to_owned());
        }
        for (law, words) in &self.laws {
            if let Err(error) = LawKind::from_name(law) {
                return Some(format!("laws: {error}"));
            }
            if let Some(fault) = long(words) {
                return Some(format!("laws.{law}: {fault}"));
            }
        }
        let one_of = |name: &str, value: &str, known: &[&str]| {
            let known_here = known.contains(&value);
            let known = list(known.iter().copied());
            (!known_here).then(|| format!("{name} is {value:?}; write one of {known}"))
        };
        let mut operators = self.operators.iter();
        operators
            .find_map(|text| one_of("operators", text, &["matrix", "bodies"]))
            .or_else(|| {
                let none = self.operators.is_empty();
                none.then(|| "operators is empty".to_owned())
            })
            .or_else(|| {
                one_of(
                    "compliance",
                    &self.compliance,
                    &["diagonal", "coupled", "none"],
                )
            })
            .or_else(|| one_of("precision", &self.precision, &["f64", "f32"]))
            .or_else(|| long(&self.tolerance.meaning))
            .or_else(|| long(&self.tolerance.unit))
            .or_else(|| fault_of_parameters(&self.parameters, &TAKEN))
    }
}

/// What to say of a text that is too long for a hello.
pub fn long(text: &str) -> Option<String> {
    (text.len() > MOST_TEXT).then(|| format!("a text of more than {MOST_TEXT} bytes"))
}

/// True for a name of a program, a solver or a parameter.
pub fn is_name(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_';
    (1..=32).contains(&text.len()) && text.bytes().all(fits)
}

/// What the words about a law mean.
pub(crate) fn support(words: &str) -> Support {
    match words {
        "exact" => Support::Exact,
        words => Support::Approximate(intern::text(words)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn hello(change: impl FnOnce(&mut Value)) -> Result<Hello, String> {
        let mut all = json!({
            "protocol": 1, "peer": "mine", "version": "0.3", "later": [1],
            "solvers": [{
                "name": "gs", "laws": { "coulomb": "exact" }, "operators": ["matrix"],
                "precision": "f64", "deterministic": true, "clock": "own",
                "tolerance": { "meaning": "largest change", "unit": "N·s" },
                "parameters": [{ "name": "omega", "default": 1.0, "text": "Relaxation." }],
            }],
        });
        change(&mut all);
        let head = all.as_object().unwrap().clone();
        Hello::of(&PeerMessage {
            head,
            arrays: Vec::new(),
        })
    }

    #[test]
    fn a_hello_is_read_and_what_is_unknown_is_left_out() {
        let hello = hello(|_| {}).unwrap();
        let solver = hello.solver("gs").unwrap();
        assert_eq!(solver.compliance, "diagonal");
        assert!(!solver.chunks && !solver.direct && !solver.unsymmetric);
        assert_eq!(solver.clock, PeerClock::Own);
    }

    #[test]
    fn what_is_wrong_is_named() {
        type Change = fn(&mut Value);
        let wrong: [(Change, &str); 9] = [
            (|h| h["protocol"] = json!(2), "protocol 2"),
            (|h| h["solvers"] = json!([]), "1 to 32 solvers"),
            (|h| h["solvers"][0]["name"] = json!("A b"), "a name has"),
            (
                |h| h["solvers"][0]["laws"] = json!({ "coulom": "exact" }),
                "coulomb",
            ),
            (
                |h| h["solvers"][0]["operators"] = json!([]),
                "operators is empty",
            ),
            (|h| h["solvers"][0]["precision"] = json!("f16"), "precision"),
            (
                |h| h["solvers"][0]["clock"] = json!("sun"),
                "cannot be read",
            ),
            (
                |h| h["version"] = json!("1".repeat(201)),
                "more than 200 bytes",
            ),
            (
                |h| h["solvers"][0]["parameters"][0]["name"] = json!("tolerance"),
                "the driver has",
            ),
        ];
        for (change, text) in wrong {
            let error = hello(change).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
        let twice = |h: &mut Value| {
            let first = h["solvers"][0].clone();
            h["solvers"].as_array_mut().unwrap().push(first);
        };
        assert!(hello(twice).unwrap_err().contains("twice"));
    }
}
