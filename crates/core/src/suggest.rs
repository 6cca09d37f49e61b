//! The nearest valid name, for typing errors, and lists of names.

/// The candidate closest to `name`, if it is close enough to be what was meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let scored = candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate));
    scored
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate.to_owned())
}

/// Names for a message: `a, b, c`.
pub fn list<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut once: Vec<&str> = Vec::new();
    for name in names {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    once.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_transposition_and_refuses_nonsense() {
        let names = ["pgs", "psor", "block-gs", "dantzig"];
        assert_eq!(nearest("blok-gs", names), Some("block-gs".to_owned()));
        assert_eq!(nearest("dantzing", names), Some("dantzig".to_owned()));
        assert_eq!(nearest("xyzzy", names), None);
    }
}
