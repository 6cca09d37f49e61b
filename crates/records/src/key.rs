//! What identifies a cell: the hash of everything that determines its record.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::OnceLock;

use delassus_core::{Activity, BodyRows, Friction, Law, Operator, Problem};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// Version of the record and of keys; raising it makes every cell run again. Programs of version 2
/// and later leave a root of their cells.
pub const SCHEMA: u32 = 2;

/// The program that a key is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program<'p> {
    /// Version of its keys.
    pub schema: u32,
    /// Hash of its executable.
    pub build: &'p str,
}

impl Program<'static> {
    /// This program.
    pub fn here() -> Self {
        Self::of(build_id())
    }
}

impl<'p> Program<'p> {
    /// The program of this hash, with keys as this one makes them.
    pub fn of(build: &'p str) -> Self {
        Self {
            schema: SCHEMA,
            build,
        }
    }

    /// The program of this hash, with keys as they were made before programs left roots.
    pub fn before_roots(build: &'p str) -> Self {
        Self { schema: 1, build }
    }
}

/// SHA-256 of all numbers of a problem, and of the solution that comes with it, hexadecimal.
///
/// Names and provenance do not enter: equal problems are the same cell.
pub fn digest(problem: &Problem, reference: Option<&[f64]>) -> String {
    let mut hash = Numbers(Sha256::new());
    match problem.operator() {
        Operator::Bodies(rows) => hash.bodies(rows),
        Operator::Matrix(rows) => {
            let matrix = &rows.delassus;
            hash.tag(1);
            for row in 0..problem.blocks().len() {
                hash.count(matrix.row(row).count());
                for (column, values) in matrix.row(row) {
                    hash.count(column);
                    hash.reals(values);
                }
            }
            hash.reals(&rows.free_velocity);
        }
    }
    hash.count(problem.blocks().len());
    for (block, activity) in problem.blocks().iter().zip(problem.activity()) {
        hash.count(block.dim);
        hash.law(&block.law);
        hash.tag(match activity {
            Activity::Solve => 0,
            Activity::NormalsOnly => 1,
            Activity::Hold => 2,
        });
    }
    hash.reals(problem.bias());
    hash.reals(problem.compliance());
    let coupled = problem.coupled_compliance();
    if !coupled.is_empty() {
        // the step below begins with another byte
        hash.tag(3);
        hash.count(coupled.len());
        for (block, lower) in coupled.iter() {
            hash.count(block);
            hash.reals(lower);
        }
    }
    match problem.step() {
        Some(step) => hash.reals(&[step.dt, step.gravity]),
        None => hash.tag(0),
    }
    match reference {
        Some(impulses) => hash.reals(impulses),
        None => hash.tag(0),
    }
    hex(&hash.0.finalize())
}

/// Feeds numbers with their counts, so that no two different problems feed the same bytes.
struct Numbers(Sha256);

impl Numbers {
    fn tag(&mut self, tag: u8) {
        self.0.update([tag]);
    }

    fn count(&mut self, count: usize) {
        self.0.update((count as u64).to_le_bytes());
    }

    fn reals(&mut self, values: &[f64]) {
        self.count(values.len());
        for value in values {
            self.0.update(value.to_le_bytes());
        }
    }

    fn bodies(&mut self, rows: &BodyRows) {
        self.tag(0);
        self.count(rows.len());
        for mass in &rows.mass {
            self.reals(mass.inverse_mass.as_slice());
            self.reals(mass.inverse_inertia.as_slice());
        }
        self.reals(&rows.free_velocity);
        for offset in rows.first_body.iter().chain(&rows.first_entry) {
            self.count(*offset);
        }
        for body in &rows.block_bodies {
            self.count(*body as usize);
        }
        for entry in rows.jacobian.iter() {
            self.reals(entry);
        }
    }

    fn law(&mut self, law: &Law) {
        self.0.update(law.kind().id());
        self.tag(0);
        match law {
            Law::Equality => {}
            Law::Bounds { lower, upper } => self.reals(&[*lower, *upper]),
            Law::Contact(Friction::Facets { mu, facets }) => {
                self.reals(&[*mu]);
                self.count(*facets as usize);
            }
            Law::Contact(friction) => self.reals(&[friction.number()]),
            Law::Patch(patch) => {
                self.reals(&[patch.mu]);
                self.reals(&patch.levers);
            }
            // the number of rows says whether there is spinning
            Law::Rolling(rolling) => {
                self.reals(&[rolling.mu, rolling.rolling]);
                self.reals(rolling.spinning.as_slice());
            }
            Law::Scaled(law) => self.reals(law.numbers()),
        }
    }
}

/// SHA-256 of a value as JSON with sorted keys, hexadecimal.
pub fn of_json(value: &Value) -> String {
    of_text(&sorted(value).to_string())
}

/// SHA-256 of a text, hexadecimal.
pub fn of_text(text: &str) -> String {
    of_bytes(text.as_bytes())
}

/// SHA-256 of bytes, hexadecimal.
pub fn of_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The same value with the keys of every object sorted.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            let entries = entries.into_iter();
            Value::Object(Map::from_iter(
                entries.map(|(key, value)| (key.clone(), sorted(value))),
            ))
        }
        Value::Array(values) => Value::Array(values.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

static BUILD: OnceLock<String> = OnceLock::new();

/// Takes over the hash of the executable from the process that started this one with the same
/// executable; it takes a tenth of a second to find. Does nothing where it is known already.
pub fn adopt_build_id(id: &str) {
    BUILD.get_or_init(|| id.to_owned());
}

/// SHA-256 of the running executable, hexadecimal; "unknown" where it cannot be read.
///
/// Two builds of the same source may differ: a rebuilt program runs its cells again.
pub fn build_id() -> &'static str {
    BUILD.get_or_init(|| {
        let hash = std::env::current_exe().and_then(|path| of_file(&path));
        hash.unwrap_or_else(|_| "unknown".to_owned())
    })
}

/// SHA-256 of a file, hexadecimal.
fn of_file(path: &Path) -> io::Result<String> {
    of_reader(File::open(path)?)
}

/// SHA-256 of what can be read, hexadecimal, in pieces: a file of a hundred megabytes need not be
/// in memory.
///
/// # Errors
/// It cannot be read.
pub fn of_reader(mut file: impl Read) -> io::Result<String> {
    let mut piece = vec![0; 1 << 18];
    let mut hasher = Sha256::new();
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(hex(&hasher.finalize())),
            Ok(length) => hasher.update(&piece[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests;
