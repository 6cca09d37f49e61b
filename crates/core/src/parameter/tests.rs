//! One declaration, and everything that follows from it.

use super::*;
use crate::{Choice, Parameters};
use serde_json::json;

/// How a mass ratio is spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
enum Spread {
    /// From end to end.
    #[default]
    Geometric,
    /// The last mass alone.
    HeavyTip,
}

#[derive(Debug, Clone, PartialEq, Parameters)]
struct Step {
    /// Gravity.
    #[parameter(default = 9.81, unit = "m/s²", range = ">= 0")]
    gravity: f64,
    /// Time step. A sixtieth of a second.
    #[parameter(default = 1.0 / 64.0, unit = "s", range = "> 0")]
    dt: f64,
}

#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
struct Chain {
    /// Number of links.
    #[parameter(default = 3, unit = "-", range = "[1, 10]")]
    n: usize,
    /// How the mass ratio is spread.
    spread: Spread,
    #[doc = "Gravity and time step."]
    #[parameter(flatten, default = Step { gravity: 1.0, ..Step::default() })]
    step: Step,
    /// Fixed links at the start.
    #[parameter(unit = "-")]
    fixed: usize,
    /// Largest speed. Without it there is none.
    #[parameter(unit = "m/s", range = "> 0")]
    cap: Option<f64>,
    /// Half edges of a link.
    #[parameter(default = [0.5, 0.25], unit = "m", range = "> 0")]
    half: [f64; 2],
}

impl Chain {
    fn check(&self) -> Result<(), ParameterError> {
        require(
            self.fixed <= self.n,
            "fixed",
            self.fixed,
            "there are only n links",
        )
    }
}

fn read_chain(given: Value) -> Result<Chain, ParametersError> {
    Chain::from_map(given.as_object().unwrap())
}

#[test]
fn one_declaration_gives_defaults_keys_and_documentation() {
    let chain = Chain::default();
    assert_eq!((chain.n, chain.step.gravity), (3, 1.0));
    let map = chain.to_map();
    assert_eq!(
        Value::Object(map.clone()).to_string(),
        r#"{"n":3,"spread":"geometric","gravity":1.0,"dt":0.015625,"fixed":0,"cap":null,"half":[0.5,0.25]}"#
    );
    let names: Vec<&str> = Chain::docs().iter().map(|doc| doc.name).collect();
    assert_eq!(names, map.keys().collect::<Vec<_>>());
    assert_eq!(Chain::from_map(&map), Ok(chain));
    let lines: Vec<String> = Chain::docs().iter().map(ParameterDoc::to_string).collect();
    assert_eq!(
        lines[..4],
        [
            "Number of links [-]; [1, 10].",
            "How the mass ratio is spread: \"geometric\" (from end to end) or \"heavy-tip\" (the last mass alone).",
            "Gravity [m/s²]; >= 0.",
            "Time step [s]; > 0. A sixtieth of a second.",
        ]
    );
    assert_eq!(Chain::docs()[3].label(), "time step [s]");
    assert_eq!(Chain::docs()[1].label(), "how the mass ratio is spread");
}

#[test]
fn what_is_wrong_is_said_with_its_name() {
    let wrong = |given: Value| read_chain(given).unwrap_err().to_string();
    for (given, text) in [
        (
            json!({ "m": 1 }),
            "there is no parameter \"m\"; there are n, spread, gravity, dt, fixed, cap, half",
        ),
        (
            json!({ "fixd": 1 }),
            "there is no parameter \"fixd\"; did you mean \"fixed\"?",
        ),
        (
            json!({ "n": -1 }),
            "n: invalid value: integer -1, expected a whole number ≥ 0",
        ),
        (
            json!({ "n": 0 }),
            "n = 0 is out of range: it must lie in [1, 10]",
        ),
        (
            json!({ "dt": 0.0 }),
            "dt = 0 is out of range: it must be finite and > 0 [s]",
        ),
        (
            json!({ "cap": -2 }),
            "cap = -2 is out of range: it must be finite and > 0 [m/s]",
        ),
        (
            json!({ "half": [1.0, -1.5] }),
            "half = -1.5 is out of range: it must be finite and > 0 [m]",
        ),
        (
            json!({ "fixed": 4 }),
            "fixed = 4 is out of range: there are only n links",
        ),
        (
            json!({ "spread": "geometrc" }),
            "spread: \"geometrc\" is none of \"geometric\", \"heavy-tip\"; did you mean \"geometric\"?",
        ),
    ] {
        assert_eq!(wrong(given), text);
    }
    let infinite = Chain {
        cap: Some(f64::INFINITY),
        ..Chain::default()
    };
    assert!(infinite.validate().is_err());
}

#[test]
fn choices_have_names() {
    assert_eq!("heavy-tip".parse(), Ok(Spread::HeavyTip));
    assert_eq!(Spread::HeavyTip.to_string(), "heavy-tip");
    assert_eq!(Spread::ALL.len(), Spread::CHOICES.len());
    assert!("tip".parse::<Spread>().is_err());
}
