//! Checks of a problem before it is given to a solver.

use nalgebra::{Matrix3, SymmetricEigen};

use super::{Operator, ProblemParts, StepScale};
use crate::bodies::BodyRows;
use crate::coupled::{CoupledCompliance, is_semidefinite};
use crate::error::{CouplingFault, ProblemError};
use crate::finite::{SIGN, first_not_finite};
use crate::law::{Block, Friction, Law};
use crate::polygon::Polygon;

/// Relative asymmetry and negative eigenvalue that rounding may leave in a world inverse inertia.
const INERTIA_TOLERANCE: f64 = 1e-9;

/// Everything but the numbers of the Jacobian, which are looked at on the way to the diagonal of A.
pub(super) fn parts(parts: &ProblemParts) -> Result<(), ProblemError> {
    let rows = parts.bias.len();
    finite("bias", &parts.bias, rows)?;
    compliance(&parts.compliance, rows)?;
    length("activity", parts.activity.len(), parts.blocks.len())?;
    step(parts.step)?;
    blocks(&parts.blocks, rows)?;
    coupled(&parts.blocks, &parts.compliance, &parts.coupled_compliance)?;
    match &parts.operator {
        Operator::Bodies(rows) => bodies(rows, &parts.blocks),
        Operator::Matrix(matrix) => {
            finite("free velocity", &matrix.free_velocity, rows)?;
            length("matrix rows", matrix.delassus.rows(), rows)?;
            length(
                "matrix block rows",
                matrix.delassus.block_rows(),
                parts.blocks.len(),
            )?;
            for (index, block) in parts.blocks.iter().enumerate() {
                length("matrix block", matrix.delassus.dim(index), block.dim)?;
            }
            Ok(())
        }
    }
}

/// What another instant changes in a problem that was valid: its step, laws, masses and free
/// velocities.
pub(super) fn renewed(parts: &ProblemParts) -> Result<(), ProblemError> {
    step(parts.step)?;
    for (index, block) in parts.blocks.iter().enumerate() {
        law(index, block)?;
    }
    match &parts.operator {
        Operator::Bodies(rows) => masses(rows),
        Operator::Matrix(_) => Ok(()),
    }
}

fn step(step: Option<StepScale>) -> Result<(), ProblemError> {
    let Some(StepScale { dt, gravity }) = step else {
        return Ok(());
    };
    if dt > 0.0 && dt.is_finite() && gravity.is_finite() && gravity >= 0.0 {
        return Ok(());
    }
    Err(ProblemError::Step { dt, gravity })
}

/// Every row of a problem with bodies must be movable: an impulse on it changes its velocity.
/// Friction that nothing moves has its compliance by now (P.15).
pub(super) fn diagonal(parts: &ProblemParts, diagonal: &[f64]) -> Result<(), ProblemError> {
    if matches!(parts.operator, Operator::Matrix(_)) {
        return Ok(());
    }
    let effective = diagonal.iter().zip(&parts.compliance);
    for (row, (a, r)) in effective.enumerate() {
        if !a.is_finite() {
            return Err(ProblemError::NonFinite {
                what: "diagonal of J M^-1 J^T",
                index: row,
            });
        }
        if a + r <= 0.0 {
            return Err(ProblemError::ImmovableRow { row });
        }
    }
    Ok(())
}

pub(super) fn length(
    what: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), ProblemError> {
    if found == expected {
        return Ok(());
    }
    Err(ProblemError::Length {
        what,
        found,
        expected,
    })
}

pub(super) fn finite(
    what: &'static str,
    values: &[f64],
    expected: usize,
) -> Result<(), ProblemError> {
    length(what, values.len(), expected)?;
    match first_not_finite(values) {
        Some(index) => Err(ProblemError::NonFinite { what, index }),
        None => Ok(()),
    }
}

/// Returns true if every number is zero.
pub(super) fn compliance(values: &[f64], rows: usize) -> Result<bool, ProblemError> {
    length("compliance", values.len(), rows)?;
    // a sign, or an exponent that carries into it, is worth a second look
    let (mut bits, mut carried) = (0, 0);
    for r in values {
        bits |= r.to_bits();
        carried |= r.to_bits().wrapping_add(1 << 52);
    }
    if (bits | carried) & SIGN == 0 {
        return Ok(bits == 0);
    }
    finite("compliance", values, rows)?;
    match values.iter().position(|r| *r < 0.0) {
        Some(row) => Err(ProblemError::NegativeCompliance {
            row,
            value: values[row],
        }),
        None => Ok(values.iter().all(|r| *r == 0.0)),
    }
}

