//! Texts from outside, made harmless.

/// Removes what a text from outside must not carry into a drawing: control and private-use
/// characters, and what is no character.
pub fn clean(text: &str) -> String {
    let kept = |c: &char| {
        !c.is_control() && !matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{fffe}' | '\u{ffff}')
    };
    text.chars().filter(kept).collect()
}

/// Escapes a text for XML and HTML.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(c),
            // not allowed in XML, even as a reference; those of eight bits are, and HTML takes them
            // for others
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}
