//! FCLIB files: what is written is read to the last bit, and what is no problem is refused.

use std::fs;
use std::path::Path;

use delassus_formats::fclib::{self, FclibError, WriteFclibError};
use delassus_formats::{
    AttributeValue, Blocks, Compressed, FieldFile, FieldProblem, FileAttribute, Global,
    GlobalBilateral, Info, Lcp, Local, LocalBilateral, MatrixEntries, MatrixFacts,
    ProblemFieldError, StoredMatrix, StoredSolution,
};
use delassus_hdf5::{Array, Group};
use delassus_skips::skip;

use crate::text::bits;

fn columns(rows: usize, pointers: &[u32], indices: &[u32], values: &[f64]) -> StoredMatrix {
    let columns = pointers.len() - 1;
    StoredMatrix::new(
        rows,
        columns,
        MatrixEntries::Columns(compressed(pointers, indices, values)),
    )
}

fn compressed(pointers: &[u32], indices: &[u32], values: &[f64]) -> Compressed {
    Compressed {
        pointers: pointers.to_vec(),
        indices: indices.to_vec(),
        values: values.to_vec(),
        capacity: values.len() as u64 + 2,
    }
}

fn facts() -> MatrixFacts {
    let fact = |name: &str, value, scalar| FileAttribute {
        name: name.to_owned(),
        value,
        scalar,
    };
    MatrixFacts {
        comment: Some(b"printed \xa8 twice".to_vec()),
        conditioning: Some(1e3),
        determinant: Some(-0.0),
        rank: Some(2),
        attributes: vec![
            fact("symmetry", AttributeValue::Bool(vec![false]), true),
            fact("rank_dense", AttributeValue::I64(vec![451]), true),
            fact("list", AttributeValue::I32(vec![1, 2]), false),
            fact("cond", AttributeValue::F64(vec![0.5]), false),
            fact("remark", AttributeValue::Text(b"none".to_vec()), true),
        ],
    }
}

/// One contact, one bilateral row; every matrix in another storage.
pub(crate) fn local() -> FieldFile {
    let rows = compressed(&[0, 2, 3, 4], &[0, 1, 1, 2], &[2.0, 0.1, 1.0, 1.0]);
    let mut w = StoredMatrix::new(3, 3, MatrixEntries::Rows(rows));
    w.facts = Some(Box::new(facts()));
    let problem = FieldProblem::Local(Local {
        dim: 3,
        w,
        q: vec![-1.0, 0.5, -0.0],
        mu: vec![0.3],
        mu_r: None,
        bilateral: Some(LocalBilateral {
            v: columns(3, &[0, 2], &[0, 2], &[1.0, 5e-324]),
            r: StoredMatrix::triplets(1, 1, [(0, 0, 3.0), (0, 0, 0.5)]),
            s: vec![0.25],
        }),
    });
    let unknowns = |scale: f64| StoredSolution {
        u: vec![0.0, 0.1 * scale, 0.0],
        r: vec![0.5 * scale, 0.0, 0.0],
        v: None,
        l: Some(vec![scale]),
    };
    FieldFile {
        info: Some(Info {
            title: Some(b"one contact".to_vec()),
            description: Some(b"\xa8 bytes of any kind".to_vec()),
            math_info: Some(Vec::new()),
            attributes: vec![FileAttribute {
                name: "numberOfDegreeOfFreedom".to_owned(),
                value: AttributeValue::I32(vec![6]),
                scalar: false,
            }],
        }),
        solution: Some(unknowns(1.0)),
        guesses: (0..12).map(|k| unknowns(f64::from(k))).collect(),
        ..FieldFile::from(problem)
    }
}

/// Two planar contacts, or one with rolling friction, on two freedoms; with or without a bilateral
/// row.
pub(crate) fn global(rolling: bool, bilateral: bool) -> FieldFile {
    let (dim, contacts) = if rolling { (5, 1) } else { (2, 2) };
    let rows = dim * contacts;
    let entries = (0..u32::try_from(rows).unwrap()).map(|row| (row % 2, row, f64::from(row) - 1.5));
    let problem = FieldProblem::Global(Global {
        dim,
        m: StoredMatrix::triplets(2, 2, [(1, 1, 3.0), (0, 0, 2.0)]),
        h: StoredMatrix::triplets(2, rows, entries),
        f: vec![0.0, -9.81],
        w: vec![1.0; rows],
        mu: vec![0.5; contacts],
        mu_r: rolling.then(|| vec![0.01; contacts]),
        bilateral: bilateral.then(|| GlobalBilateral {
            g: StoredMatrix::triplets(2, 1, [(0, 0, 1.0)]),
            b: vec![0.0],
        }),
    });
    let solution = StoredSolution {
        u: vec![0.0; rows],
        r: vec![0.125; rows],
        v: Some(vec![1.0, 2.0]),
        l: bilateral.then(|| vec![4.0]),
    };
    FieldFile {
        solution: Some(solution),
        ..FieldFile::from(problem)
    }
}

