//! Presets that bear the name of a program, over three frames, against the published rows written down here once more
//! (docs/theory/19-presets.md): a block that is pressed, slides and comes to rest, a bob on a rod, a limit and a bounce. What
//! a frame leaves to the next one (warm starts, relaxed and carried impulses, turned lever arms) shows in the later ones.

use delassus_core::Solver;
use delassus_dynamics::constraints::{Distance, SlideLimit};
use delassus_dynamics::{
    Body, ContactLaw, ContactPoint, Inertia, Joint, Manifold, Scheme, Signal, VelocityScheme,
    World, WorldParts,
};
use delassus_solver_si::pgs::PgsParameters;
use delassus_solver_si::{Pgs, RowOrder};
use nalgebra::Vector3;

use super::published::parameters;

/// Length of a frame \[s\].
const DT: f64 = 1.0 / 32.0;
const FRAMES: usize = 3;
/// Of the body that moves \[kg\].
const MASS: f64 = 2.0;
const GRAVITY: f64 = 10.0;
const FRICTION: f64 = 0.3;

/// What works off an error.
#[derive(Clone, Copy)]
enum Pull {
    /// No velocity does.
    None,
    /// A share β per step of what is beyond the slop \[m\].
    Share { beta: f64, slop: f64 },
    /// A spring, whose frequency \[Hz\] times the step is bounded, with a damping ratio.
    Spring { hertz: f64, bound: f64, zeta: f64 },
}

/// A step of a row: rate β_r, mass scale μ_s, impulse scale ι.
#[derive(Clone, Copy)]
struct Step {
    rate: f64,
    mass: f64,
    impulse: f64,
}

impl Pull {
    fn step(self, h: f64) -> Step {
        let rigid = |rate| Step {
            rate,
            mass: 1.0,
            impulse: 0.0,
        };
        match self {
            Self::None => rigid(0.0),
            Self::Share { beta, .. } => rigid(beta / h),
            Self::Spring { hertz, bound, zeta } => {
                let x = std::f64::consts::TAU * hertz.min(bound / h) * h;
                let c = x * (2.0 * zeta + x);
                let rate = x / h / (2.0 * zeta + x);
                Step {
                    rate,
                    mass: c / (1.0 + c),
                    impulse: 1.0 / (1.0 + c),
                }
            }
        }
    }

    fn slop(self) -> f64 {
        if let Self::Share { slop, .. } = self {
            slop
        } else {
            0.0
        }
    }

    /// With another frequency and damping, by these factors.
    fn with_static(self, [hertzes, zetas]: [f64; 2]) -> Self {
        match self {
            Self::Spring { hertz, bound, zeta } => Self::Spring {
                hertz: hertzes * hertz,
                bound: hertzes * bound,
                zeta: zetas * zeta,
            },
            rigid => rigid,
        }
    }
}

/// What an open contact does.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    Absent,
    Rigid,
    Soft,
}

/// When friction is solved for.
#[derive(Clone, Copy, PartialEq)]
enum Friction {
    BeforeNormals,
    AfterNormals,
    InRelaxPass,
}

/// A program, from its source.
#[derive(Clone, Copy)]
struct Program {
    id: &'static str,
    substeps: usize,
    sweeps: usize,
    relax: usize,
    contact: Pull,
    /// Factors on frequency and damping of contacts with what does not move.
    fixed: [f64; 2],
    joint: Pull,
    /// Largest push \[m/s\].
    cap: f64,
    /// True if the cap bounds what the mass scale leaves.
    scaled: bool,
    open: Open,
    friction: Friction,
    /// True if the relax pass sees the separations of the frame's start.
    old_gaps: bool,
    /// True if the relax pass has the rod's direction before the move.
    old_arms: bool,
    /// True if joints start from zero.
    cold_joints: bool,
    /// Position passes per frame, and per substep.
    passes: [usize; 2],
    /// Overlap that ends them \[m\].
    enough: Option<f64>,
    /// What works off a closed limit; `None` where positions do, or there are none.
    limit: Option<Pull>,
    /// Largest speed of that \[m/s\].
    limit_cap: f64,
}

