//! The captured problem is the one that the engine solves: engines that make one sweep in a pass
//! made exactly the sweep that the rows of the file give.
//!
//! The sweep here is written out in f64 for this purpose. It needs every Jacobian, mass, bias,
//! softness, bound and coefficient of friction in the file, and the order of the rows.

use std::ops::Range;

use delassus::prelude::Vector3;
use delassus_core::{BodyRows, Friction, Law, MassProperties, Operator};
use delassus_problems::NamedProblem;

use crate::frames::frames;

/// Largest difference of an impulse from the engine's, of the largest impulse of the file \[-\]:
/// single precision, in which the engines compute. The largest difference found is 7.2e-7.
const ROUNDING: f64 = 1e-6;

/// A pass under way.
struct Sweep<'a> {
    bodies: &'a BodyRows,
    bias: &'a [f64],
    compliance: &'a [f64],
    impulses: Vec<f64>,
    /// Six per body.
    velocities: Vec<f64>,
}

/// Entries of a row: body, linear and angular part.
type Entries = Vec<(usize, Vector3<f64>, Vector3<f64>)>;

fn parts(body: usize, entry: &[f64; 6]) -> (usize, Vector3<f64>, Vector3<f64>) {
    let [x, y, z, a, b, c] = *entry;
    (body, Vector3::new(x, y, z), Vector3::new(a, b, c))
}

impl Sweep<'_> {
    fn entries(&self, block: usize, local: usize) -> Entries {
        let touched = self.bodies.bodies_of(block);
        let row = self.bodies.row(block, local);
        let pairs = touched.iter().zip(row);
        pairs
            .map(|(body, entry)| parts(*body as usize, entry))
            .collect()
    }

    fn mass(&self, body: usize) -> &MassProperties {
        &self.bodies.mass[body]
    }

    /// x M⁻¹ y.
    fn product(&self, x: &Entries, y: &Entries) -> f64 {
        let pairs = x.iter().zip(y);
        pairs
            .map(|((body, v, w), (_, a, b))| {
                let mass = self.mass(*body);
                v.dot(&mass.inverse_mass.component_mul(a)) + w.dot(&(mass.inverse_inertia * b))
            })
            .sum()
    }

    /// J v + bias + R λ of a row.
    fn velocity(&self, entries: &Entries, row: usize) -> f64 {
        let moved: f64 = entries
            .iter()
            .map(|(body, v, w)| {
                let at = &self.velocities[6 * body..6 * body + 6];
                v.dot(&Vector3::new(at[0], at[1], at[2]))
                    + w.dot(&Vector3::new(at[3], at[4], at[5]))
            })
            .sum();
        moved + self.bias[row] + self.compliance[row] * self.impulses[row]
    }

    fn set(&mut self, entries: &Entries, row: usize, impulse: f64) {
        let change = impulse - self.impulses[row];
        self.impulses[row] = impulse;
        for (body, v, w) in entries {
            let linear = self.mass(*body).inverse_mass.component_mul(v) * change;
            let angular = self.mass(*body).inverse_inertia * w * change;
            for k in 0..3 {
                self.velocities[6 * body + k] += linear[k];
                self.velocities[6 * body + 3 + k] += angular[k];
            }
        }
    }

    /// One step of a row between bounds.
    fn step(&mut self, block: usize, first_row: usize, local: usize, [lower, upper]: [f64; 2]) {
        let (entries, row) = (self.entries(block, local), first_row + local);
        let own = self.product(&entries, &entries) + self.compliance[row];
        let free = self.impulses[row] - self.velocity(&entries, row) / own;
        self.set(&entries, row, free.clamp(lower, upper));
    }

    /// One step of two rows together, bounded by a disc.
    fn disc(&mut self, block: usize, first_row: usize, local: usize, radius: f64) {
        let [one, two] = [0, 1].map(|k| self.entries(block, local + k));
        let row = first_row + local;
        let (a, b) = (self.product(&one, &one), self.product(&two, &two));
        let coupled = self.product(&one, &two);
        let determinant = a * b - coupled * coupled;
        let (v, w) = (self.velocity(&one, row), self.velocity(&two, row + 1));
        let x = self.impulses[row] - (b * v - coupled * w) / determinant;
        let y = self.impulses[row + 1] - (a * w - coupled * v) / determinant;
        let length = (x * x + y * y).sqrt();
        let scale = if length > radius {
            radius / length
        } else {
            1.0
        };
        self.set(&one, row, scale * x);
        self.set(&two, row + 1, scale * y);
    }

    fn sum(&self, rows: Range<usize>) -> f64 {
        self.impulses[rows].iter().sum()
    }
}

