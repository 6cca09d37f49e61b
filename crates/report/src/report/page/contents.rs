//! The list of contents.

use std::fmt::Write as _;

use crate::text::escape;

/// What the page has, in order.
#[derive(Debug, Default)]
pub(super) struct Contents {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    id: String,
    title: String,
    /// Identifier, number and name of what the section holds.
    parts: Vec<(String, String, String)>,
}

impl Contents {
    /// A section of the page.
    pub(super) fn section(&mut self, id: &str, title: &str) {
        self.entries.push(Entry {
            id: id.to_owned(),
            title: title.to_owned(),
            parts: Vec::new(),
        });
    }

    /// Headings of the README, as far as they are of its highest rank.
    pub(super) fn headings(&mut self, headings: &[(String, usize, String)]) {
        let highest = headings.iter().map(|(_, rank, _)| *rank).min();
        for (id, rank, title) in headings {
            if Some(*rank) == highest {
                self.section(id, title);
            }
        }
    }

    /// A figure or table of the last section.
    pub(super) fn below(&mut self, id: String, number: String, name: &str) {
        if let Some(last) = self.entries.last_mut() {
            last.parts.push((id, number, name.to_owned()));
        }
    }

    /// The list as HTML.
    pub(super) fn html(&self) -> String {
        let mut html = String::from("<nav class=\"contents\" aria-label=\"Contents\">\n<ul>\n");
        for Entry { id, title, parts } in &self.entries {
            let _ = write!(
                html,
                "<li><a href=\"#{}\">{}</a>",
                escape(id),
                escape(title)
            );
            if !parts.is_empty() {
                html.push_str("\n<ul>\n");
                for (id, number, name) in parts {
                    let _ = writeln!(
                        html,
                        "<li><a href=\"#{}\"><span>{number}</span> {}</a></li>",
                        escape(id),
                        escape(name)
                    );
                }
                html.push_str("</ul>\n");
            }
            html.push_str("</li>\n");
        }
        html.push_str("</ul>\n</nav>\n");
        html
    }
}
