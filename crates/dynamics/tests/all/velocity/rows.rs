//! What a row makes of its error: the velocity that a step leaves and the distance that it moves.

use delassus_core::{SoftRow, Softness};
use delassus_dynamics::constraints::{Distance, LinearMotor, Rope, SlideLimit};
use delassus_dynamics::{Body, Joint, Signal, Stabilization, VelocityParameters};
use nalgebra::Vector3;

use super::line::{H, MASS, ball, close, held, moved, touching};

fn rod(length: f64) -> Joint {
    Joint::new(Distance {
        bodies: [0, 1],
        anchors: [Vector3::zeros(); 2],
        length: Signal::Constant(length),
    })
}

/// The travel along x stays above `lower`; the other end of the range is far away.
fn limit(lower: f64) -> Joint {
    Joint::new(SlideLimit {
        bodies: [0, 1],
        anchors: [Vector3::zeros(); 2],
        axis: Vector3::x(),
        lower,
        upper: 1e3,
    })
}

fn with(stabilization: Stabilization) -> VelocityParameters {
    VelocityParameters {
        stabilization,
        beta: 0.3,
        damping: 0.8,
        sweeps: 1,
        ..VelocityParameters::default()
    }
}

/// Velocity after one solve of a soft row with the start velocity v: (1/m + γ) λ = −(v + bias).
fn soft(v: f64, inverse_mass: f64, bias: f64, row: SoftRow) -> f64 {
    v - inverse_mass * (v + bias) / (inverse_mass + row.compliance)
}

#[test]
fn rigid_joints_lose_a_share_of_their_error() {
    use Stabilization as S;
    let error = 0.25;
    let world = |v: f64| held(1.0 + error, v, vec![rod(1.0)]);
    for (method, rate) in [
        (S::None, 0.0),
        (S::Baumgarte, 0.3 / H),
        (S::TauDamping, 0.3 / (0.8 * H)),
    ] {
        let (v, x) = moved(world(5.0), &with(method));
        close(v, -rate * error);
        close(x, -rate * error * H);
    }
    // split impulses move the pose and leave no velocity
    let (v, x) = moved(world(5.0), &with(S::SplitImpulse));
    close(v, 0.0);
    close(x, -0.3 * error);
    // both signs of the error, less the part that is left alone
    let slack = VelocityParameters {
        joint_slop: 0.05,
        ..with(S::Baumgarte)
    };
    close(moved(world(5.0), &slack).0, -0.3 / H * 0.2);
    let short = held(0.75, 5.0, vec![rod(1.0)]);
    close(moved(short, &slack).0, 0.3 / H * 0.2);
    let within = held(1.0 + 0.03, 5.0, vec![rod(1.0)]);
    close(moved(within, &slack).0, 0.0);
}

#[test]
fn soft_joints_are_springs_of_a_bounded_frequency() {
    let (error, v) = (0.25, 5.0);
    for (hertz, limit) in [(3.0, 0.25), (60.0, 0.25), (60.0, 0.125)] {
        let parameters = VelocityParameters {
            joint_hertz: hertz,
            joint_hertz_limit: limit,
            joint_damping_ratio: 1.5,
            ..with(Stabilization::Soft)
        };
        let spring = Softness::Frequency {
            hertz: hertz.min(limit / H),
            damping_ratio: 1.5,
        };
        let row = spring.row(1.0 / MASS, H).unwrap();
        let world = || held(1.0 + error, v, vec![rod(1.0)]);
        let expected = soft(v, 1.0 / MASS, row.bias_rate * error, row);
        let (found, x) = moved(world(), &parameters);
        close(found, expected);
        close(x, expected * H);
        // the relax pass takes the velocity away and leaves the way
        let relaxed = VelocityParameters {
            relax_sweeps: 1,
            ..parameters
        };
        let (found, x) = moved(world(), &relaxed);
        close(found, 0.0);
        close(x, expected * H);
    }
}

#[test]
fn a_spring_of_the_scene_is_the_same_in_every_pass() {
    let spring = Softness::Spring {
        stiffness: 300.0,
        damping: 20.0,
    };
    let row = spring.row(1.0 / MASS, H).unwrap();
    let (error, v) = (0.25, 5.0);
    let expected = soft(v, 1.0 / MASS, row.bias_rate * error, row);
    use Stabilization as S;
    for method in [
        S::None,
        S::Baumgarte,
        S::Soft,
        S::SplitImpulse,
        S::TauDamping,
    ] {
        let world = held(1.0 + error, v, vec![rod(1.0).soft(spring)]);
        let (found, x) = moved(world, &with(method));
        close(found, expected);
        // and no pseudo-velocity adds to it
        close(x, expected * H);
    }
    // the relax pass begins where the first solve ended: the row is solved, and the error is the
    // new one
    let relaxed = VelocityParameters {
        relax_sweeps: 1,
        ..with(S::Soft)
    };
    let world = held(1.0 + error, v, vec![rod(1.0).soft(spring)]);
    let (found, x) = moved(world, &relaxed);
    close(x, expected * H);
    let later = row.bias_rate * (error + x);
    close(found, soft(v, 1.0 / MASS, later, row));
}

