//! Piles of boxes, frozen: a generator for every system of boxes.

mod manifold;
mod rest;
mod tower;

use delassus_core::{
    ContactLaw, MassProperties, ParameterError, Parameters, Problem, ProblemBuilder, ProblemError,
};
use delassus_systems::{BoxSink, BoxSystem, Boxes, GROUND};
use nalgebra::Vector3;

use super::limit::row_limit;
use super::softness::SoftnessParameters;
use super::{Generated, Generator, GeneratorDescriptor, Size};
use manifold::Manifold;

/// What a frozen pile of boxes has beside the pile.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct Freezing {
    /// Softness of every normal row.
    #[parameter(flatten)]
    pub softness: SoftnessParameters,
    /// Share of an overlap that one step removes, unless hertz sets it.
    #[parameter(default = 0.2, unit = "-", range = "[0, 1]")]
    pub recovery: f64,
    /// Extra downward force, shared equally by the boxes of the top layer.
    #[parameter(default = 0.0, unit = "N")]
    pub load: f64,
    /// Time step.
    #[parameter(default = 1.0 / 60.0, unit = "s", range = "> 0")]
    pub dt: f64,
}

/// One step of a system of boxes.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct BoxProblem<S: BoxSystem> {
    /// The boxes.
    #[parameter(flatten)]
    pub system: S,
    /// The step.
    #[parameter(flatten)]
    pub step: Freezing,
}

impl<S: BoxSystem> From<S> for BoxProblem<S> {
    fn from(system: S) -> Self {
        let step = Freezing::default();
        Self { system, step }
    }
}

impl<S: BoxSystem> BoxProblem<S> {
    fn check(&self) -> Result<(), ParameterError> {
        let each = rows_per_manifold(self.system.boxes().law);
        let rows = self.system.counts().faces.and_then(|m| m.checked_mul(each));
        let (parameter, value) = self.system.extent();
        row_limit(parameter, value, rows)
    }

    fn settings(&self) -> Settings {
        Settings {
            boxes: *self.system.boxes(),
            step: self.step,
        }
    }
}

impl<S: BoxSystem> Generator for BoxProblem<S> {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: S::ID,
        summary: S::SUMMARY,
        reference: if S::TOWER {
            "at rest, rigid or soft; and one rigid box that sticks or slides on an incline without tipping"
        } else {
            "at rest, rigid, without gap"
        },
    };

    fn size(&self) -> Size {
        let (counts, law) = (self.system.counts(), self.system.boxes().law);
        let blocks = if law == ContactLaw::Patch { 1 } else { 4 };
        let faces = counts.faces.unwrap_or(usize::MAX);
        Size::new(
            counts.boxes.unwrap_or(usize::MAX).saturating_add(1),
            faces.saturating_mul(blocks),
            faces.saturating_mul(rows_per_manifold(law)),
        )
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        let settings = self.settings();
        let mut pile = Pile::new(settings, self.system.layers());
        self.system.lay(&mut pile);
        let centred = self.system.is_centred();
        if centred && settings.is_at_rest() {
            let reference = Some(rest::solution(&pile));
            let problem = pile.freeze()?;
            return Ok(Generated { problem, reference });
        }
        let problem = pile.freeze()?;
        let tower = centred && S::TOWER;
        let reference = tower.then(|| tower::solution(&settings, self.system.layers().0, &problem));
        Ok(Generated {
            problem,
            reference: reference.flatten(),
        })
    }
}

/// Rows of one manifold \[-\].
fn rows_per_manifold(law: ContactLaw) -> usize {
    match law {
        ContactLaw::Frictionless => 4,
        ContactLaw::Patch => 7,
        _ => 12,
    }
}

/// The pile and the step.
#[derive(Debug, Clone, Copy)]
struct Settings {
    boxes: Boxes,
    step: Freezing,
}

impl Settings {
    /// True if every box stays where it is with v⁺ = 0 and vertical impulses (E.5).
    fn is_at_rest(&self) -> bool {
        self.boxes.tilt == 0.0
            && self.boxes.speed == 0.0
            && self.boxes.gap == 0.0
            && self.step.load >= 0.0
            && self.step.softness.is_rigid()
    }
}

