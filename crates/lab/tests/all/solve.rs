//! `solve`: one answer per file, judged again here by other code.

use std::fs;
use std::path::Path;

use delassus_problems::{generate, write_snapshot};
use serde_json::{Map, Value, json};

use crate::support::{
    CONTACT, CONTACT_MATRIX, CONTACT_MU, CONTACT_Q, ENDLESS, LCP, LCP_MATRIX, LCP_Q, Lab,
    UNDIVIDED, shared_problems, write_chain,
};

/// Keys of an answer, in their order.
const KEYS: [&str; 22] = [
    "file",
    "solver",
    "status",
    "sweeps",
    "row_updates",
    "factorizations",
    "seconds",
    "residuals",
    "best",
    "worst_block",
    "message",
    "rows",
    "contacts",
    "energy_scale",
    "solutions",
    "decisions",
    "parameters",
    "tolerance",
    "criteria",
    "approximations",
    "saved",
    "saved_solutions",
];

fn keys(answer: &Value) -> Vec<&str> {
    let object = answer.as_object().expect("an object");
    object.keys().map(String::as_str).collect()
}

/// Impulses and velocities of a saved solution; rows must count from 0.
fn saved(path: &Path) -> (Vec<f64>, Vec<f64>) {
    let text = fs::read_to_string(path).expect("a saved solution");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("row,impulse,velocity"));
    let mut columns = (Vec::new(), Vec::new());
    for (row, line) in lines.enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[0], row.to_string());
        for number in &cells[1..] {
            // d.dddddddddddddddde±x: 17 significant digits
            let digits = number.split('e').next().expect("digits");
            let count = digits.chars().filter(char::is_ascii_digit).count();
            assert_eq!(count, 17, "{number}");
        }
        columns.0.push(cells[1].parse().expect("a number"));
        columns.1.push(cells[2].parse().expect("a number"));
    }
    columns
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn affine<const N: usize>(matrix: [[f64; N]; N], q: [f64; N], x: &[f64]) -> Vec<f64> {
    let rows = matrix.iter().zip(q);
    rows.map(|(row, q)| row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>() + q)
        .collect()
}

/// Two evaluations of the same formula in f64 differ by rounding, relative to numbers of order one.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-10 * a.abs().max(b.abs()) + 1e-15
}

