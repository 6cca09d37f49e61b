//! The reference pages of `docs` have exactly the keys, kinds and quantities that the program has.

use std::collections::BTreeMap;
use std::path::Path;

use delassus_metrics::Metric;
use delassus_records::observable::{PROBES, Quantity};
use delassus_records::trace::TraceQuantity;
use delassus_report::settings::Setting;
use serde_json::Value;

use super::of_text;
use crate::document::keys::{self, Key};
use crate::figures::FigureSpec;
use crate::gate::GateSpec;
use crate::matrix;
use crate::registry::Registry;
use crate::strips::StripSpec;
use crate::tables::TableSpec;
use crate::view::{Cost, Over};

fn page(name: &str) -> String {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    std::fs::read_to_string(docs.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The text under each heading up to the next one, by the heading without code marks and anchor.
fn sections(page: &str) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut heading = String::new();
    let mut fenced = false;
    for line in page.lines() {
        fenced ^= line.starts_with("```");
        if !fenced && line.starts_with('#') {
            let text = line.trim_start_matches('#').split(" <a").next();
            heading = text.unwrap_or_default().replace('`', "").trim().to_owned();
        } else {
            let text = found.entry(heading.clone()).or_default();
            text.push_str(line);
            text.push('\n');
        }
    }
    found
}

fn section<'p>(all: &'p BTreeMap<String, String>, heading: &str) -> &'p str {
    all.get(heading)
        .unwrap_or_else(|| panic!("no section {heading:?}"))
}

