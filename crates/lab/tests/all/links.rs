//! Links of README, docs and the READMEs of experiments lead to files and headings that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages of a folder and of the folders in it.
fn pages_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let pages = paths.into_iter().flat_map(|path| match path.is_dir() {
        true => pages_in(&path),
        false => vec![path],
    });
    pages
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect()
}

/// README, docs, and the pages of data, workflow and experiments.
fn pages() -> Vec<PathBuf> {
    let folders = ["docs", "experiments", "data", "workflow"].into_iter();
    let pages = folders.flat_map(|folder| pages_in(&root().join(folder)));
    pages.chain([root().join("README.md")]).collect()
}

/// Lines of a page outside blocks of code, without code in marks.
fn prose(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let is_fence = line.starts_with("```");
        fenced ^= is_fence;
        if !fenced && !is_fence && !line.starts_with("    ") {
            let plain = line.split('`').step_by(2);
            lines.push(plain.collect::<Vec<_>>().join("``"));
        }
    }
    lines
}

/// The anchor that a heading gets: letters, digits, hyphens and underscores in lower case, blanks
/// as hyphens.
fn slug(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
    let lower = heading.trim().to_lowercase();
    lower
        .chars()
        .filter(kept)
        .collect::<String>()
        .replace(' ', "-")
}

/// A heading without anchors of its own and without the targets of links.
fn shown(heading: &str) -> String {
    let heading = heading.split("<a ").next().unwrap_or_default();
    let (first, links) = heading.split_once("](").unwrap_or((heading, ""));
    let after = links.split("](").filter_map(|link| link.split_once(')'));
    let after: String = after.map(|(_, rest)| rest).collect();
    format!("{first}{after}")
}

/// Everything in a page that a link can lead to.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut fenced = false;
    for line in text.lines() {
        fenced ^= line.starts_with("```");
        if fenced {
            continue;
        }
        if line.starts_with('#') {
            let slug = slug(&shown(line.trim_start_matches('#')));
            let count = seen.entry(slug.clone()).or_default();
            found.insert(match *count {
                0 => slug,
                n => format!("{slug}-{n}"),
            });
            *count += 1;
        }
        let own = line.split("<a id=\"").skip(1);
        found.extend(own.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
    }
    found
}

/// Targets of the links of a line, those on the web left out.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let links = line.split("](").skip(1);
    let targets = links.filter_map(|rest| rest.split([')', ' ']).next());
    targets.filter(|target| !target.contains("://") && !target.is_empty())
}

fn check(page: &Path, target: &str) -> Result<(), String> {
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file: PathBuf = match path {
        "" => page.to_owned(),
        path => page.parent().expect("a folder").join(path),
    };
    if !file.exists() {
        return Err(format!("{target}: no such file"));
    }
    if anchor.is_empty() || file.extension().is_none_or(|ending| ending != "md") {
        return Ok(());
    }
    let text = fs::read_to_string(&file).map_err(|error| format!("{target}: {error}"))?;
    match anchors(&text).contains(anchor) {
        true => Ok(()),
        false => Err(format!("{target}: no such heading")),
    }
}

#[test]
fn every_link_of_the_pages_leads_somewhere() {
    let (mut count, mut wrong) = (0, Vec::new());
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let lines = prose(&text);
        for target in lines.iter().flat_map(|line| targets(line)) {
            count += 1;
            if let Err(why) = check(&page, target) {
                wrong.push(format!("{}: {why}", page.display()));
            }
        }
    }
    assert!(count > 200, "{count} links");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_page_of_docs_is_in_its_table_of_contents() {
    let docs = root().join("docs");
    let contents = fs::read_to_string(docs.join("README.md")).expect("the contents");
    for entry in fs::read_dir(&docs).expect("docs").flatten() {
        let name = entry.file_name().into_string().expect("UTF-8");
        let is_page = name.ends_with(".md") && name != "README.md";
        assert!(
            !is_page || contents.contains(&format!("]({name})")),
            "{name}"
        );
    }
}

#[test]
fn anchors_are_those_of_headings_and_those_that_a_page_sets() {
    let text = "# A `b` c\n## [D](e.md) f <a id=\"g\"></a>\n```\n# h\n```\n# A b c\n";
    let found: Vec<String> = anchors(text).into_iter().collect();
    assert_eq!(found, ["a-b-c", "a-b-c-1", "d-f", "g"]);
}

/// The chapters of the book, from the folder of its sources.
fn chapters() -> Vec<String> {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).expect("a summary");
    let links = summary.lines().filter_map(|line| line.split_once("]("));
    let targets = links.filter_map(|(_, rest)| rest.strip_suffix(')'));
    targets.map(str::to_owned).collect()
}

#[test]
fn the_book_has_every_page_once() {
    let docs = root().join("docs");
    let mut pages: Vec<String> = pages_in(&docs)
        .iter()
        .map(|page| page.strip_prefix(&docs).expect("a page of docs"))
        .map(|page| page.to_string_lossy().replace('\\', "/"))
        .filter(|page| page != "SUMMARY.md")
        .collect();
    let mut chapters = chapters();
    assert!(chapters.len() > 80, "{} chapters", chapters.len());
    pages.sort();
    chapters.sort();
    assert_eq!(
        chapters, pages,
        "docs/SUMMARY.md lists the pages of docs, each once"
    );
}

#[test]
fn the_book_leads_to_no_page_that_it_does_not_have() {
    let docs = root().join("docs");
    let mut links = 0;
    for page in pages_in(&docs) {
        let text = fs::read_to_string(&page).expect("a page");
        let folder = page.parent().expect("a folder");
        for target in prose(&text).iter().flat_map(|line| targets(line)) {
            let path = target.split('#').next().unwrap_or_default();
            if !path.ends_with(".md") {
                continue;
            }
            links += 1;
            // mdbook makes x.html of x.md, wherever that is
            let file = folder.join(path).canonicalize().expect("a page");
            let docs = docs.canonicalize().expect("docs");
            assert!(file.starts_with(docs), "{}: {target}", page.display());
        }
    }
    assert!(links > 100, "{links} links");
}

#[test]
fn the_book_is_made_of_docs_and_is_not_part_of_the_sources() {
    let settings = fs::read_to_string(root().join("book.toml")).expect("book.toml");
    let settings: toml::Table = settings.parse().expect("TOML");
    assert_eq!(settings["book"]["src"].as_str(), Some("docs"));
    // mdbook would write empty pages for names that are wrong
    assert_eq!(settings["build"]["create-missing"].as_bool(), Some(false));
    // next to docs, so that links out of docs lead to the same files from both
    assert_eq!(settings["build"]["build-dir"].as_str(), Some("book"));
    let ignored = fs::read_to_string(root().join(".gitignore")).expect("a list");
    assert!(ignored.lines().any(|line| line == "/book"));
}
