//! A pile of boxes as it is frozen.

use delassus_core::{MassProperties, Problem, ProblemBuilder, ProblemError};
use delassus_systems::{BoxSink, Boxes, GROUND};
use nalgebra::Vector3;

use super::manifold::Manifold;
use super::settings::{BoxBody, Freezing, Settings, rows_per_manifold};

/// Freezes boxes and manifolds as they come.
#[derive(Debug)]
pub(super) struct Pile {
    pub(super) settings: Settings,
    layers: usize,
    /// Boxes of the top layer \[-\].
    top: usize,
    builder: ProblemBuilder,
    pub(super) boxes: Vec<BoxBody>,
    pub(super) manifolds: Vec<Manifold>,
    pub(super) rows: usize,
}

impl Pile {
    /// A pile of `layers` layers, the last of which has `top` boxes.
    pub(super) fn new(settings: Settings, layers: usize, top: usize) -> Self {
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
    pub(super) fn freeze(self) -> Result<Problem, ProblemError> {
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
