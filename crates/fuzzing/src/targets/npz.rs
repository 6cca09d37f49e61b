//! NumPy archives: what is written is read by the program, and here by a reader that knows the
//! format of NumPy alone. An input that is an archive is read like any problem file.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use delassus_core::{MemoryLimit, Problem};
use delassus_formats::npz::{NamedArray, NpyValues, archive};
use delassus_problems::{ContactLaw, NamedProblem, npz_bytes, read_bytes_within};
use zip::ZipArchive;

use crate::bounded::bounded_with_room;

/// What problem and archive may take \[B\].
const LIMIT: MemoryLimit = MemoryLimit::new(16 << 20);
/// Rows up to which A is computed again from J and M⁻¹ \[-\].
const MOST_ROWS: usize = 60;

/// Characters of all texts of an array \[-\].
const MOST_CHARACTERS: usize = 1 << 20;

/// The bytes as a file of a problem, and as lines of arrays.
pub(crate) fn meet(bytes: &[u8]) {
    let read = || read_bytes_within("fuzz", bytes, ContactLaw::Coulomb, LIMIT);
    if let Ok(named) = bounded_with_room(bytes, read)
        && let Ok(written) = bounded_with_room(bytes, || npz_bytes(&named, LIMIT))
    {
        is_of(&named, &arrays_of(&written));
        let again = read_bytes_within("fuzz", &written, ContactLaw::Coulomb, LIMIT);
        if let Ok(again) = again {
            comes_back(&named.problem, &again.problem);
        }
    }
    // every text of an array takes as much as the longest
    let texts = bytes.iter().filter(|byte| **byte == b'\t').count();
    if texts.saturating_mul(bytes.len()) < MOST_CHARACTERS
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        come_back(&text.lines().map(array).collect::<Vec<_>>());
    }
}

