//! Building problems body by body and block by block.

use crate::bodies::{BodyRows, MassProperties};
use crate::coupled::CoupledCompliance;
use crate::error::ProblemError;
use crate::jacobian::{ContactArms, ContactAxes, Jacobian, POINT_ROWS};
use crate::law::{Block, Law};
use crate::problem::{Activity, Operator, Problem, ProblemMemory, ProblemParts, StepScale};

/// Builds a problem from bodies and blocks. [`Self::build`] validates them.
///
/// ```
/// use delassus_core::{Friction, Law, MassProperties, ProblemBuilder};
/// use nalgebra::Vector3;
///
/// // a unit box that falls at 1 m/s onto a static body; one frictionless contact below its centre
/// let mut builder = ProblemBuilder::new();
/// let ground = builder.body(MassProperties::immovable(), [0.0; 6]);
/// let mass = MassProperties::aligned(1.0, Vector3::repeat(1.0 / 6.0));
/// let body = builder.body(mass, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
/// let up = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
/// builder.block(Law::Contact(Friction::Frictionless), &[body], &[[up]]);
/// let problem = builder.build()?;
/// assert_eq!(problem.b(), [-1.0]);
/// # Ok::<(), delassus_core::ProblemError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ProblemBuilder {
    rows: BodyRows,
    blocks: Vec<Block>,
    bias: Vec<f64>,
    compliance: Vec<f64>,
    coupled: CoupledCompliance,
    /// No entries.
    activity: Vec<Activity>,
    memory: ProblemMemory,
    step: Option<StepScale>,
}

impl Default for BodyRows {
    fn default() -> Self {
        Self {
            mass: Vec::new(),
            free_velocity: Vec::new(),
            first_body: vec![0],
            block_bodies: Vec::new(),
            first_entry: vec![0],
            jacobian: Jacobian::default(),
        }
    }
}

impl BodyRows {
    /// Removes all bodies and blocks and keeps the memory.
    fn clear(&mut self) {
        self.mass.clear();
        self.free_velocity.clear();
        self.first_body.truncate(1);
        self.block_bodies.clear();
        self.first_entry.truncate(1);
        self.jacobian.clear();
    }
}

impl ProblemBuilder {
    /// Creates a builder without bodies and blocks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty builder that reuses the memory of a problem.
    pub fn in_memory_of(problem: Problem) -> Self {
        let (parts, memory) = problem.into_memory();
        let ProblemParts {
            operator,
            mut blocks,
            mut bias,
            mut compliance,
            coupled_compliance: mut coupled,
            mut activity,
            ..
        } = parts;
        let Operator::Bodies(mut rows) = operator else {
            return Self::default();
        };
        rows.clear();
        blocks.clear();
        bias.clear();
        compliance.clear();
        coupled.clear();
        activity.clear();
        Self {
            rows,
            blocks,
            bias,
            compliance,
            coupled,
            activity,
            memory,
            step: None,
        }
    }

    /// Reserves memory for these numbers of bodies, blocks, rows and Jacobian entries \[-\].
    pub fn reserve(
        &mut self,
        bodies: usize,
        blocks: usize,
        rows: usize,
        entries: usize,
    ) -> &mut Self {
        self.rows.mass.reserve(bodies);
        self.rows.free_velocity.reserve(6 * bodies);
        self.rows.first_body.reserve(blocks);
        self.rows.first_entry.reserve(blocks);
        self.rows.block_bodies.reserve(2 * blocks);
        self.rows.jacobian.reserve(entries);
        self.blocks.reserve(blocks);
        self.bias.reserve(rows);
        self.compliance.reserve(rows);
        self
    }

    /// Sets the time step `dt` \[s\] and the magnitude of gravity \[m/s²\] of the simulation step
    /// that the problem describes.
    pub fn step(&mut self, dt: f64, gravity: f64) -> &mut Self {
        self.step = Some(StepScale { dt, gravity });
        self
    }

    /// Adds a body with its free velocity v_f, linear \[m/s\] then angular \[rad/s\]; returns its
    /// index.
    pub fn body(&mut self, mass: MassProperties, free_velocity: [f64; 6]) -> usize {
        self.rows.mass.push(mass);
        self.rows.free_velocity.extend(free_velocity);
        self.rows.mass.len() - 1
    }

