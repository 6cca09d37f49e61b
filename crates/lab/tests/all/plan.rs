//! `--dry-run`: every name, every size.

use crate::folder::QUICK;
use crate::support::Lab;

#[test]
fn a_plan_survives_every_name() {
    let lab = Lab::new();
    // beyond the widths of the formatter, and characters that move a cursor
    let name = format!("{}\\u001b[2J\\u202e", "ω".repeat(70_000));
    let spec = QUICK.replace("name = \"pile\"", &format!("name = \"{name}\""));
    lab.file("quick/experiment.toml", spec);
    let ran = lab.run(&["run", "quick", "--out", "out", "--dry-run"]);
    assert_eq!(ran.code, 0, "{:.500}", ran.stderr);
    assert!(!ran.stdout.contains(['\u{1b}', '\u{202e}']));
    assert!(ran.stdout.contains("ωω\\u{1b}[2J\\u{202e} n=2"));
    let totals = "4 cells: 0 done, 4 to do, 0 unsupported";
    assert!(ran.stdout.lines().any(|line| line == totals));
    // the long name does not widen the lines of the header and of the totals
    assert!(ran.stdout.lines().next().expect("a header").len() < 200);
    assert!(!lab.path("out").exists(), "a plan writes nothing");
}

#[test]
fn what_is_refused_of_a_large_scene_shows_when_its_cell_runs() {
    let lab = Lab::new();
    // 4 n² contact points, three rows each; without friction the solver would still refuse contacts
    let spec = |base: u32| {
        format!(
            "title = \"Walls\"\n[[scene]]\nuse = \"wall\"\nbase = {base}\n[[scheme]]\nuse = \"pgs-baumgarte\"\n\
             [[solver]]\nuse = \"dense-direct\"\n[simulate]\nseconds = 0.01\nobservables = [\"energy\"]\n"
        )
    };
    for (base, planned) in [(3, "1 unsupported"), (66, "0 unsupported")] {
        lab.file("walls.toml", spec(base));
        let plan = lab.run(&["run", "walls.toml", "--out", "out", "--dry-run"]);
        let mut lines = plan.stdout.lines();
        assert!(lines.any(|line| line.ends_with(planned)), "{}", plan.stdout);
        let ran = lab.run(&["run", "walls.toml", "--out", "out", "--json"]);
        // nothing was computed
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        let cell = &ran.objects()[0];
        assert_eq!(cell["status"], "unsupported", "{cell}");
        let message = cell["message"].as_str().expect("a reason");
        assert!(message.contains("dense-direct"), "{message}");
    }
}
