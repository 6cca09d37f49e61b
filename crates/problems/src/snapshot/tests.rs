//! Snapshots that a hostile or mistaken program writes with a fitting checksum.

use std::collections::{BTreeMap, HashMap};

use delassus_core::{Law, LawKind};
use proptest::prelude::*;
use proptest::sample::Index;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use super::checksum::{Content, checksum};
use super::{FOURTH, SECOND, keys, law, names, read, snapshot_bytes};
use crate::error::ProblemReadError;
use crate::generators::{Generator, OperatorForm, Planted};

/// An open snapshot: metadata and tensors, to change and close again.
#[derive(Debug, Clone)]
struct Open {
    text: HashMap<String, String>,
    tensors: BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>,
}

impl Open {
    fn new(form: OperatorForm) -> Self {
        let planted = Planted {
            equality: 1,
            gears: 1,
            bounds: 2,
            coulomb: 2,
            patch: 2,
            form,
            ..Planted::default()
        };
        let bytes = snapshot_bytes(&planted.generate().unwrap());
        let (_, metadata) = SafeTensors::read_metadata(&bytes).unwrap();
        let tensors = SafeTensors::deserialize(&bytes).unwrap();
        let own =
            |view: TensorView<'_>| (view.dtype(), view.shape().to_vec(), view.data().to_vec());
        Self {
            text: metadata.metadata().clone().unwrap(),
            tensors: tensors
                .iter()
                .map(|(name, view)| (name.to_owned(), own(view)))
                .collect(),
        }
    }

    /// Another list of laws.
    fn list(&mut self, laws: &[&str]) {
        self.text.insert(keys::LAWS.to_owned(), laws.join(" "));
    }

    /// Another number in `blocks/parameters`.
    fn number(&mut self, index: usize, value: f64) {
        let (_, _, data) = self.tensors.get_mut(names::PARAMETERS).unwrap();
        data[8 * index..8 * index + 8].copy_from_slice(&value.to_le_bytes());
    }

    fn close(mut self) -> Vec<u8> {
        let name = |dtype: &Dtype| match dtype {
            Dtype::F64 => "F64",
            Dtype::U64 => "U64",
            Dtype::U32 => "U32",
            _ => "U8",
        };
        let contents = self.tensors.iter().map(|(key, (dtype, shape, data))| {
            let dtype = name(dtype);
            (key.as_str(), Content { dtype, shape, data })
        });
        let text = self.text.iter().map(|(k, v)| (k.as_str(), v.as_str()));
        let sum = checksum(&text.collect(), &contents.collect());
        self.text.insert(keys::CHECKSUM.to_owned(), sum);
        let views = self.tensors.iter().map(|(key, (dtype, shape, data))| {
            (key, TensorView::new(*dtype, shape.clone(), data).unwrap())
        });
        safetensors::serialize(views, Some(self.text)).unwrap()
    }
}

#[test]
fn a_snapshot_closed_again_is_the_same_problem() {
    let open = Open::new(OperatorForm::Bodies);
    assert!(read(&open.close()).is_ok());
}

#[test]
fn a_warm_start_has_one_finite_number_per_row() {
    let rows = read(&Open::new(OperatorForm::Bodies).close())
        .unwrap()
        .problem
        .rows();
    let with = |numbers: Vec<f64>| {
        let mut open = Open::new(OperatorForm::Bodies);
        let data = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let tensor = (Dtype::F64, vec![numbers.len()], data);
        open.tensors.insert(names::WARM_START.to_owned(), tensor);
        read(&open.close())
    };
    let start = vec![0.25; rows];
    assert_eq!(with(start.clone()).unwrap().warm_start, Some(start));
    let message = |numbers: Vec<f64>| with(numbers).unwrap_err().to_string();
    assert!(message(vec![0.25; rows + 1]).contains("warm_start/impulses\" has shape"));
    let mut poisoned = vec![0.25; rows];
    poisoned[1] = f64::NAN;
    assert!(message(poisoned).contains("warm_start/impulses\" holds a number that is not finite"));
}

