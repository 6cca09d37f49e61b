//! What is observed of a run as a whole: energy gained on the way, and when rest began.

use super::*;

/// Gives a free body one velocity along x and one spin about y after another, and steps.
struct Scripted {
    motions: Vec<[f64; 2]>,
    frame: usize,
    inner: Box<dyn Scheme>,
}

impl Scheme for Scripted {
    fn descriptor(&self) -> &SchemeDescriptor {
        self.inner.descriptor()
    }

    fn check(&self, _: &World) -> Result<Fidelity, SchemeError> {
        Ok(Fidelity::Exact)
    }

    fn step(
        &mut self,
        world: &mut World,
        dt: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        let [speed, spin] = self.motions[self.frame];
        self.frame += 1;
        world
            .set_velocity(0, speed * Vector3::x(), spin * Vector3::y())
            .unwrap();
        self.inner.step(world, dt, probe)
    }
}

/// 2 kg with 0.5 kg·m², free in space, that starts at rest and moves as it is told.
fn told(motions: &[[f64; 2]], names: &[&str]) -> ObservedRun {
    let mut parts = WorldParts::default();
    let inertia = Inertia::new(2.0, Vector3::repeat(0.5));
    parts.body(Body::dynamic(inertia, Vector3::zeros()));
    let scheme = || {
        Ok(Box::new(Scripted {
            motions: motions.to_vec(),
            frame: 0,
            inner: make("pgs-baumgarte", json!({}), "pgs"),
        }) as Box<dyn Scheme>)
    };
    run(
        &parts.build().unwrap(),
        &scheme,
        names,
        u32::try_from(motions.len()).unwrap(),
    )
}

#[test]
fn energy_injected_counts_gains_and_no_losses() {
    let motions = [[1.0, 0.0], [3.0, 0.0], [0.0, 2.0], [0.0, 0.0], [2.0, 0.0]];
    let run = told(
        &motions,
        &[
            "energy_injected",
            "energy_error",
            "speed_max",
            "spin_max",
            "energy_gains",
        ],
    );
    assert_eq!(values(&run, "energy_gains"), [0.0, 1.0, 2.0, 2.0, 2.0, 3.0]);
    // ½ · 2 kg · v² + ½ · 0.5 kg·m² · ω²: 1 J, 9 J, 1 J, 0 J, 4 J
    let found = values(&run, "energy_injected");
    for (found, expected) in found.iter().zip([0.0, 1.0, 9.0, 9.0, 9.0, 13.0]) {
        assert!(
            (found - expected).abs() < 1e-14,
            "{found}, expected {expected}"
        );
    }
    assert!((values(&run, "energy_error")[5] - 4.0).abs() < 1e-14);
    assert_eq!(values(&run, "speed_max"), [0.0, 1.0, 3.0, 0.0, 0.0, 2.0]);
    for (found, expected) in values(&run, "spin_max")
        .iter()
        .zip([0.0, 0.0, 0.0, 2.0, 0.0, 0.0])
    {
        assert!(
            (found - expected).abs() < 1e-15,
            "{found}, expected {expected}"
        );
    }
}

#[test]
fn rest_begins_where_nothing_moves_any_more() {
    // the matter of the body moves at √(v² + ω²/4): at 1 mm/s it rests
    let motions = [
        [0.0, 0.0],
        [9e-4, 0.0],
        [0.0, 2.1e-3],
        [0.0, 1.9e-3],
        [7e-4, 1.5e-3],
        [8e-4, 1.5e-3],
        [5e-4, 0.0],
        [0.0, 0.0],
    ];
    let run = told(&motions, &["rest_time"]);
    let column: Vec<_> = run.samples.iter().map(|s| s.values[0]).collect();
    let frames = [
        None,
        Some(0),
        Some(0),
        None,
        Some(4),
        None,
        None,
        Some(7),
        Some(7),
    ];
    for (frame, (found, expected)) in column.iter().zip(frames).enumerate() {
        match (found, expected) {
            (Some(time), Some(since)) => {
                assert!(
                    (time / DT - f64::from(since)).abs() < 1e-12,
                    "{frame}: {time}"
                );
            }
            (found, expected) => {
                assert_eq!((*found, expected), (None, None), "{frame}");
            }
        }
    }
}

#[test]
fn a_fall_injects_nothing_and_an_overlap_does() {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    parts.body(Body::dynamic(Inertia::point(2.0), Vector3::zeros()));
    let scheme = || Ok(make("pgs-baumgarte", json!({}), "pgs"));
    let names = [
        "energy_injected",
        "energy_error",
        "penetration_max",
        "energy_gains",
    ];
    let fall = run(&parts.build().unwrap(), &scheme, &names, 120);
    assert_eq!(values(&fall, "energy_gains"), [0.0; 121]);
    assert_eq!(values(&fall, "energy_injected"), [0.0; 121]);
    // every step of the scheme loses ½ m g² h² on the way
    assert!(values(&fall, "energy_error")[120] < -3.0);
    // a block pushed out of the ground, with the gains of its frames added up by the balance of the
    // whole run
    let pushed = run(
        &block(ContactLaw::Disc).build().unwrap(),
        &scheme,
        &names,
        60,
    );
    let error = values(&pushed, "energy_error");
    let gains = error.windows(2).map(|pair| (pair[1] - pair[0]).max(0.0));
    let (gained, found) = (gains.sum::<f64>(), values(&pushed, "energy_injected")[60]);
    assert!(
        found > 1e-4 && (found - gained).abs() < 1e-12,
        "{found} {gained}"
    );
    // frames far above rounding are all counted, and few that are not
    let count = |least: f64| {
        let grew = error
            .windows(2)
            .filter(|pair| pair[1] - pair[0] > least)
            .count();
        f64::from(u32::try_from(grew).unwrap())
    };
    let frames = values(&pushed, "energy_gains")[60];
    assert!(count(1e-9) <= frames && frames <= count(1e-12), "{frames}");
    assert!(frames >= 1.0);
}

#[test]
fn a_gain_of_rounding_is_not_counted() {
    // 9 J twice, one unit in the last place apart in speed, then 2e-13 and 4e-12 of 18 J more
    let next = 3.0f64.next_up();
    let more = |share: f64| next * (1.0 + share);
    let motions = [
        [3.0, 0.0],
        [next, 0.0],
        [more(1e-13), 0.0],
        [more(2e-12), 0.0],
    ];
    let run = told(&motions, &["energy_gains", "energy_injected"]);
    // the gain is twice the share of 9 J, and S is 18 J
    assert_eq!(values(&run, "energy_gains"), [0.0, 1.0, 1.0, 1.0, 2.0]);
    let injected = values(&run, "energy_injected");
    assert!(injected[2] > injected[1]);
}