#[test]
fn every_answer_has_the_same_keys() {
    let lab = Lab::new();
    let files = [
        lab.file("lcp.dat", LCP),
        lab.file("contact.dat", CONTACT),
        lab.file("broken.dat", "3\n1\nnan"),
        lab.file("undivided.dat", UNDIVIDED),
    ];
    let ran = lab.run(&[&["solve", "--solver", "block-gs", "--json"], &files[..]].concat());
    let answers = ran.objects();
    assert_eq!(answers.len(), files.len());
    for (answer, file) in answers.iter().zip(files) {
        assert_eq!(keys(answer), KEYS);
        assert_eq!(answer["file"], file, "as given on the command line");
        assert_eq!(answer["solver"], "block-gs");
        assert_eq!(answer["tolerance"], 1e-8);
        assert_eq!(answer["criteria"], json!(["natural_map", "siconos"]));
    }
    let statuses: Vec<&Value> = answers.iter().map(|answer| &answer["status"]).collect();
    assert_eq!(statuses, ["solved", "solved", "unreadable", "unsupported"]);
    for solved in &answers[..2] {
        for name in ["natural_map", "siconos"] {
            assert!(
                solved["residuals"][name]
                    .as_f64()
                    .is_some_and(|r| r <= 1e-8),
                "{solved}"
            );
            assert!(
                solved["best"][name].as_f64().is_some_and(|r| r <= 1e-8),
                "{solved}"
            );
        }
        assert!(solved["sweeps"].as_u64().is_some_and(|n| n > 0));
        assert!(solved["row_updates"].as_u64() >= solved["sweeps"].as_u64());
        assert!(solved["seconds"].as_f64().is_some_and(|s| s >= 0.0));
    }
    assert_eq!(
        (&answers[0]["rows"], &answers[0]["contacts"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(
        (&answers[1]["rows"], &answers[1]["contacts"]),
        (&json!(3), &json!(1))
    );
    for refused in &answers[2..] {
        assert!(
            refused["message"]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            "{refused}"
        );
        assert_eq!(refused["residuals"], json!({}));
    }
    // one file could not be read
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("error: 4 files"), "{}", ran.stderr);
}

#[test]
fn not_converging_and_not_supporting_are_results() {
    let lab = Lab::new();
    let files = [lab.file("a.dat", UNDIVIDED), lab.file("lcp.dat", LCP)];
    let solve = [
        "solve",
        files[0],
        files[1],
        "--solver",
        "pgs",
        "--max-sweeps",
        "1",
    ];
    let ran = lab.run(&solve);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(
        lines.len(),
        3,
        "a header and a line per file: {}",
        ran.stdout
    );
    assert!(lines[1].contains("unsupported"), "{}", ran.stdout);
    assert!(lines[2].contains("max_sweeps"), "{}", ran.stdout);
    assert!(lines[2].contains("best natural_map "), "{}", ran.stdout);
    assert!(ran.stderr.contains("2 files: "), "{}", ran.stderr);
}

#[test]
fn zero_sweeps_judge_the_stored_solution() {
    let lab = Lab::new();
    let mut parameters = Map::new();
    parameters.insert("seed".to_owned(), json!(7));
    let planted = generate("planted", &parameters).expect("a planted problem");
    write_snapshot(lab.path("planted.dls"), &planted).expect("a snapshot");
    lab.file("lcp.dat", LCP);
    let solve = ["solve", "planted.dls", "lcp.dat", "--solver", "pgs"];
    let rest = ["--start", "stored", "--max-sweeps", "0", "--json"];
    let ran = lab.run(&[&solve[..], &rest].concat());
    let answers = ran.objects();
    assert_eq!(answers[0]["status"], "solved", "{}", answers[0]);
    assert_eq!(answers[0]["sweeps"], 0);
    assert_eq!(answers[0]["residuals"]["velocity_error"], 0.0);
    // a text file stores no solution: the request cannot be fulfilled for it
    assert_eq!(answers[1]["status"], "failed");
    assert!(
        answers[1]["message"]
            .as_str()
            .is_some_and(|text| text.contains("--start cold"))
    );
    assert_eq!(ran.code, 1);
}

#[test]
fn parameters_reach_the_solver_and_the_answer() {
    let lab = Lab::new();
    let file = lab.file("lcp.dat", LCP);
    let solve = |more: &[&str]| {
        let ran = lab.run(&[&["solve", file, "--solver", "psor", "--json"], more].concat());
        ran.objects().remove(0)
    };
    let (plain, relaxed) = (solve(&["--set", "omega=1"]), solve(&["--set", "omega=1.9"]));
    assert_eq!(plain["parameters"]["omega"], 1);
    assert_eq!(relaxed["parameters"]["omega"], 1.9);
    assert!(
        relaxed["parameters"].get("order").is_some(),
        "defaults are stated as well"
    );
    // ω = 1.9 is far above the optimum of a 2 × 2 problem
    assert!(relaxed["sweeps"].as_u64() > plain["sweeps"].as_u64());
}

#[test]
fn a_saved_lcp_solution_gives_the_reported_residual() {
    let lab = Lab::new();
    let file = lab.file("lcp.dat", LCP);
    // stop early: a residual of rounding size would compare nothing
    let solve = [
        "solve", file, "--solver", "pgs", "--tol", "1e-3", "--save", "out", "--json",
    ];
    let answer = lab.run(&solve).objects().remove(0);
    assert_eq!(answer["status"], "solved", "{answer}");
    assert_eq!(answer["saved"], "out/lcp.csv");
    let (impulse, velocity) = saved(&lab.path("out/lcp.csv"));
    let w = affine(LCP_MATRIX, LCP_Q, &impulse);
    let minimum: Vec<f64> = impulse.iter().zip(&w).map(|(z, w)| z.min(*w)).collect();
    let error = norm(&minimum) / norm(&LCP_Q);
    let reported = answer["residuals"]["siconos"].as_f64().expect("a residual");
    assert!(error > 1e-8 && same(error, reported), "{error} {reported}");
    for (a, b) in w.iter().zip(&velocity) {
        assert!(same(*a, *b), "{w:?} {velocity:?}");
    }
}

#[test]
fn a_saved_contact_solution_gives_the_reported_residual() {
    let lab = Lab::new();
    let file = lab.file("contact.dat", CONTACT);
    let solve = [
        "solve", file, "--solver", "pgs", "--tol", "1e-3", "--save", "out", "--json",
    ];
    let answer = lab.run(&solve).objects().remove(0);
    assert_eq!(answer["status"], "solved", "{answer}");
    let (r, velocity) = saved(&lab.path("out/contact.csv"));
    // F = r − P_K(r − (u + μ‖u_t‖ e_n)), the cone projection written out (P.6, P.9)
    let u = affine(CONTACT_MATRIX, CONTACT_Q, &r);
    let sliding = CONTACT_MU * norm(&u[1..]);
    let x = [r[0] - u[0] - sliding, r[1] - u[1], r[2] - u[2]];
    let length = norm(&x[1..]);
    let projected = if length <= CONTACT_MU * x[0] {
        x
    } else if CONTACT_MU * length <= -x[0] {
        [0.0; 3]
    } else {
        let normal = (x[0] + CONTACT_MU * length) / (1.0 + CONTACT_MU * CONTACT_MU);
        let scale = CONTACT_MU * normal / length;
        [normal, scale * x[1], scale * x[2]]
    };
    let map: Vec<f64> = r.iter().zip(projected).map(|(r, p)| r - p).collect();
    let scale = norm(&CONTACT_Q).max(norm(&r)).max(norm(&u));
    let error = norm(&map) / scale;
    let reported = answer["residuals"]["siconos"].as_f64().expect("a residual");
    assert!(same(error, reported), "{error} {reported}");
    for (a, b) in u.iter().zip(&velocity) {
        assert!(same(*a, *b), "{u:?} {velocity:?}");
    }
}

#[test]
fn the_law_of_a_text_file_can_be_chosen() {
    let lab = Lab::new();
    let file = lab.file("contact.dat", CONTACT);
    let separation = |law: &str| {
        let solve = [
            "solve", file, "--solver", "block-gs", "--law", law, "--save", law,
        ];
        let ran = lab.run(&[&solve[..], &["--tol", "1e-12"]].concat());
        assert!(ran.stdout.contains("solved"), "{}", ran.stdout);
        let (_, w) = saved(&lab.path(law).join("contact.csv"));
        w[0] - CONTACT_MU * norm(&w[1..])
    };
    // a sliding contact separates with μ‖w_t‖ under the convex cone (P.7) and not at all under
    // Coulomb's law (P.6); the tolerance of the solve is relative to velocities of order one
    assert!(separation("convex-cone").abs() < 1e-10);
    assert!(separation("coulomb") < -0.1);
    assert!((separation("coulomb") - separation("disc")).abs() < 1e-10);
}

#[test]
fn a_time_limit_ends_a_solve() {
    let lab = Lab::new();
    write_chain(&lab, ENDLESS);
    let solve = [
        "solve",
        "chain.dls",
        "--solver",
        "pgs",
        "--max-seconds",
        "0.01",
        "--json",
    ];
    let ran = lab.run(&[&solve[..], &["--max-sweeps", "1000000000"]].concat());
    let answer = &ran.objects()[0];
    assert_eq!(
        (ran.code, &answer["status"]),
        (0, &json!("max_time")),
        "{answer}"
    );
    assert!(
        answer["best"]["natural_map"]
            .as_f64()
            .is_some_and(|r| r > 1e-8),
        "{answer}"
    );
    assert!(
        ran.stderr
            .contains("1 max_time; time limit 0.01 s per file"),
        "{}",
        ran.stderr
    );
}

#[test]
fn an_approximation_is_stated() {
    let lab = Lab::new();
    let file = lab.file("lcp.dat", LCP);
    let solve = [
        "solve",
        file,
        "--solver",
        "naive-impulses",
        "--max-sweeps",
        "10",
    ];
    let answer = lab
        .run(&[&solve[..], &["--json"]].concat())
        .objects()
        .remove(0);
    let stated = answer["approximations"].as_array().expect("a list");
    assert_eq!(stated.len(), 1, "{answer}");
    let line = lab.run(&solve).stdout;
    assert!(line.contains("approximate: "), "{line}");
}

#[test]
fn files_with_one_stem_are_saved_apart() {
    let lab = Lab::new();
    let files = [lab.file("a/x.dat", LCP), lab.file("b/x.dat", CONTACT)];
    let solve = [
        "solve", files[0], files[1], "--solver", "pgs", "--save", "out",
    ];
    let ran = lab.run(&solve);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("note: b/x.dat is saved as x-2.csv"),
        "{}",
        ran.stderr
    );
    assert_eq!(saved(&lab.path("out/x.csv")).0.len(), 2);
    assert_eq!(saved(&lab.path("out/x-2.csv")).0.len(), 3);
    let left = fs::read_dir(lab.path("out")).expect("the folder").count();
    assert_eq!(left, 2, "no temporary file stays");
}

#[test]
fn hostile_names_cannot_move_the_cursor() {
    let lab = Lab::new();
    let file = lab.file("\u{1b}[2J\u{202e}x.dat", LCP);
    let ran = lab.run(&["solve", file, "--solver", "pgs"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(!ran.stdout.contains('\u{1b}') && !ran.stdout.contains('\u{202e}'));
    // a script gets the name as it is
    let json = lab
        .run(&["solve", file, "--solver", "pgs", "--json"])
        .objects();
    assert_eq!(json[0]["file"], file);
}

#[test]
fn every_friction_problem_beside_the_project_is_read() {
    let Some(folder) = shared_problems() else {
        return;
    };
    let entries = fs::read_dir(folder.join("fc3d")).expect("the folder");
    let mut files: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .path()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| name.ends_with(".dat"))
        .collect();
    files.sort();
    let mut arguments = vec![
        "solve",
        "--solver",
        "block-gs",
        "--max-sweeps",
        "3",
        "--json",
    ];
    arguments.extend(files.iter().map(String::as_str));
    let ran = Lab::new().run(&arguments);
    let answers = ran.objects();
    assert_eq!(answers.len(), files.len());
    assert!(files.len() >= 32, "{} files", files.len());
    for (answer, file) in answers.iter().zip(&files) {
        assert_eq!(answer["file"], file.as_str());
        let status = answer["status"].as_str().expect("a status");
        assert!(["solved", "max_sweeps"].contains(&status), "{answer}");
        assert!(
            answer["residuals"]["siconos"].as_f64().is_some(),
            "{answer}"
        );
        assert!(
            answer["contacts"].as_u64().is_some_and(|n| n > 0),
            "{answer}"
        );
    }
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn several_solvers_make_a_table_of_files_and_solvers() {
    let lab = Lab::new();
    let files = [
        lab.file("problems/deep/lcp.dat", LCP),
        lab.file("problems/contact.dat", CONTACT),
        lab.file("problems/broken.dat", "3\n1\nnan"),
    ];
    let solvers = [
        "--solver", "pgs", "--solver", "block-gs", "--solver", "dantzig",
    ];
    let ran = lab.run(&[&["solve"], &files[..], &solvers].concat());
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let words = |line: &str| {
        line.split("  ")
            .map(str::trim)
            .filter(|w| !w.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        words(lines[0]),
        ["file in problems", "pgs [s]", "block-gs [s]", "dantzig [s]"]
    );
    let seconds = |cell: &str| cell.parse::<f64>().is_ok_and(|seconds| seconds >= 0.0);
    let lcp = words(lines[1]);
    assert_eq!(lcp[0], "deep/lcp.dat");
    assert!(lcp[1..].iter().all(|cell| seconds(cell)), "{}", ran.stdout);
    let contact = words(lines[2]);
    // Coulomb's cone is no law of pivots on bounds
    assert!(
        seconds(&contact[2]) && contact[3] == "unsupported",
        "{}",
        ran.stdout
    );
    assert_eq!(
        words(lines[3]),
        ["broken.dat", "unreadable", "unreadable", "unreadable"]
    );
    assert_eq!(words(lines[4]), ["solved", "2 of 3", "2 of 3", "1 of 3"]);
    assert!(
        ran.stdout.contains("\nbroken.dat: "),
        "once for all solvers: {}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("\ncontact.dat, dantzig: "),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.lines().all(|line| line.chars().count() <= 100),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("3 files × 3 solvers: 5 solved"),
        "{}",
        ran.stderr
    );
    // progress, where no terminal shows a bar
    assert!(
        ran.stderr.contains("9/9  broken.dat, dantzig: unreadable"),
        "{}",
        ran.stderr
    );
    // a line each for scripts, in the order of the command line
    let answers = lab
        .run(&[&["solve", "--json"], &files[..2], &solvers].concat())
        .objects();
    let solved: Vec<&Value> = answers.iter().map(|answer| &answer["solver"]).collect();
    assert_eq!(
        solved,
        ["pgs", "block-gs", "dantzig", "pgs", "block-gs", "dantzig"]
    );
}

#[test]
fn parameters_and_folders_of_several_solvers_are_apart() {
    let lab = Lab::new();
    let file = lab.file("lcp.dat", LCP);
    let solve = ["solve", file, "--solver", "psor", "--solver", "pgs"];
    let rest = [
        "--set",
        "omega=1.9",
        "--set",
        "order=reversed",
        "--save",
        "out",
        "--json",
    ];
    let answers = lab.run(&[&solve[..], &rest].concat()).objects();
    assert_eq!(answers[0]["parameters"]["omega"], 1.9);
    assert_eq!(answers[1]["parameters"].get("omega"), None);
    assert_eq!(answers[1]["parameters"]["order"], "reversed");
    for (answer, solver) in answers.iter().zip(["psor", "pgs"]) {
        assert_eq!(answer["saved"], format!("out/{solver}/lcp.csv"));
        let (impulse, _) = saved(&lab.path("out").join(solver).join("lcp.csv"));
        assert!((impulse[0] - 0.4).abs() < 1e-6, "{impulse:?}");
    }
    lab.run(&[&solve[..], &["--set", "omgea=1"]].concat())
        .is_refused_with(&["psor", "\"omgea\""]);
    lab.run(&[&solve[..], &["--solver", "pgs"]].concat())
        .is_refused_with(&["--solver pgs", "twice"]);
}

#[test]
fn the_plan_of_a_solver_that_chooses_is_shown_on_demand() {
    let lab = Lab::new();
    let file = lab.file("contact.dat", CONTACT);
    let short = lab.run(&["solve", file]);
    assert_eq!(short.stdout.lines().count(), 2, "{}", short.stdout);
    let long = lab.run(&["solve", file, "--explain"]);
    let lines: Vec<&str> = long.stdout.lines().map(str::trim).collect();
    assert!(lines[2].starts_with("problem: "), "{}", long.stdout);
    assert!(
        lines[3].starts_with("methods in turns: "),
        "{}",
        long.stdout
    );
    let words = |line: &str| {
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let head = lines.iter().map(|line| words(line));
    let head = head.filter(|words| *words == ["work", "method", "what", "happened", "why"]);
    assert_eq!(head.count(), 1, "{}", long.stdout);
    let last = lines.last().expect("a decision");
    assert!(
        last.contains("is the best at natural map"),
        "{}",
        long.stdout
    );
    assert!(
        lines.iter().all(|line| line.chars().count() <= 100),
        "{}",
        long.stdout
    );
    let answer = &lab.run(&["solve", file, "--json"]).objects()[0];
    assert!(
        answer["decisions"]
            .as_array()
            .is_some_and(|list| !list.is_empty())
    );
}