#[test]
fn limits_let_a_gap_close_and_push_an_overlap_out() {
    use Stabilization as S;
    // open by 0.01 m at 5 m/s: it may close and no more, in every method and pass
    for method in [S::None, S::Baumgarte, S::Soft, S::SplitImpulse] {
        let (v, x) = moved(held(1.01, -5.0, vec![limit(1.0)]), &with(method));
        close(v, -0.01 / H);
        close(x, -0.01);
        // a gap that does not close within the step is not felt
        close(
            moved(held(1.2, -5.0, vec![limit(1.0)]), &with(method)).0,
            -5.0,
        );
    }
    let overlapping = |depth: f64| held(1.0 - depth, -5.0, vec![limit(1.0)]);
    let slack = |max: Option<f64>| VelocityParameters {
        slop: 0.005,
        max_push_speed: max,
        ..with(S::Baumgarte)
    };
    let rate = 0.3 / H;
    close(moved(overlapping(0.025), &slack(None)).0, rate * 0.02);
    close(moved(overlapping(0.025), &slack(Some(0.25))).0, 0.25);
    close(moved(overlapping(0.004), &slack(None)).0, 0.0);
    close(moved(overlapping(0.025), &with(S::None)).0, 0.0);
    let (v, x) = moved(overlapping(0.025), &with(S::SplitImpulse));
    close(v, 0.0);
    close(x, 0.3 * 0.025);
    // a soft limit is a spring where it overlaps and a stop where it is open
    let spring = Softness::Spring {
        stiffness: 500.0,
        damping: 10.0,
    };
    let row = spring.row(1.0 / MASS, H).unwrap();
    let v = -5.0;
    let pushed = soft(v, 1.0 / MASS, -row.bias_rate * 0.025, row);
    let world = held(0.975, v, vec![limit(1.0).soft(spring)]);
    close(moved(world, &slack(Some(0.25))).0, pushed);
    let world = held(1.01, v, vec![limit(1.0).soft(spring)]);
    close(moved(world, &slack(None)).0, -0.01 / H);
    // the stabilising spring of limits is that of contacts, capped
    let stiff = VelocityParameters {
        contact_hertz: 4.0,
        contact_damping_ratio: 3.0,
        max_push_speed: Some(0.03),
        ..with(S::Soft)
    };
    let (hertz, damping_ratio) = (4.0, 3.0);
    let spring = Softness::Frequency {
        hertz,
        damping_ratio,
    };
    let row = spring.row(1.0 / MASS, H).unwrap();
    for (depth, push) in [(0.002, row.bias_rate * 0.002), (0.025, 0.03)] {
        assert!(push <= 0.03);
        close(
            moved(overlapping(depth), &stiff).0,
            soft(v, 1.0 / MASS, -push, row),
        );
    }
}

#[test]
fn contacts_do_as_limits() {
    use Stabilization as S;
    let fixed = || Body::fixed(Vector3::zeros());
    let slack = |method: S| VelocityParameters {
        slop: 0.005,
        ..with(method)
    };
    for (method, rate) in [
        (S::None, 0.0),
        (S::Baumgarte, 0.3 / H),
        (S::TauDamping, 0.3 / (0.8 * H)),
    ] {
        let (v, x) = moved(touching(fixed(), 0.01, -5.0, 0.0), &slack(method));
        close(v, -0.01 / H);
        close(x, -0.01);
        let (v, x) = moved(touching(fixed(), -0.025, -5.0, 0.0), &slack(method));
        close(v, rate * 0.02);
        close(x, rate * 0.02 * H);
        close(
            moved(touching(fixed(), -0.004, -5.0, 0.0), &slack(method)).0,
            0.0,
        );
    }
    let (v, x) = moved(
        touching(fixed(), -0.025, -5.0, 0.0),
        &slack(S::SplitImpulse),
    );
    close(v, 0.0);
    close(x, 0.3 * 0.02);
    let (v, x) = moved(touching(fixed(), 0.01, -5.0, 0.0), &slack(S::SplitImpulse));
    close(v, -0.01 / H);
    close(x, -0.01);
    let capped = VelocityParameters {
        max_push_speed: Some(0.125),
        ..slack(S::Baumgarte)
    };
    close(
        moved(touching(fixed(), -0.025, -5.0, 0.0), &capped).0,
        0.125,
    );
}

