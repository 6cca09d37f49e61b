//! The README shows two short programs. That they run is a matter of the tests of documentation,
//! which read the same page.

use std::fs;
use std::path::Path;

fn read(page: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(page)).expect("a page")
}

#[test]
fn the_readme_shows_two_programs_of_fifteen_lines() {
    let readme = read("README.md");
    assert!(readme.lines().count() < 150, "the README is long");
    let programs: Vec<&str> = readme
        .split("```rust\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert_eq!(programs.len(), 2);
    for program in programs {
        assert!(program.lines().count() <= 15, "{program}");
        assert!(program.starts_with("use delassus::prelude::*;\n"));
    }
    // both pages are read by the tests of documentation
    let library = read("crates/delassus/src/lib.rs");
    for page in ["README.md", "docs/library.md"] {
        assert!(library.contains(&format!("include_str!(\"../../../{page}\")")));
    }
}
