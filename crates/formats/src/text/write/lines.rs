//! Lines of numbers.

use std::fmt::Write;

/// One line of whole numbers.
pub(super) fn integers(text: &mut String, values: &[u32]) {
    let words: Vec<String> = values.iter().map(u32::to_string).collect();
    text.push_str(&words.join(" "));
    text.push('\n');
}

/// One line of numbers with 17 digits after the point: more than enough to give every bit back.
pub(super) fn numbers(text: &mut String, values: &[f64]) {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        // writing to a String cannot fail
        let _ = write!(text, "{value:.17e}");
    }
    text.push('\n');
}
