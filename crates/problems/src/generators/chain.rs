//! Hanging chains: the model problem of Gauss–Seidel rates.

use delassus_core::{
    Law, MassProperties, ParameterError, Parameters, Problem, ProblemBuilder, ProblemError,
};
use delassus_systems::{Chain, Ends, LinkKind, LinkSink, StringLink};
use nalgebra::{Matrix3, Vector3};

use super::limit::row_limit;
use super::softness::{SoftnessParameters, diagonal};
use super::{Generated, Generator, GeneratorDescriptor, Size};
use crate::named::KnownSolution;

/// One step of a chain. The impulse of a joint is its tension, and w the rate at which it shortens.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct ChainProblem {
    /// The chain.
    #[parameter(flatten)]
    pub chain: Chain,
    /// Force that pulls the last mass down, and the first mass of a free chain up.
    #[parameter(default = 0.0, unit = "N")]
    pub load: f64,
    /// Softness of every row.
    #[parameter(flatten)]
    pub softness: SoftnessParameters,
    /// Time step.
    #[parameter(default = 1.0 / 60.0, unit = "s", range = "> 0")]
    pub dt: f64,
}

impl From<Chain> for ChainProblem {
    fn from(chain: Chain) -> Self {
        Self {
            chain,
            ..Self::default()
        }
    }
}

impl ChainProblem {
    fn check(&self) -> Result<(), ParameterError> {
        let n = self.chain.n;
        let rows = n.checked_mul(3).and_then(|rows| rows.checked_add(3));
        row_limit("n", n, rows)
    }
}

impl Generator for ChainProblem {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "chain",
        summary: "hanging chain of point masses (A tridiagonal) or of rods with ball joints; anchored, free or fixed at both ends",
        reference: "rigid and vertical",
    };

    fn size(&self) -> Size {
        let n = self.chain.n;
        Size::new(n + 2, n + 1, 3 * (n + 1))
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        let masses = self.chain.masses();
        let velocities = self.free_velocities(&masses);
        let problem = self.problem(&masses, &velocities)?;
        let known = self.chain.angle == 0.0 && self.softness.is_rigid();
        let reference = known.then(|| self.tensions(&masses, &velocities));
        Ok(Generated { problem, reference })
    }
}

impl ChainProblem {
    /// Vertical velocities before the joints act \[m/s\].
    fn free_velocities(&self, masses: &[f64]) -> Vec<f64> {
        let mut velocities = vec![-self.chain.gravity * self.dt; masses.len()];
        let last = masses.len() - 1;
        velocities[last] -= self.load * self.dt / masses[last];
        if self.chain.ends == Ends::Free {
            velocities[0] += self.load * self.dt / masses[0];
        }
        velocities
    }

    fn problem(&self, masses: &[f64], velocities: &[f64]) -> Result<Problem, ProblemError> {
        let mut builder = ProblemBuilder::new();
        builder.step(self.dt, self.chain.gravity);
        builder.body(MassProperties::immovable(), [0.0; 6]);
        let mut frozen = Frozen {
            own: self,
            masses,
            velocities,
            down: self.downwards(),
            properties: vec![MassProperties::immovable()],
            builder,
        };
        self.chain.string().lay(masses.len(), &mut frozen);
        frozen.builder.build()
    }

    /// Direction from the first end to the last.
    fn downwards(&self) -> Vector3<f64> {
        if self.chain.angle == 0.0 {
            return Vector3::new(0.0, -1.0, 0.0);
        }
        let (sin, cos) = libm::sincos(self.chain.angle);
        Vector3::new(sin, -cos, 0.0)
    }

    /// Tensions of a vertical rigid chain (E.8), (E.9).
    fn tensions(&self, masses: &[f64], velocities: &[f64]) -> KnownSolution {
        // weight below each joint, from the tip up
        let mut axial = Vec::new();
        let (mut below, mut mass_below) = (0.0, 0.0);
        let total: f64 = masses.iter().sum();
        let momentum: f64 = masses.iter().zip(velocities).map(|(m, v)| m * v).sum();
        let common = match self.chain.ends {
            Ends::Free => momentum / total,
            Ends::Anchored | Ends::Both => 0.0,
        };
        for (mass, velocity) in masses.iter().zip(velocities).rev() {
            below += mass * velocity;
            mass_below += mass;
            axial.push(mass_below * common - below);
        }
        axial.reverse();
        match self.chain.ends {
            Ends::Anchored => {}
            // the joint above the first mass does not exist
            Ends::Free => {
                axial.remove(0);
            }
            // any constant may be added; the mean is taken away: minimum norm
            Ends::Both => {
                axial.push(0.0);
                let mean = axial.iter().sum::<f64>() / axial.len() as f64;
                axial.iter_mut().for_each(|tension| *tension -= mean);
            }
        }
        let impulses = match self.chain.kind {
            LinkKind::Point => axial,
            LinkKind::Rod => axial.iter().flat_map(|t| [0.0, *t, 0.0]).collect(),
        };
        KnownSolution::new(impulses, "closed form: tensions of a vertical chain")
    }
}

