//! Writing snapshots.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use delassus_core::{LawKind, Operator, Problem, ProblemParts};
use serde_json::{Map, Value, json};

use super::checksum::{Content, checksum};
use super::{ACTIVITIES, FORMAT, Version, keys, law, names};
use crate::error::ProblemWriteError;
use crate::named::NamedProblem;

/// One tensor, ready to be written.
struct Tensor {
    name: &'static str,
    dtype: &'static str,
    shape: Vec<usize>,
    data: Vec<u8>,
}

/// Writes a snapshot so that it appears complete or not at all.
///
/// The bytes go to a temporary file in the same folder, reach the disk, and then take the name.
/// Equal problems give equal files.
///
/// # Errors
/// The file cannot be written.
pub fn write_snapshot(
    path: impl AsRef<Path>,
    problem: &NamedProblem,
) -> Result<(), ProblemWriteError> {
    let path = path.as_ref();
    let bytes = snapshot_bytes(problem);
    let temporary = temporary(path);
    let written = write_and_rename(path, &temporary, &bytes);
    if written.is_err() {
        // best effort: the error that matters is the one being returned
        let _ = fs::remove_file(&temporary);
    }
    Ok(written?)
}

/// A name in the same folder that no other process uses.
fn temporary(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

fn write_and_rename(path: &Path, temporary: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(temporary, path)?;
    // the new name reaches the disk with its folder, where the system lets a folder be synced
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// The bytes of a snapshot.
pub fn snapshot_bytes(problem: &NamedProblem) -> Vec<u8> {
    let mut tensors = tensors(problem);
    // widest numbers first keeps every tensor aligned; then by name
    tensors.sort_by_key(|tensor| (std::cmp::Reverse(width(tensor.dtype)), tensor.name));
    let mut metadata = metadata(problem);
    let sum = {
        let metadata = metadata.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let contents = tensors.iter().map(|tensor| {
            let content = Content {
                dtype: tensor.dtype,
                shape: &tensor.shape,
                data: &tensor.data,
            };
            (tensor.name, content)
        });
        checksum(&metadata, &contents.collect())
    };
    metadata.insert(keys::CHECKSUM, sum);
    let mut header = Map::new();
    let metadata: Map<String, Value> = metadata
        .into_iter()
        .map(|(key, value)| (key.to_owned(), Value::String(value)))
        .collect();
    header.insert("__metadata__".to_owned(), Value::Object(metadata));
    let mut offset = 0;
    for tensor in &tensors {
        let end = offset + tensor.data.len();
        let entry = json!({
            "dtype": tensor.dtype,
            "shape": tensor.shape,
            "data_offsets": [offset, end],
        });
        header.insert(tensor.name.to_owned(), entry);
        offset = end;
    }
    let mut header = Value::Object(header).to_string().into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    let mut bytes = Vec::with_capacity(8 + header.len() + offset);
    bytes.extend((header.len() as u64).to_le_bytes());
    bytes.extend(header);
    for tensor in &tensors {
        bytes.extend(&tensor.data);
    }
    bytes
}

fn width(dtype: &str) -> usize {
    match dtype {
        "F64" | "U64" => 8,
        "U32" => 4,
        _ => 1,
    }
}

fn metadata(problem: &NamedProblem) -> BTreeMap<&'static str, String> {
    let operator = match problem.problem.operator() {
        Operator::Bodies(_) => "bodies",
        Operator::Matrix(_) => "matrix",
    };
    let version = Version::of(&problem.problem);
    let laws: Vec<&str> = version.laws().iter().map(|kind| kind.id()).collect();
    let mut metadata = BTreeMap::from([
        (keys::FORMAT, FORMAT.to_owned()),
        (keys::VERSION, version.name.to_owned()),
        (keys::NAME, problem.name.clone()),
        (keys::PROVENANCE, problem.provenance.clone()),
        (keys::OPERATOR, operator.to_owned()),
        // the numbers of blocks/law, in order
        (keys::LAWS, laws.join(" ")),
    ]);
    if let Some(reference) = &problem.reference {
        metadata.insert(keys::REFERENCE_PROVENANCE, reference.provenance.clone());
        if let Some(residual) = reference.residual {
            // the shortest text that reads back to the same bits
            metadata.insert(keys::REFERENCE_RESIDUAL, format!("{residual:?}"));
        }
    }
    if let Some(captured) = &problem.captured {
        metadata.extend([
            (keys::CAPTURED_ENGINE, captured.engine.clone()),
            (keys::CAPTURED_VERSION, captured.version.clone()),
            (keys::CAPTURED_STEP, captured.step.to_string()),
            (keys::CAPTURED_SUBSTEP, captured.substep.to_string()),
            (keys::CAPTURED_PASS, captured.pass.clone()),
        ]);
    }
    metadata
}

fn tensors(named: &NamedProblem) -> Vec<Tensor> {
    let parts = named.problem.clone().into_parts();
    let mut tensors = blocks(&named.problem, &parts);
    let rows = named.problem.rows();
    tensors.push(reals(names::BIAS, &[rows], parts.bias.iter()));
    tensors.push(reals(names::COMPLIANCE, &[rows], parts.compliance.iter()));
    let coupled = &parts.coupled_compliance;
    if Version::of(&named.problem).coupled {
        let of = coupled.iter().map(|(block, _)| block as u64);
        tensors.push(wholes(names::COUPLED_BLOCK, of));
        let entries = coupled.entries();
        let shape = [entries.len()];
        tensors.push(reals(names::COUPLED_ENTRIES, &shape, entries.iter()));
    }
    if let Some(step) = parts.step {
        tensors.push(reals(names::STEP, &[2], [step.dt, step.gravity].iter()));
    }
    operator(&parts, &mut tensors);
    if let Some(reference) = &named.reference {
        let count = reference.impulses.len();
        tensors.push(reals(names::REFERENCE, &[count], reference.impulses.iter()));
    }
    if let Some(impulses) = &named.warm_start {
        let count = impulses.len();
        tensors.push(reals(names::WARM_START, &[count], impulses.iter()));
    }
    if let Some(captured) = &named.captured {
        let impulses = &captured.impulses;
        let shape = [impulses.len()];
        tensors.push(reals(names::CAPTURED_IMPULSES, &shape, impulses.iter()));
        if let Some(velocities) = &captured.velocities {
            let shape = [velocities.len() / 6, 6];
            tensors.push(reals(names::CAPTURED_VELOCITIES, &shape, velocities.iter()));
        }
        if let Some(iterations) = captured.iterations {
            tensors.push(wholes(names::CAPTURED_ITERATIONS, [iterations].into_iter()));
        }
    }
    tensors
}

fn blocks(problem: &Problem, parts: &ProblemParts) -> Vec<Tensor> {
    let blocks = problem.blocks();
    let count = blocks.len();
    let numbers = Version::of(problem).numbers;
    let mut parameters = Vec::with_capacity(numbers * count);
    let mut levers = Vec::new();
    for block in blocks {
        parameters.extend(&law::numbers(&block.law)[..numbers]);
        levers.extend(block.law.levers());
    }
    let laws = blocks.iter().map(|block| {
        let kind = block.law.kind();
        LawKind::ALL.iter().position(|k| *k == kind).unwrap_or(0)
    });
    let activities = parts
        .activity
        .iter()
        .map(|activity| ACTIVITIES.iter().position(|a| a == activity).unwrap_or(0));
    vec![
        wholes(names::DIM, blocks.iter().map(|block| block.dim as u64)),
        bytes(names::LAW, laws),
        reals(names::PARAMETERS, &[count, numbers], parameters.iter()),
        reals(names::LEVERS, &[levers.len()], levers.iter()),
        wholes(names::FEATURE, blocks.iter().map(|block| block.feature)),
        bytes(names::ACTIVITY, activities),
    ]
}

fn operator(parts: &ProblemParts, tensors: &mut Vec<Tensor>) {
    match &parts.operator {
        Operator::Bodies(rows) => {
            let count = rows.len();
            let masses = rows.mass.iter().flat_map(|m| m.inverse_mass.iter());
            tensors.push(reals(names::INVERSE_MASS, &[count, 3], masses));
            let inertias: Vec<f64> = rows
                .mass
                .iter()
                // row-major: the transpose is stored column by column
                .flat_map(|m| m.inverse_inertia.transpose().as_slice().to_vec())
                .collect();
            tensors.push(reals(
                names::INVERSE_INERTIA,
                &[count, 3, 3],
                inertias.iter(),
            ));
            tensors.push(reals(
                names::FREE_VELOCITY,
                &[count, 6],
                rows.free_velocity.iter(),
            ));
            let first_body = rows.first_body.iter().map(|i| *i as u64);
            tensors.push(wholes(names::FIRST_BODY, first_body));
            tensors.push(indices(names::BODIES, rows.block_bodies.iter().copied()));
            let first_entry = rows.first_entry.iter().map(|i| *i as u64);
            tensors.push(wholes(names::FIRST_ENTRY, first_entry));
            let entries = rows.jacobian.iter().flatten();
            tensors.push(reals(names::ENTRIES, &[rows.jacobian.len(), 6], entries));
        }
        Operator::Matrix(rows) => {
            let matrix = &rows.delassus;
            let (mut block_rows, mut columns) = (Vec::new(), Vec::new());
            let mut values = Vec::with_capacity(matrix.stored_values());
            for i in 0..matrix.block_rows() {
                for (j, block) in matrix.row(i) {
                    block_rows.push(i as u64);
                    columns.push(j as u64);
                    values.extend(block);
                }
            }
            tensors.push(wholes(names::MATRIX_ROW, block_rows.into_iter()));
            tensors.push(wholes(names::MATRIX_COLUMN, columns.into_iter()));
            tensors.push(reals(names::MATRIX_VALUES, &[values.len()], values.iter()));
            let count = rows.free_velocity.len();
            tensors.push(reals(
                names::MATRIX_FREE,
                &[count],
                rows.free_velocity.iter(),
            ));
        }
    }
}

fn reals<'a>(name: &'static str, shape: &[usize], values: impl Iterator<Item = &'a f64>) -> Tensor {
    Tensor {
        name,
        dtype: "F64",
        shape: shape.to_vec(),
        data: values.flat_map(|v| v.to_le_bytes()).collect(),
    }
}

fn wholes(name: &'static str, values: impl Iterator<Item = u64>) -> Tensor {
    let data: Vec<u8> = values.flat_map(u64::to_le_bytes).collect();
    Tensor {
        name,
        dtype: "U64",
        shape: vec![data.len() / 8],
        data,
    }
}

fn indices(name: &'static str, values: impl Iterator<Item = u32>) -> Tensor {
    let data: Vec<u8> = values.flat_map(u32::to_le_bytes).collect();
    Tensor {
        name,
        dtype: "U32",
        shape: vec![data.len() / 4],
        data,
    }
}

fn bytes(name: &'static str, values: impl Iterator<Item = usize>) -> Tensor {
    let data: Vec<u8> = values.map(|v| u8::try_from(v).unwrap_or(u8::MAX)).collect();
    Tensor {
        name,
        dtype: "U8",
        shape: vec![data.len()],
        data,
    }
}