#[test]
fn soft_contacts_are_stiffer_against_what_does_not_move() {
    let parameters = VelocityParameters {
        contact_hertz: 5.0,
        contact_hertz_limit: 0.25,
        contact_damping_ratio: 2.0,
        static_hertz_factor: 3.0,
        slop: 0.005,
        max_push_speed: Some(0.2),
        ..with(Stabilization::Soft)
    };
    let spring = |hertz: f64| Softness::Frequency {
        hertz,
        damping_ratio: 2.0,
    };
    for (first, inverse, factor) in [
        (Body::fixed(Vector3::zeros()), 1.0 / MASS, 3.0),
        (ball(0.0, 0.0), 2.0 / MASS, 1.0),
    ] {
        let row = spring(5.0 * factor).row(inverse, H).unwrap();
        for (depth, capped) in [(0.006, false), (0.3, true)] {
            let push = row.bias_rate * (depth - 0.005);
            assert_eq!(push > 0.2, capped);
            let (v, push) = (-5.0, push.min(0.2));
            let relative = soft(v, inverse, -push, row);
            // the second body takes its share of the change
            let share = 1.0 / MASS / inverse;
            let world = touching(first.clone(), -depth, v, 0.0);
            close(moved(world, &parameters).0, v + share * (relative - v));
        }
        // an open contact is a stop, not a spring
        let stop = moved(touching(first, 0.01, -5.0, 0.0), &parameters).0;
        close(stop, -5.0 + 1.0 / MASS / inverse * (5.0 - 0.01 / H));
    }
    // the frequency is bounded before the factor is applied
    let fast = VelocityParameters {
        contact_hertz: 1e3,
        ..parameters
    };
    let row = spring(3.0 * 0.25 / H).row(1.0 / MASS, H).unwrap();
    let push = (row.bias_rate * 0.001).min(0.2);
    let world = touching(Body::fixed(Vector3::zeros()), -0.006, -5.0, 0.0);
    close(moved(world, &fast).0, soft(-5.0, 1.0 / MASS, -push, row));
}

#[test]
fn drives_move_at_their_rate_and_not_twice() {
    let motor = Joint::new(LinearMotor {
        bodies: [0, 1],
        anchors: [Vector3::zeros(); 2],
        axis: Vector3::y(),
        target: Signal::Constant(1.5),
    });
    for method in [Stabilization::None, Stabilization::SplitImpulse] {
        // a rod along x with an error, so that there are pseudo-velocities
        let mut world = held(1.25, 0.0, vec![motor.clone(), rod(1.0)]);
        super::line::step(&mut world, &with(method));
        let body = &world.bodies()[1];
        close(body.velocity.y, 1.5);
        close(body.position.to_vector().y, 1.5 * H);
    }
}

#[test]
fn what_arrives_fast_bounces() {
    let fixed = || Body::fixed(Vector3::zeros());
    let bounce = |separation: f64, v: f64, substeps: u32| {
        let parameters = VelocityParameters {
            restitution_threshold: 1.0,
            substeps,
            ..with(Stabilization::Baumgarte)
        };
        moved(touching(fixed(), separation, v, 0.5), &parameters).0
    };
    for substeps in [1, 3] {
        close(bounce(0.0, -3.0, substeps), 1.5);
        // at the threshold and below it does not
        close(bounce(0.0, -1.0, substeps), 0.0);
        close(bounce(0.0, -0.5, substeps), 0.0);
        // what does not arrive within the step does not bounce yet
        close(bounce(1.0, -3.0, substeps), -3.0);
    }
    // it arrives in the second of three substeps: the speed of the start counts
    close(bounce(0.6 * 3.0 * H, -3.0, 3), 1.5);
    // two moving bodies of one mass exchange their velocities
    let parameters = with(Stabilization::Baumgarte);
    let mut world = touching(ball(0.0, 1.0), 0.0, -3.0, 1.0);
    super::line::step(&mut world, &parameters);
    close(world.bodies()[0].velocity.x, -3.0);
    close(world.bodies()[1].velocity.x, 1.0);
}