/// Panics unless a problem that was written and read has the same laws and compliance.
fn comes_back(named: &Problem, again: &Problem) {
    let laws = |problem: &Problem| {
        let blocks = problem.blocks().iter();
        blocks
            .map(|block| (block.rows(), block.law.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(laws(named), laws(again));
    assert_eq!(named.compliance(), again.compliance());
    assert_eq!(named.coupled_compliance(), again.coupled_compliance());
}

/// An array of an archive: its elements as NumPy names them, its shape, its bytes.
struct Npy {
    descr: String,
    shape: Vec<usize>,
    data: Vec<u8>,
}

impl Npy {
    fn reals(&self) -> Vec<f64> {
        assert_eq!(self.descr, "<f8");
        let (numbers, rest) = self.data.as_chunks::<8>();
        assert!(rest.is_empty());
        numbers.iter().map(|x| f64::from_le_bytes(*x)).collect()
    }
}

/// The arrays by their names.
fn arrays_of(bytes: &[u8]) -> BTreeMap<String, Npy> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let mut arrays = BTreeMap::new();
    for index in 0..zip.len() {
        let mut file = zip.by_index(index).expect("a file");
        let name = file.name().expect("a name");
        let name = name.strip_suffix(".npy").expect("an array").to_owned();
        let mut content = Vec::new();
        file.read_to_end(&mut content)
            .expect("a checksum that fits");
        arrays.insert(name, npy(&content));
    }
    assert_eq!(arrays.len(), zip.len(), "two arrays of one name");
    arrays
}

/// Reads NumPy's own format, version 1.0.
fn npy(bytes: &[u8]) -> Npy {
    let rest = bytes.strip_prefix(b"\x93NUMPY\x01\x00").expect("magic");
    let (length, rest) = rest.split_first_chunk().expect("a length");
    let (header, data) = rest.split_at(usize::from(u16::from_le_bytes(*length)));
    assert_eq!(
        (bytes.len() - data.len()) % 64,
        0,
        "the data are not aligned"
    );
    let header = std::str::from_utf8(header).expect("ASCII");
    assert!(header.ends_with('\n') && header.contains("'fortran_order': False"));
    let after = |start: &str, end: char| -> String {
        let (_, rest) = header.split_once(start).expect(start);
        rest.chars().take_while(|c| *c != end).collect()
    };
    let shape = after("'shape': (", ')');
    let extents = shape.split(',').map(str::trim).filter(|e| !e.is_empty());
    let shape: Vec<usize> = extents.map(|e| e.parse().expect("an extent")).collect();
    let descr = after("'descr': '", '\'');
    let element = match descr.strip_prefix("<U") {
        Some(characters) => 4 * characters.parse::<usize>().expect("characters"),
        None => 8,
    };
    assert_eq!(data.len(), element * shape.iter().product::<usize>());
    Npy {
        descr,
        shape,
        data: data.to_vec(),
    }
}

/// Compares the arrays with the problem, bit for bit, and A with J and M⁻¹ to rounding.
fn is_of(named: &NamedProblem, arrays: &BTreeMap<String, Npy>) {
    let problem = &named.problem;
    let (rows, blocks) = (problem.rows(), problem.blocks().len());
    let same = |name: &str, wanted: &[f64]| {
        let found = arrays[name].reals();
        let bits = |x: &f64| x.to_bits();
        assert!(found.iter().map(bits).eq(wanted.iter().map(bits)), "{name}");
    };
    same("b", problem.b());
    same("bias", problem.bias());
    assert_eq!(arrays["A"].shape, [rows, rows]);
    assert_eq!(arrays["R"].shape, [rows, rows]);
    assert_eq!(arrays["law"].shape, [blocks]);
    assert_eq!(arrays["bounds"].shape, [blocks, 2]);
    if let Some(reference) = &named.reference {
        same("lambda", &reference.impulses);
    }
    if let Some(bodies) = problem.bodies() {
        same("v_free", &bodies.free_velocity);
        let [a, j, inverse] = ["A", "J", "M_inverse"].map(|name| arrays[name].reals());
        // products of these neither overflow nor vanish
        let is_usual = |x: &f64| *x == 0.0 || (1e-50..1e50).contains(&x.abs());
        if rows <= MOST_ROWS && j.iter().chain(&inverse).all(is_usual) {
            is_product(&a, &j, &inverse, rows);
        }
    }
}

/// Panics unless A = J M⁻¹ Jᵀ to rounding, where M⁻¹ has a block per body.
fn is_product(a: &[f64], j: &[f64], inverse: &[f64], rows: usize) {
    let columns = inverse.len() / 6;
    let entry = |i: usize, k: usize| -> (f64, f64) {
        let (mut sum, mut scale) = (0.0, 0.0);
        for column in 0..columns {
            for other in 0..6 {
                let paired = 6 * (column / 6) + other;
                let mass = inverse[6 * column + other];
                let term = j[i * columns + column] * mass * j[k * columns + paired];
                sum += term;
                scale += term.abs();
            }
        }
        (sum, scale)
    };
    for i in 0..rows {
        for k in 0..rows {
            let (sum, scale) = entry(i, k);
            let found = a[i * rows + k];
            assert!(
                (found - sum).abs() <= 1e-12 * scale,
                "A[{i}, {k}]: {found}, {sum}"
            );
        }
    }
}

/// A line as an array: `f`, `i` or `t` for its elements, in capitals for two columns, its name up
/// to a tabulator, its elements between tabulators.
fn array(line: &str) -> NamedArray {
    let mut parts = line.split('\t');
    let head = parts.next().unwrap_or_default();
    let kind = head.chars().next().unwrap_or('t');
    let name = head.strip_prefix(kind).unwrap_or_default().to_owned();
    let texts: Vec<&str> = parts.collect();
    let values = match kind.to_ascii_lowercase() {
        'f' => NpyValues::F64(
            texts
                .iter()
                .map(|x| x.parse().unwrap_or(f64::NAN))
                .collect(),
        ),
        'i' => NpyValues::I64(texts.iter().map(|x| x.parse().unwrap_or(-1)).collect()),
        _ => NpyValues::Text(texts.iter().map(|&text| text.to_owned()).collect()),
    };
    let shape = match kind.is_ascii_uppercase() && texts.len().is_multiple_of(2) {
        true => vec![texts.len() / 2, 2],
        false => vec![texts.len()],
    };
    NamedArray {
        name: name.into(),
        shape,
        values,
    }
}

/// Arrays that make an archive are read from it, with their names, shapes and elements.
fn come_back(arrays: &[NamedArray]) {
    let Ok(written) = archive(arrays) else {
        return;
    };
    let again = arrays_of(&written);
    assert_eq!(again.len(), arrays.len());
    for array in arrays {
        let found = &again[&*array.name];
        assert_eq!(found.shape, array.shape);
        match &array.values {
            NpyValues::F64(values) => {
                let bits = found.reals().into_iter().map(f64::to_bits);
                assert!(bits.eq(values.iter().map(|x| x.to_bits())));
            }
            NpyValues::I64(values) => {
                let (numbers, _) = found.data.as_chunks::<8>();
                let numbers = numbers.iter().map(|x| i64::from_le_bytes(*x));
                assert!(found.descr == "<i8" && numbers.eq(values.iter().copied()));
            }
            NpyValues::Text(values) => {
                // NumPy does not tell zeros at the end from padding
                let wanted: Vec<&str> = values.iter().map(|t| t.trim_end_matches('\0')).collect();
                assert_eq!(texts(found), wanted);
            }
        }
    }
}

/// The texts of an array, which is of texts.
fn texts(array: &Npy) -> Vec<String> {
    let characters: usize = array.descr[2..].parse().expect("characters");
    let (points, _) = array.data.as_chunks::<4>();
    let text = |points: &[[u8; 4]]| -> String {
        let points = points.iter().map(|x| u32::from_le_bytes(*x));
        let text: String = points
            .map(|x| char::from_u32(x).expect("a character"))
            .collect();
        text.trim_end_matches('\0').to_owned()
    };
    points.chunks(characters).map(text).collect()
}
