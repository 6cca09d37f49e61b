//! Hanging chains: the model problem of Gauss–Seidel rates.

use delassus_core::{
    Choice, Law, MassProperties, ParameterError, Parameters, Problem, ProblemBuilder, ProblemError,
};
use nalgebra::Vector3;

use super::limit::row_limit;
use super::softness::{Softness, Step, diagonal};
use super::{Generated, Generator, GeneratorDescriptor, Size};
use crate::named::Reference;

/// What the ends of a chain are tied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum ChainEnds {
    /// The first mass hangs from a fixed point: n masses, n joints.
    Anchored,
    /// Nothing: n + 1 masses, n joints; they fall together.
    Free,
    /// Fixed points above the first and below the last mass: n masses, n + 1 joints, one of them redundant.
    Both,
}

/// What the links of a chain are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum ChainKind {
    /// Point masses, one row per joint along the chain: A is tridiagonal.
    Axial,
    /// Rods with a ball joint (3 rows) at their ends.
    Ball,
}

/// How a mass ratio is spread over a chain, counted from the anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum ChainMasses {
    /// Link k of n has mass · ratio^(k / (n − 1)).
    Geometric,
    /// The last link has mass · ratio, the others mass.
    HeavyTip,
}

/// A chain of n joints under gravity. The impulse of a joint is its tension, and w the rate at which it shortens.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Chain {
    /// Number of masses between fixed points, or of joints of a free chain.
    #[parameter(default = 10, unit = "-", range = ">= 1")]
    pub n: usize,
    /// What the ends are tied to.
    #[parameter(default = ChainEnds::Anchored)]
    pub ends: ChainEnds,
    /// What the links are.
    #[parameter(default = ChainKind::Axial)]
    pub kind: ChainKind,
    /// Mass of the first link.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Mass of the last link over that of the first.
    #[parameter(default = 1.0, unit = "-", range = "> 0")]
    pub mass_ratio: f64,
    /// How the mass ratio is spread.
    #[parameter(default = ChainMasses::HeavyTip)]
    pub mass_order: ChainMasses,
    /// Length of a link. Rods only.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub length: f64,
    /// Angle of the chain from the vertical, towards +x. Rods only.
    #[parameter(default = 0.0, unit = "rad")]
    pub angle: f64,
    /// Force that pulls the last mass down, and the first mass of a free chain up.
    #[parameter(default = 0.0, unit = "N")]
    pub load: f64,
    /// Softness of every row.
    #[parameter(flatten)]
    pub softness: Softness,
    /// Gravity and time step.
    #[parameter(flatten)]
    pub step: Step,
}

impl Chain {
    fn check(&self) -> Result<(), ParameterError> {
        let rows = self.n.checked_mul(3).and_then(|rows| rows.checked_add(3));
        row_limit("n", self.n, rows)
    }
}

impl Generator for Chain {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "chain",
        summary: "hanging chain of point masses (A tridiagonal) or of rods with ball joints; anchored, free or fixed at both ends",
        reference: "rigid and vertical",
    };

    fn size(&self) -> Size {
        Size::new(self.n + 2, self.n + 1, 3 * (self.n + 1))
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        let problem = self.problem()?;
        let vertical = self.kind == ChainKind::Axial || self.angle == 0.0;
        let known = vertical && self.softness.is_rigid();
        let reference = known.then(|| self.tensions());
        Ok(Generated { problem, reference })
    }
}

impl Chain {
    /// Masses from the anchor to the tip \[kg\] (E.2).
    pub fn masses(&self) -> Vec<f64> {
        let count = match self.ends {
            ChainEnds::Free => self.n + 1,
            ChainEnds::Anchored | ChainEnds::Both => self.n,
        };
        let last = count - 1;
        let ratio = |k: usize| match self.mass_order {
            _ if k == 0 => 1.0,
            _ if k == last => self.mass_ratio,
            ChainMasses::HeavyTip => 1.0,
            ChainMasses::Geometric => libm::pow(self.mass_ratio, k as f64 / last as f64),
        };
        (0..count).map(|k| self.mass * ratio(k)).collect()
    }

    /// Vertical velocities before the joints act \[m/s\].
    fn free_velocities(&self, masses: &[f64]) -> Vec<f64> {
        let mut velocities = vec![-self.step.gravity * self.step.dt; masses.len()];
        let last = masses.len() - 1;
        velocities[last] -= self.load * self.step.dt / masses[last];
        if self.ends == ChainEnds::Free {
            velocities[0] += self.load * self.step.dt / masses[0];
        }
        velocities
    }

