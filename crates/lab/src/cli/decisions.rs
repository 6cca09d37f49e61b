//! The decisions of a solver that chooses between others, as lines for a terminal.

use super::output::{aligned, printable, wrapped};

/// Columns of the text \[-\].
const WIDTH: usize = 100;
/// Least width of the last part of a decision \[-\].
const LEAST: usize = 24;
/// Between the parts of a decision.
const BETWEEN: &str = " | ";
/// What the parts of a decision are.
const HEADS: [&str; 4] = ["work", "method", "what happened", "why"];

/// The decisions after `indent` blanks: those that have a time as a table, the others as they are.
pub(super) fn lines(decisions: &[String], indent: usize) -> Vec<String> {
    let decisions: Vec<String> = decisions.iter().map(|text| printable(text)).collect();
    let (timed, others): (Vec<&String>, Vec<&String>) =
        decisions.iter().partition(|text| parts(text).is_some());
    let mut shown: Vec<String> = Vec::new();
    for text in others {
        let folded = wrapped(text, indent, WIDTH);
        shown.extend(folded.lines().map(str::to_owned));
    }
    if timed.is_empty() {
        return shown;
    }
    let rows: Vec<[&str; 4]> = std::iter::once(HEADS)
        .chain(timed.into_iter().filter_map(|text| parts(text)))
        .collect();
    shown.extend(table(&rows, indent));
    shown
}

/// The parts of a decision that has a time.
fn parts(text: &str) -> Option<[&str; 4]> {
    let parts: Vec<&str> = text.splitn(4, BETWEEN).collect();
    let parts = <[&str; 4]>::try_from(parts).ok()?;
    parts[0].parse::<u64>().is_ok().then_some(parts)
}

/// Rows whose last cell is broken into lines where it is long.
fn table(rows: &[[&str; 4]], indent: usize) -> Vec<String> {
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max();
    let before: usize = (0..3).filter_map(width).map(|width| width + 2).sum();
    let room = WIDTH.saturating_sub(indent + before).max(LEAST);
    let mut cells: Vec<Vec<String>> = Vec::new();
    for [units, method, what, why] in rows {
        // a continuation is two blanks further in
        let why = wrapped(why, 0, room);
        let mut why = why.lines();
        let first = why.next().unwrap_or_default();
        cells.push([*units, *method, *what, first].map(str::to_owned).to_vec());
        let rest = why.map(|line| ["", "", "", line].map(str::to_owned).to_vec());
        cells.extend(rest);
    }
    let text = aligned(&cells);
    let line = |line: &str| format!("{}{line}", " ".repeat(indent));
    text.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn decisions_are_a_table_with_short_lines() {
        let decisions = [
            "problem: 6 rows".to_owned(),
            "methods in turns: psor | nncg, then pgs".to_owned(),
            "10 | psor | pauses after 10 sweeps | it would need 4000 more to reach 1e-8; nncg, which has \
             not begun, begins"
                .to_owned(),
            "1234 | nncg | is the best | x".to_owned(),
        ];
        let shown = lines(&decisions, 4);
        let expected = [
            "    problem: 6 rows",
            "    methods in turns: psor | nncg, then pgs",
            "    work  method  what happened           why",
            "    10    psor    pauses after 10 sweeps  it would need 4000 more to reach 1e-8; nncg, which has not",
            "                                            begun, begins",
            "    1234  nncg    is the best             x",
        ];
        assert_eq!(shown, expected);
        assert!(shown.iter().all(|line| line.chars().count() <= 100));
        // the lines of another solver have no parts
        assert_eq!(lines(&["it was | easy".to_owned()], 2), ["  it was | easy"]);
        assert!(lines(&[], 4).is_empty());
    }
}
