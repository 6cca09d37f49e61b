//! The glossary of the documentation.

/// The page, whose tables have a row per term.
const PAGE: &str = include_str!("../../../texts/glossary.md");

/// A row of the glossary.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) name: String,
    /// Symbol and unit; empty if it has none.
    pub(super) symbol: String,
    pub(super) meaning: String,
    /// Names in other codebases and papers.
    pub(super) elsewhere: String,
}

impl Term {
    /// The names of the row: a row may define two terms that belong together.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let whole = std::iter::once(self.name.as_str());
        whole.chain(self.name.split(", ").filter(|part| *part != self.name))
    }

    /// True if this is one of the words of its names.
    fn has_word(&self, word: &str) -> bool {
        let mut words = self.name.split([' ', ',', '-']);
        words.any(|own| own.eq_ignore_ascii_case(word))
    }

    /// True if other codebases call it so.
    fn is_called(&self, name: &str) -> bool {
        let mut names = self.elsewhere.split([',', ';']);
        names.any(|other| other.trim().eq_ignore_ascii_case(name))
    }
}

/// Every term, in the order of the page.
pub(super) fn terms() -> Vec<Term> {
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| "));
    let rows = rows.map(|row| {
        let row = without_links(&row.trim_end_matches('|').replace('`', ""));
        row.split('|')
            .map(|cell| cell.trim().to_owned())
            .collect::<Vec<_>>()
    });
    let rows = rows.filter(|cells| cells.first().is_some_and(|name| name != "name"));
    rows.filter_map(|cells| match <[String; 4]>::try_from(cells) {
        Ok([name, symbol, meaning, elsewhere]) => Some(Term {
            name,
            symbol,
            meaning,
            elsewhere,
        }),
        Err(_) => None,
    })
    .collect()
}

/// Text with the files of the documentation in place of links to them: `[all](spec.md#all)` is
/// "docs/spec.md".
fn without_links(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some((before, link)) = rest.split_once('[') {
        plain.push_str(before);
        let parts = link.split_once("](").and_then(|(name, target)| {
            let (target, after) = target.split_once(')')?;
            (!name.contains(['[', ']'])).then_some((target, after))
        });
        match parts {
            Some((target, after)) => {
                plain.push_str("docs/");
                plain.push_str(target.split('#').next().unwrap_or(target));
                rest = after;
            }
            None => {
                plain.push('[');
                rest = link;
            }
        }
    }
    plain + rest
}

/// The rows of a term; without one, the rows of what others call so; without these, the rows in
/// whose names it is a word.
pub(super) fn find(name: &str) -> Vec<Term> {
    let (own, others): (Vec<Term>, Vec<Term>) = terms()
        .into_iter()
        .partition(|term| term.names().any(|own| own.eq_ignore_ascii_case(name)));
    if !own.is_empty() {
        return own;
    }
    let (called, others): (Vec<Term>, Vec<Term>) =
        others.into_iter().partition(|term| term.is_called(name));
    match called.is_empty() {
        true => others
            .into_iter()
            .filter(|term| term.has_word(name))
            .collect(),
        false => called,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_page_is_a_term() {
        let rows = PAGE.lines().filter(|line| line.starts_with("| "));
        let rows = rows.filter(|line| !line.starts_with("| name "));
        let terms = terms();
        assert_eq!(terms.len(), rows.count());
        assert!(terms.len() > 50);
        for term in &terms {
            assert!(
                !term.name.is_empty() && !term.meaning.is_empty(),
                "{term:?}"
            );
        }
    }

    #[test]
    fn links_are_files_of_the_documentation() {
        assert_eq!(
            without_links("a ([all](spec.md#all)), b"),
            "a (docs/spec.md), b"
        );
        assert_eq!(
            without_links("x[weight].y [N·s] (a)"),
            "x[weight].y [N·s] (a)"
        );
        assert!(terms().iter().all(|term| !term.meaning.contains("](")));
    }

    #[test]
    fn terms_are_found_by_any_of_their_names() {
        let name = |asked: &str| {
            find(asked)
                .into_iter()
                .map(|term| term.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(name("Sweep"), ["sweep"]);
        assert_eq!(name("block"), ["row, block"]);
        assert_eq!(
            name("iteration"),
            ["iteration"],
            "not what others call a sweep"
        );
        assert_eq!(name("normalMass"), ["effective mass"]);
        assert_eq!(name("residual"), ["natural map"]);
        assert_eq!(name("relax"), ["relax solve, relax sweeps"]);
        assert_eq!(name("substep"), ["dt, h, substep"]);
        assert!(name("no such thing").is_empty());
    }
}
