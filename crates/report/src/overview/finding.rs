//! What an experiment found, in one sentence of its README.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, TextMergeStream};

/// Words that a sentence has at least: "Decay." is a title, and goes on with what follows.
const LEAST_WORDS: usize = 4;

/// The first sentence of the section *Finding* of a README, without markup; `None` if there is
/// none.
///
/// It is the first one of a paragraph or of an item of a list that does not lead to a table, as
/// sentences before a colon do, unless there is no other.
pub fn first_sentence(readme: &str) -> Option<String> {
    // rank of the heading of the section
    let mut section = None;
    let mut heading: Option<String> = None;
    let mut text: Option<String> = None;
    let mut leads_on = None;
    for event in TextMergeStream::new(Parser::new_ext(readme, Options::ENABLE_TABLES)) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                if section.is_some_and(|rank| level <= rank) {
                    break;
                }
                heading = Some(String::new());
            }
            Event::End(TagEnd::Heading(level)) => {
                let title = heading.take().unwrap_or_default();
                let title = title.trim().to_lowercase();
                if title == "finding" || title == "findings" {
                    section = Some(level);
                }
            }
            Event::Text(piece) | Event::Code(piece) => {
                for text in heading.iter_mut().chain(&mut text) {
                    text.push_str(&piece);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                text.iter_mut().for_each(|text| text.push(' '));
            }
            Event::Start(Tag::Paragraph | Tag::Item) if section.is_some() => {
                text = Some(String::new());
            }
            Event::End(TagEnd::Paragraph | TagEnd::Item)
            | Event::Start(Tag::List(_) | Tag::Table(_)) => {
                let block = text.take().unwrap_or_default();
                let sentence = sentence(block.trim()).to_owned();
                if sentence.ends_with(':') {
                    leads_on = leads_on.or(Some(sentence));
                } else if !sentence.is_empty() {
                    return Some(sentence);
                }
            }
            _ => {}
        }
    }
    leads_on
}

/// The text up to the end of its first sentence: a full stop, question or exclamation mark behind
/// which a new one begins.
fn sentence(text: &str) -> &str {
    for (at, mark) in text.match_indices(['.', '?', '!']) {
        let end = at + mark.len();
        let rest = &text[end..];
        let closed = rest.trim_start_matches(['"', '”', '’', ')']);
        let next = closed.trim_start();
        let is_apart = next.len() < closed.len();
        let begins = next.chars().next().is_none_or(|c| !c.is_lowercase());
        let words = text[..end].split_whitespace().count();
        let ends = is_apart && begins && words >= LEAST_WORDS && !is_short(&text[..at]);
        if next.is_empty() || ends {
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
            ("Does it hold so? Yes.", "Does it hold so?"),
            ("no end", "no end"),
            (
                "**Decay.** It is as it should be. More.",
                "Decay. It is as it should be.",
            ),
            ("It has one. two. Three of them.", "It has one. two."),
            ("<b>x</b>\n\nText <script>hostile</script> stays.", "x"),
            (
                "- Of a *list* the first. Not this.\n- Nor that.",
                "Of a list the first.",
            ),
            (
                "In numbers (table \"a\"):\n\n| a |\n|---|\n| b |\n\n### More\n\nThey are what they are. Yes.",
                "They are what they are.",
            ),
            ("In numbers:\n\n| a |\n|---|\n| b |\n", "In numbers:"),
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