#[test]
fn what_an_engine_left_has_the_shape_of_the_problem() {
    let whole = read(&Open::new(OperatorForm::Bodies).close()).unwrap();
    let rows = whole.problem.rows();
    let bodies = whole.problem.bodies().unwrap().len();
    let with = |impulses: usize, velocities: (usize, f64), step: &str| {
        let mut open = Open::new(OperatorForm::Bodies);
        let reals = |shape: Vec<usize>, value: f64| {
            let count: usize = shape.iter().product();
            (Dtype::F64, shape, value.to_le_bytes().repeat(count))
        };
        let (rows, velocity) = velocities;
        let mut put = |name: &str, tensor| open.tensors.insert(name.to_owned(), tensor);
        put(names::CAPTURED_IMPULSES, reals(vec![impulses], 0.5));
        put(names::CAPTURED_VELOCITIES, reals(vec![rows, 6], velocity));
        put(
            names::CAPTURED_ITERATIONS,
            (Dtype::U64, vec![1], 4_u64.to_le_bytes().to_vec()),
        );
        open.text
            .insert(keys::CAPTURED_STEP.to_owned(), step.to_owned());
        read(&open.close())
    };
    let captured = with(rows, (bodies, 0.25), "17").unwrap().captured.unwrap();
    assert_eq!(captured.impulses, vec![0.5; rows]);
    assert_eq!(captured.velocities, Some(vec![0.25; 6 * bodies]));
    assert_eq!((captured.iterations, captured.step), (Some(4), 17));
    let message = |impulses, velocities, step: &str| {
        let refused = with(impulses, velocities, step);
        refused.unwrap_err().to_string()
    };
    let text = message(rows + 1, (bodies, 0.0), "0");
    assert!(text.contains("captured/impulses\" has shape"), "{text}");
    let text = message(rows, (bodies + 1, 0.0), "0");
    assert!(text.contains("captured/velocities\" has shape"), "{text}");
    let text = message(rows, (bodies, f64::INFINITY), "0");
    assert!(text.contains("is not finite"), "{text}");
    let text = message(rows, (bodies, 0.0), "-3");
    assert!(
        text.contains("captured_step is not a whole number"),
        "{text}"
    );
}