/// Freezes a chain link by link; body 0 holds every fixed point.
struct Frozen<'a> {
    own: &'a ChainProblem,
    masses: &'a [f64],
    velocities: &'a [f64],
    /// Direction of the links.
    down: Vector3<f64>,
    properties: Vec<MassProperties>,
    builder: ProblemBuilder,
}

impl Frozen<'_> {
    fn link(&self, mass: f64) -> MassProperties {
        let Chain {
            kind,
            length,
            radius,
            angle,
            ..
        } = self.own.chain;
        match kind {
            LinkKind::Point => MassProperties {
                inverse_mass: Vector3::repeat(1.0 / mass),
                inverse_inertia: Matrix3::zeros(),
            },
            LinkKind::Rod => {
                // a solid rod: m r²/2 along its axis, m (3 r² + l²)/12 across
                let (square, slender) = (length * length, length / radius);
                let along = 0.5 / (slender * slender) * mass * square;
                let across = mass * (3.0 / (slender * slender) + 1.0) * square / 12.0;
                let aligned = MassProperties::aligned(mass, Vector3::new(across, along, across));
                if angle == 0.0 {
                    return aligned;
                }
                let axis = self.half_link() * (2.0 / length);
                let projector = axis * axis.transpose();
                MassProperties {
                    inverse_mass: aligned.inverse_mass,
                    inverse_inertia: projector / along + (Matrix3::identity() - projector) / across,
                }
            }
        }
    }

    /// From the centre of a rod to its lower end \[m\].
    fn half_link(&self) -> Vector3<f64> {
        0.5 * self.own.chain.length * self.down
    }

    /// Body of a piece, and the way from its centre to its lower end \[m\].
    fn half(&self, link: StringLink) -> (usize, Vector3<f64>) {
        match (link, self.own.chain.kind) {
            // the fixed point is the joint itself, and point masses have no extent
            (StringLink::Fixed(body), _) | (StringLink::Mass(body), LinkKind::Point) => {
                (body, Vector3::zeros())
            }
            (StringLink::Mass(body), LinkKind::Rod) => (body, self.half_link()),
        }
    }
}

impl LinkSink for Frozen<'_> {
    fn fix(&mut self, _: usize) -> usize {
        0
    }

    fn hang(&mut self, index: usize, _: usize) -> usize {
        let link = self.link(self.masses[index]);
        self.properties.push(link);
        let velocity = [0.0, self.velocities[index], 0.0, 0.0, 0.0, 0.0];
        self.builder.body(link, velocity)
    }

    fn tie(&mut self, pair: [StringLink; 2]) {
        let [(upper, above), (lower, below)] = pair.map(|link| self.half(link));
        // not the negative: its zeros would be negative
        let up = [Vector3::zeros() - self.down];
        let all = [Vector3::x(), Vector3::y(), Vector3::z()];
        let axes: &[Vector3<f64>] = match self.own.chain.kind {
            LinkKind::Point => &up,
            LinkKind::Rod => &all,
        };
        let touched = [&self.properties[upper], &self.properties[lower]];
        let rows = axes.iter().map(|axis| joint_row(axis, [above, -below]));
        let rows: Vec<[[f64; 6]; 2]> = rows.collect();
        let (softness, dt) = (self.own.softness, self.own.dt);
        let compliance = rows
            .iter()
            .map(|row| softness.compliance_of(diagonal(row, &touched), dt));
        let compliance: Vec<f64> = compliance.collect();
        self.builder.block(Law::Equality, &[upper, lower], &rows);
        self.builder.compliance(&compliance);
    }
}

/// Row of the velocity of the lower body's point relative to the upper one's, along `axis`.
pub(crate) fn joint_row(axis: &Vector3<f64>, arms: [Vector3<f64>; 2]) -> [[f64; 6]; 2] {
    let [a, b] = arms.map(|arm| {
        let angular = arm.cross(axis);
        [axis.x, axis.y, axis.z, angular.x, angular.y, angular.z]
    });
    [a.map(|x| -x), b]
}