const fn spring(hertz: f64, bound: f64, zeta: f64) -> Pull {
    Pull::Spring { hertz, bound, zeta }
}

const UNBOUND: f64 = 1e9;

/// What most of them share; the rest is said below.
const BASE: Program = Program {
    id: "",
    substeps: 4,
    sweeps: 1,
    relax: 1,
    contact: spring(30.0, 0.25, 10.0),
    fixed: [2.0, 1.0],
    joint: Pull::None,
    cap: f64::INFINITY,
    scaled: false,
    open: Open::Rigid,
    friction: Friction::AfterNormals,
    old_gaps: false,
    old_arms: false,
    cold_joints: false,
    passes: [0, 0],
    enough: None,
    limit: None,
    limit_cap: f64::INFINITY,
};

fn programs() -> Vec<Program> {
    let share = |slop| Pull::Share { beta: 0.2, slop };
    let one = |id, sweeps, contact, joint| Program {
        id,
        substeps: 1,
        sweeps,
        relax: 0,
        contact,
        joint,
        ..BASE
    };
    let soft = |id, joint: Pull, cap| Program {
        id,
        joint,
        cap,
        limit: Some(joint),
        ..BASE
    };
    let soft_step = |id| Program {
        contact: spring(30.0, 0.125, 10.0),
        scaled: true,
        friction: Friction::InRelaxPass,
        ..soft(id, spring(60.0, 0.25, 2.0), 3.0)
    };
    let stiff = spring(1e6, UNBOUND, 1.0);
    let bepu = spring(30.0, UNBOUND, 1.0);
    vec![
        Program {
            cap: 4.0,
            limit: Some(share(0.0)),
            ..one("pgs-slop", 10, share(0.005), share(0.0))
        },
        Program {
            open: Open::Absent,
            ..one("box2d-lite", 10, share(0.01), share(0.0))
        },
        Program {
            open: Open::Absent,
            friction: Friction::BeforeNormals,
            passes: [4, 0],
            ..one("pgs-ngs", 10, Pull::None, Pull::None)
        },
        Program {
            open: Open::Absent,
            friction: Friction::BeforeNormals,
            passes: [3, 0],
            enough: Some(0.015),
            ..one("box2d-2.4", 8, Pull::None, Pull::None)
        },
        Program {
            contact: Pull::None,
            relax: 0,
            passes: [0, 1],
            id: "tgs-ngs",
            ..BASE
        },
        Program {
            substeps: 1,
            sweeps: 4,
            relax: 2,
            contact: spring(30.0, 1.0 / 3.0, 10.0),
            old_gaps: true,
            ..soft("pgs-soft", spring(60.0, 0.5, 10.0), 2.0)
        },
        soft("tgs-soft", spring(60.0, 0.125, 10.0), 4.0),
        soft("solver2d-soft-step", spring(60.0, 0.25, 10.0), 2.0),
        Program {
            open: Open::Soft,
            ..soft("box2d-3.0", spring(60.0, 0.125, 2.0), 3.0)
        },
        soft_step("soft-step"),
        Program {
            fixed: [2.0, 0.5],
            ..soft_step("box3d")
        },
        Program {
            contact: spring(30.0, UNBOUND, 10.0),
            scaled: false,
            joint: stiff,
            old_arms: true,
            cold_joints: true,
            limit: Some(stiff),
            limit_cap: 3.0,
            ..soft_step("rapier")
        },
        Program {
            substeps: 8,
            relax: 0,
            contact: bepu,
            fixed: [1.0, 1.0],
            open: Open::Soft,
            ..soft("bepu-2", bepu, 2.0)
        },
    ]
}

/// A block along one normal and one tangent.
#[derive(Clone, Copy, Default)]
struct Block {
    gap: f64,
    velocity: [f64; 2],
    impulses: [f64; 2],
}

impl Block {
    fn push(&mut self, row: usize, total: f64) {
        self.velocity[row] += (total - self.impulses[row]) / MASS;
        self.impulses[row] = total;
    }

