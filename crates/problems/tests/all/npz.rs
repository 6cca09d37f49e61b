//! NumPy archives: what is written comes back, arrays made by hand are problems, and what does not
//! fit names the array.

use delassus_core::{Law, LawKind, MemoryLimit, Problem};
use delassus_formats::npz::{NamedArray, NpyValues, archive};
use delassus_problems::generators::OperatorForm;
use delassus_problems::{
    ContactLaw, NamedProblem, ProblemReadError, npz_bytes, read_bytes, read_bytes_within, to_matrix,
};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::check::violation;
use crate::snapshots::everything;

fn read(bytes: &[u8]) -> Result<NamedProblem, ProblemReadError> {
    read_bytes("wall.npz", bytes, ContactLaw::Coulomb)
}

/// A random problem with every law: some of its contacts get scaled laws instead of their own.
fn every_law(seed: u64, form: OperatorForm) -> NamedProblem {
    let mut named = everything(seed, form);
    let mut parts = named.problem.into_parts();
    let mut turned = false;
    for block in &mut parts.blocks {
        block.law = match (block.law.kind(), block.dim) {
            (LawKind::Coulomb, 3) if !turned => {
                Law::scaled(LawKind::Anisotropic, 3, &[0.3, 0.7, 0.4])
            }
            (LawKind::Coulomb, 3) => Law::scaled(LawKind::EllipticCone, 3, &[0.2, 0.5]),
            (LawKind::Coulomb, 2) => Law::scaled(LawKind::Torsional, 2, &[0.01]),
            _ => continue,
        }
        .unwrap();
        turned = true;
    }
    named.problem = Problem::new(parts).unwrap();
    named.captured = None;
    named
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn problems_come_back(seed in any::<u64>(), matrix in any::<bool>()) {
        let form = if matrix { OperatorForm::Matrix } else { OperatorForm::Bodies };
        let named = every_law(seed, form);
        let back = read(&npz_bytes(&named, MemoryLimit::NONE).unwrap()).unwrap();
        prop_assert_eq!(&back.name, "wall");
        prop_assert_eq!(back.reference_impulses(), named.reference_impulses());
        prop_assert_eq!(&back.warm_start, &named.warm_start);
        let (back, named) = (&back.problem, &named.problem);
        prop_assert_eq!(back.bodies().is_some(), named.bodies().is_some());
        let laws = |problem: &Problem| -> Vec<(usize, Law)> {
            let blocks = problem.blocks().iter();
            blocks.map(|block| (block.first_row, block.law.clone())).collect()
        };
        prop_assert_eq!(laws(back), laws(named));
        prop_assert_eq!(back.activity(), named.activity());
        prop_assert_eq!(back.compliance(), named.compliance());
        prop_assert_eq!(back.coupled_compliance(), named.coupled_compliance());
        prop_assert_eq!(back.bias(), named.bias());
        prop_assert_eq!(back.step(), named.step());
        // b − bias + bias is rounded twice
        let largest = named.b().iter().fold(0.0_f64, |all, b| all.max(b.abs()));
        for (back, named) in back.b().iter().zip(named.b()) {
            prop_assert!((back - named).abs() <= 1e-15 * largest);
        }
        let impulses: Vec<f64> = (0..named.rows()).map(|row| 1.0 - (row % 7) as f64).collect();
        let (mut left, mut right) = (vec![0.0; impulses.len()], vec![0.0; impulses.len()]);
        back.shifted_velocity(&impulses, &mut left);
        named.shifted_velocity(&impulses, &mut right);
        let largest = right.iter().fold(0.0_f64, |all, w| all.max(w.abs()));
        for (left, right) in left.iter().zip(&right) {
            prop_assert!((left - right).abs() <= 1e-13 * largest);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn changed_archives_give_problems_or_typed_errors(
        matrix in any::<bool>(),
        flips in prop::collection::vec((any::<Index>(), any::<u8>()), 1..5),
        cut in prop::option::weighted(0.2, any::<Index>()),
    ) {
        static SEEDS: std::sync::OnceLock<[Vec<u8>; 2]> = std::sync::OnceLock::new();
        let seeds = SEEDS.get_or_init(|| {
            let forms = [OperatorForm::Bodies, OperatorForm::Matrix];
            forms.map(|form| npz_bytes(&every_law(7, form), MemoryLimit::NONE).unwrap())
        });
        let mut bytes = seeds[usize::from(matrix)].clone();
        // the directory is at the end
        let directory = bytes.len() - 1500;
        for (k, (at, mask)) in flips.into_iter().enumerate() {
            let first = if k % 2 == 0 { directory } else { 0 };
            let at = first + at.index(bytes.len() - first);
            bytes[at] ^= mask;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let limit = 16 * bytes.len() as u64;
        let read = || read_bytes_within("x", &bytes, ContactLaw::Coulomb, MemoryLimit::new(limit));
        let mut outcome = None;
        let taken = allocation_counter::measure(|| outcome = Some(read()));
        prop_assert!(taken.bytes_max <= limit, "{} of {limit} bytes", taken.bytes_max);
        if let Some(Err(error)) = outcome {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}

fn reals(name: &'static str, shape: &[usize], values: &[f64]) -> NamedArray {
    NamedArray {
        name: name.into(),
        shape: shape.to_vec(),
        values: NpyValues::F64(values.to_vec()),
    }
}

/// One contact by its matrix: what somebody would save from NumPy.
fn contact() -> Vec<NamedArray> {
    vec![
        reals("A", &[3, 3], &[2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
        reals("b", &[3], &[-1.0, 0.5, 0.0]),
        NamedArray {
            name: "dim".into(),
            shape: vec![1],
            values: NpyValues::I64(vec![3]),
        },
        NamedArray {
            name: "law".into(),
            shape: vec![1],
            values: NpyValues::Text(vec!["coulomb".to_owned()]),
        },
        reals("mu", &[1], &[0.3]),
    ]
}

/// The same with other arrays: those of a name are replaced.
fn with(changes: Vec<NamedArray>) -> Vec<u8> {
    let mut arrays = contact();
    arrays.retain(|array| changes.iter().all(|change| change.name != array.name));
    arrays.extend(changes);
    archive(&arrays).unwrap()
}

/// A ball of 2 kg that touches the ground: normal along z.
fn ball() -> Vec<NamedArray> {
    let mut jacobian = [0.0; 18];
    for (row, column) in [(0, 2), (1, 0), (2, 1)] {
        jacobian[6 * row + column] = 1.0;
    }
    let mut mass = [0.0; 36];
    for axis in 0..6 {
        mass[7 * axis] = if axis < 3 { 2.0 } else { 0.1 };
    }
    let mut arrays = contact();
    arrays.retain(|array| !matches!(&*array.name, "A" | "b"));
    arrays.push(reals("J", &[3, 6], &jacobian));
    arrays.push(reals("M", &[1, 6, 6], &mass));
    arrays.push(reals("v_free", &[6], &[0.5, 0.0, -1.0, 0.0, 0.0, 3.0]));
    arrays
}

#[test]
fn arrays_made_by_hand_are_problems() {
    let problem = read(&archive(&contact()).unwrap()).unwrap().problem;
    // 2 λ_n = 1, and 0.15 of friction do not stop 0.5
    assert_eq!(violation(&problem, &[0.5, -0.15, 0.0]), 0.0);
    let problem = read(&archive(&ball()).unwrap()).unwrap().problem;
    assert!(problem.bodies().is_some());
    assert_eq!(problem.b(), [-1.0, 0.5, 0.0]);
    assert_eq!(to_matrix(&problem).unwrap().diagonal(), [0.5; 3]);
    let mut both = ball();
    both.push(reals(
        "A",
        &[3, 3],
        &[0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5],
    ));
    both.push(reals("b", &[3], &[-1.0, 0.5, 0.0]));
    assert_eq!(read(&archive(&both).unwrap()).unwrap().problem, problem);
    both.pop();
    both.push(reals("b", &[3], &[-1.0, 0.5, 0.1]));
    let said = read(&archive(&both).unwrap()).unwrap_err().to_string();
    assert!(
        said.contains("array \"b\" has 0.1 as number 2, but J"),
        "{said}"
    );
}

#[test]
fn arrays_that_do_not_fit_are_named() {
    let refused = |changes: Vec<NamedArray>, said: &str| {
        let error = read(&with(changes)).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    };
    refused(
        vec![reals("A", &[3, 2], &[0.0; 6])],
        "array \"A\" has shape [3, 2], expected [3, 3]",
    );
    refused(
        vec![reals("mu", &[2], &[0.3; 2])],
        "array \"mu\" has shape [2], expected [1]",
    );
    refused(vec![reals("mu", &[1], &[-0.3])], "not a valid problem");
    let mut holed = [0.0; 9];
    holed[5] = f64::NAN;
    refused(
        vec![reals("A", &[3, 3], &holed)],
        "array \"A\" is NaN at [1, 2]",
    );
    refused(
        vec![reals("lambda", &[3], &[f64::INFINITY; 3])],
        "array \"lambda\" is not finite in row 0",
    );
    refused(
        vec![reals("limit", &[1], &[2.0])],
        "array \"limit\" has 2 in block 0, whose law coulomb has none",
    );
    refused(
        vec![reals("bounds", &[1, 2], &[0.0, 2.0])],
        "array \"bounds\" has [0.0, 2.0]",
    );
    refused(
        vec![reals("levers", &[1], &[2.0])],
        "array \"levers\" is too long",
    );
    refused(
        vec![reals("activity", &[1], &[3.0])],
        "array \"activity\" has 3",
    );
    let mut coupled = [0.0; 9];
    coupled[1] = 0.1;
    refused(
        vec![reals("R", &[3, 3], &coupled)],
        "not symmetric in rows 0 and 1",
    );
    let text = |text: &str| NamedArray {
        name: "law".into(),
        shape: vec![1],
        values: NpyValues::Text(vec![text.to_owned()]),
    };
    refused(vec![text("coulob")], "unknown law");
    refused(vec![text("patch")], "a block of 3 rows");
    refused(
        vec![text("facets")],
        "array \"facets\" is missing; block 0 is facets",
    );
    let dims = |dims: Vec<i64>| NamedArray {
        name: "dim".into(),
        shape: vec![dims.len()],
        values: NpyValues::I64(dims),
    };
    refused(vec![dims(vec![-3])], "has no row for block 0");
    refused(
        vec![dims(vec![3, 3])],
        "array \"law\" has 1 laws for 2 blocks",
    );
    refused(
        vec![dims(vec![i64::MAX])],
        "has 3 rows, but dim adds up to 9223372036854775807",
    );
    let mut arrays = contact();
    arrays.remove(0);
    let error = read(&archive(&arrays).unwrap()).unwrap_err().to_string();
    assert!(
        error.contains("give A and b, or J with M_inverse and v_free"),
        "{error}"
    );
}
