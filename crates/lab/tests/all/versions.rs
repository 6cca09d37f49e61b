//! Results of one version of the program, checked by another.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::forger::{renew, replace};
use crate::passing::{cell, lab};
use crate::support::{Lab, Ran};

/// Another program: this one with a byte more.
fn other(lab: &Lab) -> PathBuf {
    let path = lab.path("other");
    fs::copy(env!("CARGO_BIN_EXE_delassus"), &path).expect("a copy");
    let mut file = fs::File::options().append(true).open(&path);
    let file = file.as_mut().expect("a program");
    std::io::Write::write_all(file, b"\n").expect("a byte more");
    path
}

fn verify(lab: &Lab, program: &Path, more: &[&str]) -> Ran {
    let mut command = Command::new(program);
    command.args(["verify", "out"]).args(more);
    let output = command.current_dir(lab.path("")).output();
    Ran::from(output.expect("the program starts"))
}

#[test]
fn another_version_says_whose_results_they_are_and_what_it_draws_otherwise() {
    let lab = lab();
    let other = other(&lab);
    // equal bytes are as recorded whoever drew them
    let ran = verify(&lab, &other, &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    for part in [
        "note: made by delassus",
        ", this is delassus",
        "everything is as it was recorded",
    ] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    // a figure and a page as another version draws them
    for name in ["figures/curves.svg", "report.html"] {
        let end = if name.ends_with("svg") {
            "</svg>"
        } else {
            "</html>"
        };
        let drawn = format!("<!-- drawn otherwise -->{end}");
        replace(&lab.path("out").join(name), end, &drawn);
    }
    renew(&lab.path("out"));
    let ran = verify(&lab, &other, &[]);
    assert_eq!(ran.code, 7, "{}{}", ran.stdout, ran.stderr);
    for name in ["figures/curves.svg", "report.html"] {
        let line = format!("redrawn  {name}  is not what the records");
        assert!(ran.stdout.contains(&line), "{name}: {}", ran.stdout);
    }
    assert!(
        ran.stderr.contains("the data are as recorded; 2 files"),
        "{}",
        ran.stderr
    );
    let totals = verify(&lab, &other, &["--json"]).objects().pop();
    let totals = totals.expect("totals");
    let counts = ["mismatches", "unchecked", "redrawn"].map(|name| totals[name].as_u64());
    assert_eq!(counts, [Some(0), Some(0), Some(2)], "{totals}");
    let made_by = totals["made_by"].as_str().expect("a program");
    assert!(made_by.contains(env!("CARGO_PKG_VERSION")), "{made_by}");
    // the program that has drawn the others finds these
    let own = Path::new(env!("CARGO_BIN_EXE_delassus"));
    assert_eq!(verify(&lab, own, &[]).code, 6);
    // data go first
    let path = cell(&lab, "chain n=2", "pgs").with_extension("impulses");
    let mut impulses = fs::read(&path).expect("impulses");
    impulses[3] ^= 1;
    fs::write(&path, impulses).expect("impulses");
    let ran = verify(&lab, &other, &[]);
    assert_eq!(ran.code, 6, "{}{}", ran.stdout, ran.stderr);
}
