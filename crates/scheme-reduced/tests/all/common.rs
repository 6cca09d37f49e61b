//! Random trees, and the dense equations of motion of any world.

use delassus_dynamics::constraints::{
    Angular, AnyConstraint, Distance, Hinge, Point, PointOnLine, PointOnPlane, Slider, Universal,
    Weld,
};
use delassus_dynamics::{
    Body, ExampleRng, Inertia, Joint, Pose, PositionScheme, Rows, Scheme, Signal, World,
    WorldParts, rotation,
};
use delassus_scheme_reduced::{ArticulatedBody, ArticulatedBodyParameters, Integrator};
use nalgebra::{DMatrix, DVector, Vector3};

/// Kinds of joints that a tree may have.
pub(crate) const KINDS: usize = 9;

/// Numbers in \[0, 1): the 64-bit linear congruence of Knuth's MMIX.
pub(crate) fn source(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A joint of the given kind between two bodies as they stand, the first of which carries lines and
/// planes.
pub(crate) fn joint(
    random: &mut ExampleRng<'_>,
    kind: usize,
    bodies: [usize; 2],
    poses: [Pose; 2],
) -> AnyConstraint {
    let meet = random.vector(0.3);
    let axis = random.direction();
    let local = |side: usize, v: &Vector3<f64>| poses[side].orientation.inverse() * v;
    let between = poses[1].position - poses[0].position;
    // points of the world by their place from the first body
    let anchors = |first: &Vector3<f64>, second: &Vector3<f64>| {
        [local(0, first), local(1, &(second - between))]
    };
    let orientation = poses[0].orientation.inverse() * poses[1].orientation;
    let axes = [local(0, &axis), local(1, &axis)];
    let slid = random.number(-0.3, 0.3);
    let [across, other] = rotation::tangents(&axis);
    match kind {
        0 => Weld {
            bodies,
            anchors: anchors(&meet, &meet),
            orientation,
        }
        .into(),
        1 => Hinge {
            bodies,
            anchors: anchors(&meet, &meet),
            axes,
        }
        .into(),
        2 => Slider {
            bodies,
            anchors: anchors(&meet, &(meet + slid * axis)),
            axis: axes[0],
            orientation,
        }
        .into(),
        3 => Point {
            bodies,
            anchors: anchors(&meet, &meet),
        }
        .into(),
        4 => Universal {
            bodies,
            anchors: anchors(&meet, &meet),
            axes: [local(0, &axis), local(1, &across)],
        }
        .into(),
        5 => {
            let end = meet + random.number(0.2, 0.5) * random.direction();
            Distance {
                bodies,
                anchors: anchors(&meet, &end),
                length: Signal::Constant((end - meet).norm()),
            }
            .into()
        }
        6 => PointOnLine {
            bodies,
            anchors: anchors(&meet, &(meet + slid * axis)),
            axis: axes[0],
        }
        .into(),
        7 => {
            let way = slid * across + random.number(-0.3, 0.3) * other;
            PointOnPlane {
                bodies,
                anchors: anchors(&meet, &(meet + way)),
                normal: axes[0],
            }
            .into()
        }
        _ => Angular {
            bodies,
            orientation,
        }
        .into(),
    }
}

/// A body anywhere within a metre of `near`, with an inertia that no axis is special for.
pub(crate) fn body(random: &mut ExampleRng<'_>, near: Vector3<f64>) -> Body {
    let sides: Vector3<f64> = Vector3::from_fn(|_, _| random.number(0.1, 0.5));
    let squares = sides.component_mul(&sides);
    let mass = random.number(0.3, 3.0);
    let moments = mass / 12.0
        * Vector3::new(
            squares.y + squares.z,
            squares.z + squares.x,
            squares.x + squares.y,
        );
    let mut inertia = Inertia::new(mass, moments);
    inertia.axes = random.rotation(3.0);
    let body = Body::dynamic(inertia, near + random.vector(1.0));
    let mut body = body.turned(random.rotation(3.0));
    body.gravity_scale = random.number(0.5, 1.5);
    body.force = random.vector(2.0);
    body.torque = random.vector(0.5);
    body
}

/// One of the numbers below `count`.
fn pick(random: &mut ExampleRng<'_>, count: usize) -> usize {
    let number = random.number(0.0, count as f64);
    (1..count).filter(|k| number >= *k as f64).count()
}

/// A tree of `count` bodies with joints drawn from `kinds`, held or floating, at rest.
pub(crate) fn tree(seed: u64, count: usize, kinds: &[usize], held: bool) -> WorldParts {
    let mut numbers = source(seed);
    let random = &mut ExampleRng(&mut numbers);
    let mut parts = WorldParts {
        gravity: Vector3::new(1.0, -9.0, 2.0),
        ..WorldParts::default()
    };
    let base = Body::fixed(random.vector(1.0)).turned(random.rotation(3.0));
    let base = parts.body(base);
    for index in 0..count {
        let parent = if index == 0 {
            base
        } else {
            // any body but the base
            1 + pick(random, index)
        };
        let near = parts.bodies[parent].position.to_vector();
        let child = body(random, near);
        let child = parts.body(child);
        if index == 0 && !held {
            continue;
        }
        let pair = if random.number(0.0, 1.0) < 0.5 {
            [parent, child]
        } else {
            [child, parent]
        };
        let kind = kinds[pick(random, kinds.len())];
        let poses = pair.map(|body| parts.bodies[body].pose());
        let constraint = joint(random, kind, pair, poses);
        parts.joint(Joint::new(constraint));
    }
    parts
}

/// Rows of all joints and the dynamic bodies of a world as dense matrices.
pub(crate) struct Dense {
    pub(crate) jacobian: DMatrix<f64>,
    pub(crate) mass: DMatrix<f64>,
    /// Indices of the dynamic bodies.
    pub(crate) bodies: Vec<usize>,
}

impl Dense {
    pub(crate) fn of(world: &World) -> Self {
        let dynamic = |index: &usize| world.bodies()[*index].is_dynamic();
        let bodies: Vec<usize> = (0..world.bodies().len()).filter(dynamic).collect();
        let mut mass = DMatrix::zeros(6 * bodies.len(), 6 * bodies.len());
        for (column, index) in bodies.iter().enumerate() {
            let body = &world.bodies()[*index];
            let at = 6 * column;
            for axis in 0..3 {
                mass[(at + axis, at + axis)] = body.inertia.mass;
            }
            let inertia = body.world_inertia();
            mass.view_mut((at + 3, at + 3), (3, 3)).copy_from(&inertia);
        }
        let poses: Vec<Pose> = world.bodies().iter().map(Body::pose).collect();
        Self {
            jacobian: jacobian(world, &bodies, &poses),
            mass,
            bodies,
        }
    }

    /// Velocities of the dynamic bodies.
    pub(crate) fn velocities(&self, world: &World) -> DVector<f64> {
        let numbers = self.bodies.iter().flat_map(|index| {
            let body = &world.bodies()[*index];
            body.velocity.iter().chain(body.spin.iter()).copied()
        });
        DVector::from_iterator(6 * self.bodies.len(), numbers)
    }

    /// The multipliers μ with J M⁻¹(right + Jᵀμ) = goal, and M⁻¹(right + Jᵀμ).
    pub(crate) fn solve(
        &self,
        right: &DVector<f64>,
        goal: &DVector<f64>,
    ) -> (DVector<f64>, DVector<f64>) {
        let inverse = self.mass.clone().try_inverse().expect("a mass matrix");
        let free = &inverse * right;
        if self.jacobian.nrows() == 0 {
            return (DVector::zeros(0), free);
        }
        let delassus = &self.jacobian * &inverse * self.jacobian.transpose();
        let missing = goal - &self.jacobian * &free;
        let solved = delassus.lu().solve(&missing).expect("independent rows");
        let motion = free + inverse * self.jacobian.transpose() * &solved;
        (solved, motion)
    }

    /// d/dt(J) v at constant velocities, by differences of eighth order.
    pub(crate) fn drift(&self, world: &World) -> DVector<f64> {
        let v = self.velocities(world);
        let rate = |time: f64| {
            let moved = world.bodies().iter().map(|body| {
                let mut pose = body.pose();
                pose.advance(time * body.velocity, &(time * body.spin));
                pose
            });
            let poses: Vec<Pose> = moved.collect();
            jacobian(world, &self.bodies, &poses) * &v
        };
        // 1.5 mm or mrad of the fastest motion: what is left of the series is below its rounding
        let step = 0.0015 / v.amax().max(1.0);
        let pair = |k: f64| rate(k * step) - rate(-k * step);
        let sum = pair(1.0) * 0.8 - pair(2.0) * 0.2 + pair(3.0) * (4.0 / 105.0) - pair(4.0) / 280.0;
        sum / step
    }

    /// Forces on the dynamic bodies without joints: weight, applied and gyroscopic.
    pub(crate) fn forces(&self, world: &World) -> DVector<f64> {
        let numbers = self.bodies.iter().flat_map(|index| {
            let body = &world.bodies()[*index];
            let weight = body.inertia.mass * body.gravity_scale * world.gravity();
            let inertia = body.world_inertia();
            let force =
                weight + body.force - body.linear_damping * body.inertia.mass * body.velocity;
            let momentum = inertia * body.spin;
            let torque = body.torque - body.spin.cross(&momentum) - body.angular_damping * momentum;
            [force.x, force.y, force.z, torque.x, torque.y, torque.z]
        });
        DVector::from_iterator(6 * self.bodies.len(), numbers)
    }
}

fn jacobian(world: &World, bodies: &[usize], poses: &[Pose]) -> DMatrix<f64> {
    let mut lines: Vec<DVector<f64>> = Vec::new();
    let mut rows = Rows::default();
    for joint in world.joints() {
        let pair = joint.constraint.bodies();
        let own: Vec<Pose> = pair.iter().map(|body| poses[*body]).collect();
        rows.clear();
        joint.constraint.evaluate(&own, 0.0, &mut rows);
        for entries in rows.jacobian.chunks_exact(pair.len()) {
            let mut line = DVector::zeros(6 * bodies.len());
            for (body, entry) in pair.iter().zip(entries) {
                if let Some(column) = bodies.iter().position(|index| index == body) {
                    line.rows_mut(6 * column, 6)
                        .copy_from_slice(entry.as_slice());
                }
            }
            lines.push(line);
        }
    }
    let mut matrix = DMatrix::zeros(lines.len(), 6 * bodies.len());
    for (row, line) in lines.iter().enumerate() {
        matrix.row_mut(row).copy_from(&line.transpose());
    }
    matrix
}

/// The world of `parts` with random velocities that its joints allow.
pub(crate) fn moving(parts: WorldParts, seed: u64) -> World {
    let mut numbers = source(seed);
    let random = &mut ExampleRng(&mut numbers);
    let mut world = parts.build().expect("a valid tree");
    for index in 0..world.bodies().len() {
        if world.bodies()[index].is_dynamic() {
            let (velocity, spin) = (random.vector(1.0), random.vector(1.0));
            world
                .set_velocity(index, velocity, spin)
                .expect("a dynamic body");
        }
    }
    let dense = Dense::of(&world);
    let momentum = &dense.mass * dense.velocities(&world);
    let goal = DVector::zeros(dense.jacobian.nrows());
    let (_, allowed) = dense.solve(&momentum, &goal);
    for (column, index) in dense.bodies.iter().enumerate() {
        let part = |first: usize| Vector3::from_fn(|axis, _| allowed[6 * column + first + axis]);
        world
            .set_velocity(*index, part(0), part(3))
            .expect("a dynamic body");
    }
    world
}

/// The scheme with one substep per frame.
pub(crate) fn scheme(integrator: Integrator) -> ArticulatedBody {
    let parameters = ArticulatedBodyParameters {
        substeps: 1,
        integrator,
    };
    ArticulatedBody::new(parameters).expect("in range")
}

/// Takes `frames` steps of `dt` \[s\].
pub(crate) fn run(scheme: &mut ArticulatedBody, world: &mut World, dt: f64, frames: u32) {
    for frame in 0..frames {
        if let Err(error) = scheme.step(world, dt, &mut ()) {
            panic!("frame {frame}: {error}");
        }
    }
}

/// The largest error of any joint row \[m | rad\].
pub(crate) fn drift(world: &World) -> f64 {
    let errors = world.joint_errors().into_iter();
    errors.fold(0.0, |worst, (_, error)| worst.max(error.abs()))
}

/// The largest distance between the bodies of two worlds \[m\].
pub(crate) fn distance(a: &World, b: &World) -> f64 {
    let pairs = a.bodies().iter().zip(b.bodies());
    pairs
        .map(|(a, b)| (a.position - b.position).norm())
        .fold(0.0, f64::max)
}
