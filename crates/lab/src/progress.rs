//! Progress of a run on standard error: a bar on a terminal, one line per finished cell otherwise.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Characters of a line on a terminal; longer ones would wrap and stay behind.
const WIDTH: usize = 79;
/// Characters of the bar.
const BAR: usize = 20;

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// One line that changes.
    Bar,
    /// One line per finished cell.
    Lines,
    /// Nothing.
    Quiet,
}

impl Style {
    /// A bar if standard error is a terminal.
    pub fn detect(quiet: bool) -> Self {
        match quiet {
            true => Self::Quiet,
            false if io::stderr().is_terminal() => Self::Bar,
            false => Self::Lines,
        }
    }
}

/// Shows how far a run is. Can be shared between the threads of a run.
pub struct Meter {
    style: Style,
    state: Mutex<State>,
}

impl std::fmt::Debug for Meter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meter")
            .field("style", &self.style)
            .finish_non_exhaustive()
    }
}

struct State {
    sink: Box<dyn Write + Send>,
    begun: Instant,
    total: usize,
    finished: usize,
    failed: usize,
    /// Cells in flight, in the order in which they started.
    running: Vec<String>,
    /// Characters of the bar that is on the screen.
    drawn: usize,
}

impl Meter {
    /// Shows progress on standard error.
    pub fn new(style: Style) -> Self {
        Self::into(style, io::stderr())
    }

    fn into(style: Style, sink: impl Write + Send + 'static) -> Self {
        Self {
            style,
            state: Mutex::new(State {
                sink: Box::new(sink),
                begun: Instant::now(),
                total: 0,
                finished: 0,
                failed: 0,
                running: Vec::new(),
                drawn: 0,
            }),
        }
    }

    /// The run begins: `total` cells are to be run.
    pub fn begin(&self, total: usize) {
        self.with(|state| {
            state.total = total;
            state.begun = Instant::now();
        });
    }

    /// A cell starts.
    pub fn start(&self, cell: &str) {
        self.with(|state| {
            state.running.push(cell.to_owned());
            if self.style == Style::Bar {
                state.draw();
            }
        });
    }

    /// A cell has finished; `how` is its status with the numbers that matter, `failed` marks what deserves a look.
    pub fn finish(&self, cell: &str, how: &str, failed: bool) {
        self.with(|state| {
            if let Some(at) = state.running.iter().position(|name| name == cell) {
                state.running.remove(at);
            }
            state.finished += 1;
            state.failed += usize::from(failed);
            match self.style {
                Style::Bar => state.draw(),
                Style::Lines => {
                    let line = format!("{}/{}  {cell}: {how}", state.finished, state.total);
                    state.say(&line);
                }
                Style::Quiet => {}
            }
        });
    }

    /// Says something between the lines of progress.
    pub fn note(&self, message: &str) {
        if self.style == Style::Quiet {
            return;
        }
        self.with(|state| {
            state.clear();
            state.say(message);
        });
    }

    /// The run is over: the bar goes away.
    pub fn end(&self) {
        self.with(State::clear);
    }

    fn with(&self, change: impl FnOnce(&mut State)) {
        // a thread that panicked while it wrote leaves nothing that matters
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl State {
    /// Writes a line; nobody reading is no reason to stop.
    fn say(&mut self, line: &str) {
        let _ = writeln!(self.sink, "{line}");
    }

    fn draw(&mut self) {
        let eta = remaining(self.begun.elapsed(), self.finished, self.total);
        let running = self.running.first().map_or("", String::as_str);
        let line = bar(self.finished, self.total, self.failed, eta, running);
        let length = line.chars().count();
        // blanks over what is left of a longer line
        let rest = " ".repeat(self.drawn.saturating_sub(length));
        let _ = write!(self.sink, "\r{line}{rest}");
        let _ = self.sink.flush();
        self.drawn = length;
    }

    fn clear(&mut self) {
        if self.drawn > 0 {
            let _ = write!(self.sink, "\r{}\r", " ".repeat(self.drawn));
            let _ = self.sink.flush();
            self.drawn = 0;
        }
    }
}

/// One line: bar, counts, time to go, the cell in flight.
fn bar(finished: usize, total: usize, failed: usize, eta: Option<Duration>, cell: &str) -> String {
    let filled = (BAR * finished.min(total))
        .checked_div(total)
        .unwrap_or(BAR);
    let mut line = format!(
        "[{}{}] {finished}/{total}",
        "#".repeat(filled),
        ".".repeat(BAR - filled)
    );
    if failed > 0 {
        line.push_str(&format!("  {failed} failed"));
    }
    if let Some(eta) = eta {
        line.push_str(&format!("  {} to go", clock(eta)));
    }
    if !cell.is_empty() {
        line.push_str("  ");
        line.push_str(cell);
    }
    line.chars().take(WIDTH).collect()
}

/// Time that is left if the cells to come take as long as those so far.
fn remaining(elapsed: Duration, finished: usize, total: usize) -> Option<Duration> {
    let finished = u32::try_from(finished).ok().filter(|count| *count > 0)?;
    let left = u32::try_from(total).ok()?.checked_sub(finished)?;
    elapsed.checked_div(finished)?.checked_mul(left)
}

/// Minutes and seconds, with hours where there are some.
fn clock(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[derive(Clone, Default)]
    struct Screen(Arc<Mutex<Vec<u8>>>);

    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Screen {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    fn two_cells(style: Style) -> String {
        let screen = Screen::default();
        let meter = Meter::into(style, screen.clone());
        meter.begin(2);
        meter.start("chain, pgs");
        meter.finish("chain, pgs", "solved, 7 sweeps", false);
        meter.start("wall, pgs");
        meter.finish("wall, pgs", "failed", true);
        meter.end();
        screen.text()
    }

    #[test]
    fn lines_are_whole_and_one_per_cell() {
        let text = two_cells(Style::Lines);
        assert_eq!(
            text,
            "1/2  chain, pgs: solved, 7 sweeps\n2/2  wall, pgs: failed\n"
        );
        assert_eq!(two_cells(Style::Quiet), "");
    }

    #[test]
    fn the_bar_counts_and_goes_away() {
        let text = two_cells(Style::Bar);
        assert!(text.contains("[##########..........] 1/2"), "{text:?}");
        assert!(text.contains("2/2  1 failed"), "{text:?}");
        assert!(!text.contains('\n'), "{text:?}");
        let last = text.trim_end_matches('\r').rsplit('\r').next();
        assert_eq!(last.map(str::trim), Some(""), "{text:?}");
    }

    #[test]
    fn a_bar_never_wraps() {
        let line = bar(5, 10, 3, Some(Duration::from_secs(4000)), &"x".repeat(200));
        assert_eq!(line.chars().count(), WIDTH);
        assert!(line.contains("1:06:40 to go"), "{line}");
        assert!(bar(0, 0, 0, None, "").starts_with("[####################] 0/0"));
    }

    #[test]
    fn time_to_go_is_proportional() {
        let ten = Duration::from_secs(10);
        assert_eq!(remaining(ten, 0, 4), None);
        assert_eq!(remaining(ten, 1, 4), Some(Duration::from_secs(30)));
        assert_eq!(remaining(ten, 4, 4), Some(Duration::ZERO));
    }
}
