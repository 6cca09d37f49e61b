//! Files × solvers as one table of at most 100 columns.

use delassus_core::Status;

use crate::cli::answer::Answer;
use crate::cli::decisions;
use crate::cli::files::ShownFiles;
use crate::cli::output::{aligned, wrapped};

/// Width of a table, in characters.
const WIDTH: usize = 100;
/// Longest name of a file that stands whole in the table, in characters.
const LONGEST: usize = 40;
/// Blanks between two columns.
const GAP: usize = 2;

/// The answers of several solvers.
#[derive(Debug)]
pub(super) struct Grid {
    solvers: Vec<String>,
    /// A file with one cell per solver.
    rows: Vec<(String, Vec<String>)>,
    /// Solved files of each solver.
    solved: Vec<usize>,
    /// What stands below the table: a file, the solvers and the message.
    notes: Vec<(String, Vec<String>, String)>,
    /// What solvers decided: a file and a solver, and the lines.
    plans: Vec<(String, Vec<String>)>,
}

impl Grid {
    pub(super) fn new(solvers: &[String]) -> Self {
        Self {
            solvers: solvers.to_vec(),
            rows: Vec::new(),
            solved: vec![0; solvers.len()],
            notes: Vec::new(),
            plans: Vec::new(),
        }
    }

    /// Takes over the answers about one file, one per solver; `plans` shows what solvers decided.
    pub(super) fn push(&mut self, file: &str, answers: &[Answer<'_>], plans: bool) {
        let solved = Status::Solved.id();
        for (count, answer) in self.solved.iter_mut().zip(answers) {
            *count += usize::from(answer.status == solved);
        }
        for (solver, answer) in self.solvers.iter().zip(answers) {
            if plans && !answer.decisions().is_empty() {
                let plan = decisions::lines(answer.decisions(), 2);
                self.plans.push((format!("{file}, {solver}:"), plan));
            }
            let message = answer.message.iter().filter(|_| answer.status != solved);
            for text in message {
                // a file that nobody can read says so once
                match self
                    .notes
                    .iter_mut()
                    .find(|(own, _, note)| own == file && note == text)
                {
                    Some((_, solvers, _)) => solvers.push(solver.clone()),
                    None => {
                        let note = (file.to_owned(), vec![solver.clone()], text.clone());
                        self.notes.push(note);
                    }
                }
            }
        }
        let cells = answers.iter().map(Answer::cell).collect();
        self.rows.push((file.to_owned(), cells));
    }

    /// The tables, each with as many solvers as fit, and what stands below them.
    pub(super) fn text(&self, files: &ShownFiles) -> String {
        let total = self.rows.len();
        let name = |file: &str| shortened(file, LONGEST);
        let first: Vec<String> = std::iter::once(name(&files.title))
            .chain(self.rows.iter().map(|(file, _)| name(file)))
            .chain(std::iter::once("solved".to_owned()))
            .collect();
        let column = |at: usize| -> Vec<String> {
            let head = std::iter::once(format!("{} [s]", self.solvers[at]));
            let cells = self.rows.iter().map(|(_, cells)| cells[at].clone());
            let end = std::iter::once(format!("{} of {total}", self.solved[at]));
            head.chain(cells).chain(end).collect()
        };
        let mut tables = Vec::new();
        let mut columns = vec![first.clone()];
        let mut used = width(&first);
        for at in 0..self.solvers.len() {
            let own = column(at);
            if columns.len() > 1 && used + GAP + width(&own) > WIDTH {
                tables.push(lines(&columns));
                columns = vec![first.clone()];
                used = width(&first);
            }
            used += GAP + width(&own);
            columns.push(own);
        }
        tables.push(lines(&columns));
        let notes = self.notes.iter().map(|(file, solvers, text)| {
            let solvers = match solvers.len() == self.solvers.len() {
                true => String::new(),
                false => format!(", {}", solvers.join(", ")),
            };
            wrapped(&format!("{file}{solvers}: {text}"), 0, WIDTH) + "\n"
        });
        let notes: String = notes.collect();
        let plans = self.plans.iter();
        let plans = plans.map(|(title, lines)| format!("\n{title}\n{}\n", lines.join("\n")));
        let gap = if notes.is_empty() { "" } else { "\n" };
        tables.join("\n") + gap + &notes + &plans.collect::<String>()
    }
}

fn width(column: &[String]) -> usize {
    column
        .iter()
        .map(|cell| cell.chars().count())
        .max()
        .unwrap_or(0)
}

/// Columns of equal length as aligned lines.
fn lines(columns: &[Vec<String>]) -> String {
    let length = columns.first().map_or(0, Vec::len);
    let row = |at: usize| columns.iter().map(|column| column[at].clone()).collect();
    aligned(&(0..length).map(row).collect::<Vec<Vec<String>>>())
}

/// The text with its middle left out where it is longer than `most` characters.
fn shortened(text: &str, most: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= most {
        return text.to_owned();
    }
    let head = (most - 1) / 2;
    let tail = letters.len() - (most - 1 - head);
    letters[..head]
        .iter()
        .chain(&['…'])
        .chain(&letters[tail..])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_split_where_they_would_be_too_wide() {
        let solvers: Vec<String> = (0..12).map(|n| format!("solver-number-{n}")).collect();
        let mut grid = Grid::new(&solvers);
        let cells = vec!["0.0123".to_owned(); solvers.len()];
        grid.rows.push(("x".repeat(90), cells));
        let files = ShownFiles {
            title: "file".to_owned(),
            names: vec!["x".repeat(90)],
        };
        let text = grid.text(&files);
        assert!(
            text.lines().all(|line| line.chars().count() <= WIDTH),
            "{text}"
        );
        for solver in &solvers {
            assert_eq!(text.matches(&format!("{solver} [s]")).count(), 1, "{text}");
        }
        assert!(text.matches("xx…xx").count() > 1, "{text}");
    }

    #[test]
    fn long_names_keep_their_ends() {
        assert_eq!(shortened("abcdefghij", 5), "ab…ij");
        assert_eq!(shortened("abcde", 5), "abcde");
    }
}