    /// The normal row with a bias, once.
    fn normal(&mut self, step: Step, bias: f64) {
        let Step { mass, impulse, .. } = step;
        let change = -MASS * mass * (self.velocity[0] + bias) - impulse * self.impulses[0];
        self.push(0, (self.impulses[0] + change).max(0.0));
    }

    fn friction(&mut self) {
        let bound = FRICTION * self.impulses[0];
        let total = self.impulses[1] - MASS * self.velocity[1];
        self.push(1, total.clamp(-bound, bound));
    }

    fn frame(&mut self, program: &Program) {
        let h = DT / program.substeps as f64;
        let closed = program.contact.with_static(program.fixed).step(h);
        let rigid = Pull::None.step(h);
        let absent = program.open == Open::Absent && self.gap > 0.0;
        let first = program.friction == Friction::BeforeNormals;
        for _ in 0..program.substeps {
            self.velocity[0] -= GRAVITY * h;
            for row in 0..2 {
                self.velocity[row] += self.impulses[row] / MASS;
            }
            let gap = self.gap;
            for _ in 0..if absent { 0 } else { program.sweeps } {
                if first {
                    self.friction();
                }
                if gap > 0.0 {
                    let soft = program.open == Open::Soft;
                    self.normal(if soft { closed } else { rigid }, gap / h);
                } else {
                    let wanted = closed.rate * (gap + program.contact.slop()).min(0.0);
                    let cap = program.cap / if program.scaled { closed.mass } else { 1.0 };
                    self.normal(closed, wanted.max(-cap));
                }
                if program.friction == Friction::AfterNormals {
                    self.friction();
                }
            }
            self.gap += h * self.velocity[0];
            let seen = if program.old_gaps { gap } else { self.gap };
            for _ in 0..program.relax {
                self.normal(rigid, seen.max(0.0) / h);
                self.friction();
            }
            self.correct(program, program.passes[1]);
        }
        self.correct(program, program.passes[0]);
    }

    fn correct(&mut self, program: &Program, passes: usize) {
        for _ in 0..passes {
            let gap = self.gap;
            self.gap -= (0.2 * (gap + 0.005)).clamp(-0.2, 0.0);
            if program.enough.is_some_and(|enough| gap >= -enough) {
                break;
            }
        }
    }
}

/// The preset of a program, with the order of rows that the program has.
fn scheme(program: &Program) -> VelocityScheme {
    let rows = match program.friction {
        Friction::BeforeNormals => RowOrder::FrictionFirst,
        _ => RowOrder::NormalsFirst,
    };
    let solver = Pgs::new(PgsParameters {
        rows,
        ..PgsParameters::default()
    });
    VelocityScheme::new(parameters(program.id), Box::new(solver.unwrap())).unwrap()
}

fn world(body: Body, change: impl FnOnce(&mut WorldParts)) -> World {
    let mut parts = WorldParts {
        gravity: -GRAVITY * Vector3::x(),
        ..WorldParts::default()
    };
    parts.body(Body::fixed(Vector3::zeros()));
    parts.body(body);
    change(&mut parts);
    parts.build().unwrap()
}

/// A body of 2 kg that does not turn.
fn block(at: Vector3<f64>, velocity: Vector3<f64>) -> Body {
    let inertia = Inertia::new(MASS, Vector3::repeat(0.5));
    let mut body = Body::dynamic(inertia, at).moving(velocity, Vector3::zeros());
    body.lock_rotation = [true; 3];
    body
}

fn touching(gap: f64, velocity: [f64; 2], restitution: f64) -> World {
    let [normal, tangent] = velocity;
    let body = block(Vector3::x(), Vector3::new(normal, tangent, 0.0));
    world(body, |parts| {
        let point = ContactPoint {
            anchors: [Vector3::new(1.0 - gap, 0.0, 0.0), Vector3::zeros()],
            radii: [0.0; 2],
        };
        let law = ContactLaw::Disc;
        let mut manifold = Manifold::new([0, 1], Vector3::x(), vec![point], FRICTION, law);
        manifold.restitution = restitution;
        parts.manifolds.push(manifold);
    })
}