    /// Adds a block that touches `bodies`; `jacobian[row][j]` is the entry of row `row` for
    /// `bodies[j]`.
    ///
    /// Bias and compliance are zero until [`Self::bias`] and [`Self::compliance`] set them. The
    /// feature ([`Block::feature`]) is the block's index until [`Self::feature`] sets it. Returns
    /// the block's index.
    pub fn block<R: AsRef<[[f64; 6]]>>(
        &mut self,
        law: Law,
        bodies: &[usize],
        jacobian: &[R],
    ) -> usize {
        self.rows.jacobian.edit(|entries| {
            for row in jacobian {
                entries.extend_from_slice(row.as_ref());
            }
        });
        self.push(law, bodies, jacobian.len())
    }

    /// Begins a manifold: the contact points that follow have this normal and these tangents.
    pub fn axes(&mut self, axes: &ContactAxes) -> &mut Self {
        self.rows.jacobian.push_axes(axes);
        self
    }

    /// Adds the block of a contact point with three rows between two bodies (P.14), and returns the
    /// block's index. The axes are those of the last call of [`Self::axes`].
    ///
    /// The problem equals one built with [`Self::block`]. If every block is added with this
    /// function, the Jacobian entries are not computed until they are first read.
    ///
    /// # Panics
    /// If no axes were set.
    pub fn point(&mut self, law: Law, bodies: [usize; 2], arms: &ContactArms) -> usize {
        self.rows.jacobian.push_point(arms);
        self.push(law, &bodies, POINT_ROWS)
    }

    /// Adds a block whose Jacobian entries have already been added.
    fn push(&mut self, law: Law, bodies: &[usize], dim: usize) -> usize {
        let index = self.blocks.len();
        let first_row = self.bias.len();
        // an index that does not fit becomes one that validation refuses
        let bodies = bodies.iter().map(|b| u32::try_from(*b).unwrap_or(u32::MAX));
        self.rows.block_bodies.extend(bodies);
        self.rows.first_body.push(self.rows.block_bodies.len());
        self.rows.first_entry.push(self.rows.jacobian.len());
        self.bias.resize(first_row + dim, 0.0);
        self.compliance.resize(first_row + dim, 0.0);
        self.blocks.push(Block {
            first_row,
            dim,
            law,
            feature: index as u64,
        });
        index
    }

    /// Sets b_pos of the last block, one per row \[m/s | rad/s\].
    ///
    /// # Panics
    /// If there is no block, or the slice does not have one entry per row of the block.
    pub fn bias(&mut self, bias: &[f64]) -> &mut Self {
        let rows = self.last().rows();
        self.bias[rows].copy_from_slice(bias);
        self
    }

    /// Sets the diagonal of the compliance of the last block, one per row \[1/kg | 1/(kg·m²)\].
    ///
    /// # Panics
    /// If there is no block, or the slice does not have one entry per row of the block.
    pub fn compliance(&mut self, compliance: &[f64]) -> &mut Self {
        let rows = self.last().rows();
        self.compliance[rows].copy_from_slice(compliance);
        self
    }

    /// Sets the compliance of the last block \[1/kg | 1/(kg·m) | 1/(kg·m²)\]. `matrix` is symmetric
    /// positive semi-definite, row-major, `dim × dim`; only its lower triangle is read.
    ///
    /// # Panics
    /// If there is no block, or the slice does not have dim² entries.
    pub fn compliance_matrix(&mut self, matrix: &[f64]) -> &mut Self {
        let index = self.blocks.len() - 1;
        let (dim, rows) = (self.last().dim, self.last().rows());
        assert_eq!(matrix.len(), dim * dim, "a square block");
        for (local, row) in rows.enumerate() {
            self.compliance[row] = matrix[local * dim + local];
        }
        let places = CoupledCompliance::lower_indices().take(CoupledCompliance::packed_len(dim));
        let lower: Vec<f64> = places.map(|(i, j)| matrix[i * dim + j]).collect();
        self.coupled.remove_last(index);
        self.coupled.push(index, &lower);
        self
    }

    /// Sets the feature of the last block, an identifier that persists from frame to frame.
    ///
    /// # Panics
    /// If there is no block.
    pub fn feature(&mut self, feature: u64) -> &mut Self {
        let last = self.blocks.len() - 1;
        self.blocks[last].feature = feature;
        self
    }

    /// Validates the parts and freezes the problem.
    ///
    /// # Errors
    /// See [`Problem::new`].
    pub fn build(self) -> Result<Problem, ProblemError> {
        let parts = ProblemParts {
            operator: Operator::Bodies(self.rows),
            blocks: self.blocks,
            bias: self.bias,
            compliance: self.compliance,
            coupled_compliance: self.coupled,
            activity: self.activity,
            step: self.step,
        };
        Problem::new_in(parts, self.memory)
    }

    fn last(&self) -> &Block {
        &self.blocks[self.blocks.len() - 1]
    }
}
