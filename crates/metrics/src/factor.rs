//! K as a product of factors: the groups of rows that one scalar step ρ belongs to.

use std::ops::Range;

use delassus_core::norm::SquareSum;
use delassus_core::{Block, Friction, Law, Patch, Polygon, Problem, Rolling};

use crate::scale::{group_scale, largest_value};
use crate::set::{Parts, Set, dot, length};

mod count;

pub(crate) use count::count;

/// Factors slower than this share of the fastest are judged on it \[-\]: beside a bullet, rounding
/// is no velocity.
const QUIET: f64 = 1e-3;

/// Rows that are judged together: one row of an equality or bounds block, one contact, one normal
/// row of a patch or a rolling contact, the tangents of one, its twist or spin, two rolling rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Factor<'p> {
    /// The block that the rows belong to.
    pub(crate) block: usize,
    /// The rows, at most three.
    pub(crate) rows: Range<usize>,
    /// What the metrics may ask of it.
    pub(crate) role: Role,
    /// L \[1/kg | 1/(kg·m²)\], positive (M.2).
    pub(crate) scale: f64,
    /// √L.
    pub(crate) root_scale: f64,
    /// 1/L \[kg | kg·m²\].
    pub(crate) step: f64,
    /// Those of its normal row and of its tangents by themselves; `None` if it is no contact with
    /// friction rows.
    pub(crate) parts: Option<Parts>,
    coupling: Coupling<'p>,
}

/// What a factor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A row without Signorini's condition: equality, motor, joint limit with two bounds.
    Row,
    /// A normal row of a patch or a rolling contact, a contact without friction, or a row with
    /// bounds [0, ∞).
    Normal,
    /// A contact: a normal row, then its tangents.
    Contact,
    /// Friction of a patch or a rolling contact: tangents, twist, rolling, spin.
    Friction,
}

/// How the set depends on λ.
#[derive(Debug, Clone, PartialEq)]
enum Coupling<'p> {
    /// It does not.
    Fixed(Set),
    /// F5: a fixed cone, but ŵ carries the De Saxcé term.
    Coulomb { mu: f64 },
    /// F2.
    Pyramid { mu: f64 },
    /// F3.
    Disc { mu: f64 },
    /// F4.
    Facets { mu: f64, polygon: Polygon },
    /// Two rows of friction beside the normals of a patch or a rolling contact; \[-\] or \[m\].
    SharedDisc { mu: f64, normals: Range<usize> },
    /// One such row.
    SharedInterval {
        mu: f64,
        normals: Range<usize>,
        levers: &'p [f64],
    },
}

impl Factor<'_> {
    /// K at these impulses (P.4–P.8, P.10, P.11); negative normal impulses give no friction.
    pub(crate) fn set(&self, impulses: &[f64]) -> Set {
        let normal = |row: usize| impulses[row].max(0.0);
        match &self.coupling {
            Coupling::Fixed(set) => *set,
            Coupling::Coulomb { mu } => Set::Cone { mu: *mu },
            Coupling::Pyramid { mu } => Set::NormalAndBox {
                limit: mu * normal(self.rows.start),
            },
            Coupling::Disc { mu } => Set::NormalAndDisc {
                mu: *mu,
                radius: mu * normal(self.rows.start),
            },
            Coupling::Facets { mu, polygon } => Set::NormalAndPolygon {
                polygon: *polygon,
                radius: mu * normal(self.rows.start),
            },
            Coupling::SharedDisc { mu, normals } => Set::Disc {
                radius: mu * normals.clone().map(normal).sum::<f64>(),
            },
            Coupling::SharedInterval {
                mu,
                normals,
                levers,
            } => {
                let terms = normals.clone().zip(*levers);
                let bound = mu * terms.map(|(row, lever)| lever * normal(row)).sum::<f64>();
                Set::Interval {
                    lower: -bound,
                    upper: bound,
                }
            }
        }
    }

    /// The set of the disc form (M.39): Coulomb's cone is λ_n ≥ 0 and a disc.
    pub(crate) fn disc_set(&self, impulses: &[f64]) -> Set {
        match self.coupling {
            Coupling::Coulomb { mu } => Set::NormalAndDisc {
                mu,
                radius: mu * impulses[self.rows.start].max(0.0),
            },
            _ => self.set(impulses),
        }
    }

    /// μ of the De Saxcé term (P.6), zero for every law but F5.
    pub(crate) fn de_saxce(&self) -> f64 {
        match self.coupling {
            Coupling::Coulomb { mu } => mu,
            _ => 0.0,
        }
    }

    /// True if the factor has rows of friction.
    pub(crate) fn has_friction(&self) -> bool {
        match self.role {
            Role::Friction => true,
            Role::Contact => self.coupling != Coupling::Fixed(Set::NormalAndBox { limit: 0.0 }),
            Role::Row | Role::Normal => false,
        }
    }

    /// The set, if it is the same for every λ and the law has no De Saxcé term: what makes a
    /// problem convex.
    pub(crate) fn convex_set(&self) -> Option<Set> {
        match self.coupling {
            Coupling::Fixed(set) => Some(set),
            _ => None,
        }
    }
}

