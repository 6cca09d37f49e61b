//! Splits a problem into islands, between which no impulse acts, and joins problems into one.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::bodies::BodyRows;
use crate::coupled::CoupledCompliance;
use crate::error::ProblemError;
use crate::law::Block;
use crate::problem::{Operator, Problem, ProblemParts};

/// One island as a separate problem: blocks that share movable bodies, directly or through other
/// blocks.
#[derive(Debug, Clone)]
pub struct Island {
    /// The blocks and the bodies that they touch.
    pub problem: Problem,
    /// Its rows in the whole problem, ascending.
    rows: Vec<Range<usize>>,
    /// Its bodies in the whole problem, ascending; an immovable body may be in several islands.
    bodies: Vec<usize>,
}

impl Island {
    /// Copies the numbers of this island's rows from `all`, which has one number per row of the
    /// whole problem.
    ///
    /// # Panics
    /// If `all` ends before the last row of this island.
    pub fn gather(&self, all: &[f64], own: &mut Vec<f64>) {
        own.clear();
        for rows in &self.rows {
            own.extend_from_slice(&all[rows.clone()]);
        }
    }

    /// Copies the numbers of this island's rows into `all`, which has one number per row of the
    /// whole problem.
    ///
    /// # Panics
    /// If a slice has too few numbers.
    pub fn scatter(&self, own: &[f64], all: &mut [f64]) {
        let mut first = 0;
        for rows in &self.rows {
            all[rows.clone()].copy_from_slice(&own[first..first + rows.len()]);
            first += rows.len();
        }
    }

    /// Copies the velocities of this island's bodies, six each \[m/s, rad/s\], into `all`, which
    /// has those of the whole problem.
    ///
    /// # Panics
    /// If a slice has too few numbers.
    pub fn scatter_velocities(&self, own: &[f64], all: &mut [f64]) {
        for (own, body) in own.as_chunks::<6>().0.iter().zip(&self.bodies) {
            all[6 * body..6 * body + 6].copy_from_slice(own);
        }
    }

    /// Returns the index in the whole problem of row `row` of this island.
    pub fn row(&self, row: usize) -> usize {
        let mut left = row;
        for rows in &self.rows {
            if left < rows.len() {
                return rows.start + left;
            }
            left -= rows.len();
        }
        row
    }
}

impl Problem {
    /// Returns the islands of the problem, ordered by their first blocks. Two blocks belong to one
    /// island if an impulse of one changes the velocity of the other, directly or through other
    /// blocks. Immovable bodies do not connect blocks. A problem given by its matrix is one island.
    ///
    /// # Errors
    /// Only errors that [`Self::new`] would also report for the whole problem.
    pub fn islands(&self) -> Result<Vec<Island>, ProblemError> {
        let islands = self.island_blocks();
        islands.iter().map(|blocks| self.island(blocks)).collect()
    }

    /// Returns the indices of the blocks of each island, ascending, without building the problems
    /// of the islands.
    pub fn island_blocks(&self) -> Vec<Vec<usize>> {
        let blocks = self.blocks().len();
        match &self.parts.operator {
            Operator::Bodies(bodies) => components(bodies, blocks),
            Operator::Matrix(_) => vec![(0..blocks).collect()],
        }
    }

    /// Builds the problem of one island from its entry in [`Self::island_blocks`]. Islands can be
    /// made on several threads.
    ///
    /// # Errors
    /// Those of [`Self::islands`].
    ///
    /// # Panics
    /// If there is no such block.
    pub fn island(&self, blocks: &[usize]) -> Result<Island, ProblemError> {
        match &self.parts.operator {
            Operator::Bodies(bodies) => island(&self.parts, bodies, blocks),
            Operator::Matrix(_) => {
                let rows = 0..self.rows();
                Ok(Island {
                    problem: self.clone(),
                    rows: vec![rows],
                    bodies: Vec::new(),
                })
            }
        }
    }