/// One sweep over the blocks from the start of the pass, in the order of the file: rows of one
/// manifold first along the normals, then in twist, then in friction.
fn one_sweep(frame: &NamedProblem) -> Vec<f64> {
    let parts = frame.problem.clone().into_parts();
    let Operator::Bodies(bodies) = &parts.operator else {
        panic!("a problem without bodies");
    };
    let blocks = frame.problem.blocks();
    let impulses = frame.warm_start.clone().expect("a start");
    let mut velocities = vec![0.0; bodies.free_velocity.len()];
    bodies.add_transposed(blocks, &impulses, &mut velocities);
    bodies.apply_inverse_mass(&mut velocities);
    for (v, free) in velocities.iter_mut().zip(&bodies.free_velocity) {
        *v += free;
    }
    let mut sweep = Sweep {
        bodies,
        bias: &parts.bias,
        compliance: &parts.compliance,
        impulses,
        velocities,
    };
    let one_manifold = |a: usize, b: usize| blocks[a].feature >> 8 == blocks[b].feature >> 8;
    let mut at = 0;
    while at < blocks.len() {
        let more = (at..blocks.len()).take_while(|b| one_manifold(at, *b));
        let end = at + more.count();
        for block in at..end {
            let (first, dim) = (blocks[block].first_row, blocks[block].dim);
            let bounds = match blocks[block].law {
                Law::Equality => [f64::NEG_INFINITY, f64::INFINITY],
                Law::Bounds { lower, upper } => [lower, upper],
                Law::Contact(_) | Law::Patch(_) => [0.0, f64::INFINITY],
                ref law => panic!("no engine has {law:?}"),
            };
            let rows = match blocks[block].law {
                Law::Contact(_) => 1,
                Law::Patch(_) => dim - 3,
                _ => dim,
            };
            for local in 0..rows {
                sweep.step(block, first, local, bounds);
            }
        }
        for block in at..end {
            let (first, dim) = (blocks[block].first_row, blocks[block].dim);
            match &blocks[block].law {
                Law::Contact(Friction::Pyramid { mu }) => {
                    let most = mu * sweep.impulses[first];
                    for local in 1..dim {
                        sweep.step(block, first, local, [-most, most]);
                    }
                }
                Law::Patch(patch) => {
                    let points = dim - 3;
                    let normals = &sweep.impulses[first..first + points];
                    let pairs = normals.iter().zip(&patch.levers);
                    let twist: f64 = patch.mu * pairs.map(|(n, l)| n * l).sum::<f64>();
                    sweep.step(block, first, points + 2, [-twist, twist]);
                    let radius = patch.mu * sweep.sum(first..first + points);
                    sweep.disc(block, first, points, radius);
                }
                _ => {}
            }
        }
        at = end;
    }
    sweep.impulses
}

#[test]
fn one_sweep_over_the_rows_is_the_pass_of_the_engine() {
    let mut passes = 0;
    for (name, frame) in &frames() {
        let captured = frame.captured.as_ref().expect("impulses of the engine");
        if !["bias", "relax"].contains(&captured.pass.as_str()) {
            continue;
        }
        assert_eq!(captured.iterations, Some(1), "{name}");
        let impulses = one_sweep(frame);
        let largest = captured
            .impulses
            .iter()
            .fold(0.0_f64, |m, x| m.max(x.abs()));
        let moved = {
            let start = frame.warm_start.as_ref().expect("a start");
            let pairs = start.iter().zip(&captured.impulses);
            pairs.fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()))
        };
        let pairs = impulses.iter().zip(&captured.impulses);
        let worst = pairs.fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
        println!(
            "{name}: {:.1e} of the largest impulse {largest:.3} N·s; the pass moved {moved:.1e} N·s",
            worst / largest
        );
        assert!(worst <= ROUNDING * largest, "{name}: {worst} of {largest}");
        passes += 1;
    }
    assert!(
        passes >= 24,
        "two passes of four scenes in three engines: {passes}"
    );
}
