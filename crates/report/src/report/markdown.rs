//! Markdown to HTML that cannot do anything.

use std::collections::BTreeSet;

use pulldown_cmark::{
    CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, TextMergeStream, html,
};

use super::mentions::{Mentions, Piece};

/// A text as a part of a page.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) html: String,
    /// Identifier, rank from 0 and text of each heading.
    pub(crate) headings: Vec<(String, usize, String)>,
}

/// A text of Markdown as HTML that cannot do anything.
pub fn inert_html(text: &str) -> String {
    render(&without_controls(text), &BTreeSet::new()).html
}

/// Renders Markdown below a page's own title: headings go down one level, raw HTML is left out,
/// images become their alternative text, and links keep harmless schemes only.
///
/// Links to a place of the page stay where it has one of `targets`, or a heading of the text
/// itself; what names a figure or table of the page leads there.
pub(crate) fn render(text: &str, targets: &BTreeSet<String>) -> Rendered {
    let headings = headings(text);
    let mut ids = headings.iter().map(|(id, ..)| id.clone());
    let mut mentions = Mentions::new(targets);
    let mut events = Vec::new();
    // one entry per link that is open: true where it leads somewhere
    let mut links: Vec<bool> = Vec::new();
    let mut plain = true;
    for event in parsed(text) {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => {}
            Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => {}
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
            Event::Start(Tag::Heading { level, .. }) => {
                events.push(Event::Start(heading(level, ids.next())));
            }
            Event::End(TagEnd::Heading(level)) => {
                events.push(Event::End(TagEnd::Heading(lower(level))));
            }
            Event::Start(Tag::Link {
                dest_url, title, ..
            }) => {
                let to = leads(&dest_url, targets, &headings);
                links.push(to.is_some());
                if let Some(to) = to {
                    events.push(Event::Start(link(to, title)));
                }
            }
            Event::End(TagEnd::Link) => {
                if links.pop().unwrap_or(false) {
                    events.push(Event::End(TagEnd::Link));
                }
            }
            Event::Text(text) if plain && links.is_empty() => {
                events.extend(mentions.pieces(&text).into_iter().flat_map(linked));
            }
            other => {
                match &other {
                    Event::Start(Tag::CodeBlock(_)) => plain = false,
                    Event::End(TagEnd::CodeBlock) => plain = true,
                    Event::SoftBreak => mentions.go_on(),
                    _ => {}
                }
                events.push(other);
            }
        }
    }
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    Rendered {
        html: framed(&out),
        headings,
    }
}

/// The text with what no page may hold made visible.
pub(crate) fn without_controls(text: &str) -> String {
    let kept = text.replace("\r\n", "\n");
    kept.replace(
        |c: char| c.is_control() && !matches!(c, '\n' | '\t'),
        "\u{fffd}",
    )
}

fn parsed(text: &str) -> impl Iterator<Item = Event<'_>> {
    TextMergeStream::new(Parser::new_ext(text, Options::ENABLE_TABLES))
}

/// A piece of text, in a link where it leads somewhere.
fn linked<'e>(piece: Piece) -> impl Iterator<Item = Event<'e>> {
    let to = piece
        .to
        .map(|to| Event::Start(link(format!("#{to}"), "".into())));
    let end = to.is_some().then_some(Event::End(TagEnd::Link));
    let text = Event::Text(piece.text.into());
    to.into_iter().chain([text]).chain(end)
}

/// A heading one level further down.
fn heading<'t>(level: HeadingLevel, id: Option<String>) -> Tag<'t> {
    Tag::Heading {
        level: lower(level),
        id: id.map(CowStr::from),
        classes: Vec::new(),
        attrs: Vec::new(),
    }
}

