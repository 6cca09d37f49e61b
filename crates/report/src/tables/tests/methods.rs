//! Tables of methods, sets and pairs.

use serde_json::json;

use super::super::*;
use crate::testing::{bundle, realistic, trajectories};

fn table(bundle: &Bundle, show: serde_json::Value) -> Table {
    let spec = TableSpec {
        id: "t".to_owned(),
        caption: String::new(),
        show: serde_json::from_value(show).expect("settings of a kind"),
    };
    build(bundle, &spec)
}

fn all() -> Vec<serde_json::Value> {
    vec![
        json!({ "quality": { "metrics": ["natural_map"], "together": true } }),
        json!({ "quality": {} }),
        json!({ "test-set": {} }),
        json!({ "pairwise": {} }),
        json!({ "properties": {} }),
        json!({ "machine": { "packages": true } }),
    ]
}

#[test]
fn they_are_made_of_any_run() {
    for run in [realistic(), trajectories(), bundle(Vec::new())] {
        for show in all() {
            let made = table(&run, show.clone());
            assert!(made.sections.iter().any(|s| !s.rows.is_empty()), "{show}");
            let width = made.columns.len();
            let rows = made.sections.iter().flat_map(|s| &s.rows);
            assert!(rows.into_iter().all(|row| row.len() == width), "{show}");
        }
    }
}

#[test]
fn failures_are_counted_and_the_best_is_marked() {
    let made = table(&realistic(), all().remove(0));
    let row = |name: &str| {
        let mut rows = made.sections[0].rows.iter();
        rows.find(|row| row[0] == Cell::text(name)).expect("a row")
    };
    // nobody waits for a method that never ends
    assert_eq!(row("naive-impulses")[2].shown(), "–(6)");
    assert!(row("block-gs")[2].shown().ends_with(" (2)"));
    let direct = row("dense-direct");
    assert!(direct[2].best && direct[2].failed == 0);
    let page = OnPage {
        most: 50,
        name: "Table 1",
        file: "tables/quality.csv",
        anchor: "table-quality",
        linked: &[].into(),
    };
    assert!(to_html(&made, page).contains("–(6)"));
    let tex = to_latex(&made, "quality", "");
    assert!(tex.contains("–(6)") && tex.contains("\\textbf"));
}

#[test]
fn pairs_are_turned_round() {
    let made = table(&realistic(), json!({ "pairwise": { "tolerance": 1e-8 } }));
    let text = |row: usize, column: usize| made.sections[0].rows[row][column].shown();
    // pgs and psor solve all six: what one wins the other loses
    let (one, other) = (text(0, 2), text(1, 1));
    let counts = |text: &str| -> Vec<String> {
        let counts = text.split(',').next().unwrap_or_default();
        counts.split(" / ").map(str::to_owned).collect()
    };
    let mut turned = counts(&other);
    turned.reverse();
    assert_eq!(counts(&one), turned);
    assert_eq!(text(0, 1), "–");
}
