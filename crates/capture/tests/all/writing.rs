//! What is written is what is read, number by number.

use delassus::solve;
use delassus_problems::generators::{Generator, Planted};
use delassus_problems::{Captured, NamedProblem};
use proptest::prelude::*;

use crate::support::{Capture, Script, compiled, read};

#[test]
fn the_header_is_one_short_file_for_c99_and_cpp11() {
    let lines = delassus_capture::HEADER.lines().count();
    assert!(lines <= 300, "{lines} lines");
    let folder = tempfile::tempdir().expect("a folder");
    let found = [("cc", "c99"), ("c++", "c++11")]
        .map(|(compiler, standard)| compiled(compiler, standard, folder.path()).is_some());
    println!("C99 and C++11 were compiled: {found:?}");
}

/// A random problem with every law of the header, joints of several bodies and soft rows, and
/// random starts and results.
fn everything(seed: u64) -> NamedProblem {
    let planted = Planted {
        equality: 2,
        gears: 1,
        bounds: 4,
        frictionless: 2,
        fixed_box: 2,
        pyramid: 2,
        disc: 2,
        coulomb: 3,
        convex_cone: 2,
        patch: 2,
        facets: 0,
        rolling: 0,
        redundant: 1,
        compliance: 0.02,
        mass_ratio: 1e3,
        seed,
        ..Planted::default()
    };
    let mut named = planted.generate().expect("a problem");
    let rows = named.problem.rows();
    let numbers = |scale: f64| (0..rows).map(|row| scale * (row as f64 - 7.0)).collect();
    named.warm_start = Some(numbers(1.0 / 3.0));
    named.captured = Some(Captured {
        impulses: numbers(-1.0 / 7.0),
        ..Captured::default()
    });
    named
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn every_number_comes_back(seed in any::<u64>()) {
        let Some(capture) = Capture::new() else { return Ok(()) };
        let named = everything(seed);
        let mut parts = named.problem.clone().into_parts();
        parts.step = Some(delassus_core::StepScale { dt: 1.0 / 60.0, gravity: 9.81 });
        let problem = delassus_core::Problem::new(parts).expect("the same problem with a step");
        let named = NamedProblem { problem, ..named };
        let found = capture.written(Script::of(&named), "all.dls");
        // equality of floats does not see the sign of a zero, which no solver sees either
        prop_assert_eq!(&found.problem, &named.problem);
        prop_assert_eq!(&found.warm_start, &named.warm_start);
        let captured = found.captured.expect("impulses");
        prop_assert_eq!(captured.impulses, named.captured.expect("impulses").impulses);
        prop_assert_eq!((captured.iterations, captured.velocities), (Some(0), None));
        prop_assert_eq!(found.name, "test");
    }
}

/// A fixed plane and a body of 1/`inverse_mass` kg that moves with `velocity` along x and y.
fn puck(inverse_mass: f64, velocity: [f64; 2]) -> Script {
    let mut script = Script::new(0.02, 9.81);
    script.body(0.0, 0.0, [0.0; 6]);
    let [x, y] = velocity;
    script.body(inverse_mass, 0.0, [x, y, 0.0, 0.0, 0.0, 0.0]);
    script
}

/// A row along one axis from the plane to the puck.
fn along(script: &mut Script, block: usize, axis: usize, numbers: [f64; 4]) {
    let mut jacobian = [[0.0; 6]; 2];
    jacobian[0][axis] = -1.0;
    jacobian[1][axis] = 1.0;
    let [a, b] = &jacobian;
    script.row(block, [0, 1], [a, b], numbers);
}

