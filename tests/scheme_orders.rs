//! Orders of convergence in the step (O.18), and their table in `docs/orders.md`.

use std::fmt::Write;

use delassus_core::Parameters;
use delassus_dynamics::{Scheme, SchemeEntry, Stabilization, VelocityParameters, World, schemes};
use delassus_registry::Registry;
use delassus_scenes::oracles::chain::Links;
use delassus_scenes::oracles::order;
use delassus_scenes::oracles::pendulum::{Bob, angle_at};
use nalgebra::Vector3;
use serde_json::{Map, Value, json};

use crate::pairs::{is_met, linked, map, run};
use crate::workspace::{read, root};

const GRAVITY: f64 = 9.81;

/// Steps per run, each half as long as the one before.
///
/// At longer steps the first- and second-order errors of Baumgarte's presets have opposite signs
/// and nearly cancel.
const STEPS: [u32; 4] = [480, 960, 1920, 3840];

/// A motion with its exact end.
struct Case {
    start: World,
    time: f64,
    /// Positions of the dynamic bodies at the end \[m\].
    end: Vec<Vector3<f64>>,
}

/// A pendulum of 1 m from the horizontal, for a second.
fn pendulum() -> Case {
    let (length, angle, time) = (1.0, std::f64::consts::FRAC_PI_2, 1.0);
    let [x, y] = Bob::at_rest(length, angle).position;
    let (sine, cosine) = libm::sincos(angle_at(length, GRAVITY, angle, time));
    Case {
        start: linked(&[1.0], &[Vector3::new(x, y, 0.0)], length, GRAVITY),
        time,
        end: vec![length * Vector3::new(sine, -cosine, 0.0)],
    }
}

/// Three links of 0.4 m with different masses, released from a zigzag, for half a second.
fn chain() -> Case {
    let (length, time) = (0.4, 0.5);
    let masses = vec![1.0, 2.0, 0.5];
    let mut positions = Vec::new();
    let mut last = Vector3::zeros();
    for angle in [1.5, 0.6, 1.9] {
        let (sine, cosine) = libm::sincos(angle);
        last += length * Vector3::new(sine, -cosine, 0.0);
        positions.push(last);
    }
    let links = Links {
        masses: masses.clone(),
        positions: positions.iter().map(|p| [p.x, p.y]).collect(),
        velocities: vec![[0.0; 2]; 3],
        gravity: GRAVITY,
    };
    // the error of the reference at this step is below 1e-12 m
    let end = links.after(time, 10_000).positions;
    Case {
        start: linked(&masses, &positions, length, GRAVITY),
        time,
        end: end.iter().map(|[x, y]| Vector3::new(*x, *y, 0.0)).collect(),
    }
}

impl Case {
    /// Largest distance from the exact end \[m\].
    fn error(&self, mut scheme: Box<dyn Scheme>, steps: u32) -> f64 {
        let mut world = self.start.clone();
        run(
            scheme.as_mut(),
            &mut world,
            self.time / f64::from(steps),
            steps,
        );
        let bodies = world.bodies()[1..].iter().zip(&self.end);
        bodies
            .map(|(body, exact)| (body.position.to_vector() - exact).norm())
            .fold(0.0, f64::max)
    }

    /// Measured order, and the error of the shortest step \[m\].
    fn order(&self, build: &dyn Fn() -> Box<dyn Scheme>) -> (f64, f64) {
        let samples: Vec<(f64, f64)> = STEPS
            .iter()
            .map(|steps| (self.time / f64::from(*steps), self.error(build(), *steps)))
            .collect();
        let found = order(&samples).expect("errors above zero");
        (found, samples[STEPS.len() - 1].1)
    }
}

fn build(entry: &SchemeEntry, changes: &Value) -> Box<dyn Scheme> {
    let solver = entry.descriptor.uses_solver.then(|| {
        let registry = Registry::standard();
        let solver = registry.find("dense-direct").expect("registered");
        solver.build(&Map::new()).expect("defaults")
    });
    entry.build_with(&map(changes), solver).expect("a scheme")
}

/// True for schemes whose joints stay springs or penalties of bounded stiffness as the step
/// shrinks: their error has a floor.
fn springs(entry: &SchemeEntry) -> bool {
    let parameters = VelocityParameters::from_map(&entry.defaults);
    let soft = parameters.is_ok_and(|p| {
        let springs = [Stabilization::Soft, Stabilization::Impedance];
        springs.contains(&p.stabilization)
    });
    soft || ["avbd", "penalty"].contains(&entry.descriptor.id)
}

