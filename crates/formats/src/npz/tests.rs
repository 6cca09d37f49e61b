use std::io::{Cursor, Write};

use delassus_core::MemoryLimit;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::*;

const KNOWN: [&str; 3] = ["a", "b", "c"];

fn read(bytes: &[u8]) -> Result<Vec<NamedArray>, NpzReadError> {
    read_archive(bytes, &KNOWN, MemoryLimit::new(1 << 20))
}

/// An array file with such a header, version 1.0.
fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

fn zipped(entries: &[(&str, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        let options = SimpleFileOptions::default().compression_method(method);
        zip.start_file(*name, options).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn one(header: &str, data: &[u8]) -> Result<Vec<NamedArray>, NpzReadError> {
    let file = npy(header, data);
    read(&zipped(&[("a.npy", file)], CompressionMethod::Deflated))
}

#[test]
fn archives_come_back() {
    let arrays = [
        NamedArray {
            name: "a".into(),
            shape: vec![2, 3],
            values: NpyValues::F64(vec![1.0, -2.5, f64::INFINITY, 0.0, 1e-300, 4.0]),
        },
        NamedArray {
            name: "b".into(),
            shape: vec![0],
            values: NpyValues::I64(Vec::new()),
        },
        NamedArray {
            name: "c".into(),
            shape: vec![2],
            values: NpyValues::Text(vec!["coulomb".to_owned(), "μ".to_owned()]),
        },
    ];
    assert_eq!(read(&archive(&arrays).unwrap()).unwrap(), arrays);
}

#[test]
fn types_and_orders_of_numpy_are_read() {
    let values = |descr: &str, order: &str, shape: &str, data: &[u8]| {
        let header =
            format!("{{'shape': {shape}, \"descr\": '{descr}', 'fortran_order': {order}}}\n");
        one(&header, data).unwrap().remove(0).values
    };
    let halves: Vec<u8> = [0.5_f32, -8.0]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    let real = NpyValues::F64(vec![0.5, -8.0]);
    assert_eq!(values("<f4", "False", "(2,)", &halves), real);
    let bytes = NpyValues::I64(vec![-1, 3]);
    assert_eq!(values("|i1", "True", "(2,)", &[255, 3]), bytes);
    assert_eq!(
        values("<u2", "False", "(1, 1)", &[255, 255]),
        NpyValues::I64(vec![65535])
    );
    // columns (1 2) (3 4) (5 6) of a matrix of two rows
    let columns = values("|u1", "True", "(2, 3)", &[1, 2, 3, 4, 5, 6]);
    assert_eq!(columns, NpyValues::I64(vec![1, 3, 5, 2, 4, 6]));
}

#[test]
fn hostile_headers_are_refused() {
    let refused = |header: &str, data: &[u8], said: &str| {
        let error = one(header, data).unwrap_err().to_string();
        assert!(error.contains(said), "{header}: {error}");
    };
    let of = |descr: &str, shape: &str| {
        format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}")
    };
    let huge = "(18446744073709551615, 18446744073709551615)";
    refused(
        &of("'<f8'", huge),
        &[],
        "has 0 bytes, which are not the elements",
    );
    refused(&of("'<f8'", "(0, 18446744073709551615, 9)"), &[], "0 bytes");
    refused(&of("'<U0'", "(9999999999,)"), &[], "type \"<U0\"");
    refused(&of("'|O'", "(1,)"), &[0; 8], "objects are not read");
    refused(&of("'>f8'", "(1,)"), &[0; 8], "little-endian");
    refused(
        &of("[('x', '<f8')]", "(1,)"),
        &[0; 8],
        "save each as an array",
    );
    refused(&of("'<u8'", "(1,)"), &[255; 8], "above 2^63");
    refused(&of("'<U1'", "(1,)"), &[255; 4], "no characters");
    refused(&of("'<f8'", "(-1,)"), &[], "an extent");
    refused(&of("'<f8'", "(1,"), &[0; 8], "an extent");
    refused("{'descr': '<f8'}", &[], "without \"fortran_order\"");
    refused("{'descr", &[], "should stand");
    refused("", &[], "should stand");
}

#[test]
fn hostile_containers_are_refused() {
    let refused = |bytes: &[u8], said: &str| {
        let error = read(bytes).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    };
    refused(b"PK\x03\x04", "cannot be read");
    let stored = CompressionMethod::Stored;
    refused(
        &zipped(&[("a.txt", Vec::new())], stored),
        "entry \"a.txt\" is no array",
    );
    refused(
        &zipped(&[("d.npy", Vec::new())], stored),
        "known are a, b, c",
    );
    refused(
        &zipped(&[("a.npy", b"NUMPY".to_vec())], stored),
        "does not begin",
    );
    // a megabyte and more out of a kilobyte
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (200000,), }";
    let bomb = npy(header, &vec![0; 1_600_000]);
    let bomb = zipped(&[("a.npy", bomb)], CompressionMethod::Deflated);
    assert!(bomb.len() < 4096);
    refused(&bomb, "memory limit is left");
    // texts take more than they have bytes
    let header = "{'descr': '<U1', 'fortran_order': False, 'shape': (100000,), }";
    let texts = zipped(
        &[("a.npy", npy(header, &vec![0; 400_000]))],
        CompressionMethod::Deflated,
    );
    refused(&texts, "memory limit is left");
    // both entries of the directory point at the first file
    let numbers = npy(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
        &[0; 8],
    );
    let entries = [("a.npy", numbers.clone()), ("b.npy", numbers)];
    let mut twice = zipped(&entries, stored);
    let names: Vec<usize> = (0..twice.len() - 5)
        .filter(|at| &twice[*at..*at + 5] == b"b.npy")
        .collect();
    let &[_, in_directory] = names.as_slice() else {
        panic!("{names:?}")
    };
    twice[in_directory - 4..in_directory].fill(0);
    refused(&twice, "overlap");
    twice[in_directory] = b'a';
    refused(&twice, "two entries have one name");
    let many = b"PK\x01\x02".repeat(1025);
    refused(
        &[b"PK\x03\x04", &many[..]].concat(),
        "more than 1024 entries",
    );
}

#[test]
fn a_changed_byte_is_found() {
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }";
    let entries = [("a.npy", npy(header, &1.5_f64.to_le_bytes()))];
    let mut bytes = zipped(&entries, CompressionMethod::Stored);
    let at = (0..bytes.len()).find(|at| bytes[*at..].starts_with(&1.5_f64.to_le_bytes()));
    bytes[at.unwrap()] ^= 1;
    let error = read(&bytes).unwrap_err().to_string();
    assert!(error.contains("array \"a\" cannot be read"), "{error}");
}
