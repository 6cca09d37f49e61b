//! Snapshots: every bit comes back, and whatever is not a snapshot is refused with its place.

use std::fs;

use delassus_core::{Activity, Law, Problem};
use delassus_problems::generators::{
    BoxProblem, CoupledPlanted, Generator, OperatorForm, Planted, Stack,
};
use delassus_problems::{
    Captured, ContactLaw, KnownSolution, NamedProblem, ProblemReadError, read_bytes, read_file,
    snapshot_bytes, write_snapshot,
};
use proptest::prelude::*;

fn read(bytes: &[u8]) -> Result<NamedProblem, ProblemReadError> {
    read_bytes("file.dls", bytes, ContactLaw::Coulomb)
}

/// A random problem with every law.
pub(crate) fn everything(seed: u64, form: OperatorForm) -> NamedProblem {
    let planted = Planted {
        equality: 2,
        gears: 1,
        bounds: 6,
        frictionless: 2,
        fixed_box: 2,
        pyramid: 2,
        disc: 2,
        coulomb: 2,
        convex_cone: 2,
        patch: 2,
        facets: 2,
        directions: 6,
        rolling: 2,
        spinning: 2,
        redundant: 3,
        compliance: 0.01,
        mass_ratio: 1e3,
        form,
        seed,
        ..Planted::default()
    };
    let mut named = planted.generate().unwrap();
    let mut parts = named.problem.into_parts();
    for (index, activity) in parts.activity.iter_mut().enumerate() {
        *activity = [Activity::Solve, Activity::NormalsOnly, Activity::Hold][index % 3];
    }
    named.problem = Problem::new(parts).unwrap();
    named.provenance = "planted, with \"quotes\", a tab\tand μ".to_owned();
    let rows = 0..named.problem.rows() as u64;
    // every other problem has a warm start
    let numbers = rows.map(|row| (row as f64 - 7.0) / 3.0);
    named.warm_start = seed.is_multiple_of(2).then(|| numbers.collect());
    // and every third one was captured in an engine, which recorded more or less
    named.captured = seed.is_multiple_of(3).then(|| {
        let numbers = (0..named.problem.rows()).map(|row| 0.1 * row as f64);
        let bodies = named.problem.bodies().map_or(0, |bodies| bodies.len());
        let velocities = (0..6 * bodies).map(|i| -0.7 * i as f64).collect();
        Captured {
            impulses: numbers.collect(),
            velocities: seed.is_multiple_of(2).then_some(velocities),
            iterations: (seed % 4 < 2).then_some(seed % 50),
            engine: "an \"engine\"".to_owned(),
            version: "1.2".to_owned(),
            step: seed,
            substep: seed % 8,
            pass: "bias".to_owned(),
        }
    });
    if let Some(reference) = &mut named.reference {
        reference.residual = Some(1.0 / 3.0);
    }
    named
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_bit_comes_back(seed in any::<u64>(), matrix in any::<bool>()) {
        let form = if matrix { OperatorForm::Matrix } else { OperatorForm::Bodies };
        let named = everything(seed, form);
        let bytes = snapshot_bytes(&named);
        let back = read(&bytes).unwrap();
        prop_assert_eq!(&back, &named);
        // equality of floats does not see the sign of a zero: the bytes do
        prop_assert_eq!(snapshot_bytes(&back), bytes);
    }
}

/// What the metadata of a snapshot says.
fn metadata(bytes: &[u8], key: &str) -> String {
    let (_, metadata) = safetensors::SafeTensors::read_metadata(bytes).unwrap();
    metadata.metadata().as_ref().unwrap()[key].clone()
}

#[test]
fn old_problems_keep_their_version_and_new_laws_have_theirs() {
    let planted = |facets: usize, rolling: usize| {
        let planted = Planted {
            patch: 1,
            facets,
            rolling,
            ..Planted::default()
        };
        snapshot_bytes(&planted.generate().unwrap())
    };
    let old = planted(0, 0);
    assert_eq!(metadata(&old, "version"), "1");
    let laws = "equality bounds frictionless fixed-box pyramid disc coulomb convex-cone patch";
    assert_eq!(metadata(&old, "laws"), laws);
    for new in [planted(1, 0), planted(0, 1)] {
        assert_eq!(metadata(&new, "version"), "2");
        assert_eq!(metadata(&new, "laws"), format!("{laws} facets rolling"));
    }
}

