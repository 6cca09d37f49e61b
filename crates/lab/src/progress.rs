//! Progress of a run on standard error: a bar on a terminal, one line per finished cell otherwise.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

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
    /// Hidden unless the style is a bar.
    bar: ProgressBar,
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
    total: usize,
    finished: usize,
    failed: usize,
    /// Cells in flight, in the order in which they started.
    running: Vec<String>,
}

impl Meter {
    /// Shows progress on standard error.
    pub fn new(style: Style) -> Self {
        let target = match style {
            Style::Bar => ProgressDrawTarget::stderr(),
            Style::Lines | Style::Quiet => ProgressDrawTarget::hidden(),
        };
        Self::on(style, target, io::stderr())
    }

    fn on(style: Style, target: ProgressDrawTarget, sink: impl Write + Send + 'static) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), target);
        let look =
            ProgressStyle::with_template("[{bar:20}] {pos}/{len}{prefix}  {eta} to go  {wide_msg}");
        // the template is a constant; should it be wrong, the default look serves
        bar.set_style(
            look.unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("##."),
        );
        Self {
            style,
            bar,
            state: Mutex::new(State {
                sink: Box::new(sink),
                total: 0,
                finished: 0,
                failed: 0,
                running: Vec::new(),
            }),
        }
    }

    /// The run begins: `total` cells are to be run.
    pub fn begin(&self, total: usize) {
        self.bar.set_length(total as u64);
        self.bar.reset_eta();
        self.with(|state| state.total = total);
    }

    /// A cell starts.
    pub fn start(&self, cell: &str) {
        self.with(|state| {
            state.running.push(cell.to_owned());
            self.draw(state);
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
            self.draw(state);
            if self.style == Style::Lines {
                let line = format!("{}/{}  {cell}: {how}", state.finished, state.total);
                state.say(&line);
            }
        });
    }

    /// Says something between the lines of progress.
    pub fn note(&self, message: &str) {
        if self.style != Style::Quiet {
            self.with(|state| self.bar.suspend(|| state.say(message)));
        }
    }

    /// The run is over: the bar goes away.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }

    fn draw(&self, state: &State) {
        if state.failed > 0 {
            self.bar.set_prefix(format!("  {} failed", state.failed));
        }
        let running = state.running.first().map_or("", String::as_str);
        self.bar.set_message(running.to_owned());
        self.bar.set_position(state.finished as u64);
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::InMemoryTerm;
    use std::sync::Arc;

    #[derive(Clone, Default)]
    struct Text(Arc<Mutex<Vec<u8>>>);

    impl Write for Text {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn two_cells(meter: &Meter) {
        meter.begin(2);
        meter.start("chain, pgs");
        meter.finish("chain, pgs", "solved, 7 sweeps", false);
        meter.start("wall, pgs");
        meter.finish("wall, pgs", "failed", true);
    }

    #[test]
    fn lines_are_whole_and_one_per_cell() {
        for (style, expected) in [
            (
                Style::Lines,
                "1/2  chain, pgs: solved, 7 sweeps\n2/2  wall, pgs: failed\n",
            ),
            (Style::Quiet, ""),
        ] {
            let text = Text::default();
            let meter = Meter::on(style, ProgressDrawTarget::hidden(), text.clone());
            two_cells(&meter);
            meter.end();
            assert_eq!(
                String::from_utf8(text.0.lock().unwrap().clone()).unwrap(),
                expected
            );
        }
    }

    #[test]
    fn the_bar_counts_never_wraps_and_goes_away() {
        let screen = InMemoryTerm::new(5, 79);
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(screen.clone()), 255);
        let meter = Meter::on(Style::Bar, target, io::sink());
        two_cells(&meter);
        meter.start(&"x".repeat(200));
        meter.bar.force_draw();
        let shown = screen.contents();
        assert!(shown.contains("2/2  1 failed"), "{shown:?}");
        assert!(shown.contains("[####################]"), "{shown:?}");
        assert_eq!(shown.lines().count(), 1, "{shown:?}");
        meter.end();
        assert_eq!(screen.contents(), "");
    }
}
