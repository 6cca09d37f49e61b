//! In what the problem of a world has another structure.

use std::fmt;

use delassus_core::{BodyRows, Problem};

use super::parameters::without_coefficient;

/// The first difference of a problem from the structure of world 0. What worlds have for themselves
/// is none: one coefficient of friction, masses, free velocities, bias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StructureDifference {
    /// The problem is given by its matrix.
    Matrix,
    /// Another number of bodies \[-\].
    Bodies {
        /// Those of the problem.
        found: usize,
        /// Those of world 0.
        expected: usize,
    },
    /// Another number of blocks \[-\].
    Blocks {
        /// Those of the problem.
        found: usize,
        /// Those of world 0.
        expected: usize,
    },
    /// A block between other bodies.
    Between {
        /// The block.
        block: usize,
    },
    /// A block with another law, or with another number of it than a coefficient of friction.
    Law {
        /// The block.
        block: usize,
    },
    /// A world has contacts with different coefficients of friction.
    Friction {
        /// The first block that differs.
        block: usize,
    },
    /// A block with other Jacobians: axes or arms.
    Geometry {
        /// The block.
        block: usize,
    },
    /// A block with other compliance.
    Compliance {
        /// The block.
        block: usize,
    },
    /// A block with other rows that are solved for.
    Activity {
        /// The block.
        block: usize,
    },
    /// A body that nothing moves in one of the worlds only.
    Immovable {
        /// The body.
        body: usize,
    },
    /// Another time step or gravity.
    Step,
}

impl StructureDifference {
    /// The first difference of `problem` from `structure`; coefficients of friction are none.
    pub(super) fn between(structure: &Problem, problem: &Problem) -> Option<Self> {
        let (Some(first), Some(own)) = (structure.bodies(), problem.bodies()) else {
            return Some(Self::Matrix);
        };
        let (found, expected) = (own.len(), first.len());
        if found != expected {
            return Some(Self::Bodies { found, expected });
        }
        let (found, expected) = (problem.blocks().len(), structure.blocks().len());
        if found != expected {
            return Some(Self::Blocks { found, expected });
        }
        if problem.step() != structure.step() {
            return Some(Self::Step);
        }
        let mut pairs = own.mass.iter().zip(&first.mass);
        let held = pairs.position(|(own, first)| own.is_immovable() != first.is_immovable());
        if let Some(body) = held {
            return Some(Self::Immovable { body });
        }
        let mut blocks = 0..problem.blocks().len();
        blocks.find_map(|block| Self::of_block(block, structure, first, problem, own))
    }

    fn of_block(
        block: usize,
        structure: &Problem,
        first: &BodyRows,
        problem: &Problem,
        own: &BodyRows,
    ) -> Option<Self> {
        let [known, found] = [structure, problem].map(|problem| &problem.blocks()[block]);
        let law = without_coefficient(&known.law) == without_coefficient(&found.law);
        if !law || known.dim != found.dim {
            return Some(Self::Law { block });
        }
        if own.bodies_of(block) != first.bodies_of(block) {
            return Some(Self::Between { block });
        }
        if !same_geometry(block, known.dim, first, own) {
            return Some(Self::Geometry { block });
        }
        let compliance = |problem: &Problem| {
            let diagonal = &problem.compliance()[found.rows()];
            let coupled = problem.coupled_compliance().of(block);
            let all = diagonal.iter().chain(coupled.unwrap_or_default());
            all.map(|number| number.to_bits()).collect::<Vec<_>>()
        };
        if compliance(structure) != compliance(problem) {
            return Some(Self::Compliance { block });
        }
        let other = structure.activity()[block] != problem.activity()[block];
        other.then_some(Self::Activity { block })
    }
}

/// True for a block with the same bits of axes and arms, or of rows.
fn same_geometry(block: usize, rows: usize, first: &BodyRows, own: &BodyRows) -> bool {
    if let (Some(known), Some(found)) = (first.jacobian.point(block), own.jacobian.point(block)) {
        let same = |one: &[f64], other: &[f64]| {
            let mut pairs = one.iter().zip(other);
            pairs.all(|(one, other)| one.to_bits() == other.to_bits())
        };
        let axes = (0..3).all(|i| same(known.axes[i].as_slice(), found.axes[i].as_slice()));
        let arms = (0..2).all(|i| same(known.arms[i].as_slice(), found.arms[i].as_slice()));
        return axes && arms;
    }
    let bits = |bodies: &BodyRows, row: usize| -> Vec<u64> {
        let numbers = bodies.row(block, row).iter().flatten();
        numbers.map(|number| number.to_bits()).collect()
    };
    (0..rows).all(|row| bits(first, row) == bits(own, row))
}

impl fmt::Display for StructureDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matrix => write!(f, "it is given by its matrix; worlds need bodies"),
            Self::Bodies { found, expected } => {
                write!(f, "it has {found} bodies, and world 0 has {expected}")
            }
            Self::Blocks { found, expected } => {
                write!(f, "it has {found} blocks, and world 0 has {expected}")
            }
            Self::Between { block } => {
                write!(
                    f,
                    "its block {block} is between other bodies than in world 0"
                )
            }
            Self::Law { block } => {
                write!(f, "its block {block} has another law than in world 0")
            }
            Self::Friction { block } => write!(
                f,
                "its block {block} has another coefficient of friction than in world 0, and the contacts of one of \
                 the two have several"
            ),
            Self::Geometry { block } => {
                write!(
                    f,
                    "its block {block} has other axes or arms than in world 0"
                )
            }
            Self::Compliance { block } => {
                write!(f, "its block {block} has other compliance than in world 0")
            }
            Self::Activity { block } => write!(
                f,
                "its block {block} has other rows that are solved for than in world 0"
            ),
            Self::Immovable { body } => write!(
                f,
                "nothing moves its body {body}, or that of world 0, and not both"
            ),
            Self::Step => write!(f, "it has another time step or gravity than world 0"),
        }
    }
}
