//! Laws of time-stepping schemes: momentum, rest, warm starts when the step changes, refusals,
//! failures, repetition.
//!
//! A law takes a way to make the scheme, solver included, and steps small worlds of its own.

use delassus_core::{
    Fidelity, ImpulseSolver, Problem, Progress, SolveError, SolverDescriptor, Start, Unsupported,
};
use delassus_dynamics::constraints::{Distance, Point};
use delassus_dynamics::{
    Body, ContactLaw, ContactPoint, Inertia, Joint, Manifold, Scheme, Signal, StepError, World,
    WorldParts,
};
use nalgebra::Vector3;

use crate::{Verdict, attempt, available, require};

/// Makes a fresh scheme.
pub type MakeScheme<'a> = &'a dyn Fn() -> Box<dyn Scheme>;

/// Makes a fresh scheme around a solver.
pub type MakeSchemeWith<'a> = &'a dyn Fn(Box<dyn ImpulseSolver>) -> Box<dyn Scheme>;

/// Frame of the laws \[s\]. Fine enough for the stiffest springs of the presets to keep their own
/// frequency.
pub(crate) const DT: f64 = 1.0 / 240.0;

/// Share of the moving momentum that rounding may lose over [`MOMENTUM_FRAMES`] frames \[-\].
const ROUNDING: f64 = 1e-12;

const MOMENTUM_FRAMES: u32 = 60;

/// Speed that counts as rest \[m/s\]: a thousandth of what gravity does in a frame of the laws is
/// 4e-5.
const RESTING: f64 = 1e-6;

/// An isolated system keeps its linear momentum to rounding, and the report names no momentum from
/// outside.
pub fn scheme_momentum(make: MakeScheme<'_>) -> Verdict {
    attempt!(available(make().device()));
    let mut world = attempt!(isolated());
    let mut scheme = make();
    let start = world.momentum().linear;
    let mut scale = 0.0_f64;
    for body in world.bodies() {
        scale += body.inertia.mass * body.velocity.norm();
    }
    for frame in 0..MOMENTUM_FRAMES {
        let report = attempt!(scheme.step(&mut world, DT, &mut ()));
        let outside = report.external.linear.norm();
        require!(
            outside <= ROUNDING * scale,
            "frame {frame}: {outside:e} N·s from outside of an isolated system"
        );
    }
    let lost = (world.momentum().linear - start).norm();
    require!(
        lost <= ROUNDING * scale,
        "{lost:e} N·s of {scale} N·s are lost"
    );
    Verdict::Holds
}

/// Without forces, a world at rest whose joints are assembled stays where it is, to rounding.
pub fn scheme_rest(make: MakeScheme<'_>) -> Verdict {
    attempt!(available(make().device()));
    let start = attempt!(net(false));
    let mut world = start.clone();
    attempt!(steps(make().as_mut(), &mut world, DT, 30));
    for (index, (body, before)) in world.bodies().iter().zip(start.bodies()).enumerate() {
        let moved = (body.position - before.position).norm();
        let turned = (body.orientation.coords - before.orientation.coords).norm();
        require!(
            moved < 1e-13 && turned < 1e-13,
            "bodies[{index}] moved by {moved:e} m"
        );
        let speed = body.velocity.norm() + body.spin.norm();
        require!(speed < 1e-11, "bodies[{index}] has the speed {speed:e}");
    }
    Verdict::Holds
}

/// A mass that is put onto the ground under gravity stays there and comes to rest.
pub fn scheme_contact_rest(make: MakeScheme<'_>) -> Verdict {
    attempt!(available(make().device()));
    let mut world = attempt!(grounded());
    let mut scheme = make();
    if let Err(error) = scheme.check(&world) {
        return Verdict::NotApplicable(error.to_string());
    }
    attempt!(steps(scheme.as_mut(), &mut world, DT, 1200));
    let body = &world.bodies()[1];
    let height = (body.position - world.bodies()[0].position).y;
    let speed = body.velocity.norm();
    require!(speed < RESTING, "it still moves at {speed:e} m/s");
    // the slop of the presets is 5 mm
    require!(height.abs() < 6e-3, "it rests {height} m off the ground");
    Verdict::Holds
}