/// λ ≥ 0.
const HALF_LINE: Set = Set::Interval {
    lower: 0.0,
    upper: f64::INFINITY,
};

/// Which rows a partition covers, and what its scales are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The rows that are solved for; L of A + R.
    Solved,
    /// Every row; L of A alone: the norm of constraint velocities.
    Motion,
}

/// L of a factor and what its rows have by themselves.
pub(crate) type Scales = (f64, Option<Parts>);

/// The list of factors, and what making it needs.
#[derive(Debug, Clone, Default)]
pub(crate) struct FactorMemory<'p> {
    pub(crate) list: Vec<Factor<'p>>,
    /// Those of the list, also when it is emptied.
    pub(crate) scales: Vec<Scales>,
    diagonal_block: Vec<f64>,
}

impl FactorMemory<'_> {
    /// The same memory with an empty list, for factors of another problem.
    pub(crate) fn emptied<'q>(mut self) -> FactorMemory<'q> {
        self.list.clear();
        FactorMemory {
            // of nothing, in place: the list keeps its capacity
            list: self.list.into_iter().map_while(|_| None).collect(),
            scales: self.scales,
            diagonal_block: self.diagonal_block,
        }
    }
}

/// The factors of K, in row order. `row_scales` are d_i of the same scope (M.2); without them the
/// memory is that of factors of the same problem, whose scales are taken.
pub(crate) fn factors<'p>(
    problem: &'p Problem,
    row_scales: Option<&[f64]>,
    scope: Scope,
    memory: FactorMemory<'p>,
) -> FactorMemory<'p> {
    let mut builder = Builder {
        problem,
        bound: row_scales.map_or(0.0, |_| largest_value(problem)),
        row_scales,
        scope,
        diagonal_block: memory.diagonal_block,
        scales: memory.scales,
        out: memory.list,
    };
    builder.out.clear();
    let factors = count(problem, scope);
    if row_scales.is_some() {
        builder.scales.clear();
        builder.scales.reserve(factors);
    }
    builder.out.reserve(factors);
    for (index, block) in problem.blocks().iter().enumerate() {
        builder.block(index, block);
    }
    FactorMemory {
        list: builder.out,
        scales: builder.scales,
        diagonal_block: builder.diagonal_block,
    }
}

struct Builder<'p, 's> {
    problem: &'p Problem,
    row_scales: Option<&'s [f64]>,
    /// Largest entry of the matrix, where scales are made of it.
    bound: f64,
    scope: Scope,
    diagonal_block: Vec<f64>,
    scales: Vec<Scales>,
    out: Vec<Factor<'p>>,
}