#[test]
fn files_are_read_as_they_were_written() {
    let mut files = vec![local()];
    for rolling in [false, true] {
        for bilateral in [false, true] {
            files.push(global(rolling, bilateral));
        }
    }
    // the dimension of space, where others say five
    let mut spatial = global(true, false);
    spatial.declared_dimension = Some(3);
    files.push(spatial);
    for file in files {
        let bytes = fclib::write(&file).unwrap();
        let back = fclib::read(&bytes).unwrap();
        assert_eq!(back, file);
        assert_eq!(bits(&back.problem), bits(&file.problem));
        assert_eq!(fclib::write(&back).unwrap(), bytes);
    }
}

#[test]
fn other_storages_are_rewritten_without_a_change_of_a_value() {
    let blocks = Blocks {
        row_ends: vec![2, 4],
        column_ends: vec![2, 4],
        pointers: vec![0, 1, 2],
        columns: vec![1, 0],
        values: vec![1.0, 2.0, 3.0, 0.0, 5.0, 6.0, 7.0, 8.0],
    };
    let dense = (0..16).map(|k| f64::from(k % 3)).collect();
    for w in [
        StoredMatrix::dense(4, 4, dense),
        StoredMatrix::new(4, 4, MatrixEntries::Blocks(blocks)),
    ] {
        let problem = FieldProblem::Local(Local {
            dim: 2,
            w: w.clone(),
            q: vec![0.0; 4],
            mu: vec![0.5; 2],
            mu_r: None,
            bilateral: None,
        });
        let bytes = fclib::write(&problem.into()).unwrap();
        let FieldProblem::Local(back) = fclib::read(&bytes).unwrap().problem else {
            panic!("another kind of problem");
        };
        assert_eq!(back.w.storage_name(), "rows");
        let full = |matrix: &StoredMatrix| {
            let mut full = [0.0; 16];
            matrix.entries().for_each(|(i, j, x)| full[4 * i + j] += x);
            full
        };
        assert_eq!(full(&back.w), full(&w));
    }
}

#[test]
fn what_the_format_has_no_form_for_is_refused() {
    let lcp = FieldProblem::Lcp(Lcp {
        m: StoredMatrix::dense(1, 1, vec![1.0]),
        q: vec![-1.0],
    });
    let refused = fclib::write(&lcp.into());
    assert!(matches!(
        refused,
        Err(WriteFclibError::Kind { kind: "lcp", .. })
    ));
    let FieldProblem::Local(mut rolling) = local().problem else {
        panic!("another kind of problem");
    };
    rolling.dim = 5;
    rolling.mu_r = Some(vec![0.1]);
    rolling.w = StoredMatrix::dense(5, 5, vec![0.0; 25]);
    rolling.q = vec![0.0; 5];
    rolling.bilateral = None;
    let refused = fclib::write(&FieldProblem::Local(rolling).into());
    assert!(matches!(
        refused,
        Err(WriteFclibError::Kind { kind: "rfc3d", .. })
    ));
    let mut short = local();
    short.guesses[3].u.pop();
    assert!(matches!(
        fclib::write(&short),
        Err(WriteFclibError::Content(_))
    ));
}

/// The file after `change` of its tree.
fn changed(file: &FieldFile, change: impl FnOnce(&mut Group<'_>)) -> Result<FieldFile, FclibError> {
    let bytes = fclib::write(file).unwrap();
    let mut root = delassus_hdf5::read(&bytes).unwrap();
    change(&mut root);
    let bytes = delassus_hdf5::write(&root).unwrap();
    fclib::read(&bytes)
}

/// Puts `array` in the place of the dataset at `path`, or takes it away.
fn put<'a>(group: &mut Group<'a>, path: &str, array: Option<Array<'a>>) {
    match path.split_once('/') {
        Some((name, rest)) => {
            let child = group.children.iter_mut().find(|child| child.name == name);
            match &mut child.unwrap().node {
                delassus_hdf5::Node::Group(inner) => put(inner, rest, array),
                other => panic!("{other:?}"),
            }
        }
        None => {
            group.children.retain(|child| child.name != path);
            if let Some(array) = array {
                group.add(path.to_owned(), array);
            }
        }
    }
}

