//! Where in a snapshot an error stands: the byte that a reader can look at.

use delassus_core::ProblemError;
use safetensors::SafeTensorError;

use super::names;

/// Offset of the entry `"name"` in the header \[B\]; the start of the header if it is not there.
pub(super) fn of_entry(header: &[u8], name: &str) -> usize {
    let entry = format!("\"{name}\"");
    let found = header
        .windows(entry.len())
        .position(|window| window == entry.as_bytes());
    START + found.unwrap_or(0)
}

/// Offset of the header, after its length \[B\].
const START: usize = 8;

/// Offset of what the container library complains about in a file of `bytes`.
pub(super) fn of_container(bytes: &[u8], error: &SafeTensorError) -> usize {
    let header = bytes.get(START..).unwrap_or_default();
    match error {
        SafeTensorError::InvalidHeader(utf8) => START + utf8.valid_up_to(),
        SafeTensorError::InvalidHeaderDeserialization(json) => {
            let lines = header
                .split(|byte| *byte == b'\n')
                .map(|line| line.len() + 1);
            let before: usize = lines.take(json.line().saturating_sub(1)).sum();
            START + before + json.column().saturating_sub(1)
        }
        SafeTensorError::TensorNotFound(name) | SafeTensorError::InvalidOffset(name) => {
            of_entry(header, name)
        }
        // the arrays end elsewhere than the file
        SafeTensorError::MetadataIncompleteBuffer => bytes.len(),
        // the declared length
        _ => 0,
    }
}

/// The array that makes a problem invalid, and the byte in it; `numbers` are those of a law.
pub(super) fn of_problem(error: &ProblemError, numbers: usize) -> (&'static str, usize) {
    match *error {
        ProblemError::NegativeCompliance { row, .. } => (names::COMPLIANCE, 8 * row),
        ProblemError::CoupledCompliance { .. } => (names::COUPLED_ENTRIES, 0),
        ProblemError::Step { .. } => (names::STEP, 0),
        ProblemError::LawDimension { block, .. } => (names::LAW, block),
        ProblemError::Bounds { block, .. }
        | ProblemError::FrictionCoefficient { block, .. }
        | ProblemError::CoefficientRange { block, .. }
        | ProblemError::LawNumber { block, .. }
        | ProblemError::Facets { block, .. } => (names::PARAMETERS, 8 * numbers * block),
        ProblemError::InverseMass { body } => (names::INVERSE_MASS, 24 * body),
        ProblemError::InverseInertia { body } => (names::INVERSE_INERTIA, 72 * body),
        ProblemError::BlockBodies { block } => (names::FIRST_BODY, 8 * block),
        ProblemError::BlockRows { block } => (names::DIM, 8 * block),
        ProblemError::ImmovableRow { .. } => (names::ENTRIES, 0),
        ProblemError::MatrixShape { .. } | ProblemError::DuplicateMatrixBlock { .. } => {
            (names::MATRIX_ROW, 0)
        }
        ProblemError::NonFinite { what, index } => of_array(what, index),
        ProblemError::Length { what, .. } => of_array(what, 0),
        _ => (names::DIM, 0),
    }
}

/// The array that the problem calls `what`, and its number `index`.
fn of_array(what: &str, index: usize) -> (&'static str, usize) {
    match what {
        "bias" => (names::BIAS, 8 * index),
        "compliance" => (names::COMPLIANCE, 8 * index),
        "jacobian" => (names::ENTRIES, 8 * index),
        "matrix block row" => (names::MATRIX_VALUES, 0),
        "free velocity" => (names::FREE_VELOCITY, 8 * index),
        _ => (names::DIM, 0),
    }
}