/// A hanging chain that has come to rest stays at rest in the first frames of another length.
///
/// The statics must not depend on the step: a scheme without a frozen problem says nothing here.
pub fn scheme_step_change(make: MakeScheme<'_>) -> Verdict {
    attempt!(available(make().device()));
    if !make().descriptor().uses_solver {
        return Verdict::NotApplicable("its statics may depend on the step".into());
    }
    let mut world = attempt!(hanging());
    let mut scheme = make();
    attempt!(steps(scheme.as_mut(), &mut world, DT, 1500));
    let before = fastest(&world);
    require!(
        before < RESTING,
        "the chain does not come to rest: {before:e} m/s"
    );
    for factor in [0.5, 1.0, 0.7, 1.1] {
        attempt!(steps(scheme.as_mut(), &mut world, factor * DT, 2));
        let speed = fastest(&world);
        require!(
            speed < RESTING,
            "a step of {factor} times the length before moves it at {speed:e} m/s"
        );
    }
    Verdict::Holds
}

/// Time steps that are not finite and above zero are refused with their value, and the world stays
/// as it was.
pub fn scheme_bad_steps(make: MakeScheme<'_>) -> Verdict {
    attempt!(available(make().device()));
    let mut world = attempt!(hanging());
    let mut scheme = make();
    attempt!(steps(scheme.as_mut(), &mut world, DT, 3));
    let before = world.clone();
    for dt in [0.0, -0.0, -DT, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        match scheme.step(&mut world, dt, &mut ()) {
            Err(StepError::TimeStep { dt: named }) => {
                require!(
                    named.to_bits() == dt.to_bits(),
                    "dt = {dt} is reported as {named}"
                );
            }
            other => return Verdict::Violated(format!("dt = {dt} gives {other:?}")),
        }
        require!(world == before, "dt = {dt} changes the world");
    }
    Verdict::Holds
}

/// A solver that fails, or that answers with NaN, in any of its calls: the step is an error and the
/// world stays as it was, and the scheme can go on with the next step.
pub fn scheme_failing_solver(make: MakeSchemeWith<'_>) -> Verdict {
    let probe = make(Box::new(Hostile::new(Trick::Nan, 0)));
    attempt!(available(probe.device()));
    let start = attempt!(hanging());
    let mut failures = 0;
    for trick in [Trick::Nan, Trick::Infinite, Trick::Error] {
        for call in 0..6 {
            let mut world = start.clone();
            let mut scheme = make(Box::new(Hostile::new(trick, call)));
            for _ in 0..8 {
                let before = world.clone();
                match scheme.step(&mut world, DT, &mut ()) {
                    Ok(_) => {}
                    Err(error) => {
                        failures += 1;
                        require!(
                            world == before,
                            "{trick:?} in call {call} ({error}) changes the world"
                        );
                    }
                }
                require!(
                    world.momentum().linear.iter().all(|x| x.is_finite()),
                    "{trick:?} in call {call} reaches the world"
                );
            }
        }
    }
    // three tricks in six calls: each must have surfaced in one step
    require!(failures == 18, "{failures} of 18 failures surfaced");
    Verdict::Holds
}

/// Equal worlds and fresh schemes end with equal bits.
pub fn scheme_repetition(make: MakeScheme<'_>) -> Verdict {
    attempt!(available(make().device()));
    for build in [isolated, hanging, grounded] {
        let start = attempt!(build());
        if make().check(&start).is_err() {
            continue;
        }
        let mut ends = Vec::new();
        for _ in 0..2 {
            let mut world = start.clone();
            attempt!(steps(make().as_mut(), &mut world, DT, 20));
            ends.push(world.state_hash());
        }
        require!(ends[0] == ends[1], "two runs end with different bits");
    }
    Verdict::Holds
}

pub(crate) fn steps(
    scheme: &mut dyn Scheme,
    world: &mut World,
    dt: f64,
    frames: u32,
) -> Result<(), Verdict> {
    for frame in 0..frames {
        if let Err(error) = scheme.step(world, dt, &mut ()) {
            return Err(Verdict::Violated(format!("frame {frame}: {error}")));
        }
    }
    Ok(())
}

fn fastest(world: &World) -> f64 {
    let speeds = world.bodies().iter().map(|body| body.velocity.norm());
    speeds.fold(0.0, f64::max)
}

pub(crate) fn build(parts: WorldParts) -> Result<World, Verdict> {
    parts
        .build()
        .map_err(|error| Verdict::Violated(error.to_string()))
}