#[track_caller]
fn agree(what: &str, found: &[f64], expected: &[f64]) {
    for (found, expected) in found.iter().zip(expected) {
        let error = (found - expected).abs();
        assert!(
            error < 1e-12 * expected.abs().max(1.0),
            "{what}: {found}, not {expected}"
        );
    }
}

#[test]
fn a_block_slides_and_stops_in_frames_as_its_source_has_it() {
    // pressed with slop to spare and within every slop, open and closing
    let starts = [
        (-0.02, [0.0, 0.15]),
        (-0.004, [-0.5, 0.5]),
        (0.006, [-1.0, 0.2]),
    ];
    for program in programs() {
        for (gap, velocity) in starts {
            let mut expected = Block {
                gap,
                velocity,
                ..Block::default()
            };
            let mut found = touching(gap, velocity, 0.0);
            let mut scheme = scheme(&program);
            let mut held = 0.0_f64;
            for frame in 0..FRAMES {
                scheme.step(&mut found, DT, &mut ()).unwrap();
                expected.frame(&program);
                let body = &found.bodies()[1];
                let moved = gap + body.position.to_vector().x - 1.0;
                let what = format!("{} from {gap} m, frame {frame}", program.id);
                let all = [moved, body.velocity.x, body.velocity.y];
                let [normal, tangent] = expected.velocity;
                agree(&what, &all, &[expected.gap, normal, tangent]);
                held = held.max(expected.impulses[1].abs());
            }
            assert!(held > 0.0, "{}: nothing was carried", program.id);
        }
    }
}

/// A bob on a rod, in a plane.
#[derive(Clone, Copy)]
struct Bob {
    at: [f64; 2],
    velocity: [f64; 2],
    impulse: f64,
}

const LENGTH: f64 = 0.9;

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

impl Bob {
    /// Direction of the rod, and its error \[m\].
    fn rod(&self) -> ([f64; 2], f64) {
        let length = dot(self.at, self.at).sqrt();
        (self.at.map(|x| x / length), length - LENGTH)
    }

    fn push(&mut self, along: [f64; 2], change: f64) {
        self.impulse += change;
        for (v, n) in self.velocity.iter_mut().zip(along) {
            *v += change / MASS * n;
        }
    }

    fn frame(&mut self, program: &Program) {
        let h = DT / program.substeps as f64;
        let Step {
            rate,
            mass,
            impulse,
        } = program.joint.step(h);
        for _ in 0..program.substeps {
            let (rod, error) = self.rod();
            let start = if program.cold_joints {
                0.0
            } else {
                self.impulse
            };
            self.velocity[0] -= GRAVITY * h;
            self.impulse = 0.0;
            self.push(rod, start);
            for _ in 0..program.sweeps {
                let wanted = dot(rod, self.velocity) + rate * error;
                self.push(rod, -MASS * mass * wanted - impulse * self.impulse);
            }
            for (x, v) in self.at.iter_mut().zip(self.velocity) {
                *x += h * v;
            }
            let turned = if program.old_arms { rod } else { self.rod().0 };
            for _ in 0..program.relax {
                self.push(turned, -MASS * dot(turned, self.velocity));
            }
            self.project(program.passes[1]);
        }
        self.project(program.passes[0]);
    }

    fn project(&mut self, passes: usize) {
        for _ in 0..passes {
            let (rod, error) = self.rod();
            for (x, n) in self.at.iter_mut().zip(rod) {
                *x -= error * n;
            }
        }
    }
}

#[test]
fn a_rod_turns_in_frames_as_its_source_has_it() {
    for program in programs() {
        let (at, velocity) = ([0.5, 0.8], [0.7, -1.3]);
        let mut expected = Bob {
            at,
            velocity,
            impulse: 0.0,
        };
        let flat = |[x, y]: [f64; 2]| Vector3::new(x, y, 0.0);
        let mut found = world(block(flat(at), flat(velocity)), |parts| {
            parts.joint(Joint::new(Distance {
                bodies: [0, 1],
                anchors: [Vector3::zeros(); 2],
                length: Signal::Constant(LENGTH),
            }));
        });
        let mut scheme = scheme(&program);
        for frame in 0..FRAMES {
            scheme.step(&mut found, DT, &mut ()).unwrap();
            expected.frame(&program);
            let body = &found.bodies()[1];
            let (at, velocity) = (body.position.to_vector(), body.velocity);
            let Bob {
                at: [x, y],
                velocity: [u, v],
                ..
            } = expected;
            let what = format!("{}, frame {frame}", program.id);
            agree(&what, &[at.x, at.y, velocity.x, velocity.y], &[x, y, u, v]);
        }
    }
}