/// One box of a pile; index 0 is the ground.
#[derive(Debug, Clone, PartialEq)]
struct BoxBody {
    center: Vector3<f64>,
    mass: MassProperties,
    /// Downward impulse of gravity and load over one step \[N·s\].
    weight: f64,
}

/// Freezes boxes and manifolds as they come.
#[derive(Debug)]
struct Pile {
    settings: Settings,
    layers: usize,
    /// Boxes of the top layer \[-\].
    top: usize,
    builder: ProblemBuilder,
    boxes: Vec<BoxBody>,
    manifolds: Vec<Manifold>,
    rows: usize,
}

impl Pile {
    /// A pile of `layers` layers, the last of which has `top` boxes.
    fn new(settings: Settings, (layers, top): (usize, usize)) -> Self {
        let mut builder = ProblemBuilder::new();
        builder.step(settings.step.dt, settings.boxes.gravity);
        builder.body(MassProperties::immovable(), [0.0; 6]);
        let ground = BoxBody {
            center: Vector3::zeros(),
            mass: MassProperties::immovable(),
            weight: 0.0,
        };
        Self {
            settings,
            layers,
            top,
            builder,
            boxes: vec![ground],
            manifolds: Vec::new(),
            rows: 0,
        }
    }

    fn touch(&mut self, a: usize, b: usize, axis: usize, center: Vector3<f64>, width: [f64; 2]) {
        let manifold = Manifold {
            bodies: [a, b],
            axis,
            center,
            half: [0.5 * width[0], 0.5 * width[1]],
            first_row: self.rows,
        };
        manifold.add_to(
            &mut self.builder,
            &self.settings,
            [&self.boxes[a], &self.boxes[b]],
        );
        self.rows += rows_per_manifold(self.settings.boxes.law);
        self.manifolds.push(manifold);
    }

    /// The problem; what only its closed form needs is freed before it is built.
    fn freeze(self) -> Result<Problem, ProblemError> {
        drop((self.boxes, self.manifolds));
        self.builder.build()
    }
}

impl BoxSink for Pile {
    fn place(&mut self, x: f64, layer: usize, z: f64) -> usize {
        let Settings { boxes, step } = self.settings;
        let Boxes { size, gravity, .. } = boxes;
        let Freezing { dt, load, .. } = step;
        let mass = boxes.mass_of(layer, self.layers);
        let load = if layer + 1 == self.layers {
            load / self.top as f64
        } else {
            0.0
        };
        let (sin, cos) = boxes.slope();
        let velocity = [
            boxes.speed + gravity * dt * sin,
            -gravity * dt * cos - load * dt / mass,
            0.0,
            0.0,
            0.0,
            0.0,
        ];
        // moment of inertia of a cube: m s²/6 about every axis through its centre
        let properties = MassProperties::aligned(mass, Vector3::repeat(mass * size * size / 6.0));
        self.boxes.push(BoxBody {
            center: Vector3::new(x, (layer as f64 + 0.5) * size, z),
            mass: properties,
            weight: -mass * velocity[1],
        });
        self.builder.body(properties, velocity)
    }

    fn stand(&mut self, upper: usize, lower: usize, overlap: [f64; 2]) {
        let size = self.settings.boxes.size;
        let (above, below) = (&self.boxes[upper].center, &self.boxes[lower].center);
        let center = if lower == GROUND {
            Vector3::new(above.x, 0.0, above.z)
        } else {
            Vector3::new(
                0.5 * (above.x + below.x),
                above.y - 0.5 * size,
                0.5 * (above.z + below.z),
            )
        };
        self.touch(lower, upper, 1, center, overlap);
    }

    fn adjoin(&mut self, first: usize, second: usize, axis: usize) {
        let center = 0.5 * (self.boxes[first].center + self.boxes[second].center);
        let size = self.settings.boxes.size;
        self.touch(first, second, axis, center, [size, size]);
    }
}

/// Row of the normal of contact point `point` within a manifold of law `law` \[-\].
fn normal_row(law: ContactLaw, point: usize) -> usize {
    match law {
        ContactLaw::Frictionless | ContactLaw::Patch => point,
        _ => 3 * point,
    }
}