/// Every block with off-diagonal entries of R exists, has all of them, and no negative eigenvalue.
pub(super) fn coupled(
    blocks: &[Block],
    diagonal: &[f64],
    coupled: &CoupledCompliance,
) -> Result<(), ProblemError> {
    let mut next = 0;
    for (index, lower) in coupled.iter() {
        let refuse = |fault| {
            Err(ProblemError::CoupledCompliance {
                block: index,
                fault,
            })
        };
        let Some(block) = blocks.get(index).filter(|_| index >= next) else {
            return refuse(CouplingFault::Block);
        };
        next = index + 1;
        let (found, expected) = (lower.len(), CoupledCompliance::packed_len(block.dim));
        if found != expected {
            return refuse(CouplingFault::Length { found, expected });
        }
        if let Some(entry) = first_not_finite(lower) {
            return refuse(CouplingFault::NonFinite { entry });
        }
        if !is_semidefinite(&diagonal[block.rows()], lower) {
            return refuse(CouplingFault::Indefinite);
        }
    }
    Ok(())
}

fn blocks(blocks: &[Block], rows: usize) -> Result<(), ProblemError> {
    let mut next = 0usize;
    for (index, block) in blocks.iter().enumerate() {
        let in_order = block.first_row == next && block.dim > 0;
        next = next.saturating_add(block.dim);
        if !in_order || next > rows {
            return Err(ProblemError::BlockRows { block: index });
        }
        law(index, block)?;
    }
    length("rows of all blocks", next, rows)
}

fn law(index: usize, block: &Block) -> Result<(), ProblemError> {
    let dimension = |fits: bool| {
        if fits {
            return Ok(());
        }
        Err(ProblemError::LawDimension {
            block: index,
            law: block.law.kind(),
            dim: block.dim,
        })
    };
    match &block.law {
        Law::Equality => Ok(()),
        Law::Bounds { lower, upper } => bounds(index, *lower, *upper),
        Law::Contact(friction) => {
            // friction needs tangents
            let least = if friction.is_frictionless() { 1 } else { 2 };
            dimension((least..=3).contains(&block.dim))?;
            match *friction {
                Friction::Facets { facets, .. } if !Polygon::is_valid(facets) => {
                    Err(ProblemError::Facets {
                        block: index,
                        facets,
                    })
                }
                Friction::FixedBox { limit } => non_negative(index, limit),
                _ => coefficient(index, friction.mu()),
            }
        }
        Law::Patch(patch) => {
            dimension(!patch.levers.is_empty() && block.dim == patch.levers.len() + 3)?;
            coefficient(index, patch.mu)?;
            patch
                .levers
                .iter()
                .try_for_each(|lever| non_negative(index, *lever))
        }
        Law::Rolling(rolling) => {
            dimension(block.dim == rolling.rows())?;
            coefficient(index, rolling.mu)?;
            coefficient(index, rolling.rolling)?;
            rolling
                .spinning
                .map_or(Ok(()), |spinning| coefficient(index, spinning))
        }
        Law::Scaled(scaled) => {
            dimension(scaled.fits(block.dim))?;
            scaled.wrong_number().map_or(Ok(()), |value| {
                Err(ProblemError::LawNumber {
                    block: index,
                    law: scaled.entry().kind,
                    value,
                })
            })
        }
    }
}

fn bounds(block: usize, lower: f64, upper: f64) -> Result<(), ProblemError> {
    if lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY {
        return Ok(());
    }
    Err(ProblemError::Bounds {
        block,
        lower,
        upper,
    })
}

fn non_negative(block: usize, value: f64) -> Result<(), ProblemError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(ProblemError::FrictionCoefficient { block, value })
}

/// A coefficient of friction is zero, or so large that residuals see it, and its squares are
/// finite.
fn coefficient(block: usize, value: f64) -> Result<(), ProblemError> {
    non_negative(block, value)?;
    if value == 0.0 || Law::COEFFICIENTS.contains(&value) {
        return Ok(());
    }
    Err(ProblemError::CoefficientRange { block, value })
}

