//! Reading snapshots.

mod captured;
mod checks;
mod tensors;

use std::collections::BTreeMap;

use delassus_core::{
    Block, BlockSparse, BodyRows, CoupledCompliance, LawKind, MassProperties, MatrixRows, Operator,
    Problem, ProblemError, ProblemParts, StepScale,
};
use nalgebra::{Matrix3, Vector3};
use safetensors::SafeTensors;
use safetensors::tensor::Metadata;

use super::{ACTIVITIES, Version, keys, law, names, place};
use crate::error::ProblemReadError;
use crate::named::{KnownSolution, NamedProblem};

/// True if the file is a safetensors container: a length, and a JSON object of that length.
pub fn is_snapshot(bytes: &[u8]) -> bool {
    let Some(length) = bytes.first_chunk::<8>() else {
        return false;
    };
    // text has no zero bytes; a header below 16 MiB has five of them
    length[3..] == [0; 5] && matches!(bytes.get(8), Some(b'{') | None)
}

/// Reads a snapshot.
pub(crate) fn read(bytes: &[u8]) -> Result<NamedProblem, ProblemReadError> {
    let container = |error: safetensors::SafeTensorError| ProblemReadError::Container {
        offset: place::of_container(bytes, &error),
        reason: error.to_string(),
    };
    let (header, metadata) = SafeTensors::read_metadata(bytes).map_err(container)?;
    let tensors = SafeTensors::deserialize(bytes).map_err(container)?;
    let text = metadata.metadata().clone().unwrap_or_default();
    let mut file = Snapshot {
        version: super::FIRST,
        start: 8 + header,
        header: &bytes[8..8 + header],
        metadata: &metadata,
        tensors,
        text: text.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect(),
    };
    file.version = file.check_version()?;
    file.check_sum()?;
    file.check_laws()?;
    let problem = file.problem()?;
    let reference = file.reference(problem.rows())?;
    let warm_start = file.impulses(names::WARM_START, problem.rows())?;
    let bodies = problem.bodies().map_or(0, |rows| rows.len());
    let captured = file.captured(problem.rows(), bodies)?;
    Ok(NamedProblem {
        name: file.text(keys::NAME).to_owned(),
        problem,
        reference,
        warm_start,
        captured,
        provenance: file.text(keys::PROVENANCE).to_owned(),
    })
}

/// An open container.
struct Snapshot<'a> {
    /// Offset of the first tensor.
    start: usize,
    /// The text between the length and the first tensor.
    header: &'a [u8],
    metadata: &'a Metadata,
    tensors: SafeTensors<'a>,
    version: Version,
    text: BTreeMap<&'a str, &'a str>,
}

