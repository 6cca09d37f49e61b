//! Presets that bear the name of a program, over three frames, against the published rows written
//! down here once more (docs/theory/19-presets.md): a block that is pressed, slides and comes to
//! rest, a bob on a rod, a limit and a bounce. What a frame leaves to the next one (warm starts,
//! relaxed and carried impulses, turned lever arms) shows in the later ones.

use delassus_core::Solver;
use delassus_dynamics::constraints::{Distance, SlideLimit};
use delassus_dynamics::{
    Body, BodyKind, ContactLaw, ContactPoint, Inertia, Joint, Manifold, Scheme, Signal,
    VelocityScheme, World, WorldParts,
};
use delassus_solver_si::pgs::PgsParameters;
use delassus_solver_si::{Pgs, RowOrder};
use nalgebra::Vector3;

use super::published::parameters;
use super::published_programs::{Friction, Open, Program, programs};
use super::published_rows::{Block, Bob, DT, FRAMES, FRICTION, GRAVITY, LENGTH, MASS};

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
    touching_a(BodyKind::Static, gap, velocity, restitution)
}

fn touching_a(kind: BodyKind, gap: f64, velocity: [f64; 2], restitution: f64) -> World {
    let [normal, tangent] = velocity;
    let body = block(Vector3::x(), Vector3::new(normal, tangent, 0.0));
    world(body, |parts| {
        parts.bodies[0].kind = kind;
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
    // pressed with slop to spare and within every slop, and open: a gap that closes ends at zero,
    // where rounding decides whether it is open
    let starts = [
        (-0.02, [0.0, 0.15]),
        (-0.004, [-0.5, 0.5]),
        (0.006, [-0.1, 0.2]),
    ];
    for program in programs() {
        let mut held = 0.0_f64;
        for (gap, velocity) in starts {
            let mut expected = Block {
                gap,
                velocity,
                ..Block::default()
            };
            let mut found = touching(gap, velocity, 0.0);
            let mut scheme = scheme(&program);
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
        }
        assert!(held > 0.0, "{}: nothing was carried", program.id);
    }
}

#[test]
fn a_kinematic_body_is_static_where_its_source_has_it_so() {
    // those tell static bodies by their place in the world, the others by their mass
    let by_kind = ["box2d-3.0", "soft-step", "box3d", "rapier"];
    for mut program in programs() {
        let static_frame = {
            let mut block = Block {
                gap: -0.03,
                ..Block::default()
            };
            block.frame(&program);
            block
        };
        if by_kind.contains(&program.id) {
            program.fixed = [1.0; 2];
        }
        let mut expected = Block {
            gap: -0.03,
            ..Block::default()
        };
        let mut found = touching_a(BodyKind::Kinematic, -0.03, [0.0; 2], 0.0);
        let mut scheme = scheme(&program);
        for frame in 0..FRAMES {
            scheme.step(&mut found, DT, &mut ()).unwrap();
            expected.frame(&program);
            let body = &found.bodies()[1];
            let moved = -0.03 + body.position.to_vector().x - 1.0;
            let what = format!("{} on a kinematic body, frame {frame}", program.id);
            agree(
                &what,
                &[moved, body.velocity.x],
                &[expected.gap, expected.velocity[0]],
            );
            if frame == 0 && by_kind.contains(&program.id) {
                assert!((moved - static_frame.gap).abs() > 1e-4, "{what}");
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