#[test]
fn swapped_triplets_are_told_by_their_ranges() {
    let file = global(false, false);
    let swapped = changed(&file, |root| {
        let rows = Array::i32s(&[0, 1, 0, 1]);
        let columns = Array::i32s(&[0, 1, 2, 3]);
        put(root, "fclib_global/H/i", Some(columns));
        put(root, "fclib_global/H/p", Some(rows));
    });
    assert_eq!(swapped.unwrap().problem, file.problem);
}

#[test]
fn entries_beyond_those_that_are_counted_are_room() {
    let longer = changed(&global(false, false), |root| {
        put(
            root,
            "fclib_global/H/x",
            Some(Array::f64s(&[-1.5, -0.5, 0.5, 1.5, 9.0])),
        );
    });
    assert_eq!(longer.unwrap().problem, global(false, false).problem);
}

#[test]
fn damaged_problems_are_refused_with_the_place() {
    let number = |path: &'static str, value: i32| {
        changed(&local(), move |root| {
            put(root, path, Some(Array::i32s(&[value])));
        })
    };
    let shown = |result: Result<FieldFile, FclibError>| result.unwrap_err().to_string();
    assert!(shown(number("fclib_local/spacedim", 4)).contains("/fclib_local/spacedim is 4"));
    assert!(shown(number("fclib_local/W/nz", -3)).contains("/fclib_local/W/nz is -3"));
    assert!(shown(number("fclib_local/W/m", -1)).contains("/fclib_local/W/m is -1"));
    assert!(shown(number("fclib_local/W/m", 1 << 30)).contains("/fclib_local/W/p has 4 entries"));
    assert!(shown(number("guesses/number_of_guesses", 13)).contains("13 is missing"));
    let without = |path: &'static str| changed(&local(), move |root| put(root, path, None));
    assert!(shown(without("fclib_local/vectors/q")).contains("/fclib_local/vectors: q is missing"));
    assert!(matches!(
        without("fclib_local/V"),
        Err(FclibError::Unpaired {
            present: "R",
            missing: "V",
            ..
        })
    ));
    assert!(matches!(
        without("fclib_local"),
        Err(FclibError::NoProblem { .. })
    ));
    let twice = changed(&local(), |root| {
        root.add_group("fclib_global", Group::default());
    });
    assert!(matches!(twice, Err(FclibError::NoProblem { .. })));
    let typed = changed(&local(), |root| {
        put(root, "fclib_local/vectors/q", Some(Array::i32s(&[1, 2, 3])));
    });
    assert!(shown(typed).contains("signed integers of 4 bytes"));
    let short = changed(&local(), |root| {
        put(root, "fclib_local/vectors/q", Some(Array::f64s(&[1.0])));
    });
    assert!(matches!(
        short,
        Err(FclibError::Content(ProblemFieldError::Length { .. }))
    ));
    let negative = changed(&local(), |root| {
        put(root, "fclib_local/W/i", Some(Array::i32s(&[0, -1, 1, 2])));
    });
    assert!(shown(negative).contains("no index is negative"));
}

#[test]
fn every_published_file_is_read_and_written_without_loss() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/problems");
    for sub in ["fclib", "rolling", "bad"] {
        let path = Path::new(folder).join(sub);
        let Ok(entries) = fs::read_dir(&path) else {
            skip(
                "every_published_file_is_read_and_written_without_loss",
                format!("{} is not there", path.display()),
            );
            continue;
        };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.extension().is_none_or(|ending| ending != "hdf5") {
                continue;
            }
            let bytes = fs::read(&path).unwrap();
            if sub == "bad" {
                let error = fclib::read(&bytes).unwrap_err();
                assert!(matches!(error, FclibError::NoProblem { .. }), "{error}");
                continue;
            }
            let file = fclib::read(&bytes).unwrap();
            let written = fclib::write(&file).unwrap();
            let back = fclib::read(&written).unwrap();
            assert_eq!(bits(&back.problem), bits(&file.problem));
            // facts may be NaN, which equals nothing: compare what is written
            assert!(
                fclib::write(&back).unwrap() == written,
                "{}",
                path.display()
            );
        }
    }
}
