//! The pendulum: the recurrence of every preset (O.6) with every solver, and the exact period
//! (O.7).

use std::f64::consts::FRAC_PI_2;

use delassus_dynamics::{AnchorMode, PositionTime, RelaxPoses, VelocityParameters, World};
use delassus_scenes::oracles::pendulum::{Bob, Recurrence, period};
use nalgebra::Vector3;
use serde_json::{Value, json};

use crate::pairs::{ENOUGH, JointLaw, Pair, fifth, is_met, linked, run, unstabilized};

/// A release from rest.
#[derive(Clone, Copy)]
struct Release {
    length: f64,
    mass: f64,
    gravity: f64,
    angle: f64,
    dt: f64,
    frames: u32,
}

impl Release {
    fn bob(&self) -> Bob {
        Bob::at_rest(self.length, self.angle)
    }

    fn world(&self) -> World {
        let [x, y] = self.bob().position;
        let start = Vector3::new(x, y, 0.0);
        linked(&[self.mass], &[start], self.length, self.gravity)
    }

    fn law(&self, parameters: &VelocityParameters) -> Recurrence {
        let h = self.dt / f64::from(parameters.substeps);
        let joint = JointLaw::of(parameters, h);
        let frozen = match parameters.anchors {
            AnchorMode::Fixed => parameters.substeps,
            AnchorMode::FixedContacts | AnchorMode::Rotated => 1,
        };
        Recurrence {
            frozen,
            bias_rate: joint.bias_rate,
            mass_scale: joint.mass_scale,
            pseudo_rate: joint.pseudo_rate,
            relaxed: parameters.relax_sweeps > 0,
            turned: frozen == 1 && parameters.relax_arms == RelaxPoses::Moved,
            projected: match (parameters.position_sweeps, parameters.position_time) {
                (0, _) => 0,
                (_, PositionTime::Frame) => parameters.substeps,
                (_, PositionTime::Substep) => 1,
            },
            ..Recurrence::plain(self.length, self.gravity, h)
        }
    }
}

/// Compares a pair with its recurrence; the largest difference of the positions \[m\].
fn follow(pair: &Pair, release: &Release, changes: &Value) -> f64 {
    let changes = pair.with_sweeps(ENOUGH, changes.clone());
    let parameters = pair.parameters(&changes);
    let substeps = parameters.substeps;
    let states = release
        .bob()
        .trajectory(&release.law(&parameters), release.frames * substeps);
    let mut world = release.world();
    let mut scheme = pair.build(&changes);
    let mut worst = 0.0_f64;
    for frame in 1..=release.frames {
        run(scheme.as_mut(), &mut world, release.dt, 1);
        let expected = states[(frame * substeps) as usize].position;
        let arm = world.bodies()[1].position - world.bodies()[0].position;
        assert_eq!(arm.z, 0.0);
        worst = worst.max((arm.x - expected[0]).abs().max((arm.y - expected[1]).abs()));
    }
    worst
}

/// Ten seconds from the horizontal, and another pendulum at another step that nearly goes over the
/// top.
const RELEASES: [Release; 3] = [
    Release {
        length: 1.0,
        mass: 1.0,
        gravity: 9.81,
        angle: FRAC_PI_2,
        dt: 1.0 / 60.0,
        frames: 600,
    },
    Release {
        length: 1.0,
        mass: 4.0,
        gravity: 9.81,
        angle: FRAC_PI_2,
        dt: 1.0 / 240.0,
        frames: 480,
    },
    Release {
        length: 0.35,
        mass: 0.2,
        gravity: 3.7,
        angle: 2.6,
        dt: 0.007,
        frames: 500,
    },
];

#[test]
fn every_preset_with_every_solver_follows_its_recurrence() {
    for (index, pair) in fifth(0).iter().enumerate() {
        let releases = RELEASES.iter().enumerate();
        for (_, release) in releases.filter(|(at, _)| is_met(index + at, RELEASES.len())) {
            let worst = follow(pair, release, &json!({}));
            // tolerance of a discrete recurrence (tier T2); rounding leaves 1e-12 after ten seconds
            let tolerance = pair.tolerance(1e-9, 1e-4);
            assert!(worst < tolerance, "{}: {worst:e} m", pair.name());
        }
    }
}

