//! Every cited equation and paper exists, and every solver cites both.

use std::collections::BTreeSet;

use delassus_core::SolverDescriptor;
use delassus_registry::Registry;

use crate::workspace::{files, read, root};

/// Equation numbers defined in the theory pages, as "G.3".
pub(crate) fn equations() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for page in files(&["docs/theory"], &[".md"]) {
        let text = read(&page);
        for part in text.split("\\tag{").skip(1) {
            let number = part.split('}').next().unwrap_or_default().to_owned();
            let where_ = page.display();
            assert!(
                is_equation(&number),
                "{where_}: odd equation number {number:?}"
            );
            assert!(
                found.insert(number.clone()),
                "{where_}: {number} stands twice"
            );
        }
    }
    found
}

/// Keys of the bibliography.
pub(crate) fn keys() -> BTreeSet<String> {
    let text = read(&root().join("docs/references.bib"));
    let entries = text.lines().filter(|line| line.starts_with('@'));
    let keys: Vec<String> = entries
        .map(|line| {
            let key = line.split('{').nth(1).unwrap_or_default();
            key.trim_end_matches(',').to_owned()
        })
        .collect();
    let unique: BTreeSet<String> = keys.iter().cloned().collect();
    assert_eq!(
        unique.len(),
        keys.len(),
        "a key stands twice in references.bib"
    );
    unique
}

/// BibTeX takes one of the two in a book and its chapters, and warns of the other.
#[test]
fn no_chapter_has_a_volume_and_a_number() {
    let text = read(&root().join("docs/references.bib"));
    let entries = text.split("\n@").filter_map(|entry| entry.split_once('{'));
    let mut chapters = 0;
    for (kind, fields) in entries.filter(|(kind, _)| kind.starts_with("in")) {
        chapters += 1;
        let has = |key: &str| {
            let mut lines = fields.lines();
            lines.any(|line| line.trim_start().split(' ').next() == Some(key))
        };
        let name = fields.split(',').next().unwrap_or_default();
        assert!(!(has("volume") && has("number")), "@{kind}{{{name}}}");
    }
    assert!(chapters > 10, "{chapters}");
}

/// A capital, a full stop, digits.
fn is_equation(text: &str) -> bool {
    let mut characters = text.chars();
    let capital = characters.next().is_some_and(|c| c.is_ascii_uppercase());
    let stop = characters.next() == Some('.');
    let digits = characters.as_str();
    capital && stop && !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
}

/// Capitalised letters, four digits, perhaps one small letter.
fn is_key(text: &str) -> bool {
    let text = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let Some((name, year)) = text
        .len()
        .checked_sub(4)
        .and_then(|at| text.split_at_checked(at))
    else {
        return false;
    };
    let name_fits = name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphabetic());
    let century = year.starts_with("19") || year.starts_with("20");
    name_fits && century && year.chars().all(|c| c.is_ascii_digit())
}

/// Pieces of `text` between `open` and `close`, split at commas, semicolons, dashes and blanks.
fn enclosed(text: &str, open: char, close: char) -> Vec<String> {
    let mut found = Vec::new();
    for part in text.split(open).skip(1) {
        let inner = part.split(close).next().unwrap_or_default();
        let pieces = inner.split([',', ';', '–', ' ', '\\', '`']);
        found.extend(pieces.map(str::to_owned));
    }
    found
}

#[test]
fn every_cited_equation_and_paper_exists() {
    let (equations, keys) = (equations(), keys());
    let sources = files(
        &["crates", "docs", "tests", "experiments", "README.md"],
        &[".rs", ".md"],
    );
    let (mut cited_equations, mut cited_keys) = (0, 0);
    for source in sources {
        let text = read(&source);
        for number in enclosed(&text, '(', ')').iter().filter(|t| is_equation(t)) {
            cited_equations += 1;
            let known = equations.contains(number);
            assert!(known, "{}: no equation {number}", source.display());
        }
        for key in enclosed(&text, '[', ']').iter().filter(|t| is_key(t)) {
            cited_keys += 1;
            assert!(keys.contains(key), "{}: no paper {key}", source.display());
        }
    }
    assert!(
        cited_equations > 50 && cited_keys > 10,
        "the scan finds nothing"
    );
}