fn cell((order, error): (f64, f64)) -> String {
    format!("{order:.2} | {:.3}", 1e3 * error)
}

const HEAD: &str = "\
# Orders of convergence

Measured order p of the position error in the step h, and the error with 3840 frames, for every scheme; velocity-level
schemes with `dense-direct`. The errors are those of (O.18) in [the oracles of motion](theory/13-oracles-of-motion.md): four
step lengths from 1/480 to 1/3840 of the time, the largest distance of a body from its exact place at the end.

- *Pendulum*: 1 m, released from the horizontal, after 1 s; the exact place is (O.9).
- *Chain*: three links of 0.4 m with masses of 1, 2 and 0.5 kg, released from a zigzag, after 0.5 s; the reference is (O.12).

Without stabilisation every velocity-level scheme is symplectic Euler in its substeps, of order 1: the columns differ by the
substeps alone. As configured:

- The presets with rigid joints are of order 1 at these steps. At longer ones the first- and second-order errors of
  Baumgarte's presets have opposite signs and nearly cancel.
- The presets with soft joints keep springs of at most 60 Hz however short the step is. Their error has a floor, the stretch of
  these springs, and the fitted slope is no order.
- A joint of AVBD is as stiff as its penalty has become: with the default parameters the error of the chain does not fall with
  the step, and the slope is no order.
- Joints of `penalty` are springs of the stiffness given, whose stretch is the floor of its error.
- Joints of `mujoco-euler` are soft, with a time constant of 0.02 s at any step; the error stays above their stretch.

The table is written by `BLESS=1 cargo test -p delassus-tests scheme_orders` and compared by the same test without `BLESS`.

";

/// True if two rows of the table are of one scheme.
fn is_same(a: &str, b: &str) -> bool {
    a.split('|').nth(1) == b.split('|').nth(1)
}

#[test]
fn schemes_converge_at_first_order_and_the_table_says_so() {
    let (pendulum, chain) = (pendulum(), chain());
    let plain = json!({ "stabilization": "none", "position_sweeps": 0 });
    let mut table = HEAD.to_owned();
    table.push_str("| scheme | pendulum, no stabilisation: p | error [mm] | chain, no stabilisation: p | error [mm] | pendulum, as configured: p | error [mm] | chain, as configured: p | error [mm] |\n");
    table.push_str("|---|---|---|---|---|---|---|---|---|\n");
    let mut wrong = String::new();
    let mut check = |id: &str, found: f64| {
        if !(0.8..=1.2).contains(&found) {
            let _ = writeln!(wrong, "{id}: order {found}");
        }
    };
    let bless = std::env::var_os("BLESS").is_some();
    let entries = schemes();
    // presets are one scheme with other parameters: a third of them are measured, all where that is
    // asked for
    let met = |index: usize| bless || !entries[index].descriptor.uses_solver || is_met(index, 3);
    for index in (0..entries.len()).filter(|index| met(*index)) {
        let entry = &entries[index];
        let mut cells = Vec::new();
        for case in [&pendulum, &chain] {
            if entry.descriptor.uses_solver {
                let found = case.order(&|| build(entry, &plain));
                check(entry.descriptor.id, found.0);
                cells.push(cell(found));
            } else {
                cells.push("– | –".to_owned());
            }
        }
        for case in [&pendulum, &chain] {
            let found = case.order(&|| build(entry, &json!({})));
            if !springs(entry) {
                check(entry.descriptor.id, found.0);
            }
            cells.push(cell(found));
        }
        let _ = writeln!(
            table,
            "| `{}` | {} |",
            entry.descriptor.id,
            cells.join(" | ")
        );
    }
    println!("{table}");
    assert!(wrong.is_empty(), "\n{wrong}");
    let path = root().join("docs/orders.md");
    if bless {
        std::fs::write(&path, &table).expect("docs/orders.md is written");
    }
    let page = read(&path);
    let of_page = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let of_schemes = entries.iter().map(|entry| entry.descriptor.id);
    assert!(of_page.eq(of_schemes), "run with BLESS=1: other schemes");
    // what was not measured is what the page says
    let rows = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (measured, mut page) = (rows(&table), rows(&page));
    page.retain(|line| !line.starts_with("| `") || measured.iter().any(|row| is_same(row, line)));
    assert_eq!(page, measured, "run with BLESS=1 if this is meant");
}
