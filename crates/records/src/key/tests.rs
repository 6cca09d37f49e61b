//! Which changes of a cell change its key, and hashes of files.

use super::*;

#[test]
fn a_file_in_pieces_has_the_hash_of_its_bytes() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for length in [0, 1, (1 << 18) - 1, 1 << 18, 700_001] {
        let bytes: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
        std::fs::write(file.path(), &bytes).unwrap();
        assert_eq!(of_file(file.path()).unwrap(), of_bytes(&bytes));
    }
    assert!(of_file(Path::new("/nowhere/at/all")).is_err());
}
use delassus_core::{MassProperties, ProblemBuilder};
use nalgebra::Vector3;

struct Knobs {
    mass: f64,
    speed: f64,
    law: Law,
    lever: f64,
    bias: f64,
    compliance: f64,
    dt: Option<f64>,
}

impl Default for Knobs {
    fn default() -> Self {
        Self {
            mass: 1.0,
            speed: -1.0,
            law: Law::UNILATERAL,
            lever: 0.5,
            bias: 0.0,
            compliance: 0.0,
            dt: None,
        }
    }
}

fn problem(knobs: &Knobs) -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(knobs.mass, Vector3::repeat(1.0));
    let body = builder.body(mass, [0.0, knobs.speed, 0.0, 0.0, 0.0, 0.0]);
    let row = [0.0, 1.0, 0.0, 0.0, 0.0, knobs.lever];
    let tangents = [
        [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]],
        [[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]],
    ];
    let rows = [&[[row]][..], &tangents].concat();
    // friction laws need tangents
    let dim = if matches!(knobs.law, Law::Contact(_)) {
        3
    } else {
        1
    };
    builder.block(knobs.law.clone(), &[body], &rows[..dim]);
    builder.bias(&vec![knobs.bias; dim]);
    builder.compliance(&vec![knobs.compliance; dim]);
    if let Some(dt) = knobs.dt {
        builder.step(dt, 9.81);
    }
    builder.build().unwrap()
}

#[test]
fn every_number_counts() {
    let base = Knobs::default();
    let bounds = |lower: f64, upper: f64| Law::Bounds { lower, upper };
    let variants = [
        Knobs {
            mass: 2.0,
            ..Knobs::default()
        },
        Knobs {
            speed: -1.0 - f64::EPSILON,
            ..Knobs::default()
        },
        Knobs {
            law: Law::Equality,
            ..Knobs::default()
        },
        Knobs {
            law: bounds(0.0, 1.0),
            ..Knobs::default()
        },
        Knobs {
            law: bounds(-1.0, f64::INFINITY),
            ..Knobs::default()
        },
        Knobs {
            law: Law::Contact(Friction::Frictionless),
            ..Knobs::default()
        },
        Knobs {
            law: Law::Contact(Friction::Disc { mu: 0.5 }),
            ..Knobs::default()
        },
        Knobs {
            law: Law::Contact(Friction::Disc { mu: 0.6 }),
            ..Knobs::default()
        },
        Knobs {
            law: Law::Contact(Friction::Coulomb { mu: 0.5 }),
            ..Knobs::default()
        },
        Knobs {
            law: Law::Contact(Friction::FixedBox { limit: 0.5 }),
            ..Knobs::default()
        },
        Knobs {
            law: Law::Contact(Friction::Facets { mu: 0.5, facets: 4 }),
            ..Knobs::default()
        },
        Knobs {
            law: Law::Contact(Friction::Facets { mu: 0.5, facets: 8 }),
            ..Knobs::default()
        },
        Knobs {
            lever: 0.25,
            ..Knobs::default()
        },
        Knobs {
            bias: 1e-300,
            ..Knobs::default()
        },
        Knobs {
            compliance: 0.5,
            ..Knobs::default()
        },
        Knobs {
            dt: Some(0.01),
            ..Knobs::default()
        },
        Knobs {
            dt: Some(0.02),
            ..Knobs::default()
        },
    ];
    let mut seen = vec![digest(&problem(&base), None)];
    assert_eq!(seen[0], digest(&problem(&base), None));
    for knobs in &variants {
        seen.push(digest(&problem(knobs), None));
    }
    seen.push(digest(&problem(&base), Some(&[0.0])));
    seen.push(digest(&problem(&base), Some(&[1.0])));
    for r in [0.25, 0.125] {
        let dim = Knobs {
            law: Law::Contact(Friction::Disc { mu: 0.5 }),
            compliance: 0.5,
            ..Knobs::default()
        };
        let mut parts = problem(&dim).into_parts();
        seen.push(digest(&Problem::new(parts.clone()).unwrap(), None));
        parts.coupled_compliance.push(0, &[r, 0.0, 0.0]);
        seen.push(digest(&Problem::new(parts).unwrap(), None));
    }
    // the diagonal one came twice
    seen.swap_remove(seen.len() - 2);
    let mut held = problem(&base);
    held.set_activity(&[Activity::Hold]).unwrap();
    seen.push(digest(&held, None));
    let matrix = delassus_problems::to_matrix(&problem(&base)).unwrap();
    seen.push(digest(&matrix, None));
    let count = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), count);
}

#[test]
fn the_order_of_keys_does_not_count_and_their_values_do() {
    let a: Value = serde_json::from_str(r#"{"x":{"b":1,"a":[1.5,null]},"y":"z"}"#).unwrap();
    let b: Value = serde_json::from_str(r#"{"y":"z","x":{"a":[1.5,null],"b":1}}"#).unwrap();
    let c: Value = serde_json::from_str(r#"{"y":"z","x":{"a":[1.5,null],"b":2}}"#).unwrap();
    assert_eq!(of_json(&a), of_json(&b));
    assert_ne!(of_json(&a), of_json(&c));
}
