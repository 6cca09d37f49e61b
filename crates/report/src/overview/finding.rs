//! What an experiment found, in one sentence of its README.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, TextMergeStream};

/// The first sentence of the section *Finding* of a README, without markup; `None` if there is none.
pub fn first_sentence(readme: &str) -> Option<String> {
    let mut heading = None;
    let mut found = false;
    let mut text: Option<String> = None;
    for event in TextMergeStream::new(Parser::new_ext(readme, Options::ENABLE_TABLES)) {
        match event {
            Event::Start(Tag::Heading { .. }) if found => return None,
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let title = heading.take().unwrap_or_default();
                let title = title.trim().to_lowercase();
                found = title == "finding" || title == "findings";
            }
            Event::Start(Tag::Paragraph) if found => text = Some(String::new()),
            Event::End(TagEnd::Paragraph) if found => {
                let paragraph = text.take().unwrap_or_default();
                let sentence = sentence(paragraph.trim());
                if !sentence.is_empty() {
                    return Some(sentence.to_owned());
                }
            }
            Event::Text(piece) | Event::Code(piece) => {
                for text in heading.iter_mut().chain(&mut text) {
                    text.push_str(&piece);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(text) = &mut text {
                    text.push(' ');
                }
            }
            _ => {}
        }
    }
    None
}

/// The text up to the end of its first sentence: a full stop, question or exclamation mark behind which a new one begins.
fn sentence(text: &str) -> &str {
    for (at, mark) in text.match_indices(['.', '?', '!']) {
        let end = at + mark.len();
        let rest = &text[end..];
        let closed = rest.trim_start_matches(['"', '”', '’', ')']);
        let next = closed.trim_start();
        let is_apart = next.len() < closed.len();
        let begins = next.chars().next().is_none_or(|c| !c.is_lowercase());
        if next.is_empty() || (is_apart && begins && !is_short(&text[..at])) {
            return text[..text.len() - closed.len()].trim_end();
        }
    }
    text
}

/// True where a full stop belongs to what is before it: "e.g.", "Fig.", an initial.
fn is_short(before: &str) -> bool {
    let word = before
        .rsplit(|c: char| c.is_whitespace() || c == '(')
        .next();
    let word = word.unwrap_or_default();
    let initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    initial || ["e.g", "i.e", "cf", "vs", "Fig", "Eq", "Sec", "No", "ca"].contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_is_found_without_markup() {
        let of = |body: &str| first_sentence(&format!("# T\n\nX. Y.\n\n## Finding\n\n{body}"));
        for (body, expected) in [
            (
                "**The law decides,\nnot the solver.** Ten sweeps.",
                "The law decides, not the solver.",
            ),
            (
                "`pgs` needs 0.07<!-- table a; b --> mm. More.",
                "pgs needs 0.07 mm.",
            ),
            (
                "It is so (e.g. Fig. 3, by M. Coulomb.) And on.",
                "It is so (e.g. Fig. 3, by M. Coulomb.)",
            ),
            ("Is it? Yes.", "Is it?"),
            ("no end", "no end"),
            ("One. two. Three.", "One. two."),
            ("<b>x</b>\n\nText <script>hostile</script> stays.", "x"),
            ("- a list\n\nThen this. Not that.", "Then this."),
        ] {
            assert_eq!(of(body).as_deref(), Some(expected), "{body}");
        }
    }

    #[test]
    fn no_finding_is_none() {
        for readme in [
            "",
            "## Finding\n",
            "## Finding\n\n## Next\n\nText.",
            "# Question\n\nText.",
            "## Finding\n\n| a |\n|---|\n| b |\n",
        ] {
            assert_eq!(first_sentence(readme), None, "{readme}");
        }
    }
}
