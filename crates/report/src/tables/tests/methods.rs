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

/// The runs of two schemes, of which `xpbd` stepped another scene.
fn other_scene() -> Bundle {
    let mut run = trajectories();
    for record in run.records.iter_mut().filter(|r| r.method() == "xpbd") {
        let other = format!("{}no restitution", delassus_core::OTHER_SCENE);
        record.outcome.approximations = vec![other];
    }
    run
}

#[test]
fn methods_that_stepped_another_scene_are_not_ranked() {
    let show = json!({ "quality": { "observables": ["drift_max"] } });
    let bold = |made: &Table| {
        let rows = made.sections.iter().flat_map(|s| &s.rows);
        let own = rows.filter(|row| row[0] == Cell::text("xpbd"));
        own.flatten().filter(|cell| cell.best).count()
    };
    let ranked = table(&trajectories(), show.clone());
    assert!(bold(&ranked) > 0);
    let made = table(&other_scene(), show);
    assert_eq!(bold(&made), 0);
    let notes = made.notes.join(" ");
    let remark = "Never bold, because they step another scene: xpbd";
    assert!(notes.contains(remark), "{notes}");
    let pairs = table(&other_scene(), json!({ "pairwise": { "cost": "seconds" } }));
    let rows = &pairs.sections[0].rows;
    assert!(
        rows.iter().all(|row| row[0] != Cell::text("xpbd")),
        "{rows:?}"
    );
}

#[test]
fn engines_are_not_ranked_by_work_that_they_do_not_count() {
    let mut run = trajectories();
    for record in &mut run.records {
        if let crate::record::Payload::Simulate(own) = &mut record.outcome.payload
            && own.scheme.method == "xpbd"
        {
            own.scheme.id = "engine-cmd:python3 fall.py".to_owned();
            (record.outcome.sweeps, record.outcome.row_updates) = (0, 0);
        }
    }
    let made = table(&run, json!({ "quality": {} }));
    let sweeps = made.columns.iter().position(|c| c.title == "sweeps [-]");
    let sweeps = sweeps.expect("a column");
    let rows = made.sections.iter().flat_map(|s| &s.rows);
    let own: Vec<_> = rows.filter(|row| row[0] == Cell::text("xpbd")).collect();
    assert!(!own.is_empty() && own.iter().all(|row| row[sweeps].value().is_none()));
    let made = table(&run, json!({ "pairwise": {} }));
    let text = made.sections[0].rows[0][0].shown();
    assert!(
        text.contains("counts no sweeps and no row updates"),
        "{text}"
    );
}