    fn problem(&self) -> Result<Problem, ProblemError> {
        let masses = self.masses();
        let mut builder = ProblemBuilder::new();
        builder.step(self.step.dt, self.step.gravity);
        let mut properties = vec![MassProperties::immovable()];
        builder.body(properties[0], [0.0; 6]);
        for (mass, velocity) in masses.iter().zip(self.free_velocities(&masses)) {
            let link = self.link(*mass);
            builder.body(link, [0.0, velocity, 0.0, 0.0, 0.0, 0.0]);
            properties.push(link);
        }
        let first = usize::from(self.ends == ChainEnds::Free) + 1;
        let half = self.half_link();
        for lower in first..=masses.len() {
            // the fixed point is the joint itself
            let arm = if lower == 1 { Vector3::zeros() } else { half };
            self.joint(&mut builder, &properties, [lower - 1, lower], [arm, -half]);
        }
        if self.ends == ChainEnds::Both {
            let last = masses.len();
            self.joint(
                &mut builder,
                &properties,
                [last, 0],
                [half, Vector3::zeros()],
            );
        }
        builder.build()
    }

    /// From the centre of a link to its lower end \[m\].
    fn half_link(&self) -> Vector3<f64> {
        if self.kind == ChainKind::Axial {
            // point masses have no extent
            return Vector3::zeros();
        }
        if self.angle == 0.0 {
            return Vector3::new(0.0, -0.5 * self.length, 0.0);
        }
        let (sin, cos) = libm::sincos(self.angle);
        0.5 * self.length * Vector3::new(sin, -cos, 0.0)
    }

    fn link(&self, mass: f64) -> MassProperties {
        match self.kind {
            ChainKind::Axial => MassProperties {
                inverse_mass: Vector3::repeat(1.0 / mass),
                inverse_inertia: nalgebra::Matrix3::zeros(),
            },
            ChainKind::Ball => {
                // a solid rod of radius length/10: m r²/2 along its axis, m (3 r² + l²)/12 across
                let square = self.length * self.length;
                let along = 0.005 * mass * square;
                let across = mass * (0.03 + 1.0) * square / 12.0;
                let aligned = MassProperties::aligned(mass, Vector3::new(across, along, across));
                if self.angle == 0.0 {
                    return aligned;
                }
                let axis = self.half_link() * (2.0 / self.length);
                let projector = axis * axis.transpose();
                let identity = nalgebra::Matrix3::identity();
                MassProperties {
                    inverse_mass: aligned.inverse_mass,
                    inverse_inertia: projector / along + (identity - projector) / across,
                }
            }
        }
    }

    /// Ties point `arms[0]` of the upper body to point `arms[1]` of the lower one.
    fn joint(
        &self,
        builder: &mut ProblemBuilder,
        properties: &[MassProperties],
        bodies: [usize; 2],
        arms: [Vector3<f64>; 2],
    ) {
        let axes: &[Vector3<f64>] = match self.kind {
            ChainKind::Axial => &[Vector3::new(0.0, 1.0, 0.0)],
            ChainKind::Ball => &[
                Vector3::new(1.0, 0.0, 0.0),
                Vector3::new(0.0, 1.0, 0.0),
                Vector3::new(0.0, 0.0, 1.0),
            ],
        };
        let touched = [&properties[bodies[0]], &properties[bodies[1]]];
        let rows: Vec<[[f64; 6]; 2]> = axes.iter().map(|axis| joint_row(axis, arms)).collect();
        let (softness, dt) = (self.softness, self.step.dt);
        let compliance: Vec<f64> = rows
            .iter()
            .map(|row| softness.compliance_of(diagonal(row, &touched), dt))
            .collect();
        builder.block(Law::Equality, &bodies, &rows);
        builder.compliance(&compliance);
    }

    /// Tensions of a vertical rigid chain (E.8), (E.9).
    fn tensions(&self) -> Reference {
        let masses = self.masses();
        let velocities = self.free_velocities(&masses);
        // weight below each joint, from the tip up
        let mut axial = Vec::new();
        let (mut below, mut mass_below) = (0.0, 0.0);
        let total: f64 = masses.iter().sum();
        let momentum: f64 = masses.iter().zip(&velocities).map(|(m, v)| m * v).sum();
        let common = match self.ends {
            ChainEnds::Free => momentum / total,
            ChainEnds::Anchored | ChainEnds::Both => 0.0,
        };
        for (mass, velocity) in masses.iter().zip(&velocities).rev() {
            below += mass * velocity;
            mass_below += mass;
            axial.push(mass_below * common - below);
        }
        axial.reverse();
        match self.ends {
            ChainEnds::Anchored => {}
            // the joint above the first mass does not exist
            ChainEnds::Free => {
                axial.remove(0);
            }
            // any constant may be added; the mean is taken away: minimum norm
            ChainEnds::Both => {
                axial.push(0.0);
                let mean = axial.iter().sum::<f64>() / axial.len() as f64;
                axial.iter_mut().for_each(|tension| *tension -= mean);
            }
        }
        let impulses = match self.kind {
            ChainKind::Axial => axial,
            ChainKind::Ball => axial.iter().flat_map(|t| [0.0, *t, 0.0]).collect(),
        };
        Reference {
            impulses,
            provenance: "closed form: tensions of a vertical chain".to_owned(),
            residual: None,
        }
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