fn masses(rows: &BodyRows) -> Result<(), ProblemError> {
    finite("free velocity", &rows.free_velocity, 6 * rows.len())?;
    for (body, mass) in rows.mass.iter().enumerate() {
        let linear = mass.inverse_mass;
        if linear.iter().any(|m| !m.is_finite() || *m < 0.0) {
            return Err(ProblemError::InverseMass { body });
        }
        inertia(body, &mass.inverse_inertia)?;
    }
    Ok(())
}

fn bodies(rows: &BodyRows, blocks: &[Block]) -> Result<(), ProblemError> {
    masses(rows)?;
    length("first_body", rows.first_body.len(), blocks.len() + 1)?;
    length("first_entry", rows.first_entry.len(), blocks.len() + 1)?;
    let (mut next_body, mut next_entry) = (0, 0);
    for (index, block) in blocks.iter().enumerate() {
        let offsets = rows.first_body[index] == next_body
            && rows.first_entry[index] == next_entry
            && rows.first_body[index + 1] >= next_body
            && rows.first_body[index + 1] <= rows.block_bodies.len();
        if !offsets {
            return Err(ProblemError::BlockBodies { block: index });
        }
        let touched = rows.bodies_of(index);
        for (position, body) in touched.iter().enumerate() {
            if *body as usize >= rows.len() || touched[..position].contains(body) {
                return Err(ProblemError::BlockBodies { block: index });
            }
        }
        next_body = rows.first_body[index + 1];
        next_entry += block.dim * touched.len();
        if touched.is_empty() {
            return Err(ProblemError::BlockBodies { block: index });
        }
    }
    length("block bodies", rows.block_bodies.len(), next_body)?;
    length("jacobian", rows.jacobian.len(), next_entry)?;
    length(
        "jacobian offsets",
        rows.first_entry[blocks.len()],
        next_entry,
    )
}

/// No entry of a Jacobian is infinite or NaN.
pub(super) fn jacobian(entries: &[[f64; 6]]) -> Result<(), ProblemError> {
    match first_not_finite(entries.as_flattened()) {
        Some(index) => Err(ProblemError::NonFinite {
            what: "jacobian",
            index: index / 6,
        }),
        None => Ok(()),
    }
}

fn inertia(body: usize, inverse: &Matrix3<f64>) -> Result<(), ProblemError> {
    if inverse.iter().any(|x| !x.is_finite()) {
        return Err(ProblemError::InverseInertia { body });
    }
    let scale = inverse.amax();
    let asymmetry = (inverse - inverse.transpose()).amax();
    let negative = scale > 0.0
        && !is_dominant(inverse)
        && !is_definite(inverse)
        && SymmetricEigen::new(*inverse / scale).eigenvalues.min() < -INERTIA_TOLERANCE;
    if asymmetry > INERTIA_TOLERANCE * scale || negative {
        return Err(ProblemError::InverseInertia { body });
    }
    Ok(())
}

/// True if no diagonal element is below the sum of the others of its row: then no eigenvalue is
/// negative (Gershgorin).
fn is_dominant(m: &Matrix3<f64>) -> bool {
    let off = [m.m21.abs(), m.m31.abs(), m.m32.abs()];
    m.m11 >= off[0] + off[1] && m.m22 >= off[0] + off[2] && m.m33 >= off[1] + off[2]
}

/// True if the leading minors are so far above zero that no eigenvalue is negative beyond rounding
/// (Sylvester).
fn is_definite(m: &Matrix3<f64>) -> bool {
    let scale = m.trace();
    let minor = m.m11 * m.m22 - m.m21 * m.m21;
    let cofactors = [
        minor,
        m.m31 * m.m21 - m.m11 * m.m32,
        m.m21 * m.m32 - m.m22 * m.m31,
    ];
    let determinant = m.m33 * cofactors[0] + m.m32 * cofactors[1] + m.m31 * cofactors[2];
    let clear = 1e-9;
    m.m11 > clear * scale
        && minor > clear * scale * scale
        && determinant > clear * scale * scale * scale
}