#[test]
fn every_solver_cites_its_theory_and_papers() {
    let (equations, keys) = (equations(), keys());
    for entry in Registry::standard().entries() {
        let descriptor = &entry.descriptor;
        let id = descriptor.id;
        assert!(!descriptor.citations.is_empty(), "{id} cites no paper");
        assert!(!descriptor.theory.is_empty(), "{id} cites no equation");
        assert_ne!(
            descriptor.cost,
            SolverDescriptor::NO_COST,
            "{id} keeps the cost of SolverDescriptor::BASE; say what a unit of its work costs, as cost: \"m\""
        );
        for key in descriptor.citations {
            assert!(
                keys.contains(*key),
                "{id} cites {key}, which is not in references.bib"
            );
        }
        for number in descriptor.theory {
            assert!(
                equations.contains(*number),
                "{id} cites {number}, which no page defines"
            );
        }
    }
}

#[test]
fn every_scheme_and_constraint_cites_its_theory() {
    let (equations, keys) = (equations(), keys());
    for entry in delassus_registry::schemes() {
        let id = entry.descriptor.id;
        assert!(
            !entry.descriptor.citations.is_empty(),
            "{id} cites no paper"
        );
        for key in entry.descriptor.citations {
            assert!(
                keys.contains(*key),
                "{id} cites {key}, which is not in references.bib"
            );
        }
        for number in entry.descriptor.theory {
            assert!(
                equations.contains(*number),
                "{id} cites {number}, which no page defines"
            );
        }
    }
    for kind in delassus_dynamics::constraints::constraint_kinds() {
        let id = kind.descriptor.id;
        assert!(!kind.descriptor.theory.is_empty(), "{id} cites no equation");
        for number in kind.descriptor.theory {
            assert!(
                equations.contains(*number),
                "{id} cites {number}, which no page defines"
            );
        }
    }
}

#[test]
fn every_solver_documents_its_parameters() {
    for entry in Registry::standard().entries() {
        let documented: BTreeSet<&str> = entry.parameters.iter().map(|p| p.name).collect();
        let real: BTreeSet<&str> = entry.defaults.keys().map(String::as_str).collect();
        assert_eq!(documented, real, "parameters of {}", entry.descriptor.id);
    }
}

#[test]
fn every_entry_of_the_bibliography_has_an_identifier_or_says_that_it_was_not_checked() {
    let text = read(&root().join("docs/references.bib"));
    let mut count = 0;
    for entry in text.split("\n@").skip(1) {
        let fields = entry.lines().skip(1);
        let names = fields.filter_map(|line| Some(line.split_once('=')?.0.trim()));
        let identified = names
            .into_iter()
            .any(|name| ["doi", "isbn", "url"].contains(&name));
        let marked = entry
            .lines()
            .any(|line| line.trim_start().starts_with("keywords") && line.contains("{unchecked}"));
        let key = entry.split(['{', ',']).nth(1).unwrap_or_default();
        assert!(
            identified || marked,
            "{key}: give it a doi, isbn or url after a look at a public record, or keywords = {{unchecked}}"
        );
        count += 1;
    }
    assert_eq!(count, keys().len());
}

#[test]
fn the_scanners_know_what_a_citation_looks_like() {
    assert!(
        is_equation("G.12") && !is_equation("G.") && !is_equation("e.g") && !is_equation("1.2")
    );
    assert!(is_key("Catto2006") && is_key("Macklin2019a") && is_key("DeSaxce1998"));
    assert!(!is_key("R2006") && !is_key("catto2006") && !is_key("Fig3000") && !is_key("mu"));
    assert_eq!(enclosed("see (G.1, G.2)", '(', ')'), ["G.1", "", "G.2"]);
}