    /// Joins problems with bodies into one, whose bodies, blocks and rows are those of the given
    /// problems, one problem after the other. Its [`Self::step`] is that of the problems if they
    /// agree, otherwise `None`. [`Self::islands`] separates the problems again, and also splits a
    /// problem that has several islands.
    ///
    /// # Errors
    /// More bodies than an index can count, or a problem that is given by its matrix.
    pub fn concatenate(problems: impl IntoIterator<Item = Self>) -> Result<Self, ProblemError> {
        let mut all = Joined::default();
        for problem in problems {
            all.push(problem.into_parts())?;
        }
        Self::new(ProblemParts {
            operator: Operator::Bodies(all.bodies),
            step: all.steps.filter(|_| all.agree).flatten(),
            ..all.parts
        })
    }
}

/// Blocks of every island, ascending, by the first of each.
fn components(bodies: &BodyRows, blocks: usize) -> Vec<Vec<usize>> {
    let mut parent: Vec<usize> = (0..bodies.len()).collect();
    let movable = |block: usize| {
        let touched = bodies.bodies_of(block).iter().map(|body| *body as usize);
        touched.filter(|body| !bodies.mass[*body].is_immovable())
    };
    for block in 0..blocks {
        let mut touched = movable(block);
        let Some(first) = touched.next() else {
            continue;
        };
        for other in touched {
            let (a, b) = (find(&mut parent, first), find(&mut parent, other));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut islands: Vec<Vec<usize>> = Vec::new();
    let mut of_root = vec![None; bodies.len()];
    for block in 0..blocks {
        let root = movable(block).next().map(|body| find(&mut parent, body));
        // compliance alone answers a block on bodies that nothing moves
        let known = root.and_then(|root| of_root[root]);
        if let Some(island) = known {
            let blocks: &mut Vec<usize> = &mut islands[island];
            blocks.push(block);
            continue;
        }
        if let Some(root) = root {
            of_root[root] = Some(islands.len());
        }
        islands.push(vec![block]);
    }
    islands
}

/// The representative of a body, with its path halved.
fn find(parent: &mut [usize], mut body: usize) -> usize {
    while parent[body] != body {
        parent[body] = parent[parent[body]];
        body = parent[body];
    }
    body
}

fn island(
    parts: &ProblemParts,
    bodies: &BodyRows,
    blocks: &[usize],
) -> Result<Island, ProblemError> {
    let mut rows: Vec<Range<usize>> = Vec::new();
    for block in blocks {
        let own = parts.blocks[*block].rows();
        match rows.last_mut() {
            Some(last) if last.end == own.start => last.end = own.end,
            _ => rows.push(own),
        }
    }
    let touched = blocks.iter().flat_map(|block| bodies.bodies_of(*block));
    let mut touched: Vec<usize> = touched.map(|body| *body as usize).collect();
    touched.sort_unstable();
    touched.dedup();
    let mut island = Island {
        problem: Problem::new(parts_of(parts, bodies, blocks, &touched)?)?,
        rows,
        bodies: touched,
    };
    island.rows.shrink_to_fit();
    Ok(island)
}

/// The parts of some blocks on the bodies that they touch.
fn parts_of(
    parts: &ProblemParts,
    bodies: &BodyRows,
    blocks: &[usize],
    touched: &[usize],
) -> Result<ProblemParts, ProblemError> {
    let places = touched.iter().enumerate();
    let place: BTreeMap<usize, u32> = places
        .map(|(place, body)| Ok((*body, body_index(place)?)))
        .collect::<Result<_, ProblemError>>()?;
    let mut own = BodyRows {
        mass: touched.iter().map(|body| bodies.mass[*body]).collect(),
        ..BodyRows::default()
    };
    for body in touched {
        let velocity = &bodies.free_velocity[6 * body..6 * body + 6];
        own.free_velocity.extend_from_slice(velocity);
    }
    let mut out = empty(parts.step);
    for (index, block) in blocks.iter().copied().enumerate() {
        let Block {
            dim, law, feature, ..
        } = parts.blocks[block].clone();
        let rows = parts.blocks[block].rows();
        let of_block = bodies.bodies_of(block).iter();
        own.block_bodies
            .extend(of_block.map(|body| place[&(*body as usize)]));
        let entries = bodies.first_entry[block]..bodies.first_entry[block + 1];
        own.jacobian.push_block(&bodies.jacobian, block, entries);
        own.first_body.push(own.block_bodies.len());
        own.first_entry.push(own.jacobian.len());
        out.blocks.push(Block {
            first_row: out.bias.len(),
            dim,
            law,
            feature,
        });
        out.bias.extend_from_slice(&parts.bias[rows.clone()]);
        out.compliance.extend_from_slice(&parts.compliance[rows]);
        out.activity.push(parts.activity[block]);
        if let Some(lower) = parts.coupled_compliance.of(block) {
            out.coupled_compliance.push(index, lower);
        }
    }
    out.operator = Operator::Bodies(own);
    Ok(out)
}

/// No bodies and no blocks.
fn empty(step: Option<super::StepScale>) -> ProblemParts {
    ProblemParts {
        operator: Operator::Bodies(BodyRows::default()),
        blocks: Vec::new(),
        bias: Vec::new(),
        compliance: Vec::new(),
        coupled_compliance: CoupledCompliance::new(),
        activity: Vec::new(),
        step,
    }
}

fn body_index(body: usize) -> Result<u32, ProblemError> {
    u32::try_from(body).map_err(|_| ProblemError::Length {
        what: "the bodies of all problems",
        found: body,
        expected: u32::MAX as usize,
    })
}

/// Problems joined so far.
struct Joined {
    bodies: BodyRows,
    parts: ProblemParts,
    /// The step of the first.
    steps: Option<Option<super::StepScale>>,
    agree: bool,
}

impl Default for Joined {
    fn default() -> Self {
        Self {
            bodies: BodyRows::default(),
            parts: empty(None),
            steps: None,
            agree: true,
        }
    }
}

impl Joined {
    fn push(&mut self, more: ProblemParts) -> Result<(), ProblemError> {
        let Operator::Bodies(bodies) = more.operator else {
            return Err(ProblemError::Length {
                what: "the bodies of a problem that is given by its matrix",
                found: 0,
                expected: more.blocks.len(),
            });
        };
        let first_body = body_index(self.bodies.len())?;
        let all = &mut self.bodies;
        body_index(all.len() + bodies.len())?;
        let (places, entries) = (all.block_bodies.len(), all.jacobian.len());
        all.mass.extend(bodies.mass);
        all.free_velocity.extend(bodies.free_velocity);
        let touched = bodies.block_bodies.into_iter();
        all.block_bodies
            .extend(touched.map(|body| first_body + body));
        let ends = bodies.first_body.into_iter().skip(1);
        all.first_body.extend(ends.map(|end| places + end));
        let ends = bodies.first_entry.into_iter().skip(1);
        all.first_entry.extend(ends.map(|end| entries + end));
        all.jacobian.extend(&bodies.jacobian);
        let (rows, blocks) = (self.parts.bias.len(), self.parts.blocks.len());
        self.parts
            .blocks
            .extend(more.blocks.into_iter().map(|block| Block {
                first_row: rows + block.first_row,
                ..block
            }));
        self.parts.bias.extend(more.bias);
        self.parts.compliance.extend(more.compliance);
        self.parts.activity.extend(more.activity);
        for (block, lower) in more.coupled_compliance.iter() {
            self.parts.coupled_compliance.push(blocks + block, lower);
        }
        self.agree &= *self.steps.get_or_insert(more.step) == more.step;
        Ok(())
    }
}
