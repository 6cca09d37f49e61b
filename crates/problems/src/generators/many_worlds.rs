//! Many small piles that do not touch, each with parameters of its own: what a batch of simulations
//! solves per step.

use delassus_core::parameter::require;
use delassus_core::{Choice, ContactLaw, ParameterError, Parameters, Problem, ProblemError};
use delassus_systems::{BoxSystem, Boxes, MassOrder, Pyramid, SeededRng, Stack, Wall};

use super::limit::row_limit;
use super::{BoxProblem, Freezing, Generated, Generator, GeneratorDescriptor, Size};
use crate::named::KnownSolution;

/// What stands in a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum PileShape {
    /// Rows of n, n − 1, …, 1 boxes.
    #[default]
    Wall,
    /// Layers of n², (n − 1)², …, 1 boxes.
    Pyramid,
    /// A tower of n boxes.
    Stack,
}

/// Piles on grounds of their own. World i has numbers that follow from the seed and from i alone,
/// so that the first worlds of a larger batch are those of a smaller one.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct ManyWorlds {
    /// Number of worlds.
    #[parameter(default = 64, unit = "-", range = ">= 1")]
    pub worlds: usize,
    /// What stands in each.
    pub shape: PileShape,
    /// Fewest boxes of a bottom row, or of a tower.
    #[parameter(default = 4, unit = "-", range = ">= 1")]
    pub size_least: usize,
    /// Most boxes of a bottom row, or of a tower.
    #[parameter(default = 8, unit = "-", range = ">= 1")]
    pub size_most: usize,
    /// Least friction coefficient of a world.
    #[parameter(default = 0.2, unit = "-", range = ">= 0")]
    pub friction_least: f64,
    /// Largest friction coefficient of a world.
    #[parameter(default = 0.8, unit = "-", range = ">= 0")]
    pub friction_most: f64,
    /// Least mass of a bottom box.
    #[parameter(default = 0.5, unit = "kg", range = "> 0")]
    pub mass_least: f64,
    /// Largest mass of a bottom box.
    #[parameter(default = 2.0, unit = "kg", range = "> 0")]
    pub mass_most: f64,
    /// Least mass of a top box over that of a bottom box.
    #[parameter(default = 1.0, unit = "-", range = "> 0")]
    pub mass_ratio_least: f64,
    /// Largest mass of a top box over that of a bottom box.
    #[parameter(default = 4.0, unit = "-", range = "> 0")]
    pub mass_ratio_most: f64,
    /// Largest speed along +x; a world has a share of it, drawn like the rest. 0 is at rest.
    #[parameter(default = 0.0, unit = "m/s", range = ">= 0")]
    pub speed_most: f64,
    /// Law of the contacts.
    #[parameter(default = ContactLaw::Coulomb)]
    pub law: ContactLaw,
    /// Gravity.
    #[parameter(default = 9.81, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
    /// Time step.
    #[parameter(default = 1.0 / 60.0, unit = "s", range = "> 0")]
    pub dt: f64,
    /// Seed of the drawn numbers.
    #[parameter(default = 1, unit = "-")]
    pub seed: u64,
}

/// Between the seeds of two worlds: any odd constant whose multiples spread over 64 bits.
const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

impl ManyWorlds {
    fn check(&self) -> Result<(), ParameterError> {
        let expected = "at least its least";
        let sizes = self.size_most >= self.size_least;
        require(sizes, "size_most", self.size_most, expected)?;
        for (name, least, most) in [
            ("friction_most", self.friction_least, self.friction_most),
            ("mass_most", self.mass_least, self.mass_most),
            (
                "mass_ratio_most",
                self.mass_ratio_least,
                self.mass_ratio_most,
            ),
        ] {
            require(most >= least, name, most, expected)?;
        }
        let rows = usize::try_from(self.size().rows).ok();
        row_limit("worlds", self.worlds, rows)
    }

    /// The parameters of a world.
    fn world(&self, index: usize) -> World {
        let mut random = SeededRng::new(self.seed.wrapping_add(STRIDE.wrapping_mul(index as u64)));
        let sizes = self.size_most - self.size_least + 1;
        World {
            shape: self.shape,
            size: self.size_least + random.index(sizes),
            boxes: Boxes {
                friction: random.uniform(self.friction_least, self.friction_most),
                mass: random.uniform(self.mass_least, self.mass_most),
                mass_ratio: random.uniform(self.mass_ratio_least, self.mass_ratio_most),
                mass_order: MassOrder::Geometric,
                speed: random.uniform(0.0, self.speed_most),
                law: self.law,
                gravity: self.gravity,
                ..Boxes::default()
            },
            dt: self.dt,
        }
    }
}

/// One pile.
#[derive(Debug, Clone, Copy)]
struct World {
    shape: PileShape,
    size: usize,
    boxes: Boxes,
    dt: f64,
}

impl World {
    fn of<S: BoxSystem>(&self, system: S) -> BoxProblem<S> {
        let step = Freezing {
            dt: self.dt,
            ..Freezing::default()
        };
        BoxProblem { system, step }
    }

    fn wall(&self) -> BoxProblem<Wall> {
        let (base, boxes) = (self.size, self.boxes);
        self.of(Wall { base, boxes })
    }

    fn pyramid(&self) -> BoxProblem<Pyramid> {
        let (base, boxes) = (self.size, self.boxes);
        self.of(Pyramid { base, boxes })
    }

    fn stack(&self) -> BoxProblem<Stack> {
        let (n, boxes) = (self.size, self.boxes);
        self.of(Stack {
            n,
            boxes,
            ..Stack::default()
        })
    }

    fn size(&self) -> Size {
        match self.shape {
            PileShape::Wall => self.wall().size(),
            PileShape::Pyramid => self.pyramid().size(),
            PileShape::Stack => self.stack().size(),
        }
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        match self.shape {
            PileShape::Wall => self.wall().build(),
            PileShape::Pyramid => self.pyramid().build(),
            PileShape::Stack => self.stack().build(),
        }
    }
}

impl Generator for ManyWorlds {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "many-worlds",
        summary: "many small piles that do not touch, with size, friction, mass, mass ratio and speed drawn for each",
        reference: "where every world has one: at rest",
    };

    /// As if every world were the largest.
    fn size(&self) -> Size {
        let largest = World {
            size: self.size_most,
            ..self.world(0)
        };
        let one = largest.size();
        let all = |one: u64| one.saturating_mul(self.worlds as u64);
        Size {
            bodies: all(one.bodies),
            blocks: all(one.blocks),
            rows: all(one.rows),
            extra_bytes: all(one.extra_bytes),
        }
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        let mut problems = Vec::with_capacity(self.worlds);
        let mut impulses = Some(Vec::new());
        for index in 0..self.worlds {
            let Generated { problem, reference } = self.world(index).build()?;
            match (&mut impulses, reference) {
                (Some(all), Some(reference)) => all.extend(reference.impulses),
                (_, None) => impulses = None,
                (None, Some(_)) => {}
            }
            problems.push(problem);
        }
        Ok(Generated {
            problem: Problem::concatenate(problems)?,
            reference: impulses.map(|all| KnownSolution::new(all, "closed forms of all worlds")),
        })
    }
}