#[test]
fn what_just_touches_is_pressed_as_softly_as_what_overlaps() {
    let parameters = with(Stabilization::Soft);
    let spring = |factor: f64| Softness::Frequency {
        hertz: factor
            * parameters
                .contact_hertz
                .min(parameters.contact_hertz_limit / H),
        damping_ratio: parameters.contact_damping_ratio,
    };
    let row = |factor: f64| spring(factor).row(1.0 / MASS, H).unwrap();
    let factor = parameters.static_hertz_factor;
    let world = touching(Body::fixed(Vector3::zeros()), 0.0, -5.0, 0.0);
    close(
        moved(world, &parameters).0,
        soft(-5.0, 1.0 / MASS, 0.0, row(factor)),
    );
    let world = held(1.0, -5.0, vec![limit(1.0)]);
    close(
        moved(world, &parameters).0,
        soft(-5.0, 1.0 / MASS, 0.0, row(1.0)),
    );
    let spring = Softness::Spring {
        stiffness: 500.0,
        damping: 10.0,
    };
    let world = held(1.0, -5.0, vec![limit(1.0).soft(spring)]);
    let own = spring.row(1.0 / MASS, H).unwrap();
    close(
        moved(world, &parameters).0,
        soft(-5.0, 1.0 / MASS, 0.0, own),
    );
}

#[test]
fn targets_that_move_carry_what_they_hold() {
    let (start, rate) = (1.0, 0.375);
    let length = Signal::Ramp { start, rate };
    let anchors = [Vector3::zeros(); 2];
    let spring = Softness::Spring {
        stiffness: 300.0,
        damping: 20.0,
    };
    let row = spring.row(1.0 / MASS, H).unwrap();
    let bodies = [0, 1];
    let winch = || {
        Joint::new(Distance {
            bodies,
            anchors,
            length,
        })
    };
    // J v + bias with the bias of the error at the start, less the rate of the target
    let world = held(1.25, 5.0, vec![winch().soft(spring)]);
    let bias = row.bias_rate * 0.25 - rate;
    close(
        moved(world, &with(Stabilization::None)).0,
        soft(5.0, 1.0 / MASS, bias, row),
    );
    let world = held(1.25, 5.0, vec![winch()]);
    close(
        moved(world, &with(Stabilization::Baumgarte)).0,
        rate - 0.3 / H * 0.25,
    );
    // a slack rope that is let out: the gap and what is let out, and no more
    let rope = Joint::new(Rope {
        bodies,
        anchors,
        length,
    });
    let world = held(0.99, 5.0, vec![rope]);
    close(moved(world, &with(Stabilization::None)).0, 0.01 / H + rate);
}

#[test]
fn a_contact_without_restitution_starts_no_bounce() {
    // one contact that is hit and does not bounce, one that would bounce and is not hit
    let mut parts = touching(Body::fixed(Vector3::zeros()), 0.0, -3.0, 0.0).into_parts();
    let other = touching(Body::fixed(Vector3::zeros()), 1.0, -3.0, 0.5).into_parts();
    parts.manifolds.extend(other.manifolds);
    let mut world = parts.build().unwrap();
    let report = super::line::step(&mut world, &with(Stabilization::Baumgarte));
    assert_eq!(report.progress.sweeps, 1);
    close(world.bodies()[1].velocity.x, 0.0);
}

#[test]
fn pseudo_velocities_are_those_of_each_body() {
    // a third body that a rod along y holds, with an error: it moves along y and turns about
    // nothing
    let mut parts = held(1.0, 0.0, Vec::new()).into_parts();
    let mut third = ball(0.0, 0.0);
    third.position = delassus_dynamics::Position::from(1.25 * Vector3::y());
    parts.body(third);
    parts.joint(Joint::new(Distance {
        bodies: [0, 2],
        anchors: [Vector3::zeros(); 2],
        length: Signal::Constant(1.0),
    }));
    let mut world = parts.build().unwrap();
    let report = super::line::step(&mut world, &with(Stabilization::SplitImpulse));
    let place: Vector3<f64> = world.bodies()[2].position.to_vector();
    let expected: Vector3<f64> = (1.25 - 0.3 * 0.25) * Vector3::y();
    close((place - expected).norm(), 0.0);
    close(
        (world.bodies()[1].position.to_vector() - Vector3::x()).norm(),
        0.0,
    );
    assert_eq!(report.progress.sweeps, 2);
    // an error that is rounding is not worth a second solve
    let mut world = held(1.0 + 1e-15, 0.0, vec![rod(1.0)]);
    let report = super::line::step(&mut world, &with(Stabilization::SplitImpulse));
    assert_eq!(report.progress.sweeps, 1);
}
