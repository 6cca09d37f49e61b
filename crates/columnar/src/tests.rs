//! Files as bytes, and as others read them where Python has a reader.

use std::process::Command;

use super::*;
use delassus_skips::skip;

/// A column with all its values.
type Column<'t> = (&'static str, ColumnKind, Vec<Option<Value<'t>>>);

fn texts(values: &[Option<&'static str>]) -> Vec<Option<Value<'static>>> {
    values.iter().map(|text| text.map(Value::Text)).collect()
}

fn table() -> Vec<Column<'static>> {
    let problem = "Kette λ, \"n\"=2";
    let wholes = [Some(3), Some(i64::MAX), None, Some(i64::MIN), Some(-1)];
    let reals = [
        Some(0.1 + 0.2),
        None,
        Some(-0.0),
        Some(f64::NAN),
        Some(1e-310),
    ];
    let flags = [Some(true), Some(false), None, Some(true), Some(true)];
    vec![
        (
            "problem",
            ColumnKind::Text,
            texts(&[Some(problem), Some(""), Some("b"), Some(problem), None]),
        ),
        (
            "sweeps",
            ColumnKind::Whole,
            wholes.map(|v| v.map(Value::Whole)).to_vec(),
        ),
        (
            "natural_map",
            ColumnKind::Real,
            reals.map(|v| v.map(Value::Real)).to_vec(),
        ),
        (
            "isolated",
            ColumnKind::Flag,
            flags.map(|v| v.map(Value::Flag)).to_vec(),
        ),
    ]
}

/// The bytes of a file of these columns whose groups end at so many rows and bytes.
fn grouped(columns: &[Column<'_>], facts: &[(&str, &str)], limits: GroupLimits) -> Vec<u8> {
    let names = columns.iter().map(|(name, kind, _)| (*name, *kind));
    let mut file = ParquetWriter::with_limits(Vec::new(), names, limits).expect("a file");
    let rows = columns.first().map_or(0, |(_, _, values)| values.len());
    for row in 0..rows {
        let row = columns.iter().map(|(_, _, values)| values[row]);
        file.put(row).expect("a row");
    }
    file.finish(facts).expect("a footer")
}

fn to_parquet(columns: &[Column<'_>], facts: &[(&str, &str)]) -> Vec<u8> {
    grouped(columns, facts, LIMITS)
}

#[test]
fn equal_tables_are_equal_bytes_and_end_as_they_begin() {
    let bytes = to_parquet(&table(), &[("delassus.schema", "records/1")]);
    assert_eq!(
        bytes,
        to_parquet(&table(), &[("delassus.schema", "records/1")])
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
    let real = vec![Some(Value::Real(0.1 + 0.2))];
    let bytes = to_parquet(&[("a", ColumnKind::Real, real)], &[]);
    // behind magic and header: four bytes of length, a run of one value, the value
    let page = [&[2, 0, 0, 0, 2, 1][..], &(0.1_f64 + 0.2).to_le_bytes()].concat();
    assert!(bytes.windows(page.len()).any(|window| window == page));
    let gaps = vec![Some(Value::Whole(7)), None, Some(Value::Whole(8))];
    let bytes = to_parquet(&[("a", ColumnKind::Whole, gaps)], &[]);
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
    let columns = || [("a", ColumnKind::Real), ("b", ColumnKind::Text)];
    let mut file = ParquetWriter::new(Vec::new(), columns()).expect("a file");
    let real = Some(Value::Real(1.0));
    let error = file.put([real].into_iter()).expect_err("lengths");
    assert_eq!(
        error.to_string(),
        "a row has 1 values, and there are 2 columns"
    );
    let error = file.put([real, real].into_iter()).expect_err("types");
    assert_eq!(
        error.to_string(),
        "a value of column \"b\" is not of its type"
    );
    let twice = [("problem", ColumnKind::Real), ("problem", ColumnKind::Text)];
    let error = ParquetWriter::new(Vec::new(), twice).expect_err("names");
    assert_eq!(error.to_string(), "two columns are named \"problem\"");
    for columns in [&[("a", ColumnKind::Real, Vec::new())][..], &[]] {
        let bytes = to_parquet(columns, &[]);
        assert!(bytes.starts_with(MAGIC) && bytes.ends_with(MAGIC));
    }
}

/// Groups end at their rows and at their bytes, whichever come first, and nothing of a group is
/// held once it is written.
#[test]
fn a_group_ends_when_it_is_full() {
    let of = |limits: GroupLimits| {
        let columns = [("a", ColumnKind::Real), ("name", ColumnKind::Text)];
        let mut file = ParquetWriter::with_limits(Vec::new(), columns, limits).expect("a file");
        let mut most = 0_usize;
        for row in 0..100_u32 {
            let name = format!("row {row}");
            let values = [Value::Real(f64::from(row)), Value::Text(&name)];
            file.put(values.map(Some).into_iter()).expect("a row");
            most = most.max(file.columns.iter().map(Filling::bytes).sum::<usize>());
        }
        let groups: Vec<usize> = file.groups.iter().map(|(rows, _)| *rows).collect();
        (groups, file.filled, most)
    };
    assert_eq!(of(GroupLimits { rows: 30, ..LIMITS }).0, [30, 30, 30]);
    // a row: 2 flags, a number, an index and twice its text of 5 or 6 bytes with its length
    let (groups, filled, most) = of(GroupLimits {
        bytes: 320,
        ..LIMITS
    });
    assert_eq!(groups[..2], [10, 10]);
    assert!(filled < 10 && most < 320, "{filled} rows, {most} B");
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
    let bytes = to_parquet(&table(), &[("delassus.schema", "records/1")]);
    std::fs::write(&small, bytes).expect("written");
    let rows = GROUP_ROWS + 5;
    let names: Vec<String> = (0..1000).map(|i| format!("p{i}")).collect();
    let names = (0..rows).map(|i| Some(Value::Text(&names[i % 1000])));
    let numbers = (0..rows).map(|i| i64::try_from(i).ok().map(Value::Whole));
    let columns: [Column<'_>; 2] = [
        ("name", ColumnKind::Text, names.collect()),
        ("i", ColumnKind::Whole, numbers.collect()),
    ];
    std::fs::write(&large, to_parquet(&columns, &[])).expect("written");
    for (library, line) in READERS {
        let mut python = Command::new("python3");
        python
            .args(["-c", &format!("{CHECK}{line}")])
            .args([&small, &large]);
        match python.output() {
            Ok(out) if out.status.success() => {}
            Ok(out) if String::from_utf8_lossy(&out.stderr).contains("ModuleNotFoundError") => {
                skip(
                    "python_reads_what_was_written_where_it_can",
                    format!("this Python has no {library}"),
                );
            }
            Ok(out) => panic!("{library}: {}", String::from_utf8_lossy(&out.stderr)),
            Err(error) => skip(
                "python_reads_what_was_written_where_it_can",
                format!("no Python here: {error}"),
            ),
        }
    }
}