/// What stands in code marks.
fn codes(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The rows of the tables of a section that have code in their first cell, as cells, by each of
/// these codes.
fn rows(section: &str) -> BTreeMap<String, Vec<String>> {
    let lines = section.lines().filter(|line| line.starts_with("| `"));
    let mut found = BTreeMap::new();
    for line in lines {
        let cells = line.trim_matches('|').split(" | ");
        let cells: Vec<String> = cells.map(|cell| cell.trim().to_owned()).collect();
        for code in codes(&cells[0]) {
            let before = found.insert(code.to_owned(), cells.clone());
            assert!(before.is_none(), "{code} has two rows in\n{section}");
        }
    }
    found
}

/// Compares the rows of a section with the keys that the parser knows, and whether they are needed.
fn compare(place: &str, section: &str, keys: &BTreeMap<String, bool>) {
    let rows = rows(section);
    let documented: Vec<&String> = rows.keys().collect();
    let known: Vec<&String> = keys.keys().collect();
    assert_eq!(documented, known, "keys of {place}");
    for (key, needed) in keys {
        let default = &rows[key][2];
        assert_eq!(
            default.starts_with("needed"),
            *needed,
            "{place}: {key} has the default {default:?}"
        );
    }
}

fn of_keys(lists: &[&[Key]]) -> BTreeMap<String, bool> {
    let keys = lists.iter().copied().flatten();
    keys.map(|key| (key.name.to_owned(), key.needed)).collect()
}

fn of_schema(schema: &Value) -> BTreeMap<String, bool> {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let names = schema["properties"].as_object().expect("properties").keys();
    names
        .map(|name| (name.clone(), required.iter().any(|needed| needed == name)))
        .collect()
}

#[test]
fn every_key_of_a_spec_is_documented() {
    let page = page("spec.md");
    let all = sections(&page);
    let lists: [(&str, &[&[Key]]); 16] = [
        ("Top level", &[keys::SPEC]),
        ("[limits]", &[keys::LIMITS]),
        ("[[problem]]", &[keys::GENERATED, keys::FILES]),
        ("[[solver]]", &[keys::SOLVER]),
        ("[stop]", &[keys::STOP]),
        ("[measure]", &[keys::MEASURE]),
        ("samples", &[keys::SAMPLES]),
        ("[reference]", &[keys::REFERENCE]),
        ("[timing]", &[keys::TIMING]),
        ("[[scene]]", &[keys::SCENE, keys::SCENE_FILE]),
        ("[scene.threshold]", &[keys::THRESHOLD]),
        ("[[scheme]]", &[keys::SCHEME]),
        ("[simulate]", &[keys::SIMULATE]),
        ("dt_changes", &[keys::CHANGE]),
        ("budget", &[keys::BUDGET]),
        ("[replay]", &[keys::REPLAY]),
    ];
    for (heading, lists) in lists {
        compare(heading, section(&all, heading), &of_keys(lists));
    }
    for (heading, schema) in [
        ("[[figure]]", FigureSpec::schema()),
        ("[[table]]", TableSpec::schema()),
        ("[[strip]]", StripSpec::schema()),
        ("[[gate]]", GateSpec::schema()),
    ] {
        compare(heading, section(&all, heading), &of_schema(&schema));
    }
    let start = &rows(section(&all, "[[problem]]"))["start"][3];
    for name in keys::STARTS {
        assert!(start.contains(&format!("{name:?}")), "start: {name}");
    }
    for name in keys::REFERENCES {
        let text = section(&all, "[reference]");
        assert!(text.contains(&format!("{name:?}")), "reference: {name}");
    }
}

/// The names of a setting that has names, whether it is one or an array.
fn choices(setting: &Value) -> Vec<&str> {
    let names = setting["enum"].as_array().into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}

#[test]
fn every_kind_of_figure_and_table_is_documented_with_its_keys() {
    let figures = &FigureSpec::schema()["properties"]["plot"]["properties"];
    let tables = &TableSpec::schema()["properties"]["show"]["properties"];
    for (name, kinds) in [("figures.md", figures), ("tables.md", tables)] {
        let page = page(name);
        let all = sections(&page);
        for line in page.lines().filter(|line| line.starts_with("| [`")) {
            let kind = codes(line).next().unwrap_or_default();
            assert!(kinds.get(kind).is_some(), "{name}: there is no {kind}");
        }
        for (kind, schema) in kinds.as_object().expect("kinds") {
            let text = section(&all, kind);
            let keys = of_schema(schema);
            compare(&format!("{name}, {kind}"), text, &keys);
            assert!(page.contains(&format!("[`{kind}`](#{kind}) |")), "{kind}");
            let rows = rows(text);
            for (key, setting) in schema["properties"].as_object().expect("keys") {
                let row = rows[key].join(" ");
                // long lists have a place of their own, which the row names
                let is_long = key == "over" || row.contains("quantities.md");
                for choice in choices(setting).into_iter().filter(|_| !is_long) {
                    let quoted = format!("{choice:?}");
                    assert!(row.contains(&quoted), "{kind}: {key} may be {choice}");
                }
            }
        }
    }
}

/// A spec of each kind; examples are added to its end.
const BASES: [(&str, &str); 5] = [
    (
        "solves",
        "title = \"T\"\n[[problem]]\nuse = \"stack\"\nn = [2, 5]\n[[solver]]\nuse = \"psor\"\nomega = [1.0, 1.3]\n\
         [[solver]]\nuse = \"wide-pgs\"\nthreads = [1, 2]\n[measure]\nmetrics = [\"natural_map\"]\n",
    ),
    (
        "solves",
        "title = \"T\"\n[[problem]]\nuse = \"stack\"\nn = 2\nfriction = [0.3, 0.6]\nas_worlds = true\n\
         [[solver]]\nuse = \"pgs\"\n",
    ),
    (
        "timed sweeps",
        "title = \"T\"\n[[problem]]\nuse = \"stack\"\nn = [2, 5]\n[[solver]]\nuse = \"wide-pgs\"\n[timing]\n",
    ),
    (
        "scenes",
        "title = \"T\"\n[[scene]]\nuse = \"pendulum\"\nangle = [0.0, 0.5]\n[[scheme]]\nuse = \"xpbd\"\n[[scheme]]\n\
         use = \"tgs-soft\"\nlabel = \"Soft Step\"\nsubsteps = [1, 4]\ndt = [0.02, 0.01]\n[[solver]]\nuse = \"pgs\"\n\
         [simulate]\nseconds = 0.1\nobservables = [\"drift_max\", \"x[1].x\", \"x[1].y\", \"fallen\"]\n[replay]\n",
    ),
    (
        "scenes",
        "title = \"T\"\n[[scene]]\nuse = \"pendulum\"\n[[scheme]]\nuse = \"xpbd\"\n[simulate]\nseconds = 0.1\n\
         observables = [\"drift_max\"]\nbudget = { row_updates = 50 }\n",
    ),
];

/// The kinds of specs that accept an addition; if none does, why.
fn accepted_by(addition: &str) -> Result<Vec<&'static str>, String> {
    let registry = Registry::standard();
    let mut accepted = Vec::new();
    let mut refusals = String::new();
    for (kind, base) in BASES {
        let text = format!("{base}\n{addition}\n");
        let read = of_text(Path::new("t/experiment.toml"), text, &registry);
        match read.and_then(|spec| matrix::expand(spec, &registry)) {
            Ok(_) => accepted.push(kind),
            Err(error) => refusals += &format!("\n{error}"),
        }
    }
    match accepted.is_empty() {
        true => Err(refusals),
        false => Ok(accepted),
    }
}

