//! The width of help texts.

use clap::CommandFactory as _;

use super::Cli;

/// Columns of a terminal that all help fits into.
const WIDTH: usize = 100;

#[test]
fn no_line_of_a_help_text_is_broken_at_100_columns() {
    let mut cli = Cli::command().term_width(WIDTH);
    // gives the texts of the options that all verbs have to the verbs
    cli.build();
    let mut pages = vec![("delassus".to_owned(), cli.clone())];
    for verb in cli.get_subcommands() {
        pages.push((verb.get_name().to_owned(), verb.clone()));
    }
    assert!(pages.len() > 25, "{} pages", pages.len());
    let mut wrong = Vec::new();
    for (name, page) in pages {
        let mut page = page.term_width(WIDTH);
        let after = page.get_after_help().map(ToString::to_string);
        let rendered = [page.render_help(), page.render_long_help()].map(|help| help.to_string());
        for text in &rendered {
            let long = text.lines().filter(|line| line.chars().count() > WIDTH);
            wrong.extend(long.map(|line| format!("{name}: {line}")));
            for line in after.iter().flat_map(|after| after.lines()) {
                if !text.lines().any(|shown| shown == line) {
                    wrong.push(format!("{name} breaks: {line}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
