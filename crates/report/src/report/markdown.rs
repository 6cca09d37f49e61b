//! Markdown to HTML that cannot do anything.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// Renders Markdown below a page's own title: headings go down one level, raw HTML is left out, images become
/// their alternative text, and links keep harmless schemes only.
pub fn render(text: &str) -> String {
    let options = Options::ENABLE_TABLES;
    let events = Parser::new_ext(text, options).filter_map(|event| match event {
        Event::Html(_) | Event::InlineHtml(_) => None,
        Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => None,
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
        Event::Start(Tag::Heading { level, .. }) => Some(Event::Start(Tag::Heading {
            level: lower(level),
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        })),
        Event::End(TagEnd::Heading(level)) => Some(Event::End(TagEnd::Heading(lower(level)))),
        Event::Start(Tag::Link {
            link_type,
            dest_url,
            title,
            id,
        }) => Some(Event::Start(Tag::Link {
            link_type,
            dest_url: if is_harmless(&dest_url) {
                dest_url
            } else {
                CowStr::Borrowed("#")
            },
            title,
            id,
        })),
        other => Some(other),
    });
    let mut out = String::new();
    html::push_html(&mut out, events);
    out
}

fn lower(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H2,
        HeadingLevel::H2 => HeadingLevel::H3,
        HeadingLevel::H3 => HeadingLevel::H4,
        HeadingLevel::H4 => HeadingLevel::H5,
        _ => HeadingLevel::H6,
    }
}

/// Web and mail addresses, and paths without any scheme.
fn is_harmless(url: &str) -> bool {
    let url: String = url
        .chars()
        .filter(|c| !c.is_control() && !c.is_whitespace())
        .collect();
    let url = url.to_ascii_lowercase();
    let scheme_end = url.find([':', '/', '?', '#']);
    match scheme_end {
        Some(at) if url[at..].starts_with(':') => {
            ["http:", "https:", "mailto:"].contains(&&url[..=at])
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_markdown_is_inert() {
        let html = render(
            "# Title\n\n<script>alert(1)</script>\n\ntext <img src=x onerror=alert(2)> more\n\n\
             [a](javascript:alert(3)) [b](JaVa\tScript:alert(4)) [c](data:text/html,x) ![alt](http://x/y.png)\n\n\
             `<script>`",
        );
        assert!(!html.contains("<script") && !html.contains("<img") && !html.contains("onerror"));
        assert!(!html.to_lowercase().contains("javascript:") && !html.contains("data:"));
        assert!(html.contains("<h2>Title</h2>") && html.contains("alt"));
        assert!(html.contains("&lt;script&gt;"));
    }

    #[test]
    fn ordinary_markdown_survives() {
        let html = render(
            "a **b** [c](../x.md#y) <https://example.org>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        );
        assert!(html.contains("<strong>b</strong>") && html.contains("href=\"../x.md#y\""));
        assert!(html.contains("https://example.org") && html.contains("<td>2</td>"));
    }
}
