//! `demo`: the experiment that ships with the program.

use std::fs;

use crate::support::Lab;

#[test]
fn the_demo_shows_a_table_with_curves_and_leaves_a_report() {
    let lab = Lab::new();
    let ran = lab.run(&["demo"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].starts_with("problem"), "{}", ran.stdout);
    let cells = &lines[1..13];
    for solver in ["pgs", "nncg", "apgd", "prox-newton"] {
        let own = cells
            .iter()
            .filter(|line| line.contains(&format!(" {solver} ")));
        assert_eq!(own.count(), 3, "{solver}\n{}", ran.stdout);
    }
    for line in cells {
        let curve = line.chars().filter(|c| ('▁'..='█').contains(c)).count();
        assert!(curve > 1, "{line}");
        // a solve that ends at the tolerance ends at the lowest mark
        assert_eq!(line.contains("solved"), line.ends_with('▁'), "{line}");
        assert!(line.chars().count() <= 110, "{line}");
    }
    for problem in ["stack", "chain", "mass ratio"] {
        let sentence = format!("{problem}: fewest row updates to natural_map ≤ 10⁻⁸: ");
        assert!(ran.stdout.contains(&sentence), "{problem}\n{}", ran.stdout);
    }
    // `compare` has the same numbers
    let pairs = lab.run(&["compare", "results/demo", "--json"]).objects();
    assert_eq!(pairs.len(), 6);
    for pair in &pairs {
        let names = [&pair["a"], &pair["b"]].map(|name| name.as_str().expect("a name"));
        for problem in pair["problems"].as_array().expect("problems") {
            let name = problem["problem"].as_str().expect("a name");
            let (Some(a), Some(b)) = (problem["a"].as_f64(), problem["b"].as_f64()) else {
                continue;
            };
            let mut lines = ran.stdout.lines();
            let begin = format!("{name}: fewest row updates to ");
            let line = lines.find(|line| line.starts_with(&begin)).expect("a line");
            for ([best, other], [least, more]) in [(names, [a, b]), ([names[1], names[0]], [b, a])]
            {
                let is_best = line.contains(&format!(": {best} ({least}); "));
                let times = match more / least {
                    ratio if ratio < 100.0 => format!(" {other} {ratio:.1}×"),
                    ratio => format!(" {other} {ratio:.0}×"),
                };
                assert!(!is_best || line.contains(&times), "{times}: {line}");
            }
        }
    }
    let left_out = "count no factorizations, of which prox-newton made ";
    assert!(ran.stdout.contains(left_out), "{}", ran.stdout);
    for file in [
        "report.html",
        "demo.toml",
        "figures/residual.svg",
        "figures/profile.svg",
    ] {
        assert!(lab.path("results/demo").join(file).is_file(), "{file}");
    }
    // the second look runs nothing
    let again = lab.run(&["demo", "--json"]);
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
    let objects = again.objects();
    assert_eq!(objects.len(), 13);
    assert_eq!(
        (&objects[12]["kept"], &objects[12]["schema"]),
        (&12.into(), &"demo/1".into())
    );
}

#[test]
fn a_demo_that_somebody_has_changed_is_theirs() {
    let lab = Lab::new();
    lab.file("mine/demo.toml", "title = \"mine\"");
    let ran = lab.run(&["demo", "--out", "mine"]);
    ran.is_refused_with(&["mine/demo.toml", "--out"]);
    let kept = fs::read_to_string(lab.path("mine/demo.toml")).expect("the file");
    assert_eq!(kept, "title = \"mine\"");
}

/// What is refused leaves no spec behind.
#[test]
fn a_refused_demo_leaves_nothing() {
    let lab = Lab::new();
    let spec = "title = \"t\"\n[[problem]]\nuse = \"chain\"\nn = 2\n[[solver]]\nuse = \"pgs\"\n";
    lab.file("own/experiment.toml", spec);
    let ran = lab.run(&["run", "own", "--out", "mine", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = lab.run(&["demo", "--out", "mine"]);
    ran.is_refused_with(&["mine holds the results of", "--out"]);
    assert!(!lab.path("mine/demo.toml").exists());
    assert_eq!(lab.run(&["verify", "mine"]).code, 0);
    // a folder that is in use, and one whose cells lie elsewhere
    #[cfg(unix)]
    {
        fs::create_dir_all(lab.path("linked")).expect("a folder");
        fs::create_dir_all(lab.path("elsewhere")).expect("a folder");
        std::os::unix::fs::symlink(lab.path("elsewhere"), lab.path("linked/cells"))
            .expect("a link");
        let ran = lab.run(&["demo", "--out", "linked"]);
        assert_eq!(ran.code, 3, "{}", ran.stderr);
        assert!(!lab.path("linked/demo.toml").exists());
    }
}