fn rod(bodies: [usize; 2], anchors: [Vector3<f64>; 2], length: f64) -> Joint {
    Joint::new(Distance {
        bodies,
        anchors,
        length: Signal::Constant(length),
    })
}

/// Three bodies in free flight: a ball joint, and a rod between corners.
fn net(moving: bool) -> Result<World, Verdict> {
    let mut parts = WorldParts::default();
    let velocities = [
        Vector3::new(1.0, 0.5, -0.3),
        Vector3::new(-2.0, 0.1, 0.4),
        Vector3::new(0.3, 3.0, 1.0),
    ];
    let moments = Vector3::new(0.02, 0.05, 0.06);
    for (index, velocity) in velocities.iter().enumerate() {
        let position = Vector3::new(index as f64, 0.0, 0.0);
        let inertia = Inertia::new([1.0, 10.0, 0.3][index], (index as f64 + 1.0) * moments);
        let body = Body::dynamic(inertia, position);
        parts.body(if moving {
            body.moving(
                *velocity,
                0.5 * Vector3::new(velocity.z, velocity.x, velocity.y),
            )
        } else {
            body
        });
    }
    let half = Vector3::new(0.5, 0.0, 0.0);
    parts.joint(Joint::new(Point {
        bodies: [0, 1],
        anchors: [half, -half],
    }));
    let up = Vector3::new(0.2, 0.1, 0.0);
    let down = Vector3::new(-0.2, 0.1, 0.0);
    parts.joint(rod([1, 2], [up, down], 0.6));
    build(parts)
}

pub(crate) fn isolated() -> Result<World, Verdict> {
    net(true)
}

/// Three masses under one another on rods from a fixed point.
pub(crate) fn hanging() -> Result<World, Verdict> {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    let mut last = parts.body(Body::fixed(Vector3::zeros()));
    for (index, mass) in [1.0, 0.5, 2.0].into_iter().enumerate() {
        let position = Vector3::new(0.0, -0.3 * (index as f64 + 1.0), 0.0);
        let next = parts.body(Body::dynamic(Inertia::point(mass), position));
        parts.joint(rod([last, next], [Vector3::zeros(); 2], 0.3));
        last = next;
    }
    build(parts)
}

/// A point mass that touches the ground.
fn grounded() -> Result<World, Verdict> {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    let ball = parts.body(Body::dynamic(Inertia::point(2.0), Vector3::zeros()));
    let point = ContactPoint {
        anchors: [Vector3::zeros(); 2],
        radii: [0.0; 2],
    };
    let law = ContactLaw::Frictionless;
    let bodies = [ground, ball];
    let manifold = Manifold::new(bodies, Vector3::y(), vec![point], 0.0, law);
    parts.manifolds.push(manifold);
    build(parts)
}

/// What a hostile solver does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trick {
    Nan,
    Infinite,
    Error,
}

/// Answers zero impulses, and in one of its calls something else.
#[derive(Debug)]
struct Hostile {
    trick: Trick,
    /// Solves until the trick.
    left: u32,
    rows: usize,
    armed: bool,
}

impl Hostile {
    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "hostile",
        name: "Hostile solver",
        summary: "answers zero, and once NaN, infinity or an error",
        ..SolverDescriptor::BASE
    };

    fn new(trick: Trick, call: u32) -> Self {
        Self {
            trick,
            left: call,
            rows: 0,
            armed: false,
        }
    }
}

impl ImpulseSolver for Hostile {
    fn descriptor(&self) -> &SolverDescriptor {
        &Self::DESCRIPTOR
    }

    fn check(&self, _problem: &Problem) -> Result<Fidelity, Unsupported> {
        Ok(Fidelity::Exact)
    }

    fn prepare(&mut self, problem: &Problem, _start: Start<'_>) -> Result<(), SolveError> {
        self.rows = problem.rows();
        Ok(())
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        self.armed = self.left == 0;
        self.left = self.left.wrapping_sub(1);
        if self.armed && self.trick == Trick::Error {
            return Err(SolveError::NotPrepared);
        }
        Ok(Progress::of_sweeps(sweeps, problem.rows()))
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        let value = match self.trick {
            Trick::Nan if self.armed => f64::NAN,
            Trick::Infinite if self.armed => f64::INFINITY,
            _ => 0.0,
        };
        out.fill(value);
        Ok(())
    }
}