impl<'p> Builder<'p, '_> {
    fn block(&mut self, index: usize, block: &'p Block) {
        let active = match self.scope {
            Scope::Solved => self.problem.active_dim(index),
            Scope::Motion => block.dim,
        };
        if active == 0 {
            return;
        }
        match &block.law {
            Law::Equality => self.rows(
                index,
                active,
                Set::Interval {
                    lower: f64::NEG_INFINITY,
                    upper: f64::INFINITY,
                },
            ),
            Law::Bounds { lower, upper } => self.rows(
                index,
                active,
                Set::Interval {
                    lower: *lower,
                    upper: *upper,
                },
            ),
            Law::Contact(_) if active == 1 => self.rows(index, 1, HALF_LINE),
            Law::Contact(friction) => self.contact(index, *friction),
            Law::Patch(patch) => self.patch(index, patch, active),
            Law::Rolling(rolling) => self.rolling(index, rolling, active),
        }
    }

    fn patch(&mut self, index: usize, patch: &'p Patch, active: usize) {
        let points = patch.levers.len();
        self.rows(index, points, HALF_LINE);
        if active == points {
            return;
        }
        let first = self.problem.blocks()[index].first_row;
        let normals = first..first + points;
        let mu = patch.mu;
        let tangents = Coupling::SharedDisc {
            mu,
            normals: normals.clone(),
        };
        self.push(index, (points, points + 2), Role::Friction, tangents);
        let levers = &patch.levers;
        let twist = Coupling::SharedInterval {
            mu,
            normals,
            levers,
        };
        self.push(index, (points + 2, points + 3), Role::Friction, twist);
    }

    fn rolling(&mut self, index: usize, rolling: &Rolling, active: usize) {
        self.rows(index, 1, HALF_LINE);
        if active == 1 {
            return;
        }
        let first = self.problem.blocks()[index].first_row;
        for (local, mu) in [(1, rolling.mu), (3, rolling.rolling)] {
            let normals = first..first + 1;
            let disc = Coupling::SharedDisc { mu, normals };
            self.push(index, (local, local + 2), Role::Friction, disc);
        }
        if let Some(mu) = rolling.spinning {
            let spin = Coupling::SharedInterval {
                mu,
                normals: first..first + 1,
                levers: &[1.0],
            };
            self.push(index, (5, 6), Role::Friction, spin);
        }
    }

    /// One factor for each of the first `count` rows of a block.
    fn rows(&mut self, index: usize, count: usize, set: Set) {
        let role = if set == HALF_LINE {
            Role::Normal
        } else {
            Role::Row
        };
        for local in 0..count {
            self.push(index, (local, local + 1), role, Coupling::Fixed(set));
        }
    }

    fn contact(&mut self, index: usize, friction: Friction) {
        let dim = self.problem.blocks()[index].dim;
        let coupling = match friction {
            Friction::Frictionless => Coupling::Fixed(Set::NormalAndBox { limit: 0.0 }),
            Friction::FixedBox { limit } => Coupling::Fixed(Set::NormalAndBox { limit }),
            Friction::Pyramid { mu } => Coupling::Pyramid { mu },
            Friction::Disc { mu } => Coupling::Disc { mu },
            Friction::Coulomb { mu } => Coupling::Coulomb { mu },
            Friction::ConvexCone { mu } => Coupling::Fixed(Set::Cone { mu }),
            // the hull of two directions on a line is what a pyramid has there
            Friction::Facets { mu, .. } if dim == 2 => Coupling::Pyramid { mu },
            Friction::Facets { mu, facets } => Coupling::Facets {
                mu,
                polygon: Polygon::new(facets),
            },
        };
        self.push(index, (0, dim), Role::Contact, coupling);
    }

    fn push(
        &mut self,
        index: usize,
        (first, end): (usize, usize),
        role: Role,
        coupling: Coupling<'p>,
    ) {
        let block = &self.problem.blocks()[index];
        let rows = block.first_row + first..block.first_row + end;
        if let Some(row_scales) = self.row_scales {
            let scales = self.scales(row_scales, index, (first, end), role);
            self.scales.push(scales);
        }
        let (scale, parts) = self.scales[self.out.len()];
        self.out.push(Factor {
            block: index,
            rows,
            role,
            scale,
            root_scale: scale.sqrt(),
            step: 1.0 / scale,
            parts,
            coupling,
        });
    }

    /// L of local rows `first..end` of a block, and what they have by themselves (M.2, M.39).
    fn scales(
        &mut self,
        row_scales: &[f64],
        index: usize,
        (first, end): (usize, usize),
        role: Role,
    ) -> Scales {
        let block = &self.problem.blocks()[index];
        let row = block.first_row + first;
        if end - first == 1 {
            return (row_scales[row], None);
        }
        self.diagonal_block.resize(block.dim * block.dim, 0.0);
        self.problem.diagonal_block(index, &mut self.diagonal_block);
        if self.scope == Scope::Solved {
            self.problem.add_compliance(index, &mut self.diagonal_block);
        }
        let block = (index, self.diagonal_block.as_slice());
        let of = |rows| group_scale(self.problem, block, rows, self.bound);
        let parts = (role == Role::Contact).then(|| Parts {
            normal: row_scales[row].sqrt(),
            tangent: of((first + 1, end)).sqrt(),
        });
        (of((first, end)), parts)
    }
}

/// u_g, one per factor, positive \[m/s | rad/s\]: the velocities that a factor has to do with
/// (M.25). In the memory of `own`.
pub(crate) fn own_velocities(
    problem: &Problem,
    factors: &[Factor<'_>],
    mut own: Vec<f64>,
) -> Vec<f64> {
    let blocks = problem.blocks();
    let seen = |factor: &Factor<'_>| {
        let free = length(&problem.b()[factor.rows.clone()]);
        let Some(bodies) = problem.bodies() else {
            return free;
        };
        let first = blocks[factor.block].first_row;
        let locals = factor.rows.start - first..factor.rows.end - first;
        let of_body = |side: usize, body: u32| {
            let v = &bodies.free_velocity[6 * body as usize..];
            let rows = locals
                .clone()
                .map(|local| dot(&bodies.row(factor.block, local)[side], v));
            let mut squares = SquareSum::default();
            rows.for_each(|x| squares.add(x));
            squares.root()
        };
        let sides = (0..).zip(bodies.bodies_of(factor.block));
        sides.fold(free, |most, (side, body)| most.max(of_body(side, *body)))
    };
    own.clear();
    own.extend(factors.iter().map(seen));
    let largest = own.iter().copied().fold(0.0, f64::max);
    let least = match (problem.bodies(), problem.step()) {
        (None, _) => largest,
        (Some(_), None) => QUIET * largest,
        (Some(_), Some(step)) => (step.gravity * step.dt).abs().max(QUIET * largest),
    };
    for velocity in &mut own {
        *velocity = velocity.max(least);
        if *velocity < f64::MIN_POSITIVE {
            // nothing moves: any velocity is wrong, in m/s
            *velocity = 1.0;
        }
    }
    own
}