#[test]
fn other_stabilisations_follow_their_recurrence() {
    let changes = [
        unstabilized(),
        json!({ "stabilization": "baumgarte", "beta": 0.05 }),
        json!({ "stabilization": "baumgarte", "beta": 0.7, "anchors": "rotated" }),
        json!({ "stabilization": "split-impulse", "beta": 0.4, "relax_sweeps": 0 }),
        json!({ "stabilization": "soft", "joint_hertz": 12.0, "joint_damping_ratio": 0.3 }),
        json!({ "stabilization": "soft", "joint_hertz": 3.0, "relax_sweeps": 0, "substeps": 2 }),
        json!({ "stabilization": "none", "substeps": 3, "anchors": "fixed", "relax_sweeps": 0 }),
    ];
    for (index, pair) in fifth(1).iter().enumerate() {
        let changes = changes.iter().enumerate();
        for (_, change) in changes.filter(|(at, _)| is_met(index + at, 3)) {
            let fresh = Release {
                frames: 200,
                ..RELEASES[0]
            };
            let worst = follow(pair, &fresh, change);
            let tolerance = pair.tolerance(1e-9, 1e-4);
            assert!(worst < tolerance, "{} {change}: {worst:e} m", pair.name());
        }
    }
}

#[test]
fn drift_and_energy_after_ten_seconds_are_the_printed_ones() {
    // (frames, β, drift [m], energy gained [J/kg]) of a pendulum of 1 m from the horizontal
    let printed = [
        (600, 0.0, 0.474_67, Some(-8.3974)),
        (600, 0.2, 0.010_936, None),
        (2400, 0.0, 0.158_52, None),
        (9600, 0.0, 0.044_42, None),
    ];
    let base = |pair: &&Pair| pair.scheme.descriptor.id == "pgs-baumgarte";
    for pair in fifth(2).iter().filter(base) {
        for (frames, beta, drift, gained) in printed {
            let release = Release {
                dt: 10.0 / f64::from(frames),
                ..RELEASES[0]
            };
            let changes = pair.with_sweeps(ENOUGH, json!({ "beta": beta }));
            let mut world = release.world();
            let start = world.energy().total();
            run(
                pair.build(&changes).as_mut(),
                &mut world,
                release.dt,
                frames,
            );
            let found = world.joint_errors()[0].1;
            let name = pair.name();
            let half_digit = if drift < 0.02 { 5e-7 } else { 5e-6 };
            assert!((found - drift).abs() < half_digit, "{name}: {found}");
            if let Some(expected) = gained {
                let found = world.energy().total() - start;
                assert!((found - expected).abs() < 5e-5, "{name}: {found}");
            }
        }
    }
}

/// Twice the time between the first two passages through the lowest point \[s\].
fn measured_period(pair: &Pair, changes: &Value, release: &Release) -> f64 {
    let mut world = release.world();
    let mut scheme = pair.build(changes);
    let (mut passages, mut before, mut time) = (Vec::new(), 1.0, 0.0);
    while passages.len() < 2 {
        run(scheme.as_mut(), &mut world, release.dt, 1);
        let x = world.bodies()[1].position.to_vector().x;
        if before * x < 0.0 {
            passages.push(time + release.dt * before / (before - x));
        }
        (before, time) = (x, time + release.dt);
        assert!(time < 10.0, "no passage");
    }
    2.0 * (passages[1] - passages[0])
}

#[test]
fn the_period_tends_to_the_elliptic_integral() {
    let base = |pair: &&Pair| pair.scheme.descriptor.id == "pgs-baumgarte";
    for pair in fifth(3).iter().filter(base) {
        for (length, angle, beta) in [
            (1.0, FRAC_PI_2, 0.2),
            (1.0, FRAC_PI_2, 0.0),
            (0.5, 2.0, 0.2),
        ] {
            let exact = period(length, 9.81, angle);
            let error = |dt: f64| {
                let release = Release {
                    length,
                    angle,
                    dt,
                    ..RELEASES[0]
                };
                let changes = pair.with_sweeps(ENOUGH, json!({ "beta": beta }));
                measured_period(pair, &changes, &release) - exact
            };
            let (coarse, fine) = (error(1.0 / 960.0), error(1.0 / 1920.0));
            let name = pair.name();
            // the swings on both sides of the bottom lag by opposite halves of a step: the time
            // between them is better than first order
            assert!(fine.abs() < 1e-4 * exact, "{name}: {fine:e}");
            assert!(
                fine.abs() < 0.6 * coarse.abs(),
                "{name}: {coarse:e} {fine:e}"
            );
        }
    }
}