#[test]
fn a_sliding_contact_with_friction_apart_has_its_closed_form() {
    let Some(capture) = Capture::new() else {
        return;
    };
    for (mass, slide, fall, mu) in [(0.7, 2.3, -1.9, 0.31), (12.5, -3.1, -0.4, 0.83)] {
        let mut script = puck(1.0 / mass, [slide, fall]);
        // two contacts whose friction rows follow later, in the other order
        script.block(2, [0.0; 3], 11);
        along(&mut script, 0, 1, [0.0; 4]);
        script.block(1, [0.0, f64::INFINITY, 0.0], 12);
        along(&mut script, 1, 2, [0.25, 0.0, 0.0, 0.0]);
        script.reals("friction 0 6", &[mu]);
        along(&mut script, 0, 0, [0.0; 4]);
        let named = capture.written(script, "slide.dls");
        let blocks: Vec<_> = named.problem.blocks().iter().collect();
        assert_eq!((blocks[0].dim, blocks[0].feature), (2, 11));
        assert_eq!((blocks[1].dim, blocks[1].feature), (1, 12));
        let solved = solve(&named.problem, "auto", 1e-12).expect("a solution");
        assert!(solved.is_solved(), "{}", solved.status);
        let normal = -mass * fall;
        let friction = -slide.signum() * (mu * normal).min(mass * slide.abs());
        let expected = [normal, friction, 0.0];
        for (found, expected) in solved.impulses.iter().zip(expected) {
            assert!(
                (found - expected).abs() < 1e-10 * mass,
                "{found} {expected}"
            );
        }
    }
}

#[test]
fn a_soft_row_with_bias_has_its_closed_form() {
    let Some(capture) = Capture::new() else {
        return;
    };
    let (mass, fall, bias, compliance) = (3.7, -1.3, -0.21, 0.052);
    let mut script = puck(1.0 / mass, [0.0, fall]);
    script.block(0, [0.0; 3], 5);
    along(&mut script, 0, 1, [bias, compliance, 0.0, 0.0]);
    let named = capture.written(script, "soft.dls");
    let solved = solve(&named.problem, "auto", 1e-12).expect("a solution");
    let expected = -(fall + bias) / (1.0 / mass + compliance);
    assert!((solved.impulses[0] - expected).abs() < 1e-11, "{expected}");
}

#[test]
fn what_is_said_of_the_engine_comes_back() {
    let Some(capture) = Capture::new() else {
        return;
    };
    let mut script = puck(0.5, [0.0, -1.0]);
    script.call("about My~engine 1.2.3 relax from~a~test,~with~'marks' 123 4 17");
    script.block(2, [0.0; 3], u64::MAX);
    along(&mut script, 0, 1, [0.0, 0.0, 1.5, 0.0]);
    script.reals("result 0", &[1.9]);
    script.reals("solved 1", &[0.0, -0.05, 0.0, 0.0, 0.0, 0.25]);
    let named = capture.written(script, "engine.dls");
    assert_eq!(named.provenance, "from a test, with 'marks'");
    assert_eq!(named.problem.blocks()[0].feature, u64::MAX);
    assert_eq!(named.warm_start, Some(vec![1.5]));
    let mut velocities = vec![0.0; 12];
    (velocities[7], velocities[11]) = (-0.05, 0.25);
    let expected = Captured {
        impulses: vec![1.9],
        velocities: Some(velocities),
        iterations: Some(17),
        engine: "My engine".to_owned(),
        version: "1.2.3".to_owned(),
        step: 123,
        substep: 4,
        pass: "relax".to_owned(),
    };
    assert_eq!(named.captured, Some(expected));
}