#[test]
fn missing_and_misshapen_tensors_are_named() {
    let message = |change: &dyn Fn(&mut Open)| {
        let mut open = Open::new(OperatorForm::Matrix);
        change(&mut open);
        let text = read(&open.close()).unwrap_err().to_string();
        // the offset depends on sizes that do not matter here
        text.split_once(": ")
            .map_or(text.clone(), |(_, rest)| rest.to_owned())
    };
    let remove = |name: &'static str| {
        move |open: &mut Open| {
            open.tensors.remove(name);
        }
    };
    assert_eq!(
        message(&remove(names::BIAS)),
        "tensor \"rows/bias\" is missing"
    );
    assert_eq!(
        message(&remove(names::LEVERS)),
        "tensor \"blocks/levers\" is missing"
    );
    assert_eq!(
        message(&|open| {
            let (_, shape, data) = open.tensors.get_mut(names::LEVERS).unwrap();
            data.truncate(56);
            *shape = vec![7];
        }),
        "tensor \"blocks/levers\" is too short for its patches"
    );
    assert_eq!(
        message(&|open| open.tensors.get_mut(names::LAW).unwrap().2[0] = 9),
        "tensor \"blocks/law\" holds an unknown law"
    );
    assert_eq!(
        message(&|open| open.tensors.get_mut(names::ACTIVITY).unwrap().2[0] = 3),
        "tensor \"blocks/activity\" holds an unknown activity"
    );
    assert_eq!(
        message(&|open| open.tensors.get_mut(names::MATRIX_ROW).unwrap().2[0] = 99),
        "tensor \"matrix/block_row\" names an unknown block"
    );
    let operator = |open: &mut Open| {
        open.text
            .insert(keys::OPERATOR.to_owned(), "both".to_owned());
    };
    assert_eq!(
        message(&operator),
        "the snapshot container is damaged: the operator is \"both\", neither bodies nor matrix"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn wrong_numbers_with_a_fitting_checksum_never_panic(
        matrix in any::<bool>(),
        changes in prop::collection::vec(
            (any::<Index>(), any::<Index>(), prop_oneof![
                Just(u64::MAX), Just(u64::MAX / 2), Just(0), Just(1), Just(1 << 40),
                Just(f64::NAN.to_bits()), Just(f64::INFINITY.to_bits()), Just((-1.0_f64).to_bits()),
                any::<u64>(),
            ]),
            1..4,
        ),
    ) {
        let mut open = Open::new(if matrix { OperatorForm::Matrix } else { OperatorForm::Bodies });
        for (which, place, value) in &changes {
            let which = which.index(open.tensors.len());
            let Some((dtype, _, data)) = open.tensors.values_mut().nth(which) else {
                continue;
            };
            let width = dtype.bitsize() / 8;
            if data.is_empty() {
                continue;
            }
            let at = place.index(data.len() / width) * width;
            data[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
        }
        if let Ok(named) = read(&open.close()) {
            prop_assert!(named.problem.b().iter().all(|b| b.is_finite()));
        }
    }
}

#[test]
fn every_error_carries_the_byte_that_is_to_blame() {
    let number = |bytes: &[u8]| -> usize {
        let text = read(bytes).unwrap_err().to_string();
        let offset = text
            .strip_prefix("byte ")
            .and_then(|rest| rest.split(':').next());
        offset.unwrap_or_else(|| panic!("{text}")).parse().unwrap()
    };
    let entry = |bytes: &[u8], text: &str| {
        let found = bytes.windows(text.len()).position(|w| w == text.as_bytes());
        found.unwrap_or_else(|| panic!("no {text}"))
    };
    let whole = Open::new(OperatorForm::Bodies).close();
    assert_eq!(number(&whole[..whole.len() - 1]), whole.len() - 1);
    // a damaged header: the byte after the one that ends the JSON too early
    let mut broken = whole.clone();
    broken[9] = b'!';
    assert!((8..=10).contains(&number(&broken)), "{}", number(&broken));
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    assert_eq!(number(&flipped), entry(&whole, "\"checksum\""));
    let mut open = Open::new(OperatorForm::Bodies);
    open.text.insert(keys::VERSION.to_owned(), "7".to_owned());
    let bytes = open.close();
    assert_eq!(number(&bytes), entry(&bytes, "\"version\""));
    let mut open = Open::new(OperatorForm::Bodies);
    open.text
        .insert(keys::OPERATOR.to_owned(), "tensor".to_owned());
    let bytes = open.close();
    assert_eq!(number(&bytes), entry(&bytes, "\"operator\""));
    // two columns of numbers are not those of the second version
    let mut open = Open::new(OperatorForm::Bodies);
    open.text.insert(keys::VERSION.to_owned(), "2".to_owned());
    open.list(
        &SECOND
            .laws()
            .iter()
            .map(|kind| kind.id())
            .collect::<Vec<_>>(),
    );
    let text = read(&open.close()).unwrap_err().to_string();
    assert!(text.contains("blocks/parameters"), "{text}");
    // nor is a law of the second one of the first
    let mut open = Open::new(OperatorForm::Bodies);
    open.tensors.get_mut(names::LAW).unwrap().2[0] = 9;
    let text = read(&open.close()).unwrap_err().to_string();
    assert!(text.contains("unknown law"), "{text}");
    // an invalid problem: the byte holds the number itself
    let mut open = Open::new(OperatorForm::Bodies);
    let (_, _, data) = open.tensors.get_mut(names::COMPLIANCE).unwrap();
    data[16..24].copy_from_slice(&(-0.5_f64).to_le_bytes());
    let bytes = open.close();
    let at = number(&bytes);
    assert_eq!(bytes[at..at + 8], (-0.5_f64).to_le_bytes());
    let text = read(&bytes).unwrap_err().to_string();
    assert!(
        text.contains("rows/compliance") && text.contains("row 2"),
        "{text}"
    );
    let mut open = Open::new(OperatorForm::Matrix);
    let (_, _, data) = open.tensors.get_mut(names::MATRIX_FREE).unwrap();
    data[8..16].copy_from_slice(&f64::NAN.to_le_bytes());
    let bytes = open.close();
    let at = number(&bytes);
    assert_eq!(bytes[at..at + 8], f64::NAN.to_le_bytes());
}

#[test]
fn a_list_of_laws_that_is_not_that_of_the_version_is_refused() {
    let whole = Open::new(OperatorForm::Bodies);
    let own: Vec<&str> = whole.text[keys::LAWS].split(' ').collect();
    let message = |laws: Option<&[&str]>| {
        let mut open = whole.clone();
        match laws {
            Some(laws) => open.list(laws),
            None => drop(open.text.remove(keys::LAWS)),
        }
        let bytes = open.close();
        let error = read(&bytes).unwrap_err();
        let ProblemReadError::Laws { offset, .. } = error else {
            panic!("{error}");
        };
        if laws.is_some() {
            assert!(bytes[offset..].starts_with(b"\"laws\""), "{offset}");
        }
        error.to_string()
    };
    // disc and coulomb in the place of each other: every number would mean another law
    let mut swapped = own.clone();
    swapped.swap(5, 6);
    let text = message(Some(&swapped));
    assert!(text.contains("law 5 of the list is \"coulomb\""), "{text}");
    assert!(
        text.contains("the list of version 1: equality bounds"),
        "{text}"
    );
    let mut unknown = own.clone();
    unknown[8] = "slippery-patch";
    let text = message(Some(&unknown));
    let said = "names an unknown law \"slippery-patch\" (number 8)";
    assert!(text.contains(said), "{text}");
    let text = message(Some(&own[..own.len() - 1]));
    assert!(text.contains("the list has 8 laws"), "{text}");
    let mut longer = own.clone();
    longer.push("facets");
    let text = message(Some(&longer));
    assert!(text.contains("the list has 10 laws"), "{text}");
    let text = message(None);
    assert!(text.contains("the metadata has no list of laws"), "{text}");
}

#[test]
fn numbers_that_a_law_has_no_place_for_are_refused() {
    let open = Open::new(OperatorForm::Matrix);
    let laws = open.tensors[names::LAW].2.clone();
    let of = |kind: LawKind| {
        let number = LawKind::ALL.iter().position(|k| *k == kind).unwrap();
        let found = laws.iter().position(|law| usize::from(*law) == number);
        found.unwrap_or_else(|| panic!("no {kind}"))
    };
    for (kind, column) in [
        (LawKind::Equality, 0),
        (LawKind::Equality, 1),
        (LawKind::Coulomb, 1),
        (LawKind::Patch, 1),
    ] {
        for value in [0.35, -2e-300, f64::NAN, f64::INFINITY] {
            let block = of(kind);
            let mut changed = open.clone();
            changed.number(2 * block + column, value);
            let bytes = changed.close();
            let error = read(&bytes).unwrap_err();
            let ProblemReadError::Tensor { offset, .. } = error else {
                panic!("{kind}: {error}");
            };
            assert_eq!(bytes[offset..offset + 8], value.to_le_bytes());
            let text = error.to_string();
            let said = format!("in column {column} of block {block}, but {kind} over");
            assert!(text.contains(&said), "{text}");
        }
        // a zero of either sign is no number
        let mut changed = open.clone();
        changed.number(2 * of(kind) + column, -0.0);
        assert!(read(&changed.close()).is_ok(), "{kind}");
    }
}

#[test]
fn every_law_keeps_its_numbers_and_has_no_more_of_them() {
    let laws = [
        (4, Law::Equality),
        (2, Law::bounds(-0.4, 0.7)),
        (3, Law::frictionless()),
        (3, Law::fixed_box(0.21)),
        (3, Law::pyramid(0.31)),
        (2, Law::disc(0.41)),
        (3, Law::coulomb(0.51)),
        (3, Law::convex_cone(0.61)),
        (5, Law::patch(0.71, vec![0.1, 0.2])),
        (3, Law::facets(0.81, 6)),
        (5, Law::rolling(0.91, 0.02, None)),
        (6, Law::rolling(0.93, 0.03, Some(0.04))),
        (3, Law::anisotropic([0.2, 0.6], 1.1)),
        (3, Law::elliptic_cone(&[0.3, 0.7])),
        (4, Law::elliptic_cone(&[0.3, 0.7, 0.05])),
        (6, Law::elliptic_cone(&[0.3, 0.7, 0.05, 0.02, 0.01])),
        (2, Law::torsional(0.08)),
    ];
    assert!(
        LawKind::ALL
            .iter()
            .all(|kind| laws.iter().any(|(_, law)| law.kind() == *kind))
    );
    for (dim, law) in laws {
        let numbers = law::numbers(&law);
        let used = law::used(law.kind(), dim);
        assert!(numbers[used..].iter().all(|x| *x == 0.0), "{law:?}");
        assert!(used == 0 || numbers[used - 1] != 0.0, "{law:?}");
        let levers = match &law {
            Law::Patch(patch) => patch.levers.clone(),
            _ => Vec::new(),
        };
        let read = law::read(law.kind(), dim, &numbers[..FOURTH.numbers], &levers);
        assert_eq!(read, Some(law));
    }
}
