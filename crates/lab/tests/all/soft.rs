//! `soft`: the numbers of one row in every form, and what each form leaves out.

use serde_json::Value;

use crate::support::Lab;

fn json(arguments: &[&str]) -> Value {
    let ran = Lab::new().run(arguments);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    serde_json::from_str(&ran.stdout).expect("an object")
}

#[track_caller]
fn close(object: &Value, key: &str, expected: f64) {
    let found = object[key].as_f64().expect("a number");
    assert!(
        (found / expected - 1.0).abs() < 1e-12,
        "{key}: {found}, not {expected}"
    );
}

/// T = 0.02 s and ζ = 1 at the width: ω = 1/(Tζ) = 50 1/s, d = 0.95, B = 2/(0.95 · 0.02 s).
#[test]
fn the_defaults_are_those_of_mujoco() {
    let row = json(&["soft", "--inverse-mass", "4", "--json"]);
    close(&row, "impedance", 0.95);
    close(&row, "K", 1.0 / (0.019 * 0.019));
    close(&row, "B", 2.0 / 0.019);
    close(&row, "R", 4.0 * 0.05 / 0.95);
    close(&row, "hertz", 50.0 / std::f64::consts::TAU);
    close(&row, "damping_ratio", 1.0);
    close(&row, "cfm", 0.002 * 4.0 * 0.05 / 0.95);
    close(&row, "erp", 4e-6 * 0.95 / (0.019 * 0.019));
    let lost = row["lost"].to_string();
    assert!(lost.contains("1 − hB") && lost.contains("creeps"), "{lost}");
}

#[test]
fn a_spring_comes_back_from_solref_and_solimp() {
    let place = ["--step", "0.004", "--inverse-mass", "0.37", "--json"];
    let spring = [
        &["soft", "--hertz", "11", "--damping-ratio", "0.4"][..],
        &place,
    ]
    .concat();
    let spring = json(&spring);
    let numbers = |key: &str| {
        let list = spring[key].as_array().expect("a list").iter();
        list.map(Value::to_string).collect::<Vec<_>>().join(",")
    };
    let solref = format!("--solref={}", numbers("solref"));
    let solimp = format!("--solimp={}", numbers("solimp"));
    let back = json(&[&["soft", &solref, &solimp][..], &place].concat());
    close(&back, "hB", 1.0);
    for key in ["R", "erp", "cfm", "stiffness"] {
        close(&back, key, spring[key].as_f64().expect("a number"));
    }
}

#[test]
fn numbers_out_of_range_are_refused_by_name() {
    for (arguments, named) in [
        (&["--solref", "0.02"][..], "--solref has 1 numbers: give 2"),
        (&["--solref", "0.02,-1"], "--solref"),
        (&["--solimp", "0.9,0.95,0.001,0.5,0.5"], "--solimp"),
        (&["--hertz", "0"], "--hertz"),
        (&["--hertz", "2", "--damping-ratio=-1"], "--damping-ratio"),
        (&["--step", "0"], "--step"),
        (&["--inverse-mass", "inf"], "--inverse-mass"),
        (&["--error", "nan"], "--error"),
    ] {
        let line = [&["soft"], arguments].concat();
        Lab::new().run(&line).is_refused_with(&[named]);
    }
}

#[test]
fn numbers_beyond_those_of_the_computer_are_refused() {
    for arguments in [
        &["soft", "--hertz", "1e308"][..],
        &["soft", "--hertz", "1e-320"],
        &["soft", "--step", "1e300"],
        &["soft", "--solref", "1e-200,1e-200"],
    ] {
        let ran = Lab::new().run(arguments);
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.stdout);
        assert!(ran.stderr.contains("less extreme"), "{}", ran.stderr);
    }
}