#[test]
fn inertia_in_single_precision_is_symmetrised() {
    let Some(capture) = Capture::new() else {
        return;
    };
    let mut script = Script::new(0.01, 9.81);
    let mut values = vec![1.0, 2.0, 3.0];
    values.extend([
        4.0,
        0.5,
        0.25,
        0.5 + 1e-7,
        5.0,
        -0.5,
        0.25 - 3e-8,
        -0.5,
        6.0,
    ]);
    values.extend([0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    script.reals("body", &values);
    script.block(2, [0.0; 3], 1);
    script.call("row 0 0");
    let mut row = vec![0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    script.reals("", &row);
    row = vec![0.0; 10];
    script.reals("-1", &row);
    let named = capture.written(script, "inertia.dls");
    let inertia = named.problem.bodies().expect("bodies").mass[0].inverse_inertia;
    assert_eq!(inertia, inertia.transpose());
    assert!((inertia[(0, 1)] - (0.5 + 5e-8)).abs() < 1e-15);
    assert!((inertia[(2, 0)] - (0.25 - 1.5e-8)).abs() < 1e-15);
}

#[test]
fn impulses_are_read_back_by_feature() {
    let Some(capture) = Capture::new() else {
        return;
    };
    let mut script = puck(0.5, [1.0, -1.0]);
    script.block(2, [0.0; 3], 7);
    along(&mut script, 0, 1, [0.0; 4]);
    script.block(0, [0.0; 3], 9);
    along(&mut script, 1, 2, [0.0; 4]);
    script.reals("friction 0 6", &[0.5]);
    along(&mut script, 0, 0, [0.0; 4]);
    script.block(0, [0.0; 3], 9);
    along(&mut script, 2, 2, [0.0, 1.0, 0.0, 0.0]);
    let impulses = [2.5, -0.125, 1.0 / 3.0, 4e-9];
    let raw: Vec<u8> = impulses.iter().flat_map(|x| f64::to_le_bytes(*x)).collect();
    let text = |count: usize| {
        let lines = impulses.iter().take(count).enumerate();
        let lines = lines.map(|(row, x)| format!("{row},{x:.16e},0.0\n"));
        format!("row,impulse,velocity\n{}", lines.collect::<String>())
    };
    std::fs::write(capture.path("all.impulses"), &raw).expect("a file");
    std::fs::write(capture.path("all.csv"), text(4)).expect("a file");
    for file in ["all.impulses", "all.csv"] {
        let mut script = script.clone();
        script.call(format!("read {file}"));
        for call in ["7 0", "7 1", "7 2", "9 0", "1 0"] {
            script.call(format!("impulse {call}"));
        }
        let said = capture.run(&script);
        let found: Vec<Option<f64>> = said[said.len() - 5..]
            .iter()
            .map(|line| {
                let (known, value) = line.split_once(' ').expect("two numbers");
                (known == "1").then(|| value.parse().expect("a number"))
            })
            .collect();
        // two blocks have the feature 9, none has the feature 1
        let expected = [Some(impulses[0]), Some(impulses[1]), None, None, None];
        assert_eq!(found, expected, "{file}");
    }
    let mut poisoned = raw.clone();
    poisoned[8..16].copy_from_slice(&f64::NAN.to_le_bytes());
    let wrong: [(&str, Vec<u8>); 5] = [
        ("short.impulses", raw[..31].to_vec()),
        ("long.impulses", [raw.as_slice(), &[0]].concat()),
        ("nan.impulses", poisoned),
        ("short.csv", text(3).into_bytes()),
        ("order.csv", text(4).replace("\n2,", "\n3,").into_bytes()),
    ];
    for (file, bytes) in wrong {
        std::fs::write(capture.path(file), bytes).expect("a file");
        let mut script = script.clone();
        script.call(format!("read {file}"));
        script.call("impulse 7 0");
        let said = capture.run(&script);
        assert!(said[said.len() - 2].starts_with('3'), "{file}: {said:?}");
        assert!(said[said.len() - 1].starts_with('0'), "{file}: {said:?}");
    }
}

#[test]
fn damaged_files_are_refused() {
    let Some(capture) = Capture::new() else {
        return;
    };
    let mut parts = everything(5).problem.into_parts();
    parts.step = Some(delassus_core::StepScale {
        dt: 0.01,
        gravity: 9.81,
    });
    let problem = delassus_core::Problem::new(parts).expect("a problem");
    let named = NamedProblem::new("test", problem, "");
    capture.written(Script::of(&named), "whole.dls");
    let whole = capture.bytes("whole.dls");
    for length in (0..whole.len()).step_by(97) {
        assert!(read(&whole[..length]).is_err(), "{length} bytes");
    }
    // every bit of the header's first kilobyte, and bits all over the file
    let bits = (0..8 * 1024)
        .step_by(3)
        .chain((0..8 * whole.len()).step_by(811));
    for bit in bits {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(read(&flipped).is_err(), "bit {bit}");
    }
}