fn link(to: String, title: CowStr<'_>) -> Tag<'_> {
    Tag::Link {
        link_type: LinkType::Inline,
        dest_url: to.into(),
        title,
        id: CowStr::Borrowed(""),
    }
}

/// Where a link of the text leads: to one of `targets` or a heading of the text, or out of the
/// page; nowhere if that place is not on the page.
fn leads(
    url: &str,
    targets: &BTreeSet<String>,
    headings: &[(String, usize, String)],
) -> Option<String> {
    let Some(place) = url.strip_prefix('#') else {
        return is_harmless(url).then(|| url.to_owned());
    };
    let own = format!("{HEADING}{place}");
    match targets.contains(place) {
        true => Some(url.to_owned()),
        false => headings
            .iter()
            .any(|(id, ..)| *id == own)
            .then(|| format!("#{own}")),
    }
}

/// What identifiers of headings begin with, so that none is one of the page's own.
const HEADING: &str = "readme-";

/// Identifier, rank and text of each heading.
fn headings(text: &str) -> Vec<(String, usize, String)> {
    let mut found: Vec<(String, usize, String)> = Vec::new();
    let mut inside = false;
    for event in parsed(text) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                inside = true;
                found.push((String::new(), rank(level), String::new()));
            }
            Event::End(TagEnd::Heading(_)) => inside = false,
            Event::Text(piece) | Event::Code(piece) if inside => {
                if let Some((_, _, text)) = found.last_mut() {
                    text.push_str(&piece);
                }
            }
            _ => {}
        }
    }
    let mut taken = BTreeSet::new();
    for (id, _, text) in &mut found {
        let slug = slug(text);
        let numbered = (1..).map(|n| match n {
            1 => format!("{HEADING}{slug}"),
            n => format!("{HEADING}{slug}-{n}"),
        });
        if let Some(free) = { numbered }.find(|id| !taken.contains(id)) {
            taken.insert(free.clone());
            *id = free;
        }
    }
    found
}

fn rank(level: HeadingLevel) -> usize {
    level as usize - 1
}

/// Letters and digits in lower case, hyphens between words.
fn slug(text: &str) -> String {
    let kept = text.chars().filter_map(|c| match c {
        c if c.is_ascii_alphanumeric() => Some(c.to_ascii_lowercase()),
        ' ' | '-' => Some('-'),
        _ => None,
    });
    kept.collect()
}

/// Tables get the frame in which they scroll.
fn framed(html: &str) -> String {
    html.replace(
        "<table>",
        "<div class=\"edges\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of the text\"><table>",
    )
    .replace("</table>", "</table></div></div>")
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

    fn html(text: &str) -> String {
        let targets = ["table-rates", "figure-work", "figure-a"];
        render(text, &targets.map(str::to_owned).into()).html
    }

    #[test]
    fn hostile_markdown_is_inert() {
        let html = html(
            "# Title\n\n<script>alert(1)</script>\n\ntext <img src=x onerror=alert(2)> more\n\n\
             [a](javascript:alert(3)) [b](JaVa\tScript:alert(4)) [c](data:text/html,x) ![alt](http://x/y.png)\n\n\
             `<script>`",
        );
        assert!(!html.contains("<script") && !html.contains("<img") && !html.contains("onerror"));
        assert!(!html.to_lowercase().contains("javascript:") && !html.contains("data:"));
        assert!(html.contains("<h2 id=\"readme-title\">Title</h2>") && html.contains("alt"));
        assert!(html.contains("&lt;script&gt;"));
    }

    #[test]
    fn ordinary_markdown_survives() {
        let html = html(
            "a **b** [c](../x.md#y) <https://example.org>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        );
        assert!(html.contains("<strong>b</strong>") && html.contains("href=\"../x.md#y\""));
        assert!(html.contains("https://example.org") && html.contains("<td>2</td>"));
    }

    #[test]
    fn links_lead_to_places_that_are_there() {
        let html = html(
            "## Two words\n## Two words\n[a](#table-rates) [b](#two-words) [c](#nowhere) [d](#readme-two-words-2) [e](x.md#y)\n",
        );
        assert!(
            html.contains("<h3 id=\"readme-two-words\">")
                && html.contains("id=\"readme-two-words-2\"")
        );
        assert!(
            html.contains("<a href=\"#table-rates\">a</a>")
                && html.contains("<a href=\"#readme-two-words\">b</a>")
        );
        assert!(html.contains(" c ") && !html.contains("nowhere"));
        assert!(html.contains("<a href=\"x.md#y\">e</a>"));
    }

    #[test]
    fn figures_and_tables_that_are_named_are_linked() {
        let linked = |text: &str| html(text).matches("<a href").count();
        assert_eq!(linked("the lines of figure \"work\" are level"), 1);
        assert_eq!(linked("(figures \"work\" and\n\"a\", table \"rates\")"), 3);
        assert_eq!(linked("Figure\n\"work\""), 1);
        assert_eq!(
            linked("table \"work\", \"work\", figure \"b\", `table \"rates\"`"),
            0
        );
        assert_eq!(linked("    table \"rates\"\n"), 0, "code");
        assert_eq!(linked("[see table \"rates\"](#table-rates)"), 1);
    }
}
