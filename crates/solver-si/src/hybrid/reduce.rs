//! The problem that is left for contacts when joints are eliminated.

use delassus_core::{
    Block, BlockSparse, CoupledCompliance, MatrixRows, Operator, Problem, ProblemError,
    ProblemParts,
};

use super::couplings::Upper;
use super::joints::{Joints, Places};
use super::ldl::fill;

/// Share of A_ii that a row keeps at least \[-\]: joints can take all freedom from a row, and
/// rounding is left then.
const LEAST_DIAGONAL: f64 = 1e-10;

/// Contacts, bounds and held blocks with Â = A_cc − A_cj A_jj⁻¹ A_jc and b̂ = b_c − A_cj A_jj⁻¹ b_j
/// (G.38), and the memory that the next problem is reduced in.
#[derive(Debug, Clone, Default)]
pub(super) struct Reduced {
    problem: Option<Problem>,
    /// The blocks that are no joints, by their numbers in the problem.
    kept: Vec<usize>,
    /// Â of these blocks.
    upper: Upper,
    /// Islands of joints with the blocks that they act on, ascending; and the same the other way
    /// round.
    blocks_of: Vec<(usize, u32)>,
    islands_of: Vec<(u32, usize)>,
    /// Blocks that some islands couple with one.
    others: Vec<u32>,
    /// Of every block of Â its row, its column, and its number in `upper`.
    whole: Vec<(u32, u32, usize)>,
    y: Vec<f64>,
    x: Vec<f64>,
}

impl Reduced {
    /// Eliminates the joints of another problem.
    pub(super) fn renew(
        &mut self,
        problem: &Problem,
        couplings: &Upper,
        places: &Places,
        joints: &mut Joints,
    ) -> Result<(), ProblemError> {
        let earlier = match self.problem.take() {
            Some(earlier) => earlier,
            None => Problem::new(nothing())?,
        };
        self.kept.clear();
        let blocks = 0..places.other.len();
        self.kept
            .extend(blocks.filter(|block| places.other[*block].is_some()));
        let reduced = earlier.rebuild(|parts| {
            self.write_parts(problem, places, parts);
            self.announce(&parts.blocks, couplings, joints);
            self.eliminate(&parts.blocks, joints);
            self.keep_diagonals(&parts.blocks, problem);
            self.write_operator(&parts.blocks, problem, joints, &mut parts.operator)
        })?;
        self.problem = Some(reduced);
        Ok(())
    }

    /// What is left.
    pub(super) fn problem(&self) -> Option<&Problem> {
        self.problem.as_ref()
    }

    /// The rows of the problem that are kept.
    pub(super) fn rows(&self, problem: &Problem) -> impl Iterator<Item = usize> {
        let blocks = self.kept.iter();
        blocks.flat_map(|block| problem.blocks()[*block].rows())
    }

    /// Everything but A and the free velocity.
    fn write_parts(&self, problem: &Problem, places: &Places, parts: &mut ProblemParts) {
        parts.blocks.truncate(self.kept.len());
        for (place, index) in self.kept.iter().enumerate() {
            let block = &problem.blocks()[*index];
            let first_row = places.other[*index].unwrap_or(0);
            match parts.blocks.get_mut(place) {
                Some(own) => {
                    (own.first_row, own.dim) = (first_row, block.dim);
                    own.feature = block.feature;
                    own.law.copy_from(&block.law);
                }
                None => parts.blocks.push(Block {
                    first_row,
                    ..block.clone()
                }),
            }
        }
        let compliance = self.rows(problem).map(|row| problem.compliance()[row]);
        parts.compliance.clear();
        parts.compliance.extend(compliance);
        fill(&mut parts.bias, parts.compliance.len(), 0.0);
        parts.coupled_compliance.clear();
        for (place, block) in self.kept.iter().enumerate() {
            if let Some(lower) = problem.coupled_compliance().of(*block) {
                parts.coupled_compliance.push(place, lower);
            }
        }
        let activity = self.kept.iter().map(|block| problem.activity()[*block]);
        parts.activity.clear();
        parts.activity.extend(activity);
        parts.step = problem.step();
    }

    /// Finds the blocks of Â, and begins with A_cc.
    fn announce(&mut self, blocks: &[Block], couplings: &Upper, joints: &Joints) {
        self.list_islands(blocks, joints);
        self.upper.clear();
        for place in (0u32..).take(blocks.len()) {
            self.upper.announce(place, place);
            self.find_others(place);
            for other in &self.others {
                self.upper.announce(place, *other);
            }
        }
        let Self { kept, upper, .. } = self;
        // in their order, so that what is on or above the diagonal stays there
        let number = |block: u32| {
            let found = kept.binary_search(&(block as usize)).ok();
            found.and_then(|place| u32::try_from(place).ok())
        };
        let inner = || {
            let all = couplings.iter();
            all.filter_map(|((c, d), values)| Some((number(c)?, number(d)?, values)))
        };
        inner().for_each(|(c, d, _)| upper.announce(c, d));
        upper.settle(|place| blocks[place as usize].dim);
        inner().for_each(|(c, d, values)| upper.block_mut(c, d).copy_from_slice(values));
    }

