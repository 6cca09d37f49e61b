//! Files as bytes, and as others read them where Python has a reader.

use std::process::Command;

use super::*;

fn column(name: &str, values: ColumnValues) -> Column {
    let name = name.to_owned();
    Column { name, values }
}

fn table() -> Vec<Column> {
    let texts = ["Kette λ, \"n\"=2", "", "b", "Kette λ, \"n\"=2"];
    let texts = texts.map(|text| Some(text.to_owned()));
    let texts = texts.into_iter().chain([None]).collect();
    vec![
        column("problem", ColumnValues::Text(texts)),
        column(
            "sweeps",
            ColumnValues::Whole(vec![
                Some(3),
                Some(i64::MAX),
                None,
                Some(i64::MIN),
                Some(-1),
            ]),
        ),
        column(
            "natural_map",
            ColumnValues::Real(vec![
                Some(0.1 + 0.2),
                None,
                Some(-0.0),
                Some(f64::NAN),
                Some(1e-310),
            ]),
        ),
        column(
            "isolated",
            ColumnValues::Flag(vec![Some(true), Some(false), None, Some(true), Some(true)]),
        ),
    ]
}

#[test]
fn equal_tables_are_equal_bytes_and_end_as_they_begin() {
    let bytes = to_parquet(&table(), &[("delassus.schema", "records/1")]).expect("a file");
    assert_eq!(
        bytes,
        to_parquet(&table(), &[("delassus.schema", "records/1")]).expect("a file")
    );
    let end = bytes.len();
    assert_eq!((&bytes[..4], &bytes[end - 4..]), (&MAGIC[..], &MAGIC[..]));
    let length = u32::from_le_bytes(bytes[end - 8..end - 4].try_into().expect("four bytes"));
    // version 1, then the list of the schema's elements
    let footer = end - 8 - length as usize;
    assert_eq!(bytes[footer..footer + 4], [0x15, 0x02, 0x19, 0x5c]);
}

#[test]
fn whole_numbers_and_numbers_stand_in_the_file_as_they_are() {
    let bytes = to_parquet(
        &[column("a", ColumnValues::Real(vec![Some(0.1 + 0.2)]))],
        &[],
    )
    .expect("a file");
    // behind magic and header: four bytes of length, a run of one value, the value
    let page = [&[2, 0, 0, 0, 2, 1][..], &(0.1_f64 + 0.2).to_le_bytes()].concat();
    assert!(bytes.windows(page.len()).any(|window| window == page));
    let gaps = ColumnValues::Whole(vec![Some(7), None, Some(8)]);
    let bytes = to_parquet(&[column("a", gaps)], &[]).expect("a file");
    let page = [
        &[2, 0, 0, 0, 3, 0b101][..],
        &7_i64.to_le_bytes(),
        &8_i64.to_le_bytes(),
    ]
    .concat();
    assert!(bytes.windows(page.len()).any(|window| window == page));
}

#[test]
fn odd_tables_are_refused_and_empty_ones_are_files() {
    let mut odd = table();
    odd[1].values = ColumnValues::Whole(vec![None]);
    let error = to_parquet(&odd, &[]).expect_err("lengths").to_string();
    assert_eq!(error, "column \"sweeps\" has 1 rows, the first has 5");
    odd[1] = odd[0].clone();
    let error = to_parquet(&odd, &[]).expect_err("names").to_string();
    assert_eq!(error, "two columns are named \"problem\"");
    let empty = [column("a", ColumnValues::Real(Vec::new()))];
    for columns in [&empty[..], &[]] {
        let bytes = to_parquet(columns, &[]).expect("a file");
        assert!(bytes.starts_with(MAGIC) && bytes.ends_with(MAGIC));
    }
}

/// What the libraries must say of [`table`] and of the larger one.
const CHECK: &str = "
import sys
small, large = sys.argv[1], sys.argv[2]
def check(columns, rows):
    assert rows(small) == 5, rows(small)
    problem, sweeps, natural, isolated = columns(small)
    assert problem == ['Kette λ, \"n\"=2', '', 'b', 'Kette λ, \"n\"=2', None], problem
    assert sweeps == [3, 2**63 - 1, None, -2**63, -1], sweeps
    assert natural[0] == 0.1 + 0.2 and str(natural[2]) == '-0.0' and natural[4] == 1e-310, natural
    assert natural[1] is None or natural[1] != natural[1]
    assert natural[3] != natural[3]
    assert isolated == [True, False, None, True, True], isolated
    names, numbers = columns(large)
    assert len(names) == rows(large) == 2**18 + 5
    assert names[-1] == 'p148' and numbers[-1] == 2**18 + 4 and sum(numbers) == sum(range(2**18 + 5))
    assert len(set(names)) == 1000
";
const READERS: [(&str, &str); 3] = [
    (
        "polars",
        "import polars\ncheck(lambda f: [c.to_list() for c in polars.read_parquet(f)], lambda f: polars.read_parquet(f).height)",
    ),
    (
        "pyarrow",
        "import pyarrow.parquet as p\ncheck(lambda f: [c.to_pylist() for c in p.read_table(f).columns], lambda f: p.read_table(f).num_rows)\nassert p.read_metadata(small).metadata[b'delassus.schema'] == b'records/1'",
    ),
    (
        "pandas",
        "import pandas, pyarrow\nframe = pandas.read_parquet(small)\nassert list(frame.columns) == ['problem', 'sweeps', 'natural_map', 'isolated']\nassert frame['problem'].isna().sum() == 1 and frame['natural_map'][0] == 0.1 + 0.2",
    ),
];

#[test]
fn python_reads_what_was_written_where_it_can() {
    let folder = tempfile::tempdir().expect("a folder");
    let [small, large] = ["small.parquet", "large.parquet"].map(|name| folder.path().join(name));
    let bytes = to_parquet(&table(), &[("delassus.schema", "records/1")]).expect("a file");
    std::fs::write(&small, bytes).expect("written");
    let rows = GROUP + 5;
    let names = (0..rows).map(|i| Some(format!("p{}", i % 1000))).collect();
    let numbers = (0..rows).map(|i| i64::try_from(i).ok()).collect();
    let columns = [
        column("name", ColumnValues::Text(names)),
        column("i", ColumnValues::Whole(numbers)),
    ];
    std::fs::write(&large, to_parquet(&columns, &[]).expect("a file")).expect("written");
    for (library, line) in READERS {
        let mut python = Command::new("python3");
        python
            .args(["-c", &format!("{CHECK}{line}")])
            .args([&small, &large]);
        match python.output() {
            Ok(out) if out.status.success() => {}
            Ok(out) if String::from_utf8_lossy(&out.stderr).contains("ModuleNotFoundError") => {
                println!("skipped: this Python has no {library}");
            }
            Ok(out) => panic!("{library}: {}", String::from_utf8_lossy(&out.stderr)),
            Err(error) => println!("skipped: no Python here: {error}"),
        }
    }
}