#[test]
fn the_bases_of_the_examples_are_valid() {
    for (kind, base) in BASES {
        let registry = Registry::standard();
        let spec = of_text(Path::new("t/experiment.toml"), base.to_owned(), &registry);
        let planned = spec.and_then(|spec| matrix::expand(spec, &registry));
        assert!(planned.is_ok(), "{kind}: {:?}", planned.err());
    }
}

#[test]
fn every_example_of_the_reference_pages_is_accepted() {
    let mut wrong = String::new();
    for (name, header) in [
        ("spec.md", ""),
        ("figures.md", "[[figure]]\nid = \"example\"\n"),
        ("tables.md", "[[table]]\nid = \"example\"\n"),
    ] {
        let page = page(name);
        let blocks = page.split("```toml\n").skip(1);
        let blocks: Vec<&str> = blocks.filter_map(|b| b.split("```").next()).collect();
        assert!(blocks.len() > 5, "{name}");
        // whole specs have tests of their own
        for block in blocks
            .into_iter()
            .filter(|block| !block.contains("title = "))
        {
            let header = if block.starts_with('[') { "" } else { header };
            let accepted = accepted_by(&format!("{header}{block}"));
            let kind = block
                .split("{ ")
                .nth(1)
                .and_then(|rest| rest.split(' ').next());
            let row = kind.and_then(|kind| {
                let own = format!("| [`{kind}`](#");
                page.lines().find(|line| line.starts_with(&own))
            });
            match (accepted, row) {
                (Err(refusals), _) => wrong += &format!("{name}: {block}{refusals}\n\n"),
                (Ok(kinds), Some(row)) => {
                    let fits = |kind: &&str| row.ends_with("| all |") || row.contains(*kind);
                    if !kinds.iter().all(fits) {
                        wrong += &format!("{name}: {row} is accepted by {kinds:?}\n");
                    }
                }
                (Ok(_), None) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_quantity_is_documented_with_its_unit() {
    let page = page("quantities.md");
    let all = sections(&page);
    let expect = |heading: &str, wanted: Vec<(String, Vec<String>)>| {
        let rows = rows(section(&all, heading));
        let documented: Vec<&String> = rows.keys().collect();
        let mut names: Vec<&String> = wanted.iter().map(|(name, _)| name).collect();
        names.sort();
        assert_eq!(documented, names, "{heading}");
        for (name, cells) in &wanted {
            assert_eq!(&rows[name][1..=cells.len()], cells, "{heading}: {name}");
        }
    };
    let owned = |name: &str, cells: &[&str]| {
        let cells = cells.iter().map(|cell| (*cell).to_owned());
        (name.to_owned(), cells.collect())
    };
    let metrics = Metric::ALL.into_iter().map(|metric| {
        let doc = metric.doc();
        owned(doc.id, &[doc.unit, if doc.decides { "yes" } else { "no" }])
    });
    expect("Metrics", metrics.collect());
    let traces = TraceQuantity::ALL.iter().map(|quantity| quantity.doc());
    let traces = traces.map(|doc| owned(doc.id, &[doc.unit]));
    expect("Numbers of a trace", traces.collect());
    let rows_of_traces = rows(section(&all, "Numbers of a trace"));
    for quantity in TraceQuantity::ALL {
        let doc = quantity.doc();
        let needs = &rows_of_traces[doc.id][3];
        match doc.measured {
            Some(metric) => assert_eq!(*needs, format!("`{metric}`"), "{}", doc.id),
            None if quantity.is_column() => assert!(needs.starts_with("itself"), "{}", doc.id),
            None => assert_eq!(needs, "nothing", "{}", doc.id),
        }
    }
    let observables = Quantity::ALL.iter().map(|quantity| quantity.doc());
    let observables = observables.map(|doc| owned(doc.id, &[doc.unit]));
    let probes = PROBES.map(|(form, unit, _)| owned(form, &[&unit.replace(" | ", " or ")]));
    expect("Observables", observables.chain(probes).collect());
    let costs = Cost::ALL.iter().map(|cost| owned(cost.id(), &[]));
    expect("Costs and sizes", costs.collect());
    let summaries = Over::ALL.iter().map(|over| owned(over.id(), &[]));
    expect("over", summaries.collect());
}