    /// Which islands of joints act on which blocks.
    fn list_islands(&mut self, blocks: &[Block], joints: &Joints) {
        self.blocks_of.clear();
        for (place, block) in (0u32..).zip(blocks) {
            for (joint, _) in block.rows().flat_map(|row| joints.links.row(row)) {
                let pair = (joints.islands[*joint], place);
                if self.blocks_of.last() != Some(&pair) {
                    self.blocks_of.push(pair);
                }
            }
        }
        self.blocks_of.sort_unstable();
        self.blocks_of.dedup();
        self.islands_of.clear();
        let turned = self
            .blocks_of
            .iter()
            .map(|(island, block)| (*block, *island));
        self.islands_of.extend(turned);
        self.islands_of.sort_unstable();
    }

    /// Lists the blocks from `place` on that islands couple with it.
    fn find_others(&mut self, place: u32) {
        self.others.clear();
        let first = self.islands_of.partition_point(|(block, _)| *block < place);
        let own = self.islands_of[first..].iter();
        for (_, island) in own.take_while(|(block, _)| *block == place) {
            let first = self
                .blocks_of
                .partition_point(|pair| *pair < (*island, place));
            let coupled = self.blocks_of[first..].iter();
            let coupled = coupled.take_while(|(of, _)| of == island);
            self.others.extend(coupled.map(|(_, block)| *block));
        }
        self.others.sort_unstable();
        self.others.dedup();
    }

    /// Subtracts A_cj A_jj⁻¹ A_jc; leaves A_jj⁻¹ b_j in `x`.
    fn eliminate(&mut self, blocks: &[Block], joints: &mut Joints) {
        let n = joints.rows.len();
        fill(&mut self.y, n, 0.0);
        fill(&mut self.x, n, 0.0);
        for (c, block) in (0u32..).zip(blocks) {
            self.find_others(c);
            if self.others.is_empty() {
                continue;
            }
            for (i, row) in block.rows().enumerate() {
                self.y.fill(0.0);
                for (joint, value) in joints.links.row(row) {
                    self.y[*joint] += value;
                }
                joints.inverse_times(&self.y, &mut self.x);
                for d in &self.others {
                    let other = &blocks[*d as usize];
                    let values = self.upper.block_mut(c, *d);
                    for (j, column) in other.rows().enumerate() {
                        values[i * other.dim + j] -= along(joints.links.row(column), &self.x);
                    }
                }
            }
        }
        joints.inverse_of_b(&mut self.x);
    }

    /// Rows that joints leave no freedom keep a little; the diagonal blocks become symmetric.
    fn keep_diagonals(&mut self, blocks: &[Block], problem: &Problem) {
        for ((place, block), kept) in (0u32..).zip(blocks).zip(&self.kept) {
            let first = problem.blocks()[*kept].first_row;
            let (dim, values) = (block.dim, self.upper.block_mut(place, place));
            for i in 0..dim {
                let own = &mut values[i * dim + i];
                *own = own.max(LEAST_DIAGONAL * problem.diagonal()[first + i]);
                for j in 0..i {
                    values[i * dim + j] = values[j * dim + i];
                }
            }
        }
    }

    /// Â and b̂, for which `x` has A_jj⁻¹ b_j.
    fn write_operator(
        &mut self,
        blocks: &[Block],
        problem: &Problem,
        joints: &Joints,
        operator: &mut Operator,
    ) -> Result<(), ProblemError> {
        let Operator::Matrix(matrix) = operator else {
            return Ok(());
        };
        matrix.free_velocity.clear();
        let shifts = joints.links.iter().map(|links| along(links, &self.x));
        let velocities = self.rows(problem).zip(shifts);
        let velocities = velocities.map(|(row, shift)| problem.b()[row] - shift);
        matrix.free_velocity.extend(velocities);
        self.whole.clear();
        for (index, (c, d)) in self.upper.places().iter().enumerate() {
            self.whole.push((*c, *d, index));
            if c != d {
                self.whole.push((*d, *c, index));
            }
        }
        self.whole.sort_unstable();
        let entries = self.whole.iter().map(|(row, column, index)| {
            let (row, column) = (*row as usize, *column as usize);
            let (height, width) = (blocks[row].dim, blocks[column].dim);
            let values = self.upper.block(*index);
            let value = move |k: usize| match row <= column {
                true => values[k],
                false => values[(k % width) * height + k / width],
            };
            (row, column, (0..height * width).map(value))
        });
        let dims = blocks.iter().map(|block| block.dim);
        matrix.delassus.renew(dims, entries)
    }
}

/// A problem given by a matrix that has no rows yet.
fn nothing() -> ProblemParts {
    ProblemParts {
        operator: Operator::Matrix(MatrixRows {
            delassus: BlockSparse::default(),
            free_velocity: Vec::new(),
        }),
        blocks: Vec::new(),
        bias: Vec::new(),
        compliance: Vec::new(),
        coupled_compliance: CoupledCompliance::new(),
        activity: Vec::new(),
        step: None,
    }
}

fn along(links: &[(usize, f64)], x: &[f64]) -> f64 {
    links.iter().map(|(row, value)| value * x[*row]).sum()
}