impl Snapshot<'_> {
    fn text(&self, key: &str) -> &str {
        self.text.get(key).copied().unwrap_or_default()
    }

    fn problem(&self) -> Result<Problem, ProblemReadError> {
        let blocks = self.blocks()?;
        let rows = blocks
            .last()
            .map_or(0, |b| b.first_row.saturating_add(b.dim));
        let bias = self.reals(names::BIAS, &[rows])?;
        let compliance = self.reals(names::COMPLIANCE, &[rows])?;
        let coupled_compliance = self.coupled(&blocks)?;
        let activity = self.bytes(names::ACTIVITY, blocks.len())?;
        let activity: Option<Vec<_>> = activity
            .iter()
            .map(|number| ACTIVITIES.get(usize::from(*number)).copied())
            .collect();
        let activity =
            activity.ok_or_else(|| self.bad(names::ACTIVITY, "holds an unknown activity"))?;
        let step = match self.has(names::STEP) {
            true => {
                let step = self.reals(names::STEP, &[2])?;
                Some(StepScale {
                    dt: step[0],
                    gravity: step[1],
                })
            }
            false => None,
        };
        let operator = match self.text(keys::OPERATOR) {
            "bodies" => Operator::Bodies(self.bodies(blocks.len())?),
            "matrix" => Operator::Matrix(self.matrix(&blocks, rows)?),
            other => {
                return Err(ProblemReadError::Container {
                    offset: place::of_entry(self.header, keys::OPERATOR),
                    reason: format!("the operator is {other:?}, neither bodies nor matrix"),
                });
            }
        };
        let made = Problem::new(ProblemParts {
            operator,
            blocks,
            bias,
            compliance,
            coupled_compliance,
            activity,
            step,
        });
        made.map_err(|source| self.invalid(source))
    }

    /// Arrays that make no valid problem, with the byte that is to blame.
    fn invalid(&self, source: ProblemError) -> ProblemReadError {
        let (mut tensor, within) = place::of_problem(&source, self.version.numbers);
        if tensor == names::FREE_VELOCITY && !self.has(tensor) {
            tensor = names::MATRIX_FREE;
        }
        ProblemReadError::Content {
            offset: self.offset(tensor) + within,
            tensor,
            source,
        }
    }

    fn blocks(&self) -> Result<Vec<Block>, ProblemReadError> {
        let dims = self.counts(names::DIM)?;
        let count = dims.len();
        let laws = self.bytes(names::LAW, count)?;
        let parameters = self.reals(names::PARAMETERS, &[count, self.version.numbers])?;
        let features = self.wholes(names::FEATURE, Some(count))?;
        let levers = self.reals(names::LEVERS, &[self.extent(names::LEVERS)])?;
        let mut blocks = Vec::with_capacity(count);
        let (mut first_row, mut first_lever) = (0usize, 0usize);
        for index in 0..count {
            let dim = dims[index];
            let numbers = &parameters[index * self.version.numbers..][..self.version.numbers];
            let kind = self.version.laws().get(usize::from(laws[index]));
            let unknown = || self.bad(names::LAW, "holds an unknown law");
            let kind = *kind.ok_or_else(unknown)?;
            self.check_numbers(index, kind, dim, numbers)?;
            let mut own: &[f64] = &[];
            if kind == LawKind::Patch {
                let points = dim.saturating_sub(3);
                let end = first_lever.saturating_add(points);
                own = levers
                    .get(first_lever..end)
                    .ok_or_else(|| self.bad(names::LEVERS, "is too short for its patches"))?;
                first_lever = end;
            }
            blocks.push(Block {
                first_row,
                dim,
                law: law::read(kind, dim, numbers, own).ok_or_else(unknown)?,
                feature: features[index],
            });
            first_row = first_row
                .checked_add(dim)
                .ok_or_else(|| self.bad(names::DIM, "adds up to more rows than can be counted"))?;
        }
        if first_lever == levers.len() {
            return Ok(blocks);
        }
        Err(self.bad(names::LEVERS, "is too long for its patches"))
    }

    /// The numbers of a block that its law has no place for are zero.
    fn check_numbers(
        &self,
        block: usize,
        kind: LawKind,
        dim: usize,
        numbers: &[f64],
    ) -> Result<(), ProblemReadError> {
        let used = law::used(kind, dim);
        let mut unused = numbers.iter().enumerate().skip(used);
        let Some((column, number)) = unused.find(|(_, number)| **number != 0.0) else {
            return Ok(());
        };
        let at = self.version.numbers * block + column;
        Err(ProblemReadError::Tensor {
            offset: self.offset(names::PARAMETERS) + 8 * at,
            tensor: names::PARAMETERS.to_owned(),
            reason: format!(
                "has {number} in column {column} of block {block}, but {kind} over {dim} rows takes {used} of the {} \
                 numbers: set the others to 0",
                numbers.len()
            ),
        })
    }

    /// The strict lower triangles of R, one after the other, of the blocks that have one.
    fn coupled(&self, blocks: &[Block]) -> Result<CoupledCompliance, ProblemReadError> {
        let mut coupled = CoupledCompliance::new();
        if !self.version.coupled {
            return match self.has(names::COUPLED_BLOCK) || self.has(names::COUPLED_ENTRIES) {
                true => Err(self.bad(names::COUPLED_BLOCK, "needs a file of version 3")),
                false => Ok(coupled),
            };
        }
        let count = self.extent(names::COUPLED_ENTRIES);
        let entries = self.reals(names::COUPLED_ENTRIES, &[count])?;
        let mut rest = entries.as_slice();
        for block in self.counts(names::COUPLED_BLOCK)? {
            let dim = blocks.get(block).map(|block| block.dim);
            let dim =
                dim.ok_or_else(|| self.bad(names::COUPLED_BLOCK, "names an unknown block"))?;
            let (lower, others) = rest
                .split_at_checked(CoupledCompliance::packed_len(dim))
                .ok_or_else(|| self.bad(names::COUPLED_ENTRIES, "is too short for its blocks"))?;
            coupled.push(block, lower);
            rest = others;
        }
        match rest.is_empty() {
            true => Ok(coupled),
            false => Err(self.bad(names::COUPLED_ENTRIES, "is too long for its blocks")),
        }
    }

    fn bodies(&self, blocks: usize) -> Result<BodyRows, ProblemReadError> {
        let count = self.extent(names::INVERSE_MASS);
        let masses = self.reals(names::INVERSE_MASS, &[count, 3])?;
        let inertias = self.reals(names::INVERSE_INERTIA, &[count, 3, 3])?;
        let pairs = masses.chunks_exact(3).zip(inertias.chunks_exact(9));
        let mass = pairs.map(|(mass, inertia)| MassProperties {
            inverse_mass: Vector3::from_column_slice(mass),
            inverse_inertia: Matrix3::from_row_slice(inertia),
        });
        let entries = self.extent(names::ENTRIES);
        let jacobian = self.reals(names::ENTRIES, &[entries, 6])?;
        let jacobian = jacobian.chunks_exact(6).map(|chunk| {
            let mut entry = [0.0; 6];
            entry.copy_from_slice(chunk);
            entry
        });
        let offsets = |name: &str| -> Result<Vec<usize>, ProblemReadError> {
            let offsets = self.counts(name)?;
            if offsets.len() == blocks + 1 {
                return Ok(offsets);
            }
            Err(self.bad(name, "does not have one entry per block and one more"))
        };
        Ok(BodyRows {
            mass: mass.collect(),
            free_velocity: self.reals(names::FREE_VELOCITY, &[count, 6])?,
            first_body: offsets(names::FIRST_BODY)?,
            block_bodies: self.indices(names::BODIES)?,
            first_entry: offsets(names::FIRST_ENTRY)?,
            jacobian: jacobian.collect(),
        })
    }

    fn matrix(&self, blocks: &[Block], rows: usize) -> Result<MatrixRows, ProblemReadError> {
        let block_rows = self.counts(names::MATRIX_ROW)?;
        let columns = self.counts(names::MATRIX_COLUMN)?;
        if columns.len() != block_rows.len() {
            return Err(self.bad(
                names::MATRIX_COLUMN,
                "has another length than matrix/block_row",
            ));
        }
        let values = self.reals(names::MATRIX_VALUES, &[self.extent(names::MATRIX_VALUES)])?;
        let dims: Vec<usize> = blocks.iter().map(|block| block.dim).collect();
        let mut stored = Vec::with_capacity(block_rows.len());
        let mut rest = values.as_slice();
        for (i, j) in block_rows.into_iter().zip(columns) {
            let size = dims
                .get(i)
                .zip(dims.get(j))
                .and_then(|(a, b)| a.checked_mul(*b));
            let size = size.ok_or_else(|| self.bad(names::MATRIX_ROW, "names an unknown block"))?;
            let (block, others) = rest
                .split_at_checked(size)
                .ok_or_else(|| self.bad(names::MATRIX_VALUES, "is too short for its blocks"))?;
            stored.push((i, j, block.to_vec()));
            rest = others;
        }
        if !rest.is_empty() {
            return Err(self.bad(names::MATRIX_VALUES, "is too long for its blocks"));
        }
        Ok(MatrixRows {
            delassus: BlockSparse::from_blocks(&dims, stored)
                .map_err(|source| self.invalid(source))?,
            free_velocity: self.reals(names::MATRIX_FREE, &[rows])?,
        })
    }

    fn reference(&self, rows: usize) -> Result<Option<KnownSolution>, ProblemReadError> {
        let Some(impulses) = self.impulses(names::REFERENCE, rows)? else {
            return Ok(None);
        };
        let residual = self.text.get(keys::REFERENCE_RESIDUAL);
        let residual = residual.map(|text| text.parse::<f64>()).transpose();
        let residual = residual.map_err(|_| ProblemReadError::Container {
            offset: place::of_entry(self.header, keys::REFERENCE_RESIDUAL),
            reason: "reference_residual is not a number".to_owned(),
        })?;
        Ok(Some(KnownSolution {
            impulses,
            provenance: self.text(keys::REFERENCE_PROVENANCE).to_owned(),
            residual,
        }))
    }

    /// Optional impulses, one per row.
    fn impulses(&self, name: &str, rows: usize) -> Result<Option<Vec<f64>>, ProblemReadError> {
        if !self.has(name) {
            return Ok(None);
        }
        let impulses = self.reals(name, &[rows])?;
        if impulses.iter().any(|x| !x.is_finite()) {
            return Err(self.bad(name, "holds a number that is not finite"));
        }
        Ok(Some(impulses))
    }
}
