//! The matrix of a run in numbers, and why cells are not solved.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use delassus_core::Status;

use crate::bundle::Bundle;
use crate::numbers::{grouped, power};
use crate::record::CellRecord;
use crate::statuses::STATUSES;
use crate::tables::coded;
use crate::text::escape;

/// Reasons that the page lists; the others are in the tables.
const MOST_REASONS: usize = 25;

/// Problems, solvers, cells and how they ended.
pub(crate) fn html(bundle: &Bundle) -> String {
    let (problems, solvers) = (bundle.problems().len(), bundle.solvers().len());
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for record in &bundle.records {
        *counts.entry(record.ending_id()).or_default() += 1;
    }
    let finished = bundle.records.len();
    let (subjects, treatments) = match bundle.is_over_time() {
        true => ("scenes", "methods"),
        false => ("problems", "solvers"),
    };
    let mut html = format!(
        "<dl class=\"numbers\">\n<div><dt>{subjects}</dt><dd>{problems}</dd></div>\n\
         <div><dt>{treatments}</dt><dd>{solvers}</dd></div>\n<div><dt>cells</dt><dd>{}</dd></div>\n",
        grouped(wide(finished + bundle.missing))
    );
    for status in &STATUSES {
        if let Some(count) = counts.get(status.id) {
            let name = status.id.replace('_', " ");
            let _ = writeln!(
                html,
                "<div><dt>{name}</dt><dd>{}</dd></div>",
                grouped(*count)
            );
        }
    }
    if bundle.missing > 0 {
        let missing = grouped(wide(bundle.missing));
        let _ = writeln!(html, "<div><dt>not run yet</dt><dd>{missing}</dd></div>");
    }
    html.push_str("</dl>\n");
    if let Some(line) = crate::bundle::left_over(&bundle.unstepped) {
        let _ = writeln!(html, "<p>{}.</p>", escape(&line));
    }
    define_success(&mut html, bundle);
    html + &reasons(bundle) + &approximations(bundle)
}

/// What the page means by solved, ended and timed.
fn define_success(html: &mut String, bundle: &Bundle) {
    let criteria = bundle.criteria.iter();
    let criteria = criteria.map(|c| format!("<code>{}</code>", escape(c)));
    let criteria: Vec<String> = criteria.collect();
    if !criteria.is_empty() {
        let _ = writeln!(
            html,
            "<p>A cell is <em>solved</em> where {} {} at most {}, or at most the tolerance that the spec sets for its problem, evaluated from the problem and the impulses alone.</p>",
            criteria.join(" and "),
            match criteria.len() {
                1 => "is",
                2 => "are both",
                _ => "are all",
            },
            power(bundle.tolerance)
        );
    }
    if bundle.is_over_time() {
        html.push_str(
            "<p>A cell has <em>ended</em> where its run came to its end with finite states, twice with the same bits.</p>\n",
        );
    }
    if bundle.is_timed() {
        html.push_str(
            "<p>Sweeps were timed, and nothing was solved to a tolerance: a cell is <em>timed</em> where every pass ended with the same bits.</p>\n",
        );
    }
}

/// Messages of the cells that are not solved, or not in every block, grouped.
fn reasons(bundle: &Bundle) -> String {
    let records = bundle.records.iter();
    let told = || records.clone().filter(|r| r.outcome.message.is_some());
    let lacks = told().any(|record| record.outcome.status == Status::Solved);
    let title = match (bundle.is_over_time(), bundle.is_timed()) {
        (true, _) if lacks => {
            "Why cells have not ended, and what is to be known of those that have"
        }
        (true, _) => "Why cells have not ended",
        (_, true) => "Why cells are not timed",
        _ => "Why cells are not solved, or only as a whole",
    };
    let lines = told().map(|record| {
        let (outcome, method) = (&record.outcome, escape(record.method()));
        let ending = escape(&record.ending().replace('_', " "));
        let message = escape(outcome.message.as_deref().unwrap_or_default());
        (format!("{method}, {ending}: {message}"), record)
    });
    listed(title, lines)
}

/// What methods do in the place of what was asked, grouped.
fn approximations(bundle: &Bundle) -> String {
    let lines = bundle.records.iter().flat_map(|record| {
        let method = escape(record.method());
        let all = record.outcome.approximations.iter();
        all.map(move |reason| (format!("{method}: {}", escape(reason)), record))
    });
    listed("Where methods depart from what was asked", lines)
}

/// A list that opens, each line once with the problems that it is about; nothing without lines.
fn listed<'r>(title: &str, lines: impl Iterator<Item = (String, &'r CellRecord)>) -> String {
    let mut order = Vec::new();
    let mut cells: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (line, record) in lines {
        let names = cells.entry(line.clone()).or_default();
        if names.is_empty() {
            order.push(line);
        }
        names.push(&record.problem.name);
    }
    if order.is_empty() {
        return String::new();
    }
    let mut html = format!("<details><summary>{title}</summary>\n<ul>\n");
    for line in order.iter().take(MOST_REASONS) {
        let names = &cells[line];
        let shown: Vec<String> = names.iter().take(4).map(|n| escape(n)).collect();
        let more = if names.len() > 4 {
            format!(" and {} more", names.len() - 4)
        } else {
            String::new()
        };
        let _ = writeln!(
            html,
            "<li>{line} <span class=\"note\">({}{more})</span></li>",
            shown.join(", ")
        );
    }
    if order.len() > MOST_REASONS {
        let _ = writeln!(html, "<li>{} more reasons</li>", order.len() - MOST_REASONS);
    }
    html.push_str("</ul>\n</details>\n");
    html
}

/// What each status means.
pub(crate) fn legend() -> String {
    let mut html = String::from(
        "<div class=\"edges\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Statuses\"><table class=\"statuses\"><tbody>\n",
    );
    for status in &STATUSES {
        let (name, meaning) = (status.id.replace('_', " "), coded(status.meaning));
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\">{name}</th><td class=\"t\">{meaning}</td></tr>"
        );
    }
    html.push_str("</tbody></table></div></div>\n");
    html
}

fn wide(value: usize) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{realistic, trajectories};

    #[test]
    fn commands_in_meanings_are_code() {
        let legend = legend();
        assert!(
            legend.contains("<code>solve</code> found a file"),
            "{legend}"
        );
        assert!(!legend.contains('`'), "{legend}");
    }

    #[test]
    fn a_run_that_came_to_its_end_has_ended() {
        let mut run = trajectories();
        run.records[0].outcome.message = Some("no value for creep".to_owned());
        let page = html(&run);
        assert!(page.contains(", ended: no value for creep"), "{page}");
        assert!(!page.contains("solved"), "{page}");
        let mut run = realistic();
        run.records[0].outcome.message = Some("one block".to_owned());
        assert!(html(&run).contains(", solved: one block"));
    }
}
