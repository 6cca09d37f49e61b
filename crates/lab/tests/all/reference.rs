//! `reference`: certified solutions, several of them, or why there is none.

use crate::support::Lab;

/// Files of `data/`, by the path that the program is given.
fn data(name: &str) -> String {
    format!("{}/../../data/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_file_of_several_solutions_lists_them_all() {
    let lab = Lab::new();
    let ran = lab.run(&["reference", &data("painleve-three.dls"), "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let found = &ran.objects()[0];
    assert_eq!(found["status"], "certified");
    assert_eq!(found["uniqueness"], "enumerated");
    let solutions = found["solutions"].as_array().unwrap();
    let mut impulses: Vec<[f64; 2]> = solutions
        .iter()
        .map(|one| [0, 1].map(|row| one["impulses"][row].as_f64().unwrap()))
        .collect();
    impulses.sort_by(|a, b| a[0].total_cmp(&b[0]));
    // open, slipping and sticking (D.16)
    for (found, expected) in impulses
        .iter()
        .zip([[0.0, 0.0], [0.15625, -0.25], [0.2575, -0.385]])
    {
        let near = found
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(near, "{found:?}");
    }
    assert_eq!(impulses.len(), 3);
}

#[test]
fn the_saved_snapshot_holds_the_solution() {
    let lab = Lab::new();
    let ran = lab.run(&["reference", &data("ring-lcp.dat"), "--save", "out"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("  certified  "), "{}", ran.stdout);
    let solved = lab.run(&[
        "solve",
        "out/ring-lcp.dls",
        "--solver",
        "pgs",
        "--start",
        "stored",
        "--max-sweeps",
        "0",
        "--json",
    ]);
    assert_eq!(solved.objects()[0]["status"], "solved");
}

#[test]
fn without_a_reference_the_line_says_why_and_the_code_is_1() {
    let lab = Lab::new();
    let ran = lab.run(&["reference", &data("stack-5.dls"), "--max-rows", "3"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout
            .contains("no reference  60 rows are more than the 3"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("1 of 1 file without a reference"),
        "{}",
        ran.stderr
    );
    let ran = lab.run(&["reference", &data("stack-5.dls"), "--tol", "-1"]);
    assert_eq!(ran.code, 2);
}

#[test]
fn every_method_has_a_line() {
    let lab = Lab::new();
    let ran = lab.run(&[
        "reference",
        &data("ring-lcp.dat"),
        "--methods",
        "--thorough",
    ]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for method in ["enumeration", "dantzig", "block-gs"] {
        assert!(
            ran.stdout.contains(&format!("\n  {method}")),
            "{}",
            ran.stdout
        );
    }
}