#[test]
fn limits_push_as_their_source_has_it() {
    let mut seen = 0;
    for program in programs() {
        let Some(pull) = program.limit else { continue };
        // a limit is a contact without friction, with the numbers of a joint
        let own = Program {
            contact: pull,
            fixed: [1.0; 2],
            cap: program.limit_cap,
            scaled: false,
            old_gaps: false,
            open: if program.id == "bepu-2" {
                Open::Soft
            } else {
                Open::Rigid
            },
            ..program
        };
        for (gap, speed) in [(-0.03, -0.5), (-0.4, 0.0), (0.01, -1.0)] {
            let velocity = [speed, 0.0];
            let mut expected = Block {
                gap,
                velocity,
                ..Block::default()
            };
            let body = block((1.0 + gap) * Vector3::x(), speed * Vector3::x());
            let mut found = world(body, |parts| {
                parts.joint(Joint::new(SlideLimit {
                    bodies: [0, 1],
                    anchors: [Vector3::zeros(); 2],
                    axis: Vector3::x(),
                    lower: 1.0,
                    upper: 1e3,
                }));
            });
            let mut scheme = scheme(&program);
            for frame in 0..FRAMES {
                scheme.step(&mut found, DT, &mut ()).unwrap();
                if program.cold_joints {
                    // limits are joints: every substep starts from zero
                    expected.cold_frame(&own);
                } else {
                    expected.frame(&own);
                }
                let body = &found.bodies()[1];
                let what = format!("{} from {gap} m, frame {frame}", program.id);
                let moved = body.position.to_vector().x - 1.0;
                agree(
                    &what,
                    &[moved, body.velocity.x],
                    &[expected.gap, expected.velocity[0]],
                );
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 9 * 3 * FRAMES);
}

impl Block {
    /// A frame whose substeps start from zero.
    fn cold_frame(&mut self, program: &Program) {
        let h = DT / program.substeps as f64;
        let closed = program.contact.step(h);
        let rigid = Pull::None.step(h);
        for _ in 0..program.substeps {
            self.velocity[0] -= GRAVITY * h;
            self.impulses = [0.0; 2];
            if self.gap > 0.0 {
                self.normal(rigid, self.gap / h);
            } else {
                self.normal(closed, (closed.rate * self.gap).max(-program.cap));
            }
            self.gap += h * self.velocity[0];
            self.normal(rigid, self.gap.max(0.0) / h);
        }
    }
}

#[test]
fn bounces_are_those_of_their_source() {
    let bounced = |id: &str, velocity: f64, frames: usize| {
        let program = programs().into_iter().find(|program| program.id == id);
        let mut scheme = scheme(&program.unwrap());
        let mut world = touching(0.0, [velocity, 0.0], 0.5);
        for _ in 0..frames {
            scheme.step(&mut world, DT, &mut ()).unwrap();
        }
        world.bodies()[1].velocity.x
    };
    // the speed of the approach: with the weight of the step in Box2D 2.4, without it in the others
    let approach = 2.0 + GRAVITY * DT;
    agree(
        "box2d-2.4",
        &[bounced("box2d-2.4", -2.0, 1)],
        &[0.5 * approach],
    );
    agree("soft-step", &[bounced("soft-step", -2.0, 1)], &[0.5 * 2.0]);
    // slow ones bounce in Rapier alone, and there once
    agree("soft-step", &[bounced("soft-step", -0.5, 1)], &[0.0]);
    agree("rapier", &[bounced("rapier", -0.5, 1)], &[0.5 * 0.5]);
}