#[test]
fn shared_compliance_has_a_version_of_its_own_and_comes_back() {
    for form in [OperatorForm::Bodies, OperatorForm::Matrix] {
        let planted = Planted {
            equality: 2,
            gears: 1,
            patch: 1,
            spinning: 1,
            form,
            ..Planted::default()
        };
        let shared = 0.2;
        let named = CoupledPlanted { planted, shared }.generate().unwrap();
        // a gear has one row, which shares with nobody
        let blocks = named.problem.blocks();
        let several = blocks.iter().filter(|block| block.dim > 1).count();
        assert_eq!(named.problem.coupled_compliance().len(), several);
        let bytes = snapshot_bytes(&named);
        assert_eq!(metadata(&bytes, "version"), "3");
        let back = read(&bytes).unwrap();
        assert_eq!(back, named);
        assert_eq!(snapshot_bytes(&back), bytes);
        // the diagonal alone is the file that it always was
        let mut parts = named.problem.into_parts();
        parts.coupled_compliance.clear();
        let problem = Problem::new(parts).unwrap();
        let plain = NamedProblem { problem, ..back };
        let bytes = snapshot_bytes(&plain);
        assert_eq!(metadata(&bytes, "version"), "2");
        assert!(!bytes.windows(7).any(|window| window == b"coupled/"));
    }
}

#[test]
fn infinite_bounds_come_back() {
    let named = (0..)
        .map(|seed| everything(seed, OperatorForm::Bodies))
        .find(|named| {
            let infinite = |law: &Law| match law {
                Law::Bounds { lower, upper } => (lower.is_infinite(), upper.is_infinite()),
                _ => (false, false),
            };
            let seen: Vec<_> = named
                .problem
                .blocks()
                .iter()
                .map(|b| infinite(&b.law))
                .collect();
            seen.iter().any(|(lower, _)| *lower) && seen.iter().any(|(_, upper)| *upper)
        });
    let named = named.unwrap();
    assert_eq!(read(&snapshot_bytes(&named)).unwrap(), named);
}

#[test]
fn files_are_written_whole() {
    let folder = std::env::temp_dir().join(format!("delassus-snapshots-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("stack.dls");
    let named = BoxProblem::<Stack>::default().generate().unwrap();
    fs::write(&path, b"something older").unwrap();
    write_snapshot(&path, &named).unwrap();
    assert_eq!(read_file(&path).unwrap(), named);
    // nothing else is left behind
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    let missing = folder.join("no such folder").join("stack.dls");
    assert!(write_snapshot(&missing, &named).is_err());
    fs::remove_dir_all(&folder).unwrap();
}

/// A snapshot with one piece of its header replaced by another of the same length.
fn with_header(from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = snapshot_bytes(
        &BoxProblem::from(Stack {
            n: 1,
            ..Stack::default()
        })
        .generate()
        .unwrap(),
    );
    let at = bytes
        .windows(from.len())
        .position(|w| w == from.as_bytes())
        .unwrap();
    bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    bytes
}

#[test]
fn damaged_snapshots_say_what_is_wrong() {
    let message = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    let newer = with_header("\"version\":\"1\"", "\"version\":\"9\"");
    let entry = b"\"version\":";
    let at = newer.windows(entry.len()).position(|w| w == entry);
    let at = at.expect("a version");
    assert_eq!(
        message(&newer),
        format!(
            "byte {at}: the snapshot has format version \"9\"; this program reads version 1, 2, 3 or 4"
        )
    );
    assert_eq!(
        message(&with_header("delassus-problem", "delassus-nothing")),
        "not a problem file: a safetensors file, but its metadata does not say format = delassus-problem"
    );
    let renamed = message(&with_header("\"name\":\"stack", "\"name\":\"stock"));
    assert!(
        renamed.contains(": the snapshot was changed: its checksum is sha256:"),
        "{renamed}"
    );
    let bytes = snapshot_bytes(&BoxProblem::<Stack>::default().generate().unwrap());
    let mut flipped = bytes.clone();
    let last = flipped.len() - 100;
    flipped[last] ^= 1;
    assert!(matches!(
        read(&flipped),
        Err(ProblemReadError::Checksum { .. })
    ));
    for cut in [bytes.len() - 1, bytes.len() / 2, 200, 9, 8] {
        let error = read(&bytes[..cut]).unwrap_err();
        assert!(
            matches!(error, ProblemReadError::Container { .. }),
            "{cut}: {error}"
        );
    }
    // a header that claims to be larger than the file
    let mut huge = bytes;
    huge[2] = 0xff;
    assert!(matches!(
        read(&huge),
        Err(ProblemReadError::Container { .. })
    ));
}

#[test]
fn a_valid_container_with_an_invalid_problem_is_refused() {
    // what a writer with a bug could produce: the checksum fits, the content does not
    let mut named = BoxProblem::from(Stack {
        n: 1,
        ..Stack::default()
    })
    .generate()
    .unwrap();
    named.reference = Some(KnownSolution {
        impulses: vec![0.0; 5],
        provenance: String::new(),
        residual: None,
    });
    let error = read(&snapshot_bytes(&named)).unwrap_err().to_string();
    assert!(
        error.ends_with("tensor \"reference/impulses\" has shape [5], expected [12]"),
        "{error}"
    );
    named.reference = Some(KnownSolution {
        impulses: vec![f64::NAN; 12],
        provenance: String::new(),
        residual: None,
    });
    let error = read(&snapshot_bytes(&named)).unwrap_err();
    assert!(matches!(error, ProblemReadError::Tensor { .. }), "{error}");
}
