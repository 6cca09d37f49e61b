//! All faults of a scene file in one reading: what is wrong is put right in a copy of the text, and
//! the copy is read again.

use std::ops::Range;

use delassus_core::suggest::nearest;

use crate::document::{self, Fault};
use crate::error::SceneFault;
use crate::message::in_words;

/// Most faults that one reading shows \[-\].
const MOST: usize = 20;
/// Longest text that is read more than once \[B\].
const LONGEST: usize = 1 << 20;

/// The faults of a text in the order of their places; `first` is the one that its reader found.
pub(crate) fn all(text: &str, first: Fault) -> Vec<SceneFault> {
    let mut copy = text.to_owned();
    let mut changes = Vec::new();
    let mut found = Vec::new();
    let mut next = Some(first);
    while let Some(mut fault) = next.take() {
        let own = fault.span.clone();
        fault.span = fault.span.map(|span| original(&changes, &span));
        let place = fault.place(text);
        found.push(SceneFault {
            place,
            reason: in_words(&fault.message),
        });
        if found.len() == MOST || text.len() > LONGEST {
            break;
        }
        let Some((at, word)) = own.and_then(|span| mended(&copy, span, &fault.message)) else {
            break;
        };
        changes.push((at.start, word.len(), at.len()));
        copy.replace_range(at, &word);
        next = document::parts(&copy).err();
        // what a change brings about is no fault of the text
        next = next.filter(|next| !next.message.starts_with("duplicate key"));
    }
    found.sort_by_key(|fault| (fault.place.line, fault.place.column));
    found.dedup();
    found
}

/// Where a part of the copy is in the text. A change has a place in the copy as it was then, a new
/// and an old length.
fn original(changes: &[(usize, usize, usize)], span: &Range<usize>) -> Range<usize> {
    let back = |mut at: usize| {
        for (start, new, old) in changes.iter().rev() {
            if at >= start + new {
                at = at - new + old;
            }
        }
        at
    };
    back(span.start)..back(span.end)
}

/// What a fault is about, and the word that puts it right: the number of a body, or the nearest
/// name; `None` where nothing is near.
fn mended(text: &str, span: Range<usize>, message: &str) -> Option<(Range<usize>, String)> {
    if message.starts_with("no body is named") {
        return Some((span, "0".to_owned()));
    }
    let shown = text.get(span.clone())?;
    let is_value = shown.starts_with(['"', '\'']);
    let meant = message.split_once("did you mean \"");
    if let (Some((word, _)), true) = (meant.and_then(|(_, end)| end.split_once("\"?")), is_value) {
        return Some((span, format!("{word:?}")));
    }
    let mut names = message.split('`').skip(1).step_by(2);
    let wrong = names.next().filter(|_| message.starts_with("unknown"))?;
    let known: Vec<&str> = names.collect();
    let start = span.start + shown.find(wrong)?;
    // any value will do, but the fields of a table go with its kind
    let any = known.first().filter(|_| is_value);
    let word = nearest(wrong, known.iter().copied()).or_else(|| any.map(|word| (*word).to_owned()));
    Some((start..start + wrong.len(), word?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_several_faults_shows_all_of_them() {
        let text = "gravty = [0.0, -9.81, 0.0]\ncontacts = { law = \"dics\" }\n[[bodies]]\nname = \"a\"\nkind = \"xyz\"\npositon = [0, 1, 0]\n\
                    [[colliders]]\nbody = \"c\"\nshape = { sphere = { radus = 1.0 } }\n";
        let first = document::parts(text).expect_err("faults");
        let found = all(text, first);
        let found: Vec<(usize, usize, &str)> = found
            .iter()
            .map(|fault| {
                let word = fault.reason.split('"').nth(1).unwrap_or_default();
                (fault.place.line, fault.place.column, word)
            })
            .collect();
        let expected = [
            (1, 1, "gravty"),
            (2, 20, "dics"),
            (5, 8, "xyz"),
            (6, 1, "positon"),
            (8, 8, "c"),
            (9, 22, "radus"),
        ];
        assert_eq!(found, expected);
    }
}
