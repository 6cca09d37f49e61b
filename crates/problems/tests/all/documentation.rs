//! The examples of `docs/file-formats.md` are read.

use std::fs;

use delassus_problems::{ContactLaw, read_bytes};

#[test]
fn examples_of_the_page_are_read() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/file-formats.md");
    let page = fs::read_to_string(page).unwrap();
    let examples = page
        .split("```text\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap());
    let rows: Vec<usize> = examples
        .map(|text| {
            let named = read_bytes("example", text.as_bytes(), ContactLaw::Coulomb).unwrap();
            named.problem.rows()
        })
        .collect();
    assert_eq!(rows, [3, 2, 2]);
}
